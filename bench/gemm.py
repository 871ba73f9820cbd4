#!/usr/bin/env python3
"""Hopper GEMMs on this machine's GPU: right numbers and times, beside torch (cuBLAS) in the same run.

  bench/gemm.py TESSERA                    every form of `tessera generate gemm`: checked at odd sizes, then timed
  bench/gemm.py TESSERA --quick            checked only, several at once; needs numpy, not torch
  bench/gemm.py TESSERA --time             timed only
  bench/gemm.py TESSERA --table            bf16, f16 and e4m3 at the 20 shapes of docs/benchmarks.md, timed, with the geometric means
  bench/gemm.py TESSERA KERNEL.mlir...     kernels that are there: what `tessera generate gemm` wrote (without an epilogue), or
                                           hopper_dense_gemm of $TESSERA_CORPUS (three modes, the last of them 1)

Uniform numbers from -1 to 1; the median of 30 calls between two CUDA events, ours and torch's. A check compares every element with a
product in f64, integers exactly. Where torch has no such operation, or does it in several, the table says so. Exit code 1 if a number
is wrong.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse, os, re, subprocess, sys, tempfile, time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[1] / "utils"))
import majors
import turn
from gemm_forms import FORMS, SPLITS, SWAPS, TILES, Case
from timing import median_ms

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("tessera")
parser.add_argument("kernels", nargs="*", type=Path)
parser.add_argument("--shapes", default="", help="MxNxK,... to time (of KERNEL.mlir: to run)")
parser.add_argument("--quick", action="store_true", help="check the forms at odd sizes, time nothing")
parser.add_argument("--time", action="store_true", help="time the forms, check nothing")
parser.add_argument("--table", action="store_true", help="time the plain products at 20 shapes")
parser.add_argument("--jobs", type=int, default=min(8, os.cpu_count()), help="checks at once")
parser.add_argument("--sizes", default="", help="MxNxK,... to check instead")
parser.add_argument("--only", default="", help="forms whose options contain this")
parser.add_argument("--of", type=int, default=1, help="check only every OF-th form and size, others each day (utils/turn.py)")
parser.add_argument("--generate", default="", help="further options of `tessera generate gemm`")
parser.add_argument("--run", default="", help="further options of `tessera run`, such as --hold-back-loads")
parser.add_argument("--device", default="gpu", help="sim: check on the simulator")
parser.add_argument("--check", action="store_true", help="compare the results of KERNEL.mlir")
parser.add_argument("--majors", default="", help="mk,km,...: of hopper_dense_gemm's pretty form, with other contiguous modes of A and B")
parser.add_argument("--pause", type=float, default=1)
options = parser.parse_args()
folder = tempfile.TemporaryDirectory(prefix="tessera-bench.")
work = Path(folder.name)
failures = 0


def run(kernel, arguments, *more):
    """(largest error, milliseconds, what went wrong if anything)"""
    command = [options.tessera, "run", str(kernel), "--timeout", "60" if options.device == "gpu" else "0", "--device", options.device, *options.run.split()]
    for argument in arguments:
        command += ["--arg", argument]
    ran = subprocess.run([*command, *more], capture_output=True, text=True)
    error = re.findall(r"max error ([0-9.e+-]+)", ran.stdout) or ["-"]
    found = re.search(r"median ([0-9.]+) ms", ran.stdout)
    wrong = ran.returncode and f"exit code {ran.returncode}: {' '.join(map(str, [*command, *more]))}\n{(ran.stdout + ran.stderr)[-1500:]}"
    return error[0], float(found[1]) if found else float("nan"), wrong


def report(line, wrong):
    global failures
    print(line, flush=True)
    if wrong:
        failures += 1
        print(wrong, flush=True)


def generated(place, form, *more):
    """The form's kernel in a folder; with --shape the table chooses what the form does not."""
    kernel = place / "kernel.mlir"
    subprocess.run([options.tessera, "generate", "gemm", *form.options, *more, *options.generate.split(), "-o", str(kernel)], check=True, stderr=subprocess.DEVNULL)
    return kernel


def chosen(forms):
    return [form for form in forms if options.only in " ".join(form.options)]


# Rows of 16 bytes in all types, no whole tiles; the third has more tiles than the GPU multiprocessors, so that blocks come back.
ODD = {"200x136x80": "--tile-n 64 --stages 5", "1000x504x336": "--tile-n 128 --stages 6", "136x584x176": "--tile-n 192",
       "3000x2056x208": "", "520x264x1040": "--cluster 2"}
