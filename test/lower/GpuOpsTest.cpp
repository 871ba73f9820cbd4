// Ops of the gpu dialect in kernels, on the simulator. Expected: what the dialect's documentation
// says of them, for a block of threads in one row.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lower/OneBlock.h"

#include "tessera/base/Result.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>

namespace tessera::lower::test {
namespace {

constexpr uint32_t threads = 96, lanes = 32;

std::string kernel(const std::string &body) {
  return "gpu.module @m {\ncuda.kernel @k(%in: !llvm.ptr, %out: !llvm.ptr, %n: i32) attributes "
         "{cute.kernel} {\n%thread = gpu.thread_id x\n%t = arith.index_cast %thread : index to "
         "i32\n" +
         body + "\nreturn\n}\n}\n";
}

TEST(GpuOps, SayWhoThreadsAre) {
  struct Row {
    const char *op;
    std::function<uint32_t(uint32_t)> expected;
  };
  auto always = [](uint32_t value) { return [value](uint32_t) { return value; }; };
  for (const auto &[op, expected] :
       {Row{"gpu.thread_id x", [](uint32_t t) { return t; }},
        {"gpu.thread_id y", always(0)},
        {"gpu.block_id z", always(0)},
        {"gpu.block_dim x", always(threads)},
        {"gpu.block_dim y", always(1)},
        {"gpu.grid_dim x", always(1)},
        {"gpu.global_id x", [](uint32_t t) { return t; }},
        {"gpu.lane_id", [](uint32_t t) { return t % lanes; }},
        {"gpu.subgroup_id : index", [](uint32_t t) { return t / lanes; }},
        {"gpu.subgroup_size : index", always(lanes)},
        {"gpu.num_subgroups : index", always(threads / lanes)},
        {"gpu.cluster_id x", always(0)},
        {"gpu.cluster_dim x", always(1)},
        {"gpu.cluster_block_id x", always(0)},
        {"gpu.cluster_dim_blocks x", always(1)}}) {
    Outcome outcome = runBlock(
        kernel(cat("%i = ", op,
                   "\n%r = arith.index_cast %i : index to i32\n"
                   "%p = llvm.getelementptr %out[%t] : (!llvm.ptr, i32) -> !llvm.ptr, i32\n"
                   "llvm.store %r, %p : i32, !llvm.ptr")),
        {}, std::vector<uint8_t>(threads * 4), {.threads = threads});
    ASSERT_TRUE(outcome.ran) << op << ": " << outcome.errors;
    for (uint32_t t = 0; t < threads; ++t) {
      uint32_t got = 0;
      std::memcpy(&got, outcome.out.data() + t * 4, 4);
      EXPECT_EQ(got, expected(t)) << op << " of thread " << t;
    }
  }
}

/// gpu.shuffle: the lane that a lane reads, within its segment of `width` lanes; where there is no
/// such lane, its own value, and false.
TEST(GpuOps, ShuffleLanes) {
  struct Type {
    const char *name;
    unsigned bits;
  };
  for (const char *mode : {"xor", "up", "down", "idx"})
    for (int width : {32, 8})
      for (auto [type, bits] :
           {Type{"i32", 32}, {"f32", 32}, {"i64", 64}, {"f64", 64}, {"f16", 16}}) {
        const int offset = 5;
        const std::string integer = cat("i", bits), name = mode;
        std::string value =
            cat("%c = arith.constant 1000003 : i64\n%w = arith.extui %t : i32 to i64\n"
                "%v64 = arith.muli %w, %c : i64\n%s = arith.constant 11 : i64\n"
                "%v65 = arith.shli %v64, %s : i64\n%v66 = arith.ori %v65, %w : i64\n",
                bits == 64 ? "%vi = arith.ori %v66, %w : i64"
                           : cat("%vi = arith.trunci %v66 : i64 to ", integer),
                "\n");
        std::string x = "%vi", back = "%r";
        if (type[0] == 'f') {
          value += cat("%x = arith.bitcast %vi : ", integer, " to ", type, "\n");
          x = "%x";
        }
        std::string after =
            type[0] == 'f' ? cat("%ri = arith.bitcast %r : ", type, " to ", integer, "\n") : "";
        back = type[0] == 'f' ? "%ri" : "%r";
        Outcome outcome = runBlock(
            kernel(cat(
                value, "%o = arith.constant ", offset, " : i32\n%width = arith.constant ", width,
                " : i32\n%r, %ok = gpu.shuffle ", mode, " ", x, ", %o, %width : ", type, "\n",
                after,
                bits == 64 ? "" : cat("%wide = arith.extui ", back, " : ", integer, " to i64\n"),
                "%two = arith.constant 2 : i32\n%at = arith.muli %t, %two : i32\n"
                "%p = llvm.getelementptr %out[%at] : (!llvm.ptr, i32) -> !llvm.ptr, i64\n"
                "llvm.store ",
                bits == 64 ? back : "%wide",
                ", %p : i64, !llvm.ptr\n"
                "%q = llvm.getelementptr %p[1] : (!llvm.ptr) -> !llvm.ptr, i64\n"
                "%flag = arith.extui %ok : i1 to i64\nllvm.store %flag, %q : i64, !llvm.ptr")),
            {}, std::vector<uint8_t>(threads * 16), {.threads = threads});
        ASSERT_TRUE(outcome.ran) << mode << type << ": " << outcome.errors;
        for (int t = 0; t < int(threads); ++t) {
          const int lane = t % int(lanes), first = lane - lane % width, last = first + width - 1;
          int from = name == "xor"    ? lane ^ offset
                     : name == "up"   ? lane - offset
                     : name == "down" ? lane + offset
                                      : first + offset % width;
          const bool valid = from >= first && from <= last;
          from = t - lane + (valid ? from : lane);
          uint64_t expected = ((uint64_t(from) * 1000003) << 11) | uint64_t(from);
          expected &= bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
          uint64_t got[2];
          std::memcpy(got, outcome.out.data() + t * 16, 16);
          EXPECT_EQ(got[0], expected) << mode << " " << width << " " << type << " of thread " << t;
          EXPECT_EQ(got[1], uint64_t(valid)) << mode << " " << width << " of thread " << t;
        }
      }
}

TEST(GpuOps, BarriersOrder) {
  // Each thread reads what its neighbour wrote; the simulator's block runs warp after warp.
  Outcome outcome = runBlock(
      kernel(
          "%p = llvm.getelementptr %out[%t] : (!llvm.ptr, i32) -> !llvm.ptr, i32\n"
          "llvm.store %t, %p : i32, !llvm.ptr\ngpu.barrier\n%last = arith.constant 95 : i32\n"
          "%o = arith.subi %last, %t : i32\n"
          "%q = llvm.getelementptr %out[%o] : (!llvm.ptr, i32) -> !llvm.ptr, i32\n"
          "%x = llvm.load %q : !llvm.ptr -> i32\ngpu.barrier\nllvm.store %x, %p : i32, !llvm.ptr"),
      {}, std::vector<uint8_t>(threads * 4), {.threads = threads});
  ASSERT_TRUE(outcome.ran) << outcome.errors;
  for (uint32_t t = 0; t < threads; ++t) {
    uint32_t got = 0;
    std::memcpy(&got, outcome.out.data() + t * 4, 4);
    EXPECT_EQ(got, threads - 1 - t);
  }
}

} // namespace
} // namespace tessera::lower::test
