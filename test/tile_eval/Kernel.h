// Kernel: a tile program that a test puts together op by op, and One: an op that runs on tiles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/tile_eval/Interpreter.h"
#include "tessera/tile_eval/Value.h"

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tessera::tile_eval::test {

using tile_bytecode::Attribute;
using tile_bytecode::Op;
using Attributes = std::vector<std::optional<uint64_t>>;
using Columns = std::vector<std::vector<Index>>;
using Types = std::vector<std::string>;

/// The ops that some test has run. Every op has a test: CoverageTest.cpp looks here at the end.
std::set<Op> &opsRun();

/// A program with one entry `k`. Types are written "token", "4x8xf32", "f32" (a scalar),
/// "4xptr<i8>", or as the name of one that `define` made.
class Kernel {
public:
  Kernel(const Kernel &) = delete;
  explicit Kernel(const Types &parameters = {},
                  tile_bytecode::Version version = tile_bytecode::newestVersion);

  Index type(const std::string &text);
  /// A type that has no short text, under a name.
  Index define(const std::string &name, const tile_bytecode::Type &type);
  Index string(std::string_view text) { return interner.string(text); }
  /// An attribute that is one of the program's.
  uint64_t attribute(Attribute attribute);

  /// An instruction at the end of the block; the number of its first result.
  Index add(Op op, const Types &results, const Attributes &attributes, const Columns &operands,
            std::vector<Region> regions = {});
  /// A block whose arguments get the next numbers, filled by `body`.
  Region region(const Types &arguments,
                const std::function<void(const std::vector<Index> &)> &body);

  /// A tile of these codes; of one for all elements.
  Index constant(const std::string &type, const Codes &codes);
  /// Reads and writes an array with the weak ordering: pointer tile, and tile of values.
  Index load(const std::string &type, Index pointers);
  void store(Index pointers, Index value);
  /// base + 0, base + 1, ... of a scalar pointer "ptr<f32>", as "COUNTxptr<f32>".
  Index pointers(const std::string &pointee, Index base, int64_t count);

  /// The program, whose body `return` ends.
  Program finish();

  Program program;
  tile_bytecode::Function function;

private:
  tile_bytecode::Interner interner;
  std::vector<std::pair<std::string, Index>> named;
  std::vector<Instruction> *block;
  Index next = 0; // the number of the next value
};

/// A tile as a test writes it.
struct Tile {
  std::string type;
  Codes codes;
};

/// One op: checked by the verifier, then run in tile block (0, 0, 0) of a grid of one.
class One {
public:
  /// `parameters` are those that regions count before their own values: the types of the operands.
  explicit One(const Types &parameters = {}) : kernel(parameters) {}

  /// The results' codes, or why it does not verify or stopped.
  Result<std::vector<Codes>> run(Op op, const Types &results, const Attributes &attributes,
                                 const std::vector<std::vector<Tile>> &operands,
                                 std::vector<Region> regions = {});
  /// "Id: sentence" of a refusal, "ok" without one.
  std::string outcome(Op op, const Types &results, const Attributes &attributes,
                      const std::vector<std::vector<Tile>> &operands);

  /// For types with names and attributes that are needed before `run`.
  Kernel kernel;
  Memory memory;
  Options options;
  std::string output;
};

/// "Id: sentence", or "ok".
std::string textOf(const Status &);

/// Launches the kernel `k` of a program on arrays of the host.
class Launcher {
public:
  explicit Launcher(Program program) : interpreter(std::move(program)) {}

  /// An array that the kernel may touch; its address.
  template <class T> uint64_t array(std::vector<T> &data) {
    interpreter.memory().add(data.data(), data.size() * sizeof(T));
    return reinterpret_cast<uint64_t>(data.data());
  }
  std::string launch(const std::vector<uint64_t> &arguments,
                     std::array<uint32_t, 3> grid = {1, 1, 1}, const Options &options = {}) {
    return textOf(interpreter.launch("k", grid, arguments, options));
  }

  Interpreter interpreter;
};

} // namespace tessera::tile_eval::test
