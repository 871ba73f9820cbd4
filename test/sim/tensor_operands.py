"""Where the elements of A and B of tcgen05.mma lie in shared memory, as layouts of CuTe and as numbers: PTX ISA 9.7.16.5, canonical layouts."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from typing import NamedTuple

import numpy as np


class Operand(NamedTuple):
    """Rows of A or B in shared memory, `blocks` instructions of `k` elements each: whole rows of 8 lie within a span of 16 bytes, or 32, 64, 128
    with a swizzle; of a matrix whose rows are adjacent (`mn`) eight K's do, and either the next K's or the next rows follow. Those of 32 bits
    have a swizzle of their own, S<2,5,2>, and four K's."""
    rows: int
    k: int
    blocks: int
    bits: int
    swizzle: int
    mn: bool
    rows_next: bool
    tiles: int  # of so many rows
    sparse: bool  # each element stands for two

    @property
    def words(self):
        return self.mn and self.bits == 32

    @property
    def span(self):  # elements
        return 32 if self.words else (128 << self.swizzle) // self.bits

    @property
    def unit(self):
        """Rows and K's that lie together."""
        return (self.span, 4 if self.words else 8) if self.mn else (8, self.span)

    def type(self):
        return ", S<2,5,2>" if self.words else f", S<{self.swizzle},4,3>" if self.swizzle else ""

    def steps(self):
        """Of rows within a span or group of 8, of such, of K within a span or group of 8, of such; in elements."""
        groups, unit = self.unit
        first, other = (1, self.span) if self.mn else (self.span, 1)
        if self.rows_next:
            return first, groups * unit, other, self.tiles * self.rows * unit
        return first, -(-self.blocks * self.k // unit) * groups * unit, other, groups * unit

    def layout(self):
        groups, unit = self.unit
        r0, r1, k0, k1 = self.steps()
        within = min(self.k, unit)
        shape, step = f"{within},{self.k // within}", f"{k0},{k1 if self.k > within else 0}"
        if self.k > unit or unit == self.k:
            blocks, by = f"{self.blocks}", f"{k1 * (self.k // unit)}"
        elif self.blocks * self.k <= unit:
            blocks, by = f"{self.blocks}", f"{k0 * self.k}"
        else:
            blocks, by = f"({unit // self.k},{self.blocks * self.k // unit})", f"({k0 * self.k},{k1})"
        two, none = ("2,", "0,") if self.sparse else ("", "")
        if self.sparse and self.bits == 4:  # pairs are kept or not
            two, none, shape, step = "2,2,", f"{k0},0,", f"{within // 2},{self.k // within}", f"{2 * k0},{k1 if self.k > within else 0}"
        return (f"((({groups},{self.rows // groups}),({two}{shape})),{self.tiles},{blocks}):((({r0},{r1}),({none}{step})),"
                f"{self.rows // groups * r1 if self.tiles > 1 else 0},{by if self.blocks > 1 else 0})")

    def fits(self):
        groups, unit = self.unit
        depth = self.blocks * self.k
        if not self.mn and self.swizzle and self.k > unit:
            return False  # a descriptor has one stride along K
        even = unit % self.k == 0 or self.k % unit == 0
        return self.rows % groups == 0 and (depth <= unit or even and (unit <= self.k or depth % unit == 0))

    def bytes(self):
        groups, unit = self.unit
        return self.tiles * self.rows * -(-self.blocks * self.k // unit) * unit * self.bits // 8

    def placed(self, elements):
        """The bytes of shared memory, padded to 1024, for elements [row][k], of 4 bits for pairs of them."""
        if self.bits == 4:
            return self._replace(bits=8, k=self.k // 2).placed(elements)
        groups, unit = self.unit
        r0, r1, k0, k1 = self.steps()
        r, k = np.indices(elements.shape)
        at = (r % groups * r0 + r // groups * r1 + k % unit * k0 + k // unit * k1) * self.bits // 8
        at ^= (at >> 7 & 3) << 5 if self.words else (at >> 7 & (1 << self.swizzle) - 1) << 4
        size = elements.dtype.itemsize
        out = np.zeros((self.bytes() + 1023) // 1024 * 1024, np.uint8)
        assert at.max() < len(out) and len(np.unique(at)) == at.size
        out.view(elements.dtype)[at // size] = elements
        return out
