#!/usr/bin/env python3
"""Compiles kernels.py with Triton and writes their PTX: record.py FOLDER

FOLDER/NAME.smXX.ptx begins with a comment of JSON: the kernel, its warps, bytes of shared memory, blocks of a cluster and bytes of scratch in
global memory for each block. Needs Triton, and for other targets than a GPU at hand the ptxas that comes with it; no GPU is used.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import sys
from pathlib import Path

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from kernels import CASES


def recorded(kernel, types, constants, warps, stages, target):
    names = kernel.arg_names
    signature = dict(zip(names, types.split()))
    signature.update({name: "constexpr" for name in names if name not in signature})
    # As Triton's launcher says of extents and addresses that are multiples of 16; of these every pointer is.
    attributes = {(i,): [["tt.divisibility", 16]] for i, name in enumerate(names) if signature[name].startswith("*")}
    source = ASTSource(fn=kernel, signature=signature, constexprs={(names.index(n),): v for n, v in constants.items()}, attrs=attributes)
    made = triton.compile(source, target=GPUTarget("cuda", target, 32), options={"num_warps": warps, "num_stages": stages})
    meta = made.metadata
    said = {"kernel": meta.name, "warps": meta.num_warps, "shared": meta.shared, "cluster": list(getattr(meta, "cluster_dims", (1, 1, 1))),
            "scratch": getattr(meta, "global_scratch_size", 0), "tensor_memory": getattr(meta, "tmem_size", 0) or 0, "triton": triton.__version__}
    return "// " + json.dumps(said) + "\n" + made.asm["ptx"]


def main():
    folder = Path(sys.argv[1])
    failed = 0
    for name, kernel, types, constants, warps, stages, targets in CASES:
        for target in targets:
            try:
                (folder / f"{name}.sm{target}.ptx").write_text(recorded(kernel, types, constants, warps, stages, target))
            except Exception as problem:  # which compiler fails at what is Triton's to say
                failed += 1
                print(f"{name} for sm_{target}: {type(problem).__name__}: {str(problem)[:400]}")
    print(f"record: {sum(len(targets) for *_, targets in CASES) - failed} written, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
