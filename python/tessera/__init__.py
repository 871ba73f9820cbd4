"""Tessera: kernels of CuTe DSL, tile programs and PTX, called from Python on GPUs, on a simulator and on an interpreter.

    k = tessera.load("dump.mlir")                  # what CuTe DSL kept
    k(x, y)                                        # torch, cupy, jax or numpy, by DLPack; torch's stream
    k.on("sim", sanitize=True)(x.cpu(), y.cpu())   # races and missing fences, with lines
    tessera.attention(q, k, v, causal=True)        # ready kernels: gemm, attention, rows; `import tessera.torch` makes operators of torch
    tessera.Layout("(8,4):(4,1)")                  # the layout algebra, with pictures in notebooks
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from ._errors import Error
from ._kernels import Device, Kernel, Occupancy, Parameter, Party, Report, SanitizerError, ir, load, loads
from ._layouts import Layout
from ._ready import attention, attention_backward, gemm, rows

__version__ = "0.1.0"
__all__ = ["Device", "Error", "Kernel", "Layout", "Occupancy", "Parameter", "Party", "Report", "SanitizerError", "attention", "attention_backward", "gemm", "ir", "load", "loads",
           "rows"]
