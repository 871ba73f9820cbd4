// Notation: litmus tests in a line, for tables.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/litmus/Model.h"

#include <gtest/gtest.h>

namespace tessera::litmus::test {

/// Threads are set apart by `|`, instructions by `;`:
///
///   w x 1, r x 0           st.weak, ld.weak; of a load the number is what it is to see
///   W x 1, R x 0           st.relaxed.sys, ld.relaxed.sys
///   W.release.gpu x 1      any other order and scope
///   F.sc.cta               a fence
///   A.relaxed.cta.add x 1 0    an atom, and what it is to see
///   D.relaxed.cta.add x 1      a red
///   B 0                    barrier.sync
///   C x y                  a load of x, relaxed, whose value goes to y
///
/// `places` has the block of each thread ("0 0 1"; none: each its own), with its cluster and its
/// GPU if need be ("1c0", "1g1"); `last` what locations are to have in the end ("x 2 y 1").
struct Line {
  std::string name, code, places, last;
  bool isAllowed;
};

/// What the ISA and papers say of tests: ModelTest.cpp.
const std::vector<Line> &published();

/// The text of a test.
std::string textOf(const Line &);
/// Reads it; fails the test if that cannot be done.
std::unique_ptr<Program> testOf(const Line &);
/// Whether an outcome is what the line asks for.
bool isAsked(const Line &, const Program &, const Outcome &);

} // namespace tessera::litmus::test
