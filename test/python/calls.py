"""Calls from Python with numpy: every kind of input and device, refusals, reports, threads. Expected values are numpy's."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import re
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
RACE = SCALE.replace("scale", "race").replace("st.global.f32 [%rd5]", "st.global.f32 [%rd2]")


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

    def test_tensors_that_overlap_share_memory(self):
        whole = np.arange(300, dtype=np.float32)
        loads(TWICE)(whole[20:276], whole[20:276])
        np.testing.assert_array_equal(whole, np.where((np.arange(300) >= 20) & (np.arange(300) < 276), 2, 1) * np.arange(300))

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
                              ((self.x, self.x.astype(complex), 1), "CallElement")):
            with self.assertRaises(tessera.Error) as refused:
                scale(*arguments, grid=1)
            self.assertEqual(refused.exception.id, id)
        with self.assertRaises(tessera.Error) as refused:
            scale(self.x, self.y, 1, grid=1, block=32)
        self.assertEqual(refused.exception.id, "OtherBlock")
        with self.assertRaises(tessera.Error) as refused:  # the second begins a byte into the first
            k(whole[:1024].view(np.float32), shifted)
        self.assertEqual(refused.exception.id, "CallAlignment")
        with self.assertRaises(tessera.Error) as refused:
            tessera.Device("interp", sanitize=True)
        self.assertEqual(refused.exception.id, "DeviceOption")
        with self.assertRaises(tessera.Error) as refused:
            tessera.gemm(64, 64, 0, "f16", "f32", device="sim")
        self.assertEqual(refused.exception.id, "GemmShapeText")
        with self.assertRaises(tessera.Error) as refused:
            k(self.x, self.y, grid=1)
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

    def test_gemm(self):
        random = np.random.default_rng(0)
        m, n, k = 128, 64, 128
        a, b = (random.integers(-4, 5, shape).astype(np.float16) for shape in ((m, k), (n, k)))
        d = np.zeros((m, n), np.float32)
        tessera.gemm(m, n, k, "f16", "f32", device="sim")(a, b, d)
        np.testing.assert_array_equal(d, a.astype(np.float32) @ b.astype(np.float32).T)

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
