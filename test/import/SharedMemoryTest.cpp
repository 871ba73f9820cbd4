// Shared memory that CuTe DSL allocates by op, and launches that ask for it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Session.h"

#include <gtest/gtest.h>

#include <regex>

namespace tessera::import::test {

namespace {

/// A kernel with this body, and a host function that launches it with so many bytes of dynamic
/// shared memory (a value) after these lines.
std::string program(const std::string &body, const std::string &bytes = "%zero",
                    const std::string &before = "") {
  return R"mlir(
module {
  gpu.module @kernels {
    cuda.kernel @k() {
)mlir" + body +
         R"mlir(
      return
    }
  }
  func.func @host(%s: !cuda.stream) -> i32 {
    %zero = arith.constant 0 : i64
    %n = arith.constant 1 : i32
    %size = cute.kernel_smem_size @kernels::@k : i64
)mlir" + before +
         "%c = cuda.launch_cfg.create<max_attrs = 17 : i32> (blockDim = (%n, %n, %n), "
         "dynamicSmemBytes = " +
         bytes +
         R"mlir(, gridDim = (%n, %n, %n), stream = %s) : i32, i32, i32, i64, i32, i32, i32, !cuda.stream -> !cuda.launch_cfg<max_attrs = 17>
    %r = cuda.launch_ex @kernels::@k<%c> () : !cuda.launch_cfg<max_attrs = 17>, () -> !cuda.result
    return %n : i32
  }
}
)mlir";
}

/// What a program becomes; its first error, if it is refused.
std::string imported(const std::string &text) {
  Session session;
  if (!session.read(text))
    return session.diagnostics().empty() ? "no diagnostic" : session.diagnostics().front();
  return session.text();
}

/// The offsets from the base, in the order of the text.
std::vector<std::string> offsets(const std::string &text) {
  std::vector<std::string> found;
  std::regex static_(R"re(cute\.static : !cute\.int_tuple<"(\d+)">)re");
  for (std::sregex_iterator i(text.begin(), text.end(), static_), end; i != end; ++i)
    found.push_back((*i)[1]);
  return found;
}

bool has(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

const std::string checks = R"mlir(
    %most = arith.constant 232448 : i64
    %over = arith.cmpi sgt, %size, %most : i64
    scf.if %over {
      cute.print("{} bytes", %size) : i64
    }
    %stated = arith.constant 90000 : i64
)mlir";
} // namespace

