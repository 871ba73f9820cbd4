"""Mutants that are no bugs, each with the argument: regular expressions for the kernel, the mutation, and the lines around the
instruction, which follows `>>>` (registers without numbers). Kernels of the compiler change; a row that fits nothing does no harm.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

HARMLESS = [
    ("nvcc scan_block", "deleted", r">>>bar.sync 0;\nld.shared.u32 %, \[%\];\ncvta",
     "after the last step each thread reads only the sum that it wrote itself"),
    ("nvcc async_copies", "deleted", r">>>bar.sync 0;\nadd.s32 %, %, 512;\nadd.s32 %, %, -1;\nsetp.ne",
     "the loop of the remainder has two turns for six tiles, and no copy follows the first one"),
    ("nvcc cuda_barrier", "passes", r"L__BB0_8:\n(.*\n)*>>>mbarrier.try_wait",
     "readers who do not wait for `done` wait for `ready`, at which the writers arrive after `done`"),
    ("nvcc last_block", "weak", "ld.volatile", "the two membar and the atomic between them order this read; it need not be strong"),
    ("nvcc scan_chained", "weak", r">>>ld.volatile.global.u32 %, \[%\+4\]", "the flag and the two membar order this read; it need not be strong"),
    ("nvcc scan_chained", "weak", r">>>st.volatile.global.u32 \[%\], %;\nmembar", "the flag and the two membar order this write; it need not be strong"),
]
