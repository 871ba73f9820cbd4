#!/usr/bin/env python3
"""How many missing synchronisations the sanitizer finds: mutants.py TESSERA [--expect SHARE] [--all] [--only WORD] [--jobs N]

Takes correct kernels, deletes or weakens each instruction that synchronises in turn, and runs every mutant under the sanitizer.
A half of the kernels is taken, another each day (utils/turn.py); with --all or --only all of them. The originals must have no report, and no signal ends a run. Of the mutants that are bugs at least SHARE must end with a report or an error; numbers that
are wrong without one are not enough. Mutants that are not bugs, and why, are in HARMLESS. --all, or TESSERA_LONG in the environment:
many more kernels, with those of the corpus if TESSERA_CORPUS names it.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).parents[2] / "utils"))
import turn
from mutations import mutants_of
from mutants_harmless import HARMLESS, Among

RUN_LIMITS = ["--sanitize", "--max-instructions", "20000000", "--max-reports", "3"]


class Case:
    """A kernel: its PTX, and the commands that run a file of PTX in its place, each with a shape of its own."""

    def __init__(self, name, ptx, *commands):
        self.name, self.ptx, self.commands = name, Path(ptx).read_text(), commands

    def run(self, text, file):
        """The exit code and the first line of the first command that fails, or of the last one."""
        Path(file).write_text(text)
        for command in self.commands:
            code, how = self.run_shape(command, file)
            if code:
                break
        return code, how

    def run_shape(self, command, file):
        try:
            result = subprocess.run(command + [str(file)], capture_output=True, text=True, timeout=300)
        except subprocess.TimeoutExpired:
            return 5, "no end in 300 s"
        lines = [line for line in (result.stderr or result.stdout).strip().split("\n") if "note: compiling" not in line]
        return result.returncode, lines[0] if lines else ""


class Kernels:
    def __init__(self, tessera, work):
        self.tessera, self.work, self.count = tessera, Path(work), 0
        self.rng = np.random.default_rng(1)

    def file(self, suffix):
        self.count += 1
        return str(self.work / f"{self.count}{suffix}")

    def array(self, *shape, dtype=np.float16):
        file = self.file(".npy")
        np.save(file, self.rng.integers(-2, 3, shape).astype(dtype))
        return file

    def compiled(self, name, mlir, *shapes, arch="sm_90a"):
        """A host function of a file, with the --arg of each shape."""
        ptx = self.file(".ptx")
        subprocess.run([self.tessera, "compile", mlir, "--arch", arch, "--emit", "ptx", "--no-cache", "-o", ptx],
                       check=True, capture_output=True)
        return Case(name, ptx, *([self.tessera, "run", mlir, "--device", "sim", "--arch", arch, "--cache-dir", str(self.work / "cache"),
                                  "--timeout", "250", *(x for a in arguments for x in ("--arg", a)), *RUN_LIMITS, "--ptx"]
                                 for arguments in shapes))

    def generated(self, what, options, *shapes):
        mlir = self.file(".mlir")
        subprocess.run([self.tessera, "generate", what, *options.split(), "-o", mlir], check=True)
        return self.compiled(f"{what} {options}", mlir, *shapes, arch=(re.findall(r"--arch (\S+)", options) or ["sm_90a"])[0])

    def gemm(self, options, m, n, k, *more, batches=None):
        words = dict(zip(options.split()[::2], options.split()[1::2]))
        ab, d = words["--ab"], words["--d"]
        many = (batches,) if batches else ()
        bits = np.uint8 if ab.startswith("f8") else np.uint16
        a, b = (f"{ab}:{self.array(*shape, dtype=np.int8 if bits is np.uint8 else np.float16)}" for shape in ((*many, m, k), (*many, n, k)))
        return self.generated("gemm", options, [a, b, f"out:{d}:{'x'.join(map(str, (*many, m, n)))}", *more])

    def attention(self, options, *shapes, scale=0.1):
        """Shapes: queries, keys, heads."""
        dim = 64 if "--head-dim 64" in options else 128
        def arguments(queries, keys, heads):
            return [*(self.array(1, n, heads, dim) for n in (queries, keys, keys)), f"out:f16:1x{queries}x{heads}x{dim}", f"f32:{scale}"]
        return self.generated("attention", f"--element f16 {options}", *(arguments(*shape) for shape in shapes))

    def quick(self):
        yield self.gemm("--ab f16 --d f16 --sms 1", 384, 256, 384)  # one block for all tiles: every stage is used again
        yield self.gemm("--ab bf16 --d bf16 --cluster 2 --sms 2", 512, 512, 384)
        # One block for all tiles. Four steps use each stage twice in a tile; only after a tile of two steps no other wait tells that the
        # first stage of K is free.
        yield self.attention("--causal --sms 1", (300, 500, 1), (300, 300, 1))
        yield self.gemm("--arch sm_80 --ab f16 --d f16 --tile-m 64 --tile-n 64 --stages 3", 72, 72, 232)  # copies after the last tile go to where sums come
        yield self.gemm("--arch sm_75 --ab f16 --d f16 --tile-m 64 --tile-n 64 --stages 2", 72, 72, 200)
        yield self.compiled("examples/gemm.mlir", str(Path(__file__).parents[2] / "examples/gemm.mlir"), self.plain_gemm(), arch="sm_80")
        yield from self.of_tensor_memory()

    def of_tensor_memory(self):
        """Kernels of tcgen05: GEMMs by one block, by a pair and with scale factors, and a product of products; several tiles, more steps
        than stages. Maps have 128 bytes of K in a box."""
        steps = 5
        def case(name, blocks, kind, a, b, out, counts, *more):
            dtype, width = (np.uint8, 128) if kind == "u8" else (np.float16, 64)
            files = [f"@{self.array(*shape, dtype=dtype)}" for shape in (a, b)]
            arguments = [f"tmap:{kind}:{k}x{rows}::{width}x{box}:128B{file}" for (rows, k), box, file in zip((a, b), (128, 32), files)]
            arguments += [f"ptr=out:f32:{out[0]}x{out[1]}", *(f"i32:{count}" for count in counts), *more]
            return Case(name, Path(__file__).parent / f"kernels/{name}.ptx",
                        [self.tessera, "sim", "--block", "192", "--grid", str(blocks), "--cluster", str(blocks),
                         *(x for each in arguments for x in ("--arg", each)), *RUN_LIMITS])
        yield case("tcgen05_gemm", 1, "f16", (384, 320), (32, 320), (384, 32), (3, steps))
        yield case("tcgen05_pair", 2, "f16", (768, 320), (64, 320), (768, 64), (3, steps))
        yield case("tcgen05_chain", 1, "f16", (128, 64), (32 * steps, 64), (128, 32), (steps,))
        yield case("tcgen05_scaled", 1, "u8", (256, 640), (32, 640), (256, 32), (2, steps), f"ptr={self.array(5120, dtype=np.uint8)}",
                   f"ptr={self.array(2560, dtype=np.uint8)}")

    def plain_gemm(self):
        m, n, k = 130, 129, 96
        return [f"rand:f16:{m}x{k}", f"rand:f16:{n}x{k}", f"out:f16:{m}x{n}"]

    def more(self):
        yield self.gemm("--ab f16 --d f16 --cluster 4 --tile-n 64 --sms 4", 1024, 128, 384)
        yield self.gemm("--ab f16 --d f32 --split-k 2 --sms 4", 256, 512, 1024, "out:f32:262144", "zeros:i32:16")
        yield self.gemm("--ab f8E4M3FN --d bf16 --tile-n 128 --sms 1", 256, 256, 768)
        yield self.gemm("--ab bf16 --d f32 --major mk --tile-n 128 --stages 2 --sms 1", 256, 256, 256)
        yield self.gemm("--ab f16 --d f16 --arch sm_100a --tile-n 64 --stages 3 --sms 1", 384, 128, 384)
        yield self.gemm("--ab f16 --d f32 --arch sm_100a --tile-n 64 --stages 2 --sms 2 --pair", 512, 128, 320)
        yield self.gemm("--ab f8E4M3FN --d f32 --arch sm_100a --tile-n 128 --stages 2 --sms 2 --block-scales --pair", 1024, 128, 640,
                        *(f"i32:{self.array(rows, 640, dtype=np.int32)}" for rows in (8, 1)))
        yield self.gemm("--ab f16 --d f16 --arch sm_100a --tile-n 64 --stages 3 --sms 1 --groups batches", 256, 128, 320, batches=2)
        # Scores that grow so much from step to step that sums are scaled down.
        yield self.attention("--arch sm_100a --head-dim 64 --causal --tile-n 64", (300, 500, 1), scale=1.0)
        yield self.attention("--arch sm_100a --head-dim 64 --consumers 1 --stages 1", (130, 500, 1), scale=1.0)
        yield self.attention("--head-dim 64 --sms 1", (200, 500, 1), (500, 250, 1))
        yield self.attention("--head-dim 64 --causal --consumers 2 --tile-n 48 --stages 3 --sms 1", (150, 400, 1), (200, 200, 2))
        yield from self.of_nvcc()
        if corpus := os.environ.get("TESSERA_CORPUS"):
            yield from self.of_corpus(Path(corpus))

    def of_corpus(self, corpus):
        def file(name):
            return str(corpus / name / "input.mlir")
        yield self.compiled("hopper_dense_gemm", file("hopper_dense_gemm"),
                            [self.array(256, 1280, 1), self.array(256, 1280, 1), "out:f16:256x256x1"])
        yield self.compiled("ampere_tensorop_gemm", file("ampere_tensorop_gemm"),
                            ["rand:f16:256x256x1:stride=1,256,65536", "rand:f16:256x256x1:stride=1,256,65536", "out:f16:256x256x1"])
        yield self.compiled("ampere_flash_attention_v2", file("ampere_flash_attention_v2"),
                            [f"rand:bf16:1x{n}x2x128" for n in (256, 256, 256)] + ["out:bf16:1x256x2x128", "f32:0.1"])

    def of_nvcc(self):
        tool = Path(self.tessera).parent / "tessera-nvcc-run"
        folder = Path(__file__).parent / "nvcc"
        for name in subprocess.run([tool], capture_output=True, text=True, check=True).stdout.split():
            yield Case(f"nvcc {name}", folder / f"{name}.ptx", [str(tool), name])


def harmless(case, mutant):
    for kernel, mutation, place, why in HARMLESS:
        where = mutant.among if isinstance(place, Among) else mutant.around
        if re.search(kernel, case.name) and re.fullmatch(mutation, mutant.how) and re.search(place, where):
            return why
    return None


def examine(case, work, jobs):
    """Runs a kernel and its mutants; returns (found, bugs, all), or nothing if the original has a report or a signal ends a run."""
    code, how = case.run(case.ptx, Path(work) / "original.ptx")
    if code:
        print(f"{case.name}: the original ends with exit code {code}: {how}")
        return None
    mutants = mutants_of(case.ptx)
    with ThreadPoolExecutor(jobs) as pool:
        results = list(pool.map(lambda im: case.run(im[1].text, Path(work) / f"mutant{im[0]}.ptx"), enumerate(mutants)))
    found = bugs = 0
    for mutant, (code, how) in zip(mutants, results):
        if code < 0:
            print(f"  ENDED BY SIGNAL {-code}: line {mutant.line}: {mutant.how}: {mutant.context}: {how[:200]}")
            return None
        why = harmless(case, mutant)
        bugs += not why
        found += not why and code == 5
        word = f"NO BUG, BUT A REPORT ({why})" if why and code else f"no bug ({why})" if why else \
            {5: "found", 2: "REFUSED", 1: "WRONG NUMBERS ONLY"}.get(code, "MISSED")
        if "--verbose" in sys.argv or bool(why) == bool(code) or (code and code != 5):
            print(f"  {word}: line {mutant.line}: {mutant.how}: {mutant.context}: {how[:200]}")
    print(f"{case.name}: {found} of {bugs} found, {len(mutants) - bugs} no bugs", flush=True)
    return found, bugs, len(mutants)


def main():
    def option(name, default):
        return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else default
    share, jobs, only = float(option("--expect", 0)), int(option("--jobs", 1)), option("--only", "")
    totals, clean = [0, 0, 0], True
    with tempfile.TemporaryDirectory() as work:
        kernels = Kernels(sys.argv[1], work)
        sources = [kernels.quick()] + ([kernels.more()] if "--all" in sys.argv or os.environ.get("TESSERA_LONG") else [])
        cases = [case for source in sources for case in source if only in case.name]
        for case in cases if only or "--all" in sys.argv else turn.share(cases, 2):
            counts = examine(case, work, jobs)
            clean &= counts is not None
            totals = [a + b for a, b in zip(totals, counts or (0, 0, 0))]
    found, bugs, count = totals
    print(f"{count} mutants, {bugs} of them bugs: {found} found ({found / max(bugs, 1):.1%}); "
          f"{'no' if clean else 'SOME'} report on an original, or end by a signal")
    return 0 if clean and found >= share * bugs else 1


if __name__ == "__main__":
    sys.exit(main())
