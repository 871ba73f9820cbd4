#!/usr/bin/env python3
"""Runs a kernel of a tile program on arrays of numpy, by the interpreter of libtessera-tile-c.

  run.py add.tilebc --grid 2 a.npy range:float32:8 zeros:float32:8 --print 2

An argument is a number, FILE.npy, zeros:TYPE:SHAPE (8x4) or range:TYPE:SHAPE, which counts; an array stands for its pointer, and with a + after it for
pointer, extents and strides in elements, as cuTile Python passes arrays. `ninja tessera_tile_capi` builds the library,
which --library or TESSERA_TILE_LIBRARY names. Without arguments: what the kernels want.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse
import ctypes
import os
import struct
import sys
from pathlib import Path

import numpy as np


class TileError(Exception):
    """`id` is the name of the rule that was broken."""

    def __init__(self, id, text):
        super().__init__(text)
        self.id = id


class Parameter(ctypes.Structure):
    _fields_ = [("type", ctypes.c_char_p), ("element", ctypes.c_char_p), ("bits", ctypes.c_uint),
                ("is_pointer", ctypes.c_bool)]


class Options(ctypes.Structure):
    _fields_ = [("seed", ctypes.c_uint64), ("steps", ctypes.c_uint64), ("bytes", ctypes.c_uint64), ("resident", ctypes.c_uint32),
                ("checks_races", ctypes.c_bool), ("checks_assumptions", ctypes.c_bool)]


def find_library():
    root = Path(__file__).resolve().parents[2]
    for path in (os.environ.get("TESSERA_TILE_LIBRARY"),
                 *sorted(root.glob("build/*/tessera/tile_capi/libtessera-tile-c.so"))):
        if path:
            return path
    sys.exit("run.py: expects TESSERA_TILE_LIBRARY or a build of the target tessera_tile_capi, but there is none")


def load(path=None):
    api = ctypes.CDLL(str(path or find_library()))
    pointer, text, error = ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(ctypes.c_void_p)
    for name, result, arguments in (
            ("ErrorId", text, [pointer]), ("ErrorText", text, [pointer]), ("ErrorDestroy", None, [pointer]),
            ("ProgramRead", pointer, [text, ctypes.c_size_t, error]), ("ProgramDestroy", None, [pointer]),
            ("KernelCount", ctypes.c_size_t, [pointer]), ("KernelName", text, [pointer, ctypes.c_size_t]),
            ("ParameterCount", ctypes.c_size_t, [pointer, text]),
            ("Parameter", ctypes.c_bool, [pointer, text, ctypes.c_size_t, ctypes.POINTER(Parameter), error]),
            ("InterpreterCreate", pointer, [pointer, error]), ("InterpreterDestroy", None, [pointer]),
            ("ArrayAdd", ctypes.c_bool, [pointer, pointer, ctypes.c_size_t, error]),
            ("DefaultOptions", Options, []),
            ("Launch", ctypes.c_bool, [pointer, text, ctypes.POINTER(ctypes.c_uint32), ctypes.POINTER(ctypes.c_uint64),
                                       ctypes.c_size_t, ctypes.POINTER(Options), error]),
            ("Steps", ctypes.c_uint64, [pointer]), ("TakeOutput", text, [pointer])):
        function = getattr(api, "tesseraTile" + name)
        function.restype, function.argtypes = result, arguments
    return api


class Program:
    """A program, and an interpreter of it."""

    def __init__(self, data, api=None):
        self.api = api or load()
        self.interpreter = None
        self.program = self.call("ProgramRead", data, len(data))
        self.interpreter = self.call("InterpreterCreate", self.program)
        self.arrays = []

    def __del__(self):
        if self.interpreter:
            self.api.tesseraTileInterpreterDestroy(self.interpreter)
            self.api.tesseraTileProgramDestroy(self.program)

    def call(self, name, *arguments):
        error = ctypes.c_void_p()
        result = getattr(self.api, "tesseraTile" + name)(*arguments, ctypes.byref(error))
        if error:
            reason = TileError(self.api.tesseraTileErrorId(error).decode(),
                               self.api.tesseraTileErrorText(error).decode(errors="replace"))
            self.api.tesseraTileErrorDestroy(error)
            raise reason
        return result

    def kernels(self):
        return [self.api.tesseraTileKernelName(self.program, i).decode()
                for i in range(self.api.tesseraTileKernelCount(self.program))]

    def parameters(self, kernel):
        """[(type, element, bits, is a pointer)]"""
        out = []
        for i in range(self.api.tesseraTileParameterCount(self.program, kernel.encode())):
            p = Parameter()
            self.call("Parameter", self.program, kernel.encode(), i, ctypes.byref(p))
            out.append((p.type.decode(), p.element.decode(), p.bits, p.is_pointer))
        return out

    def array(self, array):
        """Lets kernels touch an array, which stays where it is; its address."""
        self.arrays.append(array)
        begin, end = np.lib.array_utils.byte_bounds(array) if hasattr(np.lib, "array_utils") else np.byte_bounds(array)
        self.call("ArrayAdd", self.interpreter, begin, max(end - begin, 1))
        return array.ctypes.data

    @staticmethod
    def bits(value, element, bits):
        if element.startswith("f") or element in ("bf16", "tf32"):
            if element == "f64":
                return struct.unpack("<Q", struct.pack("<d", value))[0]
            if element == "f16":
                return int(np.float16(value).view(np.uint16))
            code = struct.unpack("<I", struct.pack("<f", value))[0]
            return code >> 16 if element == "bf16" else code
        return int(value) & ((1 << bits) - 1)

    def launch(self, kernel, grid, values, **options):
        """`values`: one for each parameter: an array (its address), a number, or bits as they are for pointers."""
        codes = []
        for value, (_, element, bits, is_pointer) in zip(values, self.parameters(kernel)):
            if isinstance(value, np.ndarray):
                codes.append(self.array(value))
            else:
                codes.append(int(value) if is_pointer else self.bits(value, element, bits))
        given = self.api.tesseraTileDefaultOptions()
        for name, value in options.items():
            setattr(given, name, value)
        grid = (ctypes.c_uint32 * 3)(*(tuple(grid) + (1, 1))[:3])
        self.call("Launch", self.interpreter, kernel.encode(), grid, (ctypes.c_uint64 * len(codes))(*codes), len(codes),
                  ctypes.byref(given))

    def output(self):
        return self.api.tesseraTileTakeOutput(self.interpreter).decode(errors="replace")


def argument(text):
    """The values that a word of the command line stands for, and its array."""
    name, with_shape = (text[:-1], True) if text.endswith("+") else (text, False)
    if name.endswith(".npy"):
        array = np.load(name)
    elif name.startswith(("zeros:", "range:")):
        what, kind, shape = name.split(":")
        array = np.zeros([int(n) for n in shape.split("x")], kind)
        if what == "range":
            array.flat = np.arange(array.size)
    else:
        return [float(text) if "." in text or "e" in text else int(text, 0)], None
    extents = [*array.shape, *(s // array.itemsize for s in array.strides)] if with_shape else []
    return [array, *extents], array


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("arguments", nargs="*")
    parser.add_argument("--kernel", help="its name; needed where the program has several")
    parser.add_argument("--grid", default="1", help="tile blocks in x, y and z: 8,2,1")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--print", type=int, action="append", default=[], metavar="N", help="argument N afterwards")
    parser.add_argument("--save", action="append", default=[], metavar="N=FILE.npy")
    parser.add_argument("--library", help="libtessera-tile-c.so")
    given = parser.parse_intermixed_args()
    try:
        program = Program(Path(given.program).read_bytes(), load(given.library))
        kernels = program.kernels()
        if not given.arguments:
            for kernel in kernels:
                print(f"{kernel}({', '.join(p[0] for p in program.parameters(kernel))})")
            return
        if not given.kernel and len(kernels) != 1:
            sys.exit(f"run.py: expects --kernel, one of {', '.join(kernels)}")
        values, arrays = [], []
        for text in given.arguments:
            more, array = argument(text)
            values += more
            arrays.append(array)
        program.launch(given.kernel or kernels[0], [int(n) for n in given.grid.split(",")], values, seed=given.seed)
        print(program.output(), end="")
    except TileError as error:
        sys.exit(f"run.py: {error.id}: {error}")
    for n in given.print:
        print(arrays[n])
    for pair in given.save:
        n, file = pair.split("=", 1)
        np.save(file, arrays[int(n)])


if __name__ == "__main__":
    main()
