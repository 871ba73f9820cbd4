// What an import keeps: locations, aliases, other attributes; and what it leaves alone.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Session.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/Location.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace tessera::import::test {

static std::string locationOf(Session &session, StringRef name) {
  std::string out;
  session.module().walk([&](Operation *op) {
    if (op->getName().getStringRef() == name)
      llvm::raw_string_ostream(out) << op->getLoc();
  });
  return out;
}

TEST(Import, OurSpellingPaysNothing) {
  Session session;
  ASSERT_TRUE(session.read("func.func @k(%i: i32) {\nnvvm.barrier id = %i\nreturn\n}\n"));
  EXPECT_TRUE(session.report().ops.empty());
  EXPECT_EQ(session.report().foreign, 0);
  EXPECT_GT(session.report().direct, 0);
  EXPECT_TRUE(session.diagnostics().empty());
}

TEST(Import, CountsForeignOps) {
  Session session;
  ASSERT_TRUE(session.read("func.func @k(%f: f32) {\n%0 = nvvm.fmax %f, %f\n%1 = nvvm.fmax %0, %f\n"
                           "nvvm.cluster.wait\nreturn\n}\n"));
  EXPECT_EQ(session.report().ops,
            (std::map<std::string, unsigned>{{"nvvm.fmax", 2}, {"nvvm.cluster.wait", 1}}));
}

