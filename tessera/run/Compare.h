// Comparing a tensor with a reference: which elements differ and by how much.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/run/Tensor.h"

namespace tessera::run {

/// The tolerances of numpy.allclose, with its defaults.
struct Tolerance {
  double relative = 1e-5;
  double absolute = 1e-8;
  bool equalNan = false; // two NaN pass
  size_t shown = 5;      // how many mismatches are listed
};

struct Mismatch {
  Coord coord;
  double actual, expected;
};

struct Comparison {
  int64_t count = 0;      // elements
  int64_t mismatches = 0; // elements that do not pass
  int64_t nonFinite = 0;  // mismatches in which either side is NaN or infinite
  // Errors over the elements that are finite on both sides:
  double maxAbsolute = 0; // max |actual - expected|
  double maxRelative = 0; // max |actual - expected| / |expected| where expected is not 0
  Coord worst;            // where maxAbsolute is, first in flat order; empty if it is 0
  double maxExpected = 0; // max |expected|: what maxAbsolute is to be judged by
  double frobenius = 0;   // ||actual - expected|| / ||expected||; infinite if only the latter is 0
  std::vector<Mismatch> first; // the first mismatches in flat order
  Tolerance tolerance;

  bool ok() const { return mismatches == 0; }
  /// One line, and one more for each listed mismatch.
  std::string str() const;
};

/// Element by element: passes if actual == expected, or both are finite and |actual - expected| <=
/// absolute + relative * |expected| (numpy.isclose). Integers are compared exactly, beyond 2^53
/// too. The element types may differ, the shapes not: that is a reason.
Result<Comparison> compare(const Tensor &actual, const Tensor &expected, Tolerance = {});

} // namespace tessera::run
