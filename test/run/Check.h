// What the tests of the run room share: unwrapping results, expecting sentences, random numbers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/run/Dtype.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <vector>

namespace tessera::run {

/// The value, or the end of the program with the reason: for steps that are not what a test is
/// about.
template <class T> T must(Result<T> result) {
  if (!result) {
    std::fprintf(stderr, "unexpected reason: %s\n", result.reason().text.c_str());
    std::abort();
  }
  return *std::move(result);
}

/// The sentence of a refusal; a note that there was none otherwise.
template <class T> std::string refusal(const Result<T> &result) {
  return result ? "(accepted)" : result.reason().text;
}

/// All element types of buffers, as docs/guide.md lists them.
inline std::vector<Dtype> allTypes() {
  using enum Dtype;
  return {f64, f32, tf32, f16, bf16, e4m3, e5m2, ue8m0, e2m3, e3m2, e2m1, b1, s2,
          s4,  s8,  s16,  s32, s64,  u1,   u2,   u4,    u8,   u16,  u32,  u64};
}

/// Every test has the same random numbers in every run.
inline std::mt19937_64 generator() { return std::mt19937_64(20250101); }

} // namespace tessera::run
