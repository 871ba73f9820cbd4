// Every fragment against the PTX ISA's own (row, column) formulas.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Evaluate.h"
#include "FragmentWitnesses.h"

#include <gtest/gtest.h>

#include <map>

using namespace tessera;
using namespace tessera::atom;
using namespace tessera::atom::test;

namespace {
/// Rows of the column-major numbering: M of A and C, N of B.
int64_t leadingExtent(const Witness &witness) {
  std::string_view what = witness.what;
  if (witness.extents.m > 1 || witness.extents.n > 1)
    return witness.matrix == B ? witness.extents.n : witness.extents.m;
  bool eight = witness.matrix == B || what.find("m8n8") != what.npos;
  return what == "fma" ? 1 : eight ? 8 : 16;
}
} // namespace

TEST(Fragment, IsWhatPtxSays) {
  for (const Witness &witness : witnesses) {
    layout::Layout tv = layoutOf(witness.fragment, witness.extents);
    ASSERT_EQ(threadsOf(tv), witness.threads) << witness.what;
    ASSERT_EQ(valuesOf(tv), witness.values) << witness.what;
    std::vector<int64_t> indices = values(tv);
    int64_t rows = leadingExtent(witness);
    for (int thread = 0; thread < witness.threads; ++thread)
      for (int i = 0; i < witness.values; ++i) {
        Place place = witness.place(thread, i);
        int64_t index =
            witness.matrix == B ? place.column + rows * place.row : place.row + rows * place.column;
        ASSERT_EQ(indices[size_t(thread * witness.values + i)], index)
            << witness.what << ", thread " << thread << ", element " << i << ", layout "
            << layout::str(tv);
      }
  }
}

TEST(Fragment, EveryMmaFragmentHasAWitness) {
  std::map<Fragment, int> count;
  for (const Witness &witness : witnesses)
    ++count[witness.fragment];
  for (const FragmentRow &row : fragments()) {
    bool ofCopies = row.id >= Fragment::BitsOne; // see CopyRowTest.cpp
    if (row.id != Fragment::None && !ofCopies)
      EXPECT_GT(count[row.id], 0) << row.name;
  }
}

TEST(Fragment, TextsPrintAsWritten) {
  for (const FragmentRow &row : fragments()) {
    Extents extents{.m = 128, .n = 64, .k = 16, .bits = 64, .repeat = 2, .ctas = 1};
    EXPECT_EQ(layout::str(layoutOf(row.id, extents)), text(row.id, extents)) << row.name;
  }
}

TEST(Fragment, TextsEvaluateTheirArithmetic) {
  EXPECT_EQ(text(Fragment::G64xN, {.n = 128}), "((4,8,4),(2,2,16)):((128,1,16),(64,8,512))");
  EXPECT_EQ(text(Fragment::TwoMK, {.m = 256, .k = 16}), "(2,(128,16)):(128,(1,256))");
  EXPECT_EQ(text(Fragment::Tmem16x64, {.repeat = 4}), "((2,2,8),(32,4)):((2048,32,256),(1,64))");
}
