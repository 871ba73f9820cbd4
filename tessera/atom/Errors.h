// Reasons of the atom tables: the rows of Errors.def.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Result.h"

#include <cstdint>

namespace tessera::atom {

enum class Error : uint8_t {
#define ERROR(id, text) id,
#include "tessera/atom/Errors.def"
#undef ERROR
};

namespace detail {
Reason fill(Error, std::initializer_list<std::string>);
}

/// The row's sentence with {0}, {1}, ... replaced.
template <class... Pieces> Reason fail(Error error, const Pieces &...pieces) {
  return detail::fill(error, {cat(pieces)...});
}

} // namespace tessera::atom
