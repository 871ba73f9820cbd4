#!/usr/bin/env python3
"""wmma products of random real numbers on this machine's GPU and on the simulator, bit for bit: bench/wmma_sums.py TESSERA

A line for each shape and type with how many elements of 20 products differ. Needs the driver and numpy; exit code 1 if any differs.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import ctypes
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

KERNEL = """.version 7.8
.target sm_80
.address_size 64
.visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pd) {{
  .reg .b64 a, b, c, d;
  .reg .b32 x<16>, y<16>;
  .reg .{register} z<16>, w<16>;
  ld.param.u64 a, [pa]; ld.param.u64 b, [pb]; ld.param.u64 c, [pc]; ld.param.u64 d, [pd];
  cvta.to.global.u64 a, a; cvta.to.global.u64 b, b; cvta.to.global.u64 c, c; cvta.to.global.u64 d, d;
  wmma.load.a.sync.aligned.row.{shape}.global.{ab} {x}, [a], {k};
  wmma.load.b.sync.aligned.row.{shape}.global.{ab} {y}, [b], {n};
  wmma.load.c.sync.aligned.row.{shape}.global.{cd} {z}, [c], {n};
  wmma.mma.sync.aligned.row.row.{shape}.{types} {w}, {x}, {y}, {z};
  wmma.store.d.sync.aligned.row.{shape}.global.{cd} [d], {w}, {n};
  ret;
}}"""
# Shape, type of A and B, of C and D, registers of A, B and C.
FORMS = [form for shape, a, b in (("m16n16k16", 4, 4), ("m32n8k16", 8, 2), ("m8n32k16", 2, 8))
         for form in ((shape, "f16", "f32", 8, 8, 8), (shape, "f16", "f16", 8, 8, 4), (shape, "bf16", "f32", a, b, 8))]
FORMS.append(("m16n16k8", "tf32", "f32", 4, 4, 8))


class Gpu:
    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        device, context = ctypes.c_int(), ctypes.c_void_p()
        for what in (self.cuda.cuInit(0), self.cuda.cuDeviceGet(ctypes.byref(device), 0),
                     self.cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device), self.cuda.cuCtxSetCurrent(context)):
            if what:
                sys.exit(f"no GPU: CUDA error {what}")

    def run(self, text, arrays):
        module, kernel = ctypes.c_void_p(), ctypes.c_void_p()
        if error := self.cuda.cuModuleLoadData(ctypes.byref(module), text.encode() + b"\0"):
            sys.exit(f"the driver refuses the kernel: CUDA error {error}")
        self.cuda.cuModuleGetFunction(ctypes.byref(kernel), module, b"k")
        places = [ctypes.c_uint64() for _ in arrays]
        for place, array in zip(places, arrays):
            self.cuda.cuMemAlloc_v2(ctypes.byref(place), array.nbytes)
            self.cuda.cuMemcpyHtoD_v2(place, array.ctypes.data_as(ctypes.c_void_p), array.nbytes)
        arguments = (ctypes.c_void_p * 4)(*[ctypes.cast(ctypes.byref(place), ctypes.c_void_p) for place in places])
        self.cuda.cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, None, arguments, None)
        out = np.empty_like(arrays[3])
        self.cuda.cuMemcpyDtoH_v2(out.ctypes.data_as(ctypes.c_void_p), places[3], out.nbytes)
        for place in places:
            self.cuda.cuMemFree_v2(place)
        return out


def simulated(tessera, folder, text, arrays, kind):
    (folder / "k.ptx").write_text(text)
    command = [tessera, "sim", folder / "k.ptx", "--block", "32"]
    for i, array in enumerate(arrays):
        np.save(folder / f"{i}.npy", array)
        command += ["--arg", f"ptr={kind + ':' if kind and i < 2 else ''}{folder}/{i}.npy"]
    subprocess.run(command + ["--save", f"3={folder}/d.npy"], check=True, capture_output=True)
    return np.load(folder / "d.npy")


def stored(values, kind):
    values = values.astype(np.float32)
    if kind == "bf16":
        return (values.view(np.uint32) >> 16).astype(np.uint16)
    return (values.view(np.uint32) & 0xffffe000).view(np.float32) if kind == "tf32" else values.astype(np.float16)


def main():
    tessera, gpu, random, wrong = Path(sys.argv[1]).resolve(), Gpu(), np.random.default_rng(3), 0
    registers = lambda name, count: "{" + ", ".join(f"{name}{i}" for i in range(count)) + "}"
    with tempfile.TemporaryDirectory() as name:
        for shape, ab, cd, *counts in FORMS:
            m, n, k = map(int, re.findall(r"\d+", shape))
            text = KERNEL.format(shape=shape, ab=ab, cd=cd, n=n, k=k, register="f32" if cd == "f32" else "b32",
                                 types=f"{cd}.{cd}" if ab == "f16" else f"{cd}.{ab}.{ab}.{cd}", x=registers("x", counts[0]),
                                 y=registers("y", counts[1]), z=registers("z", counts[2]), w=registers("w", counts[2]))
            differ = 0
            for _ in range(20):
                c = random.standard_normal((m, n)).astype(np.float16 if cd == "f16" else np.float32)
                arrays = [stored(random.standard_normal((m, k)), ab), stored(random.standard_normal((k, n)), ab), c, np.zeros_like(c)]
                mine = simulated(tessera, Path(name), text, arrays, "bf16" if ab == "bf16" else "")
                differ += int((gpu.run(text, arrays).view(np.uint8) != mine.view(np.uint8)).any())
            wrong += differ
            print(f"{shape} {ab} {cd}: {differ} of 20 products differ", flush=True)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
