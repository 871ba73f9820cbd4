// Cases: what moves and computes values: warps, arithmetic, conversions, vectors, tuples.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Cases.h"

namespace tessera::import::test {

const std::vector<Case> warpCases = {
    // As CuTe DSL's lowering and as LLVM 22 spell it.
    {"nvvm.ldmatrix", "",
     R"(%0 = "nvvm.ldmatrix"(%p) <{layout = #nvvm.mma_layout<col>, num = 4 : i32, shape = #nvvm.load_shape<m8n8>, srcFormat = #nvvm.load_src_format<b8>}> : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>)",
     "%0 = nvvm.ldmatrix %p {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = "
     "#nvvm.mma_layout<col>, num = 4 : i32, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>} : "
     "(!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>",
     sm80, "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16"},
    {"nvvm.ldmatrix",
     "%0 = nvvm.ldmatrix %p {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = "
     "#nvvm.mma_layout<row>, num = 1 : i32, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>} : "
     "(!llvm.ptr<3>) -> i32",
     R"(%0 = "nvvm.ldmatrix"(%p) <{eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, num = 1 : i32, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>}> : (!llvm.ptr<3>) -> i32)",
     "%0 = nvvm.ldmatrix %p {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = "
     "#nvvm.mma_layout<row>, num = 1 : i32, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>} : "
     "(!llvm.ptr<3>) -> i32",
     sm80, "ldmatrix.sync.aligned.m8n8.x1.shared.b16"},
    {"nvvm.ldmatrix", "",
     R"(%0 = "nvvm.ldmatrix"(%p) <{layout = #nvvm.mma_layout<col>, num = 1 : i32, shape = #nvvm.load_shape<m16n16>, srcFormat = #nvvm.load_src_format<b8>}> : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32)>)",
     "%0 = nvvm.ldmatrix %p {eltType = #nvvm.ld_st_matrix_elt_type<b8>, layout = "
     "#nvvm.mma_layout<col>, num = 1 : i32, shape = #nvvm.ld_st_matrix_shape<m = 16, n = 16>} : "
     "(!llvm.ptr<3>) -> !llvm.struct<(i32, i32)>",
     sm100, "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8"},
    {"nvvm.ldmatrix", "",
     R"(%0 = "nvvm.ldmatrix"(%p) <{layout = #nvvm.mma_layout<row>, num = 2 : i32, shape = #nvvm.load_shape<m8n16>, srcFormat = #nvvm.load_src_format<b4x16_p64>}> : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32)>)",
     "%0 = nvvm.ldmatrix %p {eltType = #nvvm.ld_st_matrix_elt_type<b8x16.b4x16_p64>, layout = "
     "#nvvm.mma_layout<row>, num = 2 : i32, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 16>} : "
     "(!llvm.ptr<3>) -> !llvm.struct<(i32, i32)>",
     sm100, "ldmatrix.sync.aligned.m8n16.x2.shared.b8x16.b4x16_p64"},
    {"nvvm.stmatrix", "",
     R"("nvvm.stmatrix"(%p, %i, %j) <{layout = #nvvm.mma_layout<row>, shape = #nvvm.store_shape<m8n8>}> : (!llvm.ptr<3>, i32, i32) -> ())",
     "nvvm.stmatrix %p, %i, %j {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = "
     "#nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>} : "
     "!llvm.ptr<3>, i32, i32",
     sm90, "stmatrix.sync.aligned.m8n8.x2.shared.b16"},
    {"nvvm.stmatrix",
     "nvvm.stmatrix %p, %i, %j {eltType = #nvvm.ld_st_matrix_elt_type<b8>, layout = "
     "#nvvm.mma_layout<col>, shape = #nvvm.ld_st_matrix_shape<m = 16, n = 8>} : "
     "!llvm.ptr<3>, i32, i32",
     R"("nvvm.stmatrix"(%p, %i, %j) <{layout = #nvvm.mma_layout<col>, shape = #nvvm.store_shape<m16n8>}> : (!llvm.ptr<3>, i32, i32) -> ())",
     "nvvm.stmatrix %p, %i, %j {eltType = #nvvm.ld_st_matrix_elt_type<b8>, layout = "
     "#nvvm.mma_layout<col>, shape = #nvvm.ld_st_matrix_shape<m = 16, n = 8>} : "
     "!llvm.ptr<3>, i32, i32",
     sm100, "stmatrix.sync.aligned.m16n8.x2.trans.shared.b8"},
    {"nvvm.movmatrix", "",
     R"(%0 = "nvvm.movmatrix"(%i) <{eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<col>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>}> : (i32) -> i32)",
     R"(%0 = llvm.inline_asm asm_dialect = att "movmatrix.sync.aligned.m8n8.trans.b16 $0, $1;", "=r,r" %i : (i32) -> i32)",
     sm80, "movmatrix.sync.aligned.m8n8.trans.b16"},
    {"nvvm.bar.warp.sync", "nvvm.bar.warp.sync %i : i32",
     R"("nvvm.bar.warp.sync"(%i) : (i32) -> ())", "nvvm.bar.warp.sync %i : i32", sm80,
     "bar.warp.sync"},
    {"nvvm.elect.sync", "%0 = nvvm.elect.sync -> i1", R"(%0 = "nvvm.elect.sync"() : () -> i1)",
     "%0 = nvvm.elect.sync -> i1", sm90, "elect.sync"},
    {"nvvm.elect.sync", "%0 = nvvm.elect.sync %i -> i1",
     R"(%0 = "nvvm.elect.sync"(%i) : (i32) -> i1)", "%0 = nvvm.elect.sync %i -> i1", sm90,
     "elect.sync"},
    {"nvvm.shfl.sync", "%0 = nvvm.shfl.sync  bfly %i, %f, %j, %k : f32 -> f32",
     R"(%0 = "nvvm.shfl.sync"(%i, %f, %j, %k) <{kind = #nvvm<shfl_kind bfly>}> : (i32, f32, i32, i32) -> f32)",
     "%0 = nvvm.shfl.sync bfly %i, %f, %j, %k : f32 -> f32", sm80, "shfl.sync.bfly.b32"},
    {"nvvm.shfl.sync", "%0 = nvvm.shfl.sync idx %i, %j, %j, %k : i32 -> i32",
     R"(%0 = "nvvm.shfl.sync"(%i, %j, %j, %k) <{kind = #nvvm<shfl_kind idx>}> : (i32, i32, i32, i32) -> i32)",
     "%0 = nvvm.shfl.sync idx %i, %j, %j, %k : i32 -> i32", sm80, "shfl.sync.idx.b32"},
    {"nvvm.vote.ballot.sync", "%0 = nvvm.vote.ballot.sync %i, %b : i32",
     R"(%0 = "nvvm.vote.ballot.sync"(%i, %b) : (i32, i1) -> i32)",
     "%0 = nvvm.vote.sync ballot %i, %b -> i32", sm80, "vote.sync.ballot.b32"},
    {"nvvm.redux.sync", "%0 = nvvm.redux.sync add %i, %j : i32 -> i32",
     R"(%0 = "nvvm.redux.sync"(%i, %j) <{kind = #nvvm<redux_kind add>}> : (i32, i32) -> i32)",
     "%0 = nvvm.redux.sync add %i, %j : i32 -> i32", sm80, "redux.sync.add.s32"},
};

const std::vector<Case> arithmeticCases = {
    // To nearest: arithmetic that LLVM knows. Else the instruction, spelled out.
    {"nvvm.add.packed.f32x2",
     "%0 = nvvm.add.packed.f32x2 %x, %y {ftz = false, rnd = #nvvm.rnd<rn>}"
     " : vector<2xf32>, vector<2xf32> -> vector<2xf32>",
     R"(%0 = "nvvm.add.packed.f32x2"(%x, %y) <{ftz = false, rnd = #nvvm.rnd<rn>}>
        : (vector<2xf32>, vector<2xf32>) -> vector<2xf32>)",
     "%0 = arith.addf %x, %y : vector<2xf32>", sm100, "add.rn.f32x2"},
    {"nvvm.add.packed.f32x2",
     "%0 = nvvm.add.packed.f32x2 %x, %y {ftz = true, rnd = #nvvm.rnd<rz>}"
     " : vector<2xf32>, vector<2xf32> -> vector<2xf32>",
     R"(%0 = "nvvm.add.packed.f32x2"(%x, %y) <{ftz = true, rnd = #nvvm.rnd<rz>}>
        : (vector<2xf32>, vector<2xf32>) -> vector<2xf32>)",
     "%0 = llvm.bitcast %x : vector<2xf32> to i64\n%1 = llvm.bitcast %y : vector<2xf32> to i64\n"
     R"(%2 = llvm.inline_asm asm_dialect = att "add.rz.ftz.f32x2 $0, $1, $2;", "=l,l,l" %0, %1 : (i64, i64) -> i64)"
     "\n%3 = llvm.bitcast %2 : i64 to vector<2xf32>",
     sm100, "add.rz.ftz.f32x2"},
    {"nvvm.sub.packed.f32x2",
     "%0 = nvvm.sub.packed.f32x2 %x, %y : vector<2xf32>, vector<2xf32> -> vector<2xf32>",
     R"(%0 = "nvvm.sub.packed.f32x2"(%x, %y) : (vector<2xf32>, vector<2xf32>) -> vector<2xf32>)",
     "%0 = arith.subf %x, %y : vector<2xf32>", sm100, "sub"},
    {"nvvm.mul.packed.f32x2",
     "%0 = nvvm.mul.packed.f32x2 %x, %y {ftz = false, rnd = #nvvm.rnd<rn>}"
     " : vector<2xf32>, vector<2xf32> -> vector<2xf32>",
     R"(%0 = "nvvm.mul.packed.f32x2"(%x, %y) <{ftz = false, rnd = #nvvm.rnd<rn>}>
        : (vector<2xf32>, vector<2xf32>) -> vector<2xf32>)",
     "%0 = arith.mulf %x, %y : vector<2xf32>", sm100, "mul.rn.f32x2"},
    {"nvvm.mul.packed.f32x2",
     "%0 = nvvm.mul.packed.f32x2 %x, %y {ftz = true, rnd = #nvvm.rnd<rn>}"
     " : vector<2xf32>, vector<2xf32> -> vector<2xf32>",
     R"(%0 = "nvvm.mul.packed.f32x2"(%x, %y) <{ftz = true, rnd = #nvvm.rnd<rn>}>
        : (vector<2xf32>, vector<2xf32>) -> vector<2xf32>)",
     "%0 = llvm.bitcast %x : vector<2xf32> to i64\n%1 = llvm.bitcast %y : vector<2xf32> to i64\n"
     R"(%2 = llvm.inline_asm asm_dialect = att "mul.rn.ftz.f32x2 $0, $1, $2;", "=l,l,l" %0, %1 : (i64, i64) -> i64)"
     "\n%3 = llvm.bitcast %2 : i64 to vector<2xf32>",
     sm100, "mul.rn.ftz.f32x2"},
    {"nvvm.fma.packed.f32x2",
     "%0 = nvvm.fma.packed.f32x2 %x, %y, %z {ftz = false, rnd = #nvvm.rnd<rn>}"
     " : vector<2xf32>, vector<2xf32>, vector<2xf32> -> vector<2xf32>",
     R"(%0 = "nvvm.fma.packed.f32x2"(%x, %y, %z) <{ftz = false, rnd = #nvvm.rnd<rn>}>
        : (vector<2xf32>, vector<2xf32>, vector<2xf32>) -> vector<2xf32>)",
     "%0 = math.fma %x, %y, %z : vector<2xf32>", sm100, "fma.rn.f32x2"},
    {"nvvm.fma.packed.f32x2",
     "%0 = nvvm.fma.packed.f32x2 %x, %y, %z {ftz = false, rnd = #nvvm.rnd<rp>}"
     " : vector<2xf32>, vector<2xf32>, vector<2xf32> -> vector<2xf32>",
     R"(%0 = "nvvm.fma.packed.f32x2"(%x, %y, %z) <{ftz = false, rnd = #nvvm.rnd<rp>}>
        : (vector<2xf32>, vector<2xf32>, vector<2xf32>) -> vector<2xf32>)",
     "%0 = llvm.bitcast %x : vector<2xf32> to i64\n%1 = llvm.bitcast %y : vector<2xf32> to i64\n"
     "%2 = llvm.bitcast %z : vector<2xf32> to i64\n"
     R"(%3 = llvm.inline_asm asm_dialect = att "fma.rp.f32x2 $0, $1, $2, $3;", "=l,l,l,l" %0, %1, %2)"
     " : (i64, i64, i64) -> i64\n%4 = llvm.bitcast %3 : i64 to vector<2xf32>",
     sm100, "fma.rp.f32x2"},
    {"nvvm.fmax", "%0 = nvvm.fmax %f, %g", R"(%0 = "nvvm.fmax"(%f, %g) : (f32, f32) -> f32)",
     R"(%0 = llvm.call_intrinsic "llvm.nvvm.fmax.f"(%f, %g) : (f32, f32) -> f32)", sm80, "max.f32"},
    {"nvvm.fmax", "%0 = nvvm.fmax %f, %g, %e",
     R"(%0 = "nvvm.fmax"(%f, %g, %e) : (f32, f32, f32) -> f32)",
     "%0 = llvm.call_intrinsic \"llvm.nvvm.fmax.f\"(%f, %g) : (f32, f32) -> f32\n"
     "%1 = llvm.call_intrinsic \"llvm.nvvm.fmax.f\"(%0, %e) : (f32, f32) -> f32",
     sm80, "max.f32"},
    {"nvvm.addf", "", R"(%0 = "nvvm.addf"(%f, %g) : (f32, f32) -> f32)",
     R"(%0 = arith.addf %f, %g : f32)", sm80, "add.rn.f32"},
    {"nvvm.addf", "",
     R"(%0 = "nvvm.addf"(%f, %g) <{ftz = true, rnd = #nvvm.fp_rnd_mode<rz>, sat = #nvvm.sat_mode<sat>}> : (f32, f32) -> f32)",
     R"(%0 = llvm.inline_asm asm_dialect = att "add.rz.ftz.sat.f32 $0, $1, $2;", "=f,f,f" %f, %g : (f32, f32) -> f32)",
     sm80, "add.rz.ftz.sat.f32"},
    {"nvvm.subf", "",
     R"(%0 = "nvvm.subf"(%f, %g) <{rnd = #nvvm.fp_rnd_mode<rm>}> : (f32, f32) -> f32)",
     R"(%0 = llvm.inline_asm asm_dialect = att "sub.rm.f32 $0, $1, $2;", "=f,f,f" %f, %g : (f32, f32) -> f32)",
     sm80, "sub.rm.f32"},
    {"nvvm.fma", "",
     R"(%0 = "nvvm.fma"(%f, %g, %e) <{rnd = #nvvm.fp_rnd_mode<rn>}> : (f32, f32, f32) -> f32)",
     R"(%0 = math.fma %f, %g, %e : f32)", sm80, "fma.rn.f32"},
    {"nvvm.fma", "",
     R"(%0 = "nvvm.fma"(%f, %g, %e) <{ftz = true, rnd = #nvvm.fp_rnd_mode<rp>}> : (f32, f32, f32) -> f32)",
     R"(%0 = llvm.inline_asm asm_dialect = att "fma.rp.ftz.f32 $0, $1, $2, $3;", "=f,f,f,f" %f, %g, %e : (f32, f32, f32) -> f32)",
     sm80, "fma.rp.ftz.f32"},
    {"nvvm.fabs", "", R"(%0 = "nvvm.fabs"(%f) : (f32) -> f32)", R"(%0 = math.absf %f : f32)", sm80,
     "abs.f32"},
    {"nvvm.fabs", "", R"(%0 = "nvvm.fabs"(%f) <{ftz = true}> : (f32) -> f32)",
     R"(%0 = llvm.inline_asm asm_dialect = att "abs.ftz.f32 $0, $1;", "=f,f" %f : (f32) -> f32)",
     sm80, "abs.ftz.f32"},
    {"nvvm.mul", "", R"(%0 = "nvvm.mul"(%i, %j) <{mode = #nvvm<mul_mode lo>}> : (i32, i32) -> i32)",
     R"(%0 = arith.muli %i, %j : i32)", sm80, "mul.lo"},
    {"nvvm.mul", "%0 = nvvm.mul  hi %i, %j {isSigned = false} : i32 -> i32",
     R"(%0 = "nvvm.mul"(%i, %j) <{isSigned = false, mode = #nvvm<mul_mode hi>}> : (i32, i32) -> i32)",
     R"(%low, %high = arith.mului_extended %i, %j : i32)", sm80, "mul.wide.u32"},
    {"nvvm.mul", "",
     R"(%0 = "nvvm.mul"(%i, %j) <{isSigned = true, mode = #nvvm<mul_mode wide>}> : (i32, i32) -> i64)",
     R"(%0 = arith.extsi %i : i32 to i64)"
     "\n"
     R"(%1 = arith.extsi %j : i32 to i64)"
     "\n"
     R"(%2 = arith.muli %0, %1 : i64)",
     sm80, "mul.wide.s32"},
    {"nvvm.ex2", "", R"(%0 = "nvvm.ex2"(%f) <{ftz = true}> : (f32) -> f32)",
     R"(%0 = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%f) : (f32) -> f32)", sm80,
     "ex2.approx.ftz.f32"},
    {"nvvm.ex2", "", R"(%0 = "nvvm.ex2"(%f) : (f32) -> f32)",
     R"(%0 = llvm.call_intrinsic "llvm.nvvm.ex2.approx.f32"(%f) : (f32) -> f32)", sm80,
     "ex2.approx.f32"},
    {"nvvm.log2", "", R"(%0 = "nvvm.log2"(%f) : (f32) -> f32)",
     R"(%0 = llvm.call_intrinsic "llvm.nvvm.lg2.approx.f"(%f) : (f32) -> f32)", sm80,
     "lg2.approx.f32"},
    {"nvvm.sin", "", R"(%0 = "nvvm.sin"(%f) <{ftz = false}> : (f32) -> f32)",
     R"(%0 = llvm.call_intrinsic "llvm.nvvm.sin.approx.f"(%f) : (f32) -> f32)", sm80,
     "sin.approx.f32"},
    {"nvvm.cos", "", R"(%0 = "nvvm.cos"(%f) <{ftz = true}> : (f32) -> f32)",
     R"(%0 = llvm.call_intrinsic "llvm.nvvm.cos.approx.ftz.f"(%f) : (f32) -> f32)", sm80,
     "cos.approx.ftz.f32"},
    {"nvvm.rsqrt", "", R"(%0 = "nvvm.rsqrt"(%f) : (f32) -> f32)",
     R"(%0 = llvm.call_intrinsic "llvm.nvvm.rsqrt.approx.f"(%f) : (f32) -> f32)", sm80,
     "rsqrt.approx.f32"},
    {"nvvm.fmax", "", R"(%0 = "nvvm.fmax"(%f, %g) <{ftz = true, nan = true}> : (f32, f32) -> f32)",
     R"(%0 = llvm.call_intrinsic "llvm.nvvm.fmax.ftz.nan.f"(%f, %g) : (f32, f32) -> f32)", sm80,
     "max.ftz.NaN.f32"},
    {"nvvm.fmin", "", R"(%0 = "nvvm.fmin"(%f, %g) <{nan = true}> : (f32, f32) -> f32)",
     R"(%0 = llvm.call_intrinsic "llvm.nvvm.fmin.nan.f"(%f, %g) : (f32, f32) -> f32)", sm80,
     "min.NaN.f32"},
    {"nvvm.fmin", "%0 = nvvm.fmin %f, %g", R"(%0 = "nvvm.fmin"(%f, %g) : (f32, f32) -> f32)",
     R"(%0 = llvm.call_intrinsic "llvm.nvvm.fmin.f"(%f, %g) : (f32, f32) -> f32)", sm80, "min.f32"},
    {"nvvm.rcp.approx.ftz.f", "%0 = nvvm.rcp.approx.ftz.f %f : f32",
     R"(%0 = "nvvm.rcp.approx.ftz.f"(%f) : (f32) -> f32)", "%0 = nvvm.rcp.approx.ftz.f %f : f32",
     sm80, "rcp.approx.ftz.f32"},
    // Operand 0 becomes the upper half, as in PTX.
    {"nvvm.cvt.packfloat.f32", "",
     R"(%none8 = "arith.constant"() <{value = 0 : i32}> : () -> i32)"
     "\n"
     R"(%0 = "nvvm.cvt.packfloat.f32"(%f, %g, %none8) <{extractHi = false, relu = false, rnd = #nvvm.rnd<rn>, sat = #nvvm.sat<satfinite>, to = #nvvm.packfloat_type<e4m3x2>}> : (f32, f32, i32) -> i32)",
     "%c0_i32 = arith.constant 0 : i32\n"
     "%0 = nvvm.convert.f32x2.to.f8x2 %f, %g {rnd = #nvvm.fp_rnd_mode<rn>, sat = "
     "#nvvm.sat_mode<satfinite>} : i16(f8E4M3FN)\n"
     "%1 = arith.extui %0 : i16 to i32",
     "sm_89 81", "cvt.rn.satfinite.e4m3x2.f32"},
    {"nvvm.cvt.packfloat.f32", "",
     R"(%none4 = "arith.constant"() <{value = 0 : i32}> : () -> i32)"
     "\n"
     R"(%0 = "nvvm.cvt.packfloat.f32"(%f, %g, %none4) <{extractHi = false, relu = true, rnd = #nvvm.rnd<rn>, sat = #nvvm.sat<satfinite>, to = #nvvm.packfloat_type<e2m1x2>}> : (f32, f32, i32) -> i32)",
     "%c0_i32 = arith.constant 0 : i32\n"
     "%0 = nvvm.convert.f32x2.to.f4x2 %f, %g {relu = true} : i8(f4E2M1FN)\n"
     "%1 = arith.extui %0 : i8 to i32",
     sm100, "cvt.rn.satfinite.relu.e2m1x2.f32"},
    // Two values a word, the second in the upper half.
    {"nvgpu.cvt_fptrunc", "%0 = nvgpu.cvt_fptrunc %r4 : vector<4xf32> to vector<4xbf16>",
     R"(%0 = "nvgpu.cvt_fptrunc"(%r4) : (vector<4xf32>) -> vector<4xbf16>)",
     "%0 = arith.truncf %r4 : vector<4xf32> to vector<4xbf16>", sm80, "cvt.rn.bf16x2.f32"},
    {"nvgpu.cvt_fpext", "%0 = nvgpu.cvt_fpext %h2 : vector<2xf16> to vector<2xf32>",
     R"(%0 = "nvgpu.cvt_fpext"(%h2) : (vector<2xf16>) -> vector<2xf32>)",
     "%0 = arith.extf %h2 : vector<2xf16> to vector<2xf32>", sm80, "cvt.f32.f16"},
    {"nvgpu.cvt_fpext", "",
     R"(%1 = "vector.bitcast"(%x) : (vector<2xf32>) -> vector<8xf8E4M3FN>)"
     "\n"
     R"(%2 = "vector.extract_strided_slice"(%1) <{offsets = [0], sizes = [4], strides = [1]}> : (vector<8xf8E4M3FN>) -> vector<4xf8E4M3FN>)"
     "\n"
     R"(%0 = "nvgpu.cvt_fpext"(%2) : (vector<4xf8E4M3FN>) -> vector<4xf32>)",
     R"(%0 = vector.bitcast %x : vector<2xf32> to vector<8xf8E4M3FN>)"
     "\n"
     R"(%1 = vector.extract_strided_slice %0 {offsets = [0], sizes = [4], strides = [1]} : vector<8xf8E4M3FN> to vector<4xf8E4M3FN>)"
     "\n"
     R"(%2 = vector.bitcast %1 : vector<4xf8E4M3FN> to vector<2xi16>)"
     "\n"
     R"(%3 = vector.extract %2[0] : i16 from vector<2xi16>)"
     "\n"
     R"(%4 = vector.from_elements %3 : vector<1xi16>)"
     "\n"
     R"(%5 = vector.bitcast %4 : vector<1xi16> to vector<2xi8>)"
     "\n"
     R"(%6 = nvvm.convert.f8x2.to.f16x2 %5 : vector<2xi8>(f8E4M3FN) -> vector<2xf16>)"
     "\n"
     R"(%7 = vector.extract %6[0] : f16 from vector<2xf16>)"
     "\n"
     R"(%8 = vector.extract %6[1] : f16 from vector<2xf16>)"
     "\n"
     R"(%9 = vector.extract %2[1] : i16 from vector<2xi16>)"
     "\n"
     R"(%10 = vector.from_elements %9 : vector<1xi16>)"
     "\n"
     R"(%11 = vector.bitcast %10 : vector<1xi16> to vector<2xi8>)"
     "\n"
     R"(%12 = nvvm.convert.f8x2.to.f16x2 %11 : vector<2xi8>(f8E4M3FN) -> vector<2xf16>)"
     "\n"
     R"(%13 = vector.extract %12[0] : f16 from vector<2xf16>)"
     "\n"
     R"(%14 = vector.extract %12[1] : f16 from vector<2xf16>)"
     "\n"
     R"(%15 = vector.from_elements %7, %8, %13, %14 : vector<4xf16>)"
     "\n"
     R"(%16 = arith.extf %15 : vector<4xf16> to vector<4xf32>)",
     sm90, "cvt.rn.f16x2.e4m3x2"},
    {"nvgpu.cvt_fpext", "",
     R"(%1 = "vector.bitcast"(%x) : (vector<2xf32>) -> vector<16xf4E2M1FN>)"
     "\n"
     R"(%2 = "vector.extract_strided_slice"(%1) <{offsets = [0], sizes = [2], strides = [1]}> : (vector<16xf4E2M1FN>) -> vector<2xf4E2M1FN>)"
     "\n"
     R"(%0 = "nvgpu.cvt_fpext"(%2) : (vector<2xf4E2M1FN>) -> vector<2xf16>)",
     R"(%0 = vector.bitcast %x : vector<2xf32> to vector<16xf4E2M1FN>)"
     "\n"
     R"(%1 = vector.extract_strided_slice %0 {offsets = [0], sizes = [2], strides = [1]} : vector<16xf4E2M1FN> to vector<2xf4E2M1FN>)"
     "\n"
     R"(%2 = vector.bitcast %1 : vector<2xf4E2M1FN> to vector<1xi8>)"
     "\n"
     R"(%3 = vector.extract %2[0] : i8 from vector<1xi8>)"
     "\n"
     R"(%4 = nvvm.convert.f4x2.to.f16x2 %3 : i8(f4E2M1FN) -> vector<2xf16>)"
     "\n"
     R"(%5 = vector.extract %4[0] : f16 from vector<2xf16>)"
     "\n"
     R"(%6 = vector.extract %4[1] : f16 from vector<2xf16>)"
     "\n"
     R"(%7 = vector.from_elements %5, %6 : vector<2xf16>)",
     sm100, "cvt.rn.f16x2.e2m1x2"},
    {"nvgpu.cvt_fptrunc", "%0 = nvgpu.cvt_fptrunc %r4 : vector<4xf32> to vector<4xf8E4M3FN>",
     R"(%0 = "nvgpu.cvt_fptrunc"(%r4) <{packed_kind = #nvgpu.subbytes_packedkind<compact>,
        rnd = #nvgpu.rnd<rn>}> : (vector<4xf32>) -> vector<4xf8E4M3FN>)",
     "%0 = vector.extract %r4[0] : f32 from vector<4xf32>\n%1 = vector.extract %r4[1] : f32 from "
     "vector<4xf32>\n"
     "%2 = nvvm.convert.f32x2.to.f8x2 %1, %0 {rnd = #nvvm.fp_rnd_mode<rn>, sat = "
     "#nvvm.sat_mode<satfinite>}"
     " : i16(f8E4M3FN)\n"
     "%3 = vector.extract %r4[2] : f32 from vector<4xf32>\n%4 = vector.extract %r4[3] : f32 from "
     "vector<4xf32>\n"
     "%5 = nvvm.convert.f32x2.to.f8x2 %4, %3 {rnd = #nvvm.fp_rnd_mode<rn>, sat = "
     "#nvvm.sat_mode<satfinite>}"
     " : i16(f8E4M3FN)\n"
     "%6 = vector.from_elements %2, %5 : vector<2xi16>\n"
     "%7 = vector.bitcast %6 : vector<2xi16> to vector<4xf8E4M3FN>",
     "sm_89 81", "cvt.rn.satfinite.e4m3x2.f32"},
    {"nvgpu.cvt_fptrunc", "%0 = nvgpu.cvt_fptrunc %x : vector<2xf32> to vector<2xf4E2M1FN>",
     R"(%0 = "nvgpu.cvt_fptrunc"(%x) <{packed_kind = #nvgpu.subbytes_packedkind<compact>,
        rnd = #nvgpu.rnd<rn>}> : (vector<2xf32>) -> vector<2xf4E2M1FN>)",
     "%0 = vector.extract %x[0] : f32 from vector<2xf32>\n%1 = vector.extract %x[1] : f32 from "
     "vector<2xf32>\n"
     "%2 = nvvm.convert.f32x2.to.f4x2 %1, %0 : i8(f4E2M1FN)\n"
     "%3 = vector.from_elements %2 : vector<1xi8>\n%4 = vector.bitcast %3 : vector<1xi8> to "
     "vector<2xf4E2M1FN>",
     sm100, "cvt.rn.satfinite.e2m1x2.f32"},
    {"nvgpu.cvt_fptrunc", "%0 = nvgpu.cvt_fptrunc %h2 : vector<2xf16> to vector<2xf8E5M2>",
     R"(%0 = "nvgpu.cvt_fptrunc"(%h2) : (vector<2xf16>) -> vector<2xf8E5M2>)",
     "%0 = arith.extf %h2 : vector<2xf16> to vector<2xf32>\n"
     "%1 = vector.extract %0[0] : f32 from vector<2xf32>\n%2 = vector.extract %0[1] : f32 from "
     "vector<2xf32>\n"
     "%3 = nvvm.convert.f32x2.to.f8x2 %2, %1 {rnd = #nvvm.fp_rnd_mode<rn>, sat = "
     "#nvvm.sat_mode<satfinite>}"
     " : i16(f8E5M2)\n"
     "%4 = vector.from_elements %3 : vector<1xi16>\n%5 = vector.bitcast %4 : vector<1xi16> to "
     "vector<2xf8E5M2>",
     "sm_89 81", "cvt.rn.satfinite.e5m2x2.f32"},
};

