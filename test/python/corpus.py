"""Kernels of CuTe DSL through the package equal `tessera run --device sim` bit for bit, if TESSERA_CORPUS names their folder."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

if not os.environ.get("TESSERA_CORPUS"):
    print("TESSERA_CORPUS names no folder of dumps")
    raise SystemExit(77)  # a module whose tests are all skipped would pass

import numpy as np
import tessera

# Folder, arguments as (type, shape, strides) or numbers; strides None: compact, the last mode fastest.
F32, F16, BF16, E4M3 = "f32", "f16", "bf16", "f8E4M3FN"
GEMM = [(F16, (256, 64, 2), (1, 256, 16384)), (F16, (128, 64, 2), (1, 128, 8192)), (F16, (256, 128, 2), (128, 1, 32768))]
QKV = (BF16, (1, 100, 2, 128), None)
ROWS = [
    ("ampere_elementwise_add", [(F32, (100, 300), None)] * 3),
    ("ampere_inline_ptx", [("i32", (32,), None), ("i8", (32,), None), ("i8", (32,), None), ("u8", (32,), None)]),
    ("ampere_smem_allocator", [(F32, (8, 4), None), (F32, (8, 2), None), (F32, (16, 2), None)]),
    ("ampere_tensorop_gemm", GEMM),
    ("ampere_sgemm", [(F32, (256, 64), (1, 256)), (F32, (128, 64), None), (F32, (256, 256), None)]),
    ("ampere_flash_attention_v2", [QKV] * 4 + [0.088]),
    ("blackwell_rmsnorm", [(BF16, (5, 4096), None), (BF16, (4096,), None), (BF16, (5, 4096), None), 5, 1e-5]),
    ("blackwell_programmatic_dependent_launch", [(F32, (100, 300), None)] * 3),
    ("blackwell_mla", [(F32, (128, 64, 2), (64, 1, 8192)), (E4M3, (128, 64, 2), (64, 1, 8192))]),
    ("hopper_fmha", [(F16, (4, 64, 2, 2, 2), (64, 1, 256, 512, 1024)), (F32, (4, 64, 2, 2, 2), (512, 8, 4, 1, 2))]),
    ("hopper_dense_gemm", [(F16, (128, 128, 1), (128, 1, 16384))] * 3),
    ("hopper_dense_gemm_persistent", [(F16, (128, 128, 1), (128, 1, 16384))] * 3),
]
NUMPY = {F32: np.float32, F16: np.float16, BF16: np.uint16, E4M3: np.uint8, "i32": np.int32, "i8": np.int8, "u8": np.uint8}


def array(kind, shape, strides, seed):
    """An array with these strides in elements, of small random numbers, or codes of them."""
    random = np.random.default_rng(seed)
    values = random.integers(-8, 8, shape) / 8
    dtype = np.dtype(NUMPY[kind])
    if kind == BF16:
        values = (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    elif kind == E4M3:
        values = random.integers(0, 120, shape)
    order = sorted(range(len(shape)), key=lambda i: -(strides[i] if strides else len(shape) - i))
    backing = np.zeros([shape[i] for i in order], dtype)
    view = backing.transpose(np.argsort(order))
    view[...] = values.astype(dtype)
    return view


def written(kind, view, path):
    np.save(path, np.ascontiguousarray(view))
    plain = kind in (F32, F16, "i32", "i8", "u8")
    strides = ",".join(str(s // view.itemsize) for s in view.strides)
    return f"{'' if plain else kind + ':'}{path}:stride={strides}"


class Corpus(unittest.TestCase):
    def compare(self, folder, rows):
        path = Path(os.environ["TESSERA_CORPUS"]) / folder / "input.mlir"
        given = [array(*row, seed) if isinstance(row, tuple) else row for seed, row in enumerate(rows)]
        with tempfile.TemporaryDirectory() as work:
            command, saved = [os.environ["TESSERA"], "run", path, "--device", "sim"], {}
            for i, (row, value) in enumerate(zip(rows, given)):
                is_array = isinstance(row, tuple)
                command += ["--arg", written(row[0], value, f"{work}/{i}.npy") if is_array else str(value)]
                if is_array:
                    saved[i] = f"{work}/out{i}.npy"
                    command += ["--save", f"{i}={saved[i]}"]
            ran = subprocess.run(command, capture_output=True, text=True)
            self.assertEqual(ran.returncode, 0, ran.stderr)
            before = [value.tobytes() if isinstance(value, np.ndarray) else None for value in given]
            tessera.load(path, device="sim")(*given)
            changed = 0
            for i, file in saved.items():
                self.assertEqual(given[i].tobytes(), np.load(file).tobytes(), f"{folder}, argument {i}")
                changed += given[i].tobytes() != before[i]
            self.assertGreater(changed, 0, f"{folder} wrote nothing")


def add(folder, rows):
    setattr(Corpus, f"test_{folder}", lambda self: self.compare(folder, rows))


for folder, rows in ROWS:
    add(folder, rows)

if __name__ == "__main__":
    unittest.main()
