// Evaluation on SSA values: leaf arithmetic as `arith`, pointers with pending offsets.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute/Emit.h"

#include "tessera/cute/Cute.h"
#include "tessera/cute/Narrowed.h"
#include "tessera/cute/OffsetBits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

#include <bit>

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;
using layout::Int;
using layout::LeafOp;
using layout::Width;

Emit::Emit(OpBuilder &builder, Block *entry)
    : loc(builder.getUnknownLoc()), builder(builder), entry(entry), leaves(1), handles(1) {}

//===--- leaves -------------------------------------------------------------------------------===//

static Width widthOf(Type type) {
  if (isa<ConstrainedI64Type>(type))
    return Width::I64;
  return type.isInteger() ? layout::widthOfBits(type.getIntOrFloatBitWidth()) : Width::I32;
}

Type Emit::typeOfWidth(Width width) { return builder.getIntegerType(layout::bitsOf(width)); }

uint32_t Emit::newLeaf(LeafState state) {
  leaves.push_back(state);
  return uint32_t(leaves.size() - 1);
}

Int Emit::leaf(Value value) {
  auto [it, isNew] = leafOfValue.try_emplace(value, 0);
  Width width = value.getType().isIndex() ? Width::I32 : widthOf(value.getType());
  if (isNew) {
    if (value.getType().isIndex()) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointAfterValue(value);
      Value narrow = arith::IndexCastOp::create(builder, loc, typeOfWidth(width), value);
      if (checks)
        assertSame(builder, loc, value, narrow);
      value = narrow;
    }
    APInt number;
    LeafState state = {value, std::nullopt, width};
    if (matchPattern(value, m_ConstantInt(&number)))
      state.number = width == Width::I1 ? int64_t(number.getZExtValue()) : number.getSExtValue();
    it->second = newLeaf(state);
  }
  return Int::dynamic(it->second, width);
}

Int Emit::known(int64_t number, Width width) {
  return Int::dynamic(newLeaf({nullptr, number, width}), width);
}

std::optional<int64_t> Emit::constant(Int x) const {
  return x.isStatic() ? std::optional(x.value) : leaves[x.id].number;
}

Value Emit::constant(int64_t number, Type type) {
  Value &value = constants[{number, type}];
  if (!value) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(entry);
    value = arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, number));
  }
  return value;
}

Value Emit::value(Int x, Type type) {
  if (!type)
    type = x.isStatic() ? typeOfWidth(layout::fitsI32(x.value) ? Width::I32 : Width::I64)
                        : typeOfWidth(x.width);
  if (std::optional<int64_t> number = constant(x))
    return constant(*number, type);
  Value value = leaves[x.id].value;
  if (value.getType() == type)
    return value;
  if (value.getType().isInteger(1))
    return arith::ExtUIOp::create(builder, loc, type, value);
  if (value.getType().getIntOrFloatBitWidth() > type.getIntOrFloatBitWidth())
    return arith::TruncIOp::create(builder, loc, type, value);
  return arith::ExtSIOp::create(builder, loc, type, value);
}

/// The leaf that an operation with one known operand comes down to, if it needs no code.
std::optional<uint32_t> Emit::simplify(LeafOp op, Int a, Int b, Width width) {
  std::optional<int64_t> x = constant(a), y = constant(b);
  if (x && y) {
    int64_t result = layout::apply(op, *x, *y);
    return newLeaf({nullptr, width == Width::I32 ? int64_t(int32_t(result)) : result, width});
  }
  auto same = [&](Int kept) -> std::optional<uint32_t> {
    if (kept.width == width)
      return kept.id;
    return std::nullopt;
  };
  bool zeroA = x == 0, zeroB = y == 0, oneB = y == 1;
  switch (op) {
  case LeafOp::Add:
  case LeafOp::Or:
  case LeafOp::Xor: return zeroA ? same(b) : zeroB ? same(a) : std::nullopt;
  case LeafOp::Sub:
  case LeafOp::ShiftRight: return zeroB ? same(a) : std::nullopt;
  case LeafOp::Mul:
    if (zeroA || zeroB)
      return newLeaf({nullptr, 0, width});
    return x == 1 ? same(b) : oneB ? same(a) : std::nullopt;
  case LeafOp::Div:
  case LeafOp::SignedDiv:
  case LeafOp::CeilDiv: return oneB ? same(a) : std::nullopt;
  case LeafOp::Mod:
    if (oneB)
      return newLeaf({nullptr, 0, width});
    return std::nullopt;
  default: return std::nullopt;
  }
}

