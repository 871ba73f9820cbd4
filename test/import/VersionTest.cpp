// Versions of CuTe DSL: recognised, named in errors, with the types, launches and dumps of each.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Session.h"

#include "tessera/import/Dump.h"

#include <gtest/gtest.h>

namespace tessera::import::test {

using Strings = std::vector<std::string>;

TEST(Versions, AreNamedByTheirReleases) {
  for (const Version &version : versions())
    EXPECT_EQ(versionNamed(version.name), &version) << version.name.str();
  EXPECT_EQ(versionNamed("4.0"), versionNamed("4.1"));
  EXPECT_EQ(versionNamed("4.3.3"), versionNamed("4.3"));
  EXPECT_EQ(versionNamed("4.8"), versionNamed("4.6"));
  EXPECT_NE(versionNamed("4.5"), versionNamed("4.6"));
  EXPECT_NE(versionNamed("4.3"), versionNamed("4.4"));
  for (const char *name : {"", "4", "3.9", "4.40", "dsl"})
    EXPECT_EQ(versionNamed(name), nullptr) << name;
}

TEST(Versions, AreRecognisedByTheNewestMark) {
  auto name = [](llvm::StringRef text) { return recognise(text).version->name; };
  EXPECT_EQ(name("gpu.launch_func @kernels::@k"), "4.1");
  EXPECT_EQ(name("cute.memref.load_vec %a, row_major : !t"), "4.1");
  EXPECT_EQ(name("cuda.kernel @k() internal_val_type = f16"), "4.3");
  EXPECT_EQ(name("cuda.kernel @k() tma_format = F16_RN"), "4.4");
  EXPECT_EQ(name("cuda.kernel @k() tma_format = F16_RN cute.kernel_smem_size"), "4.5");
  EXPECT_EQ(name("%1 = cute_nvgpu.atom.set_value<accum_c>(%0, %true) : (!mma, i1)"), "4.5");
  EXPECT_EQ(name("cuda.kernel @k() attributes {smem.partition_num = 2 : i32, "
                 "smem.merge_branch_allocs} cute.kernel_smem_size"),
            "4.6");
  EXPECT_EQ(name("cuda.launch_cfg.shared_mem_carveout[%c] %n : !cuda.launch_cfg<max_attrs = 17>"),
            "4.6");
  EXPECT_TRUE(recognise("func.func @f() { return }").mark.empty());
  EXPECT_EQ(recognise("cuda.kernel @k()").mark, "cuda.kernel");
}

// The iterator of a coordinate tensor, which no version states: an int_tuple until 4.3.
TEST(Versions, DecideTypesThatTheTextLeavesOut) {
  const char *old = R"mlir(
cuda.kernel @k(%t: !cute.coord_tensor<"(0,0)", "(4,8):(1@0,1@1)">) {
  %i = cute.get_iter(%t) : !cute.coord_tensor<"(0,0)", "(4,8):(1@0,1@1)">
  %a, %b = cute.get_leaves(%i) : !cute.int_tuple<"(0,0)">
  nvvm.fence.acq_rel.cta
  return
})mlir";
  const char *recent = R"mlir(
cuda.kernel @k(%t: !cute.coord_tensor<"(0,0)", "(4,8):(1@0,1@1)">) {
  %i = cute.get_iter(%t) : !cute.coord_tensor<"(0,0)", "(4,8):(1@0,1@1)">
  %d = cute.deref_arith_tuple_iter(%i) : !cute.arith_tuple_iter<"(0,0)">
  %a, %b = cute.get_leaves(%d) : !cute.int_tuple<"(0,0)">
  nvvm.fence.acq_rel.cta
  return
})mlir";
  Session session;
  ASSERT_TRUE(session.read(old)) << session.diagnostics().front();
  EXPECT_EQ(session.report().version, versionNamed("4.3"));
  std::string text = session.text();
  ASSERT_TRUE(session.read(recent)) << session.diagnostics().front();
  EXPECT_EQ(session.report().version, versionNamed("4.4"));
  EXPECT_EQ(session.text(), text);
}

