#!/usr/bin/env python3
"""What the CUDA driver makes of tensor maps: requests, its return codes and the 128 bytes that it encodes.

  bench/tensormap_sweep.py FOLDER     writes FOLDER/tensormaps.tsv.xz and prints what was tried

The bits of a CUtensorMap are not documented; tessera/atom/TensorMapFields.def is what this table says about them, and
test/atom/TensorMapDriverTest.cpp compares our encoder with it. Needs libcuda.so.1 and a GPU of sm_90 or newer, whose memory is
not touched: addresses are only encoded. The same requests are made on every run.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import ctypes, dataclasses, itertools, lzma, random, re, sys, time
from ctypes import c_int, c_uint32, c_uint64, c_void_p
from dataclasses import dataclass
from pathlib import Path

# CUtensorMapDataType of CUDA 13.0, in its order: bits of an element, and whether it is a float that may be filled with NaN.
TYPES = ([(8, 0), (16, 0), (32, 0), (32, 0), (64, 0), (64, 0), (16, 1), (32, 1), (64, 1), (16, 1), (32, 1), (32, 1), (32, 1)]
         + [(4, 0), (4, 0), (6, 0)])
U8, F16, F32, U4_8B, U4_16B, U6_16B = 0, 6, 7, 13, 14, 15
PADDED = (U4_16B, U6_16B)  # 32-byte aligned; 128 elements an inner box
SWIZZLE_SPAN = (256 * 8, 32, 64, 128, 128, 128, 128)  # bytes; without one the box's 256 elements are the limit
TILED, IM2COL, WIDE = "tiled", "im2col", "wide"


@dataclass(frozen=True)
class Request:
    """The parameters of an encoding function under the driver's names for them, shortened. All arrays have full length."""
    section: str = ""
    function: str = TILED
    type: int = U8
    rank: int = 1
    address: int = 0x7F00_0000_0000
    dims: tuple = (64, 1, 1, 1, 1)
    strides: tuple = (0, 0, 0, 0)
    box: tuple = (64, 1, 1, 1, 1)
    steps: tuple = (1, 1, 1, 1, 1)
    interleave: int = 0
    swizzle: int = 0
    promotion: int = 0
    fill: int = 0
    lower: tuple = (0, 0, 0)
    upper: tuple = (0, 0, 0)
    channels: int = 0
    pixels: int = 0
    mode: int = 0


COLUMNS = [field.name for field in dataclasses.fields(Request)] + ["code", "image"]


def put(values, index, value):
    return values[:index] + (value,) + values[index + 1:]


def change(request, section, **fields):
    return dataclasses.replace(request, section=section, **fields)


# Plain requests, which the systematic sections change one parameter at a time.

def plain(rank, type=U8, function=TILED, extent=256, box=None):
    """A compact tensor of `extent` in each mode, in the widest box without a swizzle that all types can have."""
    bits = TYPES[type][0]
    dims = tuple(extent if mode < rank else 0 for mode in range(5))
    strides, stride = [], extent * bits // 8
    for mode in range(4):
        strides.append(stride if mode < rank - 1 else 0)
        stride *= extent
    inner = 128 if type in PADDED else 512 // bits  # 64 bytes
    tile = tuple((inner if mode == 0 else box or 4) if mode < rank else 0 for mode in range(5))
    steps = tuple(1 if mode < rank else 0 for mode in range(5))
    if function == TILED:
        return Request("plain", TILED, type, rank, dims=dims, strides=tuple(strides), box=tile, steps=steps)
    return Request("plain", function, type, rank, dims=dims, strides=tuple(strides), box=(0,) * 5, steps=steps,
                   channels=inner, pixels=32, swizzle=3 if function == WIDE else 0)


def around_powers(first, last, step=1):
    return sorted({(1 << bit) + off for bit in range(first, last + 1) for off in (-step, 0, step) if (1 << bit) + off >= 0})


def of_addresses(base):
    for bit in range(64):
        yield change(base, "address", address=1 << bit)
        yield change(base, "address", address=(1 << bit) ^ 0x5555_5555_5550)
    yield change(base, "address", address=0)


