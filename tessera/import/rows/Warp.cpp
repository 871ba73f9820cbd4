// Rows: shuffles, votes and elections in a warp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/import/rows/Rows.h"

namespace tessera::import {

namespace {
/// A shape of matrices under the name that CuTe DSL's lowering has for it, and what LLVM 22 says
/// instead. PTX ISA 9.7.14.5.15 and 16: which elements a shape has depends on the direction.
struct MatrixShape {
  llvm::StringLiteral name, format; // of memory; empty: whatever is stated
  llvm::StringLiteral shape, element;
};
constexpr MatrixShape loadShapes[] = {
    {"m8n8", "", "<m = 8, n = 8>", "b16"},
    {"m16n16", "b8", "<m = 16, n = 16>", "b8"},
    {"m16n16", "b6x16_p32", "<m = 16, n = 16>", "b8x16.b6x16_p32"},
    {"m16n16", "b4x16_p64", "<m = 16, n = 16>", "b8x16.b4x16_p64"},
    {"m8n16", "b6x16_p32", "<m = 8, n = 16>", "b8x16.b6x16_p32"},
    {"m8n16", "b4x16_p64", "<m = 8, n = 16>", "b8x16.b4x16_p64"},
};
constexpr MatrixShape storeShapes[] = {
    {"m8n8", "", "<m = 8, n = 8>", "b16"},
    {"m16n8", "", "<m = 16, n = 8>", "b8"},
};
} // namespace

/// nvvm.ldmatrix and nvvm.stmatrix with `#nvvm.load_shape`, `#nvvm.store_shape`. LLVM's own
/// spelling stays as it is.
static mlir::LogicalResult matrices(ForeignOp &op, llvm::StringRef mnemonic,
                                    llvm::ArrayRef<MatrixShape> shapes) {
  if (op.get("eltType"))
    return op.becomes(op.name());
  llvm::FailureOr<llvm::StringRef> shape = op.takeEnumerator("shape", mnemonic);
  llvm::FailureOr<llvm::StringRef> format =
      op.takeEnumerator("srcFormat", "load_src_format", "none");
  if (failed(shape) || failed(format))
    return mlir::failure();
  const MatrixShape *found = llvm::find_if(shapes, [&](const MatrixShape &row) {
    return row.name == *shape && (row.format.empty() || row.format == *format);
  });
  if (found == shapes.end()) {
    std::string known;
    for (const MatrixShape &row : shapes)
      known += (llvm::Twine(known.empty() ? "" : ", ") + row.name +
                (row.format.empty() ? "" : " of ") + row.format)
                   .str();
    return op.refuse(Diag::PropertyValue, "shape", known, (*shape + " of " + *format).str());
  }
  llvm::SmallVector<mlir::NamedAttribute> properties{
      op.property("shape", ("#nvvm.ld_st_matrix_shape" + found->shape).str()),
      op.property("eltType", ("#nvvm.ld_st_matrix_elt_type<" + found->element + ">").str()),
      op.build().getNamedAttr("layout", op.take("layout"))};
  if (mlir::Attribute number = op.take("num"))
    properties.push_back(op.build().getNamedAttr("num", number));
  return op.replace(
      op.create(op.name(), op.operation()->getResultTypes(), op.operands(), properties)
          ->getResults());
}
static mlir::LogicalResult loadMatrices(ForeignOp &op) {
  return matrices(op, "load_shape", loadShapes);
}
static mlir::LogicalResult storeMatrices(ForeignOp &op) {
  return matrices(op, "store_shape", storeShapes);
}

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
    {.name = "nvvm.ldmatrix",
     .form = "$ attr-dict : '(' types ')' -> results",
     .operands = {Shared},
     .result = Any,
     .rewrite = loadMatrices,
     .witness = Family},
    {.name = "nvvm.stmatrix",
     .form = "$ , $ [ , $ ] [ , $ ] [ , $ ] attr-dict : types",
     .variadic = true,
     .rewrite = storeMatrices,
     .witness = Family},
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