ODD_TILES = ["200x136x80", "1000x504x336", "3000x2056x208"]
ODD_SWAP = ["8x136x80", "72x200x528", "304x72x336"]
ODD_SPLIT = ["200x136x2064", "1000x504x4112", "136x72x80", "1304x2056x528"]


def check(form, shape, more):
    """A line of the table, and what went wrong if anything."""
    m, n, k = map(int, shape.split("x"))
    with tempfile.TemporaryDirectory(dir=work) as place:
        return check_in(Path(place), form, shape, m, n, k, more)


def check_in(place, form, shape, m, n, k, more):
    case = Case(form, m, n, k, place)
    checks = case.checks
    if form.split_k > 1: # the counters are where they were, so that the next call is right too
        zeros = place / "zeros.npy"
        np.save(zeros, np.zeros(form.workspace(m, n, k)[1], np.int32))
        checks = [*checks, "--check", f"{len(case.arguments) - 1}={zeros}"]
    error, _, wrong = run(generated(place, form, *more), case.arguments, *checks)
    return f"| {form.name} | {' '.join([shape, *more])} | {'WRONG' if wrong else error} |", wrong


def check_all():
    print("| form | shape | max error |\n|---|---|---|")
    sizes = options.sizes.split(",") if options.sizes else None
    cases = [(form, shape, ODD.get(shape, "").split()) for form in chosen(FORMS) for shape in sizes or ODD]
    cases += [(form, shape, []) for form in chosen(SPLITS) for shape in sizes or ODD_SPLIT]
    cases += [(form, shape, []) for form in chosen(SWAPS) for shape in sizes or ODD_SWAP]
    cases += [(form, shape, []) for form in chosen(TILES) for shape in sizes or ODD_TILES]
    cases = turn.share(cases, options.of)
    with ThreadPoolExecutor(options.jobs) as pool:
        for line, wrong in pool.map(lambda case: check(*case), cases):
            report(line, wrong)


def time_all():
    import gemm_torch

    print(f"\n{gemm_torch.versions()}\n")
    print("| form | shape | ms | TFLOP/s | torch's | ms | TFLOP/s | ratio |\n|---|---|---|---|---|---|---|---|")
    shapes = options.shapes.split(",") if options.shapes else ["4096x4096x4096", "8192x8192x8192"]
    small = options.shapes.split(",") if options.shapes else ["512x512x8192", "1024x1024x4096", "256x4096x8192"]
    for forms, of in ((FORMS, shapes), (SPLITS, small)):
        for form in chosen(forms):
            for shape in of:
                m, n, k = map(int, shape.split("x"))
                time.sleep(options.pause)
                _, mine, wrong = run(generated(work, form, "--shape", shape), random_arguments(form, m, n, k), "--bench", "30")
                time.sleep(options.pause)
                what, theirs = gemm_torch.timed(form, m, n, k, median_ms)
                rate = lambda ms: 2 * m * n * k / ms / 1e9
                report(f"| {form.name} | {shape} | {mine:.4f} | {rate(mine):.0f} | "
                       + (f"{what} | {theirs:.4f} | {rate(theirs):.0f} | {theirs / mine:.3f} |" if theirs else f"{what} | | | |"), wrong)


SHAPES = ("512x512x512 1024x1024x1024 2048x2048x2048 3072x3072x3072 4096x4096x4096 6144x6144x6144 8192x8192x8192 16384x512x4096 "
          "512x16384x4096 8192x1024x8192 1024x8192x8192 4096x4096x512 8192x8192x256 2048x2048x16384 4000x4000x4000 5008x3008x2000 "
          "4096x11008x4096 4096x4096x11008 16384x4096x1024 12288x12288x4096")


