#!/usr/bin/env python3
"""Types of tcgen05 products at random, valid and not: atom_types.py FOLDER [--count N] [--seed N]. FOLDER has tessera-opt.

What the verifier takes has to be what the tables of isa.py allow; and the instruction that such a type becomes has to be one that ptxas
takes for the targets that have it.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

import isa

# Elements as CuTe IR has them, by kind.
ELEMENTS = {
    "f16": {"f16": "f16", "bf16": "bf16"},
    "tf32": {"tf32": "tf32"},
    "i8": {"i8": "s8", "ui8": "u8"},
    "f8f6f4": {"f8E4M3FN": "e4m3", "f8E5M2": "e5m2", "f6E2M3FN": "e2m3", "f6E3M2FN": "e3m2", "f4E2M1FN": "e2m1"},
}
NAMES = {cute: name for of_kind in ELEMENTS.values() for cute, name in of_kind.items()}
SUMS = {"f16": "f16", "f32": "f32", "i32": "s32"}
FACTORS = {"f8E8M0FNU": "ue8m0", "f8E4M3FN": "ue4m3"}


class Type(NamedTuple):
    m: int
    n: int
    k: int
    ctas: int
    majors: tuple
    a: str
    b: str
    d: str
    tensor: bool  # A in tensor memory
    sparse: bool
    factor: str = ""
    vector: int = 0
    arch: int = 100
    exponent: int = 0
    satfinite: bool = False
    stationary: bool = False
    collector: str = "discard"
    buffer: int = 0
    ashift: bool = False
    lanes: bool = False

    def text(self):
        t = self
        name = "mma" + "_bs" * bool(t.factor) + "_sp" * t.sparse
        out = [f"{t.m}x{t.n}x{t.k}", f"num_cta = {t.ctas}", f"ab_major = ({', '.join(t.majors)})", f"elem_type = ({t.a}, {t.b}, {t.d})"]
        out += [f"sf_type = {t.factor}"] if t.factor else []
        out += ["e_type = i8"] if t.sparse and not t.factor else []
        out += ["sparse_metadata_format = tid"] if t.sparse else []
        out += [f"frag_kind = {'ts' if t.tensor else 'ss'}"]
        if t.factor:
            out += [f"vec_size = {t.vector}"] + ([f"arch_promote = sm_{t.arch}"] if t.arch != 100 else [])
        else:
            out += [f"c_scale_exp = {t.exponent}"] + ["int_overflow = <satfinite>"] * t.satfinite + ["weight_stationary = true"] * t.stationary
        out += [f"collector = <{t.collector}>"] if t.collector != "discard" else []
        out += [f"collector_buffer = {t.buffer}"] if t.buffer else []
        out += ["ashift = true"] * t.ashift + ["lane_mask = true"] * t.lanes
        return f"!cute_nvgpu.sm100.{name}<{', '.join(out)}>"

    def fields(self):
        """Types of what make_atom takes after three bits."""
        return ([f"!cute.ptr<{self.factor}, tmem, align<1>>"] * 2 if self.factor else []) + (
            ["!cute.ptr<i8, tmem, align<1>>"] if self.sparse else []) + ([f"vector<{4 * self.ctas}xi32>"] if self.lanes else [])


def kind_of(t):
    """The kind with these elements and factors, or nothing: tables 39, 54 and 56."""
    if not t.factor:
        for kind, of_kind in ELEMENTS.items():
            if t.a in of_kind and t.b in of_kind and SUMS[t.d] in isa.KINDS[kind].results:
                # A and B of f16 are of one type, and sums of f16 are of f16 only.
                return kind if kind != "f16" or (t.a == t.b and (t.d != "f16" or t.a == "f16")) else None
        return None
    if t.d != "f32":
        return None
    dense, vector = t.k // (1 + t.sparse), t.vector // (1 + t.sparse)
    if t.a in ELEMENTS["f8f6f4"] and t.b in ELEMENTS["f8f6f4"] and FACTORS[t.factor] == "ue8m0" and (dense, vector) == (32, 32):
        return "mxf8f6f4"
    if t.a == t.b == "f4E2M1FN" and dense in (64, 96):
        if (vector, FACTORS[t.factor]) == (32, "ue8m0"):
            return "mxf4"
        return "mxf4nvf4" if vector == 16 else None
    return None


def allowed(t):
    """What the ISA's tables say of it: 39 (shapes), 49 to 52 (majors), 9.7.16.10.9 (syntax)."""
    kind = kind_of(t)
    if not kind or (t.tensor and t.majors[0] != "k"):
        return False
    long = t.k == 96
    if long and (t.sparse or t.n % 16):
        return False
    if not long and t.k != isa.KINDS[kind].k * (1 + t.sparse):
        return False
    if (t.m, t.n) not in isa.shapes(kind, t.ctas, t.stationary, t.sparse):
        return False
    for element, major in zip((t.a, t.b), t.majors):
        if major == "mn" and not any(transposed for transposed, _ in isa.majors(kind, NAMES[element])):
            return False
    if t.exponent and (kind not in ("f16", "tf32") or t.stationary):
        return False
    if t.satfinite and kind != "i8":
        return False
    if t.lanes and t.stationary:
        return False
    if t.buffer and not t.stationary:
        return False
    if t.ashift and (not t.tensor or t.stationary or t.collector in ("fill", "use") or t.m < 128):
        return False
    if t.ashift and t.sparse and t.ctas == 2 and t.m == 128:  # the syntax has it, but SM100 ends there: docs/blackwell.md
        return False
    return True


