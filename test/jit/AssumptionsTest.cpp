// --check-layout-assumptions: code that asserts exactly where the algebra's preconditions fail.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expected: brute force over all coordinates. An input is right if the value at every coordinate is
// A(B(c)).
#include "Session.h"

#include "tessera/jit/HostCode.h"
#include "tessera/lower/Passes.h"

#include "mlir/Conversion/ConvertToLLVM/ToLLVMPass.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

namespace tessera::jit::test {
namespace {

/// Both ways from algebra to arithmetic: cute-expand-ops, and the bank of convert-cute-to-llvm
/// alone.
class Assumptions : public testing::TestWithParam<bool> {
protected:
  HostCode compiled(Session &session, mlir::OwningOpRef<mlir::ModuleOp> &module,
                    const std::string &text) {
    module =
        GetParam() ? session.lower(text, /*checkAssumptions=*/true) : throughTheBank(session, text);
    if (!module)
      std::abort();
    Result<HostCode> code = HostCode::compile(*module);
    if (!code) {
      ADD_FAILURE() << refusal(code);
      std::abort();
    }
    return *std::move(code);
  }

private:
  static mlir::OwningOpRef<mlir::ModuleOp> throughTheBank(Session &session,
                                                          const std::string &text) {
    mlir::OwningOpRef<mlir::ModuleOp> module = session.parse(text);
    mlir::PassManager passes(&session.context);
    lower::ConvertCuteToLLVMOptions bank;
    bank.checkLayoutAssumptions = true;
    passes.addPass(lower::createCuteDesugar());
    passes.addPass(lower::createConvertCuteToLLVM(bank));
    passes.addPass(mlir::createSCFToControlFlowPass());
    passes.addPass(lower::createConvertDeviceOps());
    passes.addPass(mlir::createConvertToLLVMPass());
    passes.addPass(mlir::createReconcileUnrealizedCastsPass());
    return module && mlir::succeeded(passes.run(*module)) ? std::move(module) : nullptr;
  }
};
INSTANTIATE_TEST_SUITE_P(Of, Assumptions, testing::Bool(),
                         [](const auto &info) { return info.param ? "ExpandedOps" : "TheBank"; });

/// (n,5):(1,7) at (x, y), which counts x first.
int64_t left(int64_t n, int64_t index) { return index % n + index / n * 7; }

// composition((n,5):(1,7), 4:3) is (ceil(n/3),...):(3,7): the function 0, 3, 6, 9 through the left
// layout only if 3 divides n, or n divides 3, or all of it stays in mode 0.
TEST_P(Assumptions, CompositionAssertsWhereItWouldBeWrong) {
  Session session;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  HostCode code = compiled(session, module, R"mlir(
    func.func @at(%n: i32, %i: i32, %out: !llvm.ptr) {
      %s = cute.make_shape(%n) : (i32) -> !cute.shape<"(?,5)">
      %t = cute.static : !cute.stride<"(1,7)">
      %l = cute.make_layout(%s, %t) : (!cute.shape<"(?,5)">, !cute.stride<"(1,7)">) -> !cute.layout<"(?,5):(1,7)">
      %r = cute.static : !cute.layout<"4:3">
      %c = cute.composition(%l, %r) : (!cute.layout<"(?,5):(1,7)">, !cute.layout<"4:3">)
      %at = cute.make_coord(%i) : (i32) -> !cute.coord<"?">
      %x = cute.crd2idx(%at, %c) : (!cute.coord<"?">, !cute.layout<"(?,?):(3,?{div=7})">)
      %0 = cute.get_scalars(%x) : (!cute.int_tuple<"?">) -> i32
      llvm.store %0, %out : i32, !llvm.ptr
      return
    })mlir");
  int silent = 0, asserted = 0;
  for (int32_t n = 1; n <= 40; ++n)
    for (int32_t i = 0; i < 4; ++i) {
      if (i * 3 >= n * 5)
        continue; // outside the left layout
      int32_t got = -1;
      void *out = &got, *arguments[] = {&n, &i, &out};
      auto called = code.call("at", arguments);
      if (!called) {
        ++asserted;
        EXPECT_NE(refusal(called).find("layout algebra: expects "), std::string::npos)
            << refusal(called);
        continue;
      }
      EXPECT_EQ(got, left(n, i * 3)) << "n = " << n << ", i = " << i;
      ++silent;
    }
  // 3 | n: 13 values; n = 1; n >= 10 without the multiples of 3: 20. The others assert for all
  // their coordinates.
  EXPECT_GT(silent, 120);
  EXPECT_GT(asserted, 10);
}

// (3,2):(1,4) walks 0, 1, 2, 4, 5, 6: its modes must not carry into each other after a mode of n.
TEST_P(Assumptions, ModesThatCarryAssert) {
  Session session;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  HostCode code = compiled(session, module, R"mlir(
    func.func @at(%n: i32, %i: i32, %out: !llvm.ptr) {
      %s = cute.make_shape(%n) : (i32) -> !cute.shape<"(?,9)">
      %t = cute.static : !cute.stride<"(1,100)">
      %l = cute.make_layout(%s, %t) : (!cute.shape<"(?,9)">, !cute.stride<"(1,100)">) -> !cute.layout<"(?,9):(1,100)">
      %r = cute.static : !cute.layout<"(3,2):(1,4)">
      %c = cute.composition(%l, %r) : (!cute.layout<"(?,9):(1,100)">, !cute.layout<"(3,2):(1,4)">)
      %at = cute.make_coord(%i) : (i32) -> !cute.coord<"?">
      %x = cute.crd2idx(%at, %c) : (!cute.coord<"?">, !cute.layout<"((?,?),(?,?)):((1,?{div=100}),(4,?{div=100}))">)
      %0 = cute.get_scalars(%x) : (!cute.int_tuple<"?">) -> i32
      llvm.store %0, %out : i32, !llvm.ptr
      return
    })mlir");
  std::string asserted, carried;
  for (int32_t n = 1; n <= 12; ++n)
    for (int32_t i = 0; i < 6; ++i) {
      int64_t index = i % 3 + i / 3 * 4;
      int32_t got = -1;
      void *out = &got, *arguments[] = {&n, &i, &out};
      auto called = code.call("at", arguments);
      if (called)
        EXPECT_EQ(got, index % n + index / n * 100) << "n = " << n << ", i = " << i;
      else if (i == 0)
        (refusal(called).find("add up") == std::string::npos ? asserted : carried) += cat(n, " ");
    }
  // 1: every step leaves the mode. 4: the second mode steps over all of it. 7 and more: all stays
  // in mode 0.
  EXPECT_EQ(asserted, "2 3 "); // 3 elements are not a whole number of 2, a step of 4 none of 3
  EXPECT_EQ(carried, "5 6 ");  // 4 + 1 of 5, 4 + 2 of 6
}

TEST_P(Assumptions, ProductsOf32BitsThatDoNotFitAssert) {
  Session session;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  HostCode code = compiled(session, module, R"mlir(
    func.func @size(%m: i32, %n: i32, %out: !llvm.ptr) {
      %s = cute.make_shape(%m, %n) : (i32, i32) -> !cute.shape<"(?,?)">
      %l = cute.make_layout(%s) : (!cute.shape<"(?,?)">) -> !cute.layout<"(?,?):(1,?)">
      %x = cute.size(%l) : (!cute.layout<"(?,?):(1,?)">) -> !cute.int_tuple<"?">
      %0 = cute.get_scalars(%x) : (!cute.int_tuple<"?">) -> i32
      llvm.store %0, %out : i32, !llvm.ptr
      return
    })mlir");
  const std::pair<int32_t, int32_t> sizes[] = {{1, 1},         {46340, 46340}, {46341, 46341},
                                               {65536, 32767}, {65536, 32768}, {2147483647, 1},
                                               {2147483647, 2}};
  for (auto [m, n] : sizes) {
    int32_t got = -1;
    void *out = &got, *arguments[] = {&m, &n, &out};
    auto called = code.call("size", arguments);
    int64_t expected = int64_t(m) * n;
    EXPECT_EQ(called.ok(), expected <= 2147483647) << m << " x " << n;
    if (called.ok())
      EXPECT_EQ(got, expected);
  }
}

} // namespace
} // namespace tessera::jit::test
