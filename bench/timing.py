"""Times of torch's operations, measured as `tessera run --bench` measures ours."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import datetime
import statistics
import subprocess


def heading(tessera):
    """What a file of figures says first: GPU, its highest clock, versions, the program's commit, the date."""
    import torch

    clock = subprocess.run(["nvidia-smi", "--query-gpu=clocks.max.sm,driver_version", "--format=csv,noheader"], capture_output=True, text=True).stdout
    program = subprocess.run([tessera, "--version"], capture_output=True, text=True).stdout.splitlines()
    return (f"{torch.cuda.get_device_name()} (highest clock and driver: {clock.strip()}), torch {torch.__version__}, "
            f"{', '.join(p.strip() for p in program[:2])}, {datetime.date.today()}")


def median_ms(call, n=30):
    """The median of n calls, each between two CUDA events, after three to warm up."""
    import torch

    for _ in range(3):
        call()
    times = []
    for _ in range(n):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record(); call(); end.record(); torch.cuda.synchronize()
        times.append(start.elapsed_time(end))
    return statistics.median(times)


def median_graph_ms(call, n=30, inside=20, warm_ms=250):
    """The median of n CUDA graphs of so many calls, by call, after others have run for `warm_ms`: under load the clock sinks."""
    import torch

    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            call()
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream):
            for _ in range(inside):
                call()
        times, before = [], 0.0
        while len(times) < n + 2:
            start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            start.record(); graph.replay(); end.record(); torch.cuda.synchronize()
            before += start.elapsed_time(end)
            if len(times) < 2 or before >= warm_ms:
                times.append(start.elapsed_time(end) / inside)
    return statistics.median(times[2:])


_copies = {}


def copy_rate(nbytes):
    """GB/s of a copy that reads half of the bytes and writes half, inside a CUDA graph; measured once for a size."""
    import torch

    if nbytes not in _copies:
        x = torch.empty(nbytes // 2, dtype=torch.uint8, device="cuda").random_(256)
        y = torch.empty_like(x)
        _copies[nbytes] = nbytes / median_graph_ms(lambda: y.copy_(x)) / 1e6
    return _copies[nbytes]
