// updated: what the atomic ops make of an element.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/tile_eval/Arithmetic.h"

#include <optional>
#include <string>

namespace tessera::tile_eval {

using tile_bytecode::AtomicRMWMode;

/// The new element.
uint64_t updated(AtomicRMWMode, TypeKind, uint64_t old, uint64_t argument);
/// Whether a type has a mode; what is expected otherwise.
std::optional<std::string> checkMode(AtomicRMWMode, TypeKind);

} // namespace tessera::tile_eval
