// Trace, the domain in which ops fold: a leaf by its origin.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute/Trace.h"

#include "tessera/cute/AsStated.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;
using layout::Int;
using layout::LeafOp;
using layout::Width;

namespace {

Width widthOf(Type type) {
  if (isa<ConstrainedI64Type>(type))
    return Width::I64;
  return type.isInteger() ? layout::widthOfBits(type.getIntOrFloatBitWidth()) : Width::I32;
}

bool isUnknown(Int leaf) { return !leaf.isStatic() && leaf.id == layout::Symbolic::anonymous; }

bool isIntegerValue(Type type) {
  return type.isSignlessIntOrIndex() || isa<ConstrainedI32Type, ConstrainedI64Type>(type);
}

} // namespace

uint32_t Trace::idOf(Origin origin) {
  auto [it, isNew] = ids.try_emplace(origin, uint32_t(origins.size()));
  if (isNew)
    origins.push_back(std::move(origin));
  return it->second;
}

uint32_t Trace::known(int64_t number, Width width) {
  return idOf({OfNumber, number, int64_t(width)});
}

std::optional<int64_t> Trace::number(Int leaf) const {
  if (leaf.isStatic())
    return leaf.value;
  const Origin &origin = origins[leaf.id];
  return origin[0] == OfNumber ? std::optional(origin[1]) : std::nullopt;
}

/// The number that code for `op` computes; nothing where that depends on how it is compiled, as
/// after an overflow.
std::optional<int64_t> Trace::computed(LeafOp op, int64_t x, int64_t y, Width width) const {
  switch (op) {
  case LeafOp::Div:
  case LeafOp::CeilDiv:
  case LeafOp::Mod: // unsigned
    if (x < 0 || y <= 0)
      return std::nullopt;
    break;
  case LeafOp::SignedDiv:
    if (y == 0)
      return std::nullopt;
    break;
  case LeafOp::ShiftRight:
    if (x < 0)
      return std::nullopt;
    break;
  default: break;
  }
  layout::Applied result = layout::applyChecked(op, x, y);
  if (result.overflow || !layout::fits(result.value, width))
    return std::nullopt;
  return result.value;
}

/// The id of what an operation with a neutral element, or 0 as a factor, or of a leaf on itself
/// comes down to; else 0. Arith does the same for static leaves.
uint32_t Trace::neutral(LeafOp op, Int a, Int b, Width width) {
  std::optional<int64_t> x = number(a), y = number(b);
  auto same = [&](Int kept) { return !kept.isStatic() && kept.width == width ? kept.id : 0; };
  if (!a.isStatic() && a.id == b.id) { // an operation of a leaf on itself
    if (op == LeafOp::Sub || op == LeafOp::Xor || op == LeafOp::Less)
      return known(0, width);
    if (op == LeafOp::Equal)
      return known(1, width);
    if (op == LeafOp::Min || op == LeafOp::Max || op == LeafOp::And || op == LeafOp::Or)
      return same(a);
  }
  switch (op) {
  case LeafOp::Add:
  case LeafOp::Or:
  case LeafOp::Xor: return x == 0 ? same(b) : y == 0 ? same(a) : 0;
  case LeafOp::Sub:
  case LeafOp::ShiftRight: return y == 0 ? same(a) : 0;
  case LeafOp::Mul:
    if (x == 0 || y == 0)
      return known(0, width);
    return x == 1 ? same(b) : y == 1 ? same(a) : 0;
  case LeafOp::Div:
  case LeafOp::SignedDiv:
  case LeafOp::CeilDiv: return y == 1 ? same(a) : 0;
  case LeafOp::Mod: return y == 1 ? known(0, width) : 0;
  default: return 0;
  }
}

uint32_t Trace::emit(LeafOp op, Int a, Int b, Width width) {
  if (isUnknown(a) || isUnknown(b))
    return layout::Symbolic::anonymous;
  std::optional<int64_t> x = number(a), y = number(b);
  if (x && y)
    if (std::optional<int64_t> result = computed(op, *x, *y, width))
      return known(*result, width);
  if (uint32_t id = neutral(op, a, b, width))
    return id;
  auto part = [](Int leaf) {
    return leaf.isStatic() ? std::pair<int64_t, int64_t>(0, leaf.value)
                           : std::pair<int64_t, int64_t>(1, leaf.id);
  };
  auto first = part(a), second = part(b);
  bool commutes = op == LeafOp::Add || op == LeafOp::Mul || op == LeafOp::Min ||
                  op == LeafOp::Max || op == LeafOp::And || op == LeafOp::Or || op == LeafOp::Xor ||
                  op == LeafOp::Equal;
  if (commutes && second < first)
    std::swap(first, second);
  return idOf(
      {OfOp, int64_t(op), int64_t(width), first.first, first.second, second.first, second.second});
}

Result<Iterator> Trace::advance(const Iterator &from, const layout::Tree &offset) {
  TESSERA_TRY(Iterator to, Domain::advance(from, offset));
  if (from.isArithTuple())
    return to;
  if (offset.isTuple()) { // a descriptor that moves by coordinates: no place of which we know
    to.handle = idOf({Advanced, from.handle, int64_t(origins.size())});
    return to;
  }
  const Int distance = offset.leaf().value;
  if (from.handle == layout::Symbolic::anonymous || isUnknown(distance)) {
    to.handle = layout::Symbolic::anonymous;
    return to;
  }
  Origin origin = origins[from.handle];
  if (origin[0] != Advanced)
    origin = {Advanced, from.handle, 0};
  if (std::optional<int64_t> fixed = number(distance)) {
    if (__builtin_add_overflow(origin[2], *fixed, &origin[2]))
      return Reason{"Overflow", "the distance does not fit 64 bits"};
  } else {
    origin.insert(std::upper_bound(origin.begin() + 3, origin.end(), int64_t(distance.id)),
                  int64_t(distance.id));
  }
  bool stays = origin.size() == 3 && origin[2] == 0;
  to.handle = stays ? uint32_t(origin[1]) : idOf(std::move(origin));
  return to;
}