def of_tensor(base):
    for mode in range(base.rank):
        for extent in [0, *around_powers(0, 33)]:
            yield change(base, "dims", dims=put(base.dims, mode, extent))
    for mode in range(base.rank - 1):
        for stride in [0, 1, 2, 4, 8, 24, 40, *around_powers(4, 42, 16)]:
            yield change(base, "strides", strides=put(base.strides, mode, stride))


def of_box(base):
    for mode in range(base.rank):
        for extent in [*range(0, 260, 1 if mode < 2 else 5), *range(246, 259), 512, 1024, 65536, 1 << 31]:
            yield change(base, "box", box=put(base.box, mode, extent))


def of_steps(base):
    for mode in range(base.rank):
        for step in [*range(11), 16, 256, 1 << 31]:
            yield change(base, "steps", steps=put(base.steps, mode, step))


def of_pixels(base):
    for channels in [*range(0, 260), 512, 1024, 65536, 1 << 31]:
        yield change(base, "channels", channels=channels)
    for pixels in [*range(0, 70), *around_powers(6, 12), 2000, 65536, 1 << 31]:
        yield change(base, "pixels", pixels=pixels)


def of_corners(base):
    for corner in ("lower", "upper"):
        for mode in range(3):
            offsets = sorted({s * v for v in around_powers(0, 16) for s in (-1, 1)} | set(range(-20, 21)))
            for offset in offsets:
                yield change(base, corner, **{corner: put(getattr(base, corner), mode, offset)})


def of_modes(base, full):
    """All combinations of the enumerated parameters, and each of them beyond its last value."""
    values = {"swizzle": range(8), "interleave": range(4), "fill": range(2), "promotion": range(4) if full else (0, 2)}
    for choice in itertools.product(*values.values()):
        yield change(base, "modes", **dict(zip(values, choice)))
    for name in [*values, "mode", "type"]:
        for value in [*range(20), 255, 256, 1 << 30]:
            yield change(base, "enums", **{name: value})


def of_ranks(base):
    for rank in [*range(8), 255]:
        yield change(base, "rank", rank=rank)


def of_sizes():
    """Tensors of about 128 KiB: for small ones drivers up to CUDA 13.1 set a bit that CUTLASS clears."""
    for around in (1 << 16, 1 << 17, 1 << 18, 1 << 20, 1 << 24, 1 << 31, 1 << 32):
        for off in (-2, -1, 0, 1, 2):
            yield change(plain(1), "size", dims=(around + off, 0, 0, 0, 0))
    for type in (U8, F16, F32, U4_8B):
        for rows, stride in itertools.product((1, 2, 3, 511, 512, 513, 8191, 8192), (16, 32, 256, 65536, 131072)):
            for inner in (16, 32, 256, 4096):
                dims, strides = (inner, rows, 1, 1, 1), (stride, 16, 16, 16)
                yield change(plain(2, type), "size", dims=dims, strides=strides)
                yield change(plain(3, type), "size", dims=(inner, 2, rows, 1, 1), strides=(16, stride, 16, 16))


def of_tails(base):
    """What lies beyond the rank must not matter."""
    junk = change(base, "tails", dims=tuple(d or 7 for d in base.dims), strides=tuple(s or 48 for s in base.strides),
                  box=tuple(b or 9 for b in base.box), steps=tuple(s or 3 for s in base.steps))
    yield junk
    yield change(junk, "tails", lower=(1, 2, 3), upper=(4, 5, 6), channels=64, pixels=5, mode=1)


