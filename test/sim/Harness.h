// Running PTX in tests: whole kernels with buffers, and single instructions with registers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/sim/Machine.h"
#include "tessera/sim/Rows.h"

#include <gtest/gtest.h>

#include <set>

namespace tessera::sim {
struct Report; // tests of what it says include Report.h
}
namespace tessera::sanitize {
class Sanitizer;
using sim::Report;
} // namespace tessera::sanitize

namespace tessera::sim::test {

/// `.version`, `.target` and a kernel `k` around a body, with the registers that bodies use: p, c
/// (8 bits), h (16), r (32), d (64), q (128), numbered from 0 to 63. `in` and `out` are its
/// parameters.
std::string kernelOf(const std::string &body, const std::string &module = "");

/// The text of a file of kernels/.
std::string kernelFile(const std::string &name);

/// Threads are the same whatever the elements are, and the thread sanitizer costs tenfold: under it
/// long tests run a part of their cases, which still has every instruction.
#if __has_feature(thread_sanitizer)
inline constexpr bool onlyThreads = true;
#else
inline constexpr bool onlyThreads = false;
#endif

/// Rows that tests have bound so far.
std::set<const InstructionRow *> &coveredRows();

/// Parses, and notes the rows; fails the test if it cannot.
std::shared_ptr<const Program> parsed(const std::string &text);
/// The reason why a text cannot be parsed; fails the test if it can.
Reason refused(const std::string &text);

/// sim::Limits, and whether the sanitizer looks on.
struct Limits {
  uint64_t instructions = sim::Limits().instructions;
  uint64_t globalBytes = sim::Limits().globalBytes;
  unsigned hostThreads = 0;
  bool lateCopies = false;
  std::optional<uint64_t> shuffle{};
  bool sanitize = false;
  std::optional<size_t> maxReports{};
  bool counts = false;
  std::optional<TracedWarp> trace{};
  std::function<void(const std::string &)> progress{};

  operator sim::Limits() const {
    return {.instructions = instructions,
            .globalBytes = globalBytes,
            .hostThreads = hostThreads,
            .lateCopies = lateCopies,
            .shuffle = shuffle,
            .counts = counts,
            .trace = trace,
            .progress = progress};
  }
};

/// Code that decides by what a register holds: a use of it.
inline std::string decidesBy(std::string_view name, std::string_view type = "u32") {
  return cat("setp.eq.", type, " p60, ", name, ", 12345;\n@p60 nanosleep.u32 1;\n");
}

/// A sanitizer that goes on after reports, for tests that stand between it and the machine.
struct LastingSanitizer {
  std::shared_ptr<Observer> observer;
  std::function<const std::vector<sanitize::Report> &()> reports; // of the last launch
};
LastingSanitizer lastingSanitizer();

/// One machine with buffers.
class Bench {
public:
  explicit Bench(Limits limits = {});

  template <class T> uint64_t buffer(const std::vector<T> &values) {
    uint64_t address = *machine.memory().allocate(values.size() * sizeof(T));
    EXPECT_TRUE(machine.memory().write(address, std::as_bytes(std::span(values))));
    return address;
  }
  template <class T> std::vector<T> read(uint64_t address, size_t count) {
    std::vector<T> values(count);
    EXPECT_TRUE(machine.memory().read(std::as_writable_bytes(std::span(values)), address));
    return values;
  }
  /// Launches the kernel with parameters that are all of 8 bytes.
  Status launch(const std::string &text, const std::string &kernel, LaunchConfig config,
                const std::vector<uint64_t> &parameters);

  const std::vector<sanitize::Report> &reports() const;

  std::shared_ptr<sanitize::Sanitizer> sanitizer; // null: nobody looks on
  Machine machine;
};

/// What kernel `k` of kernelOf(body) leaves in `words` 32-bit words at `out`, run by one block of
/// `threads`.
std::vector<uint32_t> results(const std::string &body, size_t words, uint32_t threads = 32,
                              const std::vector<uint32_t> &input = {},
                              const std::string &module = "");
/// Fails the test unless the kernel of a body ends with this reason, whose text has `words` in it.
void expectFails(const std::string &body, std::string_view id, const std::string &words,
                 uint32_t threads = 32, Limits limits = {}, const std::string &module = "");
/// The reason with which it ends.
Reason failure(const std::string &body, uint32_t threads = 32, Limits limits = {},
               const std::string &module = "");

} // namespace tessera::sim::test
