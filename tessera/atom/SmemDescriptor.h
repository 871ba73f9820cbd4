// SmemDescriptor: the 64-bit word that tells wgmma or tcgen05.mma where a matrix in shared memory
// is.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All offsets in the word are in units of 16 bytes. The address (bits 0 to 13) is 0 here, since it
// is only known at run time.
#pragma once

#include "tessera/atom/MmaRow.h"

namespace tessera::atom {

/// The user of a descriptor: the fields are at the same bits, but the codes of swizzles differ.
enum class DescriptorKind : uint8_t {
  Wgmma,
  Tcgen05
};
/// Those of a row that takes any.
inline DescriptorKind descriptorOf(const MmaRow &row) {
  return row.recipe == Recipe::Umma ? DescriptorKind::Tcgen05 : DescriptorKind::Wgmma;
}

/// Bits 0 to 13: the address of a matrix in shared memory, in 16 bytes.
constexpr uint32_t smemAddressUnit = 16, smemAddressMask = 0x3fff;

/// The descriptor of the tile of one instruction. `tile` is ((MN...), (K...)) or (MN, K) in
/// elements of `elementBits`, static; `swizzle` is what the pointer applies to byte addresses;
/// `major` says which mode is contiguous. Fails if hardware has no such layout. Source: PTX ISA
/// 9.7.15.5.1 and 9.7.16.4.1; CUTLASS make_gmma_desc, make_umma_desc.
Result<uint64_t> smemDescriptor(DescriptorKind, const layout::Layout &tile,
                                const layout::Swizzle &swizzle, int64_t elementBits, Major major);

/// A decoded descriptor: the places of one instruction's matrix, in bytes of shared memory.
struct SmemMatrix {
  uint32_t start = 0;
  layout::Swizzle swizzle;
  // A unit is 16 bytes of a row; rows are those of M or N (K-major) or of K (MN-major).
  int64_t units = 1, rows = 8; // that follow each other at innerUnit and innerRow bytes
  int64_t innerRow = 0, outerRow = 0, innerUnit = 0, outerUnit = 0;

  uint32_t address(int64_t row, int64_t unit) const {
    return uint32_t(swizzle(start + row % rows * innerRow + row / rows * outerRow +
                            unit % units * innerUnit + unit / units * outerUnit));
  }
};
/// A reason if the word has a code that no swizzle has, a base offset, whose meaning is not known
/// well enough, or a bit that differs from the fixed bits of tcgen05's descriptors.
Result<SmemMatrix> smemMatrix(DescriptorKind, uint64_t word, Major major);

} // namespace tessera::atom
