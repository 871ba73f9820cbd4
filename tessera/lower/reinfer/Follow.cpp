// The results of one op after its operands changed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/reinfer/Follow.h"

#include "tessera/cute/Cute.h"
#include "tessera/cute_nvgpu/CuteNvgpu.h"
#include "tessera/cute_nvgpu/families/tensor/Tensor.h"
#include "tessera/cute_nvgpu/families/tma/TensorMaps.h"
#include "tessera/layout/Refine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tessera::lower {

Result<SmallVector<Type>> inferredTypes(Operation *op) {
  SmallVector<Type> types;
  std::string why;
  ScopedDiagnosticHandler keep(op->getContext(), [&](Diagnostic &diagnostic) {
    if (why.empty())
      why = diagnostic.str();
  });
  if (failed(cast<InferTypeOpInterface>(op).inferReturnTypes(
          op->getContext(), op->getLoc(), op->getOperands(), op->getRawDictionaryAttrs(),
          op->getPropertiesStorage(), op->getRegions(), types)))
    return Reason{"NotInferred", why};
  return types;
}

bool areCompatible(Operation *op, TypeRange inferred, TypeRange stated) {
  return cast<InferTypeOpInterface>(op).isCompatibleReturnTypes(inferred, stated);
}

Type asWeak(Type now, Type then, Type stated) {
  if (stated == then)
    return now;
  if (cute::refines(now, stated))
    return stated;
  std::vector<layout::Leaf> before, weaker;
  cute::Datum result = cute::datumOf(now);
  cute::datumOf(then).forEachLeaf([&](layout::Leaf &leaf) { before.push_back(leaf); });
  cute::datumOf(stated).forEachLeaf([&](layout::Leaf &leaf) { weaker.push_back(leaf); });
  size_t count = 0;
  result.forEachLeaf([&](layout::Leaf &) { ++count; });
  if (before.size() != count || weaker.size() != count)
    return now; // of another profile
  size_t i = 0;
  result.forEachLeaf([&](layout::Leaf &leaf) {
    if (!(before[i] == weaker[i]) && layout::refines(leaf, weaker[i]))
      leaf = weaker[i];
    ++i;
  });
  Type type = cute::typeOf(now.getContext(), result);
  return cute::refines(now, type) ? type : now;
}

namespace {

/// The number that fills a leaf; nothing of a tuple, which fills a mode.
std::optional<layout::Int> numberOf(Type type) {
  cute::Datum datum = cute::datumOf(type);
  if (const layout::Int *number = datum.as<layout::Int>())
    return *number;
  const layout::Tree *tree = datum.tree();
  return tree && tree->isLeaf() ? std::optional(tree->leaf().value) : std::nullopt;
}

/// A constructor: leaves that said what their operand says, say what it says now. A leaf that was
/// stated otherwise stays.
void followLeaves(Operation *op, TypeRange before, Stated &out) {
  if (!llvm::all_of(before, numberOf) || !llvm::all_of(op->getOperandTypes(), numberOf))
    return;
  cute::Datum result = cute::datumOf(op->getResult(0).getType());
  unsigned next = 0;
  result.forEachDynamicLeaf([&](layout::Int &leaf) {
    if (next == op->getNumOperands())
      return;
    layout::Int was = *numberOf(before[next]), is = *numberOf(op->getOperand(next).getType());
    if (is.isStatic()) {
      leaf = is;
      out.filled.push_back(next);
    } else if (leaf.div == was.div && leaf.width == was.width) {
      leaf = is;
    }
    ++next;
  });
  out.types = {cute::typeOf(op->getContext(), result)};
}

cute::CuteMemRefType withLayout(cute::CuteMemRefType type, const layout::AnyLayout &layout) {
  return cute::CuteMemRefType::get(type.getContext(), type.getPtrType(), layout);
}

/// A cast of pointers states what it makes; space, and alignment and swizzle that it kept, are
/// those of the operand.
Type followPointer(cute::PtrType before, cute::PtrType now, cute::PtrType stated) {
  int64_t alignment = stated.getAlignment() == before.getAlignment()
                          ? now.getAlignment()
                          : std::min(stated.getAlignment(), now.getAlignment());
  alignment = std::max(alignment, cute::PtrType::naturalAlignment(stated.getElementType()));
  return cute::PtrType::get(
      stated.getContext(), stated.getElementType(), now.getAddressSpace(), alignment,
      stated.getSwizzle() == before.getSwizzle() ? now.getSwizzle() : stated.getSwizzle());
}

/// Vectors of an op on elements have one shape; the type of the elements is the op's.
void followShape(Operation *op, Stated &out) {
  for (Type operand : op->getOperandTypes())
    if (auto vector = dyn_cast<VectorType>(operand)) {
      for (Type &type : out.types)
        if (auto result = dyn_cast<VectorType>(type))
          type =
              VectorType::get(vector.getShape(), result.getElementType(), vector.getScalableDims());
      return;
    }
}

/// Atoms that an op makes for the tensors it is given. What does not follow, the verifier says.
template <class MakeTensorMap> void followTensorMap(MakeTensorMap op, Stated &out) {
  if (Result<cute_nvgpu::TensorMapTypes> types = cute_nvgpu::followingTypes(op))
    out.types = {types->atom, types->coords};
}
template <class MakeCopy> void followTensorCopy(MakeCopy op, Stated &out) {
  if (Result<Type> type =
          cute_nvgpu::tensorCopyType(op.getAtom().getType(), op.getTmem().getType()))
    out.types = {*type};
}

/// Ops of the algebra whose results are inferred by more than the interface of MLIR can say.
void followAlgebra(cute_nvgpu::TmaPartitionOp op, Stated &out) {
  cute::TypeDomain domain;
  cute::Data in;
  for (Type type : op->getOperandTypes())
    in.push_back(cute::datumOf(type));
  Result<cute::Data> made = cute_nvgpu::TmaPartitionOp::evaluateOn(domain, in);
  if (!made || made->size() != op->getNumResults())
    return; // the verifier says why
  for (auto [type, datum] : llvm::zip_equal(out.types, *made))
    type = cute::typeOf(op->getContext(), datum);
}

} // namespace

