#!/usr/bin/env python3
"""How many missing synchronisations the sanitizer finds: mutants.py TESSERA [--expect SHARE]

Takes the Hopper GEMM of `tessera generate`, deletes each instruction that synchronises in turn, and runs every mutant with
--sanitize. What is no bug, and why, is in HARMLESS; of the rest at least SHARE must end with an error or wrong numbers.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

M, N, K = 384, 256, 384
SYNC = re.compile(
    r"^\s*(@!?%p\d+\s+)?(bar\.|barrier\.|mbarrier\.(init|arrive|try_wait)|fence\.|wgmma\.(fence|commit|wait)"
    r"|cp\.async\.bulk\.(commit|wait)_group)")
# Not looked for yet: registers of wgmma in flight, and what makes mbarriers visible to other blocks, of which there are none here.
# One more is no bug: the wait_group 1 after the first group of a tile, which waits for nothing.
HARMLESS = re.compile(r"wgmma\.fence|fence\.mbarrier_init")


def run(tessera, ptx, work):
    maps = [f"tmap:f16:{K}x{M}::64x128:128B@{work}/A.npy", f"tmap:f16:{K}x{N}::64x256:128B@{work}/B.npy",
            f"tmap:f16:{N}x{M}::64x64:128B@out:f16:{M}x{N}"]
    arguments = [x for m in maps for x in ("--arg", m, "--arg", "struct{i32:0,i32:0}")]
    tiles = [x for t in (M // 128, N // 256, K // 64) for x in ("--arg", f"i32:{t}")]
    return subprocess.run(
        [tessera, "sim", ptx, "--grid", "1", "--block", "384", "--smem", "229440", *arguments, *tiles, "--sanitize",
         "--max-instructions", "20000000", "--check", f"2={work}/D.npy", "--rtol", "0", "--atol", "0"],
        capture_output=True, text=True, timeout=300)


def main():
    tessera = sys.argv[1]
    share = float(sys.argv[sys.argv.index("--expect") + 1]) if "--expect" in sys.argv else 0
    with tempfile.TemporaryDirectory() as work:
        generated, ptx = f"{work}/gemm.mlir", f"{work}/gemm.ptx"
        # One block for all tiles, so that every stage is used again.
        subprocess.run([tessera, "generate", "gemm", "--ab", "f16", "--d", "f16", "--sms", "1", "-o", generated], check=True)
        subprocess.run([tessera, "compile", generated, "--arch", "sm_90a", "--emit", "ptx", "--no-cache", "-o", ptx], check=True)
        rng = np.random.default_rng(1)
        a, b = rng.integers(-2, 3, (M, K)), rng.integers(-2, 3, (N, K))
        for name, x in (("A", a), ("B", b), ("D", a @ b.T)):
            np.save(f"{work}/{name}.npy", x.astype(np.float16))
        lines = Path(ptx).read_text().splitlines()
        original = run(tessera, ptx, work)
        if original.returncode:
            print(f"the kernel itself: exit code {original.returncode}\n{original.stdout}{original.stderr}")
            return 1
        found = bugs = 0
        for i, line in enumerate(lines):
            if not SYNC.match(line):
                continue
            Path(ptx).write_text("\n".join(lines[:i] + ["// deleted"] + lines[i + 1:]))
            result = run(tessera, ptx, work)
            harmless = HARMLESS.search(line)
            bugs += not harmless
            found += not harmless and result.returncode != 0
            how = (result.stderr or result.stdout).strip().split("\n")[0][:150] if result.returncode else "nothing"
            print(f"{'harmless' if harmless else 'found   ' if result.returncode else 'MISSED  '} line {i + 1}: {line.strip()}: {how}")
    print(f"{found} of {bugs} mutants found")
    return 0 if found >= share * bugs else 1


if __name__ == "__main__":
    sys.exit(main())
