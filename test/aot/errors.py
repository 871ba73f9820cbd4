#!/usr/bin/env python3
"""What `tessera compile --emit object` refuses, with its sentence: test/aot/errors.py TESSERA."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import subprocess
import sys
import tempfile
from pathlib import Path

TESSERA = sys.argv[1]
SWIZZLED = 'func.func @f(%a: !cute.memref<f32, gmem, "S<3,4,3> o 0 o (8,8):(8,1)">) -> i32 { %z = arith.constant 0 : i32 return %z : i32 }'
TILE = "cuda_tile.module @m {{ entry @e(%x: tile<{}>) {{ return }} }}"
HOST = "func.func @{} () -> i32 {{ %z = arith.constant 0 : i32 return %z : i32 }}"
CASES = (  # name of the row, file, options, words
    ("NoHostFunction", "module {}", [], "has no host function to export"),
    ("ExportParameter", SWIZZLED, [], "parameter 0 of f, "),
    ("ExportName", HOST.format("f"), ["--name", "2x"], "expects a name of C for what is exported, but got '2x'"),
    ("ExportTile", TILE.format("f8E4M3FN"), [], "parameter 0 of the entry e, tile<f8E4M3FN>, has no type in C"),
    ("ExportName", TILE.format("i32"), ["--name", "a-b"], "expects a name of C for what is exported, but got 'a-b'"),
    ("ExportCode", HOST.format("f").replace("arith.constant 0", 'llvm.call_intrinsic "llvm.nvvm.read.ptx.sreg.tid.x"() : ()').replace("() : () : i32", "() : () -> i32"), [], "no object can be made: "),
    ("", HOST.format("f"), ["-o", "-"], "--emit object writes a binary file"),
    ("", HOST.format("f"), ["--arch", "sm_80,sm_1"], "sm_1"),
)

wrong = 0
with tempfile.TemporaryDirectory() as work:
    for row, text, options, words in CASES:
        path = Path(work) / "k.mlir"
        path.write_text(text)
        output = [] if "-o" in options else ["-o", f"{work}/k.o"]
        arch = [] if "--arch" in options else ["--arch", "sm_80"]
        ran = subprocess.run([TESSERA, "compile", path, "--emit", "object", *arch, *output, *options], capture_output=True, text=True)
        if ran.returncode != 2 or words not in ran.stderr:
            print(f"{row} {options}: code {ran.returncode}, {ran.stderr}")
            wrong += 1
    ran = subprocess.run([TESSERA, "compile", path, "--header", "x.h"], capture_output=True, text=True)
    if ran.returncode != 2 or "--header and --name are for --emit object" not in ran.stderr:
        print(ran.returncode, ran.stderr)
        wrong += 1
sys.exit(wrong != 0)
