"""Attention of `tessera generate` on the simulator against numpy: what is asked for, the reference in f64, and the comparison."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import re
import subprocess

import numpy as np
from formats import e4m3, narrowed, rounded, stored

# What `tessera generate attention` is asked for, with what a call gives for it after a colon; batch, queries, keys, heads of Q, and how many of
# them share one of K.
ATTENTIONS = [
    ("", 1, 130, 200, 2, 1),
    ("--causal", 2, 200, 333, 2, 2),
    ("--causal", 1, 77, 50, 1, 1),
    ("--head-dim 64", 1, 193, 300, 1, 1),
    ("--head-dim 64 --causal --consumers 2 --tile-n 48 --stages 3", 1, 150, 150, 2, 1),
    # Windows: of one key, that begin and end within tiles, wider than all keys, of queries that see nothing, to both sides.
    ("--causal --window:0 --head-dim 64", 1, 70, 90, 1, 1),
    ("--causal --window:37 --head-dim 64 --tile-n 32", 1, 300, 411, 2, 1),
    ("--causal --window:200", 1, 333, 333, 2, 2),
    ("--causal --window:2147483647 --head-dim 64", 1, 150, 99, 1, 1),
    ("--window:50 --head-dim 64 --tile-n 48", 2, 250, 301, 1, 1),
    ("--window:20 --head-dim 64", 1, 400, 120, 1, 1),
    ("--softcap:3 --head-dim 64", 1, 100, 170, 1, 1),
    ("--alibi --head-dim 64 --consumers 2", 1, 150, 210, 3, 1),
    ("--causal --window:90 --softcap:1.5 --alibi --tile-n 64", 2, 160, 230, 4, 2),
    # Heads of other widths.
    ("--head-dim 96", 1, 130, 200, 2, 1),
    ("--head-dim 96 --causal --softcap:20", 1, 77, 190, 2, 2),
    ("--head-dim 192", 1, 140, 270, 1, 1),
    ("--head-dim 192 --causal", 1, 140, 140, 2, 2),
    ("--head-dim 256", 1, 140, 190, 1, 1),
    ("--head-dim 256 --causal --window:60", 1, 150, 170, 1, 1),
]
# Of 8 bits, with scales of heads, and with `--pick` of queries that see one key alone, whose V they give.
ATTENTIONS += [
    ("--element f8E4M3FN", 1, 130, 200, 2, 1),
    ("--element f8E4M3FN --causal --result f16", 2, 200, 333, 4, 2),
    ("--element f8E4M3FN --causal --head-dim 64", 1, 70, 50, 1, 1),
    ("--element f8E4M3FN --head-dim 64 --tile-n 32 --stages 3 --consumers 2", 1, 193, 290, 3, 3),
    ("--element f8E4M3FN --head-dim 96 --tile-n 96 --causal --window:70", 1, 150, 201, 2, 1),
    ("--element f8E4M3FN --head-dim 192 --causal --stages 1", 1, 140, 140, 2, 2),
    ("--element f8E4M3FN --head-dim 256 --softcap:3", 1, 140, 190, 1, 1),
    ("--element f8E4M3FN --alibi --tile-n 160", 1, 100, 370, 2, 1),
    ("--element f8E4M3FN --pick", 2, 130, 300, 2, 1),
    ("--element f8E4M3FN --pick --head-dim 64 --tile-n 64 --result f16", 1, 193, 200, 2, 2),
    ("--element f8E4M3FN --pick --head-dim 256", 1, 128, 150, 1, 1),
]
# Of blocks that take several tiles of queries, one after the other: as many blocks as `--sms` says.
ATTENTIONS += [
    ("--sms 1 --head-dim 64 --tile-n 64", 2, 300, 150, 2, 1),
    ("--sms 3 --causal", 2, 200, 333, 2, 2),
    ("--sms 2 --causal --head-dim 64 --consumers 2 --tile-n 48 --stages 3", 3, 290, 150, 4, 2),
    ("--sms 1 --window:50 --head-dim 64 --tile-n 48", 2, 250, 301, 1, 1),
    ("--sms 1 --head-dim 96 --causal --softcap:20", 1, 277, 190, 2, 2),
    ("--sms 2 --persistent --element f8E4M3FN --head-dim 64", 2, 300, 290, 3, 1),
    ("--sms 2 --persistent --causal --element f8E4M3FN --tile-n 64 --stages 1", 1, 300, 290, 2, 2),
    ("--no-persistent --head-dim 64", 1, 193, 300, 1, 1),
    ("--no-persistent --causal", 1, 130, 177, 2, 2),
]
# The same of `tessera generate decode`: fewer tiles of keys than parts, parts without keys, more rows than a tile has, queries that see nothing.
DECODES = [
    ("", 1, 1, 700, 4, 4),
    ("", 2, 1, 129, 8, 1),
    ("--causal --splits 4", 1, 5, 300, 12, 6),
    ("--splits 1 --causal", 1, 8, 100, 2, 2),
    ("--head-dim 64 --splits 2", 2, 3, 515, 16, 8),
    ("--head-dim 64 --causal", 1, 7, 1100, 24, 12),
    ("--causal --stages 2 --tile-n 48 --splits 4", 1, 9, 4, 3, 3),
    ("--causal --window:150 --splits 4 --head-dim 64", 1, 3, 900, 8, 4),
    ("--window:3 --splits 2 --head-dim 64 --tile-n 16", 1, 40, 57, 4, 2),
    ("--causal --softcap:4 --alibi --window:400 --splits 2", 1, 2, 600, 6, 3),
    ("--head-dim 96 --alibi", 2, 2, 700, 12, 4),
    ("--head-dim 192 --splits 2 --causal", 2, 3, 300, 8, 4),
    ("--head-dim 256 --splits 4 --page 16 --window:200 --causal --teams 2", 3, 2, 300, 4, 4),
    # Keys of each batch's own number, from none to all, in one piece or in pages: of parts of a tile, of a tile, of several tiles.
    ("--lengths --splits 2", 4, 1, 300, 4, 4),
    ("--lengths --causal --window:60 --splits 4 --head-dim 64", 3, 3, 500, 8, 4),
    ("--page 16 --splits 2", 3, 1, 333, 4, 4),
    ("--page 8 --head-dim 64 --splits 1", 2, 2, 150, 2, 1),
    ("--page 64 --causal", 3, 4, 700, 8, 8),
    ("--page 256 --head-dim 64 --splits 4 --alibi", 3, 1, 900, 16, 8),
    ("--page 32 --head-dim 96 --softcap:3 --window:100 --causal --splits 2", 3, 2, 400, 4, 2),
]
# Clusters that share the keys: some without any, rows of two items, one block a cluster.
DECODES += [
    ("--teams 2", 1, 1, 2000, 8, 8),
    ("--teams 5 --splits 2 --causal", 2, 9, 700, 16, 8),
    ("--teams 32 --splits 1 --head-dim 64", 1, 2, 1000, 4, 2),
    ("--teams 3 --page 16 --splits 4 --window:300 --causal", 3, 2, 900, 4, 4),
    ("--teams 2 --lengths --head-dim 96 --softcap:4", 4, 1, 700, 4, 2),
    ("--teams 3 --head-dim 96 --splits 4", 1, 9, 1000, 8, 2),
]
# Of sequences one after the other, in place of batch, queries and keys: queries and keys of each.
SEQUENCES = [
    ("--varlen --head-dim 64", [5, 193, 0, 64], [200, 17, 40, 1], 1, 1),
    ("--varlen --causal --head-dim 64 --consumers 2", [130, 1, 128, 77], [130, 90, 0, 50], 2, 2),
    ("--varlen --causal", [300, 40], [177, 411], 1, 1),
    ("--varlen --causal --window:33 --softcap:2 --alibi --head-dim 64 --tile-n 32", [111, 70, 250], [111, 300, 240], 2, 1),
    ("--varlen --window:70 --head-dim 96", [64, 129], [200, 65], 2, 2),
    ("--varlen --head-dim 192 --causal", [50, 129, 3], [50, 200, 140], 1, 1),
    ("--varlen --head-dim 256", [3, 130], [90, 81], 1, 1),
    ("--element f8E4M3FN --varlen --causal --head-dim 64", [130, 1, 0, 77], [130, 90, 5, 50], 2, 2),
    ("--element f8E4M3FN --varlen", [200, 3], [100, 411], 1, 1),
]


def given(options, name, otherwise=None):
    """What a call gives for an option of attention."""
    found = re.search(rf"--{name}:(\S+)", options)
    return type(otherwise)(found[1]) if found else otherwise


def attention(q, k, v, scale, causal=False, window=None, softcap=0.0, slopes=None):
    """In f64, of (sequence, head, element): by what the words say, not by what kernels do. The last query sees all keys, a query that sees none
    gives zeros. Also the logarithms of sums, (head, query)."""
    share = q.shape[1] // k.shape[1]
    q, k, v = q.astype(np.float64), np.repeat(k, share, axis=1).astype(np.float64), np.repeat(v, share, axis=1).astype(np.float64)
    scores = np.einsum("qhd,khd->hqk", q, k) * scale
    if softcap:
        scores = softcap * np.tanh(scores / softcap)
    away = np.arange(len(k)) - (np.arange(len(q))[:, None] + len(k) - len(q))  # from a query's own key
    if slopes is not None:
        scores = scores - slopes.astype(np.float64)[:, None, None] * np.abs(away)
    seen = np.full(away.shape, True) if not causal else away <= 0
    if window is not None:
        seen &= np.abs(away) <= window
    scores = np.where(seen, scores, -np.inf)
    most = scores.max(-1, keepdims=True, initial=-np.inf)
    powers = np.exp(scores - np.where(np.isfinite(most), most, 0))
    total = powers.sum(-1, keepdims=True)
    with np.errstate(divide="ignore"):
        logarithms = np.where(total == 0, -np.inf, most + np.log(total))[..., 0]
    return np.einsum("hqk,khd->qhd", powers / np.where(total == 0, 1, total), v), logarithms


def in_pages(rng, x, counts, size):
    """(batch, keys, ...) as (pages, keys of a page, ...) in a random order, and the table of pages. Pages that nobody has are NaN, rows of the
    table after the last page of a batch are not pages; what a page has after the last key is any number."""
    most = -(-x.shape[1] // size)
    order = rng.permutation(x.shape[0] * most + 3).astype(np.int32)
    table = np.full((x.shape[0], most), 1 << 30, np.int32)
    pages = np.full((len(order), size, *x.shape[2:]), np.nan, x.dtype)
    for b, count in enumerate(counts):
        for p in range(-(-count // size)):
            table[b, p] = order[b * most + p]
            pages[table[b, p]] = rng.standard_normal(pages.shape[1:])
            there = x[b, p * size:min((p + 1) * size, count)]
            pages[table[b, p], :len(there)] = there
    return pages, table


def refuses_teams(tessera, work):
    """A workspace, or counters, with too little room are errors before the launch; what is wrong."""
    file, wrong = f"{work}/teams.mlir", []
    subprocess.run([tessera, "generate", "decode", "--teams", "3", "--splits", "2", "--head-dim", "64", "-o", file], check=True)
    items = 2 * 2 * 2  # batches, heads of K, tiles of 64 rows of the 33 queries of 2 heads
    words, counts = 3 * items * 64 * (64 + 2), 2 * items
    for name, room, more in (("", (words, counts), ""),
                             ("AttentionTeamWorkspace", (words - 1, counts), "expects a workspace of at least teams x items x 64 x (dimension of V + 2) numbers"),
                             ("AttentionTeamCounters", (words, counts - 1), "expects at least 2 counters for each item, which are 0")):
        shapes = ("rand:bf16:2x33x4x64", "rand:bf16:2x90x2x64", "rand:bf16:2x90x2x64", "out:bf16:2x33x4x64")
        arguments = [*shapes, "f32:0.1", f"out:f32:{room[0]}", f"zeros:i32:{room[1]}"]
        ran = subprocess.run([tessera, "run", file, "--device", "sim", *(x for a in arguments for x in ("--arg", a))], capture_output=True, text=True)
        if (ran.returncode == 0) != (not more) or more not in ran.stderr:
            wrong.append(f"{name} {room}: exit code {ran.returncode}\n{ran.stderr[-1000:]}")
    return "\n".join(wrong)


def attend(tessera, work, verb, options, *sizes, modes=(["--sanitize"],), device="sim"):
    """Each query's result may be 2e-3 of its norm away from f64, as f16 is rounded three times on the way, of bf16 eight times as much; of f8, whose P
    has 4 bits, 5e-2, and 2e-3 where each query picks one key; returns what is wrong. What was generated is left in `attention.mlir`."""
    dim = int((re.findall(r"--head-dim (\d+)", options) or [128])[0])
    ofValues = 128 if dim == 192 else dim
    *lengths, heads, share = sizes
    element = (re.findall(r"--element (\w+)", options) or ["f16"])[0]
    arch = re.findall(r"--arch \w+", options)
    varlen = "--varlen" in options
    of = [(n,) for n in map(sum, lengths)] if varlen else [(lengths[0], n) for n in lengths[1:]]  # modes before the heads
    rng = np.random.default_rng(sum(map(sum, of)))
    q, k, v = (rng.standard_normal((*n, h, d)).astype(np.float32)
               for n, h, d in ((of[0], heads, dim), (of[1], heads // share, dim), (of[1], heads // share, ofValues)))
    narrow, picks = element == "f8E4M3FN", "--pick" in options
    result_type = (re.findall(r"--result (\w+)", options) or ["bf16" if narrow else element])[0]
    if picks:  # each query is a key, and everything else is far below
        k = np.where(k < 0, -1, 1).astype(np.float32)
        q = np.repeat(np.take(k, rng.integers(0, of[1][-1], of[0][-1]), axis=1), share, axis=2)
    scales = [2.0 ** rng.integers(-2, 3, (*n[:-1], h)) if narrow else np.ones(h) for n, h in ((of[0], heads), (of[1], heads // share), (of[1], heads // share))]
    if narrow:
        codes = [narrowed(x) for x in (q, k, v)]
        q, k, v = (e4m3()[x] * s[..., None, :, None] for x, s in zip(codes, scales))
    else:
        q, k, v = (rounded(x, element) for x in (q, k, v))
    page = int((re.findall(r"--page (\d+)", options) or [0])[0])
    own = page or "--lengths" in options  # keys of each batch's own number
    counts = np.array([of[1][1], 0, *rng.integers(1, of[1][1], of[1][0])][:of[1][0]], np.int32) if own else None
    cached = [k, v]
    if page:
        state = rng.bit_generator.state
        (pagesK, table), rng.bit_generator.state = in_pages(rng, k, counts, page), state
        cached = [pagesK, in_pages(rng, v, counts, page)[0]]
    slopes = rng.uniform(0.01, 0.5, heads).astype(np.float32) if "--alibi" in options else None
    window, softcap = given(options, "window", 0) if "--window" in options else None, given(options, "softcap", 0.0)
    arguments = []
    for name, x in zip("QKV", codes if narrow else [stored(x, element) for x in (q, *cached)]):
        np.save(f"{work}/{name}.npy", x)
        arguments += ["--arg", f"{element}:{work}/{name}.npy"]
    scale = given(options, "scale", 8.0 / scales[0].min() / scales[1].min() if picks else dim**-0.5)
    arguments += ["--arg", f"out:{result_type}:{'x'.join(map(str, (*of[0], heads, ofValues)))}", "--arg", f"f32:{scale}"]
    arguments += ["--arg", f"i32:{window}"] if window is not None else []
    arguments += ["--arg", f"f32:{softcap}"] if softcap else []
    if slopes is not None:
        np.save(f"{work}/slopes.npy", slopes)
        arguments += ["--arg", f"{work}/slopes.npy"]
    starts = [np.concatenate([[0], np.cumsum(n)]).astype(np.int32) for n in lengths] if varlen else []
    for name, x in zip(("startsQ", "startsK"), starts):
        np.save(f"{work}/{name}.npy", x)
        arguments += ["--arg", f"{work}/{name}.npy"]
    arguments += ["--arg", f"i32:{max(lengths[0])}"] if varlen else []
    for name, x in [("lengths", counts)] * bool(own) + [("pages", table) if page else None] * bool(page):
        np.save(f"{work}/{name}.npy", x)
        arguments += ["--arg", f"{work}/{name}.npy"]
    for name, x in zip(("scalesQ", "scalesK", "scalesV"), scales if narrow else []):
        np.save(f"{work}/{name}.npy", x.astype(np.float32))
        arguments += ["--arg", f"{work}/{name}.npy"]
    if "--lse" in options:
        arguments += ["--save", f"{len(arguments) // 2}={work}/lse.npy", "--arg", f"out:f32:{'x'.join(map(str, (*of[0][:-1], heads, of[0][-1])))}"]
    teams, splits = (int((re.findall(rf"--{name} (\d+)", options) or [other])[0]) for name, other in (("teams", 1), ("splits", 8)))
    if teams > 1:  # counters are 0 before and after; numbers of the workspace may be anything before
        items = of[0][0] * heads // share * -(-share * of[0][1] // 64)
        np.save(f"{work}/workspace.npy", np.full(teams * items * 64 * (dim + 2), np.nan, np.float32))
        np.save(f"{work}/counters.npy", np.zeros(splits * items, np.int32))
        arguments += ["--save", f"{len(arguments) // 2 + 1}={work}/counters.npy"]
        arguments += ["--arg", f"{work}/workspace.npy", "--arg", f"{work}/counters.npy"]
    file = f"{work}/attention.mlir"
    words = re.sub(r":\S+", "", re.sub(r"--scale:\S+|--pick", "", options)).split()
    subprocess.run([tessera, "generate", verb, *(["--element", "f16"] if "--element" not in words else []), *words, "-o", file], check=True)
    if own:
        q, k, v = q, [x[:n] for x, n in zip(k, counts)], [x[:n] for x, n in zip(v, counts)]
    parts = [np.split(x, s[1:-1]) for x, s in zip((q, k, v), (starts[0], starts[1], starts[1]))] if varlen else (q, k, v)
    expected = [attention(*part, scale, "--causal" in options, window, softcap, slopes) for part in zip(*parts)]
    expected, logarithms = zip(*expected)
    expected, logarithms = (np.concatenate(expected), np.concatenate(logarithms, 1)) if varlen else (np.stack(expected), np.stack(logarithms))
    for mode in modes:
        result = subprocess.run([tessera, "run", file, "--device", device, *" ".join(arch).split(), *mode, *arguments, "--save", f"3={work}/O.npy",
                                 "--timeout", "300"], capture_output=True, text=True)
        if result.returncode:
            return f"{' '.join(mode)}: exit code {result.returncode}\n{result.stdout[-2000:]}{result.stderr[-2000:]}"
        if teams > 1 and np.load(f"{work}/counters.npy").any():
            return f"{' '.join(mode)}: counters are left at {np.unique(np.load(f'{work}/counters.npy'))}"
        got = np.load(f"{work}/O.npy")
        got = (got.view(np.uint16).astype(np.uint32) << 16).view(np.float32) if result_type == "bf16" else got
        away = np.linalg.norm(got - expected, axis=-1)
        allowed = 2e-3 if picks else 5e-2 if narrow else 1.6e-2 if element == "bf16" else 2e-3
        wrong = ~(away <= allowed * np.linalg.norm(expected, axis=-1))  # NaN is wrong
        if wrong.any():
            return f"{' '.join(mode)}: {wrong.sum()} of {wrong.size} queries are wrong"
        # Tensor cores sum products of f8 with 13 bits after the point of the largest one, so that scores are off by as much: at a hundredth of the
        # scale the logarithms are 2e-5 off, not 2e-2.
        if "--lse" in options and not np.allclose(np.load(f"{work}/lse.npy"), logarithms, rtol=1e-5, atol=4e-2 if narrow else 2e-3):
            return f"{' '.join(mode)}: the logarithms are wrong"
    return ""
