#!/usr/bin/env python3
"""Checks that some file under test/ names every sentence of an error that stands where it is emitted, not in a table of sentences.

Such a sentence is one or more literals of a call of emitError, emitOpError, emitWarning, fail and the like, or of a Reason. It counts as named
by four words in a row that no other such sentence has (or by all of a shorter one), or by the id of its Reason. Rows of tables are
check-roster's. Prints each that no test names; exits 1 if there is one, or if a line of EXCEPTIONS fits none.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import re
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SUFFIXES = (".cpp", ".h", ".mlir", ".txt", ".def", ".ptx", ".test", ".py", ".c", ".cu", ".litmus")
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
CALL = re.compile(r"\b(?:emitOpError|emitError|emitWarning|emitRemark|emitOptionalError|attachNote|Reason\s*\{|fail|failPlain|refuse|complain)\s*[({]")
# A row of a table: the literals are what fills it in.
TABLE = re.compile(r"\b(?:Error|Diagnostic|Diag)::\w+")
GRAM = 4
# What no test can make happen, by words of the sentence: why.
EXCEPTIONS = {
    "no configuration's numbers are right": "takes a GPU that multiplies wrongly",
    "the operation is refused": "for a verifier that fails without a diagnostic, of which there is none: the mistake must not be lost",
}


def without_comments(text):
    return re.sub(r'("(?:[^"\\\n]|\\.)*")|//[^\n]*|/\*.*?\*/', lambda m: m[1] or "", text, flags=re.S)


def statement(text, begin):
    """From a call to the end of its statement, of an alternative in it, or of the brackets around it."""
    depth, at = 0, begin
    while at < len(text):
        if literal := LITERAL.match(text, at):
            at = literal.end()
            continue
        depth += {"(": 1, "{": 1, "[": 1, ")": -1, "}": -1, "]": -1}.get(text[at], 0)
        if depth < 0 or (depth == 0 and (text[at] in ";," or text.startswith(" : ", at))):
            break
        at += 1
    return text[begin:at]


def words_of(text):
    return re.findall(r"[\w'.:;,<>=!?()`-]+", text)


def grams(piece):
    words = words_of(piece)
    if len(words) <= GRAM:
        return {" ".join(words)} if len(words) > 1 else set()
    return {" ".join(words[i : i + GRAM]) for i in range(len(words) - GRAM + 1)}


def sentences():
    """[(file, line, ids, pieces)]"""
    found = {}
    for path in sorted([*ROOT.glob("tessera/**/*"), *ROOT.glob("tools/**/*")]):
        if path.suffix not in (".cpp", ".h", ".c"):
            continue
        text = without_comments(path.read_text(errors="replace"))
        for call in CALL.finditer(text):
            inside = statement(text, call.start())
            if TABLE.search(inside):
                continue
            inside = re.sub(r'"\s*\n?\s*"', "", inside)
            literals = [re.sub(r"\\(.)", r"\1", one.replace(r"\n", " ")) for one in LITERAL.findall(inside)]
            ids = [one for one in literals[:1] if re.fullmatch(r"[A-Z]\w+", one) and call[0].startswith("Reason")]
            pieces = [piece for one in literals if one not in ids for piece in re.split(r"%[a-z]+", one)]
            if sum(len(words_of(one)) for one in pieces) >= 2:
                found.setdefault((path, tuple(pieces)), ids)
    return [(path, ids, pieces) for (path, pieces), ids in found.items()]


def main():
    everything = "\n".join(p.read_text(errors="replace") for p in sorted(ROOT.glob("test/**/*")) if p.is_file() and p.suffix in SUFFIXES)
    ids = set(re.findall(r'(?:::|")(\w+)\b', everything))
    text = re.sub(r'"\s*\n\s*(?:R?)"', "", everything).replace('\\"', '"')
    text = " ".join(words_of(text))
    rows = sentences()
    common = Counter(gram for _, _, pieces in rows for gram in {g for piece in pieces for g in grams(piece)})
    missing, used = [], set()
    for path, names, pieces in rows:
        own = {gram for piece in pieces for gram in grams(piece)}
        own = {gram for gram in own if common[gram] == 1} or own
        if any(name in ids for name in names) or any(f" {gram.strip(' :;,.')}" in text for gram in own):
            continue
        whole = " ... ".join(" ".join(piece.split()) for piece in pieces)
        if reason := next((words for words in EXCEPTIONS if words in whole), None):
            used.add(reason)
        elif own:
            missing.append(f"{path.relative_to(ROOT)}: no test names \"{whole}\"")
    missing += [f"EXCEPTIONS has '{words}', which fits no sentence that lacks a test" for words in EXCEPTIONS if words not in used]
    print("\n".join([*missing, f"check-sentences: tests name {len(rows) - len(missing) - len(used)} of {len(rows)} sentences outside of tables"]))
    sys.exit(bool(missing))


if __name__ == "__main__":
    main()
