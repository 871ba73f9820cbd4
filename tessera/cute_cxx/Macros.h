// CuTe C++'s macros, so that its code needs no change here.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cute_cxx/Numbers.h"

namespace tessera::cute::detail {
/// Checks a condition that C++ knows while it traces; a mistake if it does not hold.
void static_check(const Num &condition, const char *otherwise, Place = Place::current());
} // namespace tessera::cute::detail

// C++ loops are unrolled anyway, and kernels are functions of the host.
#ifndef CUTE_UNROLL
#define CUTE_UNROLL
#define CUTE_NO_UNROLL
#define CUTE_HOST inline
#define CUTE_DEVICE inline
#define CUTE_HOST_DEVICE inline
#define CUTE_GRID_CONSTANT
#define CUTE_STATIC_ASSERT static_assert
// A check of values that C++ knows while it traces.
#define CUTE_STATIC_ASSERT_V(CONDITION, ...)                                                       \
  ::tessera::cute::detail::static_check(CONDITION, "" __VA_ARGS__)
#endif
