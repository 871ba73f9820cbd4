#!/usr/bin/env python3
"""Adds up what the fuzzers have run: utils/fuzz-totals.py [add|check].

`add` moves the lines of build/fuzz/ran.tsv to fuzz/totals.tsv and writes the table of docs/hardening.md again;
without an argument only the table is written; `check` compares it and changes nothing."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import datetime
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOTALS = ROOT / "fuzz/totals.tsv"
PAGE = ROOT / "docs/hardening.md"
RAN = ROOT / "build/fuzz/ran.tsv"
TABLE = re.compile(r"(?<=\n\n)\| target \| what it reads .*?\n\n", re.S)


def rows():
    for line in TOTALS.read_text().splitlines():
        if not line.startswith("#"):
            target, date, inputs, seconds = line.split("\t")
            yield target, datetime.date.fromisoformat(date), int(inputs), int(seconds or 0)


def reads(target):
    """The first sentence of a fuzzer says what it reads."""
    text = (ROOT / "fuzz" / f"{target}.cpp").read_text()
    comment = " ".join(line[3:] for line in text.splitlines() if line.startswith("// "))
    found = re.match(r"Fuzzes (.*?)[:,.;] ", comment)
    if not found:
        sys.exit(f"fuzz/{target}.cpp should begin with '// Fuzzes WHAT: …'; it begins with {text[:60]!r}")
    return found[1]


def table():
    totals = {}
    for target, date, inputs, seconds in rows():
        before = totals.get(target, (0, 0, date))
        totals[target] = before[0] + inputs, before[1] + seconds, max(before[2], date)
    lines = ["| target | what it reads | inputs | core hours since 2026-11-26 | until |", "|---|---|---|---|---|"]
    for source in sorted((ROOT / "fuzz").glob("*.cpp")):
        inputs, seconds, date = totals.get(source.stem, (0, 0, "-"))
        lines.append(f"| `{source.stem}` | {reads(source.stem)} | {inputs:,} | {seconds / 3600:.2f} | {date} |")
    return "\n".join(lines) + "\n\n"


def main():
    what = sys.argv[1] if len(sys.argv) > 1 else "table"
    if what not in ("add", "check", "table"):
        sys.exit(__doc__)
    if what == "add":
        with TOTALS.open("a") as to:
            to.write(RAN.read_text())
        RAN.unlink()
    page = PAGE.read_text()
    if not TABLE.search(page):
        sys.exit(f"{PAGE}: a table that begins with '| target | what it reads' was expected; there is none")
    new = TABLE.sub(lambda _: table(), page)
    if what == "check":
        if new != page:
            sys.exit("docs/hardening.md has other totals than fuzz/totals.tsv; write them with utils/fuzz-totals.py")
    else:
        PAGE.write_text(new)


main()
