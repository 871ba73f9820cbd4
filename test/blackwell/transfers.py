"""Cases of tcgen05.ld, .st, .ld.red and .cp: every cell and register is where isa.py says."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from typing import NamedTuple

import numpy as np

import device
import isa

NOTHING = np.zeros((1, 1024), np.uint8)


def noise(rng, blocks=1, columns=device.COLUMNS):
    return rng.integers(0, 1 << 32, (blocks, device.LANES, columns), dtype=np.uint32)


def differ(what, got, expected):
    """A sentence on the first difference, or None."""
    bad = np.argwhere(got != expected)
    if not len(bad):
        return None
    at = tuple(bad[0])
    return f"{what}{[int(i) for i in at]}: expected {expected[at]:#x}, got {got[at]:#x}; {len(bad)} of {got.size} differ"


class Move(NamedTuple):
    """A load or store by four warps; `half` is 16 where a shape of 16 lanes takes the upper ones of each quarter."""

    load: bool
    shape: str
    times: int
    packed: bool
    half: int
    column: int
    split: int = 0
    group = "moves"

    def text(self):
        count = isa.MOVES[self.shape] * self.times
        registers = "{" + device.vector(f"%v{i}" for i in range(count)) + "}"
        split = [str(self.split)] if self.shape == "16x32bx2" else []
        name = f"tcgen05.{'ld' if self.load else 'st'}.sync.aligned.{self.shape}.x{self.times}"
        pack = self.packed * (".pack::16b" if self.load else ".unpack::16b")
        operands = [registers, "[%d]", *split] if self.load else ["[%d]", *split, registers]
        return f"{name}{pack}.b32 {', '.join(operands)};", count

    def run(self, run, rng):
        text, count = self.text()
        before = noise(rng)
        given = rng.integers(0, 1 << 32, (128, count), dtype=np.uint32)
        after, registers = run(device.moved(text, count, self.load), NOTHING, before, {"d": self.half << 16 | self.column}, given)
        thread, r = np.arange(128)[:, None], np.arange(count)[None, :]
        lane, word = isa.move_place(self.shape, thread % 32, r)
        lane = lane + thread // 32 * 32 + self.half
        first = self.column + (thread % 32 // 16 * self.split if self.shape == "16x32bx2" else 0)
        if not self.packed:
            place, value = (0, lane, first + word), registers if self.load else given
            if self.load:
                return differ("register", registers, before[place]) or differ("cell", after, before)
            before[place] = value
            return differ("cell", after, before)
        low, high = (0, lane, first + 2 * word), (0, lane, first + 2 * word + 1)
        if self.load:
            packed = before[low] & 0xFFFF | before[high] << 16
            return differ("register", registers, packed) or differ("cell", after, before)
        # Figure 193 says where the two halves go; the text does not say what becomes of a cell's upper half.
        for place, value in ((low, given & 0xFFFF), (high, given >> 16)):
            before[place] = value
            after[place] &= 0xFFFF
        return differ("cell", after, before)


class Shift(NamedTuple):
    """tcgen05.shift: eight columns of one quarter of the lanes, of each block."""

    blocks: int
    quarter: int
    column: int
    group = "shifts"

    def run(self, run, rng):
        before = noise(rng, self.blocks)
        ptx = device.issued(f"tcgen05.shift.cta_group::{self.blocks}.down [%d];", self.blocks)
        after, _ = run(ptx, NOTHING.repeat(self.blocks, 0), before, {"d": 32 * self.quarter << 16 | self.column})
        expected = before.copy()
        lanes, columns = slice(32 * self.quarter, 32 * self.quarter + 32), slice(self.column, self.column + isa.SHIFTED)
        for block in expected:
            block[lanes, columns] = isa.shifted(block[lanes, columns])
        return differ("cell", after, expected)


def shifts(rng):
    for blocks in (1, 2):
        for quarter in range(4):
            for column in (0, 504, *(int(c) for c in rng.integers(1, 504, 4))):
                yield Shift(blocks, quarter, column)


class Reduction(NamedTuple):
    """tcgen05.ld.red: each lane's registers and their least or greatest."""

    times: int
    operation: str
    type: str
    column: int
    group = "reductions"

    def text(self):
        registers = "{" + device.vector(f"%v{i}" for i in range(self.times)) + "}"
        return f"tcgen05.ld.red.sync.aligned.32x32b.x{self.times}.{self.operation}.{self.type} {registers}, %v{self.times}, [%d];"

    def run(self, run, rng):
        before = noise(rng)
        if self.type.endswith("f32"):
            before = rng.normal(size=before.shape).astype(np.float32)
            before = np.where(rng.integers(0, 8, before.shape), before, np.float32("nan")).view(np.uint32)
        ptx = device.moved(self.text(), self.times + 1, True, "sm_103a")
        after, registers = run(ptx, NOTHING, before, {"d": self.column}, np.zeros((128, self.times + 1), np.uint32))
        cells = before[0, :, self.column : self.column + self.times]
        numbers = cells.view({"u32": np.uint32, "s32": np.int32, "f32": np.float32}[self.type])
        if ".abs" in self.operation:
            numbers = np.abs(numbers)
        # Without .NaN numbers win; with it NaN does, as the one pattern that min and max give.
        names = ("minimum", "maximum") if ".NaN" in self.operation else ("fmin", "fmax")
        least = getattr(np, names[self.operation.startswith("max")]).reduce(numbers, 1)
        least = np.where(np.isnan(least), 0x7FFFFFFF, least.view(np.uint32)).astype(np.uint32)
        return differ("register", registers, np.concatenate([cells, least[:, None]], 1)) or differ("cell", after, before)


