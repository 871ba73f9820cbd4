// Every op of the dialects scf, cf, func, arith, math and vector that this MLIR has: it computes in
// a kernel what it is defined to, or it is refused by its name and place.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The registry is asked which ops there are, so an op of another version of MLIR is a failure until
// it has a row. Expected values are those of C++ on the host; 32 threads have numbers of their own.
// It has more than 600 lines, as one table of all the ops shows which are missing.
#include "test/lower/OneBlock.h"

#include "tessera/driver/Compiler.h"
#include "tessera/lower/gate/OpNeeds.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <random>
#include <set>

namespace tessera::lower::test {
namespace {

/// What a thread gets: its numbers have these names in the kernel.
struct In {
  float a, b, c; // any, above 0, between -1 and 1
  int32_t z;     // 0
  double d, e;
  int32_t i, j, k, s; // any, any, 1 to 20, 0 to 3
  int64_t l, m;
  uint16_t h, q; // an f16 and a bf16
  int8_t t;
  uint8_t pad[11];
  float v[4], w[4], u[4]; // as a, b, c
  int32_t x[4], y[4];
};
static_assert(sizeof(In) == 160);
struct Out {
  union {
    uint8_t bytes[64];
    float f[16];
    double d[8];
    int32_t i[16];
    int64_t l[8];
    uint16_t h[32];
  };
};

constexpr const char *prologue = R"(
  %thread = nvvm.read.ptx.sreg.tid.x : i32
  %n = llvm.getelementptr %in[%thread] : (!llvm.ptr, i32) -> !llvm.ptr, !llvm.array<160 x i8>
  %out = llvm.getelementptr %to[%thread] : (!llvm.ptr, i32) -> !llvm.ptr, !llvm.array<64 x i8>
)";
/// Name, place in In, type.
struct Number {
  const char *name;
  size_t offset;
  const char *type;
};
constexpr Number numbers[] = {{"a", 0, "f32"},
                              {"b", 4, "f32"},
                              {"c", 8, "f32"},
                              {"z", 12, "i32"},
                              {"d", 16, "f64"},
                              {"e", 24, "f64"},
                              {"i", 32, "i32"},
                              {"j", 36, "i32"},
                              {"k", 40, "i32"},
                              {"s", 44, "i32"},
                              {"l", 48, "i64"},
                              {"m", 56, "i64"},
                              {"h", 64, "f16"},
                              {"q", 66, "bf16"},
                              {"t", 68, "i8"},
                              {"v", 80, "vector<4xf32>"},
                              {"w", 96, "vector<4xf32>"},
                              {"u", 112, "vector<4xf32>"},
                              {"x", 128, "vector<4xi32>"},
                              {"y", 144, "vector<4xi32>"}};

using Expected = void (*)(const In &, Out &);
struct Row {
  const char *op;
  /// Makes %r of type `result`; of no type: stores what comes out itself.
  const char *code, *result;
  Expected expected;          // null: refused
  bool elementwise = false;   // whether vectors of 4 must do the same
  int ulps = 0;               // that a float may be off
  const char *functions = ""; // what stands beside the kernel
};

// Two rows of a matrix: v and w, or u and v.
#define MATRIX                                                                                     \
  "%zero = arith.constant dense<0.0> : vector<2x4xf32>\n"                                          \
  "%m0 = vector.insert %v, %zero [0] : vector<4xf32> into vector<2x4xf32>\n"                       \
  "%mat = vector.insert %w, %m0 [1] : vector<4xf32> into vector<2x4xf32>\n"
#define STORE_ROWS                                                                                 \
  "%r0 = vector.extract %r[0] : vector<4xf32> from vector<2x4xf32>\n"                              \
  "%r1 = vector.extract %r[1] : vector<4xf32> from vector<2x4xf32>\n"                              \
  "llvm.store %r0, %out : vector<4xf32>, !llvm.ptr\n"                                              \
  "%next = llvm.getelementptr %out[16] : (!llvm.ptr) -> !llvm.ptr, i8\n"                           \
  "llvm.store %r1, %next : vector<4xf32>, !llvm.ptr\n"
#define E(...) [](const In &in, Out &out) { __VA_ARGS__; }
#define MEMREF "%memory: memref<8xf32>"

float half(uint16_t bits) { return float(std::bit_cast<_Float16>(bits)); }
int32_t wrapped(int64_t x) { return int32_t(uint32_t(uint64_t(x))); }
int32_t power(int32_t base, int32_t exponent) {
  uint32_t out = 1;
  for (int32_t n = 0; n < exponent; ++n)
    out *= uint32_t(base);
  return int32_t(out);
}
int64_t floorDiv(int64_t a, int64_t b) {
  int64_t q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

const Row rows[] = {
    //===--- arith
    {"arith.addf", "%r = arith.addf %a, %b : f32", "f32", E(out.f[0] = in.a + in.b), true},
    {"arith.addi", "%r = arith.addi %i, %j : i32", "i32",
     E(out.i[0] = wrapped(int64_t(in.i) + in.j)), true},
    {"arith.addui_extended", R"(%r, %o = arith.addui_extended %i, %j : i32, i1
      %p = arith.extui %o : i1 to i32
      %f = arith.addi %r, %p : i32
      llvm.store %f, %out : i32, !llvm.ptr)",
     "",
     E(uint64_t sum = uint64_t(uint32_t(in.i)) + uint32_t(in.j);
       out.i[0] = wrapped(int64_t(sum + (sum >> 32))))},
    {"arith.andi", "%r = arith.andi %i, %j : i32", "i32", E(out.i[0] = in.i & in.j), true},
    {"arith.bitcast", "%r = arith.bitcast %a : f32 to i32", "i32", E(out.f[0] = in.a), true},
    {"arith.ceildivsi", "%r = arith.ceildivsi %i, %k : i32", "i32",
     E(out.i[0] = int32_t(-floorDiv(-int64_t(in.i), in.k)))},
    {"arith.ceildivui", "%r = arith.ceildivui %i, %k : i32", "i32",
     E(out.i[0] = wrapped((int64_t(uint32_t(in.i)) + in.k - 1) / in.k))},
    {"arith.cmpf", "%r = arith.cmpf olt, %a, %b : f32", "i1", E(out.i[0] = in.a < in.b)},
    {"arith.cmpi", "%r = arith.cmpi ult, %i, %j : i32", "i1",
     E(out.i[0] = uint32_t(in.i) < uint32_t(in.j))},
    {"arith.constant", "%r = arith.constant 2.5 : f32", "f32", E(out.f[0] = 2.5f)},
    {"arith.constant", "%r = arith.constant dense<[1, -2, 3, 4]> : vector<4xi32>", "vector<4xi32>",
     E(int32_t all[] = {1, -2, 3, 4}; std::memcpy(out.i, all, 16))},
    {"arith.divf", "%r = arith.divf %a, %b : f32", "f32", E(out.f[0] = in.a / in.b), true},
    {"arith.divsi", "%r = arith.divsi %i, %k : i32", "i32", E(out.i[0] = in.i / in.k)},
    {"arith.divui", "%r = arith.divui %i, %k : i32", "i32",
     E(out.i[0] = int32_t(uint32_t(in.i) / uint32_t(in.k)))},
    {"arith.extf", "%r = arith.extf %h : f16 to f32", "f32", E(out.f[0] = half(in.h))},
    {"arith.extf", "%r = arith.extf %a : f32 to f64", "f64", E(out.d[0] = in.a), true},
    {"arith.extsi", "%r = arith.extsi %t : i8 to i32", "i32", E(out.i[0] = in.t)},
    {"arith.extui", "%r = arith.extui %t : i8 to i32", "i32", E(out.i[0] = uint8_t(in.t))},
    {"arith.floordivsi", "%r = arith.floordivsi %i, %k : i32", "i32",
     E(out.i[0] = int32_t(floorDiv(in.i, in.k)))},
    {"arith.fptosi", "%r = arith.fptosi %a : f32 to i32", "i32", E(out.i[0] = int32_t(in.a)), true},
    {"arith.fptoui", "%r = arith.fptoui %b : f32 to i32", "i32",
     E(out.i[0] = int32_t(uint32_t(in.b))), true},
    {"arith.index_cast",
     "%x1 = arith.index_cast %i : i32 to index\n%r = arith.index_cast %x1 : index to i64", "i64",
     E(out.l[0] = in.i)},
    {"arith.index_castui",
     "%x1 = arith.index_castui %i : i32 to index\n%r = arith.index_castui %x1 : index to i64",
     "i64", E(out.l[0] = uint32_t(in.i))},
    {"arith.maximumf", "%r = arith.maximumf %a, %b : f32", "f32",
     E(out.f[0] = std::fmax(in.a, in.b)), true},
    {"arith.maxnumf", "%r = arith.maxnumf %a, %b : f32", "f32", E(out.f[0] = std::fmax(in.a, in.b)),
     true},
    {"arith.maxsi", "%r = arith.maxsi %i, %j : i32", "i32", E(out.i[0] = std::max(in.i, in.j)),
     true},
    {"arith.maxui", "%r = arith.maxui %i, %j : i32", "i32",
     E(out.i[0] = int32_t(std::max(uint32_t(in.i), uint32_t(in.j)))), true},
    {"arith.minimumf", "%r = arith.minimumf %a, %b : f32", "f32",
     E(out.f[0] = std::fmin(in.a, in.b)), true},
    {"arith.minnumf", "%r = arith.minnumf %a, %b : f32", "f32", E(out.f[0] = std::fmin(in.a, in.b)),
     true},
    {"arith.minsi", "%r = arith.minsi %i, %j : i32", "i32", E(out.i[0] = std::min(in.i, in.j)),
     true},
    {"arith.minui", "%r = arith.minui %i, %j : i32", "i32",
     E(out.i[0] = int32_t(std::min(uint32_t(in.i), uint32_t(in.j)))), true},
    {"arith.mulf", "%r = arith.mulf %a, %b : f32", "f32", E(out.f[0] = in.a * in.b), true},
    {"arith.muli", "%r = arith.muli %i, %j : i32", "i32",
     E(out.i[0] = wrapped(int64_t(in.i) * in.j)), true},
    {"arith.mulsi_extended", R"(%lo, %hi = arith.mulsi_extended %i, %j : i32
      %r = arith.xori %lo, %hi : i32)",
     "i32", E(int64_t p = int64_t(in.i) * in.j; out.i[0] = wrapped(p) ^ wrapped(p >> 32))},
    {"arith.mului_extended", R"(%lo, %hi = arith.mului_extended %i, %j : i32
      %r = arith.xori %lo, %hi : i32)",
     "i32",
     E(uint64_t p = uint64_t(uint32_t(in.i)) * uint32_t(in.j);
       out.i[0] = wrapped(int64_t(p)) ^ wrapped(int64_t(p >> 32)))},
    {"arith.negf", "%r = arith.negf %a : f32", "f32", E(out.f[0] = -in.a), true},
    {"arith.ori", "%r = arith.ori %i, %j : i32", "i32", E(out.i[0] = in.i | in.j), true},
    {"arith.remf", "%r = arith.remf %a, %b : f32", "f32", E(out.f[0] = std::fmod(in.a, in.b)),
     false, 64},
    {"arith.remsi", "%r = arith.remsi %i, %k : i32", "i32", E(out.i[0] = in.i % in.k)},
    {"arith.remui", "%r = arith.remui %i, %k : i32", "i32",
     E(out.i[0] = int32_t(uint32_t(in.i) % uint32_t(in.k)))},
    {"arith.scaling_extf", R"(%code = arith.trunci %i : i32 to i8
      %g = arith.bitcast %code : i8 to f8E5M2
      %scale = arith.bitcast %code : i8 to f8E8M0FNU
      %r = arith.scaling_extf %g, %scale : f8E5M2, f8E8M0FNU to f32)",
     "f32", nullptr},
    {"arith.scaling_truncf", R"(%one = arith.constant 128 : i8
      %scale = arith.bitcast %one : i8 to f8E8M0FNU
      %g = arith.scaling_truncf %a, %scale : f32, f8E8M0FNU to f8E5M2
      %r = arith.bitcast %g : f8E5M2 to i8)",
     "i8", nullptr},
    {"arith.select", "%p = arith.cmpi slt, %i, %j : i32\n%r = arith.select %p, %a, %b : f32", "f32",
     E(out.f[0] = in.i < in.j ? in.a : in.b)},
    {"arith.shli", "%r = arith.shli %i, %s : i32", "i32",
     E(out.i[0] = int32_t(uint32_t(in.i) << in.s))},
    {"arith.shrsi", "%r = arith.shrsi %i, %s : i32", "i32", E(out.i[0] = in.i >> in.s)},
    {"arith.shrui", "%r = arith.shrui %i, %s : i32", "i32",
     E(out.i[0] = int32_t(uint32_t(in.i) >> in.s))},
    {"arith.sitofp", "%r = arith.sitofp %i : i32 to f32", "f32", E(out.f[0] = float(in.i)), true},
    {"arith.subf", "%r = arith.subf %a, %b : f32", "f32", E(out.f[0] = in.a - in.b), true},
    {"arith.subi", "%r = arith.subi %i, %j : i32", "i32",
     E(out.i[0] = wrapped(int64_t(in.i) - in.j)), true},
    {"arith.truncf", "%r = arith.truncf %d : f64 to f32", "f32", E(out.f[0] = float(in.d))},
    {"arith.truncf", "%g = arith.truncf %a : f32 to f16\n%r = arith.extf %g : f16 to f32", "f32",
     E(out.f[0] = float(_Float16(in.a)))},
    {"arith.trunci", "%g = arith.trunci %i : i32 to i8\n%r = arith.extsi %g : i8 to i32", "i32",
     E(out.i[0] = int8_t(in.i))},
    {"arith.uitofp", "%r = arith.uitofp %i : i32 to f32", "f32",
     E(out.f[0] = float(uint32_t(in.i))), true},
    {"arith.xori", "%r = arith.xori %i, %j : i32", "i32", E(out.i[0] = in.i ^ in.j), true},

    //===--- math
    {"math.absf", "%r = math.absf %a : f32", "f32", E(out.f[0] = std::fabs(in.a)), true},
    {"math.absi", "%r = math.absi %i : i32", "i32", E(out.i[0] = std::abs(in.i)), true},
    {"math.acos", "%r = math.acos %c : f32", "f32", E(out.f[0] = std::acos(in.c)), true, 16},
    {"math.acosh",
     "%o = arith.constant 1.0 : f32\n%g = arith.addf %b, %o : f32\n%r = math.acosh %g : f32", "f32",
     E(out.f[0] = std::acosh(in.b + 1)), false, 16},
    {"math.asin", "%r = math.asin %c : f32", "f32", E(out.f[0] = std::asin(in.c)), true, 16},
    {"math.asinh", "%r = math.asinh %a : f32", "f32", E(out.f[0] = std::asinh(in.a)), true, 16},
    {"math.atan", "%r = math.atan %a : f32", "f32", E(out.f[0] = std::atan(in.a)), true, 16},
    {"math.atan2", "%r = math.atan2 %a, %c : f32", "f32", E(out.f[0] = std::atan2(in.a, in.c)),
     true, 16},
    {"math.atanh", "%r = math.atanh %c : f32", "f32", E(out.f[0] = std::atanh(in.c)), true, 16},
    {"math.cbrt", "%r = math.cbrt %a : f32", "f32", E(out.f[0] = std::cbrt(in.a)), true, 16},
    {"math.ceil", "%r = math.ceil %a : f32", "f32", E(out.f[0] = std::ceil(in.a)), true},
    {"math.clampf", "%r = math.clampf %a to [%c, %b] : f32", "f32",
     E(out.f[0] = std::fmin(std::fmax(in.a, in.c), in.b))},
    {"math.copysign", "%r = math.copysign %a, %c : f32", "f32",
     E(out.f[0] = std::copysign(in.a, in.c)), true},
    {"math.cos", "%r = math.cos %a : f32", "f32", E(out.f[0] = std::cos(in.a)), true, 16},
    {"math.cosh", "%r = math.cosh %a : f32", "f32", E(out.f[0] = std::cosh(in.a)), true, 16},
    {"math.ctlz", "%r = math.ctlz %i : i32", "i32", E(out.i[0] = std::countl_zero(uint32_t(in.i))),
     true},
    {"math.ctpop", "%r = math.ctpop %i : i32", "i32", E(out.i[0] = std::popcount(uint32_t(in.i))),
     true},
    {"math.cttz", "%r = math.cttz %i : i32", "i32", E(out.i[0] = std::countr_zero(uint32_t(in.i))),
     true},
    {"math.erf", "%r = math.erf %a : f32", "f32", E(out.f[0] = std::erf(in.a)), true, 16},
    {"math.erfc", "%r = math.erfc %c : f32", "f32", E(out.f[0] = std::erfc(in.c)), true, 32},
    {"math.exp", "%r = math.exp %a : f32", "f32", E(out.f[0] = std::exp(in.a)), true, 16},
    {"math.exp2", "%r = math.exp2 %a : f32", "f32", E(out.f[0] = std::exp2(in.a)), true, 16},
    {"math.expm1", "%r = math.expm1 %a : f32", "f32", E(out.f[0] = std::expm1(in.a)), true, 32},
    {"math.exp", "%wide = math.exp %d : f64\n%r = arith.truncf %wide : f64 to f32", "f32",
     E(out.f[0] = float(std::exp(in.d))), false, 1},
    {"math.floor", "%r = math.floor %a : f32", "f32", E(out.f[0] = std::floor(in.a)), true},
    {"math.fma", "%r = math.fma %a, %b, %c : f32", "f32", E(out.f[0] = std::fma(in.a, in.b, in.c)),
     true},
    {"math.fpowi", "%r = math.fpowi %a, %k : f32, i32", "f32",
     E(out.f[0] = float(std::pow(double(in.a), in.k))), false, 1},
    {"math.ipowi", "%r = math.ipowi %i, %k : i32", "i32", E(out.i[0] = power(in.i, in.k))},
    {"math.ipowi",
     "%two = arith.constant 2 : i32\n%g = arith.subi %s, %two : i32\n%o = arith.subi %z, %k : "
     "i32\n%r = math.ipowi %g, %o : i32",
     "i32",
     E(int32_t base = in.s - 2; out.i[0] = base == 1    ? 1
                                           : base == -1 ? (in.k % 2 ? -1 : 1)
                                                        : 0)},
    {"math.isfinite", "%r = math.isfinite %a : f32", "i1", E(out.i[0] = std::isfinite(in.a))},
    {"math.isinf", "%r = math.isinf %a : f32", "i1", E(out.i[0] = std::isinf(in.a))},
    {"math.isnan", "%r = math.isnan %a : f32", "i1", E(out.i[0] = std::isnan(in.a))},
    {"math.isnormal", "%r = math.isnormal %a : f32", "i1", E(out.i[0] = std::isnormal(in.a))},
    {"math.log", "%r = math.log %b : f32", "f32", E(out.f[0] = std::log(in.b)), true, 16},
    {"math.log10", "%r = math.log10 %b : f32", "f32", E(out.f[0] = std::log10(in.b)), true, 16},
    {"math.log10", "%g = arith.subf %b, %b : f32\n%r = math.log10 %g : f32", "f32",
     E(out.f[0] = std::log10(in.b - in.b))},
    {"math.log10",
     "%g = arith.subf %b, %b : f32\n%o = arith.divf %b, %g : f32\n%r = math.log10 %o : f32", "f32",
     E(out.f[0] = std::log10(in.b / (in.b - in.b)))},
    {"math.log1p", "%r = math.log1p %b : f32", "f32", E(out.f[0] = std::log1p(in.b)), true, 16},
    {"math.log2", "%r = math.log2 %b : f32", "f32", E(out.f[0] = std::log2(in.b)), true, 16},
    {"math.powf", "%r = math.powf %b, %a : f32", "f32",
     E(out.f[0] = float(std::pow(double(in.b), double(in.a)))), true, 1},
    {"math.powf",
     "%base = math.absf %d : f64\n%wide = math.powf %base, %e : f64\n%r = arith.truncf %wide : f64 "
     "to f32",
     "f32", E(out.f[0] = float(std::pow(std::fabs(in.d), in.e))), false, 1},
    {"math.round", "%r = math.round %a : f32", "f32", E(out.f[0] = std::round(in.a)), true},
    {"math.roundeven", "%r = math.roundeven %a : f32", "f32", E(out.f[0] = std::nearbyint(in.a)),
     true},
    {"math.rsqrt", "%r = math.rsqrt %b : f32", "f32", E(out.f[0] = 1 / std::sqrt(in.b)), true, 4},
    {"math.sin", "%r = math.sin %a : f32", "f32", E(out.f[0] = std::sin(in.a)), true, 16},
    {"math.sincos",
     "%r, %o = math.sincos %a : f32\nllvm.store %r, %out : f32, !llvm.ptr\n%next = "
     "llvm.getelementptr %out[4] : (!llvm.ptr) -> !llvm.ptr, i8\nllvm.store %o, %next : f32, "
     "!llvm.ptr",
     "", E(out.f[0] = std::sin(in.a); out.f[1] = std::cos(in.a)), false, 16},
    {"math.sinh", "%r = math.sinh %a : f32", "f32", E(out.f[0] = std::sinh(in.a)), true, 16},
    {"math.sqrt", "%r = math.sqrt %b : f32", "f32", E(out.f[0] = std::sqrt(in.b)), true},
    {"math.tan", "%r = math.tan %a : f32", "f32", E(out.f[0] = std::tan(in.a)), true, 32},
    {"math.tanh", "%r = math.tanh %a : f32", "f32", E(out.f[0] = std::tanh(in.a)), true, 16},
    {"math.trunc", "%r = math.trunc %a : f32", "f32", E(out.f[0] = std::trunc(in.a)), true},

    //===--- vector
    {"vector.bitcast", "%r = vector.bitcast %v : vector<4xf32> to vector<4xi32>", "vector<4xi32>",
     E(std::memcpy(out.f, in.v, 16))},
    {"vector.bitcast",
     MATRIX "%g = vector.bitcast %mat : vector<2x4xf32> to vector<2x4xi32>\n%r = vector.extract "
            "%g[1] : vector<4xi32> from vector<2x4xi32>",
     "vector<4xi32>", E(std::memcpy(out.f, in.w, 16))},
    {"vector.broadcast", "%r = vector.broadcast %a : f32 to vector<4xf32>", "vector<4xf32>",
     E(for (int n = 0; n < 4; ++n) out.f[n] = in.a)},
    {"vector.broadcast", "%r = vector.broadcast %v : vector<4xf32> to vector<2x4xf32>\n" STORE_ROWS,
     "", E(std::memcpy(out.f, in.v, 16); std::memcpy(out.f + 4, in.v, 16))},
    {"vector.compressstore",
     "%m1 = vector.constant_mask [2] : vector<4xi1>\n%o = arith.constant 0 : "
     "index\nvector.compressstore %memory[%o], %m1, %v : memref<8xf32>, vector<4xi1>, "
     "vector<4xf32>",
     "", nullptr},
    {"vector.constant_mask", "%r = vector.constant_mask [3] : vector<4xi1>", "vector<4xi1>",
     E(for (int n = 0; n < 4; ++n) out.i[n] = n < 3)},
    {"vector.constant_mask",
     "%g = vector.constant_mask [1, 3] : vector<2x4xi1>\n%r = vector.extract %g[0] : vector<4xi1> "
     "from vector<2x4xi1>",
     "vector<4xi1>", E(for (int n = 0; n < 4; ++n) out.i[n] = n < 3)},
    {"vector.contract",
     R"(%r = vector.contract {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"], kind = #vector.kind<add>} %v, %w, %a : vector<4xf32>, vector<4xf32> into f32)",
     "f32",
     E(float sum = 0; for (int n = 0; n < 4; ++n) sum = std::fma(in.v[n], in.w[n], sum);
       out.f[0] = sum + in.a),
     false, 64},
    {"vector.contract",
     MATRIX
     R"(%g = vector.contract {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (k)>, affine_map<(m, k) -> (m)>], iterator_types = ["parallel", "reduction"], kind = #vector.kind<add>} %mat, %u, %acc : vector<2x4xf32>, vector<4xf32> into vector<2xf32>
      llvm.store %g, %out : vector<2xf32>, !llvm.ptr)",
     "", E(for (int n = 0; n < 4; ++n) {
       out.f[0] += in.v[n] * in.u[n];
       out.f[1] += in.w[n] * in.u[n];
     }),
     false, 64},
    {"vector.create_mask",
     "%o = arith.index_cast %s : i32 to index\n%r = vector.create_mask %o : vector<4xi1>",
     "vector<4xi1>", E(for (int n = 0; n < 4; ++n) out.i[n] = n < in.s)},
    {"vector.create_mask",
     "%o = arith.index_cast %s : i32 to index\n%two = arith.constant 2 : index\n%g = "
     "vector.create_mask %two, %o : vector<2x4xi1>\n%r = vector.extract %g[1] : vector<4xi1> from "
     "vector<2x4xi1>",
     "vector<4xi1>", E(for (int n = 0; n < 4; ++n) out.i[n] = n < in.s)},
    {"vector.deinterleave",
     "%r, %o = vector.deinterleave %v : vector<4xf32> -> vector<2xf32>\nllvm.store %r, %out : "
     "vector<2xf32>, !llvm.ptr\n%next = llvm.getelementptr %out[8] : (!llvm.ptr) -> !llvm.ptr, "
     "i8\nllvm.store %o, %next : vector<2xf32>, !llvm.ptr",
     "", E(out.f[0] = in.v[0]; out.f[1] = in.v[2]; out.f[2] = in.v[1]; out.f[3] = in.v[3])},
    {"vector.expandload",
     "%m1 = vector.constant_mask [2] : vector<4xi1>\n%o = arith.constant 0 : index\n%r = "
     "vector.expandload %memory[%o], %m1, %v : memref<8xf32>, vector<4xi1>, vector<4xf32> into "
     "vector<4xf32>",
     "vector<4xf32>", nullptr},
    {"vector.extract", "%r = vector.extract %v[2] : f32 from vector<4xf32>", "f32",
     E(out.f[0] = in.v[2])},
    {"vector.extract",
     "%o = arith.index_cast %s : i32 to index\n%r = vector.extract %v[%o] : f32 from vector<4xf32>",
     "f32", E(out.f[0] = in.v[in.s])},
    {"vector.extract",
     MATRIX "%o = arith.index_cast %s : i32 to index\n%r = vector.extract %mat[1, %o] : f32 from "
            "vector<2x4xf32>",
     "f32", E(out.f[0] = in.w[in.s])},
    {"vector.extract_strided_slice",
     "%r = vector.extract_strided_slice %v {offsets = [1], sizes = [2], strides = [1]} : "
     "vector<4xf32> to vector<2xf32>",
     "vector<2xf32>", E(out.f[0] = in.v[1]; out.f[1] = in.v[2])},
    {"vector.extract_strided_slice",
     MATRIX "%g = vector.extract_strided_slice %mat {offsets = [1], sizes = [1], strides = [1]} : "
            "vector<2x4xf32> to vector<1x4xf32>\n%r = vector.extract %g[0] : vector<4xf32> from "
            "vector<1x4xf32>",
     "vector<4xf32>", E(std::memcpy(out.f, in.w, 16))},
    {"vector.fma", "%r = vector.fma %v, %w, %u : vector<4xf32>", "vector<4xf32>",
     E(for (int n = 0; n < 4; ++n) out.f[n] = std::fma(in.v[n], in.w[n], in.u[n]))},
    {"vector.fma", MATRIX "%r = vector.fma %mat, %mat, %mat : vector<2x4xf32>\n" STORE_ROWS, "",
     E(for (int n = 0; n < 4; ++n) {
       out.f[n] = std::fma(in.v[n], in.v[n], in.v[n]);
       out.f[4 + n] = std::fma(in.w[n], in.w[n], in.w[n]);
     })},
    {"vector.from_elements", "%r = vector.from_elements %a, %b, %c, %a : vector<4xf32>",
     "vector<4xf32>", E(out.f[0] = in.a; out.f[1] = in.b; out.f[2] = in.c; out.f[3] = in.a)},
    {"vector.from_elements",
     "%g = vector.from_elements %a, %b, %c, %a : vector<2x2xf32>\n%r = vector.extract %g[1] : "
     "vector<2xf32> from vector<2x2xf32>",
     "vector<2xf32>", E(out.f[0] = in.c; out.f[1] = in.a)},
    {"vector.gather",
     "%m1 = vector.constant_mask [2] : vector<4xi1>\n%o = arith.constant 0 : index\n%r = "
     "vector.gather %memory[%o] [%x], %m1, %v : memref<8xf32>, vector<4xi32>, vector<4xi1>, "
     "vector<4xf32> into vector<4xf32>",
     "vector<4xf32>", nullptr},
    {"vector.insert", "%r = vector.insert %a, %v [1] : f32 into vector<4xf32>", "vector<4xf32>",
     E(std::memcpy(out.f, in.v, 16); out.f[1] = in.a)},
    {"vector.insert",
     "%o = arith.index_cast %s : i32 to index\n%r = vector.insert %a, %v [%o] : f32 into "
     "vector<4xf32>",
     "vector<4xf32>", E(std::memcpy(out.f, in.v, 16); out.f[in.s] = in.a)},
    {"vector.insert_strided_slice",
     "%g = vector.from_elements %a, %b : vector<2xf32>\n%r = vector.insert_strided_slice %g, %v "
     "{offsets = [2], strides = [1]} : vector<2xf32> into vector<4xf32>",
     "vector<4xf32>", E(std::memcpy(out.f, in.v, 16); out.f[2] = in.a; out.f[3] = in.b)},
    {"vector.insert_strided_slice",
     MATRIX "%r = vector.insert_strided_slice %u, %mat {offsets = [1, 0], strides = [1]} : "
            "vector<4xf32> into vector<2x4xf32>\n" STORE_ROWS,
     "", E(std::memcpy(out.f, in.v, 16); std::memcpy(out.f + 4, in.u, 16))},
    {"vector.interleave",
     "%g = vector.interleave %v, %w : vector<4xf32> -> vector<8xf32>\nllvm.store %g, %out : "
     "vector<8xf32>, !llvm.ptr",
     "", E(for (int n = 0; n < 4; ++n) {
       out.f[2 * n] = in.v[n];
       out.f[2 * n + 1] = in.w[n];
     })},
    {"vector.load",
     "%o = arith.constant 0 : index\n%r = vector.load %memory[%o] : memref<8xf32>, vector<4xf32>",
     "vector<4xf32>", nullptr},
    {"vector.mask", R"(%m1 = vector.constant_mask [3] : vector<4xi1>
      %r = vector.mask %m1 { vector.reduction <add>, %x : vector<4xi32> into i32 } : vector<4xi1> -> i32)",
     "i32", E(out.i[0] = wrapped(int64_t(in.x[0]) + in.x[1] + in.x[2]))},
    {"vector.maskedload",
     "%m1 = vector.constant_mask [2] : vector<4xi1>\n%o = arith.constant 0 : index\n%r = "
     "vector.maskedload %memory[%o], %m1, %v : memref<8xf32>, vector<4xi1>, vector<4xf32> into "
     "vector<4xf32>",
     "vector<4xf32>", nullptr},
    {"vector.maskedstore",
     "%m1 = vector.constant_mask [2] : vector<4xi1>\n%o = arith.constant 0 : "
     "index\nvector.maskedstore %memory[%o], %m1, %v : memref<8xf32>, vector<4xi1>, vector<4xf32>",
     "", nullptr},
    {"vector.multi_reduction",
     MATRIX "%g = vector.from_elements %a, %b : vector<2xf32>\n%r = vector.multi_reduction "
            "<maximumf>, %mat, %g [1] : vector<2x4xf32> to vector<2xf32>",
     "vector<2xf32>", E(out.f[0] = in.a; out.f[1] = in.b; for (int n = 0; n < 4; ++n) {
       out.f[0] = std::fmax(out.f[0], in.v[n]);
       out.f[1] = std::fmax(out.f[1], in.w[n]);
     })},
    {"vector.multi_reduction",
     MATRIX
     "%r = vector.multi_reduction <maximumf>, %mat, %u [0] : vector<2x4xf32> to vector<4xf32>",
     "vector<4xf32>",
     E(for (int n = 0; n < 4; ++n) out.f[n] = std::fmax(in.u[n], std::fmax(in.v[n], in.w[n])))},
    {"vector.multi_reduction",
     MATRIX "%r = vector.multi_reduction <minimumf>, %mat, %a [0, 1] : vector<2x4xf32> to f32",
     "f32",
     E(out.f[0] = in.a;
       for (int n = 0; n < 4; ++n) out.f[0] = std::fmin(out.f[0], std::fmin(in.v[n], in.w[n])))},
    {"vector.outerproduct",
     "%g = vector.from_elements %a, %b : vector<2xf32>\n%r = vector.outerproduct %g, %v : "
     "vector<2xf32>, vector<4xf32>\n" STORE_ROWS,
     "", E(for (int n = 0; n < 4; ++n) {
       out.f[n] = in.a * in.v[n];
       out.f[4 + n] = in.b * in.v[n];
     })},
    {"vector.outerproduct", "%r = vector.outerproduct %v, %a : vector<4xf32>, f32", "vector<4xf32>",
     E(for (int n = 0; n < 4; ++n) out.f[n] = in.v[n] * in.a)},
    {"vector.print", "vector.print %x : vector<4xi32>", "", E()},
    {"vector.reduction", "%r = vector.reduction <add>, %x : vector<4xi32> into i32", "i32",
     E(out.i[0] = wrapped(int64_t(in.x[0]) + in.x[1] + in.x[2] + in.x[3]))},
    {"vector.reduction", "%r = vector.reduction <xor>, %x, %i : vector<4xi32> into i32", "i32",
     E(out.i[0] = in.x[0] ^ in.x[1] ^ in.x[2] ^ in.x[3] ^ in.i)},
    {"vector.scalable.extract",
     "%g = arith.constant dense<0.0> : vector<[4]xf32>\n%r = vector.scalable.extract %g[0] : "
     "vector<4xf32> from vector<[4]xf32>",
     "vector<4xf32>", nullptr},
    {"vector.scalable.insert",
     "%g = arith.constant dense<0.0> : vector<[4]xf32>\n%o = vector.scalable.insert %v, %g[0] : "
     "vector<4xf32> into vector<[4]xf32>",
     "", nullptr},
    {"vector.scan",
     MATRIX "%r, %o = vector.scan <add>, %mat, %u {inclusive = true, reduction_dim = 0 : i64} : "
            "vector<2x4xf32>, vector<4xf32>\n" STORE_ROWS,
     "", E(for (int n = 0; n < 4; ++n) {
       out.f[n] = in.v[n];
       out.f[4 + n] = in.v[n] + in.w[n];
     })},
    {"vector.scatter",
     "%m1 = vector.constant_mask [2] : vector<4xi1>\n%o = arith.constant 0 : index\nvector.scatter "
     "%memory[%o] [%x], %m1, %v : memref<8xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32>",
     "", nullptr},
    {"vector.shape_cast",
     "%r = vector.shape_cast %mat : vector<2x4xf32> to vector<8xf32>\nllvm.store %r, %out : "
     "vector<8xf32>, !llvm.ptr\n",
     "", E(std::memcpy(out.f, in.v, 16); std::memcpy(out.f + 4, in.w, 16))},
    {"vector.shape_cast",
     "%g = vector.shape_cast %v : vector<4xf32> to vector<2x2xf32>\n%r = vector.extract %g[1] : "
     "vector<2xf32> from vector<2x2xf32>",
     "vector<2xf32>", E(out.f[0] = in.v[2]; out.f[1] = in.v[3])},
    {"vector.shuffle", "%r = vector.shuffle %v, %w [3, 4, 0, 7] : vector<4xf32>, vector<4xf32>",
     "vector<4xf32>",
     E(out.f[0] = in.v[3]; out.f[1] = in.w[0]; out.f[2] = in.v[0]; out.f[3] = in.w[3])},
    {"vector.step",
     "%g = vector.step : vector<4xindex>\n%r = arith.index_cast %g : vector<4xindex> to "
     "vector<4xi32>",
     "vector<4xi32>", E(for (int n = 0; n < 4; ++n) out.i[n] = n)},
    {"vector.store",
     "%o = arith.constant 0 : index\nvector.store %v, %memory[%o] : memref<8xf32>, vector<4xf32>",
     "", nullptr},
    {"vector.to_elements",
     "%g:4 = vector.to_elements %v : vector<4xf32>\n%r = arith.addf %g#1, %g#3 : f32", "f32",
     E(out.f[0] = in.v[1] + in.v[3])},
    {"vector.transfer_read",
     "%o = arith.constant 0 : index\n%r = vector.transfer_read %memory[%o], %a : memref<8xf32>, "
     "vector<4xf32>",
     "vector<4xf32>", nullptr},
    {"vector.transfer_write",
     "%o = arith.constant 0 : index\nvector.transfer_write %v, %memory[%o] : vector<4xf32>, "
     "memref<8xf32>",
     "", nullptr},
    {"vector.transpose",
     MATRIX "%g = vector.transpose %mat, [1, 0] : vector<2x4xf32> to vector<4x2xf32>\n%r = "
            "vector.extract %g[2] : vector<2xf32> from vector<4x2xf32>",
     "vector<2xf32>", E(out.f[0] = in.v[2]; out.f[1] = in.w[2])},
    {"vector.type_cast", "%o = vector.type_cast %memory : memref<8xf32> to memref<vector<8xf32>>",
     "", nullptr},
    {"vector.vscale", "%o = vector.vscale\n%r = arith.index_cast %o : index to i32", "i32",
     nullptr},
    {"vector.yield", R"(%m1 = vector.constant_mask [1] : vector<4xi1>
      %r = vector.mask %m1 { %o = vector.reduction <maxsi>, %x : vector<4xi32> into i32
        vector.yield %o : i32 } : vector<4xi1> -> i32)",
     "i32", E(out.i[0] = in.x[0])},

    //===--- scf
    {"scf.for", R"(%c1 = arith.constant 1 : i32
      %r = scf.for %n0 = %z to %k step %c1 iter_args(%sum = %i) -> i32 : i32 { %next = arith.addi %sum, %n0 : i32
        scf.yield %next : i32 })",
     "i32", E(out.i[0] = wrapped(int64_t(in.i) + in.k * (in.k - 1) / 2))},
    {"scf.yield", R"(%p = arith.cmpi slt, %i, %j : i32
      %r = scf.if %p -> f32 { scf.yield %a : f32 } else { scf.yield %b : f32 })",
     "f32", E(out.f[0] = in.i < in.j ? in.a : in.b)},
    {"scf.if", R"(%p = arith.cmpi slt, %i, %j : i32
      %r, %o = scf.if %p -> (vector<4xf32>, i32) { scf.yield %v, %i : vector<4xf32>, i32 } else { scf.yield %w, %j : vector<4xf32>, i32 })",
     "vector<4xf32>", E(std::memcpy(out.f, in.i < in.j ? in.v : in.w, 16))},
    {"scf.while", R"(%r = scf.while (%g = %k) : (i32) -> i32 { %p = arith.cmpi sgt, %g, %s : i32
        scf.condition(%p) %g : i32 } do { ^bb0(%o: i32): %c1 = arith.constant 1 : i32
        %next = arith.subi %o, %c1 : i32
        scf.yield %next : i32 })",
     "i32", E(out.i[0] = in.k > in.s ? in.s : in.k)},
    {"scf.condition", R"(%r = scf.while (%g = %k) : (i32) -> i32 { %p = arith.cmpi sgt, %g, %s : i32
        %twice = arith.addi %g, %g : i32
        scf.condition(%p) %twice : i32 } do { ^bb0(%o: i32): %c1 = arith.constant 3 : i32
        %next = arith.subi %o, %c1 : i32
        %less = arith.divsi %next, %c1 : i32
        scf.yield %less : i32 })",
     "i32", E(int32_t g = in.k; while (g > in.s) g = (2 * g - 3) / 3; out.i[0] = 2 * g)},
    {"scf.index_switch", R"(%o = arith.index_cast %s : i32 to index
      %r = scf.index_switch %o -> i32 case 0 { scf.yield %i : i32 } case 2 { scf.yield %j : i32 } default { scf.yield %k : i32 })",
     "i32",
     E(out.i[0] = in.s == 0   ? in.i
                  : in.s == 2 ? in.j
                              : in.k)},
    {"scf.index_switch", R"(%o = arith.index_cast %s : i32 to index
      %r = scf.index_switch %o -> vector<4xf32> case 1 { scf.yield %v : vector<4xf32> } default { scf.yield %w : vector<4xf32> })",
     "vector<4xf32>", E(std::memcpy(out.f, in.s == 1 ? in.v : in.w, 16))},
    {"scf.execute_region", R"(%p = arith.cmpi slt, %i, %j : i32
      %r = scf.execute_region -> i32 { cf.cond_br %p, ^bb1, ^bb2(%k : i32)
       ^bb1: cf.br ^bb2(%i : i32)
       ^bb2(%o: i32): %next = arith.addi %o, %s : i32
        scf.yield %next : i32 })",
     "i32", E(out.i[0] = wrapped(int64_t(in.i < in.j ? in.i : in.k) + in.s))},
    {"scf.execute_region",
     R"(%r = scf.execute_region -> vector<4xf32> { %o = arith.addf %v, %w : vector<4xf32>
        scf.yield %o : vector<4xf32> })",
     "vector<4xf32>", E(for (int n = 0; n < 4; ++n) out.f[n] = in.v[n] + in.w[n])},
    {"scf.execute_region", R"(%p = arith.cmpi slt, %i, %j : i32
      %r = scf.execute_region -> vector<4xf32> { cf.cond_br %p, ^bb1, ^bb2(%v : vector<4xf32>)
       ^bb1: cf.br ^bb2(%w : vector<4xf32>)
       ^bb2(%o: vector<4xf32>): %next = arith.addf %o, %u : vector<4xf32>
        scf.yield %next : vector<4xf32> })",
     "vector<4xf32>",
     E(for (int n = 0; n < 4; ++n) out.f[n] = (in.i < in.j ? in.w[n] : in.v[n]) + in.u[n])},
    {"scf.parallel", R"(%c1 = arith.constant 1 : index
      %c0 = arith.constant 0 : index
      %o = arith.index_cast %k : i32 to index
      %c3 = arith.constant 3 : index
      %r = scf.parallel (%n0, %n1) = (%c0, %c0) to (%o, %c3) step (%c1, %c1) init (%i) -> i32 {
        %x0 = arith.index_cast %n0 : index to i32
        %x1 = arith.index_cast %n1 : index to i32
        %p = arith.muli %x0, %x1 : i32
        scf.reduce(%p : i32) { ^bb0(%lhs: i32, %rhs: i32): %sum = arith.addi %lhs, %rhs : i32
          scf.reduce.return %sum : i32 } })",
     "i32", E(out.i[0] = wrapped(int64_t(in.i) + 3 * (in.k * (in.k - 1) / 2)))},
    {"scf.reduce", R"(%c1 = arith.constant 1 : index
      %c0 = arith.constant 0 : index
      %o = arith.index_cast %k : i32 to index
      scf.parallel (%n0) = (%c0) to (%o) step (%c1) { %x0 = arith.index_cast %n0 : index to i32
        llvm.store %x0, %out : i32, !llvm.ptr
        scf.reduce })",
     "", E(out.i[0] = in.k - 1)},
    {"scf.reduce.return", R"(%c1 = arith.constant 1 : index
      %c0 = arith.constant 0 : index
      %o = arith.index_cast %k : i32 to index
      %r = scf.parallel (%n0) = (%c0) to (%o) step (%c1) init (%a) -> f32 {
        scf.reduce(%b : f32) { ^bb0(%lhs: f32, %rhs: f32): %sum = arith.maximumf %lhs, %rhs : f32
          scf.reduce.return %sum : f32 } })",
     "f32", E(out.f[0] = std::fmax(in.a, in.b))},
    {"scf.forall", R"(scf.forall (%n0, %n1) in (2, 3) { %x0 = arith.index_cast %n0 : index to i32
        %x1 = arith.index_cast %n1 : index to i32
        %next = llvm.getelementptr %out[%x1] : (!llvm.ptr, i32) -> !llvm.ptr, i32
        llvm.store %x0, %next : i32, !llvm.ptr })",
     "", E(for (int n = 0; n < 3; ++n) out.i[n] = 1)},
    {"scf.forall.in_parallel",
     R"(scf.forall (%n0) in (2) { %x0 = arith.index_cast %n0 : index to i32
        llvm.store %x0, %out : i32, !llvm.ptr
        scf.forall.in_parallel { } })",
     "", E(out.i[0] = 1)},

    //===--- cf
    {"cf.assert",
     "%p = arith.cmpi sgt, %k, %z : i32\ncf.assert %p, \"k is positive\"\n%r = arith.addi %k, %k : "
     "i32",
     "i32", E(out.i[0] = 2 * in.k)},
    {"cf.br", "cf.br ^next(%a : f32)\n^next(%r: f32):", "f32", E(out.f[0] = in.a)},
    {"cf.cond_br", R"(%p = arith.cmpi slt, %i, %j : i32
      cf.cond_br %p, ^next(%v : vector<4xf32>), ^next(%w : vector<4xf32>)
     ^next(%r: vector<4xf32>):)",
     "vector<4xf32>", E(std::memcpy(out.f, in.i < in.j ? in.v : in.w, 16))},
    {"cf.switch",
     R"(cf.switch %s : i32, [ default: ^next(%k : i32), 0: ^next(%i : i32), 3: ^next(%j : i32) ]
     ^next(%r: i32):)",
     "i32",
     E(out.i[0] = in.s == 0   ? in.i
                  : in.s == 3 ? in.j
                              : in.k)},

    //===--- func
    {"func.call", "%r = func.call @twice(%a) : (f32) -> f32", "f32", E(out.f[0] = 2 * in.a), false,
     0, "func.func @twice(%x: f32) -> f32 { %y = arith.addf %x, %x : f32\nfunc.return %y : f32 }"},
    {"func.func",
     "%r:2 = func.call @both(%i, %v) : (i32, vector<4xf32>) -> (i32, vector<4xf32>)\nllvm.store "
     "%r#0, %out : i32, !llvm.ptr",
     "", E(out.i[0] = wrapped(2 * int64_t(in.i))), false, 0,
     "func.func @both(%x: i32, %v: vector<4xf32>) -> (i32, vector<4xf32>) { %y = arith.addi %x, %x "
     ": i32\nreturn %y, %v : i32, vector<4xf32> }"},
    {"func.return", "func.call @nothing() : () -> ()\n%r = arith.addi %i, %z : i32", "i32",
     E(out.i[0] = in.i), false, 0, "func.func @nothing() { func.return }"},
    {"func.call_indirect",
     "%g = func.constant @twice : (f32) -> f32\n%r = func.call_indirect %g(%a) : (f32) -> f32",
     "f32", nullptr, false, 0,
     "func.func @twice(%x: f32) -> f32 { %y = arith.addf %x, %x : f32\nfunc.return %y : f32 }"},
    {"func.constant",
     "%g = func.constant @twice : (f32) -> f32\n%p = arith.cmpi slt, %i, %j : i32\n"
     "%o = arith.select %p, %g, %g : (f32) -> f32\n%r = func.call_indirect %o(%a) : (f32) -> f32",
     "f32", nullptr, false, 0,
     "func.func @twice(%x: f32) -> f32 { %y = arith.addf %x, %x : f32\nfunc.return %y : f32 }"},
};

