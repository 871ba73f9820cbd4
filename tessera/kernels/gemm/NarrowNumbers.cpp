// From bytes to pairs of floats of 16 bits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/gemm/NarrowNumbers.h"

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;

/// Byte t of eight; or bytes 2t and 2t + 1.
NarrowNumbers::NarrowNumbers(Element type, Element wide, Num quad) : type(type), wide(wide) {
  constexpr int nibble = 4, zero = 0x4440;
  selector = type.bits() == nibble ? quad | zero : quad * 2 | (quad * 2 + 1) << nibble;
}
/// Eight bytes, in two words, have 16 numbers, the first in the lower half of a byte. After the
/// bits of 128 (1024) a number x + 8 is the float 136 + x (1032 + x).
Num NarrowNumbers::integers(Num word) const {
  Num byte = byte_perm(word, i32(0), selector);
  // The second number goes to the upper half; a byte's products have no carries.
  return (byte * 0x1001 & 0x000f000f) ^ (wide == f16 ? 0x64086408 : 0x43084308);
}
Num NarrowNumbers::floats(Num first, Num second) const {
  return byte_perm(first, second, selector);
}
Num NarrowNumbers::bothPairs(Num low, Num high) { return byte_perm(low, high, i32(0x5410)); }

void NarrowNumbers::scale(llvm::ArrayRef<Num> words, llvm::ArrayRef<Num> factors, Tensor to) const {
  Tensor packed = make_rmem_tensor(i32, make_layout(int64_t(words.size())));
  store_vec(vector_of(words), packed);
  Pointer from = recast_ptr(get_iter(packed), whole() ? wide : type), there = get_iter(to);
  // Two at a time, as one instruction has both.
  constexpr int pair = 2;
  for (size_t i = 0; i < factors.size(); ++i) {
    auto at = [&](Pointer first) {
      return make_tensor(offset(first, int32_t(i) * pair), make_layout(pair));
    };
    Num pairs = load_vec(at(from));
    if (whole())
      pairs = pairs - broadcast(wide(wide == f16 ? 1032.0 : 136.0), pair);
    else
      pairs = convert(pairs, wide);
    store_vec(pairs * broadcast(factors[i], pair), at(there));
  }
}
