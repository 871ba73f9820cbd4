// Rows: `cute` ops that CuTe DSL writes under another name than this project.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute/Cute.h"
#include "tessera/cute/Evaluate.h"
#include "tessera/cute_nvgpu/AtomTypes.h"
#include "tessera/import/rows/Rows.h"

namespace tessera::import {

using namespace mlir;
using enum Slot;
using enum Witness;

/// 4.3.3 has the iterator of a coordinate tensor as an int_tuple (spellings/Dsl43.cpp).
static LogicalResult getIter(ForeignOp &op) {
  auto tuple = dyn_cast<cute::IntTupleType>(op.resultType());
  if (!tuple)
    return op.becomes(op.name());
  Value iterator =
      op.value("cute.get_iter", cute::ArithTupleIterType::get(op.context(), tuple.getValue()),
               op.operand(0));
  return op.replace(op.value("cute.deref_arith_tuple_iter", tuple, iterator));
}

/// CuTe DSL names the value first, and then the pointer.
static LogicalResult ptrStore(ForeignOp &op) {
  if (isa<cute::PtrType>(op.operand(0).getType()) || !isa<cute::PtrType>(op.operand(1).getType()))
    return success();
  SmallVector<NamedAttribute> kept;
  for (StringRef name : {"offset", "alignment"})
    if (Attribute value = op.take(name))
      kept.push_back(op.build().getNamedAttr(name, value));
  op.create(op.name(), {}, {op.operand(1), op.operand(0)}, kept);
  return op.replace({});
}

/// Time that passes, for finding races; nothing depends on it.
static LogicalResult randomDelay(ForeignOp &op) { return op.replace({}); }

/// The same value as a type that says less of it, which ops may state as their result.
static Value derefined(ForeignOp &op, Value value, Type type) {
  if (value.getType() == type)
    return value;
  if (isa<cute::PtrType>(type))
    return op.value("cute.recast_iter", type, value);
  if (auto iterator = dyn_cast<cute::ArithTupleIterType>(type)) {
    Type tuple = cute::IntTupleType::get(op.context(), iterator.getValue());
    return op.value("cute.make_arith_tuple_iter", type,
                    op.value("cute.deref_arith_tuple_iter", tuple, value));
  }
  auto view = dyn_cast<cute::ViewType>(type);
  if (!view)
    return op.value("cute.get", type, value);
  Type iterator, layout = cute::typeOf(op.context(), cute::Datum(view.getViewLayout()));
  if (auto memory = dyn_cast<cute::CuteMemRefType>(type))
    iterator = memory.getPtrType();
  else
    iterator =
        cute::ArithTupleIterType::get(op.context(), cast<cute::CoordTensorType>(type).getStart());
  return op.value(
      "cute.make_view", type,
      {op.value("cute.get_iter", iterator, value), op.value("cute.get_layout", layout, value)});
}

static LogicalResult derefine(ForeignOp &op) {
  Type type = op.operand(0).getType();
  if (!cute::refines(type, op.resultType()))
    return op.refuse(Diag::Derefined, type, op.resultType());
  return op.replace(derefined(op, op.operand(0), op.resultType()));
}

//===--- operands that are left out ----------------------------------------------------------===//

// CuteDesugar of CuTe DSL leaves out operands whose types state them completely; our ops take
// `cute.static` there. An op that has the operands stays as it is.

static LogicalResult makeLayout(ForeignOp &op) {
  if (!op.operands().empty())
    return success();
  op.take("operandSegmentSizes");
  return op.replace(op.value("cute.static", op.resultType(), {}));
}

static LogicalResult makeArithTupleIter(ForeignOp &op) {
  auto iterator = dyn_cast<cute::ArithTupleIterType>(op.resultType());
  if (!iterator || !op.operands().empty())
    return success();
  Value tuple =
      op.value("cute.static", cute::IntTupleType::get(op.context(), iterator.getValue()), {});
  return op.replace(op.value(op.name(), iterator, tuple));
}

static LogicalResult makeView(ForeignOp &op) {
  auto view = dyn_cast<cute::ViewType>(op.resultType());
  if (!view || op.operands().size() != 1)
    return success();
  Type layout = cute::typeOf(op.context(), cute::Datum(view.getViewLayout()));
  return op.replace(
      op.value(op.name(), view, {op.operand(0), op.value("cute.static", layout, {})}));
}

/// An atom without values: its fields are set afterwards.
static LogicalResult makeAtom(ForeignOp &op) {
  auto atom = dyn_cast<cute::MmaAtomType>(op.resultType());
  if (!atom || !op.operands().empty())
    return success();
  SmallVector<Value> zeros;
  for (Type field : atom.getFieldTypes()) {
    if (!isa<IntegerType>(field))
      return success();
    zeros.push_back(op.value("arith.constant", field, {},
                             op.build().getNamedAttr("value", op.build().getZeroAttr(field))));
  }
  return zeros.empty() ? success() : op.replace(op.value(op.name(), op.resultType(), zeros));
}

/// Where the bytes of a tensor map were loaded from, in CuTe DSL's own words; null if elsewhere.
static Value tensorMapAddress(Value bytes) {
  for (StringRef maker :
       {"builtin.unrealized_conversion_cast", "llvm.load", "llvm.inttoptr", "cute.ptrtoint"}) {
    Operation *def = bytes.getDefiningOp();
    if (!def || def->getName().getStringRef() != maker || def->getNumOperands() != 1)
      return {};
    bytes = def->getOperand(0);
  }
  return bytes;
}

/// CuteExpandOps of CuTe DSL sets the bytes of a tensor map in an atom without values. Our atom is
/// made of their address.
static LogicalResult setValue(ForeignOp &op) {
  if (!isa<cute_nvgpu::TmaDescriptorTiledType, cute_nvgpu::TmaDescriptorIm2colType>(
          op.operand(1).getType()))
    return success();
  Value address = tensorMapAddress(op.operand(1));
  if (!address)
    return op.refuse(Diag::OperandType, 1, "the bytes of a tensor map, loaded from its address",
                     op.operand(1).getType());
  Operation *empty = op.operand(0).getDefiningOp();
  op.take("field");
  Value bytes = op.value("cute.recast_iter", cute_nvgpu::tensorMapPointer(op.context()), address);
  if (failed(op.replace(op.value("cute.make_atom", op.resultType(), bytes))))
    return failure();
  if (empty && empty->use_empty() && empty->getNumOperands() == 0)
    empty->erase();
  return success();
}

static constexpr Row table[] = {
    {.name = "cute.tuple.product",
     .form = ownForm,
     .operands = {Any},
     .result = Any,
     .becomes = "cute.tuple_product"},
    {.name = "cute.tuple.product_each",
     .form = ownForm,
     .operands = {Any},
     .result = Any,
     .becomes = "cute.tuple_product_each"},
    // These three are replaced before the rows are asked (SharedMemory.h); this is their text.
    {.name = "cute.kernel_smem_size",
     .form = "symbol(kernel_name) attr-dict : results",
     .result = I64,
     .witness = Family},
    {.name = "cute.memref.alloc_smem",
     .form = "[ '(' ')' ] attr-dict : results",
     .result = Any,
     .witness = Family},
    {.name = "cute_nvgpu.arch.alloc_smem",
     .form = "'(' int(input,i32) ')' attr-dict : results",
     .result = Any,
     .witness = Family},
    {.name = "cute.derefine",
     .form = "'(' $ ')' attr-dict : types to results",
     .operands = {Any},
     .result = Any,
     .rewrite = derefine,
     .witness = Family},
    {.name = "cute.ptr.store",
     .form = ownForm,
     .operands = {Any, Any},
     .rewrite = ptrStore,
     .witness = Family},
    {.name = "cute.random_delay", .form = "attr-dict", .rewrite = randomDelay, .witness = Family},
    {.name = "cute.get_iter",
     .form = ownForm,
     .operands = {Any},
     .result = Any,
     .rewrite = getIter},
    {.name = "cute.make_layout",
     .form = ownForm,
     .operands = {Any, Any},
     .optional = 2,
     .result = Any,
     .rewrite = makeLayout},
    {.name = "cute.make_atom",
     .form = ownForm,
     .variadic = true,
     .result = Any,
     .rewrite = makeAtom},
    {.name = "cute_nvgpu.atom.set_value",
     .form = ownForm,
     .operands = {Any, Any},
     .result = Any,
     .rewrite = setValue},
    {.name = "cute.make_arith_tuple_iter",
     .form = ownForm,
     .operands = {Any},
     .optional = 1,
     .result = Any,
     .rewrite = makeArithTupleIter},
    {.name = "cute.make_view",
     .form = ownForm,
     .operands = {Any, Any},
     .optional = 1,
     .result = Any,
     .rewrite = makeView},
};

llvm::ArrayRef<Row> cuteRows() { return table; }

} // namespace tessera::import
