#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What keeping this house costs: files that an edit of a header compiles, includes of each room, the longest classes.

  utils/measure-house.py build/dev [SOURCES]    SOURCES: the tree that was built there, if it is not this one

Compiled files are counted by Ninja's own record of dependences, precompiled headers included; build everything first. Seconds are
those that the same compilations took in that build, two at once, so build from empty with CCACHE_DISABLE=1 on an idle machine.
The table "Measured" of docs/architecture.md is made of this.
"""
import collections
import re
import subprocess
import sys
from pathlib import Path

HEADERS = """base/Result.h layout/Algebra.h atom/MmaRow.h atom/Registry.h number/Format.h ptx_text/Parser.h sim/Instruction.h sim/Machine.h
sim/Sanitizer.h sim/Report.h sanitize/Sanitizer.h sanitize/Report.h cute/Cute.h cute_nvgpu/CuteNvgpu.h lower/Passes.h lower/expand/Expander.h
run/Device.h dsl/Builder.h dsl/Tensors.h import/Row.h""".split()


def compiled(build):
    """Object or precompiled header -> the headers of tessera/ and the precompiled headers that it reads."""
    said = subprocess.run(["ninja", "-C", build, "-t", "deps"], capture_output=True, text=True, check=True).stdout
    reads = {}
    for block in said.split("\n\n"):
        first, *rest = block.strip().split("\n")
        if "#deps" not in first:
            continue
        target = first.split(":")[0]
        if target.endswith((".o", ".pch")):
            reads[target] = {m[1] for line in rest if (m := re.search(r"(tessera/[\w./]+\.(?:h|def|inc))$", line))} | {
                m[1] for line in rest if (m := re.search(r"([\w./]+\.pch)$", line))}
    return reads


def durations(build):
    """Output -> the seconds that its last making took (.ninja_log: start and end in milliseconds)."""
    took = {}
    for line in (Path(build) / ".ninja_log").read_text().split("\n")[1:]:
        if len(fields := line.split("\t")) == 5:
            took[fields[3]] = (int(fields[1]) - int(fields[0])) / 1000
    return took


def rebuilt(reads, header):
    """The objects and precompiled headers that an edit of the header compiles."""
    hit = {t for t, files in reads.items() if header in files}
    precompiled = {t for t in hit if t.endswith(".pch")}
    hit |= {t for t, files in reads.items() if any(f.endswith(p) for f in files for p in precompiled)}
    return hit


def classes(root):
    """(lines, public functions, name, file) of every class that is defined in a header."""
    for path in root.rglob("*.h"):
        lines = path.read_text().split("\n")
        for i, line in enumerate(lines):
            found = re.match(r"(class|struct) (\w+)[^;]*\{$", line)
            if not found:
                continue
            end = next((j for j in range(i + 1, len(lines)) if lines[j].startswith("}")), i)
            public, functions = found[1] == "struct", 0
            for inside in lines[i + 1:end]:
                if re.match(r"\s*(public|private|protected):", inside):
                    public = "public" in inside
                functions += public and bool(re.match(r"  [\w:<~\[].*\w\(", inside)) and not re.match(r"  (return|if|for|using|static_assert)\b", inside)
            yield end - i + 1, functions, found[2], path.relative_to(root.parent)


def main():
    root = Path(sys.argv[2] if len(sys.argv) > 2 else Path(__file__).resolve().parent.parent) / "tessera"
    reads = compiled(sys.argv[1])
    took = durations(sys.argv[1])
    print(f"| header | of {sum(t.endswith('.o') for t in reads)} files, an edit compiles | seconds, two at once |\n|---|---|---|")
    for header in HEADERS:
        if (root / header).exists():
            files = rebuilt(reads, "tessera/" + header)
            print(f"| `{header}` | {len(files)} | {sum(took.get(f, 0) for f in files) / 2:.0f} |")

    rooms = collections.defaultdict(lambda: [0, 0, set()])
    for path in root.rglob("*"):
        if path.suffix not in (".h", ".cpp", ".td"):
            continue
        room = rooms[path.relative_to(root).parts[0]]
        text = path.read_text()
        room[0] += text.count("\n")
        for other in re.findall(r'include "tessera/(\w+)/', text):
            room[1] += 1
            room[2].add(other)
    print("\n| room | lines | includes of tessera | rooms that it includes |\n|---|---|---|---|")
    for name, (lines, includes, others) in sorted(rooms.items()):
        print(f"| {name} | {lines} | {includes} | {len(others - {name})} |")

    found = sorted(classes(root), reverse=True)
    print("\n| class | lines | public functions |\n|---|---|---|")
    for lines, functions, name, path in found[:3] + sorted(found, key=lambda c: -c[1])[:2]:
        print(f"| `{name}` ({path}) | {lines} | {functions} |")


if __name__ == "__main__":
    main()
