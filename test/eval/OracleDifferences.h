// Where the algebra differs from CuTe C++ on purpose: each class with its reason, its check and its
// size.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "test/eval/Oracle.h"

namespace tessera::layout::test {

/// A row, and what the algebra answered.
struct Case {
  const Row &row;
  std::string operation;
  const Inputs &in;
  Interp &values; // of the dynamic leaves
  const Answer &got;
};

struct Difference {
  std::string_view name;
  std::string_view reason;
  std::string_view operations; // names between spaces
  /// Whether a row of these operations belongs here.
  bool (*applies)(const Case &);
  /// Checks the answer by brute force: "", or what is wrong with it. Null where `applies` has said
  /// it all.
  std::string (*wrong)(const Case &);
  int rows; // of the table
};

std::span<const Difference> staticDifferences();  // layout_algebra.tsv
std::span<const Difference> dynamicDifferences(); // layout_dynamic.tsv
std::span<const Difference> refusalDifferences(); // invalid.tsv

/// Whether each composition inside the operation is one as a function: "", or what is wrong.
std::string wrongSteps(const Case &);

/// Whether `name` is one of `names`, which have spaces between them.
bool isOneOf(std::string_view name, std::string_view names);

} // namespace tessera::layout::test
