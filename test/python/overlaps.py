"""Tensors of one call that overlap: copies of them overlap in the same way."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import unittest

import numpy as np
import tessera
from calls import TWICE, loads


class Overlaps(unittest.TestCase):
    def test_tensors_that_overlap_share_memory(self):
        whole = np.arange(300, dtype=np.float32)
        loads(TWICE)(whole[20:276], whole[20:276])
        np.testing.assert_array_equal(whole, np.where((np.arange(300) >= 20) & (np.arange(300) < 276), 2, 1) * np.arange(300))

    def test_tensors_that_overlap_keep_their_alignment(self):
        content = """.version 8.0
.target sm_80
.address_size 64
.visible .entry shift(.param .u64 x, .param .u64 y) {
  .reg .b64 %d<3>;
  .reg .f32 %f<5>;
  ld.param.u64 %d1, [x];
  ld.param.u64 %d2, [y];
  ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%d1];
  st.global.f32 [%d2], %f4;
  ret;
}
"""
        memory = np.zeros(24, np.float32)
        first = -memory.ctypes.data // 4 % 4 + 4  # at a multiple of 16 bytes
        memory[first:first + 4] = 1, 2, 3, 4
        loads(content, "shift.ptx")(memory[first:first + 4], memory[first - 1:first + 3], grid=1, block=1)
        self.assertEqual(list(memory[first - 1:first + 4]), [4, 1, 2, 3, 4])

    def test_tensors_side_by_side_are_two(self):
        whole = np.arange(512, dtype=np.float32)
        loads(TWICE)(whole[:256], whole[256:])
        np.testing.assert_array_equal(whole, np.concatenate([np.arange(256), 2 * np.arange(256)]))

    def test_attention_in_the_place_of_queries(self):
        random = np.random.default_rng(0)
        for queries, options in ((70, {"causal": True}), (3, {"causal": True, "window": 50}), (1, {})):
            q, k, v = (random.standard_normal((2, n, heads, 64)).astype(np.float16) for n, heads in ((queries, 4), (90, 2), (90, 2)))
            out = tessera.attention(q, k, v, device="sim", **options)
            place = q.copy()
            self.assertIs(tessera.attention(place, k, v, out=place, device="sim", **options), place)
            np.testing.assert_array_equal(place, out)
            # A call of the same form again has its own numbers.
            np.testing.assert_array_equal(tessera.attention(2 * q, k, v, scale=1 / 16, device="sim", **options), out)


if __name__ == "__main__":
    unittest.main()
