// AddressSpace: which memory a pointer or one side of a copy means.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values are those of NVVM's address spaces, where it has one. PTX names more of them, as it
// counts what only its own text has (`.param`, `.reg`): `ptx_text::Space`.
#pragma once

#include "tessera/atom/Spelling.h"

#include <cstdint>

namespace tessera::atom {

/// Generic addresses reach every memory but tensor memory. Dsmem is the shared memory of another
/// block of the cluster, Rmem registers.
enum class AddressSpace : uint32_t {
  Generic = 0,
  Gmem = 1,
  Smem = 3,
  Rmem = 5,
  Tmem = 6,
  Dsmem = 7
};

inline constexpr Spelling<AddressSpace> addressSpaces[] = {
    {AddressSpace::Generic, "generic"}, {AddressSpace::Gmem, "gmem"},
    {AddressSpace::Smem, "smem"},       {AddressSpace::Rmem, "rmem"},
    {AddressSpace::Tmem, "tmem"},       {AddressSpace::Dsmem, "dsmem"},
};
constexpr std::span<const Spelling<AddressSpace>> spellings(AddressSpace) { return addressSpaces; }

} // namespace tessera::atom
