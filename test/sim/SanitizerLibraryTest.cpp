// The sanitizer and copies that libcu++ makes: who calls cuda::memcpy_async owes no fence for them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "BulkHarness.h"

namespace tessera::sim::test {

namespace {

/// What is found of a bulk copy in one warp, after mbarrier.init and a barrier without a fence,
/// with what follows the copy.
std::string foundOf(const std::string &after) {
  Bench bench({.hostThreads = 1, .sanitize = true, .maxReports = 20});
  uint64_t in = bench.buffer(std::vector<uint32_t>(1024)),
           out = *bench.machine.memory().allocate(4096);
  std::string body =
      "mov.u32 r1, %tid.x;\nsetp.eq.u32 p1, r1, 0;\n@p1 mbarrier.init.shared.b64 [bar], 1;\n"
      "bar.sync 0;\n@p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], "
      "[in_], 16, [bar];\n" +
      after;
  LaunchConfig config{.grid = {1}, .block = {32}};
  Status status = bench.launch(kernelOf(body, shared), "k", config, {in, out});
  return status ? "" : std::string(status.reason().id);
}

// As cuda/__memcpy_async/memcpy_async_barrier.h of CUDA 13.0 does it: the copy, then the bytes.
TEST(SanitizerLibrary, CopiesOfMemcpyAsync) {
  const std::string arrive = "@p1 mbarrier.arrive.shared.b64 _, [bar];\n";
  EXPECT_EQ(foundOf("@p1 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], 16;\n" + arrive),
            "");
  EXPECT_EQ(foundOf("@p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;\n"), "MbarrierFence");
}

} // namespace
} // namespace tessera::sim::test
