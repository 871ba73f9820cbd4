#!/usr/bin/env python3
"""Makes occupancy.tsv: what cuda_occupancy.h of CUDA 13.0 says of random kernels: occupancy.py > occupancy.tsv.

The header knows granularities, blocks and barriers of each compute capability; threads and shared memory of an SM are
from the CUDA C++ Programming Guide 13.0, "Compute Capabilities". Needs a C++ compiler and CUDA's headers.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import random
import subprocess
import sys
import tempfile

CUDA = "/usr/local/cuda/include"
# compute capability: threads of an SM, KiB of its shared memory
SMS = {70: (2048, 96), 75: (1024, 64), 80: (2048, 164), 86: (1536, 100), 87: (1536, 164), 89: (1536, 100),
       90: (2048, 228), 100: (2048, 228), 103: (2048, 228), 110: (1536, 228), 120: (1536, 100), 121: (1536, 100)}
SOURCE = r"""
#include <cstdio>
#include <cstring>
#include <cuda_occupancy.h>
int main() {
  int cc, sm, kib, registers, threads, shared, barriers;
  while (std::scanf("%d %d %d %d %d %d %d", &cc, &sm, &kib, &registers, &threads, &shared, &barriers) == 7) {
    cudaOccDeviceProp device;
    std::memset(&device, 0, sizeof device);
    device.numSms = 1;
    device.computeMajor = cc / 10, device.computeMinor = cc % 10;
    device.maxThreadsPerBlock = 1024, device.maxThreadsPerMultiprocessor = sm;
    device.regsPerBlock = device.regsPerMultiprocessor = 65536;
    device.warpSize = 32;
    size_t system = cc < 80 ? 0 : 1024;
    device.sharedMemPerBlock = 49152, device.sharedMemPerMultiprocessor = kib * 1024;
    device.sharedMemPerBlockOptin = kib * 1024 - system, device.reservedSharedMemPerBlock = system;
    cudaOccFuncAttributes kernel;
    std::memset(&kernel, 0, sizeof kernel);
    kernel.maxThreadsPerBlock = 1024, kernel.numRegs = registers, kernel.sharedSizeBytes = 0;
    kernel.partitionedGCConfig = PARTITIONED_GC_OFF;
    kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
    kernel.maxDynamicSharedSizeBytes = device.sharedMemPerBlockOptin;
    kernel.numBlockBarriers = barriers;
    cudaOccDeviceState state;
    state.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED;
    cudaOccResult result;
    if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &kernel, &state, threads, shared))
      return 1;
    std::printf("%d\t%d\t%d\t%d\t%d\t%d\n", cc, registers, threads, shared, barriers,
                result.activeBlocksPerMultiprocessor);
  }
}
"""


def main():
    rng = random.Random(5)
    asked = ""
    for cc, (threads, kib) in SMS.items():
        limit = kib * 1024 - (0 if cc < 80 else 1024)
        for _ in range(60):
            shared = rng.choice([0, rng.randrange(limit + 1), rng.randrange(limit // 8), limit])
            asked += f"{cc} {threads} {kib} {rng.choice([16, 255, rng.randrange(16, 256)])} " \
                     f"{rng.choice([32, 128, 256, 384, 1024, rng.randrange(1, 1025)])} {shared} {rng.choice([0, 1, 1, 2, 16])}\n"
    with tempfile.TemporaryDirectory() as work:
        with open(f"{work}/ask.cpp", "w") as file:
            file.write(SOURCE)
        subprocess.run(["c++", "-I", CUDA, "-o", f"{work}/ask", f"{work}/ask.cpp"], check=True)
        done = subprocess.run([f"{work}/ask"], input=asked, capture_output=True, text=True, check=True)
    print("sm\tregisters\tthreads\tshared\tbarriers\tblocks")
    sys.stdout.write(done.stdout)


main()
