// Atoms and what runs them: the partition verifier of copies and the gates of matrix
// multiplications.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute/Cute.h"
#include "tessera/cute/Diagnostics.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;

/// The copy atom of an atom or tiled copy; null if it is none.
static CopyAtomType copyAtomOf(Type type) {
  if (auto tiled = dyn_cast<TiledCopyType>(type))
    type = tiled.getAtom();
  return dyn_cast<CopyAtomType>(type);
}
static MmaAtomType mmaAtomOf(Type type) {
  if (auto tiled = dyn_cast<TiledMmaType>(type))
    type = tiled.getAtom();
  return dyn_cast<MmaAtomType>(type);
}

static layout::AnyLayout layoutOf(Value view) {
  return cast<ViewType>(view.getType()).getViewLayout();
}

LogicalResult MakeAtomOp::verify() {
  if (!isa<CopyAtomType, MmaAtomType, PrefetchAtomType>(getType()))
    return refuse(*this, Diag::NotAtom, getType());
  SmallVector<Type> expected = fieldTypesOf(getType());
  auto fits = [](Type have, Type want) {
    auto from = dyn_cast<PtrType>(have), to = dyn_cast<PtrType>(want);
    return have == want ||
           (from && to && from.getElementType() == to.getElementType() &&
            from.getAddressSpace() == to.getAddressSpace() &&
            from.getSwizzle() == to.getSwizzle() && from.getAlignment() % to.getAlignment() == 0);
  };
  if (expected.size() != getFields().size() ||
      !llvm::all_of_zip(getFields().getTypes(), expected, fits))
    return refuse(*this, Diag::AtomFields, getType(), TypeRange(expected), getFields().getTypes());
  return success();
}

//===--- the partition verifier: three phases, first failure wins -----------------------------===//