def systematic():
    for rank in range(1, 6):
        for type in range(16):
            yield plain(rank, type)
            yield from of_modes(plain(rank, type), full=rank == 3 and type in (U8, F16)) if rank in (2, 3) else ()
        for base in (plain(rank), plain(rank, F16, extent=1 << 10)):
            for section in (of_addresses, of_tensor, of_box, of_steps, of_tails, of_ranks):
                yield from section(base)
    for type in PADDED:
        base = change(plain(4, type), "", swizzle=3)
        for section in (of_addresses, of_tensor, of_steps, of_box):
            yield from section(base)
    for interleave, swizzle in ((1, 0), (1, 2), (2, 1)):
        base = change(plain(4, F16), "", interleave=interleave, swizzle=swizzle)
        for section in (of_addresses, of_tensor, of_box, of_steps, of_tails):
            yield from section(base)
    yield from of_sizes()
    for rank in range(1, 6):
        for type in range(16):
            yield plain(rank, type, IM2COL)
            yield from of_modes(plain(rank, type, IM2COL), full=False) if rank == 4 else ()
        for section in (of_addresses, of_tensor, of_steps, of_pixels, of_corners, of_tails, of_ranks):
            yield from section(plain(rank, F16, IM2COL)) if rank >= 3 else ()
        for type in (U8, F16, U4_16B):
            yield plain(rank, type, WIDE)
            yield from of_modes(plain(rank, type, WIDE), full=False) if rank == 4 else ()
    for section in (of_pixels, of_corners):
        yield from section(plain(4, F16, WIDE))


# Random requests. `valid` ones keep to the documented rules; others are valid ones with a parameter or two changed.

def log_uniform(rng, limit):
    """1 .. limit, every count of bits alike."""
    bits = rng.randrange(limit.bit_length())
    return min(limit, rng.randrange(1 << bits, 2 << bits))


