// Product: one random matrix product of an MMA row, dealt to threads by the row's fragments.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Ptx.h"

#include <random>
#include <vector>

namespace tessera::atom::test {

using Words = std::vector<uint32_t>;

/// What a product does with its operands beyond multiplying: what fields of an atom may ask for.
struct Variant {
  bool negateA = false, negateB = false;
  bool accumulates = true;
  bool real = false;      // a, b and c are codes of random numbers, and check() cannot be asked
  bool overflows = false; // s32: C next to the largest number, A and B not negative
};

/// Operands as small integers, numbered as the layouts number them: A by m + M*k, B by n + N*k, C
/// by m + M*n.
class Product {
public:
  Product(const MmaRow &, Choice, std::mt19937 &, Variant = {});

  const MmaRow &row;
  const Choice choice;
  const Variant variant;

  /// Threads of the block that runs it: a warp, or a warpgroup.
  int threads() const;
  /// What the kernel reads: for each thread its registers of A, B, C, metadata and scale factors;
  /// then shared tiles.
  Words input() const;
  /// Words of D that each thread writes.
  size_t wordsPerResult() const;
  /// PTX of a kernel that takes pointers to input and result.
  std::string kernel(const std::string &name) const;
  /// Fails the running test where the result of all threads is not the product.
  void check(const Words &result) const;

private:
  bool isGroup() const { return row.recipe == Recipe::Wgmma; }
  bool isQuadPairs() const { return row.threads == "(4,2):(1,16)"; }
  /// Threads that one product has; four quad pairs make the same product.
  int64_t positions() const { return isQuadPairs() ? 8 : threads(); }
  int64_t positionOf(int lane) const;
  /// Elements of A that four metadata bits describe.
  int chunk() const { return row.sparsity.elementsPerByte / 2; }
  void sparsify(std::mt19937 &);
  uint32_t chunkBits(int64_t index) const;
  uint32_t metadataOf(int lane) const;
  /// A lane's register of scale factors of A (rows) or of B (columns); 0xdeadbeef where no one
  /// looks.
  uint32_t scalesOf(int lane, bool ofA) const;
  int64_t scaleBlocks() const { return atom.k / row.scale.vec; }
  Words tile(const Operand &, const std::vector<int> &numbers, int64_t rows) const;
  int64_t tileBytes(const Operand &, int64_t rows) const;
  double expected(int64_t m, int64_t n) const;
  const Registers &result() const;
  std::string groupPrologue(const std::string &name) const;

  layout::MmaAtomLayouts atom;
  std::vector<int> a, b, c;
  std::vector<int> scalesA, scalesB; // exponents of two, block after block of a row (column)
  std::vector<bool> kept;            // of a sparse A
  std::vector<int64_t> indicesA, indicesB, indicesC, indicesE; // of all threads' values
};

/// `op` (ld or st) on each register of a list, at consecutive addresses from `offset`, which moves
/// on.
std::string eachRegister(std::string_view op, const Registers &registers, int64_t n, int first,
                         std::string_view base, int &offset);

} // namespace tessera::atom::test
