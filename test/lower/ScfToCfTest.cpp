// Regions become the branches that upstream's pass of the same name makes of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/Passes.h"
#include "test/driver/Reading.h"

#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

namespace tessera::lower::test {
namespace {

/// Every op with regions of scf, in each other and one after the other, and a condition that is
/// folded in place.
constexpr char regions[] = R"(
func.func @nested(%n: index, %c: i1, %x: i32) -> i32 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %true = arith.constant true
  %not = arith.xori %c, %true : i1
  %sum = scf.for %i = %zero to %n step %one iter_args(%so_far = %x) -> i32 {
    %chosen = scf.if %not -> i32 {
      %more = arith.addi %so_far, %x : i32
      scf.yield %more : i32
    } else {
      %less = scf.for %j = %zero to %i step %one iter_args(%left = %so_far) -> i32 {
        %next = arith.subi %left, %x : i32
        scf.yield %next : i32
      }
      scf.yield %less : i32
    }
    scf.if %c {
      func.call @see(%chosen) : (i32) -> ()
    }
    scf.yield %chosen : i32
  }
  %found = scf.while (%at = %sum) : (i32) -> i32 {
    %less = arith.cmpi slt, %at, %x : i32
    scf.condition(%less) %at : i32
  } do {
  ^bb0(%at: i32):
    %next = scf.execute_region -> i32 {
      cf.cond_br %c, ^a, ^b
    ^a:
      %doubled = arith.addi %at, %at : i32
      scf.yield %doubled : i32
    ^b:
      scf.yield %x : i32
    }
    scf.yield %next : i32
  }
  %case = scf.index_switch %n -> i32
  case 2 {
    scf.yield %found : i32
  }
  case 5 {
    %inner = scf.if %c -> i32 {
      scf.yield %x : i32
    } else {
      scf.yield %sum : i32
    }
    scf.yield %inner : i32
  }
  default {
    scf.yield %x : i32
  }
  scf.parallel (%i, %j) = (%zero, %zero) to (%n, %n) step (%one, %one) {
    scf.if %c {
      func.call @see(%case) : (i32) -> ()
    }
    scf.reduce
  }
  scf.forall (%i) in (%n) {
    scf.if %not {
      func.call @see(%found) : (i32) -> ()
    }
  }
  return %case : i32
}
func.func private @see(i32)
)";

std::string lowered(const std::string &text, std::unique_ptr<mlir::Pass> pass) {
  driver::test::Reading reading(text, "regions.mlir");
  EXPECT_TRUE(reading.module) << reading.errors;
  if (!reading.module)
    return "";
  mlir::PassManager passes(reading.module->getContext());
  passes.addPass(std::move(pass));
  EXPECT_TRUE(mlir::succeeded(passes.run(*reading.module))) << reading.errors;
  std::string printed;
  llvm::raw_string_ostream(printed) << *reading.module;
  return printed;
}

TEST(ScfToCf, MakesWhatUpstreamMakes) {
  std::string ours = lowered(regions, createConvertScfToCf());
  EXPECT_EQ(ours, lowered(regions, mlir::createSCFToControlFlowPass()));
  EXPECT_EQ(ours.find("scf."), std::string::npos) << ours;
}

TEST(ScfToCf, LeavesWhatNoPatternTakes) {
  // A loop with a tensor that its turns write together is for other lowerings.
  std::string ours = lowered(R"(
func.func @together(%n: index, %t: tensor<4xf32>, %c: i1) -> tensor<4xf32> {
  scf.if %c {
    func.call @see() : () -> ()
  }
  %r = scf.forall (%i) in (%n) shared_outs(%o = %t) -> tensor<4xf32> {
    scf.forall.in_parallel {
    }
  }
  return %r : tensor<4xf32>
}
func.func private @see()
)",
                             createConvertScfToCf());
  EXPECT_NE(ours.find("scf.forall"), std::string::npos) << ours;
  EXPECT_EQ(ours.find("scf.if"), std::string::npos) << ours;
}

} // namespace
} // namespace tessera::lower::test
