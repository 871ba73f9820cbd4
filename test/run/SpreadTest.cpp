// Which tensors stand for a pointer, extents and strides, beside a search through all choices.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/run/Spread.h"

#include <gtest/gtest.h>

#include <random>

using tessera::run::Given;
using tessera::run::wholeTensors;
using Kind = Given::Kind;

namespace {

/// Whether the arguments, with these tensors as arrays, are the parameters one by one.
bool meets(const std::vector<Given> &given, const std::vector<bool> &whole,
           const std::vector<bool> &isPointer) {
  std::vector<Kind> kinds;
  for (size_t i = 0; i < given.size(); ++i) {
    kinds.push_back(given[i].kind == Kind::Tensor ? Kind::Pointer : given[i].kind);
    if (whole[i])
      kinds.insert(kinds.end(), 2 * given[i].rank, Kind::Number);
  }
  if (kinds.size() != isPointer.size())
    return false;
  for (size_t i = 0; i < kinds.size(); ++i)
    if (kinds[i] != Kind::Any && (kinds[i] == Kind::Pointer) != isPointer[i])
      return false;
  return true;
}

TEST(Spread, TheOnlyChoiceThatFits) {
  std::mt19937 random(7);
  auto below = [&](unsigned end) { return random() % end; };
  int only = 0;
  for (int round = 0; round < 20000; ++round) {
    std::vector<Given> given(1 + below(5));
    std::vector<bool> isPointer, all;
    for (Given &one : given) {
      one.kind =
          std::vector{Kind::Tensor, Kind::Tensor, Kind::Number, Kind::Pointer, Kind::Any}[below(5)];
      one.rank = one.kind == Kind::Tensor ? below(3) : 0;
      all.push_back(one.kind == Kind::Tensor);
      bool isOne = one.kind == Kind::Any ? below(2) : one.kind != Kind::Number;
      isPointer.push_back(isOne != (below(20) == 0));
      if (all.back() && below(2))
        isPointer.insert(isPointer.end(), 2 * one.rank, false);
    }
    std::vector<std::vector<bool>> fitting;
    for (unsigned choice = 0; choice < 1U << given.size(); ++choice) {
      std::vector<bool> whole;
      bool isChoice = true; // an array of rank 0 is its pointer: one choice, not two
      for (size_t i = 0; i < given.size(); ++i) {
        whole.push_back(choice >> i & 1);
        isChoice &= !whole[i] || (all[i] && given[i].rank > 0);
      }
      if (isChoice && meets(given, whole, isPointer))
        fitting.push_back(whole);
    }
    std::vector<bool> got = wholeTensors(given, isPointer);
    if (given.size() == isPointer.size()) {
      EXPECT_EQ(got, std::vector<bool>(given.size()));
      continue;
    }
    if (fitting.size() == 1) {
      EXPECT_EQ(got, fitting[0]);
      ++only;
    } else {
      EXPECT_EQ(got, all);
    }
  }
  EXPECT_GT(only, 2000);
}

} // namespace
