// The GEMM of Blackwell, for configurations whose target has tensor memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block has 128 rows of D. One warp loads tiles of A and B by TMA, one multiplies (tcgen05.mma),
// and four store, each the 32 rows of tensor memory that it reaches. There are two accumulators in
// tensor memory, so that one tile is stored while the next is multiplied. In a pair, two blocks
// multiply 256 rows together: each loads its own rows of A and half of those of B, and the first
// begins the products. Blocks walk over tiles by themselves, or take over those of clusters that
// have not begun.
//
// Block factors (mxf8, mxf4; nvf4): a row has four factors for four blocks of 32 (16) elements of
// K. Those of 128 rows are 512 bytes together, row m from byte 16 (m mod 32) + 4 (m div 32) on, the
// order of tcgen05.cp and CUTLASS. Such pieces follow each other along K, and then along the rows:
// a matrix of words. A tile of K has one, two or four of them. In a pair, each block has the
// factors of its own rows of A, and those of all columns of B.
#pragma once

#include "tessera/kernels/gemm/GemmKernel.h"

namespace tessera::kernels::sm100 {

/// The row of these targets in choice/GemmKernels.cpp.
extern const GemmKernel gemmKernel;
void buildGemm(const GemmConfig &);

} // namespace tessera::kernels::sm100
