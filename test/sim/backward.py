#!/usr/bin/env python3
"""Gradients of attention against numpy in f64: backward.py TESSERA [--device gpu] [--only TEXT].

The forward pass writes O and the logarithms of sums, which are compared too, and the backward pass reads them. Each gradient may be 3e-3 of its norm
away, and each row of it 1 % of its own norm and 2e-3 of the mean one: P and dS are rounded to f16 on the way. On the simulator the kernels run under
the sanitizer, and once more with asynchronous work as late as allowed while warps run in a random order.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse
import subprocess
import sys
import tempfile

import numpy as np

# Options, batch, queries, keys, heads of Q, how many of them share one of K: sizes that divide no tile, more queries than keys and the reverse, one
# query, queries that see no key, several tiles of both.
CASES = [
    ("--head-dim 64", 1, 130, 200, 2, 1),
    ("--head-dim 64 --causal", 2, 200, 333, 2, 2),
    ("--head-dim 64 --causal --stages 3", 1, 77, 50, 1, 1),
    ("--head-dim 64 --causal", 1, 300, 129, 3, 3),
    ("--head-dim 64", 1, 1, 70, 2, 1),
    ("--head-dim 64 --causal", 1, 128, 128, 1, 1),
    ("--head-dim 96 --causal", 1, 140, 210, 2, 1),
    ("--head-dim 96", 2, 65, 63, 1, 1),
    ("--head-dim 128", 1, 129, 193, 2, 2),
    ("--head-dim 128 --causal", 1, 193, 260, 2, 1),
    ("--head-dim 128 --causal", 1, 257, 257, 1, 1),
]


def gradients(q, k, v, gradient, scale, causal):
    """(O, logarithms, dQ, dK, dV) in f64, of (sequence, head, element). The last query sees all keys."""
    share = q.shape[1] // k.shape[1]
    q, gradient = q.astype(np.float64), gradient.astype(np.float64)
    k, v = (np.repeat(x, share, axis=1).astype(np.float64) for x in (k, v))
    scores = np.einsum("qhd,khd->hqk", q, k) * scale
    if causal:
        scores = np.where(np.arange(len(k)) <= np.arange(len(q))[:, None] + len(k) - len(q), scores, -np.inf)
    most = scores.max(-1, keepdims=True)
    powers = np.exp(scores - np.where(np.isfinite(most), most, 0))
    total = powers.sum(-1, keepdims=True)
    p = powers / np.where(total == 0, 1, total)
    with np.errstate(divide="ignore"):
        logs = np.where(total > 0, most + np.log(total), -np.inf)[..., 0]
    o = np.einsum("hqk,khd->qhd", p, v)
    dp = np.einsum("qhd,khd->hqk", gradient, v)
    ds = p * (dp - np.einsum("qhd,qhd->hq", gradient, o)[..., None]) * scale
    shared = lambda x: x.reshape(len(x), -1, share, x.shape[-1]).sum(2)
    return (o, logs, np.einsum("hqk,khd->qhd", ds, k), shared(np.einsum("hqk,qhd->khd", ds, q)), shared(np.einsum("hqk,qhd->khd", p, gradient)))


def far(name, found, expected):
    """What is wrong with a gradient, or nothing."""
    away, size = np.linalg.norm(found - expected, axis=-1), np.linalg.norm(expected, axis=-1)
    whole = np.linalg.norm(away) / max(np.linalg.norm(size), 1e-30)
    rows = ~(away <= 1e-2 * size + 2e-3 * size.mean())  # a NaN is wrong
    return f"{name}: {rows.sum()} of {rows.size} rows are wrong, {whole:.2g} of its norm away" if rows.any() or not whole <= 3e-3 else ""


def case(tessera, work, device, modes, options, batch, queries, keys, heads, share):
    dim = int(options.split()[1])
    rng = np.random.default_rng(queries + keys + dim)
    shapes = {"Q": (queries, heads), "K": (keys, heads // share), "V": (keys, heads // share), "dO": (queries, heads)}
    given = {name: rng.standard_normal((batch, *shape, dim)).astype(np.float16) for name, shape in shapes.items()}
    for name, x in given.items():
        np.save(f"{work}/{name}.npy", x)
    scale, text = dim**-0.5, lambda *shape: "x".join(map(str, shape))

    def run(verb, words, arguments, saved):
        file = f"{work}/{verb}.mlir"
        subprocess.run([tessera, "generate", verb, "--element", "f16", *words, "-o", file], check=True)
        command = [tessera, "run", file, "--device", device, "--timeout", "300", *modes]
        for argument in arguments:
            command += ["--arg", argument]
        for i, name in saved.items():
            command += ["--save", f"{i}={work}/{name}.npy"]
        done = subprocess.run(command, capture_output=True, text=True)
        return f"{verb}: exit code {done.returncode}\n{done.stdout[-1500:]}{done.stderr[-1500:]}" if done.returncode else ""

    files = [f"{work}/{name}.npy" for name in ("Q", "K", "V")]
    forward = [word for word in options.split() if word not in ("--stages", "3")] + ["--lse"]
    wrong = run("attention", forward, [*files, f"out:f16:{text(batch, queries, heads, dim)}", f"f32:{scale}", f"out:f32:{text(batch, heads, queries)}"],
                {3: "O", 5: "lse"})
    rounded = -(-queries // 64) * 64
    results = [f"out:f16:{text(batch, queries, heads, dim)}", *[f"out:f16:{text(batch, keys, heads // share, dim)}"] * 2]
    wrong = wrong or run("attention-backward", options.split(), [*files, f"{work}/O.npy", f"{work}/dO.npy", f"{work}/lse.npy", *results,
                                                                  f"out:f32:{text(batch, heads, 2, rounded)}", f"f32:{scale}"],
                         {6: "dQ", 7: "dK", 8: "dV"})
    if wrong:
        return wrong
    expected = [np.stack(x) for x in zip(*(gradients(*(given[name][b] for name in ("Q", "K", "V", "dO")), scale, "--causal" in options)
                                           for b in range(batch)))]
    logs = np.load(f"{work}/lse.npy")
    said = [] if np.allclose(logs, expected[1], rtol=1e-5, atol=2e-3, equal_nan=False) else ["the logarithms are wrong"]
    return "; ".join(said + [text for name, x in zip(("dQ", "dK", "dV"), expected[2:]) if (text := far(name, np.load(f"{work}/{name}.npy"), x))])


def sequences(tessera, work, device, modes):
    """Logarithms of sequences one after the other, one of them empty: what is wrong."""
    file, starts_q, starts_k = f"{work}/varlen.mlir", [0, 70, 70, 201], [0, 90, 130, 333]
    rng = np.random.default_rng(5)
    q, k = rng.standard_normal((201, 4, 64)).astype(np.float16), rng.standard_normal((333, 2, 64)).astype(np.float16)
    for name, x in (("Q", q), ("K", k), ("startsQ", np.array(starts_q, np.int32)), ("startsK", np.array(starts_k, np.int32))):
        np.save(f"{work}/{name}.npy", x)
    subprocess.run([tessera, "generate", "attention", *"--head-dim 64 --element f16 --causal --varlen --lse".split(), "-o", file], check=True)
    given = [f"{work}/Q.npy", *[f"{work}/K.npy"] * 2, "out:f16:201x4x64", "f32:0.125", f"{work}/startsQ.npy", f"{work}/startsK.npy", "131", "out:f32:4x201"]
    done = subprocess.run([tessera, "run", file, "--device", device, "--timeout", "300", "--save", f"8={work}/lse.npy", *modes,
                           *(word for argument in given for word in ("--arg", argument))], capture_output=True, text=True)
    if done.returncode:
        return f"exit code {done.returncode}\n{done.stdout[-1500:]}{done.stderr[-1500:]}"
    found = np.load(f"{work}/lse.npy")
    for a, b, c, d in zip(starts_q, starts_q[1:], starts_k, starts_k[1:]):
        if b > a and not np.allclose(found[:, a:b], gradients(q[a:b], k[c:d], k[c:d], q[a:b], 0.125, True)[1], rtol=1e-5, atol=2e-3):
            return f"the logarithms of the sequence from {a} are wrong"
    return ""


# Which argument has another shape, and what is said of it; for 100 queries and 64 keys of 2 heads of Q and K.
WRONG = [
    (3, "1x99x2x64", "expects O, dO and dQ like Q, V, dK and dV like K, and K of Q's batch"),  # AttentionGradients
    (4, "1x100x1x64", "expects O, dO and dQ like Q, V, dK and dV like K, and K of Q's batch"),
    (7, "1x65x2x64", "expects O, dO and dQ like Q, V, dK and dV like K, and K of Q's batch"),
    (5, "1x2x99", "expects a logarithm for each query of each head and batch"),  # AttentionLogs
    (5, "1x1x100", "expects a logarithm for each query of each head and batch"),
    (9, "1x2x2x100", "expects a workspace for each batch and head of Q, of 2 rows of as many numbers as there are queries, "
                     "rounded up to a multiple of 64"),  # AttentionWorkspace
    (9, "1x1x2x128", "rounded up to a multiple of 64"),
]


def refuses(tessera, work):
    """Shapes that do not belong together are errors before the launch; what is wrong."""
    file = f"{work}/wrong.mlir"
    subprocess.run([tessera, "generate", "attention-backward", "--head-dim", "64", "--element", "f16", "-o", file], check=True)
    right = ["1x100x2x64", "1x64x2x64", "1x64x2x64", "1x100x2x64", "1x100x2x64", "1x2x100", "1x100x2x64", "1x64x2x64", "1x64x2x64", "1x2x2x128"]
    wrong = []
    for at, shape, sentence in [(None, "", ""), *WRONG]:
        shapes = [shape if i == at else of for i, of in enumerate(right)]
        words = [word for i, of in enumerate(shapes) for word in ("--arg", f"zeros:{'f32' if i in (5, 9) else 'f16'}:{of}")]
        done = subprocess.run([tessera, "run", file, "--device", "sim", *words, "--arg", "f32:1"], capture_output=True, text=True)
        if done.returncode < 0 or bool(done.returncode) != bool(sentence) or sentence not in done.stdout + done.stderr:
            wrong.append(f"argument {at} of {shape}: exit code {done.returncode}, {done.stderr[-600:]}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tessera")
    parser.add_argument("--device", default="sim")
    parser.add_argument("--only", default="", help="only the cases with this text in their options")
    options = parser.parse_args()
    failed = ran = 0
    with tempfile.TemporaryDirectory() as work:
        for words, *sizes in CASES:
            for modes in ([["--sanitize"], ["--late", "--shuffle", "1"]] if options.device == "sim" else [[]]):
                if options.only in words:
                    ran += 1
                    if wrong := case(options.tessera, work, options.device, modes, words, *sizes):
                        failed += 1
                        print(f"{words}, {sizes} {' '.join(modes)}: {wrong}", flush=True)
        if not options.only:
            ran += 1
            if wrong := sequences(options.tessera, work, options.device, ["--sanitize"] if options.device == "sim" else []):
                failed += 1
                print(f"sequences: {wrong}", flush=True)
        for wrong in refuses(options.tessera, work) if options.device == "sim" and not options.only else []:
            failed += 1
            print(wrong)
    print(f"backward: {ran} cases, {failed} wrong")
    return 1 if failed or not ran else 0


sys.exit(main())
