#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What keeping this house costs: files that an edit of a header compiles, includes of each room, the longest classes.

  utils/measure-house.py build/dev [SOURCES]    SOURCES: the tree that was built there, if it is not this one
  utils/measure-house.py --check [SOURCES]      holds the limits below, without a build; exits 1 if one is broken

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
sanitize/Sanitizer.h sanitize/Report.h cute/Cute.h cute_nvgpu/CuteNvgpu.h lower/Passes.h lower/expand/Expander.h
run/Device.h dsl/Values.h tile_lower/Kernel.h import/Row.h""".split()

# Limits. Who watches the simulator is not what most of the tree is made of, so an edit of its headers compiles few files.
MOST_COMPILED = {"sanitize/Sanitizer.h": 15, "sanitize/Report.h": 15}
MOST_PUBLIC_FUNCTIONS = 30  # of a class, without what it inherits
MOST_ANY_TYPE = 20  # lines of .td that say AnyType or Cute_Anything, of which a verifier or a reader learns nothing
MOST_LINES = 600  # of a file that does not say "more than 600 lines" and why in its first 12
WRITTEN = (".h", ".cpp", ".c", ".def", ".td", ".py", ".sh", ".mlir", ".test", ".cmake")


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


def any_types(root):
    """Lines of .td that take any type, by either name."""
    return sum(len(re.findall(r"^(?!def).*\b(?:AnyType|Cute_Anything)\b", path.read_text(), re.M)) for path in root.rglob("*.td"))


def includers(sources):
    """Header of tessera/ -> the .cpp files of the tree that include it, directly or not."""
    includes = {path.relative_to(sources).as_posix(): set(re.findall(r'#\s*include "(tessera/[^"]+)"', path.read_text(errors="replace")))
                for folder in ("tessera", "tools", "test", "fuzz", "bench") for path in (sources / folder).rglob("*") if path.suffix in (".h", ".def", ".cpp")}
    found = collections.defaultdict(set)
    for name in includes:
        reached, work = set(), [name] if name.endswith(".cpp") else []
        while work:
            new = includes.get(work.pop(), set()) - reached
            reached |= new
            work += new
        for header in reached:
            found[header].add(name)
    return found


def broken(sources):
    """What breaks a limit or leaves out a room, a sentence each."""
    root = sources / "tessera"
    for header in HEADERS:
        if not (root / header).exists():
            yield f"utils/measure-house.py: HEADERS names tessera/{header}, which is gone"
    for _, functions, name, path in classes(root):
        if functions > MOST_PUBLIC_FUNCTIONS:
            yield f"{path}: {name} has {functions} public functions, expected at most {MOST_PUBLIC_FUNCTIONS}: split it by responsibility"
    for header, most in MOST_COMPILED.items():
        if len(files := includers(sources)["tessera/" + header]) > most:
            yield f"tessera/{header}: {len(files)} files include it, directly or not, expected at most {most}: forward-declare in headers; {' '.join(sorted(files))}"
    if (lines := any_types(root)) > MOST_ANY_TYPE:
        yield f"tessera: {lines} lines of .td take any type, expected at most {MOST_ANY_TYPE}: name the types that an operand has"
    page = (sources / "docs/architecture.md").read_text()
    knows = page[page.index("## Who knows whom"):page.index("## One kernel")]
    owners = (sources / ".github/CODEOWNERS").read_text()
    for room in sorted(path.name for path in root.iterdir() if path.is_dir()):
        if f"| `{room}` |" not in page:
            yield f"docs/architecture.md: the table of rooms does not have `{room}`"
        if not re.search(rf"(?<![\w/]){room}(?![\w/])", knows):
            yield f'docs/architecture.md: "Who knows whom" does not have {room}'
        if not re.search(rf"^/tessera/{room}/ ", owners, re.M):
            yield f".github/CODEOWNERS: nobody owns /tessera/{room}/"
    for folder in sorted(path.name for path in (sources / "test").iterdir() if path.is_dir() and not path.name.startswith("__")):
        tests = re.search(rf"^/test/{folder}/ +(.+)$", owners, re.M)
        room = re.search(rf"^/tessera/{folder}/ +(.+)$", owners, re.M)
        if not tests:
            yield f".github/CODEOWNERS: nobody owns /test/{folder}/" + (f"; {room[1]} owns the room" if room else "")
        elif room and not set(room[1].split()) <= set(tests[1].split()):
            yield f".github/CODEOWNERS: /test/{folder}/ is owned by {tests[1]}, expected those of the room, {room[1]}"


def long_files(sources):
    """Files that are longer than they may be."""
    for folder in ("bench", "cmake", "examples", "fuzz", "python", "tessera", "tessera-c", "test", "tools", "utils"):
        for path in sorted((sources / folder).rglob("*")):
            if path.suffix not in WRITTEN or not path.is_file():
                continue
            lines = path.read_text(errors="replace").split("\n")
            if len(lines) - 1 > MOST_LINES and not re.search(f"more than {MOST_LINES} lines", "\n".join(lines[:12]), re.I):
                yield (f"{path.relative_to(sources)}: {len(lines) - 1} lines, expected at most {MOST_LINES}: split it where its responsibilities part, or say in "
                       f'its first comment "more than {MOST_LINES} lines" and why')


def check(sources):
    problems = [*broken(sources), *long_files(sources)]
    for problem in problems:
        print(problem)
    print(f"measure-house: {len(problems)} limits are broken" if problems else "measure-house: all limits are held")
    sys.exit(bool(problems))


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sources = Path(sys.argv[2] if len(sys.argv) > 2 else Path(__file__).resolve().parent.parent)
    if sys.argv[1] == "--check":
        check(sources)
    root = sources / "tessera"
    reads = compiled(sys.argv[1])
    took = durations(sys.argv[1])
    print(f"| header | of {sum(t.endswith('.o') for t in reads)} files, an edit compiles | seconds, two at once |\n|---|---|---|")
    for header in HEADERS:
        if not (root / header).exists():
            sys.exit(f"utils/measure-house.py: HEADERS names tessera/{header}, which is gone")
        files = rebuilt(reads, "tessera/" + header)
        print(f"| `{header}` | {len(files)} | {sum(took.get(f, 0) for f in files) / 2:.0f} |")

    rooms = collections.defaultdict(lambda: [0, 0, set()])
    for path in root.rglob("*"):
        if path.suffix not in (".h", ".cpp", ".td") or path.parent == root:
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

    print(f"\nincludes: {sum(includes for _, includes, _ in rooms.values())}; pairs of rooms that know each other: "
          f"{sum(len(others - {name}) for name, (_, _, others) in rooms.items())}; lines of .td that take any type: {any_types(root)}")

    found = sorted(classes(root), reverse=True)
    print("\n| class | lines | public functions |\n|---|---|---|")
    for lines, functions, name, path in found[:3] + sorted(found, key=lambda c: -c[1])[:2]:
        print(f"| `{name}` ({path}) | {lines} | {functions} |")


if __name__ == "__main__":
    main()
