"""Mutants of PTX: one instruction that synchronises is deleted, or weakened."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import re
from collections import Counter
from typing import NamedTuple


class Mutant(NamedTuple):
    line: int
    how: str
    context: str  # the instruction as it was
    text: str
    around: str  # "#n" as the nth such instruction; lines before, `>>>` and the instruction, lines after; registers without numbers
    among: str  # the same with only those lines that synchronise, copy in bulk or multiply, each once


def deleted(_):
    return "// deleted"


def one_more(m):
    """wait_group N as wait_group N + 1."""
    return re.sub(r"(\d+)\s*;", lambda n: f"{int(n[1]) + 1};", m.string)


def passes(m):
    """A wait that comes through at once."""
    return re.sub(r"mbarrier\.\w+_wait\S*\s+([^,]+),.*;", r"setp.eq.u32 \1, 0, 0;", m.string)


def other_parity(m):
    flipped = re.sub(r"(\[[^\]]*\],\s*)[^,;]+", r"\1tessera_mutant", m.string)
    return f".reg .b32 tessera_mutant; xor.b32 tessera_mutant, {parity(m)}, 1; {flipped}"


def parity(m):
    return re.search(r"\[[^\]]*\],\s*([^,;]+)", m.string)[1]


def last_plus(amount):
    """The last operand and so much more."""
    def change(m):
        operand = re.search(r",\s*([^,;\]]+);", m.string)[1]
        changed = re.sub(r",\s*[^,;\]]+;", ", tessera_mutant;", m.string)
        return f".reg .b32 tessera_mutant; add.u32 tessera_mutant, {operand}, {amount}; {changed}"
    return change


def relaxed(m):
    """A wait or an arrival that passes nothing on."""
    weak = re.sub(r"\.(acquire|release)(\.cta|\.cluster)", r".relaxed\2", m.string)
    return weak if weak != m.string else re.sub(r"(mbarrier\.(arrive_drop|arrive|\w+_wait(\.parity)?))", r"\1.relaxed.cluster", weak)


def first_block_only(m):
    """The mask of a multicast, which is the last operand."""
    return ".reg .b16 tessera_mutant; mov.b16 tessera_mutant, 1; " + re.sub(r",\s*[^,;\]]+;", ", tessera_mutant;", m.string)


def other_group(m):
    return re.sub(r"cta_group::(\d)", lambda n: f"cta_group::{3 - int(n[1])}", m.string)


def replaced(old, new):
    return lambda m: re.sub(old, new, m.string, count=1)


def everyone(m):
    """An election that all lanes win."""
    return re.sub(r"elect\.sync\s+[^|]*\|\s*(%?\w+)\s*,[^;]*;", r"setp.eq.u32 \1, 0, 0;", m.string)


# Which instructions, and what is done to them. `(?!...)` keeps apart what has a row of its own.
MUTATIONS = [
    (r"\b(bar|barrier)(\.cta)?\.(sync|arrive|red)\b", [("deleted", deleted)]),
    (r"\bbar\.warp\.sync\b", [("deleted", deleted)]),
    (r"\bbarrier\.cluster\.arrive\b(?!\.relaxed)",
     [("deleted", deleted), ("relaxed", replaced(r"arrive(\.release)?", "arrive.relaxed"))]),
    (r"\bbarrier\.cluster\.arrive\.relaxed", [("deleted", deleted)]),
    (r"\bbarrier\.cluster\.wait\b", [("deleted", deleted)]),
    (r"\bfence\.(proxy|mbarrier_init)\b", [("deleted", deleted)]),
    (r"(?<![.\w])(membar|fence)\.(?!proxy|mbarrier)", [("deleted", deleted)]),
    (r"(?<![.\w])(membar|fence)\.(?!proxy|mbarrier)\S*(gl|gpu|sys)\b", [("scope cta", replaced(r"\b(gl|gpu|sys)\b", "cta"))]),
    (r"\bwgmma\.(fence|commit_group)\b", [("deleted", deleted)]),
    (r"\b(wgmma|cp\.async|cp\.async\.bulk)\.wait_group\b", [("deleted", deleted), ("one more", one_more)]),
    (r"\bcp\.async\.wait_all\b", [("deleted", deleted)]),
    (r"\bcp\.async\.(bulk\.)?commit_group\b", [("deleted", deleted)]),
    (r"\bcp\.async\.mbarrier\.arrive\b", [("deleted", deleted)]),
    (r"\bmbarrier\.init\b", [("deleted", deleted), ("count + 1", last_plus(1))]),
    (r"(?<!\.)\bmbarrier\.arrive(?!\S*expect_tx)", [("deleted", deleted)]),
    # PTX has .relaxed neither of cp.async.mbarrier.arrive nor of arrivals with .noComplete.
    (r"(?<!\.)\bmbarrier\.arrive(?!\S*(expect_tx|relaxed|noComplete))", [("relaxed", relaxed)]),
    (r"\bmbarrier\.\S*(acquire|release)\.cluster\b", [("scope cta", replaced(r"(acquire|release)\.cluster", r"\1.cta"))]),
    (r"\bmbarrier\.(arrive\.)?expect_tx\b", [("deleted", deleted), ("bytes + 16", last_plus(16))]),
    (r"\bmbarrier\.(test|try)_wait\b", [("passes", passes)]),
    (r"\bmbarrier\.(test|try)_wait\.parity\b", [("other parity", other_parity)]),
    (r"\bmbarrier\.(test|try)_wait\b(?!\S*relaxed)", [("relaxed", relaxed)]),
    (r"\btcgen05\.(wait|fence)::", [("deleted", deleted)]),
    (r"\btcgen05\.(commit|dealloc)\b", [("deleted", deleted), ("other group", other_group)]),
    (r"\btcgen05\.commit\S*multicast", [("first block only", first_block_only)]),
    (r"\belect\.sync\b", [("everyone", everyone)]),
    (r"\b(ld|atom|st|red)\.(acquire|release|acq_rel)\b", [("relaxed", replaced(r"\.(acquire|release|acq_rel)\b", ".relaxed"))]),
    (r"\b(ld|atom|st|red)\.(acquire|release|acq_rel)\.(gpu|sys)\b", [("scope cta", replaced(r"\.(gpu|sys)\b", ".cta"))]),
    (r"\b(ld|st)\.(volatile|relaxed\.\w+)\.", [("weak", replaced(r"\.(volatile|relaxed\.\w+)\.", "."))]),
]


NEAR = re.compile("|".join([pattern for pattern, _ in MUTATIONS] + [r"\bcp\.(reduce\.)?async\.bulk", r"\b(wgmma|tcgen05)\.mma"]))


def without_numbers(code):
    return re.sub(r"%[a-z]+\d+", "%", " ".join(code.split()))


def among(lines, i):
    """The four lines of NEAR before line i, and the four after it; of equal ones beside each other one."""
    def four(numbers):
        out = []
        for n in numbers:
            line = without_numbers(lines[n].split("//")[0])
            if len(out) < 4 and NEAR.search(line) and out[-1:] != [line]:
                out.append(line)
        return out
    before, after = four(range(i - 1, max(0, i - 2000), -1)), four(range(i + 1, min(len(lines), i + 2000)))
    return "\n".join(before[::-1] + [">>>" + without_numbers(lines[i].split("//")[0])] + after)


def mutants_of(text):
    lines, out, seen = text.split("\n"), [], Counter()
    for i, line in enumerate(lines):
        code = line.split("//")[0]
        for pattern, changes in MUTATIONS:
            found = re.search(pattern, code)
            plain = without_numbers(code)
            if found:
                seen[pattern, plain] += 1
            for how, change in changes if found else []:
                # An inline-assembly line may have braces and declarations around its instruction: only that one changes.
                parts = re.split(r"(?<=;)", code)
                parts = [change(re.search(r".*", p)) if re.search(pattern, p) else p for p in parts]
                near = lines[max(0, i - 6):i] + [">>>" + code.strip()] + lines[i + 1:i + 9]
                lines_near = "\n".join(" ".join(one.split()) for one in near if one.strip())
                around = f"#{seen[pattern, plain]}\n" + re.sub(r"%[a-z]+\d+", "%", lines_near)
                text_now = "\n".join(lines[:i] + ["".join(parts)] + lines[i + 1:])
                out.append(Mutant(i + 1, how, code.strip(), text_now, around, among(lines, i)))
    return out