std::string replaced(std::string text, const std::string &from, const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

/// The code of a row on vectors of 4.
std::string vectorOf(std::string code) {
  const std::pair<const char *, const char *> names[] = {
      {"%a", "%v"}, {"%b", "%w"}, {"%c", "%u"}, {"%i", "%x"}, {"%j", "%y"}};
  for (auto [scalar, vector] : names)
    code = replaced(code, scalar, vector);
  std::string out;
  // Types stand after a colon, a comma of types, or `to`.
  size_t colon = code.rfind(" : ");
  out = code.substr(0, colon);
  std::string types = code.substr(colon);
  for (const char *type : {"f32", "f64", "i32", "i64"})
    types = replaced(types, type, std::string("vector<4x") + type + ">");
  return out + types;
}

std::string storing(const std::string &type) {
  if (type.empty())
    return "";
  if (type == "i1" || type == "vector<4xi1>") {
    std::string wide = type == "i1" ? "i32" : "vector<4xi32>";
    return "%wide = arith.extui %r : " + type + " to " + wide +
           "\nllvm.store %wide, %out : " + wide + ", !llvm.ptr\n";
  }
  return "llvm.store %r, %out : " + type + ", !llvm.ptr\n";
}

std::string kernel(const Row &row, const std::string &code, const std::string &result) {
  std::string loads;
  for (const Number &number : numbers)
    loads += "%at_" + std::string(number.name) + " = llvm.getelementptr %n[" +
             std::to_string(number.offset) + "] : (!llvm.ptr) -> !llvm.ptr, i8\n%" + number.name +
             " = llvm.load %at_" + number.name + " : !llvm.ptr -> " + number.type + "\n";
  std::string all = code + "\n" + storing(result);
  if (all.find("%mat ") != std::string::npos && all.find("%mat =") == std::string::npos)
    all = MATRIX + all;
  if (all.find("%acc") != std::string::npos)
    all = "%acc = arith.constant dense<0.0> : vector<2xf32>\n" + all;
  bool hasMemory = all.find("%memory") != std::string::npos;
  return "gpu.module @m {\n" + std::string(row.functions) +
         "\ncuda.kernel @k(%in: !llvm.ptr, %to: !llvm.ptr, %unused: i32" +
         (hasMemory ? ", " MEMREF : "") + ") attributes {cute.kernel} {" + prologue + loads + all +
         "return\n}\n}\n";
}

constexpr int threads = 32;

std::vector<In> inputs() {
  std::mt19937 random(3);
  auto between = [&](float low, float high) {
    return std::uniform_real_distribution<float>(low, high)(random);
  };
  std::vector<In> all(threads);
  for (In &in : all) {
    in = {};
    in.a = between(-8, 8), in.b = between(0.1f, 8), in.c = between(-1, 1);
    in.d = between(-8, 8), in.e = between(-8, 8);
    in.i = int32_t(random()), in.j = int32_t(random());
    in.k = 1 + int32_t(random() % 20), in.s = int32_t(random() % 4);
    in.l = int64_t(random()), in.m = int64_t(random());
    in.h = std::bit_cast<uint16_t>(_Float16(between(-4, 4)));
    in.q = uint16_t(std::bit_cast<uint32_t>(between(-4, 4)) >> 16);
    in.t = int8_t(random());
    for (int n = 0; n < 4; ++n) {
      in.v[n] = between(-8, 8), in.w[n] = between(0.1f, 8), in.u[n] = between(-1, 1);
      in.x[n] = int32_t(random()), in.y[n] = int32_t(random());
    }
  }
  return all;
}

/// Whether two floats are at most so many ulps apart; near 0, of numbers around 1.
bool isNear(float got, float expected, int ulps) {
  if (std::isnan(expected) || std::isinf(expected))
    return std::isnan(expected) ? std::isnan(got) : got == expected;
  float magnitude = std::max(std::fabs(expected), 1e-3f);
  float ulp = std::nextafter(magnitude, INFINITY) - magnitude;
  return std::fabs(got - expected) <= float(ulps) * ulp;
}

struct Counts {
  size_t right = 0, refused = 0;
};

void check(const Row &row, const std::string &text, const std::vector<In> &in,
           const std::vector<Out> &expected, Counts &counts) {
  std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t *>(in.data()),
                                 in.size() * sizeof(In));
  Outcome outcome =
      runBlock(text, bytes, std::vector<uint8_t>(threads * sizeof(Out)), {.threads = threads});
  if (!row.expected) {
    ++counts.refused;
    EXPECT_FALSE(outcome.ran) << "this row says that it is refused";
    EXPECT_NE(outcome.errors.find("kernel.mlir"), std::string::npos) << outcome.errors;
    // By the name of the op, or of one that has no code.
    EXPECT_NE(
        outcome.errors.find("'" + std::string(row.op).substr(0, std::string(row.op).find('.'))),
        std::string::npos)
        << outcome.errors;
    return;
  }
  ASSERT_TRUE(outcome.ran) << text << outcome.errors;
  ++counts.right;
  for (size_t t = 0; t < threads; ++t) {
    Out got;
    std::memcpy(&got, outcome.out.data() + t * sizeof(Out), sizeof(Out));
    if (row.ulps == 0) {
      ASSERT_EQ(std::memcmp(&got, &expected[t], sizeof(Out)), 0)
          << text << "thread " << t << ": " << got.f[0] << " (" << got.i[0] << ") instead of "
          << expected[t].f[0] << " (" << expected[t].i[0] << ")";
      continue;
    }
    for (int n = 0; n < 16; ++n)
      ASSERT_TRUE(isNear(got.f[n], expected[t].f[n], row.ulps))
          << text << "thread " << t << ": " << got.f[n] << " instead of " << expected[t].f[n];
  }
}

