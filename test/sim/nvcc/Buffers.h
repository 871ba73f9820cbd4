// Buffers as arrays of a type, for the plain versions of the programs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Programs.h"

namespace tessera::nvcc {

using u8 = uint8_t;
using u32 = uint32_t;
using u64 = uint64_t;
using Buffers = std::vector<Bytes>;
template <class T> T *as(Bytes &b) { return reinterpret_cast<T *>(b.data()); }
template <class T> size_t count(const Bytes &b) { return b.size() / sizeof(T); }

/// out[i] = f(i) of the last buffer.
template <class T, class F> void each(Buffers &b, F f) {
  T *out = as<T>(b.back());
  for (size_t i = 0; i < count<T>(b.back()); ++i)
    out[i] = f(i);
}

/// The parts of the table, in the order in which programs() has them.
std::vector<Program> firstPrograms(), warpPrograms(), structurePrograms(), integerPrograms(),
    stencilPrograms(), realPrograms(), tensorPrograms(), copyPrograms(), languagePrograms();

} // namespace tessera::nvcc
