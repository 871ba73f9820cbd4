#!/usr/bin/env python3
"""The specification, row by row: checks docs/source-contract.tsv, and writes docs/source-contract.md from it (--write).

A row says what a heading of docs/specification names, where that is in the tree and which test shows it. Without arguments everything
that can be checked is checked: the page is that of the table; a state has what it needs (NEEDS); what `where` and `test` name exists; a lit
test runs and a GoogleTest is not switched off; every witness occurs in what `test` names; what differs names a decision (`POINT: ...`, a
point of the table or a heading of docs/decisions.md). An op's class is held to its traits (CLASSES).
With --built BUILD a test that ctest would not run in this build is a fault: all tests that rows name are then those of the suite. With
--ran BUILD these tests are run in it, and one that does not pass, or is skipped, is a fault.

page     a page of docs/specification, without `.md`; heading: a heading of it
where    blank-separated: `cute.op`, `!cute.type`, `--a-pass`, `PATH`, or `PATH:WORD`, where the file has that word
test     blank-separated: `PATH.mlir`, `PATH.mlir@FUNCTION` (its part of the file), `PATH.cpp:Suite.Name`, or `ctest:NAME`
witness  texts separated by ` ;; `; left out, it is what `where` names except for files
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import csv
import functools
import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TABLE, PAGE = ROOT / "docs/source-contract.tsv", ROOT / "docs/source-contract.md"
COLUMNS = ("page", "heading", "name", "kind", "says", "class", "where", "test", "witness", "state", "note")
KINDS = ("op", "type", "attribute", "interface", "pass", "rewrite", "pattern", "diagnostic", "ordering", "invariant")
# What a row of each state must fill in beyond what all rows do.
NEEDS = {"done": ("where", "test"), "differs": ("where", "note"), "Blackwell": ("note",), "open": ("note",)}
MEANING = {"done": "here, and the test shows it",
           "differs": "settled differently: the point, or the part, of [decisions.md](decisions.md) comes first",
           "Blackwell": "left to Blackwell lowering",
           "open": "not here yet, or no test shows it"}
TABLEGEN = ("llvm-tblgen-22", "/usr/lib/llvm-22/bin/llvm-tblgen", "llvm-tblgen")
UPSTREAM = "/usr/lib/llvm-22/include"

HEAD = """# What the specification names

