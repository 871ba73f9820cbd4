// What the handles of the C API hold.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera-c/Layout.h"

#include "tessera/base/ApiError.h"
#include "tessera/capi/Errors.h"
#include "tessera/eval/Evaluate.h"

struct TesseraValue {
  tessera::eval::Value value;
  tessera::eval::RunTime values; // of its dynamic leaves
};

struct TesseraError {
  std::string id, text, help = {};
};

namespace tessera::capi {

/// A new handle, or null after a refusal.
TesseraValue *handle(eval::Evaluation done, TesseraError **error);

/// What `name(operands...)` evaluates to. Null at the end leaves an operand out, null before is a
/// refusal.
TesseraValue *called(std::string_view name, std::span<const TesseraValue *const> operands,
                     TesseraError **error);

/// The number of a value: static, or with a known run-time value.
std::optional<int64_t> numberOf(const TesseraValue &);

} // namespace tessera::capi