const std::vector<Case> vectorCases = {
    {"vector.splat", "%0 = vector.splat %f : vector<16xf32>",
     R"(%0 = "vector.splat"(%f) : (f32) -> vector<16xf32>)",
     "%0 = vector.broadcast %f : f32 to vector<16xf32>", sm80, "st"},
    {"vector.extractelement", "%0 = vector.extractelement %r4[%i : i32] : vector<4xf32>",
     R"(%0 = "vector.extractelement"(%r4, %i) : (vector<4xf32>, i32) -> f32)",
     "%0 = arith.index_cast %i : i32 to index\n%1 = vector.extract %r4[%0] : f32 from "
     "vector<4xf32>",
     sm80, "st"},
    {"vector.insertelement", "%0 = vector.insertelement %f, %r4[%i : i32] : vector<4xf32>",
     R"(%0 = "vector.insertelement"(%f, %r4, %i) : (f32, vector<4xf32>, i32) -> vector<4xf32>)",
     "%0 = arith.index_cast %i : i32 to index\n%1 = vector.insert %f, %r4 [%0] : f32 into "
     "vector<4xf32>",
     sm80, "st"},
};

const std::vector<Case>
    cuteCases =
        {
            {"cute.tuple.product",
             R"mlir(%0 = cute.tuple.product(%s) : (!cute.int_tuple<"((2,3),4)">) -> !cute.int_tuple<"24">)mlir",
             R"mlir(%0 = "cute.tuple.product"(%s) : (!cute.int_tuple<"((2,3),4)">) -> !cute.int_tuple<"24">)mlir",
             R"mlir(%0 = cute.tuple_product(%s) : (!cute.int_tuple<"((2,3),4)">) -> !cute.int_tuple<"24">)mlir"},
            {"cute.tuple.product_each",
             R"mlir(%0 = cute.tuple.product_each(%s) : (!cute.int_tuple<"((2,3),4)">) -> !cute.int_tuple<"(6,4)">)mlir",
             R"mlir(%0 = "cute.tuple.product_each"(%s) : (!cute.int_tuple<"((2,3),4)">) -> !cute.int_tuple<"(6,4)">)mlir",
             R"mlir(%0 = cute.tuple_product_each(%s) : (!cute.int_tuple<"((2,3),4)">) -> !cute.int_tuple<"(6,4)">)mlir"},
            {"cute.kernel_smem_size", R"mlir(%0 = cute.kernel_smem_size @kernels::@k : i64)mlir",
             R"mlir(%0 = "cute.kernel_smem_size"() <{kernel_name = @kernels::@k}> : () -> i64)mlir",
             "%c0_i64 = arith.constant 0 : i64"},
            // What a function allocates in shared memory is a part of one array:
            // SharedMemoryTest.cpp.
            {"cute_nvgpu.arch.alloc_smem",
             R"mlir(%0 = cute_nvgpu.arch.alloc_smem(96) : !cute.ptr<f32, smem, align<16>>)mlir",
             R"mlir(%0 = "cute_nvgpu.arch.alloc_smem"() <{input = 96 : i32}> : () -> !cute.ptr<f32, smem, align<16>>)mlir",
             R"mlir(%0 = llvm.mlir.addressof @k_smem : !llvm.ptr<3>
%1 = builtin.unrealized_conversion_cast %0 : !llvm.ptr<3> to !cute.ptr<i8, smem, align<16>>
%2 = cute.static : !cute.int_tuple<"0">
%3 = cute.add_offset(%1, %2) : (!cute.ptr<i8, smem, align<16>>, !cute.int_tuple<"0">) -> !cute.ptr<i8, smem, align<16>>
%4 = cute.recast_iter(%3) : !cute.ptr<i8, smem, align<16>> to !cute.ptr<f32, smem, align<16>>)mlir"},
            {"cute.memref.alloc_smem",
             R"mlir(%0 = cute.memref.alloc_smem() : !cute.memref<f16, smem, align<128>, "(8,4):(4,1)">)mlir",
             R"mlir(%0 = "cute.memref.alloc_smem"() : () -> !cute.memref<f16, smem, align<128>, "(8,4):(4,1)">)mlir",
             R"mlir(%0 = llvm.mlir.addressof @k_smem : !llvm.ptr<3>
%1 = builtin.unrealized_conversion_cast %0 : !llvm.ptr<3> to !cute.ptr<i8, smem, align<128>>
%2 = cute.static : !cute.int_tuple<"0">
%3 = cute.add_offset(%1, %2) : (!cute.ptr<i8, smem, align<128>>, !cute.int_tuple<"0">) -> !cute.ptr<i8, smem, align<128>>
%4 = cute.recast_iter(%3) : !cute.ptr<i8, smem, align<128>> to !cute.ptr<f16, smem, align<128>>
%5 = cute.static : !cute.layout<"(8,4):(4,1)">
%6 = cute.make_view(%4, %5) : (!cute.ptr<f16, smem, align<128>>, !cute.layout<"(8,4):(4,1)">) -> !cute.memref<f16, smem, align<128>, "(8,4):(4,1)">)mlir"},
            // The value is first there; the pointer is first here, and in files of ours.
            {"cute.ptr.store",
             "cute.ptr.store(%w, %p) : (i64, !cute.ptr<i64, smem, align<64>>) -> ()",
             R"("cute.ptr.store"(%w, %p) : (i64, !cute.ptr<i64, smem, align<64>>) -> ())",
             "cute.ptr.store(%p, %w) : (!cute.ptr<i64, smem, align<64>>, i64) -> ()"},
            {"cute.ptr.store", "",
             R"("cute.ptr.store"(%p, %w) : (!cute.ptr<i64, smem, align<64>>, i64) -> ())",
             "cute.ptr.store(%p, %w) : (!cute.ptr<i64, smem, align<64>>, i64) -> ()"},
            {"cute.random_delay", "cute.random_delay", R"("cute.random_delay"() : () -> ())", ""},
            {"cute.derefine",
             R"mlir(%0 = cute.derefine(%p) : !cute.ptr<i64, smem, align<64>> to !cute.ptr<i64, smem, align<16>>)mlir",
             R"mlir(%0 = "cute.derefine"(%p) : (!cute.ptr<i64, smem, align<64>>) -> !cute.ptr<i64, smem, align<16>>)mlir",
             R"mlir(%0 = cute.recast_iter(%p) : !cute.ptr<i64, smem, align<64>> to !cute.ptr<i64, smem, align<16>>)mlir"},
            {"cute.derefine",
             R"mlir(%0 = cute.static : !cute.coord<"(0,0,0)">
%1 = cute.derefine(%0) : !cute.coord<"(0,0,0)"> to !cute.coord<"(?,?,0)">)mlir",
             R"mlir(%0 = "cute.static"() : () -> !cute.coord<"(0,0,0)">
%1 = "cute.derefine"(%0) : (!cute.coord<"(0,0,0)">) -> !cute.coord<"(?,?,0)">)mlir",
             R"mlir(%0 = cute.static : !cute.coord<"(0,0,0)">