Each op, type, attribute, interface, pass, rewrite, pattern, diagnostic, ordering and invariant that the [specification](specification/README.md)
names, with where it is here and the test that shows it. The rows are data, [source-contract.tsv](source-contract.tsv); `utils/contract.py
--write` makes this page, and `utils/contract.py`, a ctest, checks that files and tests exist, that a test has what its row is about,
and that an op has the traits of its class (pure: no memory effects; effecting: some; inferring: `InferTypeOpInterface`; verifying:
a verifier or inferred types that are compared; helper: no memory effects).
"""
# The pages of docs/specification in the order of its README.
PAGES = ("types-and-ops", "algebra", "atoms", "passes", "abi", "diagnostics", "tma", "tensor-memory", "tile-front-end")


class Ods:
    """Ops with their traits, type mnemonics and passes of the .td files."""

    def __init__(self):
        tablegen = next((t for t in TABLEGEN if shutil.which(t)), None)
        if not tablegen:
            sys.exit("contract: llvm-tblgen is not installed; utils/setup.sh installs it")
        files = [p for pattern in ("*/ops/*.td", "*/families/*/*.td", "*/[CP]*.td") for p in sorted((ROOT / "tessera").glob(pattern))]
        text = "".join(f'include "{p.relative_to(ROOT)}"\n' for p in files)
        done = subprocess.run([tablegen, "--dump-json", "-I", UPSTREAM, "-I", ROOT, "-"], input=text, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"contract: {done.stderr}")
        self.records = json.loads(done.stdout)
        kinds, get = self.records["!instanceof"], self.records.get
        self.ops = {f'{get(get(n)["opDialect"]["def"])["name"]}.{get(n)["opName"]}': get(n) for n in kinds["Op"]}
        self.types = {f'!{get(get(n)["dialect"]["def"])["name"]}.{get(n)["mnemonic"]}' for n in kinds["TypeDef"] if get(n)["mnemonic"]}
        self.passes = {f'--{get(n)["argument"]}' for n in kinds["PassBase"]}

    def traits(self, op):
        """The traits of an op, lists of them taken apart."""
        pending, found = [t["def"] for t in self.ops[op]["traits"]], []
        while pending:
            record = self.records[pending.pop()]
            found.append(record)
            pending += [t["def"] for t in record.get("traits", [])]
        return found

    def has(self, op, name):
        return any(t["!name"] == name for t in self.traits(op))

    def effects(self, op):
        return any(t.get("trait") == "MemoryEffectOpInterface::Trait" and t["effects"] for t in self.traits(op))

    def verified(self, op):
        return self.ops[op]["hasVerifier"] or self.has(op, "Cute_InferByEvaluate")


CLASSES = {
    "pure": lambda ods, op: ods.has(op, "NoMemoryEffect"),
    "effecting": Ods.effects,
    "inferring": lambda ods, op: ods.has(op, "InferTypeOpInterface"),
    "verifying": Ods.verified,
    "helper": lambda ods, op: ods.has(op, "NoMemoryEffect"),
}


def text_of(path):
    return (ROOT / path).read_text(errors="replace")


def where_fault(token, ods):
    """Why a place does not exist, or None."""
    known = {"!": ods.types, "-": ods.passes}.get(token[0])
    if known is None and "/" in token:
        path, _, word = token.partition(":")
        if not (ROOT / path).is_file():
            return f"there is no file {path}"
        return None if re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text_of(path)) else f"{path} has no {word}"
    return None if token in (known if known is not None else ods.ops) else f"no .td file defines {token}"


def directives(text):
    """A lit test without its prose: what is run, and what is expected of it."""
    prose = re.compile(r"\s*(//|#)(?! -----$)(?!.*\b(RUN|[A-Z][A-Z0-9_-]*|expected-\w+)\s*[:{@])")
    return "".join(line for line in text.splitlines(keepends=True) if not prose.match(line))


def lit_test(path, function):
    """(text, fault) of a lit test, or of the parts of it that name a function."""
    text = directives(text_of(path))
    if not re.search(r"(//|#) RUN:", text):
        return "", f"{path} has no RUN line"
    if re.search(r"\b(XFAIL|UNSUPPORTED):", text):
        return "", f"{path} is expected to fail, or does not always run"
    if not function:
        return text, None
    parts = [p for p in re.split(r"(?m)^(?=.*-LABEL:)|^// -----$", text) if re.search(rf"@{re.escape(function)}\b", p)]
    return "\n".join(parts), None if parts else f"{path} has no function @{function}"


def google_test(path, name):
    """(text, fault) of the file that has a GoogleTest."""
    text, (suite, _, test) = text_of(path), name.partition(".")
    found = re.search(rf"^TEST(?:_F|_P)?\(\s*{suite},\s*{test}\s*\)(.*?)(?=^TEST|\Z)", text, re.M | re.S)
    if not found:
        return "", f"{path} has no test {name}"
    # The rows of a test with parameters, and what a test calls, are elsewhere in the file.
    return text, f"{name} may be skipped" if "GTEST_SKIP" in found[1] or "DISABLED" in name else None


def ctest(name):
    """(text, fault) of a test that CMake adds: the line that says what it runs."""
    texts = (p.read_text() for p in sorted((ROOT / "test").glob("**/CMakeLists.txt")))
    found = next(filter(None, (re.search(rf"add_test\(NAME {re.escape(name)} .*", text) for text in texts)), None)
    return (found[0], None) if found else ("", f"no CMakeLists.txt of test/ adds a test {name}")


def test_text(token):
    if token.startswith("ctest:"):
        return ctest(token.removeprefix("ctest:"))
    path, separator, name = re.match(r"([^@:]*)([@:]?)(.*)", token).groups()
    if not (ROOT / path).is_file():
        return "", f"there is no test {path}"
    return google_test(path, name) if separator == ":" else lit_test(path, name)


def lit_fault(tests, build):
    """The lit tests that do not pass in a build, with how they end instead."""
    lit = next(t for t in ("lit", "llvm-lit", "/usr/lib/llvm-22/bin/lit") if shutil.which(t))
    names = sorted(t.removeprefix("test/ir/") for t in tests)
    done = subprocess.run([lit, "-v", "--filter", "|".join(f"(^|[ /]){re.escape(n)}$" for n in names), build / "test"],
                          capture_output=True, text=True)
    ends = {name: end for end, name in re.findall(r"^([A-Z]+): \S+ :: (\S+)", done.stdout, re.M)}
    return [f"test/ir/{n}: {ends.get(n, 'was not run')}" for n in names if ends.get(n) != "PASS"]


def google_fault(path, name, build):
    """How a GoogleTest ends unless it passes."""
    program = build / f"bin/tessera-{Path(path).parent.name}-test"
    done = subprocess.run([program, f"--gtest_filter={name}:*/{name}/*"], capture_output=True, text=True)
    passed = re.search(r"\[  PASSED  \] ([1-9]\d*) test", done.stdout)
    if done.returncode or not passed or "[  SKIPPED ]" in done.stdout:
        return f"{path}: {name} " + ("fails" if done.returncode else "is skipped" if passed else "was not run")
    return None


def not_passed(rows, build):
    """What the tests of all rows do not pass in a build; ctest's own are left to ctest."""
    tests = {re.sub(r"@.*", "", t) for row in rows for t in row["test"].split() if not t.startswith("ctest:")}
    google = sorted(t for t in tests if ":" in t)
    return lit_fault(tests - set(google), build) + [f for f in (google_fault(*t.split(":"), build) for t in google) if f]