/// A value of which only the type is known: each leaf is a leaf of this value.
Datum Trace::named(Value value) {
  const int64_t self = int64_t(reinterpret_cast<intptr_t>(value.getAsOpaquePointer()));
  Datum datum = datumOf(value.getType());
  int64_t index = 0;
  datum.forEachDynamicLeaf([&](Int &leaf) { leaf.id = idOf({OfValue, self, index++}); });
  if (View *view = datum.as<View>()) {
    if (!view->iterator.isArithTuple())
      view->iterator.handle = idOf({OfPointer, self});
  } else if (Iterator *it = datum.as<Iterator>()) {
    if (!it->isArithTuple())
      it->handle = idOf({OfPointer, self});
  } else if (Opaque *opaque = datum.as<Opaque>()) {
    opaque->handle = idOf({OfPointer, self});
  }
  return datum;
}

Datum Trace::datumOfValue(Value value) {
  if (auto it = seen.find(value); it != seen.end())
    return it->second;
  std::optional<Datum> datum;
  APInt constant;
  Operation *op = value.getDefiningOp();
  if (isIntegerValue(value.getType()) && matchPattern(value, m_ConstantInt(&constant)) &&
      (!value.getType().isIndex() || layout::fitsI32(constant.getSExtValue()))) {
    Width width = widthOf(value.getType());
    int64_t number =
        width == Width::I1 ? int64_t(constant.getZExtValue()) : constant.getSExtValue();
    datum = Int::dynamic(known(number, width), width);
  } else if (auto assumption = dyn_cast_or_null<AssumeOp>(op);
             assumption && depth < maxDepth) { // the same integer, of which more is known
    ++depth;
    Datum promised = datumOf(value.getType());
    promised.as<Int>()->id = datumOfValue(assumption.getValue()).as<Int>()->id;
    --depth;
    datum = promised;
  } else if (op && depth < maxDepth && seen.size() < maxValues) {
    ++depth;
    if (std::optional<Data> results = evaluated(op))
      datum = (*results)[cast<OpResult>(value).getResultNumber()];
    --depth;
  }
  if (!datum)
    datum = named(value);
  seen.insert({value, *datum});
  return *datum;
}

std::optional<Data> Trace::evaluated(Operation *op) {
  auto algebra = dyn_cast<AlgebraOpInterface>(op);
  if (!algebra || !isPure(op))
    return std::nullopt;
  Data in;
  for (Value operand : op->getOperands())
    in.push_back(datumOfValue(operand));
  // What the type states holds, as in lowering.
  Result<Data> out =
      resultsAsStated(algebra, *this, std::move(in), [&](int64_t number, const Int &leaf) {
        return Int::dynamic(known(number, leaf.width), leaf.width, leaf.div);
      });
  if (!out || overflowed() || out->size() != op->getNumResults())
    return std::nullopt;
  return std::move(*out);
}

std::optional<Data> Trace::resultsOf(Operation *op) {
  std::optional<Data> results = evaluated(op);
  return assumed || overflowed() ? std::nullopt : results;
}

/// All dynamic leaves and pointers of a datum, in order.
static SmallVector<uint32_t> originsIn(const Datum &datum) {
  SmallVector<uint32_t> all;
  Datum copy = datum;
  copy.forEachDynamicLeaf([&](Int &leaf) { all.push_back(leaf.id); });
  const View *view = datum.as<View>();
  if (const Iterator *it = view ? &view->iterator : datum.as<Iterator>()) {
    if (!it->isArithTuple()) // its coordinates are leaves
      all.push_back(it->handle);
  } else if (const Opaque *opaque = datum.as<Opaque>()) {
    all.push_back(opaque->handle);
    all.append(opaque->fields.begin(), opaque->fields.end());
  }
  return all;
}

Value Trace::find(const Datum &datum, Type type, Operation *op) const {
  SmallVector<uint32_t> wanted = originsIn(datum);
  if (llvm::is_contained(wanted, layout::Symbolic::anonymous))
    return {};
  for (const auto &[value, known] : seen)
    if (value.getType() == type && value.getDefiningOp() != op && originsIn(known) == wanted)
      return value;
  return {};
}

Value Trace::scalarFor(Int leaf) const {
  if (isUnknown(leaf))
    return {};
  for (const auto &[value, known] : seen) {
    const Int *x = known.as<Int>();
    Type type = value.getType();
    if (!x || x->id != leaf.id || !isIntegerValue(type))
      continue;
    const bool narrow = leaf.width < Width::I32; // filled by an integer as wide, no other
    bool fits = narrow           ? type.isInteger(layout::bitsOf(leaf.width))
                : type.isIndex() ? leaf.width == Width::I32
                : isa<IntegerType>(type)
                    ? type.isInteger(32) || (type.isInteger(64) && leaf.width == Width::I64)
                    : widthOf(type) <= leaf.width;
    if (fits)
      return value;
  }
  return {};
}
