"""The short way of a call (python/call.c): tensors with DLPack's C exchange, integers and floats; what it leaves to the long way."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import numpy as np
import tessera
from calls import SCALE, Dlpack
from tessera import _kernels, _library

FILL = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_void_p)


class Exchange(ctypes.Structure):
    """DLPackExchangeAPI of dlpack.h 1.3."""

    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("earlier", ctypes.c_void_p), ("allocator", ctypes.c_void_p),
                ("owned_from_object", ctypes.c_void_p), ("owned_to_object", ctypes.c_void_p), ("tensor_from_object", FILL),
                ("current_stream", ctypes.c_void_p)]


def stream(kind, number, out):
    return -1


STREAM = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int32, ctypes.c_int32, ctypes.c_void_p)(stream)


def capsule(api):
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return new(ctypes.addressof(api), b"dlpack_exchange_api", None)


@FILL
def fill(object, address):
    if object.fails:
        return -1
    tensor = _library.Tensor.from_address(address)
    ctypes.memset(address, 0, ctypes.sizeof(tensor))
    tensor.data, tensor.device_type, tensor.rank = object.array.ctypes.data, 1, object.array.ndim
    tensor.type_code, tensor.type_bits, tensor.type_lanes = 2, 8 * object.array.itemsize, 1
    tensor.shape = object.shape
    return 0


API = Exchange(major=1, minor=3, tensor_from_object=fill, current_stream=ctypes.cast(STREAM, ctypes.c_void_p))
NEWER = Exchange(major=2, earlier=ctypes.addressof(API))
OTHER = Exchange(major=2)


class Tensor(Dlpack):
    """A tensor of a library with both ways; `fails`: its exchange refuses it."""

    __dlpack_c_exchange_api__ = capsule(API)

    def __init__(self, array, fails=False):
        super().__init__(array)
        self.fails, self.shape = fails, (ctypes.c_int64 * array.ndim)(*array.shape)


class Newer(Tensor):
    __dlpack_c_exchange_api__ = capsule(NEWER)


class Other(Tensor):
    __dlpack_c_exchange_api__ = capsule(OTHER)


class Strange(Tensor):
    __dlpack_c_exchange_api__ = "no capsule"


class ShortCalls(unittest.TestCase):
    def setUp(self):
        self.assertIsNotNone(_kernels._short_call, "tessera_call.abi3.so stands beside libtessera.so")
        self.kernel = tessera.loads(SCALE, "scale.ptx", device="sim")
        self.x, self.y = np.arange(8, dtype="f4"), np.zeros(8, "f4")

    def test_exchange_integers_and_floats_take_it(self):
        with mock.patch.object(_kernels.Slot, "fill", side_effect=AssertionError("the long way")):
            for kind in (Tensor, Newer):
                for _ in range(3):
                    self.y[:] = 0
                    self.kernel(kind(self.x), kind(self.y), 2.5, grid=1, block=8)
                    np.testing.assert_array_equal(self.y, self.x * np.float32(2.5))
            self.kernel(Tensor(self.x), Tensor(self.y), 3, grid=1, block=8)
            np.testing.assert_array_equal(self.y, self.x * 3)

    def test_what_it_does_not_know_goes_the_long_way(self):
        for x in (self.x, Dlpack(self.x), Tensor(self.x, fails=True), Other(self.x), Strange(self.x)):
            self.y[:] = 0
            self.kernel(x, Tensor(self.y), 2.0, grid=1, block=8)
            np.testing.assert_array_equal(self.y, self.x * 2)
        with self.assertRaisesRegex(OverflowError, "argument 2: expects an integer from"):
            self.kernel(Tensor(self.x), Tensor(self.y), 1 << 64, grid=1, block=8)
        with self.assertRaisesRegex(TypeError, "argument 0: expects a tensor with __dlpack__"):
            self.kernel(object(), Tensor(self.y), 2.0, grid=1, block=8)

    def test_refuses_in_the_same_words(self):
        for arguments in ((self.x,), (self.x, self.y), (self.x, self.y, 1.0, 2), (2.0, self.y, 1.0)):
            said = []
            for kind in (Tensor, Dlpack):
                with self.assertRaises(tessera.Error) as caught:
                    self.kernel(*(kind(a) if isinstance(a, np.ndarray) else a for a in arguments), grid=1, block=8)
                said.append((caught.exception.id, str(caught.exception)))
            self.assertEqual(*said)

    def test_launches_are_those_of_each_call(self):
        for threads in (8, 4, 8, 2):
            self.y[:] = 0
            self.kernel(Tensor(self.x), Tensor(self.y), 2.0, grid=(1,), block=(threads, 1))
            np.testing.assert_array_equal(self.y, np.where(np.arange(8) < threads, self.x * 2, 0))
        block = [8]
        for block[0] in (8, 3, 5):
            self.y[:] = 0
            self.kernel(Tensor(self.x), Tensor(self.y), 2.0, grid=1, block=block)
            np.testing.assert_array_equal(self.y, np.where(np.arange(8) < block[0], self.x * 2, 0))
        self.y[:] = 0
        self.kernel(Tensor(self.x), Tensor(self.y), 2.0, grid=np.int64(1), block=[np.int64(8)])
        np.testing.assert_array_equal(self.y, self.x * 2)
        with self.assertRaisesRegex(ValueError, "block: expects 1 to 3 extents"):
            self.kernel(Tensor(self.x), Tensor(self.y), 2.0, grid=1, block=(1, 2, 3, 4))

    def test_many_types_and_arguments(self):
        """More types than are remembered, and more arguments than fit."""
        for i in range(40):
            kind = type(f"Kind{i}", (Tensor,), {})
            self.y[:] = 0
            self.kernel(kind(self.x), kind(self.y), 2.0, grid=1, block=8)
            np.testing.assert_array_equal(self.y, self.x * 2)
        with self.assertRaises(tessera.Error):
            self.kernel(*[1] * 100, grid=1, block=8)

    def test_the_module_refuses_other_arguments(self):
        target = self.kernel._target
        for given in ((), (target, (), 0), (b"", (), 0, None), (target, [], 0, None), ("no bytes", (), 0, None), (target, (), -1, None)):
            with self.assertRaises((TypeError, OverflowError)):
                _kernels._short_call(*given)

    @unittest.skipUnless(shutil.which("cc"), "needs a C compiler")
    def test_what_a_call_costs_is_measured_without_a_gpu(self):
        """bench/python_calls.py over the stand-in driver: it counts launches by grids, by host functions and on a stream."""
        source, cuda = Path(os.environ["TESSERA_SOURCE"]), Path(os.environ["TESSERA_LIBCUDA"])
        with tempfile.TemporaryDirectory() as folder:
            driver = Path(folder, "timed_driver.so")
            subprocess.run(["cc", "-O2", "-shared", "-fPIC", source / "bench/timed_driver.c", "-o", driver, "-Wl,--no-as-needed", f"-L{cuda.parent / 'cuda'}", "-l:libcuda.so.1", "-ldl"],
                           check=True)
            environment = {**os.environ, "TESSERA_LIBCUDA": str(driver), "LD_LIBRARY_PATH": str(cuda.parent / "cuda"), "TESSERA_GPU": "h200", "TESSERA_CACHE_DIR": "", "TESSERA_PTXAS": ""}
            ran = subprocess.run([sys.executable, source / "bench/python_calls.py"], env=environment, capture_output=True, text=True, timeout=600)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual(ran.stdout.count(" us"), 3, ran.stdout)


if __name__ == "__main__":
    unittest.main()
