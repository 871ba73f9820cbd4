"""Mutants that are no bugs, each with the argument: regular expressions for the kernel, the mutation, and the lines around the
instruction, which follows `>>>` (registers without numbers). Kernels of the compiler change; a row that fits nothing does no harm.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

HARMLESS = [
    ("^tcgen05", "deleted", r">>>bar.warp.sync", "lanes meet before .aligned instructions, which wait for them here; no data passes"),
    ("nvcc scan_block", "deleted", r">>>bar.sync 0;\nld.shared.u32 %, \[%\];\ncvta",
     "after the last step each thread reads only the sum that it wrote itself"),
    ("nvcc async_copies", "deleted", r">>>bar.sync 0;\nadd.s32 %, %, 512;\nadd.s32 %, %, -1;\nsetp.ne",
     "the loop of the remainder has two turns for six tiles, and no copy follows the first one"),
    ("nvcc cuda_barrier", "passes", r"L__BB0_8:\n(.*\n)*>>>mbarrier.try_wait",
     "readers who do not wait for `done` wait for `ready`, at which the writers arrive after `done`"),
    ("nvcc last_block", "weak", "ld.volatile", "the two membar and the atomic between them order this read; it need not be strong"),
    ("nvcc scan_chained", "weak", r">>>ld.volatile.global.u32 %, \[%\+4\]",
     "the flag and the two membar order this read; it need not be strong"),
    ("nvcc scan_chained", "weak", r">>>st.volatile.global.u32 \[%\], %;\nmembar",
     "the flag and the two membar order this write; it need not be strong"),
    ("^gemm", "deleted|one more", r"^#1\n(.*\n)*>>>wgmma.wait_group.sync.aligned 1;",
     "the first turn of the loop, which is peeled: one group has been committed, and all but the latest one waits for none"),
    ("^gemm|hopper_dense", "deleted", r"^#2\n(.*\n)*>>>wgmma.fence",
     "only wgmma of one shape touch the sums between two turns, and A is in shared memory; the ISA (wgmma.fence) asks for none"),
    ("^attention", "deleted", r"^#[36]\n(.*\n)*>>>wgmma.fence",
     "the fence before the product of Q and K comes after all accesses of the registers of this one too"),
    ("^attention", "deleted", r">>>bar.sync %, 256;", "consumers take turns with the tensor cores, for speed alone; no data passes"),
    ("^attention", "passes", r"mov.b32 %, 1;\n(.*\n)*>>>mbarrier.try_wait.parity.shared.b64 P1, \[%\], %, %;\n(.*\n)*elect.sync",
     "the producer's first stages are free: parity 1 is over as soon as the mbarrier is made"),
    ("hopper_dense", "passes", r"^#1\n(.*\n)*>>>mbarrier.try_wait.parity.shared.b64 P1",
     "the stages of the prologue are free: the parity that it waits for is over as soon as the mbarrier is made"),
    ("hopper_dense", "deleted|one more", r"^#[1238]\n(.*\n)*>>>cp.async.bulk.wait_group.read 3;",
     "no more than three stores are on their way, or no stage is written any more"),
    ("hopper_dense", "deleted", r"^#(2|4|6|16)\n(.*\n)*>>>bar.sync %;",
     "the next stage has not been read yet, or no stage is written any more"),
    ("ampere_tensorop_gemm", "deleted", r"st.shared.v4.b32 (.*\n)*>>>bar.sync 0;",
     "each thread copies to what it has cleared itself; before others read there is a barrier"),
    ("ampere_tensorop_gemm", "deleted|one more", r">>>cp.async.wait_group 0;",
     "the groups that are left are empty: the last copies were waited for in the loop"),
]
