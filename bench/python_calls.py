#!/usr/bin/env python3
"""What a call from Python costs: bench/python_calls.py, with PYTHONPATH and TESSERA_LIBRARY as docs/python.md says, on a machine with torch and a GPU.

Microseconds until a call of a kernel with two tensors returns, each the median of 30 rounds of 200 calls with nothing waited for inside a round: by
python/call.c, by ctypes, on a stream that is given, and torch's own y = 2 x beside it. Then the same from a graph, whose result is checked.

With TESSERA_LIBCUDA naming what bench/timed_driver.c makes, a column more: how much of that the driver's two functions took, each reading of the clock
counted with them. Without torch or a GPU it needs that driver over build/dev/lib/cuda's (LD_LIBRARY_PATH, TESSERA_GPU=h200): launches are dropped, tensors
answer as torch's do, and what is left is Tessera's own part.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import ctypes
import os
import statistics
import time
from pathlib import Path

import tessera
from tessera import _kernels

ROUNDS, CALLS = 30, 200
KERNEL = Path(__file__).resolve().parent.parent / "examples/program/twice.mlir"
PATH = os.environ.get("TESSERA_LIBCUDA", "")
DRIVER = ctypes.CDLL(PATH) if "timed" in Path(PATH).name else None


def driver_nanoseconds():
    return ctypes.c_uint64.in_dll(DRIVER, "tessera_timed_nanoseconds").value if DRIVER else 0


def microseconds(call, synchronize):
    """Of a call, and of the driver in it."""
    for _ in range(20):
        call()
    synchronize()
    rounds, in_driver = [], []
    for _ in range(ROUNDS):
        before, begin = driver_nanoseconds(), time.perf_counter_ns()
        for _ in range(CALLS):
            call()
        rounds.append((time.perf_counter_ns() - begin) / CALLS / 1000)
        in_driver.append((driver_nanoseconds() - before) / CALLS / 1000)
        synchronize()
    return statistics.median(rounds), statistics.median(in_driver)


def without_short(call):
    def through_ctypes():
        short, _kernels._short_call = _kernels._short_call, None
        try:
            return call()
        finally:
            _kernels._short_call = short

    return through_ctypes


def show(what, figures):
    print(what)
    for name, (whole, in_driver) in figures:
        print(f"{name:24} {whole:6.2f} us" + (f"  of which the driver {in_driver:6.2f}" if DRIVER and in_driver else ""))


def on_gpu(torch):
    kernel = tessera.load(str(KERNEL))
    x, y = torch.rand(256, device="cuda"), torch.zeros(256, device="cuda")
    kernel(x, y)
    torch.cuda.synchronize()
    assert torch.equal(y, x * 2)
    stream = torch.cuda.current_stream().cuda_stream
    twice = kernel["twice"]
    rows = [("call.c", lambda: kernel(x, y)), ("call.c, grid= block=", lambda: twice(x, y, grid=1, block=256)),
            ("call.c, stream=", lambda: kernel(x, y, stream=stream)), ("ctypes", without_short(lambda: kernel(x, y))),
            ("torch.mul(x, 2, out=y)", lambda: torch.mul(x, 2, out=y))]
    figures = [(name, microseconds(call, torch.cuda.synchronize)) for name, call in rows]
    graph = torch.cuda.CUDAGraph()
    y.zero_()
    with torch.cuda.graph(graph):
        kernel(x, y)
    graph.replay()
    torch.cuda.synchronize()
    assert torch.equal(y, x * 2), "a captured call"
    short, exchange = "found" if _kernels._short_call else "MISSING", hasattr(torch.Tensor, "__dlpack_c_exchange_api__")
    show(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, call.c {short}, exchange {exchange}", figures)


def without_gpu():
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    address = ctypes.addressof(ctypes.c_char.in_dll(DRIVER, "tessera_timed_exchange"))
    kind = type("Tensor", (), {"__dlpack_c_exchange_api__": new(address, b"dlpack_exchange_api", None)})
    kernel = tessera.load(str(KERNEL))
    twice, x, y = kernel["twice"], kind(), kind()
    drop = ctypes.c_int32.in_dll(DRIVER, "tessera_timed_drop")
    drop.value = 1
    launches = ctypes.c_uint64.in_dll(DRIVER, "tessera_timed_launches")
    rows = [("call.c", lambda: kernel(x, y)), ("call.c, grid= block=", lambda: twice(x, y, grid=1, block=256)), ("call.c, stream=", lambda: kernel(x, y, stream=8))]
    figures = []
    for name, call in rows:
        before = launches.value
        figures.append((name, microseconds(call, lambda: None)))
        assert launches.value - before == 20 + ROUNDS * CALLS, name
    drop.value = 0
    show("no GPU: launches are dropped, so that this is Tessera's part", figures)


def main():
    try:
        import torch
    except ImportError:
        torch = None
    if torch and torch.cuda.is_available():
        on_gpu(torch)
    elif DRIVER:
        without_gpu()
    else:
        raise SystemExit("expects torch with a GPU, or TESSERA_LIBCUDA=build/timed_driver.so over the stand-in driver, but there is neither; see the top of this file")


if __name__ == "__main__":
    main()
