// Tiles of a matrix in shared memory, as TMA fills and wgmma reads them with the swizzle of 128
// bytes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/layout/Layout.h"

namespace tessera::kernels::sm90 {

/// What is `rows` x `columns`, contiguous along the columns: panels of 128 bytes in a row, or of 64
/// or 32 where wider ones would not fill the columns, one after the other, each of `rows` rows. A
/// TMA box is a panel.
class SmemTile {
public:
  static constexpr int rowBytes = 128;               // of a panel: what the widest swizzle permutes
  static constexpr layout::Swizzle swizzle{3, 4, 3}; // that one

  SmemTile(int64_t rows, int64_t columns, int64_t elementBits);

  /// Bytes of a row of a panel of so many columns.
  static int64_t panelBytes(int64_t columns, int64_t elementBits);
  /// What permutes the 16-byte pieces of a row of a panel of so many bytes.
  static layout::Swizzle swizzleOf(int64_t panelBytes);

  int64_t elements() const { return rows * columns; }
  /// The same memory with its modes exchanged: what wgmma calls M-major or N-major.
  SmemTile transposed() const;
  /// A part that begins with some row of a tile of more rows.
  SmemTile within(int64_t rowsOfWhole) const;

  /// ((8,r),(64,p)):((64,512),(1,s)) of 16-bit elements.
  layout::Layout layout() const;
  /// The swizzle after it, as tensor maps are made from.
  layout::AnyLayout swizzled() const;
  /// With a third mode, (1, stages), of tiles so many elements apart.
  layout::Layout staged(int64_t stages, int64_t apart) const;

private:
  int64_t rows, columns, bytes, panel, panelStride; // bytes: of a row of a panel
  bool exchanged = false;
};

} // namespace tessera::kernels::sm90
