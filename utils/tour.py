#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Takes the tour of docs/tour.md: applies its patches to a copy of the tree, builds that, runs the tour's commands.

  utils/tour.py            the whole tour, in build/tour; it builds most of the compiler, so allow half an hour on two cores
  utils/tour.py --apply    only looks whether the patches apply, in a second

A patch is a ```diff block, a command a line of an ```sh block. The first that fails ends the tour with its line in docs/tour.md.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/tour.md"
PROGRAMS = ["tessera", "tessera-opt", "tessera-sim-test"]


def blocks():
    """Yields (line, language, text) of every block of code, in order."""
    text = PAGE.read_text()
    for block in re.finditer(r"^```(\w+)\n(.*?)^```$", text, re.M | re.S):
        yield text.count("\n", 0, block.start(2)) + 1, block[1], block[2]


def copy_tree(target):
    """The files that git knows or would add; a build in the target stays."""
    listed = subprocess.run(["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            cwd=ROOT, capture_output=True, check=True).stdout.decode()
    files = [name for name in listed.split("\0") if name and (ROOT / name).is_file()]
    if target.exists():
        for old in target.iterdir():
            if old.name != "build":
                shutil.rmtree(old) if old.is_dir() else old.unlink()
    for name in files:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target / name)


def step(line, what, command, folder, **more):
    print(f"tour       line {line}: {what}", flush=True)
    if subprocess.run(command, cwd=folder, **more).returncode:
        sys.exit(f"error: docs/tour.md, line {line}: {what} failed in {folder}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--apply", action="store_true", help="only look whether the patches apply")
    only_apply = parser.parse_args().apply

    with tempfile.TemporaryDirectory(prefix="tessera-tour.") as temporary:
        tree = Path(temporary) if only_apply else ROOT / "build/tour/tree"
        copy_tree(tree)
        patches = [(line, text) for line, language, text in blocks() if language == "diff"]
        commands = [(line + i, command) for line, language, text in blocks() if language == "sh"
                    for i, command in enumerate(text.splitlines()) if command]
        if not patches or not commands:
            sys.exit("error: docs/tour.md has no patches or no commands")
        for line, text in patches:
            # The ceiling: git is to take the copy for a folder of its own.
            step(line, "patch", ["git", "apply", "-"], tree, input=text, text=True,
                 env={**os.environ, "GIT_CEILING_DIRECTORIES": str(tree.parent)})
        if not only_apply:
            step(patches[-1][0], "build", ["utils/build.sh", "dev", *PROGRAMS], tree)
            for line, command in commands:
                step(line, command, ["bash", "-c", command], tree)
    print(f"tour       ok: {len(patches)} patches" + ("" if only_apply else f", {len(commands)} commands"))


if __name__ == "__main__":
    main()
