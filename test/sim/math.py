#!/usr/bin/env python3
"""Mathematical functions of kernels against double precision: math.py TESSERA [gpu|sim].

Each function, without fastmath, on f32 and f64 over the whole of its domain that the type can tell apart, and on special values.
TESSERA_MATH_SEED and TESSERA_MATH_COUNT, a multiple of 128, choose other samples.
The reference of f64 is C's, as numpy is off by 3 ulp there; of cbrt, where C's is, that of long double. The error is in units in the last place of the right result; the most that is allowed stands in the table.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import math
import os
import subprocess
import sys
import tempfile

import numpy as np

THREADS = 128
COUNT = int(os.environ.get("TESSERA_MATH_COUNT", 16384))
SEED = int(os.environ.get("TESSERA_MATH_SEED", 7))
vector = np.vectorize
# The op, the function in double precision, the domain (its ends as f32), the most ulp.
FUNCTIONS = [
    ("exp", np.exp, -87.3, 88.7, 3),
    ("exp2", np.exp2, -126, 127.9, 2),
    ("expm1", np.expm1, -20, 88, 3),
    ("log", np.log, 1e-44, 3e38, 2),
    ("log2", np.log2, 1e-44, 3e38, 3),
    ("log10", np.log10, 1e-37, 3e38, 3),
    ("log1p", np.log1p, -0.999, 1e30, 3),
    ("sqrt", np.sqrt, 0, 3e38, 0.51),
    ("rsqrt", lambda x: 1 / np.sqrt(x), 1e-37, 3e38, 2),
    ("sin", np.sin, -105615, 105615, 2),
    ("cos", np.cos, -105615, 105615, 2),
    ("tan", np.tan, -1.5, 1.5, 4),
    ("asin", np.arcsin, -1, 1, 4),
    ("acos", np.arccos, -1, 1, 4),
    ("atan", np.arctan, -1e6, 1e6, 4),
    ("sinh", np.sinh, -89, 89, 4),
    ("cosh", np.cosh, -80, 80, 4),
    ("tanh", np.tanh, -12, 12, 4),
    ("asinh", np.arcsinh, -1e38, 1e38, 4),
    ("acosh", np.arccosh, 1, 1e6, 4),
    ("atanh", np.arctanh, -0.999, 0.999, 4),
    ("erf", vector(math.erf), -5, 5, 4),
    ("erfc", vector(math.erfc), -3, 8, 4),
    ("cbrt", np.cbrt, -1e30, 1e30, 2),
    ("atan2", lambda x: np.arctan2(x, np.float64(np.float32(-0.7))), -1e6, 1e6, 4),
    ("fpowi", lambda x: x**3, -1e12, 1e12, 2),
    ("powf", lambda x: np.power(x, np.float64(np.float32(-0.7))), 1e-37, 3e38, 0.51),
    ("sin", np.sin, -3e38, 3e38, 2),
    ("cos", np.cos, -3e38, 3e38, 2),
]
FUNCTIONS_ON_F64 = [
    ("exp", vector(math.exp), -708, 709.7, 2),
    ("exp2", vector(lambda x: math.pow(2, x)), -1022, 1023.9, 2),
    ("log", vector(math.log), 1e-307, 1.7e308, 2),
    ("log2", vector(math.log2), 1e-307, 1.7e308, 2),
    ("rsqrt", lambda x: 1 / np.sqrt(x), 1e-307, 1.7e308, 2),
    ("sin", vector(math.sin), -(2.0**30), 2.0**30, 2),
    ("cos", vector(math.cos), -(2.0**30), 2.0**30, 2),
    ("tan", vector(math.tan), -(2.0**30), 2.0**30, 4),
    ("sinh", vector(math.sinh), -710.4, 710.4, 4),
    ("cosh", vector(math.cosh), -710.4, 710.4, 4),
    ("tanh", vector(math.tanh), -22, 22, 2),
    ("atan2", vector(lambda x: math.atan2(x, -0.7)), -1e6, 1e6, 3),
    ("powf", vector(lambda x: math.pow(x, -0.7)), 1e-300, 1e300, 2),
    ("sin", vector(math.sin), -1.7e308, 1.7e308, 2),
    ("cos", vector(math.cos), -1.7e308, 1.7e308, 2),
    ("tan", vector(math.tan), -1.7e308, 1.7e308, 4),
    ("asin", vector(math.asin), -1, 1, 4),
    ("acos", vector(math.acos), -1, 1, 4),
    ("atan", vector(math.atan), -1e6, 1e6, 3),
    ("asinh", vector(math.asinh), -1e300, 1e300, 4),
    ("acosh", vector(math.acosh), 1, 1e300, 4),
    ("atanh", vector(math.atanh), -0.999, 0.999, 4),
    ("log10", vector(math.log10), 5e-324, 1.7e308, 2),
    ("log1p", vector(math.log1p), -0.999, 1.7e308, 2),
    ("expm1", vector(math.expm1), -50, 709.7, 2),
    ("cbrt", lambda x: np.cbrt(x.astype(np.longdouble)).astype(np.float64), -1.7e308, 1.7e308, 1),
    ("erf", vector(math.erf), -6.5, 6.5, 3),
    ("erfc", vector(math.erfc), -6.5, 26.5, 4),
    ("fpowi", lambda x: x**3, -1e100, 1e100, 2),
]
# Where the error was above the bound once.
ONCE = {"tanh": [3.9054968], "acosh": [1.0063828], "erf": [-1.8878393]}
# What follows the first operand.
SECOND = {"atan2": ", %other", "fpowi": ", %three", "powf": ", %other"}


def module(functions, element):
    """One kernel that stores every function of every input."""
    vectors = f'!in = !cute.memref<{element}, gmem, align<16>, "({len(functions)},{COUNT}):({COUNT},1)">\n'
    body = ""
    for i, (name, *_) in enumerate(functions):
        body += f"""      %c{i} = cute.make_coord(%at) : (i32) -> !cute.coord<"({i},?)">
      %x{i} = cute.memref.load(%x, %c{i}) : (!in, !cute.coord<"({i},?)">) -> {element}
      %y{i} = math.{name} %x{i}{SECOND.get(name, "")} : {element + ", i32" if name == "fpowi" else element}
      cute.memref.store(%y, %c{i}, %y{i}) : (!in, !cute.coord<"({i},?)">, {element}) -> ()
