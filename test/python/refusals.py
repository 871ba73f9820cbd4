"""What values of Python are refused with, what is pickled, how arguments of tile programs are read, and tensors without elements."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import array
import copy
import pickle
import unittest

import numpy as np
import tessera
from calls import TWICE, loads


class Refusals(unittest.TestCase):
    def test_errors_are_pickled_and_what_belongs_to_the_process_is_not(self):
        k = loads(TWICE)
        with self.assertRaises(tessera.Error) as refused:
            k(np.zeros(4, np.float32))
        again = pickle.loads(pickle.dumps(refused.exception))
        self.assertEqual((type(again), again.id, str(again)), (tessera.Error, "BindCount", str(refused.exception)))
        found = tessera.SanitizerError("Race", "a race", [tessera.Report("Race", "a race", "k", "global", 8, 0, 4, None, None)])
        again = pickle.loads(pickle.dumps(found))
        self.assertEqual((again.id, str(again), again.reports), ("Race", "a race", found.reports))
        for value in (k, k.device):
            with self.assertRaisesRegex(TypeError, "belongs to its process and is not pickled"):
                pickle.dumps(value)
            self.assertIs(copy.copy(value), value)
            self.assertIs(copy.deepcopy([value])[0], value)

    def test_values_of_other_types_are_refused_with_sentences(self):
        k, x, y = loads(TWICE), np.zeros(256, np.float32), np.zeros(256, np.float32)
        for refused, words in (((x.astype(np.complex64), y), "argument 0: expects elements that are integers, floats or booleans, but got complex64"),
                               ((x.astype(object), y), "argument 0: expects elements that are integers, floats or booleans, but got object"),
                               ((x, np.zeros(256, [("a", "f4")])), "argument 1: expects elements that are integers, floats or booleans"),
                               ((x.astype("datetime64[s]"), y), "but got datetime64"),
                               ((memoryview(x), y), "argument 0: expects a tensor .*, but got memoryview; numpy.asarray makes a tensor of its memory"),
                               ((x, array.array("f", [1])), "argument 1: expects a tensor .*, but got array; numpy.asarray")):
            with self.subTest(words), self.assertRaisesRegex(TypeError, words):
                k(*refused)
        for call, words in ((lambda: tessera.loads(5, device="sim"), "expects the text or the bytes of a file, but got int"),
                            (lambda: tessera.loads(None, device="sim"), "but got NoneType"),
                            (lambda: tessera.load(0, device="sim"), "expects the path of a file, but got int"),
                            (lambda: tessera.Device(3), "device: expects a name, such as 'gpu:3'"),
                            (lambda: loads(TWICE, arch=80), "arch: expects a text, but got 80"),
                            (lambda: loads(TWICE, kernel=1), "kernel: expects a text, but got 1"),
                            (lambda: loads(TWICE, cache=5), "cache: expects True, False or a folder, but got 5"),
                            (lambda: tessera.gemm(128, 64, 64, np.float16, "f32", device="sim"), "a: expects a text, but got <class 'numpy.float16'>"),
                            (lambda: tessera.Device("sim", timeout="1"), "option timeout: expects a number of seconds, but got '1'"),
                            (lambda: k["twice"](x, y, grid=1.5, block=256), "grid: expects an integer, or a tuple of 1 to 3, but got 1.5"),
                            (lambda: tessera.attention([1.0], x, y, device="sim"), "q: expects a tensor, with a shape and a dtype, but got list"),
                            (lambda: tessera.attention(np.zeros((1, 1, 1, 64), np.float16), None, y, device="sim"), "k: expects a tensor")):
            with self.subTest(words), self.assertRaisesRegex(TypeError, words):
                call()

    def test_scales_that_are_not_positive(self):
        q, lse = np.ones((1, 4, 2, 64), np.float16), np.zeros((1, 2, 4), np.float32)
        for scale in (0.0, -1.0, float("nan")):
            for call in (lambda scale: tessera.attention(q, q, q, lse=lse, scale=scale, device="sim"),
                         lambda scale: tessera.attention(q, q, q, scale=scale, device="sim"),
                         lambda scale: tessera.attention_backward(q, q, q, q, q, lse, scale=scale, device="sim")):
                with self.subTest(scale), self.assertRaisesRegex(tessera.Error, "expects a positive scale of the scores"):
                    call(scale)

    def test_what_llvm_refuses_is_said(self):
        with self.assertRaisesRegex(tessera.Error, "LLVM cannot compile this for sm_80: Symbol name with unsupported characters") as refused:
            loads(TWICE.replace("@twice", '@"tw ice"').replace("::@twice", '::@"tw ice"'))
        self.assertEqual(refused.exception.id, "CompileFailed")

    def test_a_pointer_beside_an_array_of_a_tile_program(self):
        counts = """cuda_tile.module @kernels {
  entry @counts(%x: tile<ptr<i32>>, %n: tile<i32>, %stride: tile<i32>, %out: tile<ptr<i32>>, %more: tile<i32>) {
    %sum = addi %n, %more : tile<i32>
    %done = store_ptr_tko weak %out, %sum : tile<ptr<i32>>, tile<i32> -> token
    return
  }
}
"""
        x, out = np.zeros(40, np.int32), np.zeros(1, np.int32)
        for device in ("interp", "sim"):
            k = tessera.loads(counts, "counts.mlir", device=device, arch="sm_80" if device == "sim" else None)
            out[0] = 0
            k(x, out, 2, grid=1)
            self.assertEqual(out[0], 42)
            with self.assertRaisesRegex(tessera.Error, "expects 5 arguments"):
                k(x, out, grid=1)

    def test_tensors_without_elements(self):
        q, k = np.ones((1, 70, 4, 64), np.float16), np.ones((1, 90, 2, 64), np.float16)
        self.assertEqual(tessera.attention(q[:, :0], k, k, device="sim").shape, (1, 0, 4, 64))
        self.assertEqual(tessera.attention(q[:0], k[:0], k[:0], device="sim").shape, (0, 70, 4, 64))
        lse = np.ones((1, 4, 70), np.float32)
        o = tessera.attention(q, k[:, :0], k[:, :0], lse=lse, device="sim")
        self.assertTrue((o == 0).all() and o.shape == q.shape and (lse == -np.inf).all())
        s, t = np.zeros((0, 300), np.float32), np.zeros((0, 300), np.float32)
        tessera.rows("softmax", 512, "f32", device="sim")(s, t)  # no rows: nothing to do
        pages = np.zeros((3, 64, 2, 64), np.float16)  # of which a table without columns has none
        with self.assertRaisesRegex(tessera.Error, "a row of pages, for each batch of Q"):
            tessera.attention(q[:, :2], pages, pages, lengths=np.zeros(1, np.int32), pages=np.zeros((1, 0), np.int32), device="sim")

    def test_a_longest_sequence_may_be_any_number(self):
        q, k = (np.random.default_rng(n).standard_normal((n, 2, 64)).astype(np.float16) for n in (33, 50))
        starts = {"starts_q": np.array([0, 10, 33], np.int32), "starts_k": np.array([0, 25, 50], np.int32)}
        o = [tessera.attention(q, k, k, longest=longest, device="sim", **starts) for longest in (23, 2**31 - 1)]
        np.testing.assert_array_equal(*o)


if __name__ == "__main__":
    unittest.main()