%1 = cute.get (%0) : !cute.coord<"(0,0,0)"> -> !cute.coord<"(?,?,0)">)mlir"},
            // Operands whose types say all may be left out.
            {"cute.make_layout", R"mlir(%0 = cute.make_layout() : !cute.layout<"(4,8):(8,1)">)mlir",
             R"mlir(%0 = "cute.make_layout"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> !cute.layout<"(4,8):(8,1)">)mlir",
             R"mlir(%0 = cute.static : !cute.layout<"(4,8):(8,1)">)mlir"},
            {"cute.make_atom",
             R"mlir(%0 = cute.make_atom() : () -> !cute_nvgpu.sm90.mma<64x8x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>)mlir",
             R"mlir(%0 = "cute.make_atom"() : () -> !cute_nvgpu.sm90.mma<64x8x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>)mlir",
             R"mlir(%false = arith.constant false
%0 = cute.make_atom(%false) : (i1) -> !cute_nvgpu.sm90.mma<64x8x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>)mlir"},
            // The bytes of a tensor map, which CuteExpandOps loads to set them, are an address
            // here.
            {"cute_nvgpu.atom.set_value",
             R"mlir(%0 = cute.ptrtoint(%d) : !cute.ptr<!cute_nvgpu.tma_descriptor_tiled, generic, align<64>> to i64
%1 = llvm.inttoptr %0 : i64 to !llvm.ptr
%2 = llvm.load %1 {nontemporal} : !llvm.ptr -> !llvm.struct<(array<16 x i64>)>
%3 = builtin.unrealized_conversion_cast %2 : !llvm.struct<(array<16 x i64>)> to !cute_nvgpu.tma_descriptor_tiled
%4 = cute.make_atom() : () -> !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f16, copy_bits = 65536, tma_gbasis = <"(64,64):(1@1,1@0)">, tma_format = F16_RN>
%5 = cute_nvgpu.atom.set_value(%4, %3 : !cute_nvgpu.tma_descriptor_tiled) {field = #cute_nvgpu.atom_copy_field_non_exec_tma_load<tma_desc>} : !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f16, copy_bits = 65536, tma_gbasis = <"(64,64):(1@1,1@0)">, tma_format = F16_RN>)mlir",
             R"mlir(%0 = "cute.ptrtoint"(%d) : (!cute.ptr<!cute_nvgpu.tma_descriptor_tiled, generic, align<64>>) -> i64
%1 = "llvm.inttoptr"(%0) : (i64) -> !llvm.ptr
%2 = "llvm.load"(%1) <{nontemporal, ordering = 0 : i64}> : (!llvm.ptr) -> !llvm.struct<(array<16 x i64>)>
%3 = "builtin.unrealized_conversion_cast"(%2) : (!llvm.struct<(array<16 x i64>)>) -> !cute_nvgpu.tma_descriptor_tiled
%4 = "cute.make_atom"() : () -> !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f16, copy_bits = 65536, tma_gbasis = <"(64,64):(1@1,1@0)">, tma_format = F16_RN>
%5 = "cute_nvgpu.atom.set_value"(%4, %3) <{field = #cute_nvgpu.atom_copy_field_non_exec_tma_load<tma_desc>}> : (!cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f16, copy_bits = 65536, tma_gbasis = <"(64,64):(1@1,1@0)">, tma_format = F16_RN>, !cute_nvgpu.tma_descriptor_tiled) -> !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f16, copy_bits = 65536, tma_gbasis = <"(64,64):(1@1,1@0)">, tma_format = F16_RN>)mlir",
             R"mlir(%0 = cute.ptrtoint(%d) : !cute.ptr<!cute_nvgpu.tma_descriptor_tiled, generic, align<64>> to i64
%1 = llvm.inttoptr %0 : i64 to !llvm.ptr
%2 = llvm.load %1 {nontemporal} : !llvm.ptr -> !llvm.struct<(array<16 x i64>)>
%3 = builtin.unrealized_conversion_cast %2 : !llvm.struct<(array<16 x i64>)> to !cute_nvgpu.tma_descriptor_tiled
%4 = cute.recast_iter(%d) : !cute.ptr<!cute_nvgpu.tma_descriptor_tiled, generic, align<64>> to !cute.ptr<i8, generic, align<64>>
%5 = cute.make_atom(%4) : (!cute.ptr<i8, generic, align<64>>) -> !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f16, copy_bits = 65536, tma_gbasis = <"(64,64):(1@1,1@0)">, tma_format = F16_RN>)mlir"},
            // A field by its name.
            {"cute_nvgpu.atom.set_value",
             R"mlir(%0 = cute_nvgpu.atom.set_value<tma_bar>(%l, %p) : (!cute_nvgpu.atom.tma_load<i64, copy_bits = 2048, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(8,4):(1@0,1@1)">>, !cute.ptr<i64, smem, align<64>>))mlir", R"mlir(%0 = "cute_nvgpu.atom.set_value"(%l, %p) <{field = #cute_nvgpu.atom_copy_field_tmaload<tma_bar>}> : (!cute_nvgpu.atom.tma_load<i64, copy_bits = 2048, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(8,4):(1@0,1@1)">>, !cute.ptr<i64, smem, align<64>>) -> !cute_nvgpu.atom.tma_load<i64, copy_bits = 2048, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(8,4):(1@0,1@1)">>)mlir", R"mlir(%0 = cute_nvgpu.atom.set_value(%l, %p : !cute.ptr<i64, smem, align<64>>) {field = #cute_nvgpu.atom_copy_field_tmaload<tma_bar>} : !cute_nvgpu.atom.tma_load<i64, copy_bits = 2048, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(8,4):(1@0,1@1)">>)mlir"},
            {"cute_nvgpu.atom.set_value",
             R"mlir(%0 = cute_nvgpu.atom.get_value<tma_bar>(%l) : (!cute_nvgpu.atom.tma_load<i64, copy_bits = 2048, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(8,4):(1@0,1@1)">>) -> !cute.ptr<smem, align<8>>)mlir",
             R"mlir(%0 = "cute_nvgpu.atom.get_value"(%l) <{field = #cute_nvgpu.atom_copy_field_tmaload<tma_bar>}> : (!cute_nvgpu.atom.tma_load<i64, copy_bits = 2048, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(8,4):(1@0,1@1)">>) -> !cute.ptr<smem, align<8>>)mlir",
             R"mlir(%0 = cute_nvgpu.atom.get_value(%l : !cute_nvgpu.atom.tma_load<i64, copy_bits = 2048, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(8,4):(1@0,1@1)">>) {field = #cute_nvgpu.atom_copy_field_tmaload<tma_bar>} : !cute.ptr<i8, smem, align<8>>)mlir"},
            {"cute.make_arith_tuple_iter",
             R"mlir(%0 = cute.make_arith_tuple_iter() : () -> !cute.arith_tuple_iter<"(0,0)">)mlir",
             R"mlir(%0 = "cute.make_arith_tuple_iter"() : () -> !cute.arith_tuple_iter<"(0,0)">)mlir",
             R"mlir(%0 = cute.static : !cute.int_tuple<"(0,0)">
%1 = cute.make_arith_tuple_iter(%0) : (!cute.int_tuple<"(0,0)">) -> !cute.arith_tuple_iter<"(0,0)">)mlir"},
            {"cute.make_view",
             R"mlir(%0 = cute.make_view(%p) : !cute.memref<i64, smem, align<64>, "(4,8):(8,1)">)mlir",
             R"mlir(%0 = "cute.make_view"(%p) : (!cute.ptr<i64, smem, align<64>>) -> !cute.memref<i64, smem, align<64>, "(4,8):(8,1)">)mlir",
             R"mlir(%0 = cute.static : !cute.layout<"(4,8):(8,1)">
%1 = cute.make_view(%p, %0) : (!cute.ptr<i64, smem, align<64>>, !cute.layout<"(4,8):(8,1)">) -> !cute.memref<i64, smem, align<64>, "(4,8):(8,1)">)mlir"},
            // The custom form of 4.3.3 leaves out the type; only its uses show that it is an
            // int_tuple.
            {"cute.get_iter",
             R"mlir(%0 = cute.get_iter(%c) : !cute.coord_tensor<"(0,?)", "(8,4):(1@0,1@1)">
%1 = cute.tuple_product(%0) : (!cute.int_tuple<"(0,?)">) -> !cute.int_tuple<"0">)mlir",
             R"mlir(%0 = "cute.get_iter"(%c) : (!cute.coord_tensor<"(0,?)", "(8,4):(1@0,1@1)">) -> !cute.int_tuple<"(0,?)">
%1 = "cute.tuple.product"(%0) : (!cute.int_tuple<"(0,?)">) -> !cute.int_tuple<"0">)mlir",
             R"mlir(%0 = cute.get_iter(%c) : (!cute.coord_tensor<"(0,?)", "(8,4):(1@0,1@1)">) -> !cute.arith_tuple_iter<"(0,?)">