class CopyCase(NamedTuple):
    shape: str
    widening: str
    swizzle: str
    blocks: int
    lane: int
    column: int
    near: bool  # which of the two strides is the small one, where there is no swizzle
    pad: int  # sixteenths of a KiB between groups of eight rows
    start: int
    group = "copies"

    def run(self, run, rng):
        shape = isa.COPIES[self.shape]
        width = isa.SWIZZLES[self.swizzle].width
        groups = (shape.rows + 7) // 8
        if self.swizzle == "none":
            lbo, sbo = (128, 256 + self.pad * 64) if self.near else (128 * groups + self.pad * 64, 128)
        else:
            lbo, sbo = 16, 8 * width * (1 + self.pad % 3)
        source = isa.Source(self.start, lbo, sbo, self.swizzle)
        images = rng.integers(0, 256, (self.blocks, 8192 + self.start + groups * max(sbo, 128) + lbo + 1024 & ~1023), dtype=np.uint8)
        before = noise(rng, self.blocks)
        text = f"tcgen05.cp.cta_group::{self.blocks}.{self.shape}{self.widening} [%d], %a_desc;"
        scalars = {"a_desc": source.descriptor(), "d": self.lane << 16 | self.column}
        after, _ = run(device.issued(text, self.blocks), images, before, scalars)
        for block in range(self.blocks):
            for row in range(shape.rows):
                for c in range(shape.chunks):
                    at = isa.copy_byte(source, row, c)
                    arrived = isa.widened(images[block, at : at + 16], isa.WIDENINGS[self.widening]).view(np.uint32)
                    for lane in shape.lanes(row):
                        first = self.column + 4 * c
                        before[block, self.lane + lane, first : first + 4] = arrived
        return differ("cell", after, before)


def moves(rng):
    for load in (True, False):
        for shape, one in isa.MOVES.items():
            for times in isa.TIMES:
                if one * times > 128:
                    continue
                for packed in (False, True):
                    for half in (0,) if shape == "32x32b" else (0, 16):
                        lanes = 32 if shape in ("32x32b",) else 16
                        words = one * times * 32 // lanes // (2 if shape == "16x32bx2" else 1) * (1 + packed)
                        for _ in range(3):
                            if shape != "16x32bx2":
                                yield Move(load, shape, times, packed, half, int(rng.integers(0, 513 - words)))
                                continue
                            # Stores of both halves to one cell would race.
                            split = int(rng.integers(0 if load else words, 513 - words))
                            yield Move(load, shape, times, packed, half, int(rng.integers(0, 513 - words - split)), split)


def reductions(rng):
    for times in isa.TIMES[1:]:
        for operation in ("min", "max"):
            for type in ("u32", "s32", "f32"):
                for detail in ("", ".abs", ".NaN", ".abs.NaN") if type == "f32" else ("",):
                    yield Reduction(times, operation + detail, type, int(rng.integers(0, 513 - times)))


def copies(rng):
    for shape in isa.COPIES:
        for widening in isa.WIDENINGS:
            for swizzle in isa.SWIZZLES:
                width = isa.SWIZZLES[swizzle].width
                wide = 16 * isa.COPIES[shape].chunks
                for blocks in (1, 2):
                    for near in (True, False) if swizzle == "none" else (True,):
                        for _ in range(2):
                            lane = int(rng.integers(0, 32)) if shape == "4x256b" else 0
                            inside = int(rng.integers(0, width // wide)) * wide if swizzle != "none" else int(rng.integers(0, 16)) * 16
                            yield CopyCase(shape, widening, swizzle, blocks, lane, int(rng.integers(0, 120)) * 4, near,
                                           int(rng.integers(0, 4)), int(rng.integers(0, 4)) * 1024 + inside)