TEST(SharedMemory, PartsOfOneArray) {
  // Aligned one after the other, and partition 0 first: 8 bytes, then from 16 on 12, from 128 on.
  std::string text = imported(program(R"mlir(
      %a = cute_nvgpu.arch.alloc_smem(3) : !cute.ptr<f32, smem, align<16>>
      %b = cute.memref.alloca() {smem.partition_id = 0 : i32} : !cute.memref<i64, smem, "1:0">
      %c = cute.memref.alloca() {smem.partition_id = 1 : i32, smem.struct_fields = ["x:64:0"]} : !cute.memref<i8, smem, align<128>, "(8,8):(9,1)">
)mlir"));
  EXPECT_EQ(offsets(text), (std::vector<std::string>{"16", "0", "128"})) << text;
  // The cosize of (8,8):(9,1) is 7*9 + 7*1 + 1 = 71.
  EXPECT_TRUE(has(text, "@k_smem() {addr_space = 3 : i32, alignment = 128 : i64} : "
                        "!llvm.array<199 x i8>"))
      << text;
}

TEST(SharedMemory, BitsOfSmallElements) {
  std::string text = imported(program(R"mlir(
      %a = cute.memref.alloca() : !cute.memref<f4E2M1FN, smem, align<16>, "33:1">
      %b = cute_nvgpu.arch.alloc_smem(1) : !cute.ptr<i8, smem>
)mlir"));
  EXPECT_EQ(offsets(text), (std::vector<std::string>{"0", "17"})) << text;
}

TEST(SharedMemory, StaticAsFarAsPtxLetsIt) {
  auto bytes = [](int64_t n) {
    return "%a = cute_nvgpu.arch.alloc_smem(" + std::to_string(n) + ") : !cute.ptr<i8, smem>";
  };
  std::string most = imported(program(bytes(49152), "%size"));
  EXPECT_TRUE(has(most, "!llvm.array<49152 x i8>")) << most;
  EXPECT_TRUE(has(most, "dynamicSmemBytes = %c0_i64")) << most;
  std::string more = imported(program(bytes(49153), "%size"));
  EXPECT_FALSE(has(more, "llvm.mlir.global")) << more;
  EXPECT_TRUE(has(more, "cute_nvgpu.arch.get_dyn_smem")) << more;
  EXPECT_TRUE(has(more, "dynamicSmemBytes = %c49153_i64")) << more;
}

TEST(SharedMemory, ALaunchAsksForAsMuch) {
  std::string body = "%a = cute_nvgpu.arch.alloc_smem(80000) : !cute.ptr<i8, smem>";
  // A launch that leaves it to the compiler, one that asks for too little, one for enough.
  EXPECT_TRUE(has(imported(program(body)), "arith.maxsi %c0_i64, %c80000_i64"));
  std::string enough = imported(program(body, "%stated", checks));
  EXPECT_TRUE(has(enough, "dynamicSmemBytes = %c90000_i64")) << enough;
  EXPECT_TRUE(has(enough, "arith.cmpi sgt, %c80000_i64, %c232448_i64")) << enough;
}

TEST(SharedMemory, NobodyCountsWhatIsTakenByAddress) {
  std::string body = "%a = cute_nvgpu.arch.get_dyn_smem() : !cute.ptr<i8, smem, align<1024>>";
  const std::string refusal =
      "error: cute.kernel_smem_size: @kernels::@k takes dynamic shared memory with "
      "cute_nvgpu.arch.get_dyn_smem, and the file does not say how much";
  EXPECT_TRUE(has(imported(program(body, "%size")), refusal));
  EXPECT_TRUE(
      has(imported(program(body, "%sum", "%sum = arith.addi %size, %zero : i64\n")), refusal));
  // The launch says it, and the size is only compared.
  std::string stated = imported(program(body, "%stated", checks));
  EXPECT_TRUE(has(stated, "dynamicSmemBytes = %c90000_i64")) << stated;
}

TEST(SharedMemory, WhatCannotBePlacedIsRefused) {
  EXPECT_EQ(
      imported(program("%a = cute_nvgpu.arch.get_dyn_smem() : !cute.ptr<i8, smem, align<1024>>\n"
                       "%b = cute_nvgpu.arch.alloc_smem(80000) : !cute.ptr<i8, smem>")),
      "loc(\"test.mlir\":6:6): error: cute_nvgpu.arch.alloc_smem: the kernel allocates 80000 "
      "bytes of shared memory, more than the 49152 that can be static, and takes dynamic "
      "shared memory with cute_nvgpu.arch.get_dyn_smem too");
  EXPECT_EQ(imported("%a = cute_nvgpu.arch.alloc_smem(8) : !cute.ptr<i8, smem>"),
            "loc(\"test.mlir\":1:6): error: cute_nvgpu.arch.alloc_smem: expects to be in a "
            "function");
  EXPECT_EQ(imported(program("%a = cute_nvgpu.arch.alloc_smem(8) : !cute.ptr<i8, gmem>")),
            "loc(\"test.mlir\":5:6): error: cute_nvgpu.arch.alloc_smem: expects to allocate a "
            "pointer to smem, but got !cute.ptr<i8, gmem>");
  EXPECT_EQ(imported(program("%a = \"cute_nvgpu.arch.alloc_smem\"() : () -> !cute.ptr<i8, smem>")),
            "loc(\"test.mlir\":5:6): error: cute_nvgpu.arch.alloc_smem: expects the property "
            "'input', a number of elements");
  EXPECT_EQ(imported(program("%a = \"cute_nvgpu.arch.alloc_smem\"() : () -> i32")),
            "loc(\"test.mlir\":5:6): error: cute_nvgpu.arch.alloc_smem: expects to allocate a "
            "pointer to smem, but got i32");
  EXPECT_EQ(imported(program("%a = cute.memref.alloca() : !cute.memref<i8, smem, \"(?):(1)\">")),
            "loc(\"test.mlir\":5:6): error: cute.memref.alloca: expects to allocate a tensor of a "
            "static layout, but got !cute.memref<i8, smem, \"(?):(1)\">");
  EXPECT_EQ(imported("func.func @f() {\n\"cute.kernel_smem_size\"() : () -> ()\nreturn }"),
            "loc(\"test.mlir\":2:1): error: cute.kernel_smem_size: expects the property "
            "'kernel_name', a symbol, no operands and a result of i64");
}

} // namespace tessera::import::test
