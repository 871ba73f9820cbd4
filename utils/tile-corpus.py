#!/usr/bin/env python3
"""What our tools make of recorded tile programs: a table of how many pass each step, and how long a step takes.

    tile-corpus.py BIN [CUTILE] [--sample N] [--jobs N]

BIN has cuda-tile-opt and cuda-tile-translate. CUTILE has archives of *.tilebc; without it, $TESSERA_CUTILE. The steps: read bytecode, verify and
print; parse that and print it again, the same text; write it as bytecode of its version; read that, the same text. A line for each program that
fails a step, with what the tool said. Exits with 1 if there is one, with 77 where there is no folder.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse
import collections
import concurrent.futures
import os
import pathlib
import random
import subprocess
import sys
import tarfile
import tempfile
import time

steps = ["read", "parse", "write", "again"]


class Failed(Exception):
    pass


def run(seconds, step, *command, text=None):
    """What a command writes."""
    start = time.perf_counter()
    done = subprocess.run(command, input=text, capture_output=True)
    seconds[step] += time.perf_counter() - start
    if done.returncode:
        raise Failed(step, done.stderr.decode(errors="replace").strip().splitlines()[:1])
    return done.stdout


def follow(tools, program):
    """The step that the program fails, if any, why, and how long each step took."""
    seconds = collections.Counter()
    translate, opt = str(tools / "cuda-tile-translate"), str(tools / "cuda-tile-opt")
    version = ".".join(map(str, program.read_bytes()[8:10]))
    try:
        printed = run(seconds, "read", translate, "-cudatilebc-to-mlir", "--mlir-print-debuginfo", str(program))
        if run(seconds, "parse", opt, "-no-implicit-module", "--mlir-print-debuginfo", "-", text=printed).strip() != printed.strip():
            raise Failed("parse", ["the text differs"])
        written = run(seconds, "write", translate, "-mlir-to-cudatilebc", "-no-implicit-module", f"-bytecode-version={version}", "-", text=printed)
        if run(seconds, "again", translate, "-cudatilebc-to-mlir", "--mlir-print-debuginfo", "-", text=written) != printed:
            raise Failed("again", ["the text differs"])
    except Failed as failed:
        return program, version, *failed.args, seconds
    return program, version, None, None, seconds


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("bin", type=pathlib.Path)
    arguments.add_argument("cutile", type=pathlib.Path, nargs="?")
    arguments.add_argument("--sample", type=int, help="that many programs, the same ones each time")
    arguments.add_argument("--jobs", type=int, default=os.cpu_count())
    options = arguments.parse_args()
    folder = options.cutile or pathlib.Path(os.environ.get("TESSERA_CUTILE", "/nonexistent"))
    archives = sorted(folder.glob("*.tar.xz"))
    if not archives:
        print("tile-corpus.py: skipped, as neither an argument nor TESSERA_CUTILE names a folder with archives of programs")
        sys.exit(77)

    with tempfile.TemporaryDirectory(prefix="tile-corpus-") as unpacked:
        for archive in archives:
            with tarfile.open(archive) as files:
                files.extractall(pathlib.Path(unpacked) / archive.name.removesuffix(".tar.xz"),
                                 members=[file for file in files if file.name.endswith(".tilebc")])
        programs = sorted(pathlib.Path(unpacked).rglob("*.tilebc"))
        if options.sample:
            programs = sorted(random.Random(0).sample(programs, min(options.sample, len(programs))))
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            outcomes = list(pool.map(lambda program: follow(options.bin.resolve(), program), programs))

        groups = collections.defaultdict(collections.Counter)
        times = collections.defaultdict(collections.Counter)
        for program, version, step, why, seconds in outcomes:
            group = program.relative_to(unpacked).parts[0], version
            groups[group]["files"] += 1
            times[group].update(seconds)
            for passed in steps[:steps.index(step) if step else None]:
                groups[group][passed] += 1
            if step:
                print(f"{program.relative_to(unpacked)}: {step}: {''.join(why)}")
    columns = ["files", *steps]
    print("| programs | version | " + " | ".join(columns) + " | ms a step |")
    print("|---" * (len(columns) + 3) + "|")
    for (name, version), counts in sorted(groups.items()):
        average = ", ".join(f"{1000 * times[name, version][step] / counts['files']:.0f}" for step in steps)
        print(f"| {name} | {version} | " + " | ".join(str(counts[column]) for column in columns) + f" | {average} |")
    sys.exit(any(step for _, _, step, _, _ in outcomes))


if __name__ == "__main__":
    main()
