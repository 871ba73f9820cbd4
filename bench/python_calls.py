#!/usr/bin/env python3
"""What a call from Python costs: bench/python_calls.py, with PYTHONPATH and TESSERA_LIBRARY as docs/python.md says, on a machine with torch and a GPU.

Microseconds until a call of a kernel with two tensors returns, each the median of 30 rounds of 200 calls with nothing waited for inside a round: by
python/call.c, by ctypes, on a stream that is given, and torch's own y = 2 x beside it. Then the same from a graph, whose result is checked.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import statistics
import time
from pathlib import Path

import tessera
import torch
from tessera import _kernels

ROUNDS, CALLS = 30, 200
KERNEL = Path(__file__).resolve().parent.parent / "examples/program/twice.mlir"


def microseconds(call):
    for _ in range(20):
        call()
    torch.cuda.synchronize()
    rounds = []
    for _ in range(ROUNDS):
        begin = time.perf_counter_ns()
        for _ in range(CALLS):
            call()
        rounds.append((time.perf_counter_ns() - begin) / CALLS / 1000)
        torch.cuda.synchronize()
    return statistics.median(rounds)


def main():
    kernel = tessera.load(str(KERNEL))
    x, y = torch.rand(256, device="cuda"), torch.zeros(256, device="cuda")
    kernel(x, y)
    torch.cuda.synchronize()
    assert torch.equal(y, x * 2)
    stream = torch.cuda.current_stream().cuda_stream
    rows = [("call.c", lambda: kernel(x, y)), ("call.c, stream=", lambda: kernel(x, y, stream=stream)), ("torch.mul(x, 2, out=y)", lambda: torch.mul(x, 2, out=y))]
    figures = [(name, microseconds(call)) for name, call in rows]
    short, _kernels._short_call = _kernels._short_call, None
    figures.insert(1, ("ctypes", microseconds(lambda: kernel(x, y))))
    _kernels._short_call = short
    graph = torch.cuda.CUDAGraph()
    y.zero_()
    with torch.cuda.graph(graph):
        kernel(x, y)
    graph.replay()
    torch.cuda.synchronize()
    assert torch.equal(y, x * 2), "a captured call"
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, call.c {'found' if short else 'MISSING'}, exchange {hasattr(torch.Tensor, '__dlpack_c_exchange_api__')}")
    for name, figure in figures:
        print(f"{name:24} {figure:6.2f} us")


if __name__ == "__main__":
    main()
