// What the handles of the C API hold, and how its functions refuse.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera-c/Layout.h"

#include "tessera/base/Guarded.h"
#include "tessera/capi/Errors.h"
#include "tessera/eval/Evaluate.h"

struct TesseraValue {
  tessera::eval::Value value;
  tessera::eval::RunTime values; // of its dynamic leaves
};

struct TesseraError {
  std::string id, text, help;
};

namespace tessera::capi {

/// Stores a new error in *error, if the caller wants one and no earlier call has.
void refuse(TesseraError **error, const Reason &reason, const std::string &help = "");
/// The same for what `guarded` refuses: where there is no memory for a new error, one that is never
/// destroyed.
void refuseException(TesseraError **error, const Reason &reason) noexcept;

/// `body()`, and nothing after an exception.
template <class Body> auto guarded(TesseraError **error, Body &&body) -> decltype(body()) {
  return tessera::guarded(body, [&](const Reason &reason) -> decltype(body()) {
    refuseException(error, reason);
    return {};
  });
}

/// A new handle, or null after a refusal.
TesseraValue *handle(eval::Evaluation done, TesseraError **error);

/// What `name(operands...)` evaluates to. Null at the end leaves an operand out, null before is a
/// refusal.
TesseraValue *called(std::string_view name, std::span<const TesseraValue *const> operands,
                     TesseraError **error);

/// The number of a value: static, or with a known run-time value.
std::optional<int64_t> numberOf(const TesseraValue &);

} // namespace tessera::capi
