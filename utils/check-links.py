#!/usr/bin/env python3
"""Holds links and citations to what they name: utils/check-links.py

A link of a page (`[text](path#heading)`) has to lead to a file of this repository, and to a heading of it; so has a path from the root
that a source, a test, a table or a page cites (`docs/guide.md#run-it`, `test/ir/reduce.mlir`). Links to other sites are not looked at.
Exit code 1: something leads nowhere.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import functools
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
SUFFIXES = {".md", ".tsv", ".h", ".cpp", ".td", ".def", ".py", ".sh", ".mlir", ".test", ".txt", ".in", ".cmake"}
# A path from the root of the repository, and the heading of a page. What a build makes (`Ops.h.inc`) is none.
CITATION = re.compile(r"(?<![\w/.<>${}*-])((?:bench|cmake|docs|examples|fuzz|python|tessera|tessera-c|test|tools|utils)/[\w./-]+"
                      r"\.(?:md|tsv|svg|h|c|cpp|td|def|py|sh|mlir|test|cmake)(?:\.xz)?)(?![\w/*]|\.\w)(#[\w-]+)?")
FOLDERS = ("bench", "cmake", "docs", "examples", "fuzz", "python", "tessera", "tessera-c", "test", "tools", "utils", ".github")


@functools.cache
def anchors(path):
    """The anchors of a page's headings, as the hosting site makes them: a second equal one gets `-1`."""
    found, text = [], re.sub(r"^```.*?^```", "", path.read_text(), flags=re.M | re.S)
    for heading in re.findall(r"^#+ +(.*?) *$", text, re.M):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        base = re.sub(r"[^\w -]", "", plain).replace(" ", "-")
        found.append(base if base not in found else f"{base}-{sum(f.startswith(base) for f in found)}")
    return set(found)


def fault(target, anchor):
    """Why a path, and an anchor or nothing, lead nowhere; None if they do not."""
    if not target.exists():
        return "there is no such file"
    if anchor and target.suffix == ".md" and anchor not in anchors(target):
        return f"{target.relative_to(ROOT)} has no heading '#{anchor}'"
    return None


def faults(path):
    text = path.read_text(errors="replace")
    for number, line in enumerate(text.splitlines(), 1):
        if path.suffix == ".md":
            for link in LINK.findall(line):
                if re.match(r"[a-z]+:", link) or path.parent.name == "reference":
                    continue
                file, _, anchor = link.partition("#")
                why = fault((path.parent / file).resolve() if file else path, anchor)
                if why:
                    yield f"{path.relative_to(ROOT)}:{number}: link '{link}': {why}"
        if path.name == "CMakeLists.txt" or path.suffix == ".cmake":
            line = line.partition("#")[2]  # code names files from its own folder
        for page, anchor in CITATION.findall(line):
            why = fault(ROOT / page, anchor.removeprefix("#"))
            if why:
                yield f"{path.relative_to(ROOT)}:{number}: citation '{page}{anchor}': {why}"


def main():
    found = [p for folder in FOLDERS for p in sorted((ROOT / folder).rglob("*"))] + sorted(ROOT.glob("*"))
    files = [p for p in found if p.is_file() and (p.suffix in SUFFIXES or p.name == "Makefile")]
    wrong = [fault for file in files for fault in faults(file)]
    print("\n".join(wrong) + "\n" if wrong else "", end="")
    print(f"check-links: {len(files)} files, {len(wrong)} faults")
    sys.exit(bool(wrong) or not files)


if __name__ == "__main__":
    main()
