#!/usr/bin/env python3
"""Runs NVIDIA's public tests of the `cute` dialect, unchanged: conformance.py BIN [FOLDER]

BIN has tessera-opt. FOLDER (default: $TESSERA_CONFORMANCE) has Dialect/Cute and host/cpu, as NVIDIA's cutlass_compiler
has them. Without it nothing is run, and the exit status is 77.

All must pass: files of the dialect through the commands of their RUN lines, host programs by what they print.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import re
import subprocess
import sys
import tempfile

LLVM = os.environ.get("LLVM_BIN") or subprocess.run(["llvm-config-22", "--bindir"], capture_output=True, text=True).stdout.strip()


def run(command, text=None, **more):
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=120, **more)
    return done.returncode, done.stdout, done.stderr


def first_error(text):
    found = [line for line in text.splitlines() if "error" in line]
    return (found or text.splitlines() or ["no message"])[0][:300]


def filecheck(path, output):
    code, _, error = run([f"{LLVM}/FileCheck", path], output)
    return None if code == 0 else first_error(error)


def dialect(opt, path):
    """Why the file does not pass, or nothing."""
    lines = re.findall(r"// RUN: (.*)", open(path).read())
    for line in lines:
        if "-verify-diagnostics" in line:
            code, _, error = run([opt, "--split-input-file", "--verify-diagnostics", path])
            if code:
                return first_error(error)
            continue
        split = ["--split-input-file"] if "split-input-file" in line else []
        generic = ["--mlir-print-op-generic"] if "print-op-generic" in line else []
        code, output, error = run([opt, *split, *generic, path])
        if code == 0 and line.count("cute-opt") == 2:
            code, output, error = run([opt], output)
        if code:
            return first_error(error)
        if problem := filecheck(path, output):
            return problem
    return None if lines else "no RUN line"


def host(opt, path):
    code, lowered, error = run([opt, "--tessera-lower", path])
    if code:
        return first_error(error)
    lib = os.path.join(os.path.dirname(LLVM), "lib")
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as f:
        f.write(lowered)
        f.flush()
        # `RUN: env NAME=VALUE ...`: the program reads it, and passes a null pointer on where it is not set.
        env = dict(os.environ, **dict(re.findall(r"^// RUN: env (\w+)=(\S*)", open(path).read(), re.M)))
        code, output, error = run([f"{LLVM}/mlir-runner", f.name, "-e", "main", "--entry-point-result=void",
                                   f"--shared-libs={lib}/libmlir_c_runner_utils.so,{lib}/libmlir_runner_utils.so"], env=env)
    return first_error(error) if code else filecheck(path, output)


def main():
    folder = sys.argv[2] if len(sys.argv) > 2 else os.environ.get("TESSERA_CONFORMANCE")
    if not folder:
        print("TESSERA_CONFORMANCE is not set: the public dialect's tests were not run")
        return 77
    opt = os.path.join(sys.argv[1], "tessera-opt")
    passed = failed = 0
    for part, check in (("Dialect", dialect), ("host", host)):
        for root, _, files in sorted(os.walk(os.path.join(folder, part))):
            for name in sorted(f for f in files if f.endswith(".mlir")):
                path = os.path.join(root, name)
                problem = check(opt, path)
                passed += not problem
                failed += bool(problem)
                if problem:
                    print(f"{os.path.relpath(path, folder)}: {problem}")
    print(f"{passed} files pass, {failed} do not")
    return bool(failed) or passed == 0


if __name__ == "__main__":
    sys.exit(main())