// A file without a mark is read in every version before it is refused.
TEST(Versions, AreTriedWhereNothingShowsThem) {
  Session session;
  ASSERT_TRUE(session.read(R"mlir(
func.func @f(%t: !cute.coord_tensor<"(0,0)", "(4,8):(1@0,1@1)">) {
  %i = cute.get_iter(%t) : !cute.coord_tensor<"(0,0)", "(4,8):(1@0,1@1)">
  %a, %b = cute.get_leaves(%i) : !cute.int_tuple<"(0,0)">
  return
})mlir"))
      << session.diagnostics().front();
  EXPECT_TRUE(session.report().version->results.size());
}

TEST(Versions, AreNamedInErrors) {
  Session session;
  EXPECT_FALSE(session.read("cuda.kernel @k() {\n  nvvm.tango\n  return\n}"));
  EXPECT_TRUE(session.shows(
      R"(loc("test.mlir":2:3): note: read as CuTe DSL 4.3, because it has 'cuda.kernel')"))
      << session.diagnostics().back();
}

TEST(Versions, KernelsAndLaunchesBeforeCudaKernel) {
  Session session;
  ASSERT_TRUE(session.read(R"mlir(
module attributes {gpu.container_module} {
  gpu.module @kernels {
    func.func public @k(%n: i32) attributes {cute.kernel, gpu.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
      return
    }
  }
  func.func @host(%n: i32, %s: !gpu.async.token) attributes {llvm.emit_c_interface} {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %bytes = arith.constant 1024 : i32
    %x = arith.index_cast %n : i32 to index
    %t = gpu.launch_func async [%s] @kernels::@k clusters in (%c1, %c1, %c1) blocks in (%x, %c1, %c1) threads in (%c128, %c1, %c1) dynamic_shared_memory_size %bytes args(%n : i32) {use_pdl = true}
    return
  }
})mlir"))
      << session.diagnostics().front();
  EXPECT_EQ(session.report().version, versionNamed("4.1"));
  Session expected;
  ASSERT_TRUE(expected.read(R"mlir(
module attributes {gpu.container_module} {
  gpu.module @kernels {
    cuda.kernel @k(%n: i32) attributes {cu_attrs = {max_dynamic_shared_size_bytes = #cuda.dev_max_shared_memory_optin, non_portable_cluster_size_allowed = 1 : i32}, cute.kernel, gpu.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
      return
    }
  }
  func.func @host(%n: i32, %s: !cuda.stream) -> i32 attributes {llvm.emit_c_interface} {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %bytes = arith.constant 1024 : i32
    %x = arith.index_cast %n : i32 to index
    %wide = arith.extsi %bytes : i32 to i64
    %bx = arith.constant 128 : i32
    %by = arith.constant 1 : i32
    %bz = arith.constant 1 : i32
    %gy = arith.constant 1 : i32
    %gz = arith.constant 1 : i32
    %cfg = cuda.launch_cfg.create<max_attrs = 2 : i32> (blockDim = (%bx, %by, %bz), dynamicSmemBytes = %wide, gridDim = (%n, %gy, %gz), stream = %s) : i32, i32, i32, i64, i32, i32, i32, !cuda.stream -> !cuda.launch_cfg<max_attrs = 2>
    %cx = arith.constant 1 : i32
    %cy = arith.constant 1 : i32
    %cz = arith.constant 1 : i32
    cuda.launch_cfg.cluster_dim[%cfg] (%cx, %cy, %cz) : !cuda.launch_cfg<max_attrs = 2>, i32, i32, i32
    %one = arith.constant 1 : i32
    cuda.launch_cfg.programmatic_stream_serialization_allowed[%cfg] %one : !cuda.launch_cfg<max_attrs = 2>, i32
    %r = cuda.launch_ex @kernels::@k<%cfg> (%n) : !cuda.launch_cfg<max_attrs = 2>, (i32) -> !cuda.result
    %e = cuda.cast %r : !cuda.result -> i32
    cuda.return_if_error %e : i32
    %zero = arith.constant 0 : i32
    return %zero : i32
  }
})mlir"))
      << expected.diagnostics().front();
  EXPECT_EQ(expected.report().version, nullptr);
  EXPECT_EQ(session.text(), expected.text());
}

TEST(Dumps, AreCutWhereAliasesAreDefinedAgain) {
  EXPECT_EQ(modulesOf("module {\n}\n"), Strings());
  // Nothing twice: one text for the parser.
  EXPECT_EQ(modulesOf("#a = 1 : i32\nmodule {\n}\n#b = 2 : i32\nmodule {\n}\n"), Strings());
  const std::string first = "!t = i32\nmodule {\n} loc(#loc)\n#loc = loc(\"a\":1:0)\n",
                    second = "!t = i64\nmodule {\n}\n#loc = loc(\"b\":1:0)\n";
  EXPECT_EQ(modulesOf(first + "\n" + second),
            (Strings{first, std::string(4, '\n') + "\n" + second}));
  // An alias that one module has twice does not begin another: the parser says that it is there.
  EXPECT_EQ(modulesOf("module {\n}\n#a = 1 : i32\n#a = 2 : i32\n"), Strings());
  EXPECT_EQ(modulesOf(first + second + "#loc = loc(unknown)\n\n// The end.\n").size(), 2u);
  // Without an empty line between them, too.
  EXPECT_EQ(modulesOf(first + second), (Strings{first, std::string(4, '\n') + second}));
}

TEST(Dumps, BecomeOneModule) {
  Session session;
  std::string module =
      "#loc = loc(\"a.py\":1:0)\nmodule {\n  gpu.module @kernels {\n    cuda.kernel "
      "@k() {\n      return loc(#loc)\n    } loc(#loc)\n  } loc(#loc)\n} loc(#loc)\n";
  ASSERT_TRUE(session.read(module + module)) << session.diagnostics().front();
  EXPECT_NE(session.report().version, nullptr);
  std::string text = session.text();
  EXPECT_NE(text.find("gpu.module @kernels {"), std::string::npos) << text;
  EXPECT_NE(text.find("gpu.module @kernels_0 {"), std::string::npos) << text;
  // Mistakes are where they are in the file.
  EXPECT_FALSE(session.read(module + "#loc = loc(\"b\":1:0)\nmodule {\n  nvvm.tango\n}\n"));
  EXPECT_NE(session.diagnostics().front().find("test.mlir\":11:3"), std::string::npos)
      << session.diagnostics().front();
}

// Ops of 4.5, as public dumps have them.
TEST(Versions, OpsOf45) {
  Session session;
  ASSERT_TRUE(session.read(R"mlir(
!view = !cute.memref<i128, smem, align<32>, "1:0">
module {
  gpu.module @kernels {
    cuda.kernel @k(%view: !view, %p: !cute.ptr<i64, smem, align<64>>, %bar: !llvm.ptr<3>, %rank: i32) {
      %v = cute.memref.load_vec(%view) : (!view) -> vector<1xi128>
      %r = vector.extract %v[0] : i128 from vector<1xi128>
      %more = nvvm.clusterlaunchcontrol.query_cancel.is_canceled %r : i1
      %x = nvvm.clusterlaunchcontrol.query_cancel.get_first_ctaid.x %r : i32
      nvvm.clusterlaunchcontrol.try_cancel.multicast %bar, %bar
      %q = cute.derefine(%p) : !cute.ptr<i64, smem, align<64>> to !cute.ptr<i64, smem, align<16>>
      %there = nvvm.mapa %bar, %rank : !llvm.ptr<3> -> !llvm.ptr<7>
      %here = llvm.addrspacecast %there : !llvm.ptr<7> to !llvm.ptr<3>
      nvvm.mbarrier.txn %here, %rank {kind = #nvvm.mbar_txn_kind<arrive_expect_tx>, space = #nvvm.mbar_space<cluster>} : !llvm.ptr<3>, i32
      return
    }
  }
  func.func @host() -> i64 {
    %0 = cute.kernel_smem_size @kernels::@k : i64
    return %0 : i64
  }
})mlir"))
      << session.diagnostics().front();
  EXPECT_EQ(session.report().version, versionNamed("4.5"));
  std::string text = session.text();
  for (const char *part :
       {"cute.recast_iter(%arg1)", "nvvm.mbarrier.arrive.expect_tx %", "arith.constant 0 : i64",
        "nvvm.clusterlaunchcontrol.try.cancel multicast, %arg2"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

// Two host functions share one that launches; each returns its status.
TEST(Versions, FunctionsAroundALaunchReturnItsStatus) {
  auto program = [](const std::string &result) {
    return R"mlir(
module attributes {gpu.container_module} {
  gpu.module @kernels {
    func.func public @k(%n: i32) attributes {cute.kernel, gpu.kernel} {
      return
    }
  }
  func.func private @launch(%n: i32, %s: !gpu.async.token) {
    %c1 = arith.constant 1 : index
    %t = gpu.launch_func async [%s] @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%n : i32)
    return
  }
  func.func private @twice(%n: i32, %s: !gpu.async.token) {
    call @launch(%n, %s) : (i32, !gpu.async.token) -> ()
    call @launch(%n, %s) : (i32, !gpu.async.token) -> ()
    return
  }
  func.func @main(%n: i32, %s: !gpu.async.token) {
    call @twice(%n, %s) : (i32, !gpu.async.token) -> ()
    return
  }
  func.func @other(%n: i32, %s: !gpu.async.token))mlir" +
           result + R"mlir( {
    call @launch(%n, %s) : (i32, !gpu.async.token) -> ()
    return)mlir" +
           (result.empty() ? "" : " %n : i32") + "\n  }\n}\n";
  };
  Session session;
  ASSERT_TRUE(session.read(program(""))) << session.diagnostics().front();
  std::string text = session.text();
  for (const char *part :
       {"func.func private @twice(%arg0: i32, %arg1: !cuda.stream) -> i32",
        "func.func @main(%arg0: i32, %arg1: !cuda.stream) -> i32",
        "func.func @other(%arg0: i32, %arg1: !cuda.stream) -> i32",
        "call @twice(%arg0, %arg1) : (i32, !cuda.stream) -> i32\n    cuda.return_if_error"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  Session refused;
  EXPECT_FALSE(refused.read(program(" -> i32")));
  EXPECT_EQ(refused.diagnostics().front(),
            "loc(\"test.mlir\":23:5): error: func.call: expects the function around the call to "
            "have no results, as @launch launches a kernel and returns a status");
}

TEST(Versions, ALaunchOfAPlainFunctionIsRefused) {
  Session session;
  EXPECT_FALSE(session.read(R"mlir(
module attributes {gpu.container_module} {
  gpu.module @kernels {
    func.func public @k() attributes {gpu.kernel} {
      return
    }
  }
  func.func @host() {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    return
  }
})mlir"));
  ASSERT_EQ(session.diagnostics().size(), 2u);
  EXPECT_EQ(session.diagnostics().front(),
            "loc(\"test.mlir\":10:5): error: gpu.launch_func: @kernels::@k is a function without "
            "the attribute 'cute.kernel'");
}

// Since 4.8 `memref.load_vec` may have a mask, and the generic form says that there is none.
TEST(Versions, GroupsOfOperandsThatAreEmpty) {
  auto program = [](const std::string &sizes) {
    return R"mlir(
"func.func"() <{function_type = (!cute.memref<f32, rmem, "4:1">) -> vector<4xf32>, sym_name = "f"}> ({
^bb0(%t: !cute.memref<f32, rmem, "4:1">):
  %v = "cute.memref.load_vec"(%t))mlir" +
           sizes + R"mlir( : (!cute.memref<f32, rmem, "4:1">) -> vector<4xf32>
  "func.return"(%v) : (vector<4xf32>) -> ()
}) : () -> ()
)mlir";
  };
  Session session;
  ASSERT_TRUE(session.read(program(""))) << session.diagnostics().front();
  const std::string plain = session.text();
  ASSERT_TRUE(session.read(program(" <{operandSegmentSizes = array<i32: 1, 0, 0>}>")))
      << session.diagnostics().front();
  EXPECT_EQ(session.text(), plain);
  // A mask has an operand (test/ir/import-masked.mlir), and other mistakes keep their place.
  EXPECT_FALSE(session.read(program(" <{operandSegmentSizes = array<i32: 1, 1, 0>}>")));
  EXPECT_EQ(session.diagnostics().front().find("loc(\"test.mlir\":4:8): error: "), 0u)
      << session.diagnostics().front();
  std::string wrong = program(" <{operandSegmentSizes = array<i32: 1, 0, 0>}>");
  wrong.replace(wrong.rfind("4:1"), 3, "5:1");
  EXPECT_FALSE(session.read(wrong));
  EXPECT_EQ(session.diagnostics().front().find("loc(\"test.mlir\":4:31): error: use of value"), 0u)
      << session.diagnostics().front();
}

// Factors beside A and B are fields of the atom, for each call those of its slice. The groups are
// those of a report in CUTLASS's issue 3290 and of the bindings that decisions.md names.
TEST(Versions, ListsOfOperands) {
  const std::string types = R"mlir(
!mma = !cute_nvgpu.sm100.mma_bs<128x64x32, num_cta = 1, ab_major = (k, k), elem_type = (f8E4M3FN, f8E4M3FN, f32), sf_type = f8E8M0FNU, frag_kind = ss, vec_size = 32>
!desc = !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,2):(0,0,2)">
!acc = !cute.memref<f32, tmem, align<16>, "((128,64),1,1):((65536,1),0,0)">
!sf = !cute.memref<f8E8M0FNU, tmem, align<16>, "((((32,4),4),(32,1)),1,2):((((262144,4),8388608),(0,0)),0,1)">
!one = !cute.memref<f8E8M0FNU, tmem, align<16>, "((((32,4),4),(32,1)),1,1):((((262144,4),8388608),(0,0)),0,0)">
!e = !cute.memref<i8, tmem, align<4>, "(128,1,2):(1,0,1)">
!load = !cute_nvgpu.atom.tmem_load_red<f32, 32 DP, 32 bit, x4, max>
!lanes = !cute.memref<f32, tmem, align<16>, "((4,32),2):((1,65536),4)">
!four = !cute.memref<f32, rmem, align<16>, "(4,2):(1,4)">
!few = !cute.memref<f32, rmem, align<16>, "(2,2):(1,2)">
)mlir";
  auto program = [&](const std::string &call) {
    return types +
           R"mlir(func.func @f(%m: !mma, %d: !acc, %a: !desc, %sa: !sf, %sb: !sf, %e: !e, %other: !one, %r: !load, %t: !lanes, %four: !four, %few: !few) {
  )mlir" + call +
           R"mlir(
  nvvm.fence.acq_rel.cta
  return
})mlir";
  };
  const std::string operands = " : (!mma, !acc, !desc, !sf, !desc, !sf, !acc)",
                    wrong = " : (!mma, !acc, !desc, !e, !desc, !acc)";
  Session session;
  ASSERT_TRUE(session.read(program("cute.gemm(%m, %d, [%a, %sa], [%a, %sb], %d)" + operands)))
      << session.diagnostics().front();
  const std::string text = session.text();
  ASSERT_TRUE(session.read(program(
      R"mlir("cute.gemm"(%m, %d, %a, %sa, %a, %sb, %d) <{operandSegmentSizes = array<i32: 1, 1, 2, 2, 1>}>)mlir" +
      operands + " -> ()")))
      << session.diagnostics().front();
  EXPECT_EQ(session.text(), text);
  // Two calls, each of which has its own factors: those of A in %arg3, those of B in %arg4.
  auto count = [&](llvm::StringRef part) { return llvm::StringRef(text).count(part); };
  EXPECT_EQ(count("cute.gemm("), 2u);
  EXPECT_EQ(count("block_scaled<sf_a>"), 2u);
  EXPECT_EQ(count("block_scaled<sf_b>"), 2u);
  EXPECT_EQ(count("cute.slice(%arg3, "), 2u);
  EXPECT_EQ(count("cute.slice(%arg4, "), 2u);
  EXPECT_EQ(count(R"mlir(cute.static : !cute.coord<"(_,0,1)">)mlir"), 4u);
  // What is not a field of the atom, or has other extents, is refused where it is.
  auto refused = [&](const std::string &call, const std::string &why) {
    EXPECT_FALSE(session.read(program(call)));
    EXPECT_EQ(session.diagnostics().front().find("loc(\"test.mlir\":13:3): error: " + why), 0u)
        << session.diagnostics().front();
  };
  refused("cute.gemm(%m, %d, [%a, %e], [%a], %d)" + wrong,
          "cute.gemm: expects no field but scale factors and metadata of !cute_nvgpu.sm100.mma_bs<"
          "128x64x32, num_cta = 1, ab_major = (k, k), elem_type = (f8E4M3FN, f8E4M3FN, f32), "
          "sf_type = f8E8M0FNU, frag_kind = ss, vec_size = 32>, but got !cute.memref<i8, tmem, ");
  refused(
      "cute.gemm(%m, %d, [%a, %other], [%a], %d) : (!mma, !acc, !desc, !one, !desc, !acc)",
      "cute.gemm: expects scale factors and metadata with the extents (1,1,2):(0,0,2) after the "
      "first mode, as the matrix beside them has, but got ");
  refused("cute.copy(%m, [%d, %d], %d) : (!mma, !acc, !acc, !acc)",
          "cute.copy: expects one tensor as the source, but got ");
  refused(
      R"mlir("cute.gemm"(%m, %d, %a, %sa, %a, %sb, %d) <{operandSegmentSizes = array<i32: 1, 1, 2, 1, 1>}>)mlir" +
          operands + " -> ()",
      "cute.gemm: expects 5 groups of its 7 operands, but got operandSegmentSizes "
      "array<i32: 1, 1, 2, 1, 1>");
  // A load that reduces: its values, and one number for each load.
  const std::string loads = " : (!load, !lanes, !few, !few)";
  refused("cute.copy(%r, %t, [%few, %few])" + loads,
          "cute.copy: expects the first mode of the destination to have the 4 values of one load, "
          "but got ");
  refused("cute.copy(%r, %t, [%four, %four]) : (!load, !lanes, !four, !four)",
          "cute.copy: expects the second destination to have one value for each load of "
          "((4,32),2):((1,65536),4), but got ");
  // In strings and comments nothing is respelled.
  ASSERT_TRUE(session.read(program("cute.print(\"cute.copy([\") // cute.gemm([%a])")))
      << session.diagnostics().front();
  EXPECT_NE(session.text().find("\"cute.copy([\""), std::string::npos) << session.text();
}

} // namespace tessera::import::test