%1 = cute.deref_arith_tuple_iter(%0) : (!cute.arith_tuple_iter<"(0,?)">) -> !cute.int_tuple<"(0,?)">
%2 = cute.tuple_product(%1) : (!cute.int_tuple<"(0,?)">) -> !cute.int_tuple<"0">)mlir"},
            // Lists of one tensor each.
            {"cute.memref.load_vec.grouped", "",
             R"mlir(%mask = arith.constant dense<true> : vector<1xi1>
%0 = "cute.memref.load_vec"(%v, %mask) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (!cute.memref<f32, rmem, "1:0">, vector<1xi1>) -> vector<1xf32>)mlir",
             R"mlir(%cst = arith.constant dense<true> : vector<1xi1>
%cst_0 = arith.constant dense<0.000000e+00> : vector<1xf32>
%0 = cute.memref.load_vec %v : !cute.memref<f32, rmem, "1:0">
%1 = arith.select %cst, %0, %cst_0 : vector<1xi1>, vector<1xf32>)mlir"},
            {"cute.memref.store_vec", "", R"mlir(%mask = arith.constant dense<true> : vector<1xi1>
%new = "cute.memref.load_vec"(%v) : (!cute.memref<f32, rmem, "1:0">) -> vector<1xf32>
"cute.memref.store_vec"(%new, %v, %mask) : (vector<1xf32>, !cute.memref<f32, rmem, "1:0">, vector<1xi1>) -> ())mlir",
             R"mlir(%cst = arith.constant dense<true> : vector<1xi1>
