// Coverage: an observer that counts, for each instruction of a kernel, who ran it and who did not.
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

/// What became of an instruction. Lanes that wait at it, and come to it again, count once.
struct InstructionCoverage {
  enum Kind : uint8_t {
    Always,     // without a guard
    Predicated, // with one
    Branch      // with one that decides where a thread goes on: bra, brx, call, ret, exit, trap
  };
  int32_t line = 0; // of the PTX
  Kind kind = Always;
  uint64_t warps = 0;   // times that lanes of a warp came to it together
  uint64_t threads = 0; // lanes that ran it: its guard was true, the branch was taken
  uint64_t skipped = 0; // lanes that did not: its guard was false
  Statistics::Banks banks{};

  /// A branch that nobody took has been run; another instruction that all skipped was not.
  bool isCovered() const { return threads || (kind == Branch && skipped); }
  /// Both with its guard true and with its guard false.
  bool wentBothWays() const { return threads && skipped; }
  /// Lanes that had something to do, of 32 for each of `warps`.
  uint64_t lanes() const { return kind == Branch ? threads + skipped : threads; }
  /// Passes over the banks of shared memory beyond those that would do.
  uint64_t conflicts() const { return banks.passes - banks.needed; }
};

/// Of a kernel, in all of its launches.
struct KernelCoverage {
  std::string name;                        // the whole one
  std::shared_ptr<const std::string> text; // the PTX that it is part of
  int line = 0;                            // of the PTX
  uint64_t launches = 0;
  /// The kernel's, those of functions that it may call by name, and those of functions that it has
  /// called by address; by their number in the program.
  std::map<uint32_t, InstructionCoverage> instructions;
};

class Coverage : public Observer {
public:
  Coverage();
  ~Coverage() override;

  /// In the order of their first launches. Kernels of the same name in other texts are others.
  const std::vector<KernelCoverage> &kernels() const { return all; }

  void onLaunch(const Grid &) override;
  std::unique_ptr<WarpObserver> watch(const Warp &) override;
  /// A launch whose counts were lost, as memory ran out, has failed.
  Status onReturn(const Grid &, Status ended) override;

private:
  struct Launch;
  class OfWarp;
  KernelCoverage &kernelOf(const Grid &);

  std::vector<KernelCoverage> all;
  std::unique_ptr<Launch> launch; // that runs
};

} // namespace tessera::sim
