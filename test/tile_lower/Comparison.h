// Comparison of what a simulated kernel computes with what the interpreter says.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/driver/Compiler.h"
#include "tessera/tile_eval/Element.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace tessera::tile_lower::test {

struct Compiled {
  std::string ptx;          // empty after an error
  std::string error;        // the first one
  uint32_t threads() const; // of a block, as .reqntid says
};
/// A tile program, as bytecode or text, at a level of tile_lower.
Compiled compile(driver::Compiler &compiler, const std::string &program, const char *arch,
                 int level);

enum class Match {
  Equal, // NaNs are equal
  Close, // numbers within a tolerance: some units in the last place of numbers of magnitude 1
  Different
};
Match compareCodes(tile_eval::TypeKind kind, uint64_t a, uint64_t b);

/// The bytes of an argument that is a pointer.
struct Array {
  tile_eval::TypeKind kind;
  std::vector<std::byte> bytes;

  size_t elementBytes() const;
  size_t size() const { return bytes.size() / elementBytes(); }
  uint64_t code(size_t i) const;
  void setCode(size_t i, uint64_t code);
};
Array newArray(tile_eval::TypeKind kind, size_t count);
tile_eval::TypeKind kindNamed(std::string_view name);

/// An argument that is a number.
struct Number {
  tile_eval::TypeKind kind;
  uint64_t code;
};
struct Setup {
  const char *arch = "sm_80";
  int level = 1;
  std::array<uint32_t, 3> grid = {1, 1, 1};
  std::vector<Number> numbers = {};     // after the arrays
  bool sanitizes = false;               // tessera sim --check
  std::optional<uint64_t> shuffle = {}; // tessera sim --shuffle
  const char *instruction = "";         // that the PTX has to have
};
/// Runs the entry @k of a program, whose parameters are pointers and then numbers, on the
/// interpreter, and compiled on the simulator. Empty, if all elements of all arrays match as
/// `least` says, and what is printed is equal; else what is wrong.
std::string difference(driver::Compiler &compiler, const std::string &text,
                       const std::vector<Array> &arrays, const Setup &setup,
                       Match least = Match::Equal);
/// The same with a match for each array.
std::string difference(driver::Compiler &compiler, const std::string &text,
                       const std::vector<Array> &arrays, const Setup &setup,
                       const std::vector<Match> &least);
/// Compares what the interpreter computes of a program before and after passes: empty, or what is
/// wrong.
std::string differenceAfter(driver::Compiler &compiler, const std::string &passes,
                            const std::string &text, const std::vector<Array> &arrays,
                            const Setup &setup, const std::vector<Match> &least);

} // namespace tessera::tile_lower::test
