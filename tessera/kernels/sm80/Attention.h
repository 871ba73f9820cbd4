// Attention whose products are those of warps: Ampere and Ada, Blackwell without tensor memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/atom/Threads.h"
#include "tessera/kernels/sm90/Attention.h"

namespace tessera::kernels::sm80 {

constexpr int threadsOfAttention = 4 * atom::Threads::ofWarp;
/// Without cp.async, and with products of depth 8.
inline bool isTuring(const AttentionConfig &c) { return c.target.number() < 80; }

/// The choices that a configuration for these targets leaves open.
void completeAttention(AttentionConfig &);
/// Why a complete configuration has no kernel here, beyond what refused() checks for all targets.
std::optional<Reason> refusedAttention(const AttentionConfig &);
/// buildAttention for a complete configuration.
void buildAttention(const AttentionConfig &);

} // namespace tessera::kernels::sm80
