// SmemTile: tiles of a matrix in shared memory, as TMA fills and products read them with the
// swizzle of 128 bytes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/layout/Layout.h"

namespace tessera::kernels {

/// `rows` x `columns` elements, contiguous along the columns, as panels one after the other. A row
/// of a panel has 128 bytes, or 64 or 32 if wider ones would not fill the columns; each panel has
/// `rows` rows. A TMA box is a panel.
class SmemTile {
public:
  static constexpr int rowBytes = 128;               // of a panel: what the widest swizzle permutes
  static constexpr layout::Swizzle swizzle{3, 4, 3}; // that one

  SmemTile(int64_t rows, int64_t columns, int64_t elementBits);

  /// Bytes of a row of a panel, for this many columns.
  static int64_t panelBytes(int64_t columns, int64_t elementBits);
  /// The swizzle of the 16-byte pieces of a row of a panel of this many bytes.
  static layout::Swizzle swizzleOf(int64_t panelBytes);

  int64_t elements() const { return rows * columns; }
  /// The same memory with its modes exchanged: what wgmma calls M-major or N-major.
  SmemTile transposed() const;
  /// This tile as the part of a tile of more rows that begins at some row.
  SmemTile within(int64_t rowsOfWhole) const;

  /// ((8,r),(64,p)):((64,512),(1,s)) of 16-bit elements.
  layout::Layout layout() const;
  /// The layout with the swizzle, from which tensor maps are made.
  layout::AnyLayout swizzled() const;
  /// The layout with a third mode, (1, stages), of tiles `apart` elements apart.
  layout::Layout staged(int64_t stages, int64_t apart) const;

private:
  int64_t rows, columns, bytes, panel, panelStride; // bytes: of a row of a panel
  bool exchanged = false;
};

} // namespace tessera::kernels