namespace {
/// The vector of all elements of a tensor of static shape; null otherwise.
VectorType vectorOf(cute::CuteMemRefType view) {
  layout::Const arith;
  if (!view.getLayout().shape().isStatic())
    return {};
  return VectorType::get({layout::product(arith, view.getLayout().shape()).value},
                         view.getElementType());
}

bool isSplat(Value value) {
  if (auto constant = value.getDefiningOp<arith::ConstantOp>())
    return isa<SplatElementsAttr>(constant.getValue());
  auto broadcast = value.getDefiningOp<vector::BroadcastOp>();
  return broadcast && !isa<VectorType>(broadcast.getSource().getType());
}

/// The number of a splat in a vector of another shape.
Value resized(Value splat, ArrayRef<int64_t> shape, Operation *before) {
  OpBuilder builder(before);
  auto type = VectorType::get(shape, cast<VectorType>(splat.getType()).getElementType());
  if (auto constant = splat.getDefiningOp<arith::ConstantOp>())
    return arith::ConstantOp::create(
        builder, splat.getLoc(), cast<SplatElementsAttr>(constant.getValue()).resizeSplat(type));
  return vector::BroadcastOp::create(builder, splat.getLoc(), type,
                                     splat.getDefiningOp<vector::BroadcastOp>().getSource());
}
} // namespace

void adaptSplats(Operation *op) {
  VectorType wanted;
  if (auto store = dyn_cast<cute::MemRefStoreVecOp>(op)) {
    wanted = vectorOf(store.getView().getType());
  } else if (op->hasTrait<OpTrait::Elementwise>()) {
    for (Value operand : op->getOperands())
      if (auto vector = dyn_cast<VectorType>(operand.getType()); vector && !isSplat(operand))
        wanted = vector;
  }
  if (!wanted)
    return;
  for (OpOperand &operand : op->getOpOperands()) {
    auto vector = dyn_cast<VectorType>(operand.get().getType());
    if (vector && vector.getShape() != wanted.getShape() && isSplat(operand.get()))
      operand.set(resized(operand.get(), wanted.getShape(), op));
  }
}

Stated statedTypes(Operation *op, TypeRange before) {
  Stated out;
  out.types.assign(op->result_type_begin(), op->result_type_end());
  // What an operand's type is a part of: the atom of a tiled copy or MMA.
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](Type type) -> std::optional<Type> {
    for (auto [was, operand] : llvm::zip_equal(before, op->getOperands()))
      if (was == type)
        return operand.getType();
    return std::nullopt;
  });
  for (Type &type : out.types)
    type = replacer.replace(type);
  TypeSwitch<Operation *>(op)
      .Case<cute::MakeIntTupleOp, cute::MakeTupleOp, cute::MakeShapeOp, cute::MakeStrideOp,
            cute::MakeCoordOp, cute::MakeTileOp>(
          [&](auto constructor) { followLeaves(constructor, before, out); })
      .Case([&](cute::MemRefAllocaOp alloca) {
        cute::Datum given = cute::datumOf(alloca.getLayout().getType());
        out.types = {withLayout(alloca.getType(), *given.anyLayout())};
      })
      .Case(
          [&](cute::MemRefLoadOp load) { out.types = {load.getView().getType().getElementType()}; })
      .Case([&](cute::MemRefLoadVecOp load) {
        if (VectorType vector = vectorOf(load.getView().getType()))
          out.types = {vector};
      })
      .Case([&](cute::RecastIterOp recast) {
        out.types = {followPointer(cast<cute::PtrType>(before[0]), recast.getIter().getType(),
                                   recast.getType())};
      })
      .Case([&](cute_nvgpu::TmaPartitionOp partition) { followAlgebra(partition, out); })
      .Case<cute_nvgpu::MakeNonExecTiledTmaLoadOp, cute_nvgpu::MakeNonExecTiledTmaStoreOp,
            cute_nvgpu::MakeNonExecTiledTmaReduceOp>([&](auto op) { followTensorMap(op, out); })
      .Case<cute_nvgpu::MakeTmemCopyOp, cute_nvgpu::MakeS2TCopyOp>(
          [&](auto op) { followTensorCopy(op, out); })
      .Case([&](cute_nvgpu::MakeExecTmaOp op) {
        out.types = {cute_nvgpu::executableLike(op.getAtom().getType(), op.getType())};
      })
      .Default([&](Operation *other) {
        if (other->hasTrait<OpTrait::Elementwise>())
          followShape(other, out);
      });
  return out;
}

bool makesResults(Operation *op) {
  return isa<cute_nvgpu::MakeTmemCopyOp, cute_nvgpu::MakeS2TCopyOp, cute_nvgpu::TmaPartitionOp,
             cute_nvgpu::MakeNonExecTiledTmaLoadOp, cute_nvgpu::MakeNonExecTiledTmaStoreOp,
             cute_nvgpu::MakeNonExecTiledTmaReduceOp>(op);
}

} // namespace tessera::lower
