#!/usr/bin/env python3
"""Holds the English of the tree to one plain form: utils/check-words.py [FILE...]

RULES says which words and phrases are not used and what to write instead; docs/glossary.md has the terms. Comments, string literals,
tables of messages, help texts and pages are looked at; code, code blocks of pages, and what is `quoted as code` are not. A text that has to
be as it is stands in EXCEPTIONS with the reason. Exit code 1: a rule is broken, or an exception is not needed any more.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import itertools
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("bench", "cmake", "docs", "examples", "fuzz", "python", "tessera", "tessera-c", "test", "tools", "utils", ".ci", ".github")

# A word or phrase (a regular expression, case ignored, between word boundaries), and what to write instead.
RULES = (
    ("behind", "after; or below, under, past"),
    ("to be had", "available; or say what is missing"),
    ("for ever", "forever"),
    ("anew", "again"),
    ("but for", "except, or except for"),
    ("mend(s|ed|ing)?", "correct, repair"),
    ("of the run time|of run time", "known only at run time"),
    ("(has|have|had) not(?=[;,.:)]|$)", "does not have"),
    (r"(?<!here )(is|are|was|were) no(?= [a-z0-9])(?! (longer|more|less|better|worse|need|such|later|way|reason|other|others|fewer|further)\b)", "is not a, are not"),
    ("warp groups?|warp-groups?", "warpgroup"),
    ("source documents?|seed 00[0-9]", "a heading of docs/specification"),
    # British spelling.
    ("[a-z]*(?:ptimi|itiali|eriali|nonicali|ectori|nchroni|eciali|ateriali|ormali|cogni|inimi|aximi|enerali|talli|rgani|utili|calari|mmari|empori)z(?:e|es|ed|ing|ation|ations|er|ers)",
     "the British spelling, with s"),
    ("[a-z]*(?:behavior|neighbor|favor|color|center|labeled|labeling|canceled|canceling|modeled|modeling|catalog|artifact)(?:s|ed|ing|al|ful)?", "the British spelling"),
)

# (part of the path, part of the text, why)
EXCEPTIONS = (
    ("tessera/cute/Diagnostics.def", "cannot vectorized copy", "a message of the closed compiler, word for word"),
    ("tessera/atom/Errors.def", "Could not find a common tile-gmem vectorization", "a message of the closed compiler, word for word"),
    ("tessera/cuda_tile/Diagnostics.def", "cause undefined behavior", "a message of NVIDIA's verifier, word for word"),
    ("tessera/cuda_tile/Diagnostics.def", "Optimization hints verification", "a message of NVIDIA's verifier, word for word"),
    ("docs/source-contract.tsv", "vectorized copy to", "a message of the closed compiler, word for word"),
    ("test/ir/cli-ptxas.test", "instructions are serialized", "a message of ptxas"),
    ("tessera/cuda_runtime/Runtime.cpp", "unrecognized error code", "what CUDA's documents say that functions return"),
    ("tessera/render/Latex.cpp", "definecolor", "a command of LaTeX"),
    ("tools/tessera-opt", "optimizer driver", "MLIR's name of such a program"),
    ("tessera/sim/Observer.h", "Synchronize", "an event of this header"),
)


def prose_of_page(text):
    """A page without code blocks and code in place; lines stay where they are."""
    text = re.sub(r"^( *)```.*?^ *```", lambda m: "\n" * m[0].count("\n"), text, flags=re.M | re.S)
    text = re.sub(r"<!--.*?-->", lambda m: "\n" * m[0].count("\n"), text, flags=re.S)
    return re.sub(r"\]\([^)]*\)", "]", text)


def prose_of_code(text):
    """Comments and string literals."""
    lines = []
    for line in text.splitlines():
        if re.match(r'\s*#\s*include|\s*// (RUN|clang-format|NOLINT|[A-Z0-9_-]+(-LABEL|-SAME|-NEXT|-NOT|-DAG|-COUNT-\d+)?:)', line):
            lines.append("")
            continue
        strings = [re.sub(r'\\.', " ", m) for m in re.findall(r'"((?:[^"\\]|\\.)*)"', line)]
        comment = re.search(r'//(.*)', re.sub(r'"(?:[^"\\]|\\.)*"', '""', line))
        lines.append("  ".join(strings + ([comment[1]] if comment else [])))
    return "\n".join(lines)


def blank(text):
    return re.sub(r"[^\n]", " ", text)


def prose_of_td(text):
    """Comments and string literals, and all of [{ }]: descriptions, and code in which identifiers are no words."""
    block = re.compile(r"\[\{.*?\}\]", re.S)
    outside = prose_of_code(block.sub(lambda m: blank(m[0]), text)).split("\n")
    inside, end = "", 0
    for m in block.finditer(text):
        inside += blank(text[end:m.start()]) + m[0]
        end = m.end()
    return "\n".join(f"{a}  {b}" for a, b in itertools.zip_longest(outside, inside.split("\n"), fillvalue=""))


def prose_of_package(text):
    """Comments, docstrings and messages of a package that users import."""
    strings = "\n".join("  ".join(re.findall(r'"((?:[^"\\]|\\.)*)"', line)) for line in text.split("\n"))
    return "\n".join(f"{a}  {b}" for a, b in itertools.zip_longest(prose_of_script(text).split("\n"), strings.split("\n"), fillvalue=""))


def prose_of_comments(text):
    """Comments of a test in C++, whose strings are what is tested."""
    return "\n".join(line.partition("//")[2] for line in text.splitlines())


def prose_of_script(text):
    """Comments and docstrings of a script."""
    docs = re.sub(r'"""(.*?)"""', lambda m: "\n".join("# " + line for line in m[1].split("\n")), text, flags=re.S)
    return "\n".join(line.partition("#")[2] for line in docs.splitlines())


def prose_of_test(text):
    """Comments of a file of IR that no program reads."""
    return "\n".join(line.partition("//")[2] if "//" in line and not re.match(r"\s*// *([A-Z0-9_-]+:|expected-)", line) else "" for line in text.splitlines())


def whole(text):
    return text


PROSE = {".md": prose_of_page, ".h": prose_of_code, ".cpp": prose_of_code, ".c": prose_of_code, ".def": whole, ".inc": whole, ".td": prose_of_td, ".mlir": prose_of_test,
         ".py": prose_of_script, ".sh": prose_of_script, ".txt": prose_of_script, ".cmake": prose_of_script, ".test": prose_of_script, ".tsv": whole, ".cu": prose_of_comments}
# Made from other files, or not ours.
MADE = ("docs/reference/", "docs/source-contract.md", "test/sim/nvcc/", "test/sim/h100-sums.txt", "test/atom/tensormaps.tsv", "utils/check-words.py")
COMPILED = [(re.compile(rf"(?<![\w`.:/-])(?:{pattern})(?![\w`(/]|\.\w|-\w|:\w)", re.I | re.M), instead) for pattern, instead in RULES]


def files():
    found = [p for folder in FOLDERS for p in sorted((ROOT / folder).rglob("*"))] + sorted(ROOT.glob("*"))
    return [p for p in found if p.is_file() and (p.suffix in PROSE or p.name in ("Makefile", "run"))
            and not str(p.relative_to(ROOT)).startswith(MADE)]


def without_code(line):
    """A line without what is quoted as code."""
    return re.sub(r"`[^`]*`", "``", line)


def main():
    wrong, used = 0, set()
    chosen = [Path(a).resolve() for a in sys.argv[1:]] or files()
    for path in chosen:
        name = str(path.relative_to(ROOT))
        form = (prose_of_comments if name.startswith("test/") and path.suffix in (".h", ".cpp", ".c")
                else prose_of_package if name.startswith("python/") else PROSE.get(path.suffix, prose_of_script))
        prose = form(path.read_text(errors="replace"))
        for number, line in enumerate(prose.splitlines(), 1):
            text = without_code(line)
            for pattern, instead in COMPILED:
                for match in pattern.finditer(text):
                    if re.search("[a-z][A-Z]", match[0]):  # an identifier
                        continue
                    excused = [e for e in EXCEPTIONS if e[0] in name and e[1] in line]
                    used.update(excused)
                    if not excused:
                        wrong += 1
                        print(f"{name}:{number}: '{match[0]}': write {instead}: {line.strip()[:160]}")
    if not sys.argv[1:]:
        for exception in sorted(set(EXCEPTIONS) - used):
            wrong += 1
            print(f"utils/check-words.py: nothing needs the exception {exception}")
    print(f"check-words: {len(chosen)} files, {len(RULES)} rules, {wrong} faults")
    sys.exit(bool(wrong) or not chosen)


if __name__ == "__main__":
    main()
