"""Times of torch's operations, measured as `tessera run --bench` measures ours."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import statistics


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
