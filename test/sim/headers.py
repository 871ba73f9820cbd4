#!/usr/bin/env python3
"""Reads every inline assembly of CUDA's headers with the simulator: headers.py LIBRARY [HEADERS...]

LIBRARY is libtessera-sim-c.so. Each `asm("..." : outputs : inputs)` whose text is literal becomes a kernel of its own, with registers of the types
that its constraints name. What macros put together is read from the text that nvcc's preprocessor makes of INCLUDES, where it is. It has to be read, or refused as an instruction that is missing with a reason. What is refused otherwise is shown to ptxas, where
it is: what no target takes is not ours to take. Exit code 1: something is refused that ptxas takes; 77: there are no headers.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import collections
import ctypes
import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

TYPES = {"r": "b32", "l": "b64", "h": "b16", "f": "f32", "d": "f64", "q": "b128", "C": "b64"}
TARGETS = ("sm_100a", "sm_90a", "sm_120a", "sm_103a")
NUMBERS = ("16", "0")  # for constants of the compiler
STRING = r'(?:R"([^(\s]*)\((?:.|\n)*?\)\1"|"(?:[^"\\\n]|\\.)*")'
INCLUDES = """cuda_fp16.h cuda_bf16.h cuda_fp8.h cuda_fp6.h cuda_fp4.h mma.h cooperative_groups.h cooperative_groups/reduce.h cooperative_groups/scan.h
cooperative_groups/memcpy_async.h cuda_pipeline.h cuda_awbarrier.h cuda/barrier cuda/pipeline cuda/atomic cuda/ptx cuda/annotated_ptr cub/cub.cuh
curand_kernel.h""".split()
ARCHITECTURES = (("700", ""), ("900", "SM90"), ("1000", "SM100"), ("1200", "SM120"))
CONSTRAINT = re.compile(r'(?:\[\w+\]\s*)?"([^"]*)"')


def balanced(text, at):
    """The text up to the parenthesis that closes the one before `at`."""
    depth, i = 1, at
    while i < len(text) and depth:
        literal = re.compile(STRING).match(text, i)
        if literal:
            i = literal.end()
            continue
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        i += 1
    return text[at : i - 1]


def pieces(inside, separator):
    """The parts between separators that are in no parentheses and strings."""
    out, depth, i, last = [], 0, 0, 0
    while i < len(inside):
        literal = re.compile(STRING).match(inside, i)
        if literal:
            i = literal.end()
            continue
        c = inside[i]
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(c, 0)
        if c == separator and depth == 0:
            out.append(inside[last:i])
            last = i + 1
        i += 1
    return out + [inside[last:]]


def literal_of(code):
    """The text of adjacent literals; None where something else stands between them."""
    strings = [m[0] for m in re.finditer(STRING, code)]
    if re.sub(STRING, "", code).strip() or not strings:
        return None
    raw = re.compile(r'R"([^(\s]*)\(((?:.|\n)*)\)\1"')
    return "".join(raw.fullmatch(s)[2] if s[0] == "R" else s[1:-1].replace("\\n", "\n").replace("\\t", "\t").replace('\\"', '"').replace("\\\\", "\\") for s in strings)


def without_comments(text):
    return re.sub(STRING + r"|/\*(?:.|\n)*?\*/|//[^\n]*", lambda m: m[0] if m[0][0] in 'R"' else "", text).replace("\\\n", "\n")


def expanded(nvcc, architecture, feature):
    """What the preprocessor makes of INCLUDES; without those that this CUDA does not have."""
    text = "".join(f"#if __has_include(<{i}>)\n#include <{i}>\n#endif\n" for i in INCLUDES)
    with tempfile.NamedTemporaryFile("w", suffix=".cu") as file:
        file.write(text)
        file.flush()
        flags = [f"-D__CUDA_ARCH__={architecture}"] + ([f"-D__CUDA_ARCH_FEAT_{feature}_ALL"] if feature else [])
        return re.sub(r"(?m)^#.*$", "", subprocess.run([nvcc, "-std=c++17", "-E", *flags, file.name], capture_output=True, text=True).stdout)


def assemblies(text):
    for match in re.finditer(r"\b(?:asm|__asm__|__asm)\s*(?:volatile|__volatile__)?\s*\(", text):
        parts = pieces(balanced(text, match.end()), ":")
        if len(parts) == 1 and re.fullmatch(r"\w+", literal_of(parts[0]) or ""):
            continue  # the name of a symbol
        operands = [o.strip() for part in parts[1:3] for o in pieces(part, ",") if o.strip()]
        # What is spelled by a macro is the constraint of a pointer (__LDG_PTR, _CG_ASM_PTR_CONSTRAINT).
        constraints = [CONSTRAINT.match(o) for o in operands]
        yield literal_of(parts[0]), [c[1].strip("=+&") if c else "l" for c in constraints]


def kernel(code, operands, target, number):
    registers, out = [], code
    for i, constraint in enumerate(operands):
        kind = constraint.strip()[-1:] if constraint.strip() else "r"
        if kind in "nik":
            name = number
        else:
            name = f"$op{i}"
            registers.append(f".reg .{TYPES.get(kind, 'b32')} {name};")
        out = re.sub(rf"%{i}(?![0-9])", lambda _: name, out)
    out = out.replace("%%", "%").replace("%{", "{").replace("%}", "}").replace("%|", "|")
    return ".version 9.0\n.target %s\n.address_size 64\n.visible .entry k() {\n%s\n{\n%s\n}\nret;\n}\n" % (target, "\n".join(registers), out)


class Reader:
    def __init__(self, library):
        self.lib = ctypes.CDLL(library)
        self.lib.tesseraSimProgramParse.restype = ctypes.c_void_p
        self.lib.tesseraSimProgramParse.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.POINTER(ctypes.c_void_p)]
        for name in ("Id", "Text"):
            function = getattr(self.lib, "tesseraSimError" + name)
            function.restype, function.argtypes = ctypes.c_char_p, [ctypes.c_void_p]
        self.lib.tesseraSimProgramDestroy.argtypes = [ctypes.c_void_p]

    def refusal(self, text):
        """(id, sentence), or None."""
        error, data = ctypes.c_void_p(), text.encode()
        program = self.lib.tesseraSimProgramParse(data, len(data), ctypes.byref(error))
        if program:
            self.lib.tesseraSimProgramDestroy(program)
            return None
        return self.lib.tesseraSimErrorId(error).decode(), self.lib.tesseraSimErrorText(error).decode()


def ptxas_takes(ptxas, code, operands):
    for target, number in itertools.product(TARGETS, NUMBERS):
        with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
            file.write(kernel(code, operands, target, number))
            file.flush()
            if subprocess.run([ptxas, f"-arch={target}", file.name, "-o", "/dev/null"], capture_output=True).returncode == 0:
                return True
    return False


def main():
    library, *folders = sys.argv[1:]
    folders = [Path(f) for f in folders] or [Path(os.environ.get("CUDA_HOME", "/usr/local/cuda")) / "include"]
    if not any(f.exists() for f in folders):
        print("headers: there are no headers of CUDA")
        return 77
    ptxas = shutil.which("ptxas") or shutil.which("/usr/local/cuda/bin/ptxas")
    reader, counts, refused = Reader(library), collections.Counter(), {}
    seen, texts = set(), []
    for folder in folders:
        for path in sorted(p for p in folder.rglob("*") if p.is_file() and p.suffix in (".h", ".hpp", ".cuh", ".inl", "")):
            if b"asm" not in path.read_bytes():
                continue
            texts.append((path, without_comments(path.read_text(errors="replace"))))
    nvcc = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
    if nvcc and len(sys.argv) == 2:
        texts += [(f"preprocessed for {a}", expanded(nvcc, a, feature)) for a, feature in ARCHITECTURES]
    for path, text in texts:
        for code, operands in assemblies(text):
            key = (code, tuple(operands))
            if code is None:
                counts["made by macros, read where nvcc is"] += 1
            elif key not in seen:
                seen.add(key)
                tried = [reader.refusal(kernel(code, operands, "sm_100a", number)) for number in NUMBERS]
                why = all(tried) and tried[0]
                if why and why[0] != "MissingInstruction" and (not ptxas or ptxas_takes(ptxas, code, operands)):
                    refused[key] = (path, why)
                counts["read" if not why else "missing with a reason" if why[0] == "MissingInstruction" else "refused" if key in refused else "refused, as by ptxas"] += 1
    for (code, _), (path, (name, text)) in refused.items():
        print(f"{path}: {name}: {text.splitlines()[0][:200]}\n    {' '.join(code.split())[:200]}")
    print(", ".join(f"{n} {what}" for what, n in counts.most_common()))
    return len(refused) > 0


if __name__ == "__main__":
    sys.exit(main())
