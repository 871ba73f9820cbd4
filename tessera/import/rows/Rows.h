// The groups of rows, one file each.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/import/ForeignOp.h"

namespace tessera::import {

llvm::ArrayRef<Row> barrierRows();  ///< barriers of blocks and clusters, fences, dependent launches
llvm::ArrayRef<Row> mbarrierRows(); ///< mbarrier objects
llvm::ArrayRef<Row> asyncRows();  ///< cp.async, bulk copies, wgmma, tcgen05, cluster launch control
llvm::ArrayRef<Row> accessRows(); ///< loads, stores and atomics
llvm::ArrayRef<Row> warpRows();   ///< shuffles, votes, elections
llvm::ArrayRef<Row> arithmeticRows(); ///< packed and approximate arithmetic
llvm::ArrayRef<Row> conversionRows(); ///< narrowing to f8 and f4
llvm::ArrayRef<Row> registerRows();   ///< special registers
llvm::ArrayRef<Row> vectorRows();     ///< `vector` ops that LLVM 22 removed
llvm::ArrayRef<Row> cuteRows();       ///< `cute` ops under another name
llvm::ArrayRef<Row> groupedRows();    ///< copies and products of lists of tensors
llvm::ArrayRef<Row> maskedRows();     ///< loads and stores of vectors with a mask
llvm::ArrayRef<Row> cudaRows();       ///< launch attributes

} // namespace tessera::import
