// Coverage: an observer that counts, for each instruction of a kernel, the lanes that ran it or
// not.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   auto coverage = std::make_shared<sim::Coverage>();
//   sim::Machine machine({}, coverage);
//   ... launches ...
//   for (const sim::KernelCoverage &kernel : coverage->kernels())
//     for (const auto &[number, i] : kernel.instructions)
//       if (!i.isCovered())
//         std::printf("%s: no thread ran line %d\n", kernel.name.c_str(), i.line);
#pragma once

#include "tessera/sim/Observer.h"
#include "tessera/sim/Statistics.h"

#include <map>
#include <mutex>
#include <vector>

namespace tessera::sim {

/// The counts of an instruction. Lanes that wait at it and reach it again count once.
struct InstructionCoverage {
  enum Kind : uint8_t {
    Always,     // without a guard
    Predicated, // with a guard
    Branch // with a guard that decides where a thread continues: bra, brx, call, ret, exit, trap
  };
  int32_t line = 0; // of the PTX
  Kind kind = Always;
  uint64_t warps = 0;   // times that lanes of a warp reached it together
  uint64_t threads = 0; // lanes that ran it: guard true, branch taken
  uint64_t skipped = 0; // lanes that did not: guard false
  Statistics::Banks banks{};

  /// A branch that no lane took counts as run; any other instruction that all lanes skipped does
  /// not.
  bool isCovered() const { return threads || (kind == Branch && skipped); }
  /// Whether its guard was both true and false.
  bool wentBothWays() const { return threads && skipped; }
  /// Lanes that had work, of 32 for each of `warps`.
  uint64_t lanes() const { return kind == Branch ? threads + skipped : threads; }
  /// Passes over the banks of shared memory in excess of the necessary ones.
  uint64_t conflicts() const { return banks.passes - banks.needed; }
};

/// The counts of a kernel over all of its launches.
struct KernelCoverage {
  std::string name;                        // full
  std::shared_ptr<const std::string> text; // the PTX that contains it
  int line = 0;                            // of the PTX
  uint64_t launches = 0;
  /// Instructions of the kernel, of functions that it may call by name, and of functions that it
  /// has called by address; by their number in the program.
  std::map<uint32_t, InstructionCoverage> instructions;
};

class Coverage : public Observer {
public:
  Coverage();
  ~Coverage() override;

  /// In the order of their first launches. Kernels with the same name in different texts are
  /// separate.
  const std::vector<KernelCoverage> &kernels() const { return all; }

  void onLaunch(const Grid &) override;
  std::unique_ptr<WarpObserver> watch(const Warp &) override;
  /// Fails a launch whose counts were lost because memory ran out.
  Status onReturn(const Grid &, Status ended) override;

private:
  struct Launch;
  class OfWarp;
  KernelCoverage &kernelOf(const Grid &);

  std::vector<KernelCoverage> all;
  std::unique_ptr<Launch> launch; // the one that runs
};

} // namespace tessera::sim