def random_tensor(rng, function, rank):
    type = rng.randrange(16)
    bits, floating = TYPES[type]
    interleave = rng.choice((0, 0, 0, 1, 2)) if rank >= 3 and type not in PADDED else 0
    swizzles = {U6_16B: (0, 3, 4, 6), U4_16B: (0, 3, 4)}.get(type, range(7))
    if function == WIDE:
        swizzles = [s for s in swizzles if s in (2, 3, 4)]
    align = 32 if interleave == 2 or type in PADDED else 16
    unit = 128 if type in PADDED else 2 if type == U4_8B else 1
    dims = [max(1, log_uniform(rng, 1 << 32) // (unit if mode == 0 else 1)) for mode in range(rank)]
    dims[0] = min(dims[0] * unit, 1 << 32)
    strides, stride = [], dims[0] * bits / 8
    for mode in range(1, rank):
        stride = -(-int(stride + rng.choice((0, 0, 16, 4096))) // align) * align
        if rng.random() < 0.4 or stride >= 1 << 40:
            stride = log_uniform(rng, (1 << 40) // align - 1) * align
        strides.append(stride)
        stride *= dims[mode]
    steps = [rng.randint(1, 8) if rng.random() < 0.3 else 1 for _ in range(rank)]
    pad = lambda values, length: tuple(values) + (0,) * (length - len(values))
    return Request("random", function, type, rank, address=log_uniform(rng, (1 << 57) // align - 1) * align,
                   dims=pad(dims, 5), strides=pad(strides, 4), box=(0,) * 5, steps=pad(steps, 5), interleave=interleave,
                   swizzle=1 if interleave == 2 else rng.choice(swizzles), promotion=rng.randrange(4),
                   fill=rng.randrange(2) if floating else 0)


def random_inner(rng, request):
    """Elements of a box's innermost mode: whole 16 bytes, within the swizzle's span."""
    if request.type in PADDED:
        return 128
    if request.interleave:
        return rng.randint(1, 256)
    bits, unit = TYPES[request.type][0], 128 // TYPES[request.type][0]
    return unit * rng.randint(1, min(256, SWIZZLE_SPAN[request.swizzle] * 8 // bits) // unit)


def random_valid(rng, function):
    request = random_tensor(rng, function, rng.randint(1 if function == TILED else 3, 5))
    inner = random_inner(rng, request)
    if function == TILED:
        large = rng.random() < 0.3
        box = [inner] + [rng.randint(1, 256) if large else log_uniform(rng, 256) for _ in range(request.rank - 1)]
        return change(request, "random", box=tuple(box) + (0,) * (5 - request.rank))
    low, high = {3: (-32768, 32767), 4: (-128, 127), 5: (-16, 15)}[request.rank]
    modes = request.rank - 2
    corner = lambda: tuple(rng.randint(low, high) if mode < modes else 0 for mode in range(3))
    return change(request, "random", lower=corner(), upper=corner(), channels=inner, pixels=rng.randint(1, 1024),
                  mode=rng.randrange(2) if function == WIDE else 0)


EDGES = {"type": range(17), "rank": range(7), "address": (0, 8, 16, 32, 48, 1 << 57, 1 << 63), "interleave": range(4),
         "swizzle": range(8), "promotion": range(5), "fill": range(3), "channels": (0, 1, 16, 32, 64, 128, 129, 256, 257),
         "pixels": (0, 1, 32, 1023, 1024, 1025), "mode": range(3),
         "dims": (0, 1, 2, 16, 127, 128, 1 << 31, (1 << 32) - 1, 1 << 32, (1 << 32) + 1),
         "strides": (0, 8, 16, 32, 48, 1 << 30, (1 << 40) - 16, 1 << 40), "steps": (0, 1, 2, 8, 9),
         "box": (0, 1, 2, 8, 16, 32, 64, 96, 128, 255, 256, 257),
         "lower": (-32769, -32768, -129, -128, -17, -16, 0, 15, 16, 127, 128, 32767, 32768),
         "upper": (-32769, -32768, -129, -128, -17, -16, 0, 15, 16, 127, 128, 32767, 32768)}


def random_edge(rng, function):
    request = random_valid(rng, function)
    for name in rng.sample(list(EDGES), rng.choice((1, 1, 2, 3))):
        value, old = rng.choice(EDGES[name]), getattr(request, name)
        if isinstance(old, tuple):
            value = put(old, rng.randrange(max(1, min(len(old), request.rank))), value)
        request = change(request, "edge", **{name: value})
    return request


def requests():
    rng = random.Random(20261121)
    yield from systematic()
    for function, valid, edge in ((TILED, 20000, 8000), (IM2COL, 10000, 5000), (WIDE, 2000, 1000)):
        yield from (random_valid(rng, function) for _ in range(valid))
        yield from (random_edge(rng, function) for _ in range(edge))
    # Bits that the driver leaves as they were: these start from ones instead of zeros.
    for function in (TILED, IM2COL):
        yield from (change(random_valid(rng, function), "ones") for _ in range(300))


class Driver:
    """libcuda.so.1 with the context that its functions ask for, and the arrays that they read and write."""

    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)
        self.device, context, version = c_int(), c_void_p(), c_int()
        self.call("cuDeviceGet", ctypes.byref(self.device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), self.device)
        self.call("cuCtxSetCurrent", context)
        self.call("cuDriverGetVersion", ctypes.byref(version))
        self.version = version.value
        self.memory = ctypes.create_string_buffer(256)
        start = ctypes.addressof(self.memory)
        self.image = (c_uint64 * 16).from_buffer(self.memory, -start % 128)
        self.arrays = {"dims": (c_uint64 * 5)(), "strides": (c_uint64 * 4)(), "box": (c_uint32 * 5)(),
                       "steps": (c_uint32 * 5)(), "lower": (c_int * 3)(), "upper": (c_int * 3)()}
        place = {name: c_void_p(ctypes.addressof(array)) for name, array in self.arrays.items()}
        common = [("type", c_int), ("rank", c_uint32), ("address", c_void_p), ("dims", place), ("strides", place)]
        last = [("swizzle", c_int), ("promotion", c_int), ("fill", c_int)]
        pixels, steps = [("channels", c_uint32), ("pixels", c_uint32)], [("steps", place), ("interleave", c_int)]
        # function: (symbol, its parameters after the tensor map)
        self.functions = {
            TILED: ("cuTensorMapEncodeTiled", [*common, ("box", place), *steps, *last]),
            IM2COL: ("cuTensorMapEncodeIm2col", [*common, ("lower", place), ("upper", place), *pixels, *steps, *last]),
            WIDE: ("cuTensorMapEncodeIm2colWide",
                   [*common, ("lower", c_int), ("upper", c_int), *pixels, *steps, ("mode", c_int), *last])}
        self.pointers = {name: getattr(self.cuda, symbol, None) for name, (symbol, _) in self.functions.items()}

    def call(self, symbol, *arguments):
        code = getattr(self.cuda, symbol)(*arguments)
        if code:
            sys.exit(f"tensormap_sweep: {symbol} failed with code {code}")

    def name(self):
        text = ctypes.create_string_buffer(256)
        self.call("cuDeviceGetName", text, 256, self.device)
        return text.value.decode()

    def encode(self, request):
        """(return code, the 16 words), or None where the driver has no such function."""
        pointer = self.pointers[request.function]
        if not pointer:
            return None
        for name, array in self.arrays.items():
            array[:] = getattr(request, name)
        self.image[:] = [(1 << 64) - 1 if request.section == "ones" else 0] * 16
        arguments = [ctypes.byref(self.image)]
        for name, kind in self.functions[request.function][1]:
            if isinstance(kind, dict):
                arguments.append(kind[name])
                continue
            value = getattr(request, name)
            arguments.append(kind(value[0] if isinstance(value, tuple) else value))
        code = pointer(*arguments)
        return code, list(self.image)


def text_of(value):
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def kernel_module():
    try:
        return re.search(r"\d+\.\d+(\.\d+)?", Path("/proc/driver/nvidia/version").read_text())[0]
    except (OSError, TypeError):
        return "unknown"


def summary(tally, images):
    print(f"{'function':8} {'section':10} {'rows':>7} {'accepted':>9}  other codes")
    for (function, section), codes in sorted(tally.items()):
        other = ", ".join(f"{code}: {count}" for code, count in sorted(codes.items()) if code)
        print(f"{function:8} {section:10} {sum(codes.values()):7} {codes.get(0, 0):9}  {other}")
    for function, (ones, zeros) in images.items():
        print(f"\n{function}: in accepted images (v: varies, 1: always set, .: never), bit 63 first")
        for word in range(16):
            bits = ("v" if ones[word] >> b & 1 and zeros[word] >> b & 1 else "1" if ones[word] >> b & 1 else "."
                    for b in reversed(range(64)))
            print(f"  word {word:2} {''.join(bits)}")


def main():
    start, driver = time.time(), Driver()
    print(f"driver {driver.version}, kernel module {kernel_module()}, {driver.name()}")
    print("functions:", ", ".join(f"{symbol} {'found' if driver.pointers[name] else 'MISSING'}"
                                  for name, (symbol, _) in driver.functions.items()))
    lines = [f"# cuDriverGetVersion {driver.version}; kernel module {kernel_module()}; {driver.name()}",
             "\t".join(COLUMNS)]
    tally, images = {}, {}
    for request in requests():
        answer = driver.encode(request)
        if not answer:
            continue
        code, image = answer
        codes = tally.setdefault((request.function, request.section), {})
        codes[code] = codes.get(code, 0) + 1
        if code == 0 and request.section != "ones":
            ones, zeros = images.setdefault(request.function, ([0] * 16, [0] * 16))
            ones[:] = [one | word for one, word in zip(ones, image)]
            zeros[:] = [zero | ~word for zero, word in zip(zeros, image)]
        fields = [text_of(getattr(request, name)) for name in COLUMNS[:-2]]
        lines.append("\t".join([*fields, str(code), ",".join(f"{word:x}" for word in image)]))
    file = Path(sys.argv[1] or ".") / "tensormaps.tsv.xz"
    file.write_bytes(lzma.compress("\n".join([*lines, ""]).encode(), preset=4))
    summary(tally, images)
    print(f"\n{len(lines) - 2} requests, {file}: {file.stat().st_size} bytes, {time.time() - start:.1f} s")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main()
