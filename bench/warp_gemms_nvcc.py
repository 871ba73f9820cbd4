#!/usr/bin/env python3
"""GEMMs of warps beside what nvcc makes of CuTe C++ for the same tiles: registers, spills and instructions.

  bench/warp_gemms_nvcc.py TESSERA CUTLASS [TARGET]      CUTLASS: a checkout, whose examples/cute/tutorial/sgemm_sm80.cu has the kernel

The tutorial's kernel gets our tiles, stages, swizzles, products and warps. It has no edges, so that each tile has to be whole, and multiplies by
alpha and adds beta C, where ours is D = A B^T of any size. On sm_75, where CuTe C++ has no cp.async, it copies by loads and stores. Instructions
are those of ptxas 13.0; the loop is the one with the products, in PTX. Prints a table for docs/kernels/gemm.md.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import importlib.util
import re
import subprocess
import sys
import tempfile
from pathlib import Path

root = Path(__file__).resolve().parents[1]
spec = importlib.util.spec_from_file_location("code_hashes", root / "utils/code-hashes.py")
hashes = importlib.util.module_from_spec(spec)
spec.loader.exec_module(hashes)

# CuTe's name of a type, its part of an atom's name, bits; the type of D, alpha and beta.
TYPES = {"f16": ("half_t", "F16", 16, "half_t", "float"), "bf16": ("bfloat16_t", "BF16", 16, "float", "float"),
         "tf32": ("tfloat32_t", "TF32", 32, "float", "float"), "i8": ("int8_t", "S8", 8, "int32_t", "int32_t"),
         "f8E4M3FN": ("float_e4m3_t", "E4M3", 8, "half_t", "float")}
# Target, type, D, rows and columns of a tile, warps, stages.
ROWS = [("sm_75", "f16", "f16", 128, 128, 2, 4, 2), ("sm_80", "f16", "f16", 128, 128, 2, 2, 4), ("sm_80", "bf16", "f32", 128, 128, 2, 2, 4),
        ("sm_80", "tf32", "f32", 128, 128, 2, 2, 4), ("sm_80", "i8", "i32", 128, 128, 2, 2, 4), ("sm_80", "f16", "f16", 128, 256, 2, 4, 3),
        ("sm_80", "f16", "f16", 64, 64, 2, 2, 4), ("sm_86", "f16", "f16", 128, 128, 2, 2, 3), ("sm_89", "f8E4M3FN", "f16", 128, 128, 2, 2, 3), ("sm_120a", "f16", "f16", 128, 128, 2, 2, 3)]
COUNTS = {"mma.sync": r"mma\.sync", "ldmatrix": r"ldmatrix", "cp.async": r"cp\.async\.c[ag]"}


def instructions(ptx):
    """The instructions of the kernel with products, and those of its innermost loop with some."""
    text = next(part for part in re.split(r"(?m)(?=^\s*(?:\.visible |\.weak )?\.entry )", ptx)[1:] if "mma.sync" in part)
    text = re.sub(r"//[^\n]*", "", text)
    text = re.sub(r"(?m)^\s*(\$[\w$]+):", r";LABEL \1;", text[text.index("{") + 1:])
    labels, found = {}, []
    for line in (re.sub(r"^[\s{}]+", "", part).strip() for part in text.split(";")):
        if line.startswith("LABEL"):
            labels[line.split()[1]] = len(found)
        elif line and not line.startswith("."):
            found.append(line)
    loops = [found[labels[to[1]]:i + 1] for i, line in enumerate(found)
             if (to := re.search(r"bra(?:\.uni)?\s+(\$[\w$]+)$", line)) and labels.get(to[1], i + 1) <= i]
    return found, min((loop for loop in loops if any("mma.sync" in line for line in loop)), key=len)


def row(ptx, target, work):
    path = work / "kernel.ptx"
    path.write_text(ptx)
    said = subprocess.run(["ptxas", "-v", f"-arch={target}", "-O3", path, "-o", work / "kernel.cubin"], capture_output=True, text=True, check=True).stderr
    kernel, code, registers, _ = max(hashes.kernels((work / "kernel.cubin").read_bytes()), key=lambda k: len(k[1]))
    spills = sum(map(int, re.search(rf"properties for {kernel}\n.*?(\d+) bytes spill stores, (\d+) bytes spill loads", said).groups()))
    found, loop = instructions(ptx)
    return [registers, spills, *(sum(bool(re.search(pattern, line)) for line in found) for pattern in COUNTS.values()), len(loop), len(code) // 16]


def theirs(cutlass, target, kind, rows, columns, warps_m, warps_n, stages, work):
    element, name, bits, result, scalar = TYPES[kind]
    piece, threads = 128 // bits, 32 * warps_m * warps_n
    turing = target == "sm_75"
    of_k = (16 if turing else 32) * 8 // bits
    total = "S32" if kind == "i8" else "F32"
    atom = f"SM{75 if turing else 89 if name == 'E4M3' else 80}_16x8x{of_k}_{total}{name}{name}{total}_TN"
    copies = "UniversalCopy<uint128_t>" if turing else "SM80_CP_ASYNC_CACHEGLOBAL<uint128_t>"
    text = (cutlass / "examples/cute/tutorial/sgemm_sm80.cu").read_text()
    device = text[:re.search(r"template <class Alpha, class Beta>\s*void\s*gemm_nt", text).start()]
    # Rows, columns and elements of K that are permuted so that ldmatrix has four matrices.
    permuted = (32 * warps_m, 32 * warps_n, of_k) if turing else (16 * warps_m, 16 * warps_n, of_k)
    source = work / "theirs.cu"
    source.write_text(f"""{device}
