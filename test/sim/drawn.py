#!/usr/bin/env python3
"""Kernels of `tessera generate` with options, shapes and data at random against numpy: drawn.py TESSERA [SEED [COUNT [DEVICE]]].

On the simulator under its sanitizer; DEVICE gpu runs them there, eight at once. A third of the cases are products, a third attention, a third kernels of rows. Options are drawn without asking whether they go together: a refusal has
exit code 2 and a sentence, and another case is drawn. The seed is the day's (utils/turn.py); with TESSERA_LONG there are twenty times as many
cases. A case that is wrong is printed as a call of one of the functions that run it.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import random
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path += [str(Path(__file__).parents[2] / folder) for folder in ("bench", "utils")]
import turn
from attentions import attend
from kernels import run_products
from rows import run as run_rows

COUNT = 12


def sometimes(draw, share, *words):
    """The words in so many of a hundred cases."""
    return list(words) if draw.randrange(100) < share else []


def extent(draw, most, of=1):
    """1 to `most`, a multiple of `of`, often beside a multiple of 64."""
    near = 64 * draw.randrange(1, most // 64 + 1) + draw.choice((-of, 0, of))
    return max(of, (near if draw.randrange(2) else draw.randrange(1, most + 1)) // of * of)


def product_of_warps(draw):
    """The same for targets with mma.sync alone."""
    target, ab, d = draw.choice(("sm_75", "sm_80", "sm_86", "sm_89", "sm_120a")), draw.choice(("bf16", "f16", "f16", "f8E4M3FN")), draw.choice(("bf16", "f16", "f32"))
    groups, majors = draw.choice(("none", "none", "batches")), draw.choice(("kk", "kk", "km", "mk", "mm"))
    words = ["--arch", target, "--ab", ab, "--d", d, *sometimes(draw, 60, "--tile-m", draw.choice(("32", "64", "128", "256"))), *sometimes(draw, 60, "--tile-n", draw.choice(("64", "128", "256")))]
    words += sometimes(draw, 50, "--stages", draw.choice("234")) + sometimes(draw, 30, "--group", draw.choice("123")) + ["--major", majors] * (majors != "kk")
    words += ["--groups", groups] * (groups != "none") + sometimes(draw, 20, "--alpha") + sometimes(draw, 20, "--c") + sometimes(draw, 20, "--bias", "f32")
    rows, n, k = extent(draw, 400, 8 if majors[0] == "m" else 1), extent(draw, 400, 8 if majors[1] == "m" else 1), extent(draw, 640, 16 if ab.startswith("f8") else 8)
    return " ".join(words), rows, n, k, [rows] * (draw.randrange(1, 4) if groups != "none" else 1)


def product(draw):
    """Options of `generate gemm`, and what run_products takes after them."""
    if draw.randrange(4) == 0:
        return product_of_warps(draw)
    ab, d = draw.choice(("bf16", "f16", "f8E4M3FN", "f8E5M2")), draw.choice(("bf16", "f16", "f32"))
    narrow, swap, groups = ab.startswith("f8"), draw.randrange(4) == 0, draw.choice(("none", "none", "batches", "masked", "contiguous"))
    words = ["--ab", ab, "--d", d, "--stages", str(draw.randrange(1, 6)), "--sms", str(draw.randrange(1, 6))]
    if swap:
        words += ["--swap", "--tile-m", str(8 * draw.randrange(1, 33)), "--tile-n", draw.choice(("64", "128")), "--split-k", draw.choice("1248")]
    else:
        words += ["--tile-n", str(16 * draw.randrange(1, 17)), "--cluster", draw.choice("1124")]
        words += sometimes(draw, 25, "--split-k", draw.choice("234")) + sometimes(draw, 30, "--tile-m", draw.choice(("64", "128")), "--schedule", "pingpong")
    majors = "kk" if narrow or draw.randrange(2) else draw.choice(("km", "mk", "mm"))
    words += ["--major", majors] * (majors != "kk") + ["--groups", groups] * (groups != "none")
    words += sometimes(draw, 20 * narrow, "--block-scales") + sometimes(draw, 20, "--alpha") + sometimes(draw, 20, "--c") + sometimes(draw, 20, "--bias", "f32")
    rows, n, k = extent(draw, 400, 8 if majors[0] == "m" else 1), extent(draw, 400, 8 if majors[1] == "m" else 1), extent(draw, 640, 16 if narrow else 8)
    counts = {"none": lambda: [rows], "batches": lambda: [rows] * draw.randrange(1, 4), "masked": lambda: [draw.randrange(rows + 1) for _ in range(draw.randrange(1, 5))],
              "contiguous": lambda: partition(draw, rows, 8 if majors[0] == "m" else 1)}[groups]()
    return " ".join(words), rows, n, k, counts


def partition(draw, rows, of):
    """Rows of groups, some of which have none; there may be more rows than they have. Boxes of TMA begin at multiples of 16 bytes, so groups of an A that is
    contiguous in M begin at multiples of 8."""
    cuts = sorted(draw.randrange(rows + 1) // of * of for _ in range(draw.randrange(1, 6)))
    return [b - a for a, b in zip([0, *cuts], cuts)]


def masks(draw):
    words = sometimes(draw, 50, "--causal") + sometimes(draw, 30, f"--window:{draw.choice((0, draw.randrange(1, 64), draw.randrange(64, 500)))}")
    return words + sometimes(draw, 20, f"--softcap:{draw.choice((1.5, 20.0))}") + sometimes(draw, 20, "--alibi")


def queries(draw):
    """The verb, its options, and what `attend` takes after them."""
    share = draw.randrange(1, 4)
    heads = share * draw.randrange(1, 3)
    words = ["--head-dim", draw.choice(("64", "96", "128", "192", "256")), *masks(draw), *sometimes(draw, 50, "--stages", draw.choice("123"))]
    words += sometimes(draw, 40, "--tile-n", str(16 * draw.randrange(1, 13)))
    if draw.randrange(3) == 0:
        own = sometimes(draw, 40, *draw.choice((("--lengths",), ("--page", draw.choice(("8", "16", "64", "128"))))))
        words += own + sometimes(draw, 60, "--splits", draw.choice("1248")) + sometimes(draw, 40, "--teams", str(draw.randrange(2, 9)))
        return "decode", " ".join(words), draw.randrange(1, 4), draw.randrange(1, 40), extent(draw, 900), heads, share
    words += sometimes(draw, 50, "--element", draw.choice(("bf16", "f8E4M3FN"))) + sometimes(draw, 40, "--lse") + sometimes(draw, 30, "--consumers", draw.choice("123"))
    words += sometimes(draw, 30, draw.choice(("--persistent", "--no-persistent"))) + sometimes(draw, 40, "--sms", draw.choice("1234"))
    if draw.randrange(4) == 0:
        count = draw.randrange(1, 5)
        lengths = [[draw.choice((0, 1, extent(draw, 300))) for _ in range(count)] for _ in range(2)]
        lengths[0][0], lengths[1][0] = lengths[0][0] or 5, lengths[1][0] or 7  # not all of them empty
        return "attention", " ".join(["--varlen", *words]), *lengths, heads, share
    return "attention", " ".join(words), draw.randrange(1, 3), extent(draw, 300), extent(draw, 400), heads, share


KERNELS = ["rmsnorm", "layernorm", "rmsnorm-backward", "layernorm-backward", "rmsnorm-weights-backward", "layernorm-weights-backward", "softmax", "softmax-backward",
           "cross-entropy", "cross-entropy-backward", "rope", "rope-backward", "act-mul", "quantize", "transpose"]


def row_case(draw):
    """A case of rows.py."""
    kernel = draw.choice(KERNELS)
    columns = max(1, int(2 ** draw.uniform(0, 14.5)))
    rows = draw.randrange(1, max(2, min(300, 60_000 // columns)))
    words = [kernel, *sometimes(draw, 70, "--element", draw.choice(("f16", "f32")))]
    if kernel.startswith("rope"):
        columns = 2 * max(1, min(columns, 1024) // 2)
    if kernel == "quantize":
        words += sometimes(draw, 40, "--result", draw.choice(("i8", "f8E5M2"))) + sometimes(draw, 40, "--segment", draw.choice(("32", "64", "128")))
    elif not kernel.startswith("cross") and kernel != "transpose":
        words += sometimes(draw, 30, "--result", draw.choice(("f16", "bf16", "f32")))
    if kernel == "act-mul":
        words += sometimes(draw, 60, "--activation", draw.choice(("gelu", "relu")))
    if kernel != "transpose":
        words += ["--columns", str(draw.choice((columns, columns + draw.randrange(200), 1 << (columns - 1).bit_length())))]
    return " ".join(words), rows, columns, draw.choice((0, 0, 1, 3, 4, 8))


def refused(tessera, words):
    """The sentence of `generate`, "" if it writes the kernel."""
    made = subprocess.run([tessera, "generate", *words, "-o", "/dev/null"], capture_output=True, text=True)
    if made.returncode not in (0, 2) or (made.returncode and not made.stderr.startswith("error: ")):
        return f"WRONG: exit code {made.returncode}: {made.stderr[-500:]}"
    return made.stderr if made.returncode else ""


def words_of(options):
    """For the command line: what a call gives after a colon is none of it."""
    return [word.split(":")[0] for word in options.split()]


def draw_case(draw, kind):
    """The words for `generate`, and a function that says what is wrong with the kernel."""
    if kind == 0:
        options, *sizes = product(draw)

        def run(tessera, work, device):
            file = f"{work}/gemm.mlir"
            subprocess.run([tessera, "generate", "gemm", *options.split(), "-o", file], check=True)
            return run_products(tessera, work, file, options, *sizes, modes=([],) if device == "gpu" else (["--sanitize"], ["--late", "--shuffle", "1"]), device=device)
        return ["gemm", *options.split()], f"run_products: {options!r}, {sizes}", run
    if kind == 1:
        verb, options, *sizes = queries(draw)
        element = [] if "--element" in options else ["--element", "f16"]
        return [verb, *element, *words_of(options)], f"attend: {verb!r}, {options!r}, {sizes}", lambda tessera, work, device: attend(
            tessera, work, verb, options, *sizes, modes=([],) if device == "gpu" else (["--sanitize"],), device=device)
    case = row_case(draw)
    return case[0].split(), f"rows.run: {case}", lambda tessera, work, device: run_rows(tessera, case, device)


def main():
    tessera = sys.argv[1]
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else turn.number()
    count = int(sys.argv[3]) if len(sys.argv) > 3 else COUNT * (20 if "TESSERA_LONG" in os.environ else 1)
    device = sys.argv[4] if len(sys.argv) > 4 else "sim"

    def one(number):
        """How many options were refused before a case, and what is wrong with these and with the case."""
        draw, refusals, wrong = random.Random(f"{seed} {number}"), -1, []
        while True:
            words, text, run = draw_case(draw, number % 3)
            refusals += 1
            if not (why := refused(tessera, words)):
                break
            wrong += [f"{' '.join(words)}: {why}"] * why.startswith("WRONG")
        with tempfile.TemporaryDirectory(prefix="tessera-drawn.") as work:
            try:
                found = run(tessera, work, device)
            except Exception as error:  # of the test, which says nothing of the kernel
                found = f"{type(error).__name__}: {error}"
            if found:
                wrong.append(f"seed {seed}, {text}: {found}")
        return refusals, wrong

    failures = refusals = 0
    with ThreadPoolExecutor(8 if device == "gpu" else 1) as pool:
        for number, (refused_here, wrong) in enumerate(pool.map(one, range(count)), 1):
            refusals += refused_here
            if number % 50 == 0:
                print(f"seed {seed}: {number} of {count} kernels run", flush=True)
            failures += len(wrong)
            for text in wrong:
                print(text, flush=True)
    print(f"seed {seed}: {count} kernels run, {failures} wrong; {refusals} other sets of options refused with a sentence")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
