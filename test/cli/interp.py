#!/usr/bin/env python3
"""tessera run of tile programs, on the interpreter and on the simulator: interp.py BIN ADD.tilebc. Programs are assembled from the text below; numbers are worked out by hand."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import re
import resource
import struct
import subprocess
import sys
import tempfile
import unittest

BIN, ADD = map(os.path.abspath, sys.argv[1:3])
SANITIZED = "TESSERA_SANITIZED" in os.environ
INTERP, SIM = ("--device", "interp"), ("--device", "sim")

# fill stores n at the last of n elements that lie s apart; the arguments of `shaped` are those of an array.
TEXT = """cuda_tile.module @program {
  entry @fill(%p: tile<ptr<i32>>, %n: tile<i32>) {
    %t = store_ptr_tko weak %p, %n : tile<ptr<i32>>, tile<i32> -> token
    return
  }
  entry @shaped(%p: tile<ptr<i32>>, %rows: tile<i32>, %columns: tile<i32>, %down: tile<i32>, %right: tile<i32>, %x: tile<i32>) {
    %one = constant <i32: 1> : tile<i32>
    %row = subi %rows, %one : tile<i32>
    %column = subi %columns, %one : tile<i32>
    %a = muli %row, %down : tile<i32>
    %b = muli %column, %right : tile<i32>
    %at = addi %a, %b : tile<i32>
    %last = offset %p, %at : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %t = store_ptr_tko weak %last, %x : tile<ptr<i32>>, tile<i32> -> token
    return
  }
  entry @mixed(%p: tile<ptr<i32>>, %q: tile<ptr<i32>>, %n: tile<i32>, %step: tile<i32>) {
    %s = store_ptr_tko weak %p, %n : tile<ptr<i32>>, tile<i32> -> token
    %t = store_ptr_tko weak %q, %step : tile<ptr<i32>>, tile<i32> -> token
    return
  }
  entry @narrow(%p: tile<ptr<i32>>, %n: tile<i8>, %s: tile<i64>) {
    return
  }
  entry @scales(%p: tile<ptr<f8E5M3FNU>>, %q: tile<ptr<f32>>) {
    %at = iota : tile<4xi32>
    %p1 = reshape %p : tile<ptr<f8E5M3FNU>> -> tile<1xptr<f8E5M3FNU>>
    %p4 = broadcast %p1 : tile<1xptr<f8E5M3FNU>> -> tile<4xptr<f8E5M3FNU>>
    %from = offset %p4, %at : tile<4xptr<f8E5M3FNU>>, tile<4xi32> -> tile<4xptr<f8E5M3FNU>>
    %x, %t = load_ptr_tko weak %from : tile<4xptr<f8E5M3FNU>> -> tile<4xf8E5M3FNU>, token
    %y = ftof %x : tile<4xf8E5M3FNU> -> tile<4xf32>
    %q1 = reshape %q : tile<ptr<f32>> -> tile<1xptr<f32>>
    %q4 = broadcast %q1 : tile<1xptr<f32>> -> tile<4xptr<f32>>
    %to = offset %q4, %at : tile<4xptr<f32>>, tile<4xi32> -> tile<4xptr<f32>>
    %s = store_ptr_tko weak %to, %y : tile<4xptr<f32>>, tile<4xf32> -> token
    return
  }
  entry @say() {
    %x, %y, %z = get_tile_block_id : tile<i32>
    %t = print_tko "block %d\\n", %x : tile<i32> -> token
    return
  }
  entry @spin() {
    loop {
      continue
    }
    return
  }
  entry @hog() {
    %0 = iota : tile<16777216xi32>
    %1 = iota : tile<16777216xi32>
    %2 = iota : tile<16777216xi32>
    return
  }
}
"""


def npy(kind, shape, values):
    header = f"{{'descr': '<{kind}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    letter = {"f4": "f", "i4": "i", "u1": "B"}[kind]
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(values)}{letter}", *values)


class Interp(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="tessera-interp.")
        cls.folder = cls.temporary.name
        with open(cls.path("p.mlir"), "w") as to:
            to.write(TEXT)
        subprocess.run([os.path.join(BIN, "cuda-tile-translate"), "-mlir-to-cudatilebc", cls.path("p.mlir"), "-o", cls.path("p.tilebc")], check=True)
        for name, values in (("a", range(1, 9)), ("b", range(10, 90, 10)), ("sum", range(11, 99, 11))):
            with open(cls.path(name + ".npy"), "wb") as to:
                to.write(npy("f4", "(8,)", [float(v) for v in values]))

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder, name)

    def run_tile(self, file, *words, code=0, said="", device=INTERP, stdin=None, memory=None):
        def before():
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        done = subprocess.run([os.path.join(BIN, "tessera"), "run", file, *device, *words], cwd=self.folder, input=stdin, capture_output=True,
                              timeout=120, preexec_fn=before if memory else None)
        out, err = done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
        if SANITIZED:  # it says, too, what it cannot allocate
            err = re.sub(r"^==\d+==WARNING: AddressSanitizer failed to allocate .*\n", "", err)
        self.assertEqual(done.returncode, code, err)
        self.assertIn(said, out + err)
        if code > 1:
            self.assertTrue(err.startswith("error: "), err)
        return out if code == 0 else err

    def add(self, *words, **more):
        return self.run_tile(ADD, "--arg", "a.npy", "--arg", "b.npy", "--arg", "out:f32:8", *words, **more)

    def program(self, kernel, *words, **more):
        return self.run_tile("p.tilebc", "--entry", kernel, *words, **more)

    def test_numbers_are_compared_and_saved(self):
        self.add("--grid", "2", "--check", "2=sum.npy", "--save", "2=got.npy", said="argument 2 agrees with sum.npy")
        with open(self.path("got.npy"), "rb") as got, open(self.path("sum.npy"), "rb") as expected:
            self.assertEqual(got.read(), expected.read())
        self.add("--grid", "2", "--check", "2=a.npy", code=1, said="argument 2 DIFFERS from a.npy")
        # One tile block leaves the second half as it was: 0xFF.
        self.add("--check", "2=sum.npy", code=1, said="4 of 8")

    def test_stdin(self):
        with open(ADD, "rb") as program:
            self.run_tile("-", "--arg", "a.npy", "--arg", "b.npy", "--arg", "out:f32:8", "--grid", "2,1,1", "--check", "2=sum.npy", stdin=program.read())

    def test_undefined_behaviour_ends_the_kernel(self):
        self.add("--grid", "3", code=5, said="load_ptr_tko of kernel 'add' in tile block (2, 0, 0), element (0)")

    def test_one_tensor_is_an_array_and_another_a_pointer(self):
        self.program("mixed", "--arg", "zeros:i32:1", "--arg", "zeros:i32:5:stride=3", "--save", "0=p.npy", "--save", "1=q.npy")
        for file, first in (("p.npy", 5), ("q.npy", 3)):
            with open(self.path(file), "rb") as got:
                self.assertEqual(struct.unpack_from("<i", got.read(), 128)[0], first)
        self.program("mixed", "--arg", "zeros:i32:1", "--arg", "zeros:i32:5", "--arg", "1", code=2,
                     said="expects 4 arguments (tile<ptr<i32>>, tile<ptr<i32>>, tile<i32>, tile<i32>), but got 3, or 7 where a tensor is its pointer, extents and strides")

    def test_a_tensor_may_stand_for_pointer_extents_and_strides(self):
        self.program("shaped", "--arg", "zeros:i32:2x3", "--arg", "7", "--save", "0=s.npy")
        with open(self.path("s.npy"), "rb") as got:
            self.assertEqual(struct.unpack("<6i", got.read()[128:]), (0, 0, 0, 0, 0, 7))
        self.program("shaped", "--arg", "zeros:i32:2x3:stride=1,2", "--arg", "i32:8", "--save", "0=s.npy")
        with open(self.path("s.npy"), "rb") as got:
            self.assertEqual(struct.unpack("<6i", got.read()[128:]), (0, 0, 0, 0, 0, 8))
        self.program("shaped", "--arg", "zeros:i32:2x3", "--arg", "7", "--arg", "8", code=2,
                     said="kernel 'shaped' expects 6 arguments (tile<ptr<i32>>, tile<i32>, tile<i32>, tile<i32>, tile<i32>, tile<i32>), but got 3, "
                          "or 7 where a tensor is its pointer, extents and strides")
        self.program("narrow", "--arg", "zeros:i32:200", code=2, said="its extent 200 does not fit parameter 1, which is tile<i8>")
        self.program("narrow", "--arg", "zeros:i32:100")

    def test_scales_are_passed_as_bytes(self):
        # 5 bits of exponent with bias 15, then 3 of mantissa: 1, 1.5, 2, and the smallest number, 2^-14 / 8.
        with open(self.path("codes.npy"), "wb") as to:
            to.write(npy("u1", "(4,)", [0x78, 0x7C, 0x80, 0x01]))
        with open(self.path("scales.npy"), "wb") as to:
            to.write(npy("f4", "(4,)", [1.0, 1.5, 2.0, 2.0**-17]))
        for device in (INTERP, SIM + ("--arch", "sm_90a")):
            self.program("scales", "--arg", "u8:codes.npy", "--arg", "out:f32:4", "--check", "1=scales.npy", "--rtol", "0", "--atol", "0", device=device)
        self.program("scales", "--arg", "zeros:i8:4", "--arg", "out:f32:4")
        self.program("scales", "--arg", "zeros:f16:4", "--arg", "out:f32:4", code=2,
                     said="expects elements of type f8E5M3FNU, as bytes, for parameter 0 of kernel 'scales'")

    def test_arguments_of_other_types_are_refused(self):
        self.program("fill", "--arg", "zeros:f32:4", "--arg", "7", code=2,
                     said="argument 0 (zeros:f32:4): expects elements of type i32 for parameter 0 of kernel 'fill', which is tile<ptr<i32>>, but got f32")
        self.program("fill", "--arg", "zeros:u32:4", "--arg", "u32:7")  # integers have no sign there
        self.program("fill", "--arg", "zeros:i32:4", "--arg", "i64:7", code=2, said="expects elements of type i32 for parameter 1")
        self.program("fill", "--arg", "7", "--arg", "7", code=2, said="argument 0 (7): its number is for parameter 0 of kernel 'fill', which is tile<ptr<i32>>")
        self.program("fill", "--arg", "zeros:i32:4", "--arg", "zeros:i32:4", code=2, said="argument 1 (zeros:i32:4): its pointer is for parameter 1")
        self.program("fill", "--arg", "zeros:i32:4", "--arg", "7", "--save", "1=x.npy", code=2, said="argument 1 is a number, not a tensor")
        self.program("fill", "--arg", "none.npy", "--arg", "7", code=2, said="cannot read none.npy: there is no such file")

    def test_kernels_are_chosen(self):
        self.run_tile("p.tilebc", code=2, said="--entry")
        self.program("nothing", code=2, said="nothing")

    def test_prints(self):
        out = self.program("say", "--grid", "3", "--seed", "4")
        self.assertEqual(sorted(out.split("\n")), ["", "block 0", "block 1", "block 2"])
        orders = {self.program("say", "--grid", "3", "--seed", str(seed)) for seed in range(8)}
        self.assertGreater(len(orders), 1)
        self.program("say", "--grid", "3", "--max-output", "8", said="[cut off: 16 more bytes were printed, and 8 are kept]")

    def test_limits(self):
        self.program("spin", "--max-instructions", "1000", code=5, said="stopped after 1000 operations")
        self.program("spin", "--timeout", "0.5", code=4, said="running p.tilebc did not end within 0.5 s (--timeout)")
        self.program("hog", "--max-memory", "300000000", code=5, said="expects tiles and memory of the program to take at most 300000000 bytes at a time")
        if SANITIZED:  # no program starts with a limit of its addresses
            print("skipped under a sanitizer: memory of the host runs out")
        else:
            self.program("hog", memory=700 << 20, code=6, said="memory ran out")
        self.program("fill", "--arg", "zeros:i32:1000000000000000", "--arg", "7", code=6, said="cannot allocate 4000000000000000 bytes of host memory")

    def test_grids(self):
        self.program("say", "--grid", "0", code=2, said="expects a grid of 1 to 16777215 tile blocks")
        self.program("say", "--grid", "1,2,3,4", code=2, said="--grid")

    def test_programs_and_devices_that_do_not_fit(self):
        self.run_tile("a.npy", code=2, said="a.npy")
        self.run_tile("p.tilebc", "--entry", "say", "--seed", "4", device=SIM, code=2, said="--seed is for the interpreter: add --device interp")
        self.run_tile("p.tilebc", "--entry", "say", "--ptx", "x", device=SIM, code=2, said="--ptx has no meaning for p.tilebc, which is a tile program: leave it out")
        self.run_tile("p.mlir", "--entry", "say", "--input-version", "4.3.3", device=SIM, code=2, said="--input-version has no meaning for p.mlir")
        for file in ("p.tilebc", "p.mlir"):
            self.run_tile(file, "--entry", "hog", device=SIM, code=2, said="16777216")
            self.run_tile(file, device=SIM, code=2, said="--entry")
        self.program("say", "--bench", "3", code=2, said="--bench has no meaning for the interpreter")
        with open(self.path("m.mlir"), "w") as to:
            to.write("module {}\n")
        for option in ("--grid", "--seed"):
            self.run_tile("m.mlir", option, "3", device=SIM, code=2, said=f"{option} is for tile programs: a host function says what it launches")
        with open(self.path("p.tilebc"), "rb") as whole, open(self.path("cut.tilebc"), "wb") as cut:
            cut.write(whole.read()[:100])
        for device in (INTERP, SIM):
            self.run_tile("cut.tilebc", device=device, code=2, said="cut.tilebc:")

    def test_the_simulator_runs_what_the_interpreter_runs(self):
        for device in (INTERP, SIM, (*SIM, "--arch", "sm_80"), (*SIM, "--no-cache")):
            add = ("--arg", "a.npy", "--arg", "b.npy", "--arg", "out:f32:8")
            self.run_tile(ADD, *add, "--grid", "2", "--check", "2=sum.npy", device=device, said="argument 2 agrees with sum.npy")
            self.run_tile(ADD, *add, "--check", "2=sum.npy", device=device, code=1, said="4 of 8")
        for file in ("p.tilebc", "p.mlir"):  # of p no GPU has room for @hog
            for device in (INTERP, SIM):
                self.run_tile(file, "--entry", "shaped", "--arg", "zeros:i32:2x3:stride=1,2", "--arg", "8", "--save", "0=s.npy", device=device)
                with open(self.path("s.npy"), "rb") as got:
                    self.assertEqual(struct.unpack("<6i", got.read()[128:]), (0, 0, 0, 0, 0, 8))
                out = self.run_tile(file, "--entry", "say", "--grid", "3", device=device)
                self.assertEqual(sorted(line for line in out.split("\n") if line), ["block 0", "block 1", "block 2"])
                self.run_tile(file, "--entry", "say", "--grid", "0", device=device, code=2, said="grid")

    def test_the_simulator_has_its_own_limits(self):
        self.run_tile(ADD, "--arg", "a.npy", "--arg", "b.npy", "--arg", "out:f32:8", "--grid", "3", device=SIM, code=5, said="is out of bounds")
        self.run_tile("p.tilebc", "--entry", "spin", "--max-instructions", "1000", device=SIM, code=5, said="1000")
        said = self.run_tile("p.tilebc", "--entry", "spin", "--timeout", "2", device=SIM, code=4, said="kernel 'spin' did not return within 2 seconds")
        self.assertNotIn("compiling", said)  # which ended long before
        self.run_tile("p.tilebc", "--entry", "say", "--cache-size", "many", device=SIM, code=2, said="--cache-size: many")
        for limit, kept in (("1", False), ("1MB", True)):
            self.run_tile("p.tilebc", "--entry", "say", "--cache-size", limit, "--cache-dir", self.path(limit), device=SIM)
            files = os.listdir(self.path(limit)) if os.path.exists(self.path(limit)) else []
            self.assertEqual(any(os.path.getsize(self.path(f"{limit}/{f}")) > 100 for f in files), kept, files)
        out = self.run_tile("p.tilebc", "--entry", "say", "--bench", "3", device=SIM)
        self.assertIn("of 3 calls", out)
        self.run_tile("p.tilebc", "--entry", "fill", "--arg", "zeros:i32:4", "--arg", "7", "--sanitize", device=SIM)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