def google_cases(program):
    """(suite, test) of each case of a GoogleTest program, without its parameters; none if it is not built."""
    if not program.is_file():
        return set()
    suite, cases = "", set()
    for line in subprocess.run([program, "--gtest_list_tests"], capture_output=True, text=True).stdout.splitlines():
        if line.startswith("  "):
            cases.add((suite, line.split()[0].split("/")[0]))
        elif found := re.match(r"(?:\S+/)?(\w+)(?:/\d+)?\.", line):
            suite = found[1]
    return cases


def not_in_suite(rows, build):
    """The tests of all rows that ctest does not run in a build: programs, cases and files that it does not know."""
    suite = json.loads(subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], capture_output=True, text=True).stdout)
    tests = {t["name"]: t for t in suite["tests"]
             if not any(p["name"] == "DISABLED" and p["value"] for p in t.get("properties", []))}
    programs = {Path(t["command"][0]).name for t in tests.values() if t.get("command")}
    lit = next((t for t in ("lit", "llvm-lit", "/usr/lib/llvm-22/bin/lit") if shutil.which(t)), None)
    files = set()
    if lit and "lit" in tests:
        shown = subprocess.run([lit, "--show-tests", build / "test"], capture_output=True, text=True).stdout
        files = set(re.findall(r":: (\S+)$", shown, re.M))
    cases = {}
    for token in sorted({re.sub(r"@.*", "", t) for row in rows for t in row["test"].split()}):
        if token.startswith("ctest:"):
            known, who = token.removeprefix("ctest:") in tests, "ctest"
        elif ":" not in token:
            known, who = token.removeprefix("test/ir/") in files, "lit"
        else:
            path, name = token.split(":")
            who = f"tessera-{Path(path).parent.name}-test"
            if who not in cases:
                cases[who] = google_cases(build / "bin" / who) if who in programs else set()
            known = tuple(name.split(".")) in cases[who]
        if not known:
            yield f"{token}: {who}, as ctest runs it, has no such test"


def occurs(witness, text):
    """A name is looked for with its neighbours: cute.make_shape is not cute.make_shape_of."""
    return re.search(rf"(?<![\w.]){re.escape(witness)}(?!\w|\.\w)" if re.match(r"\w+\.", witness) else re.escape(witness), text)


def faults(row, ods, decided):
    """What is wrong with a row."""
    for column in ("page", "heading", "name", "kind", "says", "state"):
        if not row[column]:
            yield f"column {column} is empty"
    if row["heading"] not in headings().get(row["page"], ()):
        yield f"docs/specification/{row['page']}.md has no heading '{row['heading']}'"
    if row["kind"] not in KINDS or row["state"] not in NEEDS:
        yield f"there is no kind {row['kind']} or no state {row['state']}"
        return
    yield from (f"state {row['state']} needs column {column}" for column in NEEDS[row["state"]] if not row[column])
    if row["state"] == "differs" and row["note"].split(":")[0] not in decided:
        yield f"docs/decisions.md has no point and no part '{row['note'].split(':')[0]}'"
    places, text = row["where"].split(), ""
    yield from filter(None, (where_fault(place, ods) for place in places))
    for token in row["test"].split():
        more, fault = test_text(token)
        text += more
        if fault:
            yield fault
    names = [p for p in places if "/" not in p]
    witnesses = row["witness"].split(" ;; ") if row["witness"] else names if row["test"] else []
    if row["state"] == "done" and not witnesses:
        yield "nothing says what the test has to have: column witness"
    yield from (f"the test has no {w}" for w in witnesses if not occurs(w, text))
    ops = [p for p in names if p in ods.ops]
    if row["kind"] == "op" and row["state"] == "done" and not ops:
        yield "an op that is done is named in column where"
    if row["state"] in ("done", "differs"):
        yield from (f"{op} is not {c}" for c in row["class"].split() for op in ops if not CLASSES[c](ods, op))