#include <cute/arch/mma_sm89.hpp>
#include <cute/atom/mma_traits_sm89.hpp>
using namespace cute;
void product(int m, int n, int k, {element} const *a, int lda, {element} const *b, int ldb, {result} *c, int ldc, {scalar} alpha, {scalar} beta) {{
  auto bM = Int<{rows}>{{}}; auto bN = Int<{columns}>{{}}; auto bK = Int<{4 * piece}>{{}}; auto bP = Int<{stages}>{{}};
  auto swizzled = composition(Swizzle<2, {piece.bit_length() - 1}, 3>{{}}, Layout<Shape<_8, Shape<Int<{piece}>, _4>>, Stride<Int<{4 * piece}>, Stride<_1, Int<{piece}>>>>{{}});
  auto sA = tile_to_shape(swizzled, make_shape(bM, bK, bP));
  auto sB = tile_to_shape(swizzled, make_shape(bN, bK, bP));
  auto sC = make_layout(make_shape(bM, bN));
  auto copies = make_tiled_copy(Copy_Atom<{copies}, {element}>{{}}, Layout<Shape<Int<{threads // 4}>, _4>, Stride<_4, _1>>{{}}, Layout<Shape<_1, Int<{piece}>>>{{}});
  auto mma = make_tiled_mma({atom}{{}}, Layout<Shape<Int<{warps_m}>, Int<{warps_n}>>>{{}}, Tile<{', '.join(f'Int<{n}>' for n in permuted)}>{{}});
  Copy_Atom<SM75_U32x4_LDSM_N, {element}> s2r;
  gemm_device<<<dim3(1, 1), int(size(mma)), 0>>>(make_shape(m, n, k), make_shape(bM, bN, bK), a, make_stride(lda, Int<1>{{}}), sA, copies, s2r, b,
      make_stride(ldb, Int<1>{{}}), sB, copies, s2r, c, make_stride(ldc, Int<1>{{}}), sC, mma, alpha, beta);
}}
""")
    include = [f"-I{cutlass}/{folder}" for folder in ("include", "tools/util/include", "examples/common")]
    done = subprocess.run(["nvcc", "-std=c++17", f"-arch={target}", *include, "--expt-relaxed-constexpr", "-ptx", "-o", work / "theirs.ptx", source],
                          capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"nvcc for {target} and {kind}:\n{done.stderr}")
    return (work / "theirs.ptx").read_text()


def ours(tessera, target, kind, d, rows, columns, stages, work):
    file, ptx = work / "ours.mlir", work / "ours.ptx"
    subprocess.run([tessera, "generate", "gemm", "--arch", target, "--ab", kind, "--d", d, "--tile-m", str(rows), "--tile-n", str(columns), "--stages", str(stages), "-o", file],
                   check=True)
    subprocess.run([tessera, "compile", file, "--arch", target, "--emit", "ptx", "--no-cache", "--no-line-info", "-o", ptx], check=True)
    return ptx.read_text()


def main():
    tessera, cutlass = sys.argv[1], Path(sys.argv[2])
    print(f"| target, type, tile, stages | by | registers | spills | {' | '.join(COUNTS)} | PTX of the loop | machine instructions |\n|---|---|{'---|' * (len(COUNTS) + 4)}")
    with tempfile.TemporaryDirectory() as folder:
        for target, kind, d, rows, columns, warps_m, warps_n, stages in ROWS:
            if len(sys.argv) > 3 and target != sys.argv[3]:
                continue
            work = Path(folder)
            for who, ptx in (("Tessera", ours(tessera, target, kind, d, rows, columns, stages, work)),
                             ("nvcc", theirs(cutlass, target, kind, rows, columns, warps_m, warps_n, stages, work))):
                what = f"{target}, {kind}, {rows} x {columns}, {stages}" if who == "Tessera" else ""
                print(f"| {what} | {who} | {' | '.join(map(str, row(ptx, target, work)))} |", flush=True)


if __name__ == "__main__":
    main()
