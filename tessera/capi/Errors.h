// Reasons of the C API: the rows of Errors.def.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Sentence.h"

#include <cstdint>

namespace tessera::capi {

enum class Error : uint8_t {
#define ERROR(id, text) id,
#include "tessera/capi/Errors.def"
#undef ERROR
};

inline constexpr Sentence errors[] = {
#define ERROR(id, text) {#id, text},
#include "tessera/capi/Errors.def"
#undef ERROR
};

/// The row's sentence with {0}, {1}, ... replaced.
template <class... Pieces> Reason fail(Error error, const Pieces &...pieces) {
  return refusal(errors[size_t(error)], pieces...);
}

} // namespace tessera::capi