uint32_t Emit::emit(LeafOp op, Int a, Int b, Width width) {
  if (std::optional<uint32_t> leaf = simplify(op, a, b, width))
    return *leaf;
  Key key = {unsigned(op) | unsigned(width) << 8, a.isStatic() ? 0 : a.id, b.isStatic() ? 0 : b.id,
             a.isStatic()   ? a.value
             : b.isStatic() ? b.value
                            : 0};
  if (uint32_t leaf = memo.lookup(key))
    return leaf;
  // Comparisons are as wide as their operands, everything else as its result.
  bool compares = op == LeafOp::Less || op == LeafOp::Equal;
  Width operandWidth = width;
  auto atLeast32 = [](Int x) {
    return x.isStatic() ? (layout::fitsI32(x.value) ? Width::I32 : Width::I64)
                        : std::max(x.width, Width::I32);
  };
  if (compares)
    operandWidth = std::max(atLeast32(a), atLeast32(b));
  Value x = value(a, typeOfWidth(operandWidth)), y = value(b, typeOfWidth(operandWidth));
  auto nsw = arith::IntegerOverflowFlags::nsw;
  auto make = [&]() -> Value {
    switch (op) {
    case LeafOp::Add: return arith::AddIOp::create(builder, loc, x, y, nsw);
    case LeafOp::Sub: return arith::SubIOp::create(builder, loc, x, y, nsw);
    case LeafOp::Mul: return arith::MulIOp::create(builder, loc, x, y, nsw);
    // Dividends are coordinates and extents, which are not negative.
    case LeafOp::Div: return arith::DivUIOp::create(builder, loc, x, y);
    case LeafOp::SignedDiv: return arith::DivSIOp::create(builder, loc, x, y);
    case LeafOp::Mod: return arith::RemUIOp::create(builder, loc, x, y);
    case LeafOp::CeilDiv: {
      std::optional<int64_t> known = constant(b);
      Value below = known ? constant(*known - 1, y.getType())
                          : Value(arith::SubIOp::create(builder, loc, y, constant(1, y.getType())));
      Value reach = arith::AddIOp::create(builder, loc, x, below);
      return arith::DivUIOp::create(builder, loc, reach, y);
    }
    case LeafOp::Min: return arith::MinSIOp::create(builder, loc, x, y);
    case LeafOp::Max: return arith::MaxSIOp::create(builder, loc, x, y);
    case LeafOp::And: return arith::AndIOp::create(builder, loc, x, y);
    case LeafOp::Or: return arith::OrIOp::create(builder, loc, x, y);
    case LeafOp::Xor: return arith::XOrIOp::create(builder, loc, x, y);
    case LeafOp::ShiftRight: return arith::ShRUIOp::create(builder, loc, x, y);
    case LeafOp::Less: return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, x, y);
    case LeafOp::Equal: return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, x, y);
    }
    return {};
  };
  Value made = make();
  if (checks)
    requireFits(op, x, y, made);
  uint32_t result = newLeaf({made, std::nullopt, width});
  memo.insert(key, result);
  return result;
}

//===--- iterators ----------------------------------------------------------------------------===//

uint32_t Emit::handle(Value value) {
  auto [it, isNew] = handleOfValue.try_emplace(value, 0);
  if (!isNew)
    return it->second;
  HandleState state;
  state.value = value;
  if (auto ptr = dyn_cast<PtrType>(value.getType()); ptr && ptr.hasSwizzle())
    state.origin = value;
  handles.push_back(std::move(state));
  it->second = uint32_t(handles.size() - 1);
  return it->second;
}

Value Emit::field(const Opaque &atom, size_t i) {
  if (atom.fields[i])
    return handles[atom.fields[i]].value;
  Type type = fieldTypesOf(atom.type)[i];
  if (auto pointer = dyn_cast<PtrType>(type))
    return IntToPtrOp::create(builder, loc, pointer, constant(0, builder.getI64Type()));
  return constant(0, type);
}

Value Emit::value(const Opaque &opaque) {
  if (opaque.fields.empty())
    return handles[opaque.handle].value;
  SmallVector<Value> fields;
  for (size_t i = 0; i < opaque.fields.size(); ++i)
    fields.push_back(field(opaque, i));
  Value atom = MakeAtomOp::create(builder, loc, untiled(opaque.type), fields);
  if (isa<TiledMmaType>(opaque.type))
    return MakeTiledMmaOp::create(builder, loc, opaque.type, atom);
  if (isa<TiledCopyType>(opaque.type))
    return MakeTiledCopyOp::create(builder, loc, opaque.type, atom);
  return atom;
}

