// Universal: rules of the atoms of a single thread beyond their rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cute_nvgpu/AtomForms.h"

namespace tessera::cute_nvgpu {

/// The bits that a plain copy moves at once; `stated` is 0 if the type leaves them out.
int64_t universalBits(mlir::Type value, int64_t stated);

/// `, 128 b`, `, l1_cache_eviction_priority=no_allocate`, `, src_space = gmem` and
/// `, dst_space = smem`, all optional.
mlir::ParseResult parseUniversalCopyOptions(mlir::AsmParser &, int32_t &bits,
                                            std::optional<atom::EvictionPriority> &,
                                            std::optional<cute::AddressSpace> &source,
                                            std::optional<cute::AddressSpace> &destination);
void printUniversalCopyOptions(mlir::AsmPrinter &, int32_t bits,
                               std::optional<atom::EvictionPriority>,
                               std::optional<cute::AddressSpace> source,
                               std::optional<cute::AddressSpace> destination);

/// ` mem_order = relaxed mem_scope = gpu`: the options that differ from the defaults, in the order
/// of `accessKeys`.
mlir::ParseResult parseAccess(mlir::AsmParser &, atom::AccessOptions &);
void printAccess(mlir::AsmPrinter &, const atom::AccessOptions &);
/// Checks that loads acquire, stores release, and options fit the direction.
llvm::LogicalResult verifyAccess(Emitter, const CopyForm &);

} // namespace tessera::cute_nvgpu
