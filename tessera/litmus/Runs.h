// Runs: litmus tests on the simulator.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/litmus/Program.h"

#include <set>

namespace tessera::litmus {

/// How the threads of a block are placed.
enum class Lanes : uint8_t {
  OneWarp,
  OwnWarps
};

struct RunOptions {
  Lanes lanes = Lanes::OwnWarps;
  std::optional<uint64_t> shuffle{}; // sim::Limits
  unsigned hostThreads = 1;
  bool sanitize = false;
};

struct Run {
  Outcome outcome;
  std::vector<std::string> reports; // "Race: ...", of the sanitizer
};

/// The test as a kernel `litmus`, whose parameter is the address of the registers' values. Fails
/// for places that the simulator does not have: another GPU, clusters of several sizes.
Result<std::string> kernelOf(const Program &, Lanes);

/// Runs it once.
Result<Run> run(const Program &, const RunOptions &);

} // namespace tessera::litmus
