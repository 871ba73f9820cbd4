#!/usr/bin/env python3
"""CUTLASS's tutorials of CuTe, compiled by nvcc and run on the stand-in for the driver: tutorials.py LIBRARIES FOLDER COPIES [NAME...]

TESSERA_CUTLASS names CUTLASS (test/cutlass.py). A tutorial is compiled as it is and runs plainly and with TESSERA_CHECK=1. What it computes is looked at
from outside: COPIES, preloaded, writes down what it copies to the GPU and back (Copies.cpp), and the product that it brought is compared with one
of doubles. A sample is run; with TESSERA_LONG=1 all of them. Exit code 77: there is no nvcc of CUDA 13, or no CUTLASS.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

from programs import nvcc_13, run

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import cutlass  # noqa: E402: it serves other rooms too


class Tutorial(NamedTuple):
    target: str
    gpu: str
    runs: tuple  # arguments; none: it knows its sizes
    prints: str
    inputs: str = ""  # the type of A and B, if it is a product
    output: str = ""
    finding: str = ""  # the rule of the fault that the sanitizer finds in its text
    sample: bool = False


# More than one tile of each mode. Most of them launch their kernel 101 times, so the sizes are small.
PLAIN = ("128 256 40 N T", "256 128 24 T N")
DEEP = ("128 256 192 N T", "256 128 192 T N")
TIMED, RIGHT = r"^CUTE_GEMM: +\[ *[0-9.]+\]GFlop/s", r"^Execution is successful\.$"
TUTORIALS = {
    "tiled_copy": Tutorial("sm_80", "a100", ("",), r"^Success\.$"),
    "tiled_copy_if": Tutorial("sm_80", "a100", ("",), r"^Success\.\nSuccess\.$"),
    "sgemm_1": Tutorial("sm_80", "a100", PLAIN, TIMED, "f4", "f4"),
    "sgemm_2": Tutorial("sm_80", "a100", PLAIN, TIMED, "f4", "f4"),
    "sgemm_sm70": Tutorial("sm_75", "t4", PLAIN, TIMED, "f4", "f4"),  # CUDA 13 compiles for nothing older
    "sgemm_sm80": Tutorial("sm_80", "a100", ("256 128 128 T N",), TIMED, "f2", "f2", sample=True),  # of f16 it has T N only
    # Threads wait for their own cp.async, and the tensor core reads those of all.
    "hopper/wgmma_sm90": Tutorial("sm_90a", "h100", DEEP, TIMED, "f2", "f2", "Race", sample=True),
    # Mbarriers are made without a fence for the asynchronous proxy, here and in those below that copy by TMA.
    "hopper/wgmma_tma_sm90": Tutorial("sm_90a", "h100", ("256 128 192 N T", "256 128 192 T N"), TIMED, "f2", "f2", "MbarrierFence"),
    # Threads write the operands, which the tensor core reads by the asynchronous proxy.
    "blackwell/01_mma_sm100": Tutorial("sm_100a", "b200", ("256 512 128",), RIGHT, "f2", "f4", "ProxyFence"),
    "blackwell/02_mma_tma_sm100": Tutorial("sm_100a", "b200", ("256 512 128",), RIGHT, "f2", "f4", "MbarrierFence"),
    "blackwell/03_mma_tma_multicast_sm100": Tutorial("sm_100a", "b200", ("512 1024 64",), RIGHT, "f2", "f4", "MbarrierFence"),
    "blackwell/04_mma_tma_2sm_sm100": Tutorial("sm_100a", "b200", ("512 1024 64",), RIGHT, "f2", "f4", "MbarrierFence"),
    "blackwell/05_mma_tma_epi_sm100": Tutorial("sm_100a", "b200", ("512 1024 64",), RIGHT, "f2", "f4", "MbarrierFence", sample=True),
}


def compile_tutorial(nvcc, home, source, target, out):
    """What is wrong. A program that is newer than its source stays."""
    if out.exists() and out.stat().st_mtime > source.stat().st_mtime:
        return None
    includes = [f"-I{home / folder}" for folder in ("include", "tools/util/include", "examples/cute/tutorial/blackwell")]
    virtual = target.replace("sm_", "compute_")  # PTX alone is quicker to make
    flags = ["-std=c++17", "-gencode", f"arch={virtual},code={virtual}", "-cudart=shared", "-lineinfo", "--expt-relaxed-constexpr"]
    done = subprocess.run([nvcc, *flags, *includes, source, "-o", out], capture_output=True, text=True)
    return None if done.returncode == 0 else f"nvcc: {(done.stdout + done.stderr)[-2000:]}"


def problem_of_product(folder, tutorial, arguments):
    """What is wrong with the product that came back. Operands lie along K or along M and N; what the letters of BLAS say, or without them along K."""
    m, n, k = (int(word) for word in arguments[:3])
    a_letter, b_letter = arguments[3:5] or "TN"

    def copied(name, element, rows, columns):
        data = np.fromfile(folder / name, f"<{element}")
        return data.astype(float).reshape(rows, columns) if data.size == rows * columns else None

    a = copied("to-0", tutorial.inputs, *((m, k) if a_letter == "T" else (k, m)))
    b = copied("to-1", tutorial.inputs, *((n, k) if b_letter == "N" else (k, n)))
    c = copied("from-0", tutorial.output, *((n, m) if arguments[3:] else (m, n)))
    if a is None or b is None or c is None:
        return "it copied no two matrices to the GPU and one back, of the sizes asked for"
    a, b, c = a if a_letter == "T" else a.T, b if b_letter == "N" else b.T, c.T if arguments[3:] else c
    # Each of k sums rounds to the result's type; whole numbers (all but the inputs of sgemm_*) are exact.
    exact = np.array_equal(a, np.round(a)) and np.array_equal(b, np.round(b))
    bound = 0 if exact else k * np.finfo(tutorial.output).eps * (np.abs(a) @ np.abs(b).T)
    wrong = ~(np.abs(c - a @ b.T) <= bound)
    if not wrong.any():
        return None
    row, column = np.argwhere(wrong)[0]
    return f"{wrong.sum()} of {m * n} elements are wrong, the first at ({row}, {column}): {c[row, column]}, expected {(a @ b.T)[row, column]}"


def problem_of_reports(path, finding, done):
    """What is wrong with the sanitizer's reports: none, or at least one and all of them the finding."""
    rules = [report["rule"] for report in json.loads(path.read_text())["reports"]]
    if not finding:
        return f"reports of a program without a fault: {done.stderr[-1500:]}" if rules else None
    return None if set(rules) == {finding} else f"expected reports of {finding} alone, but there are those of {set(rules)}: {done.stderr[-1500:]}"