def targets(t):
    """Of sm_100a, 103a and 110a: 9.7.16.10.9, target notes."""
    kind, out = kind_of(t), ["sm_100a", "sm_103a", "sm_110a"]
    if kind == "i8":
        out.remove("sm_103a")
    if t.exponent:
        out.remove("sm_110a")
    return ["sm_103a"] if t.k == 96 else out


def drawn(random):
    pick = lambda options: options[int(random.integers(len(options)))]
    chance = lambda of: not random.integers(0, of)
    scaled, sparse, ctas = chance(3), chance(3), pick((1, 1, 2))
    kind = pick(list(ELEMENTS))
    of_kind = list(ELEMENTS["f8f6f4" if scaled else kind])
    a = "f4E2M1FN" if scaled and chance(2) else pick(of_kind)
    b = a if chance(2) else pick(of_kind)
    d = "f32" if scaled else pick([cute for cute, name in SUMS.items() if name in isa.KINDS[kind].results])
    tensor, stationary = chance(3), not scaled and chance(3)
    majors = tuple(pick(("k", "k", "mn")) for _ in "ab")
    if scaled:
        dense, vector, factor = pick(((32, 32, "f8E8M0FNU"), (64, 32, "f8E8M0FNU"), (64, 16, "f8E8M0FNU"), (64, 16, "f8E4M3FN"), (96, 32, "f8E8M0FNU"),
                                      (96, 16, "f8E4M3FN")))
        t = Type(pick((64, 128, 256)), pick(range(8, 257, 8)), dense * (1 + sparse), ctas, majors, a, b, d, tensor, sparse, factor,
                 vector * (1 + sparse), 103 if dense == 96 else 100)
    else:
        shapes = isa.shapes(kind, ctas, stationary, sparse) or [(128, 64)]
        m, n = pick(shapes) if not chance(4) else (pick((32, 64, 128, 256)), pick(range(8, 257, 8)))
        t = Type(m, n, isa.KINDS[kind].k * (1 + sparse), ctas, majors, a, b, d, tensor, sparse, exponent=int(random.integers(0, 16)) if chance(5) else 0,
                 satfinite=kind == "i8" and chance(2) or chance(30), stationary=stationary, lanes=not sparse and chance(5), ashift=tensor and chance(3),
                 buffer=int(random.integers(0, 4)) if stationary and chance(2) or chance(30) else 0)
    return t._replace(collector=pick(("discard", "fill", "use", "lastuse"))) if chance(2) else t


