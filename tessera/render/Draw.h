// Draw: pictures of layouts and of the hardware's atoms.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each function makes a Picture; `written` turns it into text, SVG or LaTeX. Pictures of more than
// `mostCells` cells, or `mostExtent` rows or columns, are refused.
#pragma once

#include "tessera/atom/CopyRow.h"
#include "tessera/render/Banks.h"
#include "tessera/render/Writers.h"

#include <span>

namespace tessera::render {

inline constexpr int64_t mostCells = 65536, mostExtent = 1024, mostOwners = int64_t(1) << 22;

/// A layout as a grid of offsets: mode 0 are the rows, all other modes together the columns; a
/// layout of one mode is one row. Nested modes show as thicker lines. Coordinates for basis
/// strides.
Result<Picture> drawLayout(const layout::AnyLayout &);

/// A (thread, value) layout over a tile, whose elements it numbers with the row fastest. One colour
/// per thread.
Result<Picture> drawThreadValues(const layout::Layout &tv, int64_t rows, int64_t columns);

/// The defaults of a picture: the largest N up to 32, or else the smallest; 16 bytes or one
/// repetition of a copy.
int64_t usualN(const atom::MmaRow &);
int64_t usualAmount(const atom::CopyRow &);

/// An MMA atom: A to the left of the product and B above it. `m` and `n` choose among the extents
/// of a parametric row; 0 takes the smallest M and the usual N.
Result<Picture> drawMma(const atom::MmaRow &, int64_t m = 0, int64_t n = 0);

/// A copy atom: the elements that each thread reads, beside those that it writes. `amount` is bits
/// or repetitions if the row leaves a choice, 0 for the usual one; `valueBits` the width of a cell,
/// 0 for that of the instruction's elements.
Result<Picture> drawCopy(const atom::CopyRow &, int64_t amount = 0, int64_t valueBits = 0);

/// A layout in shared memory: offsets in elements, coloured by bank.
Result<Picture> drawBanks(const layout::AnyLayout &memory, int64_t elementBits);

/// Shared memory and an access to it, one of those to be compared.
struct DrawnAccess {
  layout::AnyLayout memory;
  ThreadAccess access;
};
/// For each access the banks with the threads that touch them, and below how many words each bank
/// must give in each phase. At most the first 32 of the 128-byte lines that are touched are shown.
Result<Picture> drawConflicts(std::span<const DrawnAccess>);

enum class Format : uint8_t {
  Terminal,
  Svg,
  Latex
};
struct Output {
  Format format = Format::Terminal;
  Terminal terminal; // for Format::Terminal
};
std::string written(const Picture &, const Output &);

/// How a layout is drawn.
struct LayoutView {
  enum Kind : uint8_t {
    Offsets,
    ThreadValues,
    Banks
  } kind = Offsets;
  int64_t rows = 0, columns = 0; // ThreadValues: the tile; 0: one row as long as the cosize
  int64_t elementBits = 16;      // Banks
};
Result<Picture> pictureOf(const layout::AnyLayout &, const LayoutView &);
/// The picture of a layout, written.
Result<std::string> draw(const layout::AnyLayout &, const Output & = {}, const LayoutView & = {});

} // namespace tessera::render