def decisions():
    """The points of the decisions' table, and the parts of their page."""
    text = text_of("docs/decisions.md")
    return {name for pair in re.findall(r"^## (.*)$|^\| ([^|]*) \|", text, re.M) for name in pair}


@functools.cache
def headings():
    """The headings of each page of the specification, in order."""
    return {page: re.findall(r"^## (.*)$", text_of(f"docs/specification/{page}.md"), re.M) for page in PAGES}


def anchor(heading):
    """The anchor of a heading, as the hosting site makes it."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def cell(text):
    return text.replace("|", "\\|").replace("<", "&lt;")


def code(text):
    return " ".join(f"`{word}`" for word in text.split())


def page(rows):
    counts = Counter((r["page"], r["state"]) for r in rows)
    lines = [HEAD, "| state | meaning | " + " | ".join(PAGES) + " | all |", "|---" * (len(PAGES) + 3) + "|"]
    for state, meaning in MEANING.items():
        each = [counts[p, state] for p in PAGES]
        lines.append(f"| {state} | {meaning} | " + " | ".join(map(str, each)) + f" | {sum(each)} |")
    lines.append("| | | " + " | ".join(str(sum(counts[p, s] for s in MEANING)) for p in PAGES) + f" | {len(rows)} |")
    order = {(p, h): i for i, (p, h) in enumerate((p, h) for p in PAGES for h in headings()[p])}
    placed = sorted((r for r in rows if (r["page"], r["heading"]) in order), key=lambda r: order[r["page"], r["heading"]])
    for name, part in groupby(placed, lambda r: r["page"]):
        lines.append(f"\n## {name}")
        for heading, group in groupby(part, lambda r: r["heading"]):
            lines += [f"\n### [{heading}](specification/{name}.md#{anchor(heading)})\n", "| name | kind | what it says | class | here | test | state |", "|---|---|---|---|---|---|---|"]
            for r in group:
                state = r["state"] + (f": {r['note']}" if r["note"] else "")
                lines.append("| " + " | ".join((f"`{r['name']}`".replace("|", "\\|"), r["kind"], cell(r["says"]), r["class"],
                                                code(r["where"]), code(r["test"]), cell(state))) + " |")
    return "\n".join(lines) + "\n"


def main():
    with TABLE.open(newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    if not rows or tuple(rows[0]) != COLUMNS:
        sys.exit(f"contract: {TABLE.name} is to begin with the columns {', '.join(COLUMNS)}")
    malformed = [i for i, row in enumerate(rows, 2) if None in row.values() or None in row]
    if malformed:
        sys.exit(f"contract: lines of {TABLE.name} with another number of columns: {malformed}")
    ods, decided, wrong = Ods(), decisions(), []
    twice = Counter((r["page"], r["heading"], r["name"], r["says"]) for r in rows)
    for line, row in enumerate(rows, 2):
        found = list(faults(row, ods, decided))
        if twice[row["page"], row["heading"], row["name"], row["says"]] > 1:
            found.append("there are two such rows")
        wrong += [f"{TABLE.relative_to(ROOT)}:{line}: {row['name']}: {fault}" for fault in found]
    written = page(rows)
    for option, check in (("--built", not_in_suite), ("--ran", not_passed)):
        if option in sys.argv:
            wrong += check(rows, Path(sys.argv[sys.argv.index(option) + 1]).resolve())
    if "--write" in sys.argv:
        PAGE.write_text(written)
    elif not PAGE.is_file() or PAGE.read_text() != written:
        wrong.append(f"{PAGE.relative_to(ROOT)} is not what {TABLE.name} says: run utils/contract.py --write")
    print("\n".join(wrong) + "\n" if wrong else "", end="")
    states = Counter(r["state"] for r in rows)
    print(f"contract: {len(rows)} rows, " + ", ".join(f"{states[s]} {s}" for s in MEANING) + f"; {len(wrong)} faults")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