TEST(UpstreamOps, EveryOneComputesOrIsRefused) {
  std::vector<In> in = inputs();
  Counts counts;
  for (const Row &row : rows) {
    SCOPED_TRACE(std::string(row.op) + ": " + row.code);
    std::vector<Out> expected(threads);
    for (int t = 0; t < threads; ++t) {
      std::memset(&expected[size_t(t)], 0, sizeof(Out));
      if (row.expected)
        row.expected(in[size_t(t)], expected[size_t(t)]);
    }
    check(row, kernel(row, row.code, row.result), in, expected, counts);
    if (!row.elementwise)
      continue;
    for (int t = 0; t < threads; ++t) {
      In one = in[size_t(t)];
      Out &all = expected[size_t(t)];
      std::memset(&all, 0, sizeof(Out));
      for (int n = 0; n < 4; ++n) {
        one.a = in[size_t(t)].v[n], one.b = in[size_t(t)].w[n], one.c = in[size_t(t)].u[n];
        one.i = in[size_t(t)].x[n], one.j = in[size_t(t)].y[n];
        Out lane{};
        row.expected(one, lane);
        if (std::string_view(row.result).ends_with("64"))
          all.l[n] = lane.l[0];
        else
          all.i[n] = lane.i[0];
      }
    }
    check(row, kernel(row, vectorOf(row.code), "vector<4x" + std::string(row.result) + ">"), in,
          expected, counts);
  }
  std::printf("%zu cases compute, %zu are refused\n", counts.right, counts.refused);
}

