// Conversions between types and the data of `evaluate`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute/Evaluate.h"

#include "tessera/cute/Diagnostics.h"
#include "tessera/layout/Errors.h"
#include "tessera/layout/Refine.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;
using layout::TreeKind;

const layout::Tree *Datum::tree() const {
  if (const TreeDatum *t = as<TreeDatum>())
    return &t->tree;
  if (const Iterator *it = as<Iterator>())
    return it->isArithTuple() ? &it->tuple : nullptr;
  return nullptr;
}

const layout::AnyLayout *Datum::anyLayout() const {
  if (const View *v = as<View>())
    return &v->layout;
  return as<layout::AnyLayout>();
}

Result<Iterator> Domain::advance(const Iterator &from, const layout::Tree &offset) {
  auto type = cast<IteratorType>(from.type);
  Type to = type.advanced(offset);
  if (!to)
    return Reason{"OffsetStructure",
                  cat("expects an offset that can be added to the iterator, but got \"",
                      layout::str(offset), "\"")};
  Iterator result = from;
  result.type = to;
  if (from.isArithTuple())
    result.tuple = layout::addIndices(arith(), from.tuple, offset);
  return result;
}

static Iterator iteratorOf(Type type) {
  Iterator it = {type, layout::Symbolic::anonymous, {}};
  if (auto tuple = dyn_cast<ArithTupleIterType>(type))
    it.tuple = tuple.getValue();
  return it;
}

Datum tessera::cute::datumOf(Type type) {
  using layout::Int;
  using layout::Width;
  const uint32_t id = layout::Symbolic::anonymous;
  return TypeSwitch<Type, Datum>(type)
      .Case([](IntTupleType t) { return Datum(TreeKind::IntTuple, t.getValue()); })
      .Case([](CoordType t) { return Datum(TreeKind::Coord, t.getValue()); })
      .Case([](ShapeType t) { return Datum(TreeKind::Shape, t.getValue()); })
      .Case([](StrideType t) { return Datum(TreeKind::Stride, t.getValue()); })
      .Case([](LayoutType t) { return Datum(layout::AnyLayout(t.getValue())); })
      .Case([](ComposedLayoutType t) { return Datum(layout::AnyLayout(t.getValue())); })
      .Case([](TileType t) { return Datum(t.getValue()); })
      .Case([](SwizzleType t) { return Datum(t.getValue()); })
      .Case([](ViewType t) {
        return Datum(View{iteratorOf(t.getIteratorType()), t.getViewLayout()});
      })
      .Case([&](DescIterType t) {
        return Datum(
            View{iteratorOf(t.getPtrType()), t.getLayout(), Int::dynamic(id, t.getIndexWidth())});
      })
      .Case([](IteratorType t) { return Datum(iteratorOf(t)); })
      .Case([&](ConstrainedI32Type t) { return Datum(Int::dynamic(id, Width::I32, t.getDivby())); })
      .Case([&](ConstrainedI64Type t) { return Datum(Int::dynamic(id, Width::I64, t.getDivby())); })
      .Case([&](IndexType) { return Datum(Int::dynamic(id, Width::I32)); })
      .Case(
          [&](IntegerType t) { return Datum(Int::dynamic(id, layout::widthOfBits(t.getWidth()))); })
      .Default([](Type t) { return Datum(Opaque{t}); });
}

Datum tessera::cute::datumOf(Value value) {
  APInt constant;
  if (value.getType().isSignlessIntOrIndex() && matchPattern(value, m_ConstantInt(&constant)))
    return layout::Int(constant.getSExtValue());
  return datumOf(value.getType());
}

Datum tessera::cute::conformed(Datum datum, Type type,
                               function_ref<layout::Int(int64_t, const layout::Int &)> dynamic) {
  Datum declared = datumOf(type);
  std::vector<layout::Leaf> stated;
  declared.forEachLeaf([&](layout::Leaf &leaf) { stated.push_back(leaf); });
  size_t next = 0;
  datum.forEachLeaf([&](layout::Leaf &leaf) {
    assert(next < stated.size() && "evaluation and inference disagree on a profile");
    const layout::Leaf &goal = stated[next++];
    if (goal.isStatic()) {
      leaf = goal;
    } else if (leaf.isStatic()) {
      leaf.value = dynamic(leaf.value.value, goal.value);
      leaf.basis = goal.basis; // another one where the extent is 1
    } else {
      leaf.basis = goal.basis;
      leaf.value.width = goal.value.width;
      leaf.value.div = goal.value.div;
    }
  });
  if (View *view = datum.as<View>())
    view->iterator.type = declared.as<View>()->iterator.type;
  else if (Iterator *it = datum.as<Iterator>())
    it->type = declared.as<Iterator>() ? declared.as<Iterator>()->type : it->type;
  return datum;
}

namespace {
/// A type must not remember the handles of the evaluation that made it.
void forgetHandles(Datum &datum) {
  datum.forEachDynamicLeaf([](layout::Int &x) {
    x.id = layout::Symbolic::anonymous;
    x.mask = ~uint64_t(0);
  });
}

Type typeOfTree(MLIRContext *context, const TreeDatum &t) {
  switch (t.kind) {
  case TreeKind::IntTuple: return IntTupleType::get(context, t.tree);
  case TreeKind::Coord: return CoordType::get(context, t.tree);
  case TreeKind::Shape: return ShapeType::get(context, t.tree);
  case TreeKind::Stride: return StrideType::get(context, t.tree);
  }
  return {};
}

Type typeOfLayout(MLIRContext *context, const layout::AnyLayout &l) {
  if (l.affine())
    return LayoutType::get(context, *l.affine());
  return ComposedLayoutType::get(context, *l.composed());
}

Type typeOfInt(MLIRContext *context, layout::Int x) {
  if (x.isStatic() && x.width != layout::Width::I1) // the answer of a comparison
    return IntegerType::get(context, layout::fitsI32(x.value) ? 32 : 64);
  return IntegerType::get(context, layout::bitsOf(x.width));
}

Type typeOfIterator(MLIRContext *context, const Iterator &it) {
  if (it.isArithTuple())
    return ArithTupleIterType::get(context, it.tuple);
  return it.type;
}
} // namespace