%0 = cute.memref.load_vec %v : !cute.memref<f32, rmem, "1:0">
%1 = cute.memref.load_vec %v : !cute.memref<f32, rmem, "1:0">
%2 = arith.select %cst, %0, %1 : vector<1xi1>, vector<1xf32>
cute.memref.store_vec %2, %v : !cute.memref<f32, rmem, "1:0">)mlir"},
            {"cute.copy.grouped", R"mlir(cute.copy(%a, [%x], [%x]) : (!cute_nvgpu.atom.universal_copy<i64, 64 b>, !cute.memref<i64, rmem, "(1,2):(0,1)">, !cute.memref<i64, rmem, "(1,2):(0,1)">) -> ())mlir", R"mlir("cute.copy"(%a, %x, %x) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> : (!cute_nvgpu.atom.universal_copy<i64, 64 b>, !cute.memref<i64, rmem, "(1,2):(0,1)">, !cute.memref<i64, rmem, "(1,2):(0,1)">) -> ())mlir", R"mlir(cute.copy(%a, %x, %x) : (!cute_nvgpu.atom.universal_copy<i64, 64 b>, !cute.memref<i64, rmem, "(1,2):(0,1)">, !cute.memref<i64, rmem, "(1,2):(0,1)">))mlir"},
            {"cute.copy_atom_call.grouped",
             R"mlir(cute.copy_atom_call(%a, [%x], %x) : (!cute_nvgpu.atom.universal_copy<i64, 64 b>, !cute.memref<i64, rmem, "(1,2):(0,1)">, !cute.memref<i64, rmem, "(1,2):(0,1)">))mlir",
             R"mlir("cute.copy_atom_call"(%a, %x, %x) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> : (!cute_nvgpu.atom.universal_copy<i64, 64 b>, !cute.memref<i64, rmem, "(1,2):(0,1)">, !cute.memref<i64, rmem, "(1,2):(0,1)">) -> ())mlir",
             R"mlir(cute.copy_atom_call(%a, %x, %x) : (!cute_nvgpu.atom.universal_copy<i64, 64 b>, !cute.memref<i64, rmem, "(1,2):(0,1)">, !cute.memref<i64, rmem, "(1,2):(0,1)">))mlir"},
            {"cute.prefetch.grouped",
             R"mlir(cute.prefetch(%l, [%c]) : (!cute_nvgpu.atom.tma_load<i64, copy_bits = 2048, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(8,4):(1@0,1@1)">>, !cute.coord_tensor<"(0,?)", "(8,4):(1@0,1@1)">) -> ())mlir",
             R"mlir("cute.prefetch"(%l, %c) <{operandSegmentSizes = array<i32: 1, 1>}> : (!cute_nvgpu.atom.tma_load<i64, copy_bits = 2048, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(8,4):(1@0,1@1)">>, !cute.coord_tensor<"(0,?)", "(8,4):(1@0,1@1)">) -> ())mlir",
             R"mlir(cute.prefetch(%l, %c) : (!cute_nvgpu.atom.tma_load<i64, copy_bits = 2048, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(8,4):(1@0,1@1)">>, !cute.coord_tensor<"(0,?)", "(8,4):(1@0,1@1)">))mlir"},
            {"cute.prefetch_atom_call.grouped", R"mlir(cute.prefetch_atom_call(%l, [%c]) : (!cute_nvgpu.atom.tma_load<i64, copy_bits = 2048, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(8,4):(1@0,1@1)">>, !cute.coord_tensor<"(0,?)", "(8,4):(1@0,1@1)">))mlir", R"mlir("cute.prefetch_atom_call"(%l, %c) : (!cute_nvgpu.atom.tma_load<i64, copy_bits = 2048, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(8,4):(1@0,1@1)">>, !cute.coord_tensor<"(0,?)", "(8,4):(1@0,1@1)">) -> ())mlir", R"mlir(cute.prefetch_atom_call(%l, %c) : (!cute_nvgpu.atom.tma_load<i64, copy_bits = 2048, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(8,4):(1@0,1@1)">>, !cute.coord_tensor<"(0,?)", "(8,4):(1@0,1@1)">))mlir"},
            {"cute.gemm.grouped",
             R"mlir(cute.gemm(%f, %v, [%v], [%v], %v) : (!cute_nvgpu.atom.universal_fma<1x1x1, (f32, f32) -> f32 >, !cute.memref<f32, rmem, "1:0">, !cute.memref<f32, rmem, "1:0">, !cute.memref<f32, rmem, "1:0">, !cute.memref<f32, rmem, "1:0">))mlir",
             R"mlir("cute.gemm"(%f, %v, %v, %v, %v) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>}> : (!cute_nvgpu.atom.universal_fma<1x1x1, (f32, f32) -> f32 >, !cute.memref<f32, rmem, "1:0">, !cute.memref<f32, rmem, "1:0">, !cute.memref<f32, rmem, "1:0">, !cute.memref<f32, rmem, "1:0">) -> ())mlir",
             R"mlir(cute.gemm(%f, %v, %v, %v, %v) : (!cute_nvgpu.atom.universal_fma<1x1x1, (f32, f32) -> f32 >, !cute.memref<f32, rmem, "1:0">, !cute.memref<f32, rmem, "1:0">, !cute.memref<f32, rmem, "1:0">, !cute.memref<f32, rmem, "1:0">))mlir"},
            {"cute.mma_atom_call.grouped",
             R"mlir(cute.mma_atom_call(%f, %v, [%v], [%v], %v) : (!cute_nvgpu.atom.universal_fma<1x1x1, (f32, f32) -> f32 >, !cute.memref<f32, rmem, "1:0">, !cute.memref<f32, rmem, "1:0">, !cute.memref<f32, rmem, "1:0">, !cute.memref<f32, rmem, "1:0">) -> ())mlir",
             R"mlir("cute.mma_atom_call"(%f, %v, %v, %v, %v) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>}> : (!cute_nvgpu.atom.universal_fma<1x1x1, (f32, f32) -> f32 >, !cute.memref<f32, rmem, "1:0">, !cute.memref<f32, rmem, "1:0">, !cute.memref<f32, rmem, "1:0">, !cute.memref<f32, rmem, "1:0">) -> ())mlir", R"mlir(cute.mma_atom_call(%f, %v, %v, %v, %v) : (!cute_nvgpu.atom.universal_fma<1x1x1, (f32, f32) -> f32 >, !cute.memref<f32, rmem, "1:0">, !cute.memref<f32, rmem, "1:0">, !cute.memref<f32, rmem, "1:0">, !cute.memref<f32, rmem, "1:0">))mlir"},
};