namespace {
layout::Int sizeOf(const layout::Tree &shape) {
  layout::Symbolic arith;
  return layout::product(arith, shape);
}

bool differ(layout::Int a, layout::Int b) {
  return a.isStatic() && b.isStatic() && a.value != b.value;
}

/// Phase 1: ranks that go together, and rest modes of the same size.
LogicalResult verifyRanks(Operation *op, const layout::Tree &src, const layout::Tree &dst) {
  // Copy drops or folds at most one rank; the first rank that cannot be reconciled is named.
  for (size_t i = 1; i < std::max(src.rank(), dst.rank()); ++i) {
    bool missing = i >= src.rank() || i >= dst.rank();
    layout::Int a = i < src.rank() ? sizeOf(src[i]) : layout::Int(1);
    layout::Int b = i < dst.rank() ? sizeOf(dst[i]) : layout::Int(1);
    if (differ(a, b) || (missing && !(a.is(1) && b.is(1))))
      return refuse(op, Diag::SameSizeInRank, i, src, dst);
  }
  return success();
}

/// Mode 0 holds the values of one call; a view of rank 0 has none.
LogicalResult verifyValueMode(Operation *op, StringRef what, const layout::AnyLayout &l) {
  return l.rank() > 0 ? success() : refuse(op, Diag::ValueMode, what, l);
}

/// How many calls of the atom the value mode of a tensor takes, if that is known; 0 if the atom
/// does not divide it. What is seen by descriptors, each of what one call moves, has no values to
/// count.
std::optional<int64_t> callsPerMode(CopyAtomType atom, bool source, Value view) {
  if (!isa<CuteMemRefType, CoordTensorType>(view.getType()))
    return std::nullopt;
  const layout::Tree values = layoutOf(view).shape()[0];
  layout::CopyAtomLayouts layouts = atom.getLayouts();
  layout::Int perCall = sizeOf((source ? layouts.src : layouts.dst)[1].shape);
  layout::Int have = sizeOf(values);
  if (!have.isStatic() || !perCall.isStatic())
    return std::nullopt;
  return divides(perCall, have) ? have.value / perCall.value : 0;
}

/// Phase 2: the predicate is a plain tensor with one element for each call.
LogicalResult verifyPredicate(Operation *op, Value pred, const layout::Tree &src,
                              layout::Int calls) {
  auto type = dyn_cast<CuteMemRefType>(pred.getType());
  if (!type)
    return refuse(op, Diag::PredNotMemRef);
  if (type.getAddressSpace() == AddressSpace::Tmem)
    return refuse(op, Diag::PredSpace);
  if (type.getPtrType().hasSwizzle() || type.getLayout().composed())
    return refuse(op, Diag::PredSwizzle, type.getLayout());
  layout::AnyLayout predLayout = type.getLayout();
  const layout::Tree &shape = predLayout.shape();
  bool fits = shape.rank() == src.rank() && !differ(sizeOf(shape[0]), calls);
  for (size_t i = 1; fits && i < src.rank(); ++i)
    fits = !differ(sizeOf(shape[i]), sizeOf(src[i]));
  if (fits)
    return success();
  std::vector<layout::Tree> expected = {calls};
  for (size_t i = 1; i < src.rank(); ++i)
    expected.push_back(src[i]);
  return refuse(op, Diag::PredShape, layout::Tree(std::move(expected)), shape);
}

LogicalResult verifyCopy(Operation *op, Value atom, Value src, Value dst, Value pred) {
  CopyAtomType copy = copyAtomOf(atom.getType());
  if (!copy)
    return refuse(op, Diag::NotCopyAtom, atom.getType());
  if (failed(verifyValueMode(op, "src", layoutOf(src))) ||
      failed(verifyValueMode(op, "dst", layoutOf(dst))))
    return failure();
  layout::Tree from = layoutOf(src).shape(), to = layoutOf(dst).shape();
  if (failed(verifyRanks(op, from, to)))
    return failure();
  std::optional<int64_t> calls = callsPerMode(copy, true, src);
  if (pred && failed(verifyPredicate(op, pred, from, calls.value_or(1))))
    return failure();
  // Phase 3: the atom's values divide the value mode of both sides.
  layout::CopyAtomLayouts layouts = copy.getLayouts();
  std::optional<int64_t> callsTo = callsPerMode(copy, false, dst);
  if (calls == 0 || callsTo == 0)
    return refuse(op, Diag::VectorMode, Type(copy), sizeOf(layouts.src[1].shape).value);
  if (calls && callsTo && *calls != *callsTo)
    return refuse(op, Diag::CallsPerMode, Type(copy), *calls, from[0], *callsTo, to[0]);
  return copy.verifyCall([&] { return op->emitOpError(); }, src.getType(), dst.getType());
}
} // namespace

LogicalResult CopyOp::verify() {
  return verifyCopy(*this, getAtom(), getSrc(), getDst(), getPred());
}
LogicalResult CopyAtomCallOp::verify() {
  return verifyCopy(*this, getAtom(), getSrc(), getDst(), getPred());
}

static LogicalResult verifyPrefetch(Operation *op, Value atom) {
  return isa<PrefetchAtomType>(untiled(atom.getType()))
             ? success()
             : refuse(op, Diag::NotPrefetchAtom, atom.getType());
}
LogicalResult PrefetchOp::verify() { return verifyPrefetch(*this, getAtom()); }
LogicalResult PrefetchAtomCallOp::verify() { return verifyPrefetch(*this, getAtom()); }

//===--- matrix multiplication ----------------------------------------------------------------===//

