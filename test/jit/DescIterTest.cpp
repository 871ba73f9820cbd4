// Descriptor iterators at run time: every place that they reach, against loops over the definition.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expected: at index i an iterator points at element layout(i), where i counts the first mode
// first.
#include "Session.h"

#include "tessera/jit/HostCode.h"

#include <gtest/gtest.h>

namespace tessera::jit::test {
namespace {

/// Calls `at` of a module with integers and returns the i64 that it writes to its last argument.
class Walk {
public:
  explicit Walk(const std::string &text) : module(session.lower(text)) {
    if (!module)
      std::abort();
    Result<HostCode> compiled = HostCode::compile(*module);
    if (!compiled) {
      ADD_FAILURE() << refusal(compiled);
      std::abort();
    }
    code.emplace(*std::move(compiled));
  }
  template <class... Integers> int64_t operator()(Integers... integers) {
    int64_t got = -1;
    void *out = &got, *arguments[] = {&integers..., &out};
    auto called = code->call("at", arguments);
    EXPECT_TRUE(called) << refusal(called);
    return got;
  }

private:
  Session session;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::optional<HostCode> code;
};

// The four operands of docs/specification/abi.md#layouts-and-iterators: ceil_div(extent, tile)
// places, `stride` floats apart.
TEST(DescIter, StepsOverTiles) {
  Walk at(R"mlir(
    func.func @at(%base: i64, %extent: i32, %tile: i32, %stride: i32, %i: i32, %out: !llvm.ptr) {
      %p = cute.inttoptr(%base) : i64 to !cute.ptr<f32, generic>
      %0 = cute.get_iter %p, %extent, %tile, %stride : !cute.ptr<f32, generic>, i32, i32, i32
      %n = cute.make_int_tuple(%i) : (i32) -> !cute.int_tuple<"?">
      %1 = cute.add_offset(%0, %n) : (!cute.desc_iter<!cute.ptr<f32, generic>, "?:?">, !cute.int_tuple<"?">)
      %2 = cute.deref_desc_iter(%1) : (!cute.desc_iter<!cute.ptr<f32, generic>, "?:?">)
      %a = cute.ptrtoint(%2) : !cute.ptr<f32, generic> to i64
      %l = cute.get_layout(%1) : !cute.desc_iter<!cute.ptr<f32, generic>, "?:?">
      %s = cute.size(%l) : (!cute.layout<"?:?">) -> !cute.int_tuple<"?">
      %count = cute.get_scalars(%s) : (!cute.int_tuple<"?">) -> i32
      %wide = arith.extsi %count : i32 to i64
      %high = arith.constant 1000000 : i64
      %scaled = arith.muli %wide, %high : i64
      %sum = arith.addi %a, %scaled : i64
      llvm.store %sum, %out : i64, !llvm.ptr
      return
    })mlir");
  for (int32_t extent : {1, 63, 64, 65, 1000})
    for (int32_t tile : {1, 64})
      for (int32_t stride : {0, 1, 100})
        for (int32_t i = 0; i < 5; ++i) {
          int32_t count = 0;
          for (int32_t first = 0; first < extent; first += tile)
            ++count;
          EXPECT_EQ(at(int64_t(4096), extent, tile, stride, i),
                    4096 + 4 * i * stride + int64_t(count) * 1000000)
              << extent << " by " << tile << " stride " << stride << " at " << i;
        }
}

// Forward and back in a loop over a layout of three modes, one extent and one stride known at run
// time.
TEST(DescIter, WalksALayoutForwardAndBack) {
  Walk at(R"mlir(
    func.func @at(%n: i32, %s: i32, %forward: i32, %back: i32, %out: !llvm.ptr) {
      %base = arith.constant 0 : i64
      %p = cute.inttoptr(%base) : i64 to !cute.ptr<f16, generic>
      %shape = cute.make_shape(%n) : (i32) -> !cute.shape<"((2,?),3)">
      %stride = cute.make_stride(%s) : (i32) -> !cute.stride<"((7,?),1)">
      %l = cute.make_layout(%shape, %stride) : (!cute.shape<"((2,?),3)">, !cute.stride<"((7,?),1)">)
      %0 = cute.make_desc_iter(%p, %l) : (!cute.ptr<f16, generic>, !cute.layout<"((2,?),3):((7,?),1)">)
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %one = cute.static : !cute.int_tuple<"1">
      %minus = cute.static : !cute.int_tuple<"-1">
      %1 = scf.for %i = %c0 to %forward step %c1 iter_args(%it = %0) -> (!cute.desc_iter<!cute.ptr<f16, generic>, "((2,?),3):((7,?),1)">) : i32 {
        %next = cute.add_offset(%it, %one) : (!cute.desc_iter<!cute.ptr<f16, generic>, "((2,?),3):((7,?),1)">, !cute.int_tuple<"1">)
        scf.yield %next : !cute.desc_iter<!cute.ptr<f16, generic>, "((2,?),3):((7,?),1)">
      }
      %2 = scf.for %i = %c0 to %back step %c1 iter_args(%it = %1) -> (!cute.desc_iter<!cute.ptr<f16, generic>, "((2,?),3):((7,?),1)">) : i32 {
        %next = cute.add_offset(%it, %minus) : (!cute.desc_iter<!cute.ptr<f16, generic>, "((2,?),3):((7,?),1)">, !cute.int_tuple<"-1">)
        scf.yield %next : !cute.desc_iter<!cute.ptr<f16, generic>, "((2,?),3):((7,?),1)">
      }
      %3 = cute.deref_desc_iter(%2) : (!cute.desc_iter<!cute.ptr<f16, generic>, "((2,?),3):((7,?),1)">)
      %a = cute.ptrtoint(%3) : !cute.ptr<f16, generic> to i64
      llvm.store %a, %out : i64, !llvm.ptr
      return
    })mlir");
  for (int32_t n : {1, 3, 4})
    for (int32_t s : {1, 50})
      for (int32_t forward = 0; forward < 6 * n; ++forward)
        for (int32_t back : {0, forward / 2, forward}) {
          int32_t i = forward - back;
          int64_t element = i % 2 * 7 + i / 2 % n * s + i / 2 / n;
          EXPECT_EQ(at(n, s, forward, back), 2 * element) << n << ", " << s << " at " << i;
        }
}

// S<2,1,3> exclusive-ors bits 4 and 5 of the index into bits 1 and 2.
TEST(DescIter, SwizzlesWhatItReaches) {
  Walk at(R"mlir(
    func.func @at(%i: i32, %out: !llvm.ptr) {
      %base = arith.constant 0 : i64
      %p = cute.inttoptr(%base) : i64 to !cute.ptr<i8, generic>
      %l = cute.static : !cute.composed_layout<"S<2,1,3> o 0 o (8,8):(8,1)">
      %0 = cute.make_desc_iter(%p, %l) : (!cute.ptr<i8, generic>, !cute.composed_layout<"S<2,1,3> o 0 o (8,8):(8,1)">)
      %n = cute.make_int_tuple(%i) : (i32) -> !cute.int_tuple<"?">
      %1 = cute.add_offset(%0, %n) : (!cute.desc_iter<!cute.ptr<i8, generic>, "S<2,1,3> o 0 o (8,8):(8,1)">, !cute.int_tuple<"?">)
      %2 = cute.deref_desc_iter(%1) : (!cute.desc_iter<!cute.ptr<i8, generic>, "S<2,1,3> o 0 o (8,8):(8,1)">)
      %a = cute.ptrtoint(%2) : !cute.ptr<i8, generic> to i64
      llvm.store %a, %out : i64, !llvm.ptr
      return
    })mlir");
  for (int32_t i = 0; i < 64; ++i) {
    int64_t index = i % 8 * 8 + i / 8;
    for (int bit : {1, 2})
      if (index >> (bit + 3) & 1)
        index ^= 1 << bit;
    EXPECT_EQ(at(i), index) << i;
  }
}

} // namespace
} // namespace tessera::jit::test
