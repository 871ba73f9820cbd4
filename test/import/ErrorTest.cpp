// What import/ refuses, and how it says so.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Session.h"

#include "mlir/IR/DialectRegistry.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

namespace tessera::import::test {

using Lines = std::vector<std::string>;

/// The diagnostics of a function with these arguments and this body, which starts in line 2.
static Lines refused(const std::string &body) {
  Session session;
  EXPECT_FALSE(
      session.read("func.func @k(%i: i32, %f: f32, %p: !llvm.ptr<3>, %v: vector<3xf32>) {\n" +
                   body + "\nreturn\n}\n"));
  return session.diagnostics();
}
static std::string error(const std::string &where, const std::string &text) {
  return "loc(\"test.mlir\":" + where + "): error: " + text;
}
static std::string note(const std::string &where, const std::string &text) {
  return "loc(\"test.mlir\":" + where + "): note: " + text;
}
static const std::string noRow = ": no such operation in LLVM 22 and no row for it in import/";
static const std::string addRow =
    "write the instruction as llvm.inline_asm, or add a row to tessera/import/rows/";
static const std::string writeGeneric = "write the op in the generic form (mlir-opt "
                                        "--mlir-print-op-generic), or add the form to its row in "
                                        "tessera/import/rows/";

TEST(Errors, PropertiesAreADictionary) {
  EXPECT_EQ(refused(R"(%0 = "vector.splat"(%f) <[1]> : (f32) -> vector<3xf32>)"),
            (Lines{error("2:6", "invalid properties [1] for op vector.splat: expects a dictionary, "
                                "but got [1]")}));
}

TEST(Errors, NameAnUnknownOp) {
  EXPECT_EQ(refused(R"("nvvm.tango"(%i) : (i32) -> ())"),
            (Lines{error("2:1", "nvvm.tango" + noRow), note("2:1", addRow)}));
  EXPECT_EQ(refused("nvvm.tango %i : i32"),
            (Lines{error("2:1", "nvvm.tango" + noRow), note("2:1", addRow)}));
  EXPECT_EQ(refused(R"("nvgpu.tango"() : () -> ())"),
            (Lines{error("2:1", "nvgpu.tango" + noRow), note("2:1", addRow)}));
}

TEST(Errors, NameTheNearestOp) {
  auto nearest = [](const std::string &op) {
    return note("2:1", "the nearest op that is known is " + op);
  };
  EXPECT_EQ(refused("nvvm.mbarrier.try_wait.party.shared %p, %i, %i : !llvm.ptr<3>, i32, i32"),
            (Lines{error("2:1", "nvvm.mbarrier.try_wait.party.shared" + noRow), note("2:1", addRow),
                   nearest("nvvm.mbarrier.try_wait.parity.shared")}));
  EXPECT_EQ(refused(R"("nvvm.cluster.arive"() : () -> ())"),
            (Lines{error("2:1", "nvvm.cluster.arive" + noRow), note("2:1", addRow),
                   nearest("nvvm.cluster.arrive")}));
  // Ops of our own dialects, in both forms; what is nowhere near gets no such note.
  auto unknown = [](const std::string &op) {
    return note("2:1", op + " is neither an op of Tessera's dialect cute (docs/reference/) nor one "
                            "that import/ rewrites: write what it does with ops that are there, or "
                            "add a row to tessera/import/rows/");
  };
  EXPECT_EQ(refused("cute.make_shapes() : () -> i32"),
            (Lines{error("2:1", "custom op 'cute.make_shapes' is unknown"),
                   nearest("cute.make_shape"), unknown("cute.make_shapes")}));
  EXPECT_EQ(refused(R"("cute.kernel_smem_sizes"() : () -> ())"),
            (Lines{error("2:1", "unregistered operation 'cute.kernel_smem_sizes' found in dialect "
                                "('cute') that does not allow unknown operations"),
                   note("2:1", "see current operation: \"cute.kernel_smem_sizes\"() : () -> ()"),
                   nearest("cute.kernel_smem_size"), unknown("cute.kernel_smem_sizes"),
                   note("2:1", "read as CuTe DSL 4.5, because it has 'cute.kernel_smem_size'")}));
  EXPECT_EQ(refused("cute.tango %i : i32"),
            (Lines{error("2:1", "custom op 'cute.tango' is unknown"), unknown("cute.tango")}));
  Lines dialect = refused(R"("lir.tango"() : () -> ())");
  ASSERT_EQ(dialect.size(), 2u);
  EXPECT_NE(dialect[1].find("note: dialects that are read: "), std::string::npos) << dialect[1];
  EXPECT_NE(dialect[1].find("cuda, cute, cute_nvgpu, "), std::string::npos) << dialect[1];
  // In a file that says its version.
  EXPECT_EQ(refused("cute.tango %i : i32 // cute.kernel_smem_size"),
            (Lines{error("2:1", "custom op 'cute.tango' is unknown"), unknown("cute.tango"),
                   note("2:1", "read as CuTe DSL 4.5, because it has 'cute.kernel_smem_size'")}));
}

TEST(Errors, NameTheNearestTypeAndAttribute) {
  auto nearest = [](const std::string &where, const std::string &what) {
    return note(where, "the nearest " + what);
  };
  auto unknown = [](const std::string &where, const std::string &what) {
    return note(where, what + " (docs/reference/): write the kernel with those that are there");
  };
  EXPECT_EQ(
      refused("%0 = builtin.unrealized_conversion_cast to !cute_nvgpu.atom.universal_copi<f32>"),
      (Lines{error("2:56", "unknown  type `atom.universal_copi` in dialect `cute_nvgpu`"),
             nearest("2:56", "type that is known is cute_nvgpu.atom.universal_copy"),
             unknown("2:56", "cute_nvgpu.atom.universal_copi is not a type of Tessera's dialect "
                             "cute_nvgpu")}));
  EXPECT_EQ(refused("%0 = builtin.unrealized_conversion_cast to !cute.super_tensor<f32>"),
            (Lines{error("2:50", "expects the name of a type of the dialect cute, but got "
                                 "'super_tensor'"),
                   unknown("2:50", "cute.super_tensor is not a type of Tessera's dialect cute")}));
  EXPECT_EQ(
      refused("%0 = builtin.unrealized_conversion_cast to !cute_nvgpu.atom.sm100_s2t_copy_v2<f32>"),
      (Lines{error("2:56", "unknown  type `atom.sm100_s2t_copy_v2` in dialect `cute_nvgpu`"),
             note("2:56", "newer builds of CuTe DSL have cute_nvgpu.atom.sm100_s2t_copy_v2, "
                          "but no public document says what it does: use "
                          "cute_nvgpu.atom.s2t_copy")}));
  // So are ops, and all names of an architecture that PTX does not have.
  EXPECT_EQ(refused(R"(%0 = "cute.get_integral_coord"(%i, %i) : (i32, i32) -> i32)").back(),
            note("2:6", "newer builds of CuTe DSL have cute.get_integral_coord, but no public "
                        "document says what it does: use cute.crd2idx of cute.get_hier_coord's "
                        "coordinate and the layout's shape"));
  EXPECT_EQ(
      refused("%0 = builtin.unrealized_conversion_cast to !cute_nvgpu.sm107.smem_desc").back(),
      note("2:56", "newer builds of CuTe DSL have cute_nvgpu.sm107.smem_desc, but no public "
                   "document says what it does: use what sm_100 or sm_103 has: LLVM 22 "
                   "has no sm_107"));
  // Attributes of the public bindings, integers of other widths, and ops that print tensor maps.
  auto newer = [](const std::string &where, const std::string &name, const std::string &instead) {
    return note(where, "newer builds of CuTe DSL have " + name +
                           ", but no public document says what it does: use " + instead);
  };
  EXPECT_EQ(refused("%0 = arith.constant {a = #cute.bitlayout<<\"(2,3):(1,2)\">>} 0 : i32"),
            (Lines{error("2:32", "unknown attribute `bitlayout` in dialect `cute`"),
                   newer("2:32", "cute.bitlayout", "a pointer to whole elements")}));
  EXPECT_EQ(refused("%0 = builtin.unrealized_conversion_cast to !cute.i16<pow2, divby 8>").back(),
            newer("2:50", "cute.i16", "i16, or !cute.i32"));
  EXPECT_EQ(refused(R"("cute.print_tma_desc_tiled"(%i, %i) : (i32, i32) -> ())").back(),
            newer("2:1", "cute.print_tma_desc_tiled", "cute.printf of its words"));
  EXPECT_EQ(refused(R"("cute_nvgpu.atom.make_non_exec_im2col_tma_load"(%i) : (i32) -> ())").back(),
            newer("2:1", "cute_nvgpu.atom.make_non_exec_im2col_tma_load",
                  "cute_nvgpu.make_tma_desc_im2col or cute_nvgpu.make_tma_desc_tiled, and "
                  "cute.make_atom"));
  // In a file that says its version, as the parser of CuTe DSL's LLVM comes to it.
  EXPECT_EQ(refused("nvvm.fence.acq_rel.cta // cute.kernel_smem_size\n"
                    "%0 = arith.constant {a = #cute.swizle<\"S<1,2,3>\">} 0 : i32"),
            (Lines{error("3:32", "unknown attribute `swizle` in dialect `cute`"),
                   nearest("3:32", "attribute that is known is cute.swizzle"),
                   unknown("3:32", "cute.swizle is not an attribute of Tessera's dialect cute"),
                   note("3:32", "read as CuTe DSL 4.5, because it has 'cute.kernel_smem_size'")}));
}

TEST(Errors, NameAFieldThatTheAtomLacks) {
  EXPECT_EQ(
      refused("%a = builtin.unrealized_conversion_cast to !cute_nvgpu.atom.universal_copy<f32>\n"
              "%0 = cute_nvgpu.atom.set_value<accum_c>(%a, %i) : "
              "(!cute_nvgpu.atom.universal_copy<f32>, i32)")
          .front(),
      error("3:32", "custom op 'cute_nvgpu.atom.set_value' expects a field of "
                    "'!cute_nvgpu.atom.universal_copy<f32>', but got 'accum_c'"));
}

TEST(Errors, NameAnUnknownOpOfADialectThatLetsAnyPass) {
  // Upstream's parser takes it; without a look at the names it would get as far as the translation
  // to LLVM IR.
  EXPECT_EQ(refused(R"("llvm.tango"() : () -> ())"),
            (Lines{error("2:1", "llvm.tango" + noRow), note("2:1", addRow)}));
}

TEST(Errors, AreAllReported) {
  EXPECT_EQ(refused(R"("nvvm.tango"(%i) : (i32) -> ()
"nvvm.barrier"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> ()
"nvvm.tango"(%i) : (i32) -> ()
"nvvm.waltz"(%i) : (i32) -> ()
"nvvm.fmax"(%f) : (f32) -> ())"),
            (Lines{error("2:1", "nvvm.tango" + noRow), note("2:1", addRow),
                   note("2:1", "nvvm.tango: 1 more of them in this file"),
                   error("5:1", "nvvm.waltz" + noRow), note("5:1", addRow),
                   error("6:1", "nvvm.fmax: expects 2 to 3 operands, but got 1")}));
  EXPECT_EQ(
      refused(
          "nvvm.tango %i : i32\n%0 = nvvm.waltz %i, %i {a = 1} : i32, i32 -> f32\nnvvm.barrier"),
      (Lines{error("2:1", "nvvm.tango" + noRow), note("2:1", addRow),
             error("3:6", "nvvm.waltz" + noRow), note("3:6", addRow)}));
}

TEST(Errors, SayThatACustomFormIsNotKnown) {
  // LLVM 22 has the op, and reads this; but the file needs the foreign context for the other one.
  EXPECT_EQ(refused("%0 = nvvm.prmt <default> %i, %i, %i : i32\nnvvm.fence.acq_rel.cta").front(),
            error("2:6", "nvvm.prmt: its custom assembly is not known to import/"));
  EXPECT_EQ(
      refused("nvvm.dot.accumulate.4way %i, %i, %i"),
      (Lines{error("2:1", "nvvm.dot.accumulate.4way: its custom assembly is not known to import/"),
             note("2:1", writeGeneric)}));
}

TEST(Errors, CheckOperandsAndResults) {
  struct Bad {
    const char *text, *message;
  };
  for (
      auto [text, message] : {
          Bad{R"("nvvm.shfl.sync"(%i, %i) <{kind = #nvvm<shfl_kind up>}> : (i32, i32) -> ())",
              "nvvm.shfl.sync: expects 4 operands, but got 2"},
          Bad{R"("nvvm.mbarrier.txn"(%p, %f) <{kind = #nvvm.mbar_txn_kind<arrive>}> : (!llvm.ptr<3>, f32) -> ())",
              "nvvm.mbarrier.txn: expects operand 1 to be i32, but got f32"},
          Bad{R"("nvvm.mbarrier.init.shared"(%i, %i) : (i32, i32) -> ())",
              "nvvm.mbarrier.init.shared: expects operand 0 to be !llvm.ptr<3>, but got i32"},
          Bad{R"(%0 = "nvvm.bar.warp.sync"(%i) : (i32) -> i32)",
              "nvvm.bar.warp.sync: expects 0 results, but got 1"},
          Bad{R"(%0 = "nvvm.elect.sync"() : () -> i32)",
              "nvvm.elect.sync: expects the result to be i1, but got i32"},
          Bad{R"("nvvm.cluster.wait"() ({ "nvvm.cluster.wait"() : () -> () }) : () -> ())",
              "nvvm.cluster.wait: expects no regions and no successors"},
          Bad{R"(%0 = "nvgpu.cvt_fptrunc"(%v) : (vector<3xf32>) -> vector<3xf8E4M3FN>)",
              "nvgpu.cvt_fptrunc: expects vector<3xf32> to hold an even number of elements, but "
              "got 3"},
          Bad{R"(%0 = "nvgpu.cvt_fptrunc"(%f) : (f32) -> f8E4M3FN)",
              "nvgpu.cvt_fptrunc: no instruction converts f32 to f8E4M3FN"},
          Bad{R"(%0 = "nvgpu.cvt_fpext"(%v) : (vector<3xf32>) -> vector<3xf64>)",
              "nvgpu.cvt_fpext: no instruction converts vector<3xf32> to vector<3xf64>"},
          Bad{R"(%0 = "cute.derefine"(%i) : (i32) -> i64)",
              "cute.derefine: expects the result to state less than its operand, i32, but got i64"},
          Bad{R"(%0 = "nvvm.load.ext"(%i) : (i32) -> i32)",
              "nvvm.load.ext: expects operand 0 to be a pointer, but got i32"},
          Bad{R"(%0 = "nvvm.load.ext"(%p) : (!llvm.ptr<3>) -> vector<3xf32>)",
              "nvvm.load.ext: expects a value of 8, 16, 32 or 64 bits or a vector of 16, 32, 64, "
              "128 or 256, but got vector<3xf32>"},
          Bad{R"(%0 = "nvvm.atomicrmw"(%p, %f) <{op = #nvvm.atomic_op<umin>}> : (!llvm.ptr<3>, f32) -> f32)",
              "nvvm.atomicrmw: no instruction does 'umin' on f32"},
          Bad{R"(%0 = "nvvm.atomicrmw"(%p, %f) <{op = #nvvm.atomic_op<add>}> : (!llvm.ptr<3>, f32) -> i32)",
              "nvvm.atomicrmw: expects the result to be f32, but got i32"},
          Bad{R"(%0 = "nvvm.atomicrmw"(%p, %i, %i) <{op = #nvvm.atomic_op<add>}> : (!llvm.ptr<3>, i32, i32) -> i32)",
              "nvvm.atomicrmw: expects 2 operands, but got 3"},
          Bad{R"(%0 = "nvvm.atomicrmw"(%p, %i, %i) <{op = #nvvm.atomic_op<cas>}> : (!llvm.ptr<3>, i32, i32) -> i32)",
              "nvvm.atomicrmw: which of the two values of 'cas' is compared differs between builds "
              "of CuTe DSL, for CUDA 12.9 and 13, and the file does not say which wrote it"},
          Bad{R"(%0 = "nvvm.mul"(%i, %i) <{mode = #nvvm<mul_mode wide>}> : (i32, i32) -> i32)",
              "nvvm.mul: expects the result to be of twice the bits, but got i32"},
          // What the rows leave open is for the op of LLVM 22.
          Bad{R"(%0 = "nvvm.shfl.sync"(%i, %i, %i, %i) <{kind = #nvvm<shfl_kind up>}> : (i32, i32, i32, i32) -> f32)",
              "'nvvm.shfl.sync' op expected return type to be of type 'i32' but got 'f32' instead"},
      }) {
    SCOPED_TRACE(text);
    std::string where = text[0] == '%' ? "2:6" : "2:1";
    EXPECT_EQ(refused(std::string(text) + "\n\"nvvm.fence.acq_rel.cta\"() : () -> ()").front(),
              error(where, message));
  }
}

TEST(Errors, CheckProperties) {
  struct Bad {
    const char *text, *message;
  };
  for (
      auto [text, message] : {
          Bad{R"("nvvm.mbarrier.txn"(%p, %i) <{kind = #nvvm.mbar_txn_kind<leave>}> : (!llvm.ptr<3>, i32) -> ())",
              "nvvm.mbarrier.txn: expects the property 'kind' to be arrive, arrive_expect_tx, "
              "arrive_drop, "
              "arrive_drop_expect_tx, expect_tx or complete_tx, but got leave"},
          Bad{R"("nvvm.mbarrier.txn"(%p, %i) : (!llvm.ptr<3>, i32) -> ())",
              "nvvm.mbarrier.txn: expects the property 'kind', #nvvm.mbar_txn_kind<...>"},
          Bad{R"("nvvm.mbarrier.txn"(%p, %i) <{kind = #nvvm.mbar_txn_kind<arrive>, space = #nvvm.mbar_space<moon>}> : (!llvm.ptr<3>, i32) -> ())",
              "nvvm.mbarrier.txn: expects the property 'space' to be cta or cluster, but got moon"},
          Bad{R"("nvvm.mbarrier.txn"(%p, %i) <{kind = #nvvm.mbar_txn_kind<arrive>, color = 3}> : (!llvm.ptr<3>, i32) -> ())",
              "nvvm.mbarrier.txn: the property 'color' is not known to LLVM 22, and no row says "
              "what it means"},
          Bad{R"("nvvm.mbarrier.txn"(%p, %i) <{kind = #nvvm.mbar_txn_kind<arrive>, order = #nvvm.mem_order<sc>}> : (!llvm.ptr<3>, i32) -> ())",
              "nvvm.mbarrier.txn: expects the property 'order' to be release or relaxed, but got "
              "sc"},
          Bad{R"(%0 = "nvvm.mbarrier.wait.parity"(%p, %i) <{kind = #nvvm.mbar_wait<nap>}> : (!llvm.ptr<3>, i32) -> i1)",
              "nvvm.mbarrier.wait.parity: expects the property 'kind' to be try or test, but got "
              "nap"},
          Bad{R"("nvvm.tcgen05.commit.arrive"(%p) <{group = 1 : i32}> : (!llvm.ptr<3>) -> ())",
              "nvvm.tcgen05.commit.arrive: expects the property 'group' to be "
              "#nvvm.tcgen05_group<...>, but got 1 : i32"},
          Bad{R"("nvvm.tcgen05.commit.arrive"(%p) <{group = #nvvm.tcgen05_group<cta_9>}> : (!llvm.ptr<3>) -> ())",
              "nvvm.tcgen05.commit.arrive: expects the property 'group' to be an attribute of LLVM "
              "22, but got #nvvm.cta_group<cta_9>"},
          Bad{R"("nvvm.tcgen05.wait"() <{kind = #nvvm.tcgen05_wait<both>}> : () -> ())",
              "nvvm.tcgen05.wait: expects the property 'kind' to be an attribute of LLVM 22, but "
              "got #nvvm.tcgen05_wait<both>"},
          Bad{R"("nvvm.tcgen05.wait"() <{kind = 3 : i32}> : () -> ())",
              "nvvm.tcgen05.wait: Invalid attribute `kind` in property conversion: 3 : i32"},
          Bad{R"("nvvm.tcgen05.wait"() : () -> ())",
              "'nvvm.tcgen05.wait' op requires attribute 'kind'"},
          Bad{R"("nvvm.cp.async.wait.group"() <{n = 2 : i32, m = 3}> : () -> ())",
              "nvvm.cp.async.wait.group: the property 'm' is not known to LLVM 22, and no row says "
              "what it means"},
          Bad{R"("nvvm.barrier"() : () -> ())",
              "nvvm.barrier: expects the property 'operandSegmentSizes', array<i32: id, threads>, "
              "1 for each that is there"},
          Bad{R"("nvvm.barrier"(%i) <{operandSegmentSizes = array<i32: 1, 1>}> : (i32) -> ())",
              "nvvm.barrier: expects the property 'operandSegmentSizes' to be array<i32: id, "
              "threads>, 1 for each "
              "that is there, but got array<i32: 1, 1>"},
          Bad{R"(%0 = "nvvm.load.ext"(%p) <{order = #nvvm.mem_order<acquire>}> : (!llvm.ptr<3>) -> i32)",
              "nvvm.load.ext: expects the property 'scope', cta, cluster, gpu or sys"},
          Bad{R"(%0 = "nvvm.load.ext"(%p) <{order = #nvvm.mem_order<release>}> : (!llvm.ptr<3>) -> i32)",
              "nvvm.load.ext: expects the property 'order' to be weak, relaxed, acquire, volatile "
              "or mmio, but got release"},
          Bad{R"("nvvm.store.ext"(%i, %p) <{cacheModifier = #nvvm.store_cache_modifier<wt>, evict = #nvvm.evict_kind<evict_last>}> : (i32, !llvm.ptr<3>) -> ())",
              "nvvm.store.ext: expects an eviction priority or a cache operator, but got both, "
              "evict_last and wt"},
          Bad{R"(%0 = "nvvm.fma"(%f, %f, %f) <{relu = true, rnd = #nvvm.fp_rnd_mode<rn>}> : (f32, f32, f32) -> f32)",
              "nvvm.fma: expects the property 'relu' to be false, as on f32, but got true"},
          Bad{R"(%0 = "nvgpu.cvt_fptrunc"(%v) <{rnd = #nvgpu.rnd<rz>}> : (vector<3xf32>) -> vector<3xf8E4M3FN>)",
              "nvgpu.cvt_fptrunc: expects the property 'rnd' to be rn, but got rz"},
      }) {
    SCOPED_TRACE(text);
    std::string where = text[0] == '%' ? "2:6" : "2:1";
    EXPECT_EQ(refused(std::string(text) + "\n\"nvvm.fence.acq_rel.cta\"() : () -> ()").front(),
              error(where, message));
  }
}

TEST(Errors, OperandsMayBeUnverified) {
  // Rows look at what defines an operand before anything is verified.
  EXPECT_EQ(refused("%0 = \"arith.constant\"() : () -> i32\n"
                    "\"nvvm.mbarrier.txn\"(%p, %0) <{kind = #nvvm.mbar_txn_kind<arrive>}> : "
                    "(!llvm.ptr<3>, i32) -> ()")
                .front(),
            error("2:6", "'arith.constant' op requires attribute 'value'"));
  EXPECT_EQ(refused("%0 = \"llvm.inttoptr\"() : () -> !llvm.ptr<3>\n"
                    "\"nvvm.mbarrier.txn\"(%0, %i) <{kind = #nvvm.mbar_txn_kind<arrive>, "
                    "space = #nvvm.mbar_space<cluster>}> : (!llvm.ptr<3>, i32) -> ()")
                .front(),
            error("2:6", "'llvm.inttoptr' op requires a single operand"));
}

TEST(Errors, NameTheFileIfTheResultIsNotValid) {
  // An attribute that no op of `nvvm` has is looked at last, where its place in the file is not
  // known any more.
  Session session;
  EXPECT_FALSE(session.read("func.func @k(%f: f32) attributes {x.y = #nvvm.tcgen05_wait<both>} {\n"
                            "%0 = nvvm.fmax %f, %f\nreturn\n}\n"));
  EXPECT_EQ(
      session.diagnostics().back(),
      error("0:0",
            "builtin.module: the op that it was rewritten to is not valid in LLVM 22, see above"));
}

TEST(Errors, CheckPackedRounding) {
  std::string types = " : (vector<2xf32>, vector<2xf32>) -> vector<2xf32>\n";
  Session session;
  EXPECT_FALSE(session.read("func.func @k(%x: vector<2xf32>) {\n"
                            "%0 = \"nvvm.add.packed.f32x2\"(%x, %x) <{rnd = #nvvm.rnd<up>}>" +
                            types + "%1 = \"nvvm.add.packed.f32x2\"(%x, %x) <{ftz = 1 : i32}>" +
                            types + "return\n}\n"));
  EXPECT_EQ(session.diagnostics(),
            (Lines{error("2:6", "nvvm.add.packed.f32x2: expects the property 'rnd' to be rn, rz, "
                                "rm or rp, but got up"),
                   error("3:6", "nvvm.add.packed.f32x2: expects the property 'ftz' to be true or "
                                "false, but got 1 : i32")}));
}

TEST(Errors, CustomFormsThatDoNotFit) {
  EXPECT_EQ(refused("nvvm.shfl.sync bfly %i, %i : i32 -> i32").front(),
            error("2:27", "expected ','"));
  EXPECT_EQ(refused("nvvm.mbarrier.txn %p %i : !llvm.ptr<3>, i32").front(),
            error("2:21", "expected ','"));
  EXPECT_EQ(refused("%0 = vector.splat %f : f32").front(),
            error("2:19", "vector.splat: expects the result to be a vector, but got f32"));
}

TEST(Errors, ComeFromTheAttemptThatGotFurther) {
  // Ours to the mistake in line 4, foreign only to `nvvm.prmt`, whose custom form has no row.
  EXPECT_EQ(
      refused(
          "%0 = nvvm.prmt <default> %i, %i, %i : i32\nnvvm.barrier id = %i\nnvvm.barrier id %i"),
      (Lines{error("4:16", "expected '='")}));
  // Foreign to the mistake in line 3, ours only to line 2.
  EXPECT_EQ(refused("nvvm.fence.acq_rel.cta\narith.addi %i %i : i32"),
            (Lines{error("3:14", "expected ','")}));
  // Mistakes that have nothing to do with spellings, and are only found by the verifier.
  EXPECT_EQ(refused("nvvm.barrier id = %i\n\"nvvm.tcgen05.wait\"() : () -> ()").front(),
            error("3:1", "'nvvm.tcgen05.wait' op requires attribute 'kind'"));
  EXPECT_EQ(
      refused("%0 = arith.constant 1 : i32\n\"arith.addi\"(%i, %f) : (i32, f32) -> i32").front(),
      error("3:1", "'arith.addi' op operand #1 must be signless-integer-like, but got 'f32'"));
}

TEST(Errors, OfFilesWithAnOpOfAnotherNameAreThoseOfTheFile) {
  // cute.tuple.product_each is not a mistake: import/ has a row for it.
  EXPECT_EQ(refused(R"x(%a = "cute.make_shape"() : () -> !cute.shape<"(4,5)">
%b = "cute.tuple.product_each"(%a) : (!cute.shape<"(4,5)">) -> !cute.shape<"(4,5)">
%c = "cute.size"(%a) : (!cute.shape<"(4,5)">) -> !cute.int_tuple<"21">)x")
                .front(),
            error("4:6", "'cute.size' op inferred type(s) '!cute.int_tuple<\"20\">' are "
                         "incompatible with return type(s) of "
                         "operation '!cute.int_tuple<\"21\">'"));
}

TEST(Errors, BadFiles) {
  Session session;
  EXPECT_FALSE(session.read("func.func @k(%i: i32) {\n\"nvvm.fence.acq_rel.cta\"() : () -> ("));
  EXPECT_EQ(session.diagnostics().size(), 1u);
  EXPECT_FALSE(session.read(std::string("\x7f"
                                        "ELF\0\1\2",
                                        7)));
  EXPECT_EQ(session.diagnostics().size(), 1u);
  EXPECT_FALSE(session.read("ML\xefR garbage"));
  EXPECT_FALSE(session.diagnostics().empty());
  EXPECT_TRUE(session.read(""));
}

/// A dialect that nobody registered is a mistake of the program that calls, and ends it; a mistake
/// in the file is a diagnostic.
TEST(Errors, AMissingDialectIsFatalAndAWrongFileIsNot) {
  llvm::SourceMgr source;
  source.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer("\"nvvm.barrier\"() : () -> ()"),
                            llvm::SMLoc());
  mlir::MLIRContext bare;
  EXPECT_DEATH(importModule(source, bare, mlir::DialectRegistry(), nullptr),
               "importModule: register nvvm and vector in the context");
  EXPECT_EQ(refused("nvvm.tango %i : i32"),
            (Lines{error("2:1", "nvvm.tango" + noRow), note("2:1", addRow)}));
}

} // namespace tessera::import::test
