#!/usr/bin/env python3
"""Spellings of instructions that ptxas takes, and what the simulator's parser says to them.

spellings.py LIBRARY: reads spellings.txt with libtessera-sim-c.so. Each spelling is read, or refused as missing with a reason. Exit code 1: one is not.
spellings.py --ask REFERENCE PTXAS: asks ptxas and writes spellings.txt again, in a few minutes.

What is asked: every form of the table (docs/reference/ptx-instructions.md) with each of its words, and SEEDS for rows that state no form; every word
of all forms put into one spelling of each row, and in place of each of its words, to learn which words a mnemonic knows; these words put into every
spelling; and all pairs of words of what was taken, in both orders. A line of spellings.txt has operands, a colon, and the spellings that have them.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import collections
import ctypes
import itertools
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
DATA = HERE / "spellings.txt"
# ptxas 13.0 knows no sm_70; it reads the same text for sm_75.
TARGETS = ("sm_75", "sm_80", "sm_90a", "sm_100a", "sm_103a", "sm_120a")
HEAD = """.version 9.0
.target %s
.address_size 64
.visible .entry k() {
.reg .b32 r<32>; .reg .b64 d<32>; .reg .pred p<32>; .reg .b16 h<32>; .reg .b128 q<32>;
"""
PART = 3000  # instructions of one text
MOST = 40  # spellings with the same name and operands that are kept

# Words that ptxas lets pass though the ISA gives them no place there, and no meaning: compilers do not write them. Beside these: a word that
# ptxas takes with half of all mnemonics (.finite, .box_dim), a word that is there twice (.approx.approx), and what isIdle says of operands.
IDLE = {
    "": {"pred", "acc::f16", "acc::f32"},
    "bar": {"any", "all"},
    "barrier": {"wait::ld", "wait::st"},
    "cp": {"cta", "cluster", "gpu", "sys"},
    "fence": {"sync_restrict::shared::cta", "sync_restrict::shared::cluster", "shared::cta", "shared::cluster", "shared", "global"},
    "tcgen05": {"row", "col"},
    "tensormap": {"box_dim", "elemtype", "element_stride", "fill_mode", "global_address", "global_dim", "global_stride", "interleave_layout", "rank",
                  "swizzle_atomicity", "swizzle_mode"},
    "wmma": {"v2", "v4", "v8"},
}
# Names whose words the atom table decides: only the orders of the words of SEEDS are asked.
FIXED = {"mma", "ldmatrix", "stmatrix", "movmatrix", "wgmma"}
SEEDS = (HERE / "spellings_seeds.txt")


class Parser:
    """The simulator's."""

    def __init__(self, library):
        self.lib = ctypes.CDLL(library)
        self.lib.tesseraSimProgramParse.restype = ctypes.c_void_p
        self.lib.tesseraSimProgramParse.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.POINTER(ctypes.c_void_p)]
        for name in ("Id", "Text"):
            function = getattr(self.lib, "tesseraSimError" + name)
            function.restype, function.argtypes = ctypes.c_char_p, [ctypes.c_void_p]
        self.lib.tesseraSimProgramDestroy.argtypes = [ctypes.c_void_p]

    def refusal(self, instruction):
        """(id, sentence), or None."""
        text = f"{HEAD % 'sm_100a'}{instruction};\nL: ret;\n}}\n".encode()
        error = ctypes.c_void_p()
        program = self.lib.tesseraSimProgramParse(text, len(text), ctypes.byref(error))
        if program:
            self.lib.tesseraSimProgramDestroy(program)
            return None
        return self.lib.tesseraSimErrorId(error).decode(), self.lib.tesseraSimErrorText(error).decode()


def kept():
    for line in DATA.read_text().split("\n"):
        if line and not line.startswith("#"):
            operands, _, spellings = line.partition(" : ")
            for spelling in spellings.split():
                yield f"{spelling} {operands.strip()}".strip()


