// Job: one kernel that runs on a GPU and on the simulator, and which bytes of its results must
// agree.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/run/Device.h"
#include "tessera/sim/Rows.h"

#include <functional>
#include <random>

namespace tessera::hw {

using Bytes = std::vector<std::byte>;

/// How far two results may lie apart: |a - b| <= relative * |b| + absolute.
struct Bound {
  double relative = 0, absolute = 0;
  bool anyNan = false; // the ISA does not say which NaN comes out
  bool isExact() const { return relative == 0 && absolute == 0 && !anyNan; }
};
/// What the PTX ISA states for an approximation; exact for everything else.
Bound boundOf(const sim::Modifiers &);

/// A part of each output record.
struct Field {
  uint32_t offset = 0, bytes = 0;
  sim::Type type = sim::Type::b32; // how a bound, or the NaNs of f64, are read
  std::string name;
};

/// A kernel takes the addresses of its input and its output, arrays with a record for each thread.
struct Job {
  std::string name, group, kernel; // PTX after `.visible .entry NAME`
  const sim::InstructionRow *row = nullptr;
  std::shared_ptr<const Bytes> input;
  uint32_t inputRecord = 0, outputRecord = 0, threads = 0, block = 256, sharedBytes = 0;
  std::vector<Field> fields;
  Bound bound;
  /// Whether the ISA defines the result for an input record; null: always.
  std::function<bool(const std::byte *)> isDefined;
};

struct Options {
  std::string only;
  uint32_t threads = 2048;
  uint64_t seed = 1;
};

/// One job for each spelling of each row that operands can be made up for; `without` gets the other
/// rows.
std::vector<Job> jobsOfRows(const Options &, std::vector<const sim::InstructionRow *> &without);
/// For each product of the atom table, dense and sparse, of warps and warpgroups, one with small
/// integers and one with real numbers.
std::vector<Job> jobsOfProducts(const Options &);

/// One for each way in which a tensor map may describe a box: types, swizzles, steps, edges,
/// interleave, columns; loads, stores, sums.
std::vector<Job> jobsOfTensors(const Options &);

/// All spellings of a form: every choice of what must be there, and up to two of the words that may
/// be.
std::vector<std::string> spellings(const sim::InstructionRow &, size_t most);

/// A value of a type: special, of any bits, or of a moderate size; 16 bytes.
void randomValue(std::mt19937_64 &, sim::Type, std::byte *to);
/// Whether two results agree.
bool agree(const Field &, const Bound &, const std::byte *a, const std::byte *b);
/// FNV-1a of bytes, by which results are kept.
uint64_t hashOf(std::span<const std::byte>);
/// "0x3f800000".
std::string hexOf(const std::byte *, size_t bytes);

} // namespace tessera::hw
