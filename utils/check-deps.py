#!/usr/bin/env python3
"""Checks that every room of tessera/ includes only what utils/deps.txt lets it, in its sources and in CMake.

Reads `#include "..."` and <...> of .h, .cpp and .def, `include "..."` of .td, and the DEPENDS of tessera_room and
tessera_mlir_room. A room that includes another has to depend on it in CMake, directly or not: otherwise nothing makes
sure that the other's generated headers exist when it compiles. Where a room's folders have lines too, each of them includes only what
its line lets it, and the room's own files no folder; folders of targets (sm90) never include each other. Headers that users include (tessera/*.h, tessera-c/*.h) show no LLVM or
MLIR, by none of the headers that they include, so that a program on them compiles without. Prints each line that breaks a rule as FILE:LINE: and exits 1; exits 0 with one line otherwise.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse
import re
import sys
from pathlib import Path

CORE = ("llvm/ADT/", "llvm/Support/", "mlir/IR/", "mlir/Interfaces/", "mlir/Bytecode/", "mlir/Pass/",
        "mlir/Transforms/", "mlir/Parser/", "mlir/AsmParser/", "mlir/Support/")
UPSTREAM = ("llvm/", "mlir/", "llvm-c/", "mlir-c/", "clang/")
INCLUDE = re.compile(r'^\s*#?\s*include\s+(?:"([^"]+)"|<([^>]+)>)')
TARGET = re.compile(r"sm\d+$")  # a folder for a target
ROOM_CALL = re.compile(r"tessera(?:_mlir)?_room\(\s*(\w+)\b([^)]*)\)")


def read_lines(path):
    """(what is before the colon, what is after it) of each line"""
    for line in path.read_text().splitlines():
        line = line.split("#")[0].strip()
        if line:
            name, rest = line.split(":", 1)
            yield name.strip(), rest


def read_folders(path):
    """{room: {folder: folders it may include}}, of rooms with lines for folders. A folder names only those of earlier lines, so that
    there is no circle."""
    folders = {}
    for name, rest in read_lines(path):
        if "/" not in name:
            continue
        room, folder = name.split("/", 1)
        earlier = folders.setdefault(room, {})
        for other in rest.split():
            if other not in earlier:
                sys.exit(f"{path}: {name} may include {other}, which has no line before it")
            if TARGET.match(folder) and TARGET.match(other):
                sys.exit(f"{path}: {name} may include {other}, but folders of targets do not know each other")
        earlier[folder] = set(rest.split())
    return folders


def read_rules(path):
    """{room: (rooms it may include, prefixes of upstream headers or None for any)}"""
    rules = {}
    for room, rest in read_lines(path):
        if "/" in room:
            continue
        rooms, headers = rest.split("|")
        prefixes = []
        for header in headers.split():
            if header == "*":
                prefixes = None
            elif header == "core":
                prefixes += CORE
            elif header != "-":
                prefixes.append(header.rstrip("/") + "/")
        rules[room.strip()] = (set(rooms.split()) | {room.strip(), "base"}, prefixes)
    for room, (rooms, _) in rules.items():
        for unknown in rooms - rules.keys():
            sys.exit(f"{path}: {room} may include {unknown}, which has no line of its own")
    return rules


def problems_of_include(room, included, rules):
    rooms, prefixes = rules[room]
    parts = included.split("/")
    if parts[0] == "tessera":
        if len(parts) < 3 or parts[1] not in rules:
            return f"{included} is in no room of utils/deps.txt"
        if parts[1] not in rooms:
            return f"{room} must not include {parts[1]} ({included})"
    elif included.startswith(UPSTREAM):
        if prefixes is not None and not included.startswith(tuple(prefixes)):
            what = " ".join(prefixes) if prefixes else "no LLVM or MLIR"
            return f"{room} must not include {included}; it sees {what}"
    elif included.startswith(("..", "./")):
        return f"{included}: name headers by their path from the root"
    return None


def folder_of(path):
    """The folder in its room of a path from the root, and "" for the room's own files."""
    parts = path.split("/")
    return parts[2] if len(parts) > 3 else ""


def problem_of_folders(room, path, included, folders):
    """`path` includes `included`, both from the root."""
    parts = included.split("/")
    if parts[0] != "tessera" or len(parts) < 3 or parts[1] != room:
        return None
    here, there = folder_of(path), folder_of(included)
    if here == there or not there:
        return None
    if TARGET.match(here) and TARGET.match(there):
        return f"{room}/{here} must not include {included}: what both use belongs to neither of them"
    if room in folders and there not in folders[room].get(here, ()):
        return f"{room}/{here} must not include {included}" if here else f"files of {room} itself must not include {included}"
    return None


