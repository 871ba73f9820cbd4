// KernelArgument: one `--arg` of `tessera sim`, which describes a kernel's parameter.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   binding ::= 'ptr=' buffer                                 ptr=A.npy   ptr=out:f16:64x64
//             | 'struct{' binding { ',' binding } '}'         struct{ptr=A.npy,i32:64}
//             | 'tmap:' type ':' shape ':' strides ':' shape ':' swizzle
//               [ ':' interleave ':' fill ] '@' buffer
//             | scalar                                        i32:5   0.5   (Argument.h)
//   buffer  ::= file | fill (Argument.h) | '#' N              #0: the buffer that was named first
//   strides ::= N { ',' N } | ''          bytes of the modes from the second on; '': compact
//   swizzle ::= 'none' | '32B' | '64B' | '128B'
//   interleave ::= 'none' | '16B' | '32B'
//   fill    ::= 'zeros' | 'nan'
//
// tmap:f16:64x128::64x8:128B@A.npy is a map on rows of 64 halves, with boxes of 64 x 8. The first
// extent is that of the contiguous mode; with interleave it has slices of 16 or 32 bytes
// (atom::innerStride). Members of a struct are at multiples of their sizes, as in C.
#pragma once

#include "tessera/atom/TensorMap.h"
#include "tessera/run/Argument.h"

namespace tessera::run {

struct KernelArgument {
  enum Kind : uint8_t {
    Pointer,
    Struct,
    TensorMap,
    Scalar
  } kind = Scalar;
  size_t buffer = 0;                   // Pointer, TensorMap
  uint64_t scalar = 0;                 // its code
  size_t size = 0, alignment = 1;      // bytes
  atom::TensorMap map;                 // without an address
  std::vector<KernelArgument> members; // Struct
};

/// Arguments in order, and the buffers that they name.
struct KernelArguments {
  std::vector<KernelArgument> arguments;
  std::vector<Argument> buffers;
};
Result<KernelArguments> parseKernelArguments(const std::vector<std::string> &texts);

/// The bytes of an argument, with the addresses of the buffers. A reason if a tensor map exceeds a
/// limit.
Result<std::vector<std::byte>> bytesOf(const KernelArgument &, std::span<const uint64_t> addresses);

} // namespace tessera::run