static LogicalResult verifyMma(Operation *op, Value atom, Value d, Value a, Value b, Value c) {
  MmaAtomType mma = mmaAtomOf(atom.getType());
  if (!mma)
    return refuse(op, Diag::NotMmaAtom, atom.getType());
  layout::AnyLayout lA = layoutOf(a), lB = layoutOf(b), lC = layoutOf(c), lD = layoutOf(d);
  if (failed(verifyValueMode(op, "A", lA)) || failed(verifyValueMode(op, "B", lB)) ||
      failed(verifyValueMode(op, "C", lC)) || failed(verifyValueMode(op, "D", lD)))
    return failure();
  if (lA.rank() != lB.rank())
    return refuse(op, Diag::SameRankAB, lA, lB);
  if (lC.rank() != lD.rank())
    return refuse(op, Diag::SameRankCD, lC, lD);
  // (V) with (V) or (V,M); (V,M) with (V,M) or (V,M,N); (V,M,K) with (V,M,N).
  if (lA.rank() == 1 && lC.rank() > 2)
    return refuse(op, Diag::RankC12, lC);
  if (lA.rank() == 2 && (lC.rank() < 2 || lC.rank() > 3))
    return refuse(op, Diag::RankC23, lC);
  if (lA.rank() >= 3 && lC.rank() != 3)
    return refuse(op, Diag::RankC3, lC);
  if (lA.rank() > 3)
    return refuse(op, Diag::RankAB, lA, lB);
  if (failed(mma.verifyCall([&] { return op->emitOpError(); }, d.getType(), a.getType(),
                            b.getType(), c.getType())))
    return failure();
  auto extent = [](const layout::AnyLayout &l, size_t mode) {
    return mode < l.rank() ? sizeOf(l.shape()[mode]) : layout::Int(1);
  };
  bool gemm = !differ(extent(lA, 1), extent(lD, 1)) && !differ(extent(lA, 2), extent(lB, 2));
  gemm &= !differ(extent(lB, 1), extent(lD, 2));
  if (!gemm)
    return refuse(op, Diag::NoGemm, lA, lB, lD);
  for (size_t mode : {1, 2})
    if (differ(extent(lC, mode), extent(lD, mode)))
      return refuse(op, Diag::SameExtentCD, mode, lC, lD);
  return success();
}

/// One call has no other modes than the first.
static LogicalResult verifyOneCall(MmaAtomCallOp op) {
  for (Value view : {op.getA(), op.getB(), op.getC(), op.getD()})
    for (size_t mode = 1; mode < layoutOf(view).rank(); ++mode)
      if (differ(sizeOf(layoutOf(view).shape()[mode]), 1))
        return refuse(op, Diag::OneCall, layoutOf(view));
  return success();
}

/// Whether two values are the same, or made by ops that do the same, as where a program slices a
/// tensor twice.
static bool areOneValue(Value a, Value b, int depth = 8) {
  if (a == b)
    return true;
  Operation *first = a.getDefiningOp(), *second = b.getDefiningOp();
  return depth > 0 && first && second && first->getName() == second->getName() &&
         first->getNumRegions() == 0 && isPure(first) && a.getType() == b.getType() &&
         cast<OpResult>(a).getResultNumber() == cast<OpResult>(b).getResultNumber() &&
         first->getAttrDictionary() == second->getAttrDictionary() &&
         llvm::all_of_zip(first->getOperands(), second->getOperands(),
                          [&](Value x, Value y) { return areOneValue(x, y, depth - 1); });
}
LogicalResult GemmOp::verify() {
  if (failed(verifyMma(*this, getAtom(), getD(), getA(), getB(), getC())))
    return failure();
  auto d = dyn_cast<CuteMemRefType>(getD().getType());
  bool inPlace = d && d.getAddressSpace() == AddressSpace::Tmem;
  return inPlace && !areOneValue(getC(), getD()) ? refuse(*this, Diag::AccumulatorInPlace)
                                                 : success();
}
LogicalResult MmaAtomCallOp::verify() {
  if (failed(verifyMma(*this, getAtom(), getD(), getA(), getB(), getC())))
    return failure();
  return verifyOneCall(*this);
}

#define GET_OP_CLASSES
#include "tessera/cute/ops/Atom.cpp.inc"
