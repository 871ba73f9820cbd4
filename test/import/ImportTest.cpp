// What an import keeps: locations, aliases, other attributes; and what it leaves alone.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Session.h"

#include "tessera/import/spellings/Barrier.h"

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

// The names of two modules' symbols are told apart, and uses follow; attributes of a module stay.
TEST(Import, ModulesOfOneFileBecomeOne) {
  Session session;
  const std::string part = R"mlir(
module attributes {gpu.container_module, MARK} {
  gpu.module @kernels {
    gpu.func @k() kernel {
      gpu.return
    }
  }
  func.func @host(%n: index) {
    gpu.launch_func @kernels::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
    return
  }
}
)mlir";
  auto marked = [&](const char *mark) {
    std::string text = part;
    return text.replace(text.find("MARK"), 4, mark);
  };
  ASSERT_TRUE(session.read(marked("note.a = 1 : i32") + marked("note.b = 2 : i32")))
      << session.diagnostics().front();
  EXPECT_TRUE(session.module().getOps<ModuleOp>().empty());
  std::string text = session.text();
  for (const char *expected : {"gpu.container_module", "note.a = 1 : i32", "note.b = 2 : i32",
                               "@kernels::@k ", "@kernels_0::@k ", "@host(", "@host_0("})
    EXPECT_NE(text.find(expected), std::string::npos) << expected << " in\n" << text;
}

// A name that something refers to through its module keeps the module.
TEST(Import, ModuleWhoseNameIsUsedStays) {
  Session session;
  ASSERT_TRUE(session.read("module @m {\n func.func @f() {\n return\n }\n}\n"
                           "func.func private @user() attributes {note.of = @m::@f}\n"))
      << session.diagnostics().front();
  EXPECT_NE(session.text().find("module @m {"), std::string::npos) << session.text();
}

// LLVM 22 prints locations and attributes after a barrier, and reads them as the kind of a
// reduction.
TEST(Import, ReadsBarriersWithLocations) {
  const char *operands[] = {"", " id = %i", " id = %i number_of_threads = %n#1"},
             *attributes[] = {"", " {note.a = \"}\", note.b = {c = 1 : i32}}"},
             *locations[] = {"", " loc(\"k.py\":7:3)", " loc(#loc)"};
  for (const char *operand : operands)
    for (const char *attribute : attributes)
      for (const char *location : locations) {
        Session session;
        std::string barrier = std::string("nvvm.barrier") + operand + attribute + location;
        SCOPED_TRACE(barrier);
        // The init is in a form of LLVM 22 that no version of CuTe DSL writes.
        ASSERT_TRUE(
            session.read("#loc = loc(\"k.py\":7:3)\nfunc.func @k(%p: !llvm.ptr<3>, %i: i32) {\n"
                         "  %n:2 = func.call @n() : () -> (i32, i32)\n"
                         "  nvvm.mbarrier.init %p, %i : !llvm.ptr<3>, i32\n  " +
                         barrier + "\n  return\n}\nfunc.func private @n() -> (i32, i32)\n"))
            << session.diagnostics().front();
        EXPECT_EQ(session.report().version, nullptr);
        EXPECT_EQ(locationOf(session, "nvvm.barrier"),
                  *location ? "loc(\"k.py\":7:3)" : "loc(\"test.mlir\":5:3)");
        std::string text = session.text();
        EXPECT_NE(text.find(*operand == 0            ? "nvvm.barrier"
                            : operand == operands[1] ? "nvvm.barrier id = %arg1"
                                                     : "number_of_threads = %0#1"),
                  std::string::npos)
            << text;
        EXPECT_EQ(text.find("note.b") != std::string::npos, *attribute != 0) << text;
      }
}

TEST(Import, LeavesOtherBarriersAlone) {
  for (const char *text :
       {"nvvm.barrier\n%0 = arith.addi %a, %b : i32 loc(#loc)\n", "nvvm.barrier id = %i\n",
        "// nvvm.barrier loc(#loc)\n", "llvm.inline_asm \"nvvm.barrier loc(\"\n",
        "nvvm.barrier.arrive number_of_threads = %n loc(#loc)\n",
        "%0 = my_nvvm.barrier loc(#loc)\n",
        "%0 = nvvm.barrier #nvvm.reduction<popc> %p -> i32 loc(#loc)\n", "nvvm.barrier {a = 1,\n"})
    EXPECT_EQ(withReadableBarriers(text), std::nullopt) << text;
  EXPECT_EQ(
      withReadableBarriers("a\n  nvvm.barrier id = %i loc(#l)\nnvvm.barrier loc(#m)"),
      "a\n  \"nvvm.barrier\"(%i) <{operandSegmentSizes = array<i32: 1, 0, 0>}>  : (i32) -> () "
      "loc(#l)\n\"nvvm.barrier\"() <{operandSegmentSizes = array<i32: 0, 0, 0>}>  : () -> () "
      "loc(#m)");
}

