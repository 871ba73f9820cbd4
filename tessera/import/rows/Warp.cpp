// Rows: shuffles, votes and elections in a warp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/import/rows/Rows.h"

namespace tessera::import {

/// nvvm.movmatrix: a matrix of 8 x 8 halves transposed over the warp, which is the only form that
/// the instruction has. PTX ISA 9.7.14.5.17.
static mlir::LogicalResult transposeMatrix(ForeignOp &op) {
  for (llvm::StringRef property : {"shape", "layout", "eltType"})
    op.take(property);
  return op.replace(op.ptx("movmatrix.sync.aligned.m8n8.trans.b16 $0, $1;", "=r,r", op.resultType(),
                           op.operand(0), /*touchesMemory=*/false));
}

using enum Slot;
using enum Witness;

static constexpr Row table[] = {
    {.name = "nvvm.bar.warp.sync", .form = "$ attr-dict : types", .operands = {I32}},
    {.name = "nvvm.elect.sync",
     .form = "[ $ ] attr-dict -> results",
     .operands = {I32},
     .optional = 1,
     .result = I1},
    {.name = "nvvm.movmatrix",
     .operands = {I32},
     .result = I32,
     .rewrite = transposeMatrix,
     .witness = Family},
    {.name = "nvvm.shfl.sync",
     .form = "word(kind,shfl_kind) $ , $ , $ , $ attr-dict : type(1) -> results",
     .operands = {I32, Any, I32, I32},
     .result = Any},
    {.name = "nvvm.vote.ballot.sync",
     .form = "$ , $ attr-dict : results",
     .operands = {I32, I1},
     .result = I32,
     .becomes = "nvvm.vote.sync",
     .edits = {set("kind", "#nvvm<vote_sync_kind ballot>")}},
    {.name = "nvvm.redux.sync",
     .form = "word(kind,redux_kind) $ , $ attr-dict : type(0) -> results",
     .operands = {Any, I32},
     .result = Any,
     .witness = Family},
};

llvm::ArrayRef<Row> warpRows() { return table; }

} // namespace tessera::import
