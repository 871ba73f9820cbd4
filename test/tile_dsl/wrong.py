#!/usr/bin/env python3
"""Compiles the wrong kernels of Wrong.cpp: each is refused, at its line, with its sentence; what a right file costs. A half of the cases,
another each day (utils/turn.py).

wrong.py COMPILER SOURCE [FLAGS...]
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import re
import resource
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parents[1] / "utils"))
import turn


def compile(compiler, flags, case, only_syntax=True):
    command = [compiler, "-std=c++20", "-O1", f"-DCASE={case}", f"-I{HERE.parent.parent}", *flags,
               *(["-fsyntax-only"] if only_syntax else ["-c", "-o", "/dev/null"]), str(HERE / "Wrong.cpp")]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    compiler, flags = sys.argv[1], sys.argv[2:]
    text = (HERE / "Wrong.cpp").read_text()
    cases = [(int(n), sentence.strip()) for n, sentence in re.findall(r"CASE == (\d+)\n\s*// expects: (.*)", text)]
    lines = {int(n): text[:m.start()].count("\n") + 1 for m in re.finditer(r"CASE == (\d+)", text) for n in [m[1]]}
    faults = 0
    # What a compiler may say of one mistake: the sentence, and the notes that lead to the author's line.
    most = 50
    if [n for n, _ in cases] != list(range(1, len(cases) + 1)):
        print("wrong.py: cases are not numbered 1, 2, ...")
        faults += 1
    for case, sentence in turn.share(cases, 2):
        done, _ = compile(compiler, flags, case)
        said = done.stderr
        # The message, and the author's line among the notes that lead to it.
        near = any(f"Wrong.cpp:{lines[case] + n}:" in said for n in (2, 3))
        if done.returncode == 0 or sentence not in " ".join(said.split()) or not near or said.count("\n") > most:
            faults += 1
            print(f"case {case}: expects a refusal at line {lines[case] + 2} of at most {most} lines, but got {said.count(chr(10))}: "
                  f"{sentence}\n{said[:1500]}")
    for more in ([], ["-fno-rtti", "-fno-exceptions"], ["-Wall", "-Wextra", "-Werror"]):
        done, seconds = compile(compiler, flags + more, 0, only_syntax=False)
        if done.returncode:
            faults += 1
            print(f"case 0 with {more}: expects to compile\n{done.stderr[:1500]}")
    print(f"{len(cases)} wrong kernels, {faults} faults; a file with a kernel takes {seconds:.2f} s of processor time, aimed at 2")
    sys.exit(faults != 0)


if __name__ == "__main__":
    main()