def check_folders(root, folders):
    """Each folder of a room that has lines for folders has one."""
    for room, of_room in folders.items():
        there = {p.name for p in (root / "tessera" / room).iterdir() if p.is_dir()}
        for folder in sorted(there - of_room.keys()):
            yield f"tessera/{room}/{folder}:1: the folder has no line in utils/deps.txt, as others of {room} have"
        for folder in sorted(of_room.keys() - there):
            yield f"utils/deps.txt:1: {room}/{folder} is not a folder of tessera"


def check_sources(root, rules, folders, used):
    for path in sorted(root.glob("tessera/*/**/*")):
        if path.suffix not in (".h", ".cpp", ".td", ".def") or not path.is_file():
            continue
        room = path.relative_to(root / "tessera").parts[0]
        where = path.relative_to(root)
        if room not in rules:
            yield f"{where}:1: the room {room} has no line in utils/deps.txt"
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = INCLUDE.match(line)
            # In .td files `include` has no hash; in C++ it must have one.
            if not match or (path.suffix != ".td" and "#" not in line):
                continue
            included = match[1] or match[2]
            if included.startswith("tessera/"):
                used.setdefault((room, included.split("/")[1]), f"{where}:{number}")
            problem = problems_of_include(room, included, rules) or problem_of_folders(room, str(where), included, folders)
            if problem:
                yield f"{where}:{number}: {problem}"


def check_surfaces(root):
    """Public headers, and what they include: none of LLVM, MLIR or what TableGen makes; those for C nothing of C++."""
    for surface in [*sorted(root.glob("tessera/*.h")), *sorted(root.glob("tessera-c/*.h"))]:
        reached, work = {surface}, [surface]
        while work:
            path = work.pop()
            for number, line in enumerate(path.read_text().splitlines(), 1):
                match = INCLUDE.match(line)
                included = match and (match[1] or match[2])
                if not included:
                    continue
                where = f"{path.relative_to(root)}:{number}"
                if included.startswith(UPSTREAM):
                    yield f"{where}: {included} is seen through {surface.relative_to(root)}, which shows no LLVM and no MLIR"
                elif surface.parent.name == "tessera-c" and included.startswith("tessera/"):
                    yield f"{where}: {included} is C++, but {surface.relative_to(root)} is a header of C"
                elif included.startswith(("tessera/", "tessera-c/")):
                    other = root / included
                    if not other.exists():
                        yield f"{where}: {included} is not a file of the sources, so what {surface.relative_to(root)} shows is not known"
                    elif other not in reached:
                        reached.add(other)
                        work.append(other)


def read_depends(root):
    """{room: (CMakeLists.txt, line, rooms in DEPENDS)}"""
    depends = {}
    for path in sorted(root.glob("tessera/*/CMakeLists.txt")):
        text = re.sub(r"#.*", "", path.read_text())
        for call in ROOM_CALL.finditer(text):
            keyword, rooms = None, []
            for argument in call[2].split():
                if argument in ("SOURCES", "DEPENDS", "GENERATED", "PCH", "LAYER", "APART"):
                    keyword = argument
                elif taken := re.fullmatch(r"\$<TARGET_OBJECTS:tessera_(\w+)>", argument):
                    rooms.append(taken[1])
                elif keyword == "DEPENDS":
                    rooms.append(argument)
            depends[call[1]] = (path.relative_to(root), text[: call.start()].count("\n") + 1, rooms)
    return depends


def closure(room, depends):
    reached, work = set(), [room]
    while work:
        for other in depends.get(work.pop(), (None, 0, ()))[2]:
            if other not in reached:
                reached.add(other)
                work.append(other)
    return reached


def check_cmake(root, rules, used):
    """`used`: {(room, other room): where it is included first}"""
    depends = read_depends(root)
    for room, (path, line, rooms) in depends.items():
        if room not in rules:
            yield f"{path}:{line}: the room {room} has no line in utils/deps.txt"
            continue
        for other in rooms:
            if other not in rules[room][0]:
                yield f"{path}:{line}: {room} must not depend on {other}"
    for (room, other), where in sorted(used.items()):
        if room in depends and other in depends and other != room and other not in closure(room, depends):
            path, line, _ = depends[room]
            yield f"{path}:{line}: {room} includes {other} ({where}), so its DEPENDS has to name it"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent,
                        help="the repository (default: that of this script)")
    root = parser.parse_args().root
    rules, folders = read_rules(root / "utils/deps.txt"), read_folders(root / "utils/deps.txt")
    used = {}
    problems = [*check_sources(root, rules, folders, used), *check_folders(root, folders), *check_surfaces(root), *check_cmake(root, rules, used)]
    for problem in problems:
        print(problem)
    if problems:
        sys.exit(f"check-deps: {len(problems)} rules broken; the rules are in utils/deps.txt")
    rooms = {p.name for p in (root / "tessera").iterdir() if p.is_dir()}
    print(f"check-deps: {len(rooms)} rooms include only what they may, and public headers show no MLIR")


if __name__ == "__main__":
    main()