/// As the op is defined: nested parentheses, and its own punctuation.
TEST(UpstreamOps, VectorsArePrinted) {
  const std::string text = R"mlir(gpu.module @m {
    cuda.kernel @k(%in: !llvm.ptr, %to: !llvm.ptr, %n: i32) attributes {cute.kernel} {
      %x = llvm.load %in : !llvm.ptr -> vector<4xi32>
      %m = vector.shape_cast %x : vector<4xi32> to vector<2x2xi32>
      vector.print str "100% of "
      vector.print %x : vector<4xi32>
      vector.print %m : vector<2x2xi32>
      vector.print %n : i32 punctuation <comma>
      %h = arith.constant 1.5 : f16
      vector.print %h : f16
      return
    } })mlir";
  const int32_t in[] = {1, -2, 3, 2147483647};
  std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t *>(in), sizeof in);
  Outcome outcome = runBlock(text, bytes, std::vector<uint8_t>(4), {.n = 7});
  ASSERT_TRUE(outcome.ran) << outcome.errors;
  EXPECT_EQ(outcome.printed, "100% of ( 1, -2, 3, 2147483647 )\n( ( 1, -2 ), ( 3, 2147483647 ) "
                             ")\n7, 1.500000\n");
}

/// Functions of vectors of several dimensions, which the steps of expansion leave.
TEST(UpstreamOps, FunctionsOfMatrices) {
  struct Function {
    const char *op;
    double (*expected)(double);
  };
  for (auto [op, expected] : {Function{"math.exp", std::exp},
                              {"math.cosh", std::cosh},
                              {"math.log1p", std::log1p},
                              {"math.cbrt", std::cbrt},
                              {"math.tanh", std::tanh}}) {
    const std::string text = R"mlir(gpu.module @m {
    cuda.kernel @k(%in: !llvm.ptr, %to: !llvm.ptr, %n: i32) attributes {cute.kernel} {
      %x = llvm.load %in : !llvm.ptr -> vector<6xf32>
      %m = vector.shape_cast %x : vector<6xf32> to vector<2x3xf32>
      %y = )mlir" + std::string(op) +
                             R"mlir( %m : vector<2x3xf32>
      %f = vector.shape_cast %y : vector<2x3xf32> to vector<6xf32>
      llvm.store %f, %to : vector<6xf32>, !llvm.ptr
      return
    } })mlir";
    // Vectors of six floats take the room of eight.
    const float in[8] = {0.5f, 1.0f, 0.25f, 2.0f, 3.5f, 0.125f};
    std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t *>(in), sizeof in);
    Outcome outcome = runBlock(text, bytes, std::vector<uint8_t>(sizeof in));
    ASSERT_TRUE(outcome.ran) << op << outcome.errors;
    for (int i = 0; i < 6; ++i) {
      float got = 0;
      std::memcpy(&got, outcome.out.data() + i * 4, 4);
      EXPECT_NEAR(got, expected(in[i]), 1e-6 * expected(in[i])) << op << " of " << in[i];
    }
  }
}

