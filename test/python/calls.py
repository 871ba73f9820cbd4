"""Calls from Python with numpy: every kind of input and device, refusals, reports, threads. Expected values are numpy's."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import ctypes
import mmap
import os
import re
import struct
import tempfile
import threading
import time
import unittest
from pathlib import Path

import numpy as np
import tessera

SOURCE = Path(os.environ["TESSERA_SOURCE"])
TWICE = re.search(r"```mlir\n(.*?)```", (SOURCE / "README.md").read_text(), re.S)[1]
# y[i] = a * x[i], one thread each, and a race where every thread writes y[0].
SCALE = """.version 8.0
.target sm_80
.address_size 64
.visible .entry scale(.param .u64 x, .param .u64 y, .param .f32 a) {
  .reg .b64 %rd<6>; .reg .f32 %f<4>; .reg .b32 %r<2>;
  ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y]; ld.param.f32 %f1, [a];
  mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3;
  ld.global.f32 %f2, [%rd4]; mul.f32 %f3, %f2, %f1; st.global.f32 [%rd5], %f3;
  ret;
}
"""
# y[0] = v.
KEEP = """.version 8.0
.target sm_80
.address_size 64
.visible .entry keep(.param .u64 y, .param .s64 v) {
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [y]; ld.param.s64 %rd2, [v]; st.global.u64 [%rd1], %rd2;
  ret;
}
"""
RACE = SCALE.replace("scale", "race").replace("st.global.f32 [%rd5]", "st.global.f32 [%rd2]")


class Versioned:
    """The same of DLPack 1, which says whether it may only be read. dlpack.h 1.1: version, context, deleter, flags, DLTensor."""

    def __init__(self, array, flags, major=1):
        self.array = array
        shape = (ctypes.c_int64 * array.ndim)(*array.shape)
        tensor = struct.pack("=QiiiBBHQQQ", array.ctypes.data, 1, 0, array.ndim, 2, 8 * array.itemsize, 1, ctypes.addressof(shape), 0, 0)
        self.managed = ctypes.create_string_buffer(struct.pack("=IIQQQ", major, 0, 0, 0, flags) + tensor)
        self.shape = shape

    def __dlpack__(self, stream=None, max_version=None):
        if max_version is None or max_version < (1, 0):
            raise BufferError("an old capsule cannot say that it may only be read")
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(self.managed), b"dltensor_versioned", None)

    def __dlpack_device__(self):
        return (1, 0)


class Dlpack:
    """A tensor of another library: what it has is __dlpack__."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return (1, 0)


def loads(text, name="twice.mlir", **options):
    return tessera.loads(text, name, **{"device": "sim", "arch": "sm_80", **options})