Result<Iterator> Emit::advance(const Iterator &from, const layout::Tree &offset) {
  TESSERA_TRY(Iterator to, Domain::advance(from, offset));
  if (from.isArithTuple())
    return to;
  Int distance = offset.leaf().value;
  HandleState state = handles[from.handle];
  if (std::optional<int64_t> number = constant(distance)) {
    state.offset += *number;
    state.originOffset += *number;
  } else {
    state.value = addOffset(state.value, distance);
    if (state.origin) {
      state.terms.push_back(distance);
      if (distance.mask != ~uint64_t(0) || distance.ones != 0)
        state.value.getDefiningOp()->setDiscardableAttr(
            offsetBitsAttrName,
            builder.getDenseI64ArrayAttr({int64_t(distance.mask), int64_t(distance.ones)}));
    }
  }
  handles.push_back(std::move(state));
  to.handle = uint32_t(handles.size() - 1);
  return to;
}

Value Emit::addOffset(Value pointer, Int offset) {
  if (constant(offset) == 0)
    return pointer;
  Int typed = offset;
  typed.id = offset.isStatic() ? 0 : layout::Symbolic::anonymous;
  typed.mask = ~uint64_t(0);
  layout::Tree tree = typed;
  auto tupleType = IntTupleType::get(builder.getContext(), tree);
  Value tuple;
  if (offset.isStatic())
    tuple = StaticOp::create(builder, loc, tupleType);
  else
    tuple = MakeIntTupleOp::create(builder, loc, tupleType, value(offset));
  auto iterator = dyn_cast<IteratorType>(pointer.getType()); // a descriptor iterator keeps its type
  Type type = iterator ? iterator.advanced(tree) : pointer.getType();
  return AddOffsetOp::create(builder, loc, type, pointer, tuple);
}

Value Emit::value(const Iterator &it) {
  const HandleState &state = handles[it.handle];
  Value moved = addOffset(state.value, Int(state.offset));
  if (moved.getType() == it.type || !isa<PtrType>(it.type))
    return moved;
  // Facts that inference had and the chain of offsets lost, or the reverse: the declared type
  // holds.
  return RecastIterOp::create(builder, loc, it.type, moved);
}

Value Emit::moved(const Address &at) { return addOffset(at.base, Int(at.offset)); }

/// The offset from the origin of a swizzled pointer, swizzled, in elements; the static part in a
/// leaf of its own. A swizzle is linear over exclusive or, so what does not share bits is swizzled
/// apart: the dynamic part once for all static offsets.
Int Emit::swizzled(const HandleState &state, PtrType type) {
  Result<layout::Swizzle> inElements = layout::recast(type.getSwizzle(), 8, type.getElementBits());
  layout::Swizzle swizzle = *inElements;
  uint64_t involved = swizzle.sourceMask() | swizzle.targetMask();
  int64_t period = int64_t(std::bit_ceil(involved));
  Int inside = 0, outside = 0;
  for (Int term : state.terms) {
    bool far = term.mask != ~uint64_t(0) ? (term.mask & uint64_t(period - 1)) == 0
                                         : term.div % period == 0;
    (far ? outside : inside) = add(far ? outside : inside, term);
  }
  int64_t low = state.originOffset & (period - 1);
  int64_t high = state.originOffset - low;
  Int moved;
  if (inside.isStatic() || (inside.mask & uint64_t(low)) == 0)
    moved = bitXor(layout::applySwizzle(*this, swizzle, inside), swizzle(low));
  else
    moved = layout::applySwizzle(*this, swizzle, add(inside, low));
  return add(add(outside, moved), high);
}