const std::vector<Case> cudaCases = {
    // Attributes of a launch that only say how fast it may become.
    {"cuda.launch_cfg.preferred_cluster_dim",
     "cuda.launch_cfg.preferred_cluster_dim[%g] (%n, %n, %n) : !cuda.launch_cfg<max_attrs = 17>, "
     "i32, i32, i32",
     R"("cuda.launch_cfg.preferred_cluster_dim"(%g, %n, %n, %n) : (!cuda.launch_cfg<max_attrs = 17>, i32, i32, i32) -> ())",
     ""},
    {"cuda.launch_cfg.cluster_scheduling_policy",
     "cuda.launch_cfg.cluster_scheduling_policy[%g] <spread> : !cuda.launch_cfg<max_attrs = 17>",
     R"("cuda.launch_cfg.cluster_scheduling_policy"(%g) <{policy = 1 : i32}> : (!cuda.launch_cfg<max_attrs = 17>) -> ())",
     ""},
    {"cuda.launch_cfg.cluster_scheduling_policy",
     "cuda.launch_cfg.cluster_scheduling_policy[%g] 1 : !cuda.launch_cfg<max_attrs = 17>",
     R"("cuda.launch_cfg.cluster_scheduling_policy"(%g) <{policy = 1 : i64}> : (!cuda.launch_cfg<max_attrs = 17>) -> ())",
     ""},
    {"cuda.launch_cfg.shared_mem_carveout",
     "cuda.launch_cfg.shared_mem_carveout[%g] %n : !cuda.launch_cfg<max_attrs = 17>, i32",
     R"("cuda.launch_cfg.shared_mem_carveout"(%g, %n) : (!cuda.launch_cfg<max_attrs = 17>, i32) -> ())",
     ""},
    {"cuda.launch_cfg.priority",
     "cuda.launch_cfg.priority[%g] %n : !cuda.launch_cfg<max_attrs = 17>, i32",
     R"("cuda.launch_cfg.priority"(%g, %n) : (!cuda.launch_cfg<max_attrs = 17>, i32) -> ())", ""},
    {"cuda.launch_cfg.nvlink_util_centric_scheduling",
     "cuda.launch_cfg.nvlink_util_centric_scheduling[%g] %n : !cuda.launch_cfg<max_attrs = 17>, "
     "i32",
     R"("cuda.launch_cfg.nvlink_util_centric_scheduling"(%g, %n) : (!cuda.launch_cfg<max_attrs = 17>, i32) -> ())",
     ""},
    {"cuda.launch_cfg.mem_sync_domain",
     "cuda.launch_cfg.mem_sync_domain[%g] remote : !cuda.launch_cfg<max_attrs = 17>",
     R"("cuda.launch_cfg.mem_sync_domain"(%g) <{memSyncDomain = 1 : i32}> : (!cuda.launch_cfg<max_attrs = 17>) -> ())",
     ""},
    {"cuda.launch_cfg.mem_sync_domain_map",
     "cuda.launch_cfg.mem_sync_domain_map[%g] (%n, %n) : !cuda.launch_cfg<max_attrs = 17>, i32, "
     "i32",
     R"("cuda.launch_cfg.mem_sync_domain_map"(%g, %n, %n) : (!cuda.launch_cfg<max_attrs = 17>, i32, i32) -> ())",
     ""},
    {"cuda.launch_cfg.access_policy_window",
     "cuda.launch_cfg.access_policy_window[%g] (%n, %n, %n) {hitProp = 2 : i32, missProp = 1 : "
     "i32} : !cuda.launch_cfg<max_attrs = 17>, i32, i32, i32",
     R"("cuda.launch_cfg.access_policy_window"(%g, %n, %n, %n) <{hitProp = 2 : i32, missProp = 1 : i32}> : (!cuda.launch_cfg<max_attrs = 17>, i32, i32, i32) -> ())",
     ""},
    {"cuda.launch_cfg.sync_policy",
     "cuda.launch_cfg.sync_policy[%g] {syncPolicy = 1 : i32} : !cuda.launch_cfg<max_attrs = 17>",
     R"("cuda.launch_cfg.sync_policy"(%g) <{syncPolicy = 1 : i32}> : (!cuda.launch_cfg<max_attrs = 17>) -> ())",
     ""},
};

} // namespace tessera::import::test