def check(library):
    parser, counts, wrong = Parser(library), collections.Counter(), []
    for instruction in kept():
        refusal = parser.refusal(instruction)
        what = "read" if not refusal else "missing with a reason" if refusal[0] in ("MissingInstruction", "VectorOfEight") else "refused"
        counts[what] += 1
        if what == "refused":
            wrong.append(f"{instruction}: {refusal[1].splitlines()[0]}")
    print("\n".join(wrong[:100]))
    print(", ".join(f"{n} {what}" for what, n in counts.most_common()))
    return len(wrong) > 0 or counts["read"] < 1000


# --- Asking


class Table:
    """The rows, sets and types of the simulator, from its reference and tables."""

    def __init__(self, reference):
        root = HERE.parents[1]
        self.sets = dict((name, words.split("|")) for name, words in
                         re.findall(r'^SET\("(<\w+>)", "([^"]*)"\)', (root / "tessera/sim/Sets.def").read_text(), re.M))
        self.bits = {}
        for name, part, parts in re.findall(r"^TYPE\((\w+), (\w+), (\d)\)", (root / "tessera/ptx_text/Types.def").read_text(), re.M):
            narrow = {"b1": 1, "e4m3": 8, "e5m2": 8, "e2m3": 8, "e3m2": 8, "e2m1": 4, "ue8m0": 8, "tf32": 32, "bf16": 16}
            self.bits[name] = int(parts) * (narrow[part] if part in narrow else int(re.sub(r"\D", "", part)))
        self.rows = []
        for line in Path(reference).read_text().split("\n"):
            row = re.match(r"\| `([^`]*)` \| `?([^`]*?)`? \| ", line)
            if row and "..." not in row[1] and "..`" not in line and not row[1].startswith("<"):
                self.rows.append((*self.items(row[1].replace("\\|", "|")), row[2].replace("\\|", "|")))

    def items(self, form):
        """The name of `add{.sat}.s32`, and of each word: its choices, whether it may be missing."""
        name = re.match(r"[a-z0-9_]+", form)[0]
        out = []
        for loose, body, choices, _ in re.findall(r"(\{)?\.(\(([^)]*)\)|[^.{}*]+)\}?(\*)?", form[len(name):]):
            words = [w for word in (choices or body).split("|") for w in self.sets.get(word, [word])]
            out.append((words, bool(loose)))
        return name, out

    def spellings(self):
        """(name, words, operands of the row): each word of each form once, the others at their first choice."""
        for name, items, operands in self.rows:
            first = [None if loose else words[0] for words, loose in items]
            yield name, tuple(w for w in first if w), operands
            for i, (words, _) in enumerate(items):
                for word in words:
                    yield name, tuple(w for w in first[:i] + [word] + first[i + 1:] if w), operands

    def operands(self, pattern, words, most=4):
        """Texts of operands that fit a row's pattern with these words."""
        types = [w for w in words if w in self.bits]
        vector = next((int(w[1]) for w in words if re.fullmatch("v[248]", w)), 1)
        numbers = itertools.count()

        def register(bits):
            return {1: "p", 64: "d", 128: "q"}.get(bits, "h" if bits <= 16 else "r") + str(next(numbers))

        def choices(item):
            what = item.lstrip("=~").rstrip("?").rstrip("|").replace("{_}", "{}")
            isList, what = what.endswith("{}"), what.removesuffix("{}").removesuffix(".")
            if what in ("addr", "imm", "label"):
                return {"addr": ["[d0]", "[r0]"], "imm": ["1", "16", "0"], "label": ["L"]}[what]
            which = {"t": -1, "t0": 0, "t1": 1, "t2": 2, "w": -1}.get(what)
            named = types[min(which, len(types) - 1)] if which is not None and types else what
            bits = self.bits.get(named, 32) * (2 if what == "w" else 1)
            if isList and vector > 1:
                return ["{" + ", ".join(register(bits) for _ in range(vector)) + "}"]
            return [register(b) for b in dict.fromkeys([bits, 32] if "~" in item else [bits])]

        items = pattern.split()
        if any(i in ("...", "any", "any?") for i in items):
            return []
        out = []
        for mask in itertools.product([False, True], repeat=sum(i.endswith("?") for i in items)):
            take = iter(mask)
            present = [i for i in items if not i.endswith("?") or next(take)]
            out += [", ".join(c) for c in itertools.islice(itertools.product(*map(choices, present)), most)]
        return out