Address Emit::address(const Iterator &it) {
  HandleState state = handles[it.handle];
  auto type = cast<PtrType>(it.type);
  if (!type.hasSwizzle())
    return {state.value, state.offset};
  auto plain = [](PtrType type) {
    return PtrType::get(type.getContext(), type.getElementType(), type.getAddressSpace(),
                        type.getAlignment(), layout::Swizzle{0, 4, 3});
  };
  auto origin = cast<PtrType>(state.origin.getType());
  layout::Swizzle swizzle = type.getSwizzle();
  int64_t period = int64_t(std::bit_ceil(swizzle.sourceMask() | swizzle.targetMask()));
  if (origin.getAlignment() % period == 0 && layout::recast(swizzle, 8, type.getElementBits())) {
    Value base = RecastIterOp::create(builder, loc, plain(origin), state.origin);
    Int offset = swizzled(state, type);
    if (offset.isStatic())
      return {base, offset.value};
    return {addOffset(base, offset), 0};
  }
  // The origin may lie anywhere: the bits of the address itself are swizzled.
  Value address = PtrToIntOp::create(builder, loc, builder.getI32Type(), value(it));
  Value permuted = value(layout::applySwizzle(*this, swizzle, leaf(address)), builder.getI32Type());
  int64_t unit = int64_t(1) << (swizzle.base - (swizzle.shift < 0 ? -swizzle.shift : 0));
  auto result = PtrType::get(type.getContext(), type.getElementType(), type.getAddressSpace(),
                             std::min(type.getAlignment(), unit), layout::Swizzle{0, 4, 3});
  return {IntToPtrOp::create(builder, loc, result, permuted), 0};
}

//===--- whole data ---------------------------------------------------------------------------===//

Datum Emit::read(Value value) {
  Type type = value.getType();
  if (type.isSignlessIntOrIndex() || isa<ConstrainedI32Type, ConstrainedI64Type>(type)) {
    // The type that arith accepts; lowered, both are the same.
    if (!type.isSignlessIntOrIndex())
      value = UnrealizedConversionCastOp::create(builder, loc, typeOfWidth(widthOf(type)), value)
                  .getResult(0);
    Int result = leaf(value);
    if (const Datum declared = datumOf(type); declared.as<Int>())
      result.div = declared.as<Int>()->div;
    return result;
  }
  Datum datum = datumOf(type);
  SmallVector<Type> scalarTypes;
  datum.forEachDynamicLeaf([&](Int &x) { scalarTypes.push_back(typeOfWidth(x.width)); });
  if (!scalarTypes.empty()) {
    auto scalars = GetScalarsOp::create(builder, loc, scalarTypes, value, /*only_dynamic=*/true);
    size_t next = 0;
    datum.forEachDynamicLeaf([&](Int &x) { x.id = leaf(scalars.getResult(unsigned(next++))).id; });
  }
  if (View *view = datum.as<View>()) {
    if (!view->iterator.isArithTuple())
      view->iterator.handle =
          handle(GetIterOp::create(builder, loc, view->iterator.type, value).getResult());
  } else if (Iterator *it = datum.as<Iterator>()) {
    if (!it->isArithTuple())
      it->handle = handle(value);
  } else if (Opaque *opaque = datum.as<Opaque>()) {
    opaque->handle = handle(value);
  }
  return datum;
}

Value Emit::build(const Datum &datum, Type type) {
  if (const Int *x = datum.as<Int>()) {
    if (!isa<ConstrainedI32Type, ConstrainedI64Type>(type))
      return value(*x, type);
    Value plain = value(*x, typeOfWidth(widthOf(type)));
    return AssumeOp::create(builder, loc, type, plain);
  }
  if (auto maybe = dyn_cast<MaybeStaticType>(type); maybe && maybe.isStatic())
    return StaticOp::create(builder, loc, type);
  if (const Opaque *opaque = datum.as<Opaque>())
    return value(*opaque);
  SmallVector<Value> operands;
  Datum copy = datum;
  if (auto desc = dyn_cast<DescIterType>(type)) {
    View at = *copy.as<View>();
    Value start = MakeDescIterOp::create(
        builder, loc, type,
        ValueRange{value(at.iterator),
                   build(Datum(at.layout), typeOf(builder.getContext(), desc.getLayout()))});
    return addOffset(start, *at.index);
  }
  auto view = dyn_cast<ViewType>(type);
  if (view) {
    Datum layout = copy.as<View>()->layout;
    Type layoutType = typeOf(builder.getContext(), datumOf(type).as<View>()->layout);
    return MakeViewOp::create(builder, loc, type,
                              build(copy.as<View>()->iterator, view.getIteratorType()),
                              build(layout, layoutType));
  }
  if (Iterator *it = copy.as<Iterator>(); it && !it->isArithTuple())
    return value(*it);
  copy.forEachDynamicLeaf([&](Int &x) { operands.push_back(value(x)); });
  return MakeTupleOp::create(builder, loc, type, operands);
}
