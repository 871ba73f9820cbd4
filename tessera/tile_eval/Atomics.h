// Atomics: how atomic ops change an element.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/tile_eval/Arithmetic.h"

#include <optional>
#include <string>

namespace tessera::tile_eval {

using tile_bytecode::AtomicRMWMode;

/// The new element.
uint64_t updated(AtomicRMWMode, TypeKind, uint64_t old, uint64_t argument);
/// Nothing if a type has a mode, else what was expected.
std::optional<std::string> checkMode(AtomicRMWMode, TypeKind);

} // namespace tessera::tile_eval
