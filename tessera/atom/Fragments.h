// Fragments: the element of a tile that each thread holds at each value index, as named layouts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A fragment is a (thread, value) -> index layout, written once in Fragments.def and shared by all
// rows that use it. For MMA operands the index counts elements of the tile with the row fastest: A
// is (M,K), B is (N,K), C and D are (M,N). For copies it counts bits of what one instruction moves.
// A text may have the letters M, N, K (extents of the tile), B (bits), R (repetitions) and C
// (blocks), also in products and quotients such as 512*R and N/8.
#pragma once

#include "tessera/layout/Layout.h"

#include <span>
#include <string_view>

namespace tessera::atom {

enum class Fragment : uint8_t {
#define FRAGMENT(id, text, source) id,
#include "tessera/atom/Fragments.def"
#undef FRAGMENT
};

struct FragmentRow {
  Fragment id;
  std::string_view name, text, source;
};

/// All fragments, in the order of the enum.
std::span<const FragmentRow> fragments();
const FragmentRow &row(Fragment);

/// Values of the letters in a fragment's text.
struct Extents {
  int64_t m = 1, n = 1, k = 1; // elements of the MMA tile
  int64_t bits = 1;            // B: bits that one instruction moves for one thread (or block)
  int64_t repeat = 1;          // R: repetitions of tcgen05.ld and .st
  int64_t ctas = 1;            // C
};

/// The text with its letters and arithmetic replaced by numbers.
std::string text(Fragment, const Extents &);
/// The fragment as a layout with static leaves. Rank-1 profiles stay as CuTe writes them.
layout::Layout layoutOf(Fragment, const Extents &);

} // namespace tessera::atom
