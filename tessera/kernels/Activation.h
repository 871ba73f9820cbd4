// Activation: functions of numbers and vectors of f32, for epilogues.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/dsl/Scalars.h"

#include <string_view>

namespace tessera::kernels {

/// A number in every element of a vector with the length of `like`; unchanged if `like` is not a
/// vector.
dsl::Num splat(dsl::Num scalar, const dsl::Num &like);
dsl::Num splat(double number, const dsl::Num &like);

/// A function of a number or vector of f32; null for none.
struct Activation {
  std::string_view name;
  dsl::Num (*of)(dsl::Num);
};
/// By name: none, relu, gelu, silu; null for any other name.
const Activation *findActivation(std::string_view name);

} // namespace tessera::kernels