def time_table():
    """One line a shape: for each type milliseconds, TFLOP/s, torch's, and torch's time by ours."""
    import gemm_torch

    names = ("", "--ab f16 --d f16", "--ab f8E4M3FN")
    forms = [next(form for form in FORMS if " ".join(form.options) == name) for name in names]
    ratios = {form.name: {} for form in forms}
    print(f"\n{gemm_torch.versions()}\n")
    print("| M x N x K |" + " ms | TFLOP/s | torch | ratio |" * 3 + "\n|---|" + "---|" * 12)
    for shape in (options.shapes.split(",") if options.shapes else SHAPES.split()):
        m, n, k = map(int, shape.split("x"))
        line, wrongs = f"| {shape} |", []
        for form in forms:
            time.sleep(options.pause)
            _, mine, wrong = run(generated(work, form, "--shape", shape), random_arguments(form, m, n, k), "--bench", "30")
            time.sleep(options.pause)
            _, theirs = gemm_torch.timed(form, m, n, k, median_ms)
            rate = lambda ms: 2 * m * n * k / ms / 1e9
            ratios[form.name][shape] = theirs / mine
            line += f" {mine:.4f} | {rate(mine):.0f} | {rate(theirs):.0f} | {theirs / mine:.3f} |"
            wrongs += [wrong] if wrong else []
        report(line, "\n".join(wrongs))
    for name, by_shape in ratios.items():
        large = [r for shape, r in by_shape.items() if np.prod([float(x) for x in shape.split("x")]) >= 40e9]
        mean = lambda values: float(np.exp(np.mean(np.log(values)))) if values else float("nan")
        least = min(by_shape, key=by_shape.get)
        print(f"{name}: geometric mean {mean(list(by_shape.values())):.3f}, of the {len(large)} shapes of 40 billion products or more "
              f"{mean(large):.3f}, least {by_shape[least]:.3f} at {least}")


def random_arguments(form, m, n, k):
    memory = lambda kind: "f32" if kind == "tf32" else kind
    arguments = [f"rand:{memory(form.a)}:{m}x{k}:seed=1", f"rand:{memory(form.b)}:{n}x{k}:seed=2", f"out:{form.d}:{m}x{n}"]
    arguments += [f"rand:{form.d}:{m}x{n}:seed=3"] * form.c
    arguments += [f"rand:{form.bias}:{n}:seed=4"] * (form.bias != "none")
    arguments += ["rand:f32:1:seed=5", "rand:f32:1:seed=6"] * form.scales
    arguments += ["1.25"] * form.alpha + ["-0.75"] * form.c
    return arguments + form.room(m, n, k)


#--- kernels that are there -----------------------------------------------------------------------------------------------------------


def element(text):
    """The element types of A and D (that of A if there is no other), and how many modes the matrices have."""
    types = re.findall(r"!cute\.memref<(\w+), gmem, align<\d+>, \"\((\?(?:,\?)*)\):", text)
    others = [name for name, _ in types if name != types[0][0]]
    return types[0][0], (others or [types[0][0]])[0], types[0][1].count("?")


def derived():
    """The kernels, and what bench/majors.py makes of them."""
    for kernel in options.kernels:
        yield kernel
        for major in filter(None, options.majors.split(",")):
            variant = work / f"{kernel.parent.name}-{major}.mlir"
            variant.write_text(majors.hopper_dense_gemm(kernel.read_text(), major))
            yield variant


def run_kernels():
    import gemm_torch

    kernels = list(derived())

    print(f"{gemm_torch.versions()}\n")
    print("| kernel | shape | max error | ms | TFLOP/s | torch ms | TFLOP/s | ratio |\n|---|---|---|---|---|---|---|---|")
    for shape in (options.shapes or "4096x4096x4096,8192x8192x8192").split(","):
        m, n, k = map(int, shape.split("x"))
        torch_ms = {}
        for kernel in kernels:
            ab, d, modes = element(kernel.read_text())
            last = "x1" * (modes - 2)
            arguments = [f"rand:{ab}:{m}x{k}{last}:seed=1", f"rand:{ab}:{n}x{k}{last}:seed=2", f"out:{d}:{m}x{n}{last}"]
            checks = []
            if options.check:
                arguments[:2], checks = gemm_torch.files(work, ab, m, n, k, modes)
            time.sleep(options.pause)
            error, mine, wrong = run(kernel, arguments, *checks, "--bench", "30")
            if ab not in torch_ms:
                time.sleep(options.pause)
                torch_ms[ab] = median_ms(gemm_torch.product(ab, d, m, n, k))
            rate = lambda ms: 2 * m * n * k / ms / 1e9
            theirs = torch_ms[ab]
            report(f"| {kernel.stem} | {shape} | {error} | {mine:.4f} | {rate(mine):.0f} | {theirs:.4f} | {rate(theirs):.0f} | "
                   f"{theirs / mine:.3f} |", wrong)


if options.kernels:
    run_kernels()
elif options.table:
    time_table()
else:
    if not options.time:
        check_all()
    if not options.quick:
        time_all()
print(f"\n{failures} wrong or not run" if failures else "\nall right")
sys.exit(1 if failures else 0)
