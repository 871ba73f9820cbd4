// Status: the result of an operation without a value.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Result.h"

namespace tessera {

/// `return Done{};`, or a Reason.
struct Done {};
using Status = Result<Done>;

} // namespace tessera

/// `TESSERA_CHECK(device.synchronize());` returns the reason to the caller if there is one, of any
/// Result whose value is not needed.
#define TESSERA_CHECK(expression)                                                                  \
  do {                                                                                             \
    if (auto status_ = (expression); !status_)                                                     \
      return std::move(status_).reason();                                                          \
  } while (false)
