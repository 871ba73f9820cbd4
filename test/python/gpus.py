"""Products planned for the GPU that is there: for its number of multiprocessors, of which H100s have 132 and 114 (data sheets)."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import os
import re
import subprocess
import sys
import unittest

MULTIPROCESSORS = {"h100": 132, "h100-pcie": 114}

# In a process of its own, which sees one GPU: the name of the kernel for a shape, and a product of ones in memory of the GPU.
PLAN = """
import ctypes as c, json, os, struct, sys
import tessera

cuda = c.CDLL(os.environ["TESSERA_LIBCUDA"])
context = c.c_void_p()
assert not (cuda.cuInit(0) or cuda.cuDevicePrimaryCtxRetain(c.byref(context), 0) or cuda.cuCtxSetCurrent(context))

class OnGpu:
    def __init__(self, rows, columns, code):
        self.host = (c.c_uint16 * (rows * columns))(*[code] * (rows * columns))
        address = c.c_uint64()
        assert not cuda.cuMemAlloc_v2(c.byref(address), c.c_size_t(c.sizeof(self.host)))
        assert not cuda.cuMemcpyHtoD_v2(address, self.host, c.c_size_t(c.sizeof(self.host)))
        self.address = address
        self.shape = (c.c_int64 * 2)(rows, columns)
        # dlpack.h 0.8: data, device, rank, type (a float of 16 bits), shape, strides, offset; then what the capsule has
        self.managed = c.create_string_buffer(
            struct.pack("=QiiiBBHQQQQQ", address.value, 2, 0, 2, 2, 16, 1, c.addressof(self.shape), 0, 0, 0, 0))

    def __dlpack_device__(self):
        return 2, 0

    def __dlpack__(self, **kwargs):
        new = c.pythonapi.PyCapsule_New
        new.restype, new.argtypes = c.py_object, [c.c_void_p, c.c_char_p, c.c_void_p]
        return new(c.addressof(self.managed), b"dltensor", None)

    def read(self):
        assert not cuda.cuMemcpyDtoH_v2(self.host, self.address, c.c_size_t(c.sizeof(self.host)))
        return set(self.host)

m, n, k = map(int, sys.argv[1:4])
kernel = tessera.gemm(m, n, k, ab="f16", d="f16")
said = {"names": kernel.names}
if sys.argv[4] == "run":
    a, b, d = OnGpu(m, k, 0x3c00), OnGpu(n, k, 0x3c00), OnGpu(m, n, 0)
    kernel(a, b, d)
    kernel.synchronize()
    said["numbers"] = sorted(d.read())
print(json.dumps(said))
"""

# The occupancy of a kernel of PTX, which has 32 registers there.
OCCUPANCY = """
import json, sys
import tessera

kernel = tessera.loads(".version 8.0\\n.target sm_80\\n.address_size 64\\n.visible .entry nothing() { ret; }", "nothing.ptx")
try:
    kernel.occupancy()
    sys.exit("a kernel of any block has an occupancy")
except tessera.Error as error:
    assert error.id == "OccupancyThreads", error
print(json.dumps([kernel.occupancy(threads, shared) for threads, shared in ((256, 0), (1024, 100000), (64, 10**7))]))
"""


class Gpus(unittest.TestCase):
    def said(self, gpu, m, n, k, what="plan"):
        environment = {**os.environ, "TESSERA_GPU": gpu, "TESSERA_CACHE_DIR": "", "TESSERA_PTXAS": ""}  # which the simulator has no use for
        done = subprocess.run([sys.executable, "-c", PLAN, str(m), str(n), str(k), what], env=environment, capture_output=True, text=True, timeout=600)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout.splitlines()[-1])

    def tiles(self, names, m, n):
        rows, columns = map(int, re.search(r"gemm_m(\d+)n(\d+)", names[-1]).groups())
        return -(-m // rows) * -(-n // columns)

    def test_the_plan_fits_the_multiprocessors(self):
        """128 tiles of 64 x 64 are done at once by 132 multiprocessors, but not by 114: there the tiles are larger. Few are idle."""
        m, n, k = 128, 4096, 4096
        for gpu, there in MULTIPROCESSORS.items():
            tiles = self.tiles(self.said(gpu, m, n, k)["names"], m, n)
            self.assertLessEqual(tiles, there, gpu)
            self.assertGreater(tiles, 0.9 * there, gpu)

    def test_a_product_on_fewer_multiprocessors(self):
        m, n, k = 1408, 1536, 64
        said = self.said("h100-pcie", m, n, k, "run")
        self.assertGreater(self.tiles(said["names"], m, n), 114)  # so that blocks have several
        self.assertEqual(said["numbers"], [0x5400])  # 64

    def test_occupancy(self):
        """By hand from CUDA's table of compute capabilities: 64 warps and 228 KiB of shared memory on an H100, 48 warps and 100 KiB on an RTX 4090."""
        for gpu, expected in (("h100", [[8, 64, 64, "warps"], [2, 64, 64, "warps"], [0, 0, 64, "shared memory"]]),
                              ("rtx4090", [[6, 48, 48, "warps"], [1, 32, 48, "warps"], [0, 0, 48, "shared memory"]])):
            environment = {**os.environ, "TESSERA_GPU": gpu, "TESSERA_CACHE_DIR": "", "TESSERA_PTXAS": ""}
            done = subprocess.run([sys.executable, "-c", OCCUPANCY], env=environment, capture_output=True, text=True, timeout=600)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(json.loads(done.stdout.splitlines()[-1]), expected, gpu)


if __name__ == "__main__":
    unittest.main()