class Calls(unittest.TestCase):
    def setUp(self):
        self.x = np.arange(256, dtype=np.float32)
        self.y = np.zeros(256, np.float32)

    def test_host_function_on_the_simulator(self):
        k = loads(TWICE)
        k(self.x, self.y)
        np.testing.assert_array_equal(self.y, 2 * self.x)
        self.assertEqual([(p.kind, p.constraint) for p in k.parameters], [("tensor", "f32 (?):(1), aligned to 4 bytes")] * 2)
        self.assertEqual((k.name, k.arch, k.names), ("main", "sm_80", ["main", "twice"]))
        self.assertIn("kernel twice", str(k))

    def test_files_and_other_libraries(self):
        with tempfile.TemporaryDirectory() as work:
            path = Path(work) / "twice.mlir"
            path.write_text(TWICE)
            k = tessera.load(path, device="sim", arch="sm_80", cache=False)
        k(Dlpack(self.x), Dlpack(self.y))
        np.testing.assert_array_equal(self.y, 2 * self.x)

    def test_read_only_arrays_are_read(self):
        self.x.flags.writeable = False
        loads(TWICE)(self.x, self.y)
        np.testing.assert_array_equal(self.y, 2 * self.x)

    def test_read_only_arrays_are_not_written(self):
        tiles = (SOURCE / "examples/tile/add.tilebc").read_bytes()
        sim = tessera.loads(tiles, "add.tilebc", device="sim", arch="sm_80")
        add = {"interp": tessera.loads(tiles, "add.tilebc", device="interp"), "sim": sim}
        rest = () if len(sim.parameters) in (3, 9) else (64,)
        for device, call in (("host function", lambda x, y: loads(TWICE)(x, y)), ("ptx", lambda x, y: loads(SCALE, "s.ptx")(x, y, 2.0, grid=1, block=256)),
                             ("interp", lambda x, y: add["interp"](x, x, y, *rest, grid=16)),
                             ("sim", lambda x, y: add["sim"](x, x, y, *rest, grid=16))):
            # Memory that nobody can write, and memory that somebody else may.
            for protected in (True, False):
                with self.subTest(device, protected=protected):
                    size = 64 if device in add else 256
                    x = np.arange(size, dtype=np.float32)
                    if protected:
                        with tempfile.TemporaryFile() as file:
                            file.write(b"\1" * 4 * size)
                            file.flush()
                            y = np.frombuffer(mmap.mmap(file.fileno(), 4 * size, access=mmap.ACCESS_READ), np.float32)
                    else:
                        y = np.full(size, 0x01010101, np.int32).view(np.float32)
                        y.flags.writeable = False
                    before = y.copy()
                    with self.assertRaisesRegex(tessera.Error, r"argument \d+ .*may only be read") as refused:
                        call(x, y)
                    self.assertEqual(refused.exception.id, "TensorReadOnly")
                    np.testing.assert_array_equal(y.view(np.int32), before.view(np.int32))
                    out = np.zeros(size, np.float32)
                    x.flags.writeable = False
                    call(x, out)
                    np.testing.assert_array_equal(out, 2 * x)

    def test_a_part_that_may_be_written_beside_one_that_may_not(self):
        k = loads(SCALE, "scale.ptx")
        whole = np.arange(512, dtype=np.float32)
        read = whole[:384].view()
        read.flags.writeable = False
        k(read, whole[256:], 2.0, grid=1, block=256)  # they share 128 elements, which may be written
        np.testing.assert_array_equal(whole, np.concatenate([np.arange(256), 2 * np.arange(256)]))
        with self.assertRaises(tessera.Error) as refused:
            k(whole[256:], read[:256], 2.0, grid=1, block=256)
        self.assertEqual(refused.exception.id, "TensorReadOnly")
        np.testing.assert_array_equal(whole[:256], np.arange(256))

    def test_dlpack_says_what_may_only_be_read(self):
        k = loads(TWICE)
        k(Versioned(self.x, flags=1), Versioned(self.y, flags=0))
        np.testing.assert_array_equal(self.y, 2 * self.x)
        with self.assertRaises(tessera.Error) as refused:
            k(self.y, Versioned(self.x, flags=1))
        self.assertEqual(refused.exception.id, "TensorReadOnly")
        np.testing.assert_array_equal(self.x, np.arange(256))
        with self.assertRaisesRegex(BufferError, "argument 1: expects DLPack 1, but got version 2.0"):
            k(self.x, Versioned(self.y, flags=0, major=2))

    def test_elements_in_another_byte_order_are_refused(self):
        k = loads(SCALE, "scale.ptx")
        other = ">" if np.dtype("=i4").newbyteorder("<").isnative else "<"
        for dtype in [other + kind for kind in ("i2", "i4", "i8", "u2", "u4", "u8", "f2", "f4", "f8", "c8")] + [[("a", other + "f4"), ("b", "=f4")]]:
            with self.subTest(dtype), self.assertRaisesRegex(TypeError, "argument 0: expects elements in the byte order of this machine"):
                k(np.zeros(256, dtype), self.y, 1.0, grid=1, block=256)
        for dtype in ("V32", "V33", "V64"):  # 8 bits for the size of an element are too few
            with self.subTest(dtype), self.assertRaisesRegex(TypeError, "argument 1: expects elements of 1 to 31 bytes"):
                k(self.x, np.zeros(256, dtype), 1.0, grid=1, block=256)
        k(self.x.astype("=f4"), self.y, 1.0, grid=1, block=256)
        np.testing.assert_array_equal(self.y, self.x)

    def test_integers_are_right_or_refused(self):
        k, y = loads(KEEP, "keep.ptx"), np.zeros(1, np.int64)
        for number in (-(2**63), 2**63 - 1, 2**32 + 1, -1, 0, np.int32(-7), np.uint8(200), np.int64(2**62), True):
            k(y, number, grid=1, block=1)
            self.assertEqual(int(y[0]), int(number))
        for number in (2**64 + 9, 2**63, 2**64 - 1, 2**64, 2**128 + 1, -(2**63) - 1, -(2**64)):
            with self.subTest(number), self.assertRaisesRegex(OverflowError, rf"argument 1: expects an integer from -{2**63} to {2**63 - 1}, but got {number}"):
                k(y, number, grid=1, block=1)
        k(y.view(np.uint64), (2**64 - 1).to_bytes(8, "little"), grid=1, block=1)
        self.assertEqual(int(y[0]), -1)
        for extents, error in ((2**32 + 1, OverflowError), (2**32, OverflowError), ((1, 2**64 + 1), OverflowError), (-1, OverflowError), (0, ValueError),
                               ((1, 0, 1), ValueError), ((), ValueError), ((1, 1, 1, 1), ValueError), (1.5, TypeError), (("1",), TypeError)):
            for name in ("grid", "block", "cluster"):
                given = {"grid": 1, "block": 1, name: extents}
                with self.subTest(given), self.assertRaisesRegex(error, name if extents != 1.5 else ""):
                    k(y, 1, **given)
        for size in (2**64 + 1, -1):
            with self.assertRaisesRegex(OverflowError, "dynamic_shared"):
                k(y, 1, grid=1, block=1, dynamic_shared=size)
        with self.assertRaisesRegex(OverflowError, "option max_reports"):
            tessera.Device("sim", max_reports=2**32 + 1)
        with self.assertRaisesRegex(OverflowError, "n: expects"):
            tessera.gemm(64, 2**64 + 64, 64, "f16", "f32", device="sim")
        self.assertEqual(tessera.Layout("(8,4):(4,1)")(3), 12)
        for coordinate in ((2**64 + 3,), (2**64 + 3, 0)):
            with self.assertRaisesRegex(OverflowError, "coordinate"):
                tessera.Layout("(8,4):(4,1)")(*coordinate)

    def test_texts_end_where_they_end(self):
        for call in (lambda: tessera.Device("sim\0x"), lambda: loads(TWICE, kernel="main\0x"), lambda: loads(TWICE, arch="sm_80\0x"),
                     lambda: loads(TWICE, cache="/tmp\0x"), lambda: tessera.Layout("8:1\0x")):
            with self.assertRaisesRegex(ValueError, "without NUL"):
                call()

    def test_messages_that_are_not_utf_8(self):
        for content, name in ((b"\xff\xfe", b"bad.mlir"), (b"module { x", b"\xff.mlir"), (SCALE.encode().replace(b"scale", b"sc\xe4le"), b"s.ptx")):
            with self.subTest(name), self.assertRaises(tessera.Error) as refused:
                tessera.loads(content, name, device="sim", cache=False)
            self.assertNotEqual(str(refused.exception), "")

    def test_kernels_of_cute_ir_alone(self):
        k = loads(TWICE, kernel="twice")
        k(self.x, self.y, grid=1, block=256)
        np.testing.assert_array_equal(self.y, 2 * self.x)
        with self.assertRaises(tessera.Error) as refused:
            k(self.x, self.y)
        self.assertEqual(refused.exception.id, "NeedsGrid")
        with self.assertRaises(tessera.Error) as refused:
            k(self.x, self.y, grid=1)
        self.assertEqual(refused.exception.id, "NeedsBlock")

    def test_ptx(self):
        k = loads(SCALE, "scale.ptx")
        k(self.x, self.y, 0.5, grid=1, block=256)
        np.testing.assert_array_equal(self.y, self.x / 2)
        self.assertEqual([(p.name, p.kind) for p in k.parameters], [("x", "pointer"), ("y", "pointer"), ("a", "number")])

    def test_tile_programs(self):
        content = (SOURCE / "examples/tile/add.tilebc").read_bytes()
        results = []
        for device in ("interp", "sim"):
            k = tessera.loads(content, "add.tilebc", device=device, arch="sm_80" if device == "sim" else None)
            x, y, z = (np.arange(1000, dtype=np.float32), np.ones(1000, np.float32), np.zeros(1000, np.float32))
            parameters = len(k.parameters)
            given = (x, y, z) if parameters in (3, 9) else (x, y, z, 1000)
            k(*given, grid=16)
            results.append(z)
        np.testing.assert_array_equal(results[0], results[1])
        self.assertGreater(results[0].sum(), 0)
        with self.assertRaises(tessera.Error) as refused:
            tessera.loads(TWICE, "twice.mlir", device="interp")
        self.assertEqual(refused.exception.id, "InterpreterInput")

    def test_other_device_with_sanitizer(self):
        clean = loads(TWICE).on("sim", sanitize=True)
        clean(self.x, self.y)
        self.assertEqual(clean.device.take_reports(), [])
        race = loads(RACE, "race.ptx", sanitize=True)
        with self.assertRaises(tessera.SanitizerError) as found:
            race(self.x, self.y, 1.0, grid=1, block=256)
        report = found.exception.reports[0]
        self.assertEqual(report.rule, found.exception.id)
        self.assertIn("race", report.kernel)
        self.assertIn("st.global.f32", report.party.line_text)
        self.assertIsNotNone(report.earlier)

    def test_refusals_are_sentences(self):
        k = loads(TWICE)
        cases = [
            ((self.x,), "BindCount", "expects 2 arguments, but got 1"),
            ((self.x.astype(np.float16), self.y), "BindElement", "expects elements of type f32, but got f16"),
            ((self.x, self.y[::2]), "BindStride", r"expects the stride 1 in mode 0, but got \(2\)"),
            ((self.x, self.y.reshape(16, 16)), "BindRank", "expects 1 extents"),
            ((1, self.y), "CallNotTensor", "expects a tensor"),
            ((self.x, self.y[::-1]), "StrideNegative", "0 or more"),
        ]
        for arguments, id, words in cases:
            with self.assertRaisesRegex(tessera.Error, words) as refused:
                k(*arguments)
            self.assertEqual(refused.exception.id, id)
        with self.assertRaises(TypeError):
            k("x", self.y)
        scale = loads(SCALE.replace("{", ".reqntid 64, 1, 1\n{", 1).replace(".param .f32 a", ".param .s32 a"), "scale.ptx")
        whole = np.frombuffer(bytearray(1025), np.uint8)
        shifted = whole[1:].view(np.float32)
        for arguments, id in (((self.x, self.y, self.x), "CallNotNumber"), ((self.x, self.y, 2**40), "CallNumber"), ((self.x, self.y, 0.5), "CallNumber"),
                              ((self.x, Dlpack(self.x.astype(complex)), 1), "CallElement")):
            with self.assertRaises(tessera.Error) as refused:
                scale(*arguments, grid=1)
            self.assertEqual(refused.exception.id, id)
        with self.assertRaises(tessera.Error) as refused:
            scale(self.x, self.y, 1, grid=1, block=32)
        self.assertEqual(refused.exception.id, "OtherBlock")
        pairs = loads(SCALE.replace("sm_80", "sm_90").replace("{", ".reqnctapercluster 2, 1, 1\n{", 1), "scale.ptx")
        with self.assertRaises(tessera.Error) as refused:
            pairs(self.x, self.y, 1.0, grid=4, block=32, cluster=4)
        self.assertEqual(refused.exception.id, "OtherCluster")
        with self.assertRaises(tessera.Error) as refused:  # the second begins a byte into the first
            k(whole[:1024].view(np.float32), shifted)
        self.assertEqual(refused.exception.id, "CallAlignment")
        with self.assertRaises(tessera.Error) as refused:
            tessera.Device("interp", sanitize=True)
        self.assertEqual(refused.exception.id, "DeviceOption")
        with self.assertRaises(tessera.Error) as refused:
            tessera.gemm(64, 64, 0, "f16", "f32", device="sim")
        self.assertEqual(refused.exception.id, "GemmShapeText")
        for launch in ({"grid": 1}, {"block": 32}, {"cluster": 2}, {"dynamic_shared": 64}):
            with self.assertRaises(tessera.Error) as refused:
                k(self.x, self.y, **launch)
            self.assertEqual(refused.exception.id, "HostLaunch")
        for text, name, id in (("garbage", "g.mlir", "CompileFailed"), ("", "e.mlir", None), (".version 8.0\n.target sm_80\n.entry x(", "x.ptx", None),
                               ("module {}", "empty.mlir", "NothingToCall")):
            with self.assertRaises(tessera.Error) as refused:
                loads(text, name)
            if id:
                self.assertEqual(refused.exception.id, id, refused.exception)
        with self.assertRaisesRegex(tessera.Error, "expects the device gpu"):
            loads(TWICE, device="tpu")
        with self.assertRaises(tessera.Error) as refused:
            loads(TWICE, kernel="nothing")
        self.assertEqual(refused.exception.id, "NoSuchName")
        with self.assertRaises(FileNotFoundError):
            tessera.load("no-such-file.mlir", device="sim")

    def test_loads_again_from_the_cache(self):
        with tempfile.TemporaryDirectory() as work:
            os.chmod(work, 0o700)
            times = []
            for _ in range(6):
                start = time.perf_counter()
                k = loads(TWICE, cache=work)
                times.append(time.perf_counter() - start)
            self.assertEqual(len(os.listdir(work)), 1)
            k(self.x, self.y)
        np.testing.assert_array_equal(self.y, 2 * self.x)
        self.assertLess(min(times[1:]), times[0] / 2)

    def test_kernels_that_do_not_end(self):
        endless = SCALE.replace("  ret;\n", "again:\n  ld.volatile.global.f32 %f2, [%rd4];\n  add.u32 %r1, %r1, 1;\n  bra again;\n")  # without the count nothing could end it: Deadlock
        k = loads(endless, "endless.ptx", timeout=0.5)
        for _ in range(2):  # each call has its time
            began = time.monotonic()
            with self.assertRaises(tessera.Error) as refused:
                k(self.x, self.y, 1.0, grid=1, block=32)
            self.assertEqual(refused.exception.id, "Time")
            self.assertGreaterEqual(time.monotonic() - began, 0.5)
        loads(SCALE, "scale.ptx", timeout=60)(self.x, self.y, 2.0, grid=1, block=256)
        np.testing.assert_array_equal(self.y, 2 * self.x)
        for device, timeout, id in (("sim", -1, "DeviceTimeout"), ("sim", float("nan"), "DeviceTimeout"), ("gpu", 1, "DeviceOption")):
            with self.assertRaises(tessera.Error) as refused:
                tessera.Device(device, timeout=timeout)
            self.assertEqual(refused.exception.id, id)

    def test_host_code_can_be_refused(self):
        k = loads(TWICE, host_code=False)  # computes a grid, and launches
        k(self.x, self.y)
        np.testing.assert_array_equal(self.y, 2 * self.x)
        more = TWICE.replace("func.func @main", "func.func @other(%p: !llvm.ptr) {\n  llvm.store %p, %p : !llvm.ptr, !llvm.ptr\n  return\n}\nfunc.func @main", 1)
        self.assertEqual(loads(more, kernel="main").names, ["other", "main", "twice"])
        defines = TWICE.replace("func.func @main", "llvm.func @tessera_packed_main() {\n  llvm.return\n}\nfunc.func @main", 1)
        for text, said in ((more, "other has 'llvm.store' at"), (defines, "the file has 'llvm.func' at")):
            with self.assertRaisesRegex(tessera.Error, said) as refused:
                loads(text, kernel="main", host_code=False)
            self.assertEqual(refused.exception.id, "HostCode")

    def test_an_unsafe_cache_is_said(self):
        with tempfile.TemporaryDirectory() as work:
            self.assertEqual(loads(TWICE, cache=work).warnings, "")
            os.chmod(work, 0o777)
            k = loads(TWICE, cache=work)
            self.assertIn("warning: compiling without the cache: ", k.warnings)
            self.assertIn("others may write to", k.warnings)
            k(self.x, self.y)
        np.testing.assert_array_equal(self.y, 2 * self.x)

    def test_gemm(self):
        random = np.random.default_rng(0)
        m, n, k = 128, 64, 128
        a, b = (random.integers(-4, 5, shape).astype(np.float16) for shape in ((m, k), (n, k)))
        d = np.zeros((m, n), np.float32)
        tessera.gemm(m, n, k, "f16", "f32", device="sim")(a, b, d)
        np.testing.assert_array_equal(d, a.astype(np.float32) @ b.astype(np.float32).T)

    def test_block_scales(self):
        random = np.random.default_rng(0)
        m, n, k = 70, 200, 304
        codes = {0: 0, 1: 0x38, 2: 0x40, -1: 0xB8, -2: 0xC0}  # f8E4M3FN
        numbers = [random.integers(-2, 3, shape) for shape in ((m, k), (n, k))]
        a, b = (np.vectorize(codes.get)(x).astype(np.uint8) for x in numbers)
        factors = [(2.0 ** random.integers(-2, 3, shape)).astype(np.float32) for shape in ((m, 3), (2, 3))]
        d = np.zeros((m, n), np.float32)
        tessera.gemm(m, n, k, "f8E4M3FN", "f32", block_scales=True, device="sim")(a, b, d, *factors)
        scaled = [numbers[0] * np.repeat(factors[0], 128, 1)[:, :k], numbers[1] * np.repeat(np.repeat(factors[1], 128, 1), 128, 0)[:n, :k]]
        np.testing.assert_array_equal(d, scaled[0] @ scaled[1].T)
        # What the host function checks, by the name of the sentence.
        for name, wrong in (("GemmBlockFactors", [factors[0][:, :2], factors[1]]), ("GemmBlockFactors", [factors[0], factors[1][:1]])):
            with self.subTest(name), self.assertRaisesRegex(tessera.Error, "a factor for each row and each 128 elements of K of A"):
                tessera.gemm(m, n, k, "f8E4M3FN", "f32", block_scales=True, device="sim")(a, b, d, *wrong)

    def test_weights_of_4_bits(self):
        random = np.random.default_rng(0)
        m, n, k = 5, 72, 256
        a, numbers = random.integers(-2, 3, (m, k)).astype(np.float16), random.integers(-8, 8, (n, k))
        codes = (numbers & 15).astype(np.uint8)
        scales, d = (2.0 ** random.integers(-2, 3, (n, 2))).astype(np.float16), np.zeros((m, n), np.float32)
        tessera.gemm(m, n, k, a="f16", b="i4", d="f32", group_scales=128, device="sim")(a, codes[:, ::2] | codes[:, 1::2] << 4, d, scales)
        np.testing.assert_array_equal(d, a.astype(np.float32) @ (numbers * np.repeat(scales.astype(np.float32), 128, 1)).T)
        with self.assertRaises(tessera.Error) as refused:
            tessera.gemm(m, n, k, a="f16", b="i4", d="f32", group_scales=48, device="sim")
        self.assertEqual(refused.exception.id, "GemmWeightsGroup")

    def test_gradients_of_attention(self):
        """Where all keys are equal the scores are too, so that dQ is 0 and dV the mean of dO over keys; the sum of a row of P is 1."""
        random = np.random.default_rng(0)
        q, gradient = (random.standard_normal((1, 40, 2, 64)).astype(np.float16) for _ in range(2))
        v = random.standard_normal((1, 50, 1, 64)).astype(np.float16)
        k, lse = np.ones_like(v), np.zeros((1, 2, 40), np.float32)
        o = tessera.attention(q, k, v, lse=lse, device="sim")
        np.testing.assert_allclose(lse, (q.astype(np.float64).sum(-1) / 8 + np.log(50)).transpose(0, 2, 1), rtol=1e-3, atol=1e-3)
        of_q, of_k, of_v = tessera.attention_backward(q, k, v, o, gradient, lse, device="sim")
        self.assertEqual([x.shape for x in (of_q, of_k, of_v)], [q.shape, k.shape, v.shape])
        np.testing.assert_allclose(of_q, 0, atol=2e-2)
        np.testing.assert_allclose(of_v, np.broadcast_to(gradient.astype(np.float64).sum((1, 2)) / 50, of_v.shape[1:])[None], atol=1e-2)
        again = tessera.attention_backward(q, k, v, o, gradient, lse, out=[np.zeros_like(x) for x in (q, k, v)], device="sim")
        for x, y in zip((of_q, of_k, of_v), again):
            np.testing.assert_array_equal(x, y)
        for error, call in ((ValueError, lambda: tessera.attention_backward(q[0], k, v, o, gradient, lse, device="sim")),
                            (ValueError, lambda: tessera.attention_backward(q, k, v, o, gradient, lse, out=[q, k], device="sim")),
                            (TypeError, lambda: tessera.attention(q[:, :1], k, v, lse=lse, lengths=np.array([3], np.int32), device="sim"))):
            with self.assertRaises(error):
                call()

    def test_operands_with_the_other_mode_contiguous(self):
        random = np.random.default_rng(0)
        a, b = (random.integers(-4, 5, shape).astype(np.float16) for shape in ((64, 72), (64, 40)))  # of (k, m) and (k, n)
        d = np.zeros((72, 40), np.float32)
        tessera.gemm(72, 40, 64, "f16", "f32", major="mm", device="sim")(a.T, b.T, d)
        np.testing.assert_array_equal(d, a.astype(np.float32).T @ b.astype(np.float32))

    def test_many_products(self):
        random = np.random.default_rng(0)
        counts, rows, n, k = np.array([3, 0, 130], np.int32), 140, 72, 64
        starts = np.array([0, 3, 3, 133], np.int32)
        b = random.integers(-4, 5, (3, n, k)).astype(np.float16)
        for groups, shape, bounds in (("batches", (3, rows), None), ("masked", (3, rows), counts), ("contiguous", (133,), starts)):
            a, d = random.integers(-4, 5, (*shape, k)).astype(np.float16), np.zeros((*shape, n), np.float32)
            tessera.gemm(rows, n, k, "f16", "f32", groups=groups, device="sim")(a, b, d, *([] if bounds is None else [bounds]))
            a = a.astype(np.float32)
            for g in range(3):
                of = slice(starts[g], starts[g + 1]) if groups == "contiguous" else (g, slice(counts[g] if groups == "masked" else rows))
                np.testing.assert_array_equal(d[of], a[of] @ b[g].astype(np.float32).T, f"{groups} {g}")
        a, d = np.zeros((133, k), np.float16), np.zeros((133, n), np.float32)
        # What host functions check, by the name of the sentence.
        for name, groups, arguments, words in (("GemmStarts", "contiguous", (a, b, d, starts[1:]), "rows of each group of B begin"),
                                               ("GemmCounts", "masked", (a[None][[0] * 3], b, d[None][[0] * 3], counts[1:]), "count of rows for each batch"),
                                               ("GemmBatches", "batches", (a[None], b, d[None]), "as many matrices of A, B, D")):
            with self.subTest(name), self.assertRaisesRegex(tessera.Error, words):
                tessera.gemm(rows, n, k, "f16", "f32", groups=groups, device="sim")(*arguments)
        with self.assertRaises(tessera.Error) as refused:
            tessera.gemm(rows, n, k, "f16", "f32", groups="ragged", device="sim")
        self.assertEqual(refused.exception.id, "GemmGroups")

    def test_attention(self):
        random = np.random.default_rng(0)
        slopes = np.array([0.1, 0.3], np.float32)

        def drawn(*shape):
            return random.standard_normal(shape).astype(np.float16)

        def expected(q, k, v, causal=False, window=None, softcap=None, alibi=None):
            """Of (sequence, head, element)."""
            k, v = (np.repeat(x.astype(np.float64), q.shape[1] // x.shape[1], axis=1) for x in (k, v))
            scores = np.einsum("qhd,khd->hqk", q.astype(np.float64), k) * q.shape[-1] ** -0.5
            scores = softcap * np.tanh(scores / softcap) if softcap else scores
            away = np.arange(len(k)) - np.arange(len(q))[:, None] - (len(k) - len(q))
            scores = scores - alibi[:, None, None] * np.abs(away) if alibi is not None else scores
            scores = np.where((away <= 0 if causal else True) & (np.abs(away) <= (len(k) if window is None else window)), scores, -np.inf)
            powers = np.exp(scores)
            return np.einsum("hqk,khd->qhd", powers / powers.sum(-1, keepdims=True), v)

        def near(got, wanted):
            away = np.linalg.norm(got.astype(np.float64) - wanted, axis=-1)
            self.assertLess((away / np.linalg.norm(wanted, axis=-1)).max(), 2e-3)

        # Few queries and many; what they see; V narrower than K; sequences of their own lengths.
        for queries, keys, width, options in ((70, 90, 64, {"causal": True}), (3, 200, 64, {"causal": True, "window": 50}),
                                              (70, 100, 192, {"softcap": 2.0, "alibi": slopes})):
            q, k = drawn(2, queries, 2, width), drawn(2, keys, 1, width)
            v = drawn(2, keys, 1, 128 if width == 192 else width)
            out = tessera.attention(q, k, v, device="sim", **options)
            self.assertEqual((out.shape, out.dtype), ((2, queries, 2, v.shape[-1]), np.float16))
            near(out, np.stack([expected(*of, **options) for of in zip(q, k, v)]))
        q, k, out = drawn(75, 2, 64), drawn(130, 2, 64), np.zeros((75, 2, 64), np.float16)
        starts = np.array([0, 5, 75], np.int32), np.array([0, 30, 130], np.int32)
        same = tessera.attention(q, k, k, out=out, starts_q=starts[0], starts_k=starts[1], longest=70, device="sim", causal=True)
        self.assertIs(same, out)
        near(out, np.concatenate([expected(q[a:b], k[c:d], k[c:d], causal=True) for a, b, c, d in ((0, 5, 0, 30), (5, 75, 30, 130))]))

        # 8 bits: numbers that f8E4M3FN has (its codes have a sign, four bits of exponent around 7 and three more) times scales of heads.
        codes = [random.integers(0x28, 0x40, (2, *of)).astype(np.uint8) | random.integers(0, 2, (2, *of)).astype(np.uint8) << 7
                 for of in ((70, 4, 64), (90, 2, 64), (90, 2, 64))]
        scales = [(2.0 ** random.integers(-2, 2, (2, x.shape[2]))).astype(np.float32) for x in codes]
        numbers = [np.where(x > 127, -1, 1) * (1 + (x & 7) / 8) * 2.0 ** ((x >> 3 & 15) - 7.0) * s[:, None, :, None] for x, s in zip(codes, scales)]
        out = tessera.attention(*codes, scales=scales, causal=True, device="sim")
        wanted = np.stack([expected(*of, causal=True) for of in zip(*numbers)])
        self.assertEqual(out.dtype, np.float16)
        away = np.linalg.norm(out.astype(np.float64) - wanted, axis=-1)
        self.assertLess((away / np.linalg.norm(wanted, axis=-1)).max(), 6e-2)
        into = np.zeros(out.shape, np.uint16)
        tessera.attention(*codes, scales=scales, causal=True, device="sim", out=into)
        self.assertLess(np.abs((into.astype(np.uint32) << 16).view(np.float32) - out).max(), 0.02 * np.abs(out).max())
        for error, options in ((TypeError, {}), (TypeError, {"scales": scales[:2]}), (tessera.Error, {"scales": [scales[0], scales[1][:1], scales[2]]}),
                               (TypeError, {"scales": scales, "lengths": np.array([3, 4], np.int32)})):
            with self.assertRaises(error):
                tessera.attention(*codes, device="sim", **options)
        with self.assertRaises(TypeError):
            tessera.attention(*(x.astype(np.float16) for x in numbers), scales=scales, device="sim")
        with self.assertRaisesRegex(tessera.Error, "expects a scale for each batch and head of Q, of K and of V"):  # AttentionScales
            tessera.attention(*codes, scales=[scales[0], scales[1], scales[2][:, :1]], device="sim")

        # Keys of each batch's own number, in one piece and in pages, which have no order.
        q, k, v = drawn(2, 2, 4, 64), drawn(2, 100, 2, 64), drawn(2, 100, 2, 64)
        lengths = np.array([100, 37], np.int32)
        wanted = np.stack([expected(q[i], k[i, :n], v[i, :n]) for i, n in enumerate(lengths)])
        near(tessera.attention(q, k, v, lengths=lengths, device="sim"), wanted)
        pages = np.array([[6, 0, 3, 5, 1, 2, 4], [9, 8, 7, 99, 99, 99, 99]], np.int32)
        cache = [np.zeros((10, 16, 2, 64), np.float16) for _ in range(2)]
        for whole, paged in zip((k, v), cache):
            for i, n in enumerate(lengths):
                for key in range(n):
                    paged[pages[i, key // 16], key % 16] = whole[i, key]
        near(tessera.attention(q, *cache, lengths=lengths, pages=pages, device="sim"), wanted)
        for name, options, words in (("AttentionLengths", {"lengths": lengths[:1]}, "a number of keys, and a row of pages, for each batch of Q"),
                                     ("AttentionPageSize", {"lengths": lengths, "pages": pages, "at": np.s_[:, :12]}, "a page size that is a multiple of 8 keys")):
            with self.subTest(name), self.assertRaisesRegex(tessera.Error, words):
                at = options.pop("at", np.s_[:])
                tessera.attention(q, *(np.ascontiguousarray(x[at]) for x in (cache if "pages" in options else (k, v))), device="sim", **options)
        with self.assertRaisesRegex(TypeError, "lengths with pages"):
            tessera.attention(q, *cache, pages=pages, device="sim")
        with self.assertRaisesRegex(ValueError, "lengths: expects at most 64 rows of queries"):
            tessera.attention(drawn(2, 70, 4, 64), k, v, lengths=lengths, device="sim")

        q, k = drawn(1, 70, 2, 64), drawn(1, 90, 2, 64)
        # What host functions check, by the name of the sentence.
        flat = {"starts_q": np.array([0, 70], np.int32), "starts_k": np.array([0, 90], np.int32), "longest": 70}
        for name, options, words in (("AttentionWindow", {"window": -1}, "window of 0 or more"), ("AttentionCap", {"softcap": 0.0}, "positive cap"), ("AttentionScale", {"scale": 0.0}, "positive scale"),
                                     ("AttentionSlopes", {"alibi": slopes[:1]}, "slope for each head"),
                                     ("AttentionStarts", {**flat, "starts_k": starts[1]}, "starts of sequences of Q and of K in equal number"),
                                     ("AttentionLongest", {**flat, "longest": -1}, "0 or more queries")):
            with self.subTest(name), self.assertRaisesRegex(tessera.Error, words):
                given = (q[0], k[0]) if "longest" in options else (q, k)
                tessera.attention(*given, given[1], device="sim", **options)
        for arguments, id in (((q[..., :32], k[..., :32], k[..., :32]), "AttentionHead"), ((q.astype(np.float32), k, k), "AttentionElement"),
                              ((q, k[..., :32], k), "BindExtent")):
            with self.subTest(id), self.assertRaises(tessera.Error) as refused:
                tessera.attention(*arguments, device="sim")
            self.assertEqual(refused.exception.id, id)
        with self.assertRaisesRegex(ValueError, "k: expects 4 modes"):
            tessera.attention(q, k[0], k, device="sim")
        with self.assertRaisesRegex(TypeError, "starts_q, starts_k and longest together"):
            tessera.attention(q, k, k, longest=5, device="sim")
        with self.assertRaisesRegex(OverflowError, "window"):
            tessera.attention(q, k, k, window=2**31, device="sim")

    def test_rows(self):
        x = np.random.default_rng(0).standard_normal((3, 300)).astype(np.float32)
        y = np.zeros_like(x)
        tessera.rows("softmax", 512, "f32", device="sim")(x, y)
        powers = np.exp(x.astype(np.float64))
        np.testing.assert_allclose(y, powers / powers.sum(1, keepdims=True), rtol=1e-5)
        # The gradient of RMSNorm's weights: of rows of ones by one over their deviation it is what comes back.
        dy, dw = np.arange(900, dtype=np.float32).reshape(3, 300), np.zeros(300, np.float32)
        weights = tessera.rows("rmsnorm-weights-backward", element="f32", device="sim")
        weights(np.ones_like(dy), dy, np.ones(3, np.float32), dw)
        np.testing.assert_array_equal(dw, dy.sum(0))
        for operand, given in enumerate(((dy[:2], dy, dw), (dy, dy[:, :7], dw), (dy, dy, dw[:7]))):
            with self.subTest(operand), self.assertRaisesRegex(tessera.Error, "of as many rows and columns as the first operand"):
                weights(given[0], given[1], np.ones(3, np.float32), given[2])
        with self.assertRaises(tessera.Error) as refused:
            tessera.rows("sort", device="sim")
        self.assertEqual(refused.exception.id, "RowKernel")

    def test_eight_threads(self):
        k, failures = loads(TWICE), []

        def work(seed):
            try:
                own = loads(TWICE.replace("@twice", f"@twice{seed % 4}"))
                for turn in range(12):
                    x = np.full(256, seed + turn, np.float32)
                    y = np.zeros(256, np.float32)
                    (k if turn % 2 else own)(x, y)
                    np.testing.assert_array_equal(y, 2 * x)
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])


if __name__ == "__main__":
    unittest.main()
