// Reasons of the jit room: the rows of Errors.def.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Result.h"

#include <cstdint>
#include <initializer_list>

namespace tessera::jit {

enum class Error : uint8_t {
#define ERROR(id, text) id,
#include "tessera/jit/Errors.def"
#undef ERROR
};

std::string_view name(Error);
std::string_view text(Error);

namespace detail {
Reason fill(Error, std::initializer_list<std::string>);
}

/// The row's sentence with {0}, {1}, ... replaced.
template <class... Pieces> Reason fail(Error error, const Pieces &...pieces) {
  return detail::fill(error, {cat(pieces)...});
}

} // namespace tessera::jit
