#!/usr/bin/env python3
"""Gradients of attention against numpy in f64: backward.py TESSERA [--device gpu] [--only TEXT].

The forward pass writes O and the logarithms of sums, which are compared too, and the backward pass reads them. Each gradient may be 3e-3 of its norm
away, and each row of it 1 % of its own norm and 2e-3 of the mean one: P and dS are rounded to f16 on the way. On the simulator the kernels run under
the sanitizer, and once more with asynchronous work as late as allowed while warps run in a random order.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse
import re
import subprocess
import sys
import tempfile

import numpy as np
from attentions import given

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
    # Wide heads: three kernels, and of 256 elements one tile of those that give scores.
    ("--head-dim 192", 1, 130, 200, 2, 1),
    ("--head-dim 192 --causal", 2, 200, 140, 2, 2),
    ("--head-dim 192 --causal --stages 3", 1, 193, 260, 1, 1),
    ("--head-dim 256", 1, 129, 193, 2, 2),
    ("--head-dim 256 --causal", 1, 193, 260, 2, 1),
    ("--head-dim 256", 1, 1, 70, 2, 1),
    # Scores: windows of two keys, within tiles, to both sides, of queries that see nothing; caps that scores reach; slopes.
    ("--head-dim 64 --causal --window:1", 1, 70, 90, 1, 1),
    ("--head-dim 128 --causal --window:37", 1, 200, 311, 2, 2),
    ("--head-dim 64 --window:50", 2, 150, 201, 1, 1),
    ("--head-dim 64 --window:20", 1, 300, 70, 1, 1),
    ("--head-dim 64 --causal --window:2147483647", 1, 150, 99, 1, 1),
    ("--head-dim 64 --softcap:1.5", 1, 100, 170, 2, 1),
    ("--head-dim 96 --alibi", 1, 150, 130, 3, 3),
    ("--head-dim 128 --causal --window:90 --softcap:2.0 --alibi", 1, 160, 230, 4, 2),
    ("--head-dim 192 --window:20", 1, 300, 70, 1, 1),
    ("--head-dim 256 --softcap:1.5 --alibi", 1, 100, 170, 2, 1),
    ("--head-dim 256 --causal --window:37", 1, 140, 211, 2, 2),
    # Sequences: empty ones, of one row, of more queries than keys, that end with tiles and within.
    ("--head-dim 64", 1, [130, 0, 1, 64, 77], [90, 5, 70, 128, 50], 2, 1),
    ("--head-dim 64 --causal", 1, [70, 0, 131], [90, 40, 203], 4, 2),
    ("--head-dim 128 --causal", 1, [65, 200, 3], [177, 128, 0], 2, 2),
    ("--head-dim 64 --causal --window:30 --softcap:3.0 --alibi", 1, [129, 33], [140, 200], 2, 1),
    ("--head-dim 96 --window:17", 1, [64, 129], [200, 65], 2, 2),
    ("--head-dim 192 --causal", 1, [130, 0, 1, 64, 77], [90, 5, 70, 128, 50], 2, 1),
    ("--head-dim 256 --window:90 --alibi", 1, [65, 200, 3], [177, 128, 0], 2, 2),
    # Products of warps: each form of a tile, one and several stages, targets with and without cp.async.
    ("--head-dim 64 --arch sm_80", 1, 130, 200, 2, 1),
    ("--head-dim 64 --causal --arch sm_80", 2, 200, 333, 2, 2),
    ("--head-dim 64 --causal --stages 3 --arch sm_80", 1, 77, 50, 1, 1),
    ("--head-dim 64 --causal --arch sm_75", 1, 300, 129, 3, 3),
    ("--head-dim 64 --arch sm_120a", 1, 1, 70, 2, 1),
    ("--head-dim 64 --causal --arch sm_86", 1, 128, 128, 1, 1),
    ("--head-dim 96 --causal --arch sm_80", 1, 140, 210, 2, 1),
    ("--head-dim 96 --arch sm_89", 2, 65, 63, 1, 1),
    ("--head-dim 128 --arch sm_80", 1, 129, 193, 2, 2),
    ("--head-dim 128 --arch sm_75", 1, 129, 65, 2, 2),
    ("--head-dim 128 --causal --arch sm_100a", 1, 193, 260, 2, 1),
    ("--head-dim 128 --causal --arch sm_80", 1, 257, 257, 1, 1),
    ("--head-dim 192 --arch sm_80", 1, 130, 200, 2, 1),
    ("--head-dim 192 --causal --arch sm_75", 1, 77, 140, 2, 2),
    ("--head-dim 192 --causal --window:50 --softcap:2.0 --arch sm_90a", 2, 70, 99, 1, 1),
    ("--head-dim 256 --causal --arch sm_80", 1, 140, 150, 2, 2),
    ("--head-dim 256 --alibi --arch sm_89", 1, 70, 66, 2, 1),
    ("--head-dim 256 --causal", 1, [65, 3], [80, 40], 2, 1),
    ("--head-dim 64 --causal --window:37 --arch sm_80", 1, 200, 311, 2, 2),
    ("--head-dim 96 --window:20 --arch sm_80", 1, 300, 70, 1, 1),
    ("--head-dim 128 --softcap:1.5 --alibi --arch sm_89", 1, 100, 170, 2, 1),
    ("--head-dim 64 --causal --window:90 --softcap:2.0 --alibi --arch sm_75", 1, 160, 230, 4, 2),
    ("--head-dim 64 --arch sm_80", 1, [130, 0, 1, 64, 77], [90, 5, 70, 128, 50], 2, 1),
    ("--head-dim 128 --causal --arch sm_100a", 1, [65, 200, 3], [177, 128, 0], 2, 2),
    ("--head-dim 64 --causal --window:30 --softcap:3.0 --alibi --arch sm_120a", 1, [129, 33], [140, 200], 2, 1),
    ("--head-dim 64 --causal --arch sm_75", 1, [70, 0, 131], [90, 40, 203], 4, 2),
]


def gradients(q, k, v, gradient, scale, causal, window=None, softcap=0.0, slopes=None):
    """(O, logarithms, dQ, dK, dV) in f64, of (sequence, head, element). The last query sees all keys."""
    share = q.shape[1] // k.shape[1]
    q, gradient = q.astype(np.float64), gradient.astype(np.float64)
    k, v = (np.repeat(x, share, axis=1).astype(np.float64) for x in (k, v))
    scores, grows = np.einsum("qhd,khd->hqk", q, k) * scale, 1.0
    if softcap:
        grows = 1 - np.tanh(scores / softcap) ** 2
        scores = softcap * np.tanh(scores / softcap)
    away = np.arange(len(k)) - (np.arange(len(q))[:, None] + len(k) - len(q))  # from a query's own key
    if slopes is not None:
        scores = scores - slopes.astype(np.float64)[:, None, None] * np.abs(away)
    seen = away <= 0 if causal else np.full(away.shape, True)
    if window is not None:
        seen &= np.abs(away) <= window
    scores = np.where(seen, scores, -np.inf)
    most = scores.max(-1, keepdims=True, initial=-np.inf)
    powers = np.exp(scores - np.where(np.isfinite(most), most, 0))
    total = powers.sum(-1, keepdims=True)
    p = powers / np.where(total == 0, 1, total)
    with np.errstate(divide="ignore"):
        logs = np.where(total > 0, most + np.log(total), -np.inf)[..., 0]
    o = np.einsum("hqk,khd->qhd", p, v)
    dp = np.einsum("qhd,khd->hqk", gradient, v)
    ds = p * (dp - np.einsum("qhd,qhd->hq", gradient, o)[..., None]) * grows * scale
    shared = lambda x: x.reshape(len(x), x.shape[1] // share, share, x.shape[-1]).sum(2)
    return (o, logs, np.einsum("hqk,khd->qhd", ds, k), shared(np.einsum("hqk,qhd->khd", ds, q)), shared(np.einsum("hqk,qhd->khd", p, gradient)))


def far(name, found, expected):
    """What is wrong with a gradient, or nothing."""
    away, size = np.linalg.norm(found - expected, axis=-1), np.linalg.norm(expected, axis=-1)
    whole = np.linalg.norm(away) / max(np.linalg.norm(size), 1e-30)
    rows = ~(away <= 1e-2 * size + 2e-3 * size.mean())  # a NaN is wrong
    return f"{name}: {rows.sum()} of {rows.size} rows are wrong, {whole:.2g} of its norm away" if rows.any() or not whole <= 3e-3 else ""


def case(tessera, work, device, modes, options, batch, queries, keys, heads, share):
    """What is wrong with the gradients of so many queries and keys of each batch, or, given as lists, of sequences one after the other."""
    varlen, dim = isinstance(queries, list), int(options.split()[1])
    of_v = 128 if dim == 192 else dim
    of_q, of_k = (sum(n) if varlen else n for n in (queries, keys))
    rng = np.random.default_rng(of_q + of_k + dim)
    before, text = (() if varlen else (batch,)), lambda *shape: "x".join(map(str, shape))
    shapes = {"Q": (of_q, heads, dim), "K": (of_k, heads // share, dim), "V": (of_k, heads // share, of_v), "dO": (of_q, heads, of_v)}
    tensors = {name: rng.standard_normal((*before, *shape)).astype(np.float16) for name, shape in shapes.items()}
    window, softcap = given(options, "window", 0) if "--window" in options else None, given(options, "softcap", 0.0)
    tensors["slopes"] = (2.0 ** -rng.integers(1, 6, heads)).astype(np.float32) if "--alibi" in options else None
    if varlen:
        tensors.update((f"starts{name}", np.cumsum([0, *n]).astype(np.int32)) for name, n in (("Q", queries), ("K", keys)))
    for name, x in tensors.items():
        if x is not None:
            np.save(f"{work}/{name}.npy", x)
    scale = dim**-0.5
    words = re.sub(r":\S+", "", options).split() + (["--varlen"] if varlen else [])
    scores = ([str(window)] if "--window" in words else []) + ([f"f32:{softcap}"] if softcap else [])
    scores += [f"{work}/slopes.npy"] if "--alibi" in words else []
    starts = [f"{work}/startsQ.npy", f"{work}/startsK.npy"] if varlen else []

    def run(verb, words, arguments, saved):
        file = f"{work}/{verb}.mlir"
        subprocess.run([tessera, "generate", verb, "--element", "f16", *words, "-o", file], check=True)
        command = [tessera, "run", file, "--device", device, *re.findall(r"--arch|sm_\w+", options), "--timeout", "300", *modes]
        for argument in arguments:
            command += ["--arg", argument]
        for i, name in saved.items():
            command += ["--save", f"{i}={work}/{name}.npy"]
        done = subprocess.run(command, capture_output=True, text=True)
        return f"{verb}: exit code {done.returncode}\n{done.stdout[-1500:]}{done.stderr[-1500:]}" if done.returncode else ""

    files = [f"{work}/{name}.npy" for name in ("Q", "K", "V")]
    forward = re.sub(r"--stages \d+", "", " ".join(words)).split() + ["--lse"]
    attended = [*files, f"out:f16:{text(*before, of_q, heads, of_v)}", f"f32:{scale}", *scores, *starts, *([str(max(queries))] if varlen else []),
                f"out:f32:{text(*before, heads, of_q)}"]
    wrong = run("attention", forward, attended, {3: "O", len(attended) - 1: "lse"})
    results = [f"out:f16:{text(*before, of_q, heads, dim)}", *(f"out:f16:{text(*before, of_k, heads // share, d)}" for d in (dim, of_v))]
    room = 64 * (of_q // 64 + len(queries)) if varlen else -(-of_q // 64) * 64
    longest = [str(max(queries)), str(max(keys))] if varlen else []
    wrong = wrong or run("attention-backward", words, [*files, f"{work}/O.npy", f"{work}/dO.npy", f"{work}/lse.npy", *results,
                                                       f"out:f32:{text(*before, heads, 2, room)}", f"f32:{scale}", *scores, *starts, *longest],
                         {6: "dQ", 7: "dK", 8: "dV"})
    if wrong:
        return wrong
    each = [[tensors[name][b] for name in ("Q", "K", "V", "dO")] for b in range(batch)]
    if varlen:
        q, k = tensors["startsQ"], tensors["startsK"]
        each = [[tensors["Q"][q[i]:q[i + 1]], tensors["K"][k[i]:k[i + 1]], tensors["V"][k[i]:k[i + 1]], tensors["dO"][q[i]:q[i + 1]]] for i in range(len(queries))]
    expected = list(zip(*(gradients(*x, scale, "--causal" in words, window, softcap, tensors["slopes"]) for x in each)))
    together = [np.concatenate(x, axis=1 if i == 1 else 0) if varlen else np.stack(x) for i, x in enumerate(expected)]
    logs = np.load(f"{work}/lse.npy")
    said = [] if np.allclose(logs, together[1], rtol=1e-5, atol=2e-3, equal_nan=False) else ["the logarithms are wrong"]
    return "; ".join(said + [text for name, x in zip(("dQ", "dK", "dV"), together[2:]) if (text := far(name, np.load(f"{work}/{name}.npy"), x))])


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


# The same with all that scores may have, of two sequences.
WRONG_SEQUENCES = [
    (9, "2x2x188", "expects a workspace for each head of Q, of 2 rows of at least 64 times as many numbers as sequences and whole times 64 queries "
                   "in all"),  # AttentionSequencesWorkspace
    (9, "1x2x192", "expects a workspace for each head of Q"),
    (11, "-1", "expects a window of 0 or more keys on a side of a query's own"),  # AttentionWindow
    (12, "f32:0", "expects a positive cap of the scores"),  # AttentionCap
    (13, "zeros:f32:3", "expects a slope for each head of Q"),  # AttentionSlopes
    (15, "zeros:i32:2", "expects starts of sequences of Q and of K in equal number"),  # AttentionStarts
    (16, "-1", "expects the longest sequences of Q and of K to have 0 or more rows"),  # AttentionLongestOfBoth
    (17, "-5", "expects the longest sequences of Q and of K to have 0 or more rows"),
]


def refuses(tessera, work):
    """Shapes that do not belong together are errors before the launch; what is wrong."""
    file, wrong = f"{work}/wrong.mlir", []
    matrices = ["100x2x64", "64x2x64", "64x2x64", "100x2x64", "100x2x64", "2x100", "100x2x64", "64x2x64", "64x2x64"]
    scores = ["f32:1", "3", "f32:2", "zeros:f32:2", "zeros:i32:3", "zeros:i32:3", "0", "0"]
    for words, right, cases in (("", [*(f"1x{of}" for of in matrices), "1x2x2x128", "f32:1"], WRONG),
                                ("--causal --window --softcap --alibi --varlen", [*matrices, "2x2x192", *scores], WRONG_SEQUENCES)):
        subprocess.run([tessera, "generate", "attention-backward", "--head-dim", "64", "--element", "f16", *words.split(), "-o", file], check=True)
        for at, other, sentence in [(None, "", ""), *cases]:
            arguments = [other if i == at else of for i, of in enumerate(right)]
            arguments = [f"zeros:{'f32' if i in (5, 9) else 'f16'}:{of}" if i < 10 else of for i, of in enumerate(arguments)]
            done = subprocess.run([tessera, "run", file, "--device", "sim", *(word for of in arguments for word in ("--arg", of))], capture_output=True, text=True)
            if done.returncode < 0 or bool(done.returncode) != bool(sentence) or sentence not in done.stdout + done.stderr:
                wrong.append(f"{words} argument {at} of {other}: exit code {done.returncode}, {done.stderr[-600:]}")
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
        for wrong in refuses(options.tessera, work) if options.device == "sim" and not options.only else []:
            failed += 1
            print(wrong)
    print(f"backward: {ran} cases, {failed} wrong")
    return 1 if failed or not ran else 0


sys.exit(main())
