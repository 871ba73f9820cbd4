// Index: an index after an offset.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/layout/Algebra.h"

#include <optional>

namespace tessera::layout {

/// offset + crd2idx(coord, l), as one sum.
Result<Tree> crd2idxAfter(Arith &, const Tree &offset, const Tree &coord, const Layout &l);

/// Whether indices of a tensor of layout `l` may need more than 32 bits though its leaves say 32:
/// by products with static strides, which have no width of their own. An extent that is not known
/// has up to 2^31 elements.
bool reachesBeyond32Bits(const Layout &l);

/// `coord` as the elements of a tensor of layout `l` are counted: in 64 bits, if the layout's
/// numbers are known and an index needs more than 32. What is computed of layouts alone is as wide
/// as their leaves, as types say.
Tree wideEnough(const Tree &coord, const AnyLayout &l);

/// The index of an element of a tensor: crd2idx, but 64 bits wide where reachesBeyond32Bits says so
/// and the memory is as large (`far`).
Result<Tree> elementIndex(Arith &, const Tree &coord, const AnyLayout &l, bool far);
/// sliceAndOffset of a tensor: its offset is an elementIndex.
Result<Sliced> sliceTensor(Arith &, const Tree &coord, const AnyLayout &l, bool far);
/// partition and localPartition of a tensor: likewise. Without `projection`, all modes of `threads`
/// count.
Result<Sliced> partitionTensor(Arith &, const TiledCopy &, CopySide, const AnyLayout &tensor,
                               const Tree &thread, bool far);
Result<Sliced> partitionTensor(Arith &, const TiledMma &, MmaOperand, const AnyLayout &tensor,
                               const Tree &thread, bool far);
Result<Sliced> localPartitionTensor(Arith &, const AnyLayout &l, const Layout &threads, Int thread,
                                    const std::optional<Tree> &projection, bool far);

} // namespace tessera::layout