//===--- what types state ---------------------------------------------------------------------===//

namespace {
/// Whether both are types `T`, and their values refine each other.
template <class T> bool refinesAs(Type inferred, Type stated) {
  auto a = dyn_cast<T>(inferred);
  auto b = dyn_cast<T>(stated);
  return a && b && layout::refines(a.getValue(), b.getValue());
}

/// A pointer that is known to be aligned better.
bool refinesPointer(PtrType a, PtrType b) {
  return a.getElementType() == b.getElementType() && a.getAddressSpace() == b.getAddressSpace() &&
         a.getSwizzle() == b.getSwizzle() && a.getAlignment() % b.getAlignment() == 0;
}
} // namespace

bool tessera::cute::refines(Type inferred, Type stated) {
  if (inferred == stated)
    return true;
  if (inferred.getTypeID() != stated.getTypeID())
    return false;
  return TypeSwitch<Type, bool>(inferred)
      .Case<IntTupleType, CoordType, ShapeType, StrideType, LayoutType, ComposedLayoutType,
            TileType, ArithTupleIterType>(
          [&](auto type) { return refinesAs<decltype(type)>(type, stated); })
      .Case([&](PtrType a) { return refinesPointer(a, cast<PtrType>(stated)); })
      .Case([&](CuteMemRefType a) {
        auto b = cast<CuteMemRefType>(stated);
        return refinesPointer(a.getPtrType(), b.getPtrType()) &&
               layout::refines(a.getLayout(), b.getLayout());
      })
      .Case([&](CoordTensorType a) {
        auto b = cast<CoordTensorType>(stated);
        return layout::refines(a.getStart(), b.getStart()) &&
               layout::refines(a.getLayout(), b.getLayout());
      })
      .Case([&](DescIterType a) {
        auto b = cast<DescIterType>(stated);
        return a.getPtrType() == b.getPtrType() && layout::refines(a.getLayout(), b.getLayout());
      })
      .Default(false);
}

bool tessera::cute::refines(TypeRange inferred, TypeRange stated) {
  return inferred.size() == stated.size() &&
         llvm::all_of_zip(inferred, stated, [](Type a, Type b) { return refines(a, b); });
}

std::optional<Reason> tessera::cute::unusable(ArrayRef<Datum> operands, bool anyShape) {
  for (const Datum &operand : operands) {
    const auto *tuple = operand.as<TreeDatum>();
    if (!tuple)
      continue;
    if (layout::hasError(tuple->tree))
      return Reason{"ErrorOperand", sentence(Diag::ErrorOperand, tuple->tree)};
    if (tuple->kind == TreeKind::Shape && !anyShape)
      if (Result<layout::Tree> shape = layout::checkedShape(tuple->tree); !shape)
        return std::move(shape).reason();
  }
  return std::nullopt;
}

bool tessera::cute::divides(layout::Int part, layout::Int whole) {
  return !part.isStatic() || !whole.isStatic() || (part.value > 0 && whole.value % part.value == 0);
}

Type tessera::cute::typeOf(MLIRContext *context, const Datum &datum) {
  Datum d = datum;
  forgetHandles(d);
  if (const TreeDatum *t = d.as<TreeDatum>())
    return typeOfTree(context, *t);
  if (const layout::AnyLayout *l = d.as<layout::AnyLayout>())
    return typeOfLayout(context, *l);
  if (const layout::Tile *t = d.as<layout::Tile>())
    return TileType::get(context, *t);
  if (const layout::Swizzle *s = d.as<layout::Swizzle>())
    return SwizzleType::get(context, *s);
  if (const Iterator *it = d.as<Iterator>())
    return typeOfIterator(context, *it);
  if (const View *v = d.as<View>(); v && v->index)
    return DescIterType::get(context, cast<PtrType>(v->iterator.type), v->layout);
  if (const View *v = d.as<View>())
    return cast<IteratorType>(typeOfIterator(context, v->iterator)).viewWith(v->layout);
  if (const layout::Int *x = d.as<layout::Int>())
    return typeOfInt(context, *x);
  return d.as<Opaque>()->type;
}

Reason tessera::cute::unexpected(StringRef what, const Datum &got, MLIRContext *context) {
  std::string shown;
  llvm::raw_string_ostream out(shown);
  if (context)
    out << typeOf(context, got);
  return {"Unexpected", cat("expects ", std::string_view(what), ", but got ", shown)};
}

Type tessera::cute::untiled(Type type) {
  if (auto tiled = dyn_cast<TiledCopyType>(type))
    return tiled.getAtom();
  if (auto tiled = dyn_cast<TiledMmaType>(type))
    return tiled.getAtom();
  return type;
}

SmallVector<Type> tessera::cute::fieldTypesOf(Type type) {
  Type atom = untiled(type);
  if (auto copy = dyn_cast<CopyAtomType>(atom))
    return copy.getFieldTypes();
  if (auto mma = dyn_cast<MmaAtomType>(atom))
    return mma.getFieldTypes();
  return {};
}
