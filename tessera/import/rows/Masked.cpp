// Rows: loads and stores of vectors with a mask, which CuTe DSL 4.8 has.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operands are those of the bindings that decisions.md names: a vector of i1, and for a load
// what the result has where the mask is false, zeros if it is left out. Registers are all there, so
// that the whole vector is moved and then selected from; memory is touched where the mask is true.
#include "tessera/cute/Cute.h"
#include "tessera/import/rows/Rows.h"
#include "tessera/import/spellings/Generic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace tessera::import {

using namespace mlir;

namespace {
/// A tensor, the vector of all its elements, and which of them count.
struct Masked {
  ForeignOp &op;
  Value tensor, mask;
  VectorType vector;

  /// Nothing, after a refusal, if the three do not belong together.
  LogicalResult check(unsigned maskOperand) const {
    auto bits = dyn_cast<VectorType>(mask.getType());
    if (!isa<cute::CuteMemRefType>(tensor.getType()) || !vector || vector.getRank() != 1 || !bits ||
        bits.getShape() != vector.getShape() || !bits.getElementType().isInteger(1))
      return refuse(op.operation()->getLoc(), Diag::OperandType, plainName(), maskOperand,
                    "a vector of i1 with an element for each of the tensor's", mask.getType());
    return success();
  }
  StringRef plainName() const {
    StringRef name = op.name();
    name.consume_back(groupedSuffix);
    return name;
  }
  /// Whether the whole vector may be moved; if not, what is needed for its elements is at hand.
  bool inRegisters() const {
    op.context()->loadDialect<arith::ArithDialect, scf::SCFDialect, vector::VectorDialect>();
    return cast<cute::CuteMemRefType>(tensor.getType()).getAddressSpace() ==
           cute::AddressSpace::Rmem;
  }
  Value all() const { return op.value("cute.memref.load_vec", vector, tensor); }
  Value select(Value yes, Value no) const {
    return op.value("arith.select", vector, {mask, yes, no});
  }
  NamedAttribute position(int64_t i) const {
    return op.build().getNamedAttr("static_position", op.build().getDenseI64ArrayAttr(i));
  }
  Value coordinate(int64_t i) const {
    return op.value("cute.static", cute::CoordType::get(op.context(), layout::Tree(i)), {});
  }
  Value element(Value of, int64_t i) const {
    return op.value("vector.extract", cast<VectorType>(of.getType()).getElementType(), of,
                    position(i));
  }
};

/// (tensor, mask[, otherwise]), with their sizes.
LogicalResult load(ForeignOp &op) {
  op.take("operandSegmentSizes");
  const unsigned count = op.operands().size();
  if (count < 2 || count > 3)
    return op.refuse(Diag::OperandCount, "2 or 3", count);
  Masked m{op, op.operand(0), op.operand(1), dyn_cast<VectorType>(op.resultType())};
  if (failed(m.check(1)))
    return failure();
  Value result = count == 3
                     ? op.operand(2)
                     : op.value("arith.constant", m.vector, {},
                                op.build().getNamedAttr("value", op.build().getZeroAttr(m.vector)));
  if (m.inRegisters())
    return op.replace(m.select(m.all(), result));
  Type element = m.vector.getElementType();
  for (int64_t i = 0; i < m.vector.getNumElements(); ++i) {
    Value is = m.element(m.mask, i), otherwise = m.element(result, i), at = m.coordinate(i);
    OpBuilder b(op.operation());
    Location loc = op.operation()->getLoc();
    auto branch = scf::IfOp::create(b, loc, TypeRange(element), is, true, true);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b, loc,
                         cute::MemRefLoadOp::create(b, loc, element, m.tensor, at).getResult());
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, loc, otherwise);
    result = op.value("vector.insert", m.vector, {branch.getResult(0), result}, m.position(i));
  }
  return op.replace(result);
}

/// (vector, tensor, mask).
LogicalResult store(ForeignOp &op) {
  op.take("operandSegmentSizes");
  if (op.operands().size() != 3)
    return success(); // without a mask
  Value value = op.operand(0);
  Masked m{op, op.operand(1), op.operand(2), dyn_cast<VectorType>(value.getType())};
  if (failed(m.check(2)))
    return failure();
  if (m.inRegisters()) {
    op.create(op.name(), {}, {m.select(value, m.all()), m.tensor});
    return op.replace({});
  }
  for (int64_t i = 0; i < m.vector.getNumElements(); ++i) {
    Value is = m.element(m.mask, i), stored = m.element(value, i), at = m.coordinate(i);
    OpBuilder b(op.operation());
    Location loc = op.operation()->getLoc();
    auto branch = scf::IfOp::create(b, loc, TypeRange(), is, false);
    b.setInsertionPointToStart(branch.thenBlock());
    cute::MemRefStoreOp::create(b, loc, m.tensor, at, stored);
  }
  return op.replace({});
}

constexpr Row table[] = {{.name = "cute.memref.load_vec.grouped",
                          .variadic = true,
                          .result = Slot::Any,
                          .rewrite = load,
                          .witness = Witness::Family},
                         {.name = "cute.memref.store_vec",
                          .variadic = true,
                          .rewrite = store,
                          .witness = Witness::Family}};
} // namespace

llvm::ArrayRef<Row> maskedRows() { return table; }

} // namespace tessera::import
