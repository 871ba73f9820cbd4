#!/usr/bin/env python3
"""Feeds damaged CuTe IR to a tool and reports every file on which it does not answer like a compiler.

  utils/fuzz-ir.py TESSERA [--seconds 60] [--seed 1] [--keep FOLDER] [FILE...]
  utils/fuzz-ir.py TESSERA --verify TESSERA-OPT ...

Each case takes a file (default: those of examples/, test/ir and $TESSERA_CORPUS), changes one to four places -- a number,
a type, a name, a line, a stretch of text, the end -- and runs `TESSERA compile`. Right is exit code 0, or 2 with a
sentence that begins with "error" or follows a location. Anything else (a signal, another code, silence, 20 seconds) is
kept, shrunk to fewer changed places, in FOLDER (default: build/fuzz-ir), and listed. Exit code 1 if there was any.

With --verify the cases are only parsed and verified, many in one run of TESSERA-OPT, which is a hundred times as fast under
sanitizers. Files whose spelling it does not read go through TESSERA's import first; those that are not IR even then are left out.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse
import os
import random
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NUMBERS = ["0", "1", "-1", "2", "3", "7", "8", "16", "32", "33", "64", "128", "255", "256", "4096", "2147483647", "2147483648",
           "4294967296", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "?", "_", "1@0", "1@1@0"]
TYPES = ["i1", "i4", "i8", "i32", "i64", "i128", "index", "f16", "bf16", "f32", "f64", "tf32", "f8E4M3FN", "f4E2M1FN", "none", "!llvm.ptr",
         "vector<4xf32>", "vector<[4]xf32>", "tensor<4xf32>", "memref<4xf32>", "complex<f32>", "tuple<i32>",
         '!cute.layout<"(4,8):(1,4)">', '!cute.layout<"S<3,4,3> o 0 o (8,8):(8,1)">', '!cute.shape<"(?,?)">',
         '!cute.int_tuple<"(1,2)">', '!cute.ptr<f16, smem>', '!cute.memref<f16, rmem, "(8):(1)">', '!cute.tile<"[4:1;8:1]">']
SPACES = ["gmem", "smem", "rmem", "tmem", "generic"]
NUMBER = re.compile(r"(?<![\w%@])-?\d+(?!\w)")
TYPE = re.compile(r"\b(?:i(?:1|8|32|64)|b?f16|f32|f64|f8E4M3FN)\b")
TUPLE = re.compile(r"\([^()\"]*\)")
STRING = re.compile(r'"[^"\n]*"')
NAME = re.compile(r"%\w+(?:[:#]\d+)?")
SPACE = re.compile(r"\b(?:gmem|smem|rmem|tmem|generic)\b")


def one_of(pattern, make):
    def change(text, rng):
        found = list(pattern.finditer(text))
        if not found:
            return None
        at = rng.choice(found)
        return at.start(), at.end(), make(at[0], found, rng)
    return change


def lines(text, rng):
    rows = [0] + [m.end() for m in re.finditer("\n", text)]
    return rows, rng.randrange(len(rows) - 1) if len(rows) > 1 else 0


def drop_line(text, rng):
    rows, i = lines(text, rng)
    return (rows[i], rows[i + 1], "") if len(rows) > 1 else None


def repeat_line(text, rng):
    rows, i = lines(text, rng)
    return (rows[i], rows[i], text[rows[i]:rows[i + 1]]) if len(rows) > 1 else None


def drop_stretch(text, rng):
    at = rng.randrange(len(text) + 1)
    return at, min(len(text), at + rng.choice([1, 2, 5, 20, 200])), ""


def put_junk(text, rng):
    at = rng.randrange(len(text) + 1)
    return at, at, rng.choice(["(", ")", "<", ">", '"', "{", "}", ":", ",", "\0", "\xff", "((((((((", "-", "o", "@", "S<3,4,3> o 0 o "])


def truncate(text, rng):
    return rng.randrange(len(text) + 1), len(text), ""


CHANGES = [
    one_of(NUMBER, lambda old, found, rng: rng.choice(NUMBERS)),
    one_of(NUMBER, lambda old, found, rng: rng.choice(found)[0]),
    one_of(NUMBER, lambda old, found, rng: str(int(old) + rng.choice([-1, 1]))),
    one_of(TYPE, lambda old, found, rng: rng.choice(TYPES)),
    one_of(STRING, lambda old, found, rng: rng.choice(found)[0]),
    one_of(STRING, lambda old, found, rng: rng.choice(found)[0]),
    one_of(TUPLE, lambda old, found, rng: rng.choice(found)[0]),
    one_of(TUPLE, lambda old, found, rng: rng.choice(["()", "(?)", "(1)", "(?,?)", "(1,2,3)", "((1,2),3)", "(1@0,1@1)", "(0,0)"])),
    one_of(NAME, lambda old, found, rng: rng.choice(found)[0]),
    one_of(SPACE, lambda old, found, rng: rng.choice(SPACES)),
    drop_line, repeat_line, drop_stretch, put_junk, truncate,
]


def apply(text, edits):
    """Edits are (start, end, new) in the original text; overlapping ones are left out."""
    out, at = [], 0
    for start, end, new in sorted(edits):
        if start >= at:
            out += [text[at:start], new]
            at = end
    return "".join(out + [text[at:]])


SPLIT = "\n// -----\n"
# What ends mlir-opt of LLVM 22.1 too: Parser::parseDenseArrayAttr asks any type for its width.
UPSTREAM = re.compile(r"\barray<\s*(?!i1\b|i8\b|i16\b|i32\b|i64\b|f32\b|f64\b)[a-z!]")


def answer(command, text, limit):
    """(exit code or None where there is none in time, stderr)"""
    try:
        done = subprocess.run(command, input=text.encode("utf-8", "replace"), capture_output=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return None, f"no answer in {limit} s"
    return done.returncode, done.stderr.decode("utf-8", "replace")


def head_of(code, said):
    marks = "Assertion", "LLVM ERROR", "runtime error", "AddressSanitizer", "UNREACHABLE"
    return f"exit code {code}: " + next((l for l in said.splitlines() if any(m in l for m in marks)), said.strip()[-200:])


class Compile:
    """One case a run: compiled for a target."""
    size = 1

    def __init__(self, tessera):
        self.tessera = tessera

    def verdict(self, text, arch, limit=20):
        """Why the answer is none, or an empty string."""
        if UPSTREAM.search(text):
            return ""
        code, said = answer([self.tessera, "compile", "-", "--arch", arch, "--no-cache", "-o", "/dev/null"], text, limit)
        if code is None:
            return said
        if code not in (0, 2):
            return head_of(code, said)
        if code == 2 and "error" not in said:
            return "refused without a sentence"
        if "a pass of Tessera made an op that does not verify" in said:
            return "made an invalid op: " + next((l for l in said.splitlines() if "error" in l), "")[:200]
        return ""

    def verdicts(self, cases):
        return [self.verdict(text, arch) for text, arch in cases]

    def read(self, text):
        return text


class Verify(Compile):
    """Many cases a run: parsed and verified."""
    size = 64

    def __init__(self, tessera, opt):
        super().__init__(tessera)
        self.opt = opt

    def verdict(self, text, arch, limit=120):
        if UPSTREAM.search(text):
            return ""
        code, said = answer([self.opt, "--split-input-file", "-o", "/dev/null"], text, limit)
        if code is None:
            return said
        return "" if code == 0 or (code == 1 and "error" in said) else head_of(code, said)

    def verdicts(self, cases):
        together = SPLIT.join("" if UPSTREAM.search(text) else text for text, _ in cases)
        return [""] * len(cases) if not self.verdict(together, "") else super().verdicts(cases)

    def read(self, text):
        """As LLVM 22 and the dialects of Tessera spell it, or None."""
        if answer([self.opt, "-o", "/dev/null"], text, 60)[0] == 0:
            return text
        _, said = answer([self.tessera, "compile", "-", "--no-cache", "--emit", "mlir", "-o", "/dev/null",
                          "--print-ir-after", "tessera-check-target"], text, 60)
        printed = said.partition("IR Dump After")[2].partition("\n")[2].partition("// -----//")[0]
        return printed if printed and answer([self.opt, "-o", "/dev/null"], printed, 60)[0] == 0 else None


def shrink(way, text, edits, arch):
    for edit in list(edits):
        fewer = [e for e in edits if e is not edit]
        if fewer and way.verdict(apply(text, fewer), arch):
            edits = fewer
    return edits


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tessera")
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--largest", type=int, default=300_000, help="leave out files of more bytes (default: %(default)s)")
    parser.add_argument("--keep", type=Path, default=ROOT / "build" / "fuzz-ir")
    parser.add_argument("--verify", metavar="TESSERA-OPT", help="parse and verify only")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    way = Verify(options.tessera, options.verify) if options.verify else Compile(options.tessera)
    files = options.files
    if not files:
        files = [*ROOT.glob("examples/*.mlir"), *ROOT.glob("test/ir/*.mlir")]
        if corpus := os.environ.get("TESSERA_CORPUS"):
            files += Path(corpus).glob("*/*.mlir")
    parts = []
    for path in sorted(files):
        text = path.read_text()
        if len(text) <= options.largest:
            parts += [(path, way.read(part)) for part in text.split("// -----")]
    parts = [(path, text) for path, text in parts if text is not None]
    if not parts:
        sys.exit("fuzz-ir: no file to damage")
    options.keep.mkdir(parents=True, exist_ok=True)
    started, cases, bad = time.monotonic(), 0, {}

    def case(number):
        rng = random.Random(f"{options.seed}:{number}")
        path, text = rng.choice(parts)
        edits = [e for e in (rng.choice(CHANGES)(text, rng) for _ in range(rng.randint(1, 4))) if e]
        return number, path, text, edits, rng.choice(["sm_80", "sm_90a", "sm_100a"])

    def batch(first):
        found = [case(number) for number in range(first, first + way.size)]
        whys = way.verdicts([(apply(text, edits), arch) for _, _, text, edits, arch in found])
        return [(*one, why) for one, why in zip(found, whys)]

    with ThreadPoolExecutor(options.jobs) as pool:
        while time.monotonic() - started < options.seconds:
            firsts = range(cases, cases + 8 * options.jobs * way.size, way.size)
            for number, path, text, edits, arch, why in (one for some in pool.map(batch, firsts) for one in some):
                cases += 1
                if not why:
                    continue
                kind = re.sub(r"0x[0-9a-f]+|\d{3,}", "N", why)
                if kind in bad:
                    continue
                edits = shrink(way, text, edits, arch)
                kept = options.keep / f"{options.seed}-{number}.mlir"
                kept.write_text(apply(text, edits))
                bad[kind] = kept
                shown = ", ".join(f"{text[s:e][:40]!r} -> {n[:40]!r}" for s, e, n in edits)
                print(f"{kept} ({arch}, {path.name}: {shown})\n  {why}", flush=True)
    print(f"fuzz-ir: {cases} damaged files in {time.monotonic() - started:.0f} s, {len(bad)} kinds of wrong answer")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
