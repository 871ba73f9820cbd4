// CuTe C++'s macros, so that its code needs no change here.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cute_cxx/Numbers.h"

namespace tessera::cute::detail {
/// A condition that C++ knows while it traces; a mistake where it does not hold.
void static_check(const Num &condition, const char *otherwise, Place = Place::current());
} // namespace tessera::cute::detail

// Loops of C++ are unrolled, and kernels are functions of the host.
#ifndef CUTE_UNROLL
#define CUTE_UNROLL
#define CUTE_NO_UNROLL
#define CUTE_HOST inline
#define CUTE_DEVICE inline
#define CUTE_HOST_DEVICE inline
#define CUTE_STATIC_ASSERT static_assert
// Of values, which C++ knows while it traces.
#define CUTE_STATIC_ASSERT_V(CONDITION, ...)                                                       \
  ::tessera::cute::detail::static_check(CONDITION, "" __VA_ARGS__)
#endif