TEST(Import, KeepsLocations) {
  Session session;
  ASSERT_TRUE(session.read(R"mlir(
#gemm = loc("gemm.py":7:3)
func.func @k(%f: f32, %i: i32, %b: i1) {
  %0 = nvvm.fmax %f, %f loc(callsite("softmax"("attention.py":12:5) at #gemm))
  %1 = "nvvm.vote.ballot.sync"(%i, %b) : (i32, i1) -> i32 loc("vote")
  %2 = nvvm.rcp.approx.ftz.f %0 : f32
  nvvm.fence.acq_rel.cta loc(fused["a", #gemm])
  return
}
)mlir"));
  EXPECT_EQ(locationOf(session, "llvm.call_intrinsic"),
            R"(loc(callsite("softmax"("attention.py":12:5) at "gemm.py":7:3)))");
  EXPECT_EQ(locationOf(session, "nvvm.vote.sync"), R"(loc("vote"))");
  EXPECT_EQ(locationOf(session, "nvvm.rcp.approx.ftz.f"), R"(loc("test.mlir":6:8))");
  EXPECT_EQ(locationOf(session, "llvm.fence"), R"(loc(fused["a", "gemm.py":7:3]))");
}

TEST(Import, ReportsAtTheLocationOfTheOp) {
  Session session;
  EXPECT_FALSE(session.read(
      "func.func @k() {\n\"nvvm.tango\"() : () -> () loc(\"gemm.py\":7:3)\nreturn\n}\n"));
  EXPECT_TRUE(session.shows(
      "loc(\"gemm.py\":7:3): error: nvvm.tango: no such operation in LLVM 22 and no row for "
      "it in import/"));
}

TEST(Import, ReadsAliases) {
  Session session;
  ASSERT_TRUE(session.read(R"mlir(
!tensor = !cute.memref<f32, gmem, align<16>, "(8,4):(4,1)">
#up = #nvvm<shfl_kind up>
#kind = #nvvm.mbar_txn_kind<arrive>
module attributes {gpu.container_module} {
  func.func @k(%t: !tensor, %i: i32, %p: !llvm.ptr<3>) {
    "nvvm.mbarrier.txn"(%p, %i) <{kind = #kind}> : (!llvm.ptr<3>, i32) -> ()
    %0 = "nvvm.shfl.sync"(%i, %i, %i, %i) <{kind = #up}> : (i32, i32, i32, i32) -> i32
    return
  }
}
)mlir"));
  EXPECT_NE(session.text().find("nvvm.shfl.sync  up"), std::string::npos) << session.text();
  EXPECT_NE(session.text().find("!cute.memref<f32, gmem, align<16>, \"(8,4):(4,1)\">"),
            std::string::npos);
  EXPECT_NE(session.text().find("gpu.container_module"), std::string::npos);
}

TEST(Import, KeepsWhatTheStandInsDoNotOwn) {
  Session session;
  ASSERT_TRUE(session.read(R"mlir(
gpu.module @kernels {
  cuda.kernel @k(%a: !cute.ptr<i64, smem>, %i: i32)
      attributes {cute.kernel, gpu.kernel, nvvm.reqntid = array<i32: 128, 1, 1>, nvvm.minctasm = 1 : i32} {
    %p = builtin.unrealized_conversion_cast %a : !cute.ptr<i64, smem> to !llvm.ptr<3>
    nvvm.mbarrier.init.shared %p, %i {note.written_by = "hand"} : !llvm.ptr<3>, i32
    return
  }
}
)mlir"));
  std::string text = session.text();
  for (const char *part :
       {"nvvm.reqntid = array<i32: 128, 1, 1>", "nvvm.minctasm = 1 : i32", "cute.kernel",
        "builtin.unrealized_conversion_cast %arg0 : !cute.ptr<i64, smem> to !llvm.ptr<3>",
        "nvvm.mbarrier.init %0, %arg1 {note.written_by = \"hand\"}"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(Import, LeavesOpsThatOnlyLlvm22Knows) {
  // No row: in the generic form the op keeps its name, and its properties are checked.
  Session session;
  ASSERT_TRUE(session.read("func.func @k(%i: i32) {\n"
                           "%0 = \"nvvm.prmt\"(%i, %i, %i) <{mode = #nvvm.permute_mode<default>}> "
                           ": (i32, i32, i32) -> i32\n"
                           "\"nvvm.fence.acq_rel.cta\"() : () -> ()\nreturn\n}\n"));
  EXPECT_NE(session.text().find("nvvm.prmt"), std::string::npos);
  // The custom assembly of `vector` is LLVM 22's own.
  ASSERT_TRUE(session.read(
      "func.func @k(%f: f32, %v: vector<4xf32>) {\n%0 = vector.splat %f : vector<4xf32>\n"
      "%1 = vector.shuffle %0, %v [0, 4] : vector<4xf32>, vector<4xf32>\n"
      "%2 = vector.reduction <maximumf>, %v, %f : vector<4xf32> into f32\nreturn\n}\n"));
  EXPECT_NE(session.text().find("vector.shuffle"), std::string::npos);
}

TEST(Import, ReadsTargetsOfModules) {
  Session session;
  ASSERT_TRUE(
      session.read("gpu.module @m [#nvvm.target<chip = \"sm_90a\">] {\n"
                   "gpu.func @k(%f: f32) kernel {\n%0 = nvvm.fmax %f, %f\ngpu.return\n}\n}\n"));
  EXPECT_NE(session.text().find("gpu.module @m [#nvvm.target<chip = \"sm_90a\">]"),
            std::string::npos);
}

TEST(Import, ReadsMixedSpellings) {
  Session session;
  ASSERT_TRUE(session.read(
      "func.func @k(%i: i32, %p: !llvm.ptr<3>, %f: f32) {\n"
      "\"nvvm.barrier\"(%i) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (i32) -> ()\n"
      "\"nvvm.mbarrier.init\"(%p, %i) : (!llvm.ptr<3>, i32) -> ()\n"
      "%0 = nvvm.fmax %f, %f\nreturn\n}\n"));
  EXPECT_NE(session.text().find("nvvm.barrier id = %arg0"), std::string::npos);
  EXPECT_NE(session.text().find("nvvm.mbarrier.init %arg1, %arg0"), std::string::npos);
}

TEST(Import, ReadsBytecode) {
  Session session;
  ASSERT_TRUE(session.read("func.func @k(%i: i32) {\nnvvm.barrier id = %i\nreturn\n}\n"));
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  ASSERT_TRUE(succeeded(writeBytecodeToFile(session.module(), stream)));
  Session other;
  ASSERT_TRUE(other.read(bytes));
  EXPECT_EQ(other.text(), session.text());
}

TEST(Import, RefusesDamagedBytecode) {
  Session session;
  ASSERT_TRUE(session.read("func.func @k(%i: i32) {\nnvvm.barrier id = %i\nreturn\n}\n"));
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  ASSERT_TRUE(succeeded(writeBytecodeToFile(session.module(), stream)));
  Session other;
  EXPECT_FALSE(other.read(bytes.substr(0, bytes.size() / 2)));
  ASSERT_FALSE(other.diagnostics().empty());
  EXPECT_NE(other.diagnostics().front().find("the bytecode is refused: "), std::string::npos)
      << other.diagnostics().front();
}

TEST(Import, GivesAFixedPoint) {
  // What comes out is in our spelling.
  Session session;
  ASSERT_TRUE(
      session.read("func.func @k(%f: f32, %p: !llvm.ptr<3>, %i: i32) {\n%0 = nvvm.fmax %f, %f, %f\n"
                   "%1 = nvvm.mapa.shared.cluster %p, %i : !llvm.ptr<3>, i32 -> <3>\nreturn\n}\n"));
  Session other;
  ASSERT_TRUE(other.read(session.text()));
  EXPECT_TRUE(other.report().ops.empty());
  EXPECT_EQ(other.text(), session.text());
}

} // namespace tessera::import::test