"""
    return f"""{vectors}
module attributes {{gpu.container_module}} {{
  gpu.module @kernels {{
    cuda.kernel @all(%x: !in, %y: !in) attributes {{cute.kernel, gpu.kernel, nvvm.reqntid = array<i32: {THREADS}, 1, 1>}} {{
      %tid = nvvm.read.ptx.sreg.tid.x : i32
      %bid = nvvm.read.ptx.sreg.ctaid.x : i32
      %size = arith.constant {THREADS} : i32
      %first = arith.muli %bid, %size : i32
      %at = arith.addi %first, %tid : i32
      %other = arith.constant -0.7 : {element}
      %three = arith.constant 3 : i32
{body}      return
    }}
  }}
  func.func @run(%x: !in, %y: !in) -> i32 attributes {{llvm.emit_c_interface}} {{
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i32
    %threads = arith.constant {THREADS} : i32
    %blocks = arith.constant {COUNT // THREADS} : i32
    %stream = cuda.cast %c0 : i64 -> !cuda.stream
    %config = cuda.launch_cfg.create<max_attrs = 1 : i32> (blockDim = (%threads, %c1, %c1), dynamicSmemBytes = %c0, gridDim = (%blocks, %c1, %c1), stream = %stream) : i32, i32, i32, i64, i32, i32, i32, !cuda.stream -> !cuda.launch_cfg<max_attrs = 1>
    %result = cuda.launch_ex @kernels::@all<%config> (%x, %y) : !cuda.launch_cfg<max_attrs = 1>, (!in, !in) -> !cuda.result
    %status = cuda.cast %result : !cuda.result -> i32
    return %status : i32
  }}
}}
"""


def inputs(rng, name, low, high, kind):
    """Half of them even in value, half even in magnitude, and what is special: zeros, ones, the ends."""
    even = rng.uniform(low / 2, high / 2, COUNT) * 2
    size = np.exp(rng.uniform(math.log(1e-6), math.log(max(abs(low), abs(high))), COUNT))
    sized = np.where(rng.random(COUNT) < 0.5, -size, size)
    sized = np.where((sized < low) | (sized > high), even, sized)
    x = np.where(np.arange(COUNT) % 2, even, sized).astype(kind)
    special = [v for v in (0.0, -0.0, 1.0, -1.0, 0.5, 1 - 2**-24, 1 + 2**-23, low, high, *ONCE.get(name, [])) if low <= v <= high]
    x[: len(special)] = special
    return np.clip(x, kind(low), kind(high))


def measure(tessera, device, functions, element, kind):
    """How many functions are less precise than stated."""
    rng = np.random.default_rng(SEED)
    x = np.stack([inputs(rng, name, low, high, kind) for name, _, low, high, _ in functions])
    failed = 0
    with tempfile.TemporaryDirectory() as work:
        np.save(f"{work}/x.npy", x)
        with open(f"{work}/math.mlir", "w") as file:
            file.write(module(functions, element))
        shape = f"{len(functions)}x{COUNT}"
        done = subprocess.run([tessera, "run", f"{work}/math.mlir", "--device", device, "--arch", "sm_80", "--arg", f"{element}:{work}/x.npy", "--arg",
                               f"out:{element}:{shape}", "--save", f"1={work}/y.npy"], capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stdout + done.stderr)
        y = np.load(f"{work}/y.npy")
    for i, (name, function, low, high, most) in enumerate(functions):
        with np.errstate(all="ignore"):
            right = function(x[i].astype(np.float64))
            ulp = np.spacing(np.maximum(np.abs(right), np.finfo(kind).tiny).astype(kind)).astype(np.float64)
            error = np.abs(y[i].astype(np.float64) - right) / ulp
        error = np.where(np.isnan(y[i]) != np.isnan(right), np.inf, np.where(np.isinf(right) & (y[i] == right), 0, error))
        worst = int(np.nanargmax(error))
        bad = not error[worst] <= most
        failed += bad
        print(f"{'FAIL' if bad else 'ok':5}{element} {name:7} {error[worst]:10.2f} ulp of {most} at {x[i][worst]!r}: {y[i][worst]!r}, but {right[worst]:.9g}")
    return failed


def main():
    tessera, device = (sys.argv[1:] + ["sim"])[:2]
    failed = measure(tessera, device, FUNCTIONS, "f32", np.float32) + measure(tessera, device, FUNCTIONS_ON_F64, "f64", np.float64)
    if failed:
        sys.exit(f"{failed} of {len(FUNCTIONS) + len(FUNCTIONS_ON_F64)} functions are less precise than stated")


main()