def refused(opt, folder, kinds):
    """The numbers of the types that tessera-opt refuses, with why."""
    file = folder / "types.mlir"
    file.write_text("\n// -----\n".join(f"func.func private @f{i}({t.text()})" for i, t in enumerate(kinds)) + "\n")
    said = subprocess.run([opt, file, "--split-input-file"], capture_output=True, text=True).stderr
    out = {}
    for line, why in re.findall(r":(\d+):\d+: error: (.*)", said):
        out.setdefault((int(line) - 1) // 2, why)  # a line each, and one between
    return out


def program(i, t):
    """A function with one call of an atom of the type."""
    more = t.fields()
    names = "".join(f", %x{j}" for j in range(len(more)))
    desc = '!cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1):(0)">'
    bits = isa.FORMATS[NAMES[t.a]].bits
    a = desc if not t.tensor else f'!cute.memref<{t.a}, tmem, "((128,16)):(({65536 * 32 // bits},1))">'
    acc = f'!cute.memref<{t.d}, tmem, "((128,{t.n})):((65536,1))">'
    arguments = "".join(f", %x{j}: {of}" for j, of in enumerate(more))
    return f"""func.func @f{i}(%i: i1, %d: {acc}, %a: {a}, %b: {desc}{arguments}) {{
  %f = arith.constant false
  %atom = cute.make_atom(%i, %f, %f{names}) : (i1, i1, i1{"".join(", " + of for of in more)}) -> {t.text()}
  cute.mma_atom_call(%atom, %d, %a, %b, %d) : ({t.text()}, {acc}, {a}, {desc}, {acc})
  return
}}
"""


def instructions(opt, folder, kinds):
    """The PTX of each type's product, with registers in place of operands."""
    file = folder / "calls.mlir"
    file.write_text("".join(program(i, t) for i, t in enumerate(kinds)))
    done = subprocess.run([opt, file, "--cute-expand-ops", "--convert-cute-to-llvm", "--convert-cute-nvgpu-to-nvvm", "--reconcile-unrealized-casts"],
                          capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"atom_types: valid types are not lowered: {done.stderr[:3000]}")
    out = []
    for body in re.split(r"llvm\.func @f\d+", done.stdout)[1:]:
        text, constraints = re.search(r'inline_asm has_side_effects "(\{[^"]*tcgen05\.mma[^"]*)", "([^"]*)"', body).groups()
        classes = constraints.split(",")
        out.append(re.sub(r"\$(\d+)", lambda m: f"%{'p' if classes[int(m[1])] == 'b' else 'r'}{m[1]}", text))
    return out


def assembled(ptxas, folder, target, texts):
    """What ptxas says of each, by its number."""
    head = f".version 9.0\n.target {target}\n.address_size 64\n"
    lines, owner = [head], {}
    for i, text in enumerate(texts):
        lines.append(f".visible .entry k{i}() {{ .reg .b32 %r<32>; .reg .pred %p<32>; {text} ret; }}\n")
        owner[4 + i] = i
    (folder / "k.ptx").write_text("".join(lines))
    said = subprocess.run([ptxas, "-O0", f"-arch={target}", folder / "k.ptx", "-o", folder / "k.cubin"], capture_output=True, text=True)
    out = {owner[int(line)]: why for line, why in re.findall(r"line (\d+); error\s*: (.*)", said.stdout + said.stderr)}
    if said.returncode and not out:
        raise SystemExit(f"atom_types: ptxas: {(said.stdout + said.stderr)[:2000]}")
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--count", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    opt, random = Path(asked.folder) / "tessera-opt", np.random.default_rng(asked.seed)
    kinds, wrong = [drawn(random) for _ in range(asked.count)], 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        said = refused(opt, folder, kinds)
        for i, t in enumerate(kinds):
            if (i in said) == allowed(t):
                wrong += 1
                print(f"{t.text()}: {'refused, ' + said[i] if i in said else 'taken, but the ISA has none'}")
        valid = [t for i, t in enumerate(kinds) if i not in said and allowed(t)]
        # B of bytes along N has N in steps, which the type does not say: table 50.
        valid = [t for t in valid if not (t.majors[1] == "mn" and isa.FORMATS[NAMES[t.b]].bits == 8 and t.n % (16 * t.ctas))]
        texts = instructions(opt, folder, valid)
        ptxas = shutil.which("ptxas") or shutil.which("ptxas", path="/usr/local/cuda/bin")
        for target in ("sm_100a", "sm_103a", "sm_110a") if ptxas else ():
            for group in (1, 2):  # a module has one
                mine = [i for i, t in enumerate(valid) if t.ctas == group]
                faults = assembled(ptxas, folder, target, [texts[i] for i in mine])
                for j, i in enumerate(mine):
                    takes, has = j not in faults, target in targets(valid[i])
                    if takes != has and not (takes and valid[i].k == 96):  # which is in the instruction descriptor
                        wrong += 1
                        print(f"{valid[i].text()}: ptxas for {target} {'takes' if takes else 'refuses'} {texts[i]}: {faults.get(j, '')}")
    print(f"{len(kinds)} types, {len(valid)} of them valid and {'assembled' if ptxas else 'lowered'}, {wrong} wrong")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
