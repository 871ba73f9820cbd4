// All cases, and the arguments that they use.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Cases.h"

namespace tessera::import::test {

const std::vector<std::pair<std::string, std::string>> arguments = {
    {"i", "i32"},
    {"j", "i32"},
    {"k", "i32"},
    {"b", "i1"},
    {"h", "i16"},
    {"l", "i64"},
    {"q", "i128"},
    {"f", "f32"},
    {"g", "f32"},
    {"e", "f32"},
    {"x", "vector<2xf32>"},
    {"y", "vector<2xf32>"},
    {"z", "vector<2xf32>"},
    {"p", "!llvm.ptr<3>"},
    {"m", "!llvm.ptr<3>"},
    {"r4", "vector<4xf32>"},
    {"h2", "vector<2xf16>"},
    {"o", "!llvm.ptr<1>"},
};
const std::vector<std::pair<std::string, std::string>> cuteArguments = {
    {"s", R"mlir(!cute.int_tuple<"((2,3),4)">)mlir"},
    {"c", R"mlir(!cute.coord_tensor<"(0,?)", "(8,4):(1@0,1@1)">)mlir"},
    {"p", "!cute.ptr<i64, smem, align<64>>"},
    {"g", "!cuda.launch_cfg<max_attrs = 17>"},
    {"n", "i32"},
    {"w", "i64"},
    {"a", "!cute_nvgpu.atom.universal_copy<i64, 64 b>"},
    {"x", R"mlir(!cute.memref<i64, rmem, "(1,2):(0,1)">)mlir"},
    {"l",
     R"mlir(!cute_nvgpu.atom.tma_load<i64, copy_bits = 2048, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(8,4):(1@0,1@1)">>)mlir"},
    {"f", "!cute_nvgpu.atom.universal_fma<1x1x1, (f32, f32) -> f32 >"},
    {"v", R"mlir(!cute.memref<f32, rmem, "1:0">)mlir"},
    {"d", "!cute.ptr<!cute_nvgpu.tma_descriptor_tiled, generic, align<64>>"}};

static Case registerCase(std::string name, std::string type, std::string ptx) {
  std::string op = "nvvm.read.ptx.sreg." + name;
  bool cluster = name.find("cluster") != std::string::npos;
  return {op,
          "%0 = " + op + " : " + type,
          "%0 = \"" + op + "\"() : () -> " + type,
          "%0 = " + op + " : " + type,
          cluster ? sm90 : sm80,
          ptx.empty() ? "%" + name : ptx};
}

static std::vector<Case> registerCases() {
  std::vector<Case> out;
  for (std::string name : {"tid", "ntid", "ctaid", "nctaid", "clusterid", "nclusterid",
                           "cluster.ctaid", "cluster.nctaid"})
    for (std::string axis : {".x", ".y", ".z"})
      out.push_back(
          registerCase(name + axis, "i32",
                       name.starts_with("cluster.") ? "%cluster_" + name.substr(8) + axis : ""));
  out.push_back(registerCase("cluster.ctarank", "i32", "%cluster_ctarank"));
  out.push_back(registerCase("cluster.nctarank", "i32", "%cluster_nctarank"));
  for (std::string name : {"laneid", "warpid", "nwarpid", "smid", "nsmid", "gridid", "clock"})
    out.push_back(registerCase(name, "i32", ""));
  for (std::string relation : {"eq", "le", "lt", "ge", "gt"})
    out.push_back(registerCase("lanemask." + relation, "i32", "%lanemask_" + relation));
  out.push_back(registerCase("warpsize", "i32", "WARP_SZ"));
  out.push_back(registerCase("globaltimer.lo", "i32", "%globaltimer_lo"));
  out.push_back(registerCase("clock64", "i64", ""));
  out.push_back(registerCase("globaltimer", "i64", ""));
  // The range of a value may be stated.
  out.push_back({"nvvm.read.ptx.sreg.laneid",
                 "%0 = nvvm.read.ptx.sreg.laneid range <i32, 0, 32> : i32",
                 "%0 = \"nvvm.read.ptx.sreg.laneid\"() <{range = #llvm.constant_range<i32, 0, "
                 "32>}> : () -> i32",
                 "%0 = nvvm.read.ptx.sreg.laneid range <i32, 0, 32> : i32"});
  return out;
}

const std::vector<Case> &cases() {
  static const std::vector<Case> all = [] {
    std::vector<Case> all = registerCases();
    for (const auto *group : {&barrierCases, &mbarrierCases, &asyncCases, &accessCases, &warpCases,
                              &arithmeticCases, &vectorCases, &cuteCases, &cudaCases})
      all.insert(all.end(), group->begin(), group->end());
    return all;
  }();
  return all;
}

} // namespace tessera::import::test