class Asker:
    def __init__(self, ptxas):
        self.ptxas, self.taken = ptxas, {}  # instruction: whether

    def one(self, target, part):
        """Which of some instructions it takes, as far as it reads them. The last line is wrong, so that it makes no code."""
        head = HEAD % target
        with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
            file.write(head + "".join(f"{i};\n" for i in part) + "wrong.wrong;\nL: ret;\n}\n")
            file.flush()
            done = subprocess.run([self.ptxas, f"-arch={target}", file.name, "-o", "/dev/null"], capture_output=True, text=True)
        wrong, last = set(), None
        for line, kind, text in re.findall(r"line (\d+); (error|fatal)\s*: (.*)", done.stderr):
            at = int(line) - 1 - head.count("\n")
            wrong.add(at)
            if kind == "fatal" or "Parsing error" in text:
                last = at if last is None else min(last, at)
        if len(part) in wrong:
            return [i not in wrong for i in range(len(part))]
        if last is not None:  # it read no further
            return [i not in wrong for i in range(min(last + 1, len(part)))]
        return [False] if len(part) == 1 else []  # it crashed

    def ask(self, instructions, targets=TARGETS):
        todo = [i for i in dict.fromkeys(instructions) if i not in self.taken]
        for i in todo:
            self.taken[i] = False
        for target in targets:
            left, size = [i for i in todo if not self.taken[i]], PART
            while left:
                answers = self.one(target, left[:size])
                for i, taken in zip(left, answers):
                    self.taken[i] = self.taken[i] or taken
                left = left[len(answers):]
                size = min(PART, 2 * size) if answers else max(1, min(size, len(left)) // 2)


def asked(reference, ptxas):
    table, asker, chance = Table(reference), Asker(ptxas), random.Random(23)
    known = collections.defaultdict(set)
    for name, items, _ in table.rows:
        known[name].update(w for words, _ in items for w in words)
    vocabulary = sorted({w for words in known.values() for w in words} | set(table.bits))

    def text(name, words, operands):
        return f"{'.'.join((name, *words))} {operands}".strip()

    # (name, words, the row's pattern of operands, operands)
    seeds = [(n, w, p, o) for n, w, p in dict.fromkeys(table.spellings()) for o in table.operands(p, w)]
    for line in SEEDS.read_text().split("\n"):
        if line and not line.startswith("#"):
            mnemonic, _, operands = line.partition(" ")
            name, *words = mnemonic.split(".")
            seeds.append((name, tuple(words), "", operands))
    asker.ask(text(n, w, o) for n, w, _, o in seeds)
    seeds = [s for s in seeds if asker.taken[text(s[0], s[1], s[3])]]
    print(len(seeds), "spellings of ours are taken", flush=True)

    def put(seed, word):
        name, words, pattern, operands = seed
        at = max(0, len(words) - 1)
        for more in [(*words[:at], word, *words[at:])] + [(*words[:i], word, *words[i + 1:]) for i in range(len(words))]:
            for o in dict.fromkeys([operands] + (table.operands(pattern, more, 2) if pattern else [])):
                yield name, more, pattern, o

    # Which words a mnemonic knows: on a few of its spellings.
    byName = collections.defaultdict(list)
    for seed in seeds:
        byName[seed[0]].append(seed)
    tried = []
    for name in byName.keys() - FIXED:
        few = chance.sample(byName[name], min(4, len(byName[name])))
        tried += [(name, word, text(*c[:2], c[3])) for seed in few for word in vocabulary for c in put(seed, word)]
    asker.ask((t for _, _, t in tried), TARGETS[3:4])
    users = collections.defaultdict(set)
    for name, word, t in tried:
        if asker.taken[t]:
            users[word].add(name)
    idle = {w for w, names in users.items() if len(names) > len(byName) / 2 and w not in table.bits}
    for word, names in users.items():
        for name in names:
            known[name].add(word)
    print("taken with half of all mnemonics:", *sorted(idle), flush=True)

    def isIdle(name, words, operands):
        if name in ("st", "red") and "async" in words and "release" not in words and {"cta", "cluster", "gpu", "sys", "global", "shared", "shared::cta"} & {*words}:
            if name == "st" or "cluster" not in words:
                return True
        if name == "st" and "async" in words and "release" not in words and operands.count("[") < 2:
            return True  # nobody hears of it
        if name == "st" and "async" in words and bool({"v2", "v4"} & {*words}) != ("{" in operands):
            return True
        if name == "tcgen05" and "sync" in words and "aligned" not in words:
            return True
        if re.fullmatch("v(add|sub|absdiff|min|max|shl|shr|set)", name) and operands.count(",") > 2 and not {"add", "min", "max"} & {*words}:
            return True  # a third operand for no operation
        if (name == "atom" and "cas" not in words and operands.count(",") - operands.count("}") > 2) or "q" in operands and "b128" not in words:
            return True
        others = [w for w in words if w not in table.bits]
        own = {w for n, items, _ in table.rows if n == name and all(len(ws) > 1 or loose or ws[0] in words for ws, loose in items)
               for ws, _ in items for w in ws}
        return len(set(others)) < len(others) or any(
            (w in IDLE.get(name, ())) or (w in idle | IDLE[""] and w not in own) for w in words)

    more = [c for s in seeds if s[0] not in FIXED for w in sorted(known[s[0]]) for c in put(s, w) if not isIdle(c[0], c[1], c[3])]
    chance.shuffle(more)
    more = more[:400000]
    asker.ask((text(n, w, o) for n, w, _, o in more), TARGETS[3:4] + TARGETS[5:])
    taken = dict.fromkeys((n, w, o) for n, w, _, o in seeds + more if asker.taken[text(n, w, o)])
    print(len(taken), "spellings with each word", flush=True)
    pairs = []
    for n, w, o in chance.sample(list(taken), min(len(taken), 20000)):
        for i, j in itertools.combinations(range(len(w)), 2):
            swapped = list(w)
            swapped[i], swapped[j] = w[j], w[i]
            pairs.append((n, tuple(swapped), o))
    chance.shuffle(pairs)
    pairs = pairs[:60000]
    asker.ask(text(*p) for p in pairs)
    taken |= dict.fromkeys(p for p in pairs if asker.taken[text(*p)])
    groups = collections.defaultdict(list)
    for n, w, o in taken:
        groups[n, re.sub(r"\b([rdhpq])\d+", r"\g<1>1", o)].append((text(n, w, ""), o))
    lines = collections.defaultdict(set)
    for several in groups.values():
        operands = several[0][1]  # registers have no meaning here
        for spelling, _ in chance.sample(several, min(MOST, len(several))):
            lines[operands].add(spelling)
    DATA.write_text("# Spellings that ptxas 13.0 takes for one of " + ", ".join(TARGETS) + "; spellings.py --ask writes them.\n# " +
                    "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n" +
                    "".join(f"{operands} : {' '.join(sorted(spellings))}\n" for operands, spellings in sorted(lines.items())))
    print(sum(map(len, lines.values())), "kept")
    return 0


if __name__ == "__main__":
    sys.exit(asked(*sys.argv[2:]) if sys.argv[1] == "--ask" else check(sys.argv[1]))
