#!/usr/bin/env python3
"""Attention by products of warps (`tessera generate attention` and `decode`, `--arch sm_75` to `sm_89`, `sm_120a`) on the simulator: warps.py TESSERA [WORD].

Each case against numpy in f64, under the sanitizer and with asynchronous work as late as allowed while warps run in a random order, and against the
form of sm_90a with the same numbers; ptxas, if there is one, takes its code without stack and spills. Each day has half of them (TESSERA_TURN, a
number, chooses; TESSERA_LONG has all). With WORD only those whose options have it.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from attentions import attend
sys.path.append(str(Path(__file__).parents[2] / "utils"))
import sass
import turn

# As ATTENTIONS and SEQUENCES of attentions.py: edges that divide no tile, one query, one key, more keys than queries and fewer, heads that share K
# and V, several stages, all targets.
CASES = [
    ("--arch sm_80", 1, 130, 200, 2, 1),
    ("--arch sm_80 --element bf16 --causal", 2, 200, 333, 4, 2),
    ("--arch sm_80 --causal", 1, 77, 50, 1, 1),
    ("--arch sm_80 --head-dim 64", 1, 193, 300, 1, 1),
    ("--arch sm_80 --head-dim 64", 1, 1, 1, 1, 1),
    ("--arch sm_80 --head-dim 64 --element bf16", 2, 65, 1, 2, 2),
    ("--arch sm_80 --head-dim 64 --causal --lse", 1, 1, 129, 1, 1),
    ("--arch sm_80 --head-dim 64 --causal", 1, 200, 3, 1, 1),
    ("--arch sm_80 --head-dim 64 --stages 2", 1, 130, 330, 1, 1),
    ("--arch sm_80 --head-dim 64 --causal --consumers 1 --tile-n 32 --stages 3", 1, 150, 190, 2, 1),
    ("--arch sm_80 --head-dim 64 --tile-n 128 --causal", 1, 300, 270, 1, 1),
    ("--arch sm_80 --scale:1.0 --head-dim 64", 1, 300, 700, 1, 1),
    ("--arch sm_80 --head-dim 96", 1, 130, 200, 2, 1),
    ("--arch sm_80 --head-dim 96 --causal --element bf16 --stages 4 --tile-n 32", 1, 77, 390, 2, 2),
    ("--arch sm_80 --head-dim 192", 1, 140, 270, 1, 1),
    ("--arch sm_80 --head-dim 192 --causal", 1, 140, 140, 2, 2),
    ("--arch sm_80 --head-dim 256", 1, 140, 190, 1, 1),
    ("--arch sm_80 --head-dim 256 --causal --element bf16", 1, 90, 70, 1, 1),
    ("--arch sm_80 --causal --window:0 --head-dim 64", 1, 70, 90, 1, 1),
    ("--arch sm_80 --causal --window:200", 1, 333, 333, 2, 2),
    ("--arch sm_80 --window:50 --head-dim 64", 2, 250, 301, 1, 1),
    ("--arch sm_80 --window:20 --head-dim 64", 1, 400, 120, 1, 1),
    ("--arch sm_80 --softcap:3 --head-dim 96", 1, 100, 170, 1, 1),
    ("--arch sm_80 --alibi --head-dim 64", 1, 150, 210, 3, 1),
    ("--arch sm_80 --causal --window:90 --softcap:1.5 --alibi", 2, 160, 230, 4, 2),
    ("--arch sm_80 --lse --element bf16", 1, 130, 200, 2, 1),
    ("--arch sm_80 --varlen --causal --head-dim 64 --lse", [130, 1, 128, 77], [130, 90, 0, 50], 2, 2),
    ("--arch sm_80 --varlen --head-dim 64", [5, 193, 0, 64], [200, 17, 40, 1], 1, 1),
    ("--arch sm_80 --varlen --window:70 --head-dim 96", [64, 129], [200, 65], 2, 2),
    ("--arch sm_80 --varlen --causal", [300, 40], [177, 411], 1, 1),
    ("--arch sm_86", 1, 130, 200, 2, 1),
    ("--arch sm_86 --causal --window:37 --head-dim 64 --tile-n 32", 1, 300, 411, 2, 1),
    ("--arch sm_86 --head-dim 256", 1, 70, 130, 1, 1),
    ("--arch sm_87 --causal --element bf16", 1, 130, 210, 3, 3),
    ("--arch sm_89 --causal", 1, 130, 200, 2, 1),
    ("--arch sm_89 --head-dim 96 --lse", 1, 130, 200, 2, 1),
    ("--arch sm_120a", 1, 130, 200, 2, 1),
    ("--arch sm_120a --head-dim 64 --element bf16 --causal", 2, 130, 200, 2, 2),
    ("--arch sm_121a --head-dim 192 --causal", 1, 130, 150, 1, 1),
    # Of 8 bits.
    ("--arch sm_89 --element f8E4M3FN", 1, 130, 200, 2, 1),
    ("--arch sm_89 --element f8E4M3FN --causal --result f16", 2, 200, 333, 4, 2),
    ("--arch sm_89 --element f8E4M3FN --pick --stages 2", 2, 130, 300, 2, 1),
    ("--arch sm_120a --element f8E4M3FN --pick --head-dim 64 --tile-n 64 --result f16", 1, 193, 200, 2, 2),
    ("--arch sm_89 --element f8E4M3FN --pick --head-dim 256", 1, 128, 150, 1, 1),
    ("--arch sm_89 --element f8E4M3FN --head-dim 96 --causal --window:70", 1, 150, 201, 2, 1),
    ("--arch sm_121a --element f8E4M3FN --head-dim 192 --causal --lse", 1, 140, 140, 2, 2),
    ("--arch sm_89 --element f8E4M3FN --head-dim 192 --alibi", 1, 70, 90, 2, 1),
    ("--arch sm_89 --element f8E4M3FN --softcap:3 --head-dim 64 --consumers 1", 1, 140, 190, 1, 1),
    ("--arch sm_120a --element f8E4M3FN --varlen --causal --head-dim 64", [130, 1, 0, 77], [130, 90, 5, 50], 2, 2),
    # Without cp.async, and with products of depth 8.
    ("--arch sm_75 --head-dim 64", 1, 130, 200, 2, 1),
    ("--arch sm_75 --causal --lse", 1, 130, 200, 2, 2),
    ("--arch sm_75 --head-dim 96 --causal", 1, 77, 50, 1, 1),
    ("--arch sm_75 --head-dim 192", 1, 65, 100, 1, 1),
    ("--arch sm_75 --head-dim 256 --stages 1", 1, 65, 100, 1, 1),
    ("--arch sm_75 --varlen --head-dim 64 --stages 2", [5, 193, 0, 64], [200, 17, 40, 1], 1, 1),
]
# The same of `tessera generate decode`: parts without keys, several tiles of rows, keys of each batch, pages of parts of a tile, of a tile and of
# several, an odd number of teams, clusters on sm_120a.
DECODES = [
    ("--arch sm_80", 2, 1, 129, 8, 8),
    ("--arch sm_80 --teams 5 --causal", 1, 5, 300, 12, 6),
    ("--arch sm_80 --teams 32 --head-dim 64", 1, 1, 1000, 8, 8),
    ("--arch sm_80 --head-dim 64 --causal --element bf16", 2, 8, 205, 2, 2),
    ("--arch sm_80 --causal --stages 2 --tile-n 16", 1, 9, 4, 3, 3),
    ("--arch sm_80 --teams 2 --causal --window:150 --head-dim 64", 1, 3, 900, 8, 4),
    ("--arch sm_80 --window:3 --head-dim 64 --tile-n 16 --stages 1", 1, 40, 57, 4, 2),
    ("--arch sm_80 --teams 3 --causal --softcap:4 --alibi --window:400", 1, 2, 600, 6, 3),
    ("--arch sm_80 --teams 3 --head-dim 96 --alibi", 1, 9, 700, 16, 8),
    ("--arch sm_80 --lengths --teams 2", 4, 1, 300, 4, 4),
    ("--arch sm_80 --page 16 --teams 3 --window:300 --causal", 3, 2, 500, 4, 4),
    ("--arch sm_80 --page 256 --head-dim 64 --alibi --element bf16", 3, 1, 600, 16, 8),
    ("--arch sm_86 --teams 4", 1, 1, 333, 16, 8),
    ("--arch sm_86 --page 8 --head-dim 96", 2, 2, 150, 2, 1),
    ("--arch sm_87 --causal --element bf16", 1, 4, 210, 3, 3),
    ("--arch sm_89 --page 32 --head-dim 96 --softcap:3 --window:100 --causal --teams 2", 3, 2, 400, 4, 2),
    ("--arch sm_89 --lengths --causal --window:60 --head-dim 64 --teams 4", 3, 3, 500, 8, 4),
    ("--arch sm_120a", 1, 1, 700, 4, 4),
    ("--arch sm_120a --splits 2 --teams 2 --page 64 --causal", 3, 4, 500, 8, 8),
    ("--arch sm_121a --splits 1 --lengths --head-dim 64", 2, 3, 115, 4, 4),
    ("--arch sm_80 --head-dim 192", 2, 1, 129, 8, 8),
    ("--arch sm_89 --head-dim 256 --teams 3 --causal", 1, 5, 300, 12, 6),
    ("--arch sm_75 --head-dim 192 --page 16 --teams 2 --window:100 --causal", 3, 2, 300, 4, 4),
    ("--arch sm_120a --head-dim 256 --lengths --softcap:3 --alibi --element bf16", 3, 2, 150, 8, 4),
    ("--arch sm_100a --head-dim 256", 1, 1, 130, 4, 4),
    ("--arch sm_100a", 1, 1, 700, 4, 4),
    ("--arch sm_103a --splits 2 --teams 2 --page 64 --causal", 3, 4, 500, 8, 8),
    ("--arch sm_110a --lengths --head-dim 64 --element bf16", 2, 3, 115, 4, 4),
    ("--arch sm_75", 1, 1, 129, 8, 8),
    ("--arch sm_75 --teams 3 --causal --head-dim 64 --alibi", 2, 3, 300, 4, 2),
    ("--arch sm_75 --page 16 --teams 2 --head-dim 96", 3, 1, 333, 4, 4),
    ("--arch sm_75 --lengths --softcap:2 --causal", 3, 2, 150, 8, 4),
]


def unlike_hopper(tessera, work, verb, options, sizes):
    """How O differs from that of sm_90a, which is as far from the numbers in f64 at most as this one: of f8 5e-2 each."""
    mine = f"{work}/O.npy"
    plain = re.sub(r"--(arch|consumers|tile-n|stages|splits) \S+ ?", "", options)
    with tempfile.TemporaryDirectory() as other:
        if wrong := attend(tessera, other, verb, plain, *sizes):
            return f"sm_90a: {wrong}"
        o, theirs = np.load(mine), np.load(f"{other}/O.npy")
    narrow = "f8" in options
    bits = "--result f16" not in options if narrow else "--element bf16" in options
    o, theirs = ((x.astype(np.uint32) << 16).view(np.float32) if bits else x.astype(np.float32) for x in
                 ((x.view(np.uint16) if bits else x) for x in (o, theirs)))
    allowed = 1e-1 if narrow else 1.6e-2 if bits else 2e-3
    wrong = ~(np.linalg.norm(o - theirs, axis=-1) <= allowed * np.linalg.norm(theirs, axis=-1))
    return f"{wrong.sum()} of {wrong.size} queries are not as on sm_90a" if wrong.any() else ""


def spilled(tessera, file, target):
    """What ptxas has to say of the kernel besides its registers."""
    if not shutil.which("ptxas"):
        return ""
    ptx, cubin = f"{file}.ptx", f"{file}.cubin"
    made = subprocess.run([tessera, "compile", file, "--arch", target, "--emit", "ptx", "-o", ptx], capture_output=True, text=True)
    if made.returncode:
        return made.stderr
    said = subprocess.run(["ptxas", "-v", f"-arch={target}", "-O3", ptx, "-o", cubin], capture_output=True, text=True)
    text = said.stdout + said.stderr
    clean = "0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads" in text and not re.search(r"\(C\d+\)", text)
    if said.returncode or not clean:
        return text
    (_, code), = sass.kernels(Path(cubin).read_bytes())
    kinds, asked = sass.counted(code)[1], Path(ptx).read_text()
    for kind, name in (("QMMA" if ".e4m3." in asked else "HMMA", "mma.sync"), ("LDSM", "ldmatrix.sync"), ("LDGSTS", "cp.async.cg")):
        if kinds[kind] != asked.count(name):
            return f"{kinds[kind]} {kind}, but {asked.count(name)} {name}"
    return ""


def main():
    tessera, word = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
    failed = ran = 0
    cases = [("attention", *case) for case in CASES] + [("decode", *case) for case in DECODES]
    for verb, options, *sizes in [case for case in cases if word in f"{case[0]} {case[1]}"] if word else turn.share(cases, 2):
        ran += 1
        with tempfile.TemporaryDirectory() as work:
            wrong = attend(tessera, work, verb, options, *sizes, modes=(["--sanitize"], ["--late", "--shuffle", "1"]))
            wrong = wrong or spilled(tessera, f"{work}/attention.mlir", options.split()[1]) or unlike_hopper(tessera, work, verb, options, sizes)
        if wrong:
            failed += 1
            print(f"{verb} {options}, {sizes}: {wrong}", flush=True)
    print(f"{ran} kernels run, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