// One op that LLVM 22 lacks, in a file that has the forms of LLVM 22 otherwise.
TEST(Import, ReadsAForeignOpAmongOurForms) {
  // How LLVM 22 prints each is what it reads back: the text is of this list, the check of the
  // module.
  for (const char *op :
       {"nvvm.mbarrier.init %p, %c : !llvm.ptr<3>, i32", "nvvm.mbarrier.inval %p : !llvm.ptr<3>",
        "%r = nvvm.mbarrier.arrive %p : !llvm.ptr<3> -> i64",
        "nvvm.mbarrier.arrive.expect_tx %p, %c : !llvm.ptr<3>, i32",
        "nvvm.mbarrier.try_wait.parity %p, %c, %c : !llvm.ptr<3>, i32, i32",
        "%r = nvvm.mbarrier.test.wait %p, %s : !llvm.ptr<3>, i64 -> i1",
        "nvvm.tcgen05.commit %p : !llvm.ptr<3>", "nvvm.tcgen05.fence <before>",
        "nvvm.cp.async.mbarrier.arrive %p : !llvm.ptr<3>", "nvvm.nanosleep %c", "nvvm.barrier0",
        "nvvm.griddepcontrol wait", "%r = nvvm.vote.sync ballot %c, %b -> i32",
        "%r = nvvm.match.sync any %c, %c : i32 -> i32", "nvvm.exit",
        "nvvm.barrier id = %c loc(\"k.py\":7:3)"}) {
    SCOPED_TRACE(op);
    const std::string head =
                          "func.func @k(%x: f32, %p: !llvm.ptr<3>, %c: i32, %s: i64, %b: i1) {\n  ",
                      tail = "\n  return\n}\n";
    Session ours, mixed;
    if (!ours.read(head + op + tail))
      ADD_FAILURE() << ours.diagnostics().front();
    else if (!mixed.read(head + "%z = vector.splat %x : vector<4xf32>\n  " + op + tail))
      ADD_FAILURE() << mixed.diagnostics().front();
    else {
      std::string text = mixed.text(), expected = ours.text();
      size_t splat = text.find("    %0 = vector.broadcast");
      ASSERT_NE(splat, std::string::npos) << text;
      text.erase(splat, text.find('\n', splat) + 1 - splat);
      for (size_t at = text.find("%1"); at != std::string::npos; at = text.find("%1", at))
        text.replace(at, 2, "%0");
      EXPECT_EQ(text, expected);
    }
  }
}

// What nobody knows is named among them, and not a form that LLVM 22 has.
TEST(Import, BlamesTheForeignOpAmongOurForms) {
  Session session;
  EXPECT_FALSE(session.read("func.func @k(%x: f32, %p: !llvm.ptr<3>, %c: i32) {\n"
                            "  nvvm.mbarrier.init %p, %c : !llvm.ptr<3>, i32\n"
                            "  %z = vector.splat %x : vector<4xf32>\n"
                            "  \"nvvm.tango\"() : () -> ()\n  return\n}\n"));
  ASSERT_FALSE(session.diagnostics().empty());
  EXPECT_NE(session.diagnostics().front().find("nvvm.tango"), std::string::npos)
      << session.diagnostics().front();
}

// Notes without a dialect's prefix on ops that are defined here: as without the foreign op.
TEST(Import, KeepsNotesOfDefinedOps) {
  const std::string
      head = "func.func @k(%x: f32, %m: !cute.memref<f32, gmem, \"(?,8):(8,1)\">) {\n",
      body = "  %0 = \"cute.get_iter\"(%m) {my_note = \"x\"} : (!cute.memref<f32, gmem, "
             "\"(?,8):(8,1)\">) -> !cute.ptr<f32, gmem>\n  %1 = \"arith.addf\"(%x, %x) "
             "<{fastmath = #arith.fastmath<none>}> {my_note = \"y\"} : (f32, f32) -> f32\n",
      splat = "  %z = vector.splat %x : vector<4xf32>\n", tail = "  return\n}\n";
  for (const std::string &text : {head + body + tail, head + body + splat + tail}) {
    Session session;
    ASSERT_TRUE(session.read(text)) << session.diagnostics().front();
    EXPECT_NE(session.text().find("{my_note = \"x\"}"), std::string::npos) << session.text();
    EXPECT_NE(session.text().find("{my_note = \"y\"}"), std::string::npos) << session.text();
  }
  // Of an op that only a row knows it may be a property that changes what it does.
  Session session;
  EXPECT_FALSE(session.read("func.func @k(%x: f32) {\n  %0 = nvvm.fmax %x, %x {my_note = \"x\"}\n  "
                            "return\n}\n"));
}

} // namespace tessera::import::test
