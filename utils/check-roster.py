#!/usr/bin/env python3
"""Checks that every op, pass and diagnostic is named by some file under test/, that some code emits each diagnostic, and that the tests
where memory runs out call every function of the C APIs.

An op counts as named by `dialect.op`, a pass by its argument (`cute-desugar`), a diagnostic by its id
(`Error::Id`, `"Id"`) or by its text with anything in place of {0}, {1}, .... Prints what is missing, by kind; exits 1 if anything is.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

TABLEGEN = ("llvm-tblgen-22", "/usr/lib/llvm-22/bin/llvm-tblgen", "llvm-tblgen")
UPSTREAM = "/usr/lib/llvm-22/include"
ROW = re.compile(r'^\s*(?:DIAGNOSTIC|ERROR)\(\s*(\w+)\s*,\s*((?:"(?:[^"\\]|\\.)*"\s*)+)', re.M)
# A text this short says nothing on its own; its id has to be named.
SHORTEST_TEXT = 12


def records(root, path, include):
    tablegen = next((t for t in TABLEGEN if shutil.which(t)), None)
    if not tablegen:
        sys.exit("check-roster: llvm-tblgen is not installed; utils/setup.sh installs it")
    done = subprocess.run([tablegen, "--dump-json", "-I", include, "-I", root, "-I", path.parent, path],
                          capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"check-roster: {path}:\n{done.stderr}")
    return json.loads(done.stdout)


def ops_and_passes(root, include):
    """({op: file}, {pass argument: file}) of every .td file; a record counts where it is defined."""
    ops, passes = {}, {}
    for path in sorted(root.glob("tessera/**/*.td")):
        text = path.read_text()
        if not re.search(r"^\s*(def|defm|foreach)\b", text, re.M):
            continue
        found = records(root, path, include)
        kinds = found["!instanceof"]
        for name in kinds.get("Op", []):
            dialect = found[found[name]["opDialect"]["def"]]["name"]
            ops.setdefault(f"{dialect}.{found[name]['opName']}", path)
        for name in kinds.get("PassBase", []):
            passes.setdefault(found[name]["argument"], path)
    return ops, passes


def diagnostics(root):
    """[(room, id, text, file)] of every table of sentences."""
    rows = []
    for path in sorted([*root.glob("tessera/*/Diagnostics.def"), *root.glob("tessera/*/Errors.def")]):
        text = re.sub(r"^\s*//.*$", "", path.read_text(), flags=re.M)
        for match in ROW.finditer(text):
            sentence = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', match[2]))
            sentence = sentence.replace('\\"', '"').replace("\\\\", "\\")
            rows.append((path.parent.name, match[1], sentence, path))
    return rows


def words_of_code(root, tables):
    """All words of the sources of tessera/ and tools/ but those of the tables."""
    words = set()
    for folder in ("tessera", "tools"):
        for path in (root / folder).rglob("*"):
            if path.suffix in (".cpp", ".h", ".c", ".td", ".def", ".inc") and path not in tables:
                words.update(re.findall(r"\w+", re.sub(r"//.*", "", path.read_text(errors="replace"))))
    return words


# The header of a C API and its test where each allocation fails once.
C_APIS = {"tessera-c/Layout.h": "LayoutC.cpp", "tessera-c/Sim.h": "SimC.cpp", "tessera-c/Tile.h": "TileC.cpp", "tessera-c/Tessera.h": "ProgramC.cpp",
          "tessera/mlir_capi/Dialects.h": "MlirC.cpp"}
# tesseraWorker is the main() of a program, which compile_timeout.py starts with each call of the system failing once.
NO_FUNCTION_OF_CALLERS = {"tesseraWorker"}


def functions_without_faults(root):
    """([(function, header)] that the tests do not call, how many functions there are)."""
    missing, count = [], 0
    for header, test in C_APIS.items():
        declared = re.sub(r"/\*.*?\*/|//[^\n]*", "", (root / header).read_text(), flags=re.S)
        names = set(re.findall(r"\b(tessera[A-Z]\w*)\s*\(", declared)) - NO_FUNCTION_OF_CALLERS
        called = set(re.findall(r"\w+", re.sub(r"//.*|\"(?:[^\"\\]|\\.)*\"", "", (root / "test/hardening/limits" / test).read_text())))
        count += len(names)
        missing += [(name, root / header) for name in sorted(names - called)]
    return missing, count


def text_occurs(sentence, haystack):
    """Whether the sentence stands somewhere, its pieces around {n} in order on what may be several literals."""
    # Tests that check many sentences leave out how all of them begin, so punctuation at the edges does not count.
    pieces = [p for p in (p.strip(" :,;.'") for p in re.split(r"\{\d\}", sentence)) if p]
    if sum(map(len, pieces)) < SHORTEST_TEXT:
        return False
    longest = max(pieces, key=len)
    if longest not in haystack:
        return False
    pattern = r".{0,200}?".join(map(re.escape, pieces))
    return re.search(pattern, haystack) is not None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent,
                        help="the repository (default: that of this script)")
    parser.add_argument("--include", default=UPSTREAM, help="where MLIR's .td files are (default: %(default)s)")
    arguments = parser.parse_args()
    root = arguments.root

    tests = [p.read_text(errors="replace") for p in sorted(root.glob("test/**/*"))
             if p.is_file() and p.suffix in (".cpp", ".h", ".mlir", ".txt", ".def", ".ptx", ".test", ".py", ".c")]
    everything = "\n".join(tests)
    # Adjacent C++ literals are one text, and a quote in them is not escaped in what it says.
    unescaped = re.sub(r'"\s*\n\s*(?:R?)"', "", everything).replace('\\"', '"')
    # A bare word is not an id: Rmem and Regions occur for other reasons.
    ids = set(re.findall(r'(?:::|")(\w+)\b', everything))
    # A dotted name is looked for with its neighbours: cute.make_shape is not cute.make_shape_of.
    dotted = set(re.findall(r"[a-z_]\w*(?:\.[\w$]+)+", everything))
    dashed = set(re.findall(r"[a-z]\w*(?:-\w+)+", everything))

    ops, passes = ops_and_passes(root, arguments.include)
    rows = diagnostics(root)
    missing = {
        "ops": [(n, p) for n, p in ops.items() if n not in dotted],
        "passes": [(n, p) for n, p in passes.items() if n not in dashed],
        "diagnostics": [(f"{room}: {name}", p) for room, name, sentence, p in rows
                        if name not in ids and not text_occurs(sentence, unescaped)],
    }
    total = {"ops": len(ops), "passes": len(passes), "diagnostics": len(rows)}
    for kind, absent in missing.items():
        for name, path in absent:
            print(f"{path.relative_to(root)}: no test names {kind.rstrip('s') if kind != 'passes' else 'pass'} {name}")
    code = words_of_code(root, {path for *_, path in rows})
    silent = [(f"{room}: {name}", path) for room, name, _, path in rows if name not in code]
    for name, path in silent:
        print(f"{path.relative_to(root)}: no code emits {name}")
    uncalled, functions = functions_without_faults(root)
    for name, path in uncalled:
        print(f"{path.relative_to(root)}: no test in test/hardening/limits calls {name} where memory runs out")
    line = ", ".join(f"{total[k] - len(missing[k])} of {total[k]} {k}" for k in missing)
    print(f"check-roster: tests name {line}; call {functions - len(uncalled)} of {functions} functions of C without memory")
    sys.exit(any(missing.values()) or bool(silent) or bool(uncalled))


if __name__ == "__main__":
    main()