/// Sines of vectors of large numbers, which take more bits of 2/pi.
TEST(UpstreamOps, SinesOfVectors) {
  struct Function {
    const char *op;
    double (*expected)(double);
  };
  for (auto [op, expected] :
       {Function{"math.sin", std::sin}, {"math.cos", std::cos}, {"math.tan", std::tan}})
    for (const char *type : {"f32", "f64"}) {
      bool isDouble = type[1] == '6';
      const std::string vector = cat("vector<4x", type, ">");
      const std::string text = cat(R"mlir(gpu.module @m {
    cuda.kernel @k(%in: !llvm.ptr, %to: !llvm.ptr, %n: i32) attributes {cute.kernel} {
      %x = llvm.load %in : !llvm.ptr -> )mlir",
                                   vector, "\n      %y = ", op, " %x : ", vector,
                                   "\n      llvm.store %y, %to : ", vector, R"mlir(, !llvm.ptr
      return
    } })mlir");
      const double in[4] = {1e10, -3e38, 105700, 0.5};
      std::vector<uint8_t> bytes(32);
      double given[4];
      for (size_t i = 0; i < 4; ++i) {
        float narrow = float(in[i]);
        given[i] = isDouble ? in[i] : double(narrow);
        std::memcpy(&bytes[i * (isDouble ? 8 : 4)],
                    isDouble ? static_cast<const void *>(&in[i]) : &narrow, isDouble ? 8 : 4);
      }
      Outcome outcome = runBlock(text, bytes, std::vector<uint8_t>(bytes.size()));
      ASSERT_TRUE(outcome.ran) << op << outcome.errors;
      for (size_t i = 0; i < 4; ++i) {
        double got = 0;
        float narrow = 0;
        std::memcpy(isDouble ? static_cast<void *>(&got) : &narrow,
                    &outcome.out[i * (isDouble ? 8 : 4)], isDouble ? 8 : 4);
        double right = expected(given[i]);
        EXPECT_NEAR(isDouble ? got : double(narrow), right,
                    (isDouble ? 1e-15 : 1e-6) * std::abs(right))
            << op << " of " << given[i] << " as " << type;
      }
    }
}

TEST(UpstreamOps, EveryRegisteredOpHasARow) {
  // The lowering refuses these two, with a sentence about functions as values.
  std::set<std::string> known, passes = {"func.constant", "func.call_indirect"};
  for (const Row &row : rows) {
    known.insert(row.op);
    if (row.expected)
      passes.insert(row.op);
  }
  driver::Compiler compiler;
  for (const char *dialect : {"scf", "cf", "func", "arith", "math", "vector"}) {
    size_t ops = 0;
    for (mlir::RegisteredOperationName name : compiler.context().getRegisteredOperations()) {
      if (name.getDialectNamespace() != dialect)
        continue;
      ++ops;
      EXPECT_EQ(opRowOf(name).has_value(), passes.contains(name.getStringRef().str()))
          << "the gate and the rows of this test disagree about " << name.getStringRef().str();
      EXPECT_TRUE(known.contains(name.getStringRef().str()))
          << name.getStringRef().str() << " has no row";
    }
    EXPECT_GT(ops, 3u) << dialect;
  }
}

} // namespace
} // namespace tessera::lower::test
