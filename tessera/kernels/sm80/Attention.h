// Attention whose products are those of warps: Ampere and Ada, Blackwell without tensor memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/atom/Threads.h"
#include "tessera/kernels/attention/AttentionKernel.h"

namespace tessera::kernels::sm80 {

constexpr int threadsOfAttention = 4 * atom::Threads::ofWarp;
/// Without cp.async, and with products of depth 8.
inline bool isTuring(const AttentionConfig &c) { return c.target.number() < 80; }

/// With products of floats of 8 bits.
inline bool multipliesBytes(const AttentionConfig &c) { return c.target.number() >= 89; }

/// The row of these targets in choice/AttentionKernels.cpp.
extern const AttentionKernel attentionKernel;
/// Its part that writes the kernel.
void buildAttention(const AttentionConfig &);

} // namespace tessera::kernels::sm80
