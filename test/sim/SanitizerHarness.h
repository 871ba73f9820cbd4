// SanitizerHarness: a kernel under the sanitizer, and what it is to report.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "BulkHarness.h"

#include "tessera/sim/Report.h"

namespace tessera::sim::test {

/// What is found in 64 threads of one block, or 32 of each of several that are not a cluster.
struct Outcome {
  Reason reason;
  std::vector<sanitize::Report> reports;
};
inline Outcome look(const std::string &body, uint32_t blocks = 1, size_t most = 20,
                    uint32_t threads = 64) {
  Bench bench({.hostThreads = 1, .sanitize = true, .maxReports = most});
  uint64_t in = bench.buffer(std::vector<uint32_t>(1024)),
           out = *bench.machine.memory().allocate(4096);
  LaunchConfig config{.grid = {blocks}, .block = {blocks == 1 ? threads : 32u}};
  Status status = bench.launch(kernelOf(body, shared), "k", config, {in, out});
  return {status ? Reason{} : status.reason(), bench.reports()};
}
inline void expectClean(const std::string &body, uint32_t blocks = 1, uint32_t threads = 64) {
  EXPECT_EQ(look(body, blocks, 20, threads).reason.text, "") << body;
}
inline void expectReport(const std::string &body, std::string_view id, const std::string &words,
                         uint32_t blocks = 1, uint32_t threads = 64) {
  Reason reason = look(body, blocks, 20, threads).reason;
  EXPECT_EQ(reason.id, id) << body << reason.text;
  EXPECT_NE(reason.text.find(words), std::string::npos) << reason.text;
}

/// r1: the thread, r2: the block; d1: the word of `out` that the thread of any block has.
inline const std::string start =
    "mov.u32 r1, %tid.x;\nmov.u32 r2, %ctaid.x;\nsetp.eq.u32 p1, r1, 0;\nsetp.eq.u32 p2, r2, 0;\n"
    "mul.wide.u32 d1, r1, 4;\nadd.u64 d1, d1, out_;\nmov.u32 r40, tile;\nshl.b32 r41, r1, "
    "2;\nadd.u32 r42, r41, r40;\n"
    "xor.b32 r43, r41, 4;\nadd.u32 r43, r43, r40;\n";

} // namespace tessera::sim::test
