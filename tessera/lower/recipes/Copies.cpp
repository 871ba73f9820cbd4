// Copies of a thread or a warp: plain, asynchronous, and matrices.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/recipes/AtomCalls.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;
using namespace tessera::cute_nvgpu;

namespace tessera::lower {

int64_t CopyCall::valuesOf(const View &view) const {
  return layout::product(e.emit, view.layout.shape()).value;
}

Value operandPointer(Expander &e, const View &view, Type element) {
  Address at = e.emit.address(view.iterator);
  Value pointer = e.emit.moved(at);
  auto type = cast<PtrType>(pointer.getType());
  if (!element || element == type.getElementType())
    return pointer;
  auto recast = PtrType::get(type.getContext(), element, type.getAddressSpace(),
                             type.getAlignment(), type.getSwizzle());
  return RecastIterOp::create(e.b, e.loc(), recast, pointer);
}

/// Loads and stores, as wide as the atom says. Where the predicate is false nothing moves.
Result<Done> universalCopy(CopyCall call) {
  Expander &e = call.e;
  int64_t count = std::min(call.valuesOf(call.src), call.valuesOf(call.dst));
  auto move = [&] { return copyRun(e, call.src, call.dst, count, call.atom.amount); };
  if (!call.pred)
    return move();
  auto branch = scf::IfOp::create(e.b, e.loc(), call.pred, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(e.b);
  Emit::Scope scope(e.emit);
  e.b.setInsertionPoint(branch.thenBlock(), branch.thenBlock()->begin());
  return move();
}

/// cp.async of the whole run. Where the predicate is false the destination is filled with zeros.
Result<Done> asyncCopy(CopyCall call) {
  Expander &e = call.e;
  Type word = e.b.getIntegerType(unsigned(call.atom.amount));
  auto mode = call.row().key.cache == atom::CacheMode::Always ? LoadCacheMode::always
                                                              : LoadCacheMode::global;
  ArchCpAsyncOp::create(e.b, e.loc(), operandPointer(e, call.dst, word),
                        operandPointer(e, call.src, word), call.pred, mode);
  return Done{};
}

/// The shape attribute of a matrix of 8-bit or 16-bit elements.
static ShapeAttr matrixShape(const CopyCall &call) {
  const atom::CopyKey &key = call.row().key;
  return ShapeAttr::get(call.e.b.getContext(), layout::Tree::of({key.rows, key.columns}));
}

static Type registersType(Expander &e, int64_t count) {
  Type i32 = e.b.getI32Type();
  return count == 1 ? i32 : VectorType::get({count}, i32);
}

Result<Done> loadMatrix(CopyCall call) {
  Expander &e = call.e;
  auto type = cast<LdsmType>(call.atomType());
  int64_t registers = call.row().registersFor(call.atom.amount);
  Value loaded = ArchLdsmOp::create(
      e.b, e.loc(), registersType(e, registers), operandPointer(e, call.src), matrixShape(call),
      type.getSzPattern(), type.getNumMatrices(), type.getTranspose());
  if (call.row().fixup != atom::Fixup::None)
    return Reason{"Fixup",
                  cat("the byte permutation after ", call.row().name, " is not lowered yet")};
  return storeWords(e, call.dst, e.elements(loaded));
}

Result<Done> storeMatrix(CopyCall call) {
  Expander &e = call.e;
  auto type = cast<StsmType>(call.atomType());
  TESSERA_TRY(SmallVector<Value> words,
              loadWords(e, call.src, e.b.getI32Type(), call.row().registersFor(call.atom.amount)));
  ArchStsmOp::create(e.b, e.loc(), operandPointer(e, call.dst), e.pack(words), matrixShape(call),
                     type.getNumMatrices(), type.getTranspose());
  return Done{};
}

} // namespace tessera::lower