def problem_of(program, libraries, copies, tutorial, arguments, checked):
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work)
        environment = {"TESSERA_GPU": tutorial.gpu, "LD_PRELOAD": str(copies), "TEST_COPIES": work}
        if checked:
            environment |= {"TESSERA_CHECK": "1", "TESSERA_JSON": f"{work}/reports.json"}
        done = run(program, libraries, environment, arguments)
        if done.returncode != (5 if checked and tutorial.finding else 0) or not re.search(tutorial.prints, done.stdout, re.M):
            return f"exit code {done.returncode}, printed {done.stdout[-500:]}\n{done.stderr[-1500:]}"
        if tutorial.inputs and (problem := problem_of_product(folder, tutorial, arguments)):
            return problem
        return problem_of_reports(folder / "reports.json", tutorial.finding, done) if checked else None


def main():
    libraries, folder, copies, *names = sys.argv[1:]
    folder = Path(folder) / "tutorials"
    nvcc, home = nvcc_13(), cutlass.checkout(folder)
    if not nvcc or not home:
        print("cuda-tutorials: there is no nvcc of CUDA 13, or TESSERA_CUTLASS names no CUTLASS, so its tutorials are not run")
        return 77
    folder.mkdir(parents=True, exist_ok=True)
    long, failed = os.environ.get("TESSERA_LONG") == "1", 0
    for name in names or [name for name, tutorial in TUTORIALS.items() if long or tutorial.sample]:
        tutorial = TUTORIALS[name]
        source, program = home / f"examples/cute/tutorial/{name}.cu", folder / Path(name).name
        broken = compile_tutorial(nvcc, home, source, tutorial.target, program)
        for line in tutorial.runs if long else tutorial.runs[:1]:
            for checked in (False, True):
                problem = broken or problem_of(program, libraries, copies, tutorial, line.split(), checked)
                failed += problem is not None
                print(f"{'FAILED' if problem else 'ok    '} {name} {line}" + (", checked" if checked else "") + (f": {problem}" if problem else ""), flush=True)
    print(f"{failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
