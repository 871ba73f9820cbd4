#!/usr/bin/env python3
"""Checks that C and C++ are laid out as clang-format-22 does it by .clang-format, and that files say their licence.

  utils/check-format.py [FILE...]          without files: all sources
  utils/check-format.py --fix [FILE...]    lays them out instead

The licence is a line of its own, so that no layout can join it to the sentence before. Prints FILE:LINE: and what is wrong; exits 1 if
anything is, and 77, which ctest counts as skipped, if clang-format-22 is not installed (the licences are checked before that).
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("bench", "cmake", "examples", "fuzz", "python", "tessera", "tessera-c", "test", "tools", "utils")
FORMATTED = (".h", ".cpp", ".c", ".cu")
LICENSED = FORMATTED + (".def", ".inc", ".td", ".py", ".sh", ".cmake")
LICENCE = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
LINE = re.compile(rf"^(?://|#|/\*| \*) {re.escape(LICENCE)}(?: \*/)?$", re.M)
CLANG_FORMAT = ("clang-format-22", "/usr/lib/llvm-22/bin/clang-format")


def is_licensed(path):
    return path.suffix in LICENSED or path.name == "CMakeLists.txt"


def without_licence(files):
    for path in files:
        text = path.read_text()
        if LINE.search(text):
            continue
        at = text.find("SPDX-License-Identifier")
        line = text.count("\n", 0, at) + 1 if at >= 0 else 1
        yield f"{path.relative_to(ROOT)}:{line}: expects the line `{LICENCE}`, as a comment with nothing else in it"


def run_format(tool, arguments, files):
    """What the tool says of the files, some at a time on every core."""
    def of(some):
        return subprocess.run([tool, *arguments, *some], capture_output=True, text=True).stderr

    cores = len(os.sched_getaffinity(0))
    with ThreadPoolExecutor(cores) as pool:
        return "".join(pool.map(of, [files[at:at + 50] for at in range(0, len(files), 50)]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fix", action="store_true", help="lay the files out")
    parser.add_argument("files", nargs="*", type=Path)
    asked = parser.parse_args()
    files = [path.resolve() for path in asked.files] or sorted(
        path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if is_licensed(path))
    files = [path for path in files if is_licensed(path) and path.is_file()]
    formatted = [path for path in files if path.suffix in FORMATTED]
    tool = next((tool for tool in CLANG_FORMAT if shutil.which(tool)), None)

    problems = list(without_licence(files))
    if tool and formatted:
        said = run_format(tool, ["-i"] if asked.fix else ["--dry-run", "-Werror"], formatted)
        problems += [line.replace(f"{ROOT}/", "") for line in said.splitlines() if " error: " in line]
    for problem in problems:
        print(problem)
    if problems:
        sys.exit(f"check-format: {len(problems)} places differ; utils/check-format.py --fix lays files out")
    if not tool:
        print("check-format: clang-format-22 is not installed, so that only the licences were checked; utils/setup.sh installs it")
        sys.exit(77)
    print(f"check-format: {len(formatted)} files are laid out by .clang-format, {len(files)} say their licence")


if __name__ == "__main__":
    main()
