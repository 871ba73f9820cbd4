// GemmType: the types of A and B. For the GEMMs only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/dsl/Dsl.h"

namespace tessera::kernels {

/// A type of A and B. Two types of the same kind may be multiplied.
struct GemmType {
  dsl::Element mma; // in the instruction
  int kind;

  std::string_view name() const { return number::ourName(mma.format()); }
  /// The type in tensors: f32 for tf32, which the tensor core truncates; with 4 bits two in a byte.
  dsl::Element memory() const {
    return mma == dsl::tf32 ? dsl::f32 : mma.bits() < 8 ? dsl::u8 : mma;
  }
  /// Numbers in an element of a tensor.
  int packed() const { return memory().bits() / mma.bits(); }
  int bits() const { return mma.bits(); }
  int64_t bytesOf(int elements) const { return int64_t(elements) * memory().bits() / packed() / 8; }
  bool integer() const { return !mma.isFloat(); }
  /// The type of sums.
  dsl::Element sum() const { return integer() ? dsl::i32 : dsl::f32; }
};
/// Null if there is no such type.
const GemmType *findGemmType(std::string_view name);

} // namespace tessera::kernels
