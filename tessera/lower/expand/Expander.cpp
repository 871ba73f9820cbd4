// Code that steps and recipes build: accesses, vectors, fields of atoms.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/expand/Expander.h"

#include "tessera/cute/AsStated.h"
#include "tessera/cute/Cute.h"
#include "tessera/cute_nvgpu/CuteNvgpu.h"
#include "tessera/lower/Elements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;
using namespace tessera::lower;

Expander::Expander(MLIRContext *context, Block *entry) : b(context), emit(b, entry) {}

//===--- what values are ----------------------------------------------------------------------===//

std::optional<int64_t> Expander::number(Value v) {
  Datum d = datum(v);
  const layout::Int *x = d.as<layout::Int>();
  return x ? emit.constant(*x) : std::nullopt;
}

Opaque Expander::atom(Value v) {
  Opaque atom = *datum(v).as<Opaque>();
  if (!atom.fields.empty())
    return atom;
  Value whole = value(v);
  for (const cute_nvgpu::AtomField &field : cute_nvgpu::fieldsOf(atom.type))
    atom.fields.push_back(
        emit.handle(cute_nvgpu::AtomGetValueOp::create(b, loc(), field.type, whole, field.key)));
  return atom;
}

Value Expander::field(const Opaque &atom, size_t i) {
  return atom.fields[i] ? emit.field(atom, i) : Value();
}

Datum Expander::conformed(Datum datum, Type declared) {
  return cute::conformed(std::move(datum), declared, [&](int64_t number, const layout::Int &leaf) {
    return emit.known(number, leaf.width);
  });
}

Result<Data> Expander::asStated(AlgebraOpInterface op, Data operands) {
  return resultsAsStated(
      op, emit, std::move(operands),
      [&](int64_t number, const layout::Int &leaf) { return emit.known(number, leaf.width); });
}

//===--- what is built ------------------------------------------------------------------------===//

SmallVector<Value> Expander::elements(Value v) {
  auto type = dyn_cast<VectorType>(v.getType());
  if (!type)
    return {v};
  if (auto whole = v.getDefiningOp<vector::FromElementsOp>())
    return SmallVector<Value>(whole.getElements());
  auto parts = vector::ToElementsOp::create(b, loc(), v);
  return SmallVector<Value>(parts.getResults());
}

Value Expander::pack(ValueRange scalars) {
  if (scalars.size() == 1)
    return scalars.front();
  auto type = VectorType::get({int64_t(scalars.size())}, scalars.front().getType());
  return vector::FromElementsOp::create(b, loc(), type, scalars);
}

Iterator Expander::advanced(const Iterator &from, int64_t elements) {
  return *emit.advance(from, layout::Tree(elements));
}

/// Bytes to which the address of an access is aligned: as stated, or as the pointer's type promises
/// (0). What a swizzle makes of such an address may be any multiple of the least bit that it moves.
static int64_t alignedTo(const Iterator &it, int64_t stated) {
  auto type = cast<PtrType>(it.type);
  int64_t bytes = stated ? stated : type.getAlignment();
  return type.hasSwizzle() ? std::min(bytes, int64_t(1) << type.getSwizzle().base) : bytes;
}

Value Expander::load(const Iterator &from, Type type, int64_t alignment) {
  Address at = emit.address(from);
  Value bits = PtrLoadOp::create(b, loc(), carrierOf(type), at.base, at.offset,
                                 b.getI64IntegerAttr(alignedTo(from, alignment)));
  return asElement(b, loc(), bits, type);
}

void Expander::store(const Iterator &to, Value value, int64_t alignment) {
  Address at = emit.address(to);
  PtrStoreOp::create(b, loc(), at.base, asCarrier(b, loc(), value), at.offset,
                     b.getI64IntegerAttr(alignedTo(to, alignment)));
}

//===--- elements of 1, 2 and 4 bits ----------------------------------------------------------===//

bool Expander::isInBits(Type element) {
  int64_t bits = bitsOf(element);
  return bits == 1 || bits == 2 || bits == 4;
}

std::pair<Value, layout::Int> Expander::countedFrom(const Iterator &from) {
  Value base = emit.value(from); // not its address, whose offset a swizzle has moved
  layout::Int index = 0;
  for (;;) {
    if (auto same = base.getDefiningOp<RecastIterOp>();
        same && same.getIter().getType().getElementType() == same.getType().getElementType() &&
        same.getIter().getType().getSwizzle() == same.getType().getSwizzle()) {
      base = same.getIter();
      continue;
    }
    auto moved = base.getDefiningOp<AddOffsetOp>();
    auto tuple = moved ? dyn_cast<IntTupleType>(moved.getOffset().getType()) : IntTupleType();
    if (!tuple || !tuple.getValue().isLeaf())
      break;
    layout::Int step = tuple.getValue().leaf().value;
    if (!step.isStatic()) {
      auto made = moved.getOffset().getDefiningOp<MakeIntTupleOp>();
      if (!made || made->getNumOperands() != 1 ||
          !made->getOperand(0).getType().isSignlessInteger())
        break;
      step = emit.leaf(made->getOperand(0));
    }
    index = emit.add(index, step);
    base = moved.getIter();
  }
  return {base, index};
}

bool Expander::startsOnByte(const Iterator &it) {
  if (cast<PtrType>(it.type).getAlignment() > 1)
    return true;
  layout::Int index = countedFrom(it).second;
  int64_t bits = bitsOf(cast<PtrType>(it.type).getElementType());
  return (index.isStatic() ? index.value : index.div) * bits % 8 == 0;
}

Expander::BitPlace Expander::placeOfBits(const Iterator &from, layout::Int index, int64_t bits) {
  auto [base, steps] = countedFrom(from);
  index = emit.add(index, steps);
  auto type = cast<PtrType>(base.getType());
  Type i8 = b.getI8Type();
  auto bytes = PtrType::get(b.getContext(), i8, type.getAddressSpace(), type.getAlignment(),
                            type.getSwizzle());
  Value pointer = RecastIterOp::create(b, loc(), bytes, base);
  Iterator start{bytes, emit.handle(pointer), {}};
  const int64_t inByte = 8 / bits, log = int64_t(llvm::Log2_64(uint64_t(inByte)));
  auto constant = [&](Type of, int64_t value) {
    return Value(arith::ConstantOp::create(b, loc(), b.getIntegerAttr(of, value)));
  };
  if (index.isStatic()) {
    int64_t byte = index.value >> log, inside = index.value - byte * inByte;
    return {*emit.advance(start, layout::Tree(byte)),
            inside ? constant(i8, inside * bits) : Value()};
  }
  Value element = emit.value(index);
  Type wide = element.getType();
  Value byte = arith::ShRSIOp::create(b, loc(), element, constant(wide, log));
  Value inside = arith::AndIOp::create(b, loc(), element, constant(wide, inByte - 1));
  Value shift = arith::TruncIOp::create(
      b, loc(), i8, arith::MulIOp::create(b, loc(), inside, constant(wide, bits)));
  return {*emit.advance(start, layout::Tree(emit.leaf(byte))), shift};
}

Value Expander::loadBits(const Iterator &from, layout::Int index, Type type) {
  const int64_t bits = bitsOf(type);
  BitPlace at = placeOfBits(from, index, bits);
  Value byte = load(at.byte, b.getI8Type(), 1);
  if (at.shift)
    byte = arith::ShRUIOp::create(b, loc(), byte, at.shift);
  Value code = arith::TruncIOp::create(b, loc(), b.getIntegerType(unsigned(bits)), byte);
  return bitcast(code, type);
}

void Expander::storeBits(const Iterator &to, layout::Int index, Value value) {
  const int64_t bits = bitsOf(value.getType());
  BitPlace at = placeOfBits(to, index, bits);
  Type i8 = b.getI8Type();
  Value code = bitcast(value, b.getIntegerType(unsigned(bits)));
  auto shifted = [&](Value what) {
    return at.shift ? Value(arith::ShLIOp::create(b, loc(), what, at.shift)) : what;
  };
  Value ones =
      shifted(arith::ConstantOp::create(b, loc(), b.getIntegerAttr(i8, (int64_t(1) << bits) - 1)));
  Value kept = arith::AndIOp::create(
      b, loc(), load(at.byte, i8, 1),
      arith::XOrIOp::create(b, loc(), ones,
                            arith::ConstantOp::create(b, loc(), b.getIntegerAttr(i8, -1))));
  store(at.byte,
        arith::OrIOp::create(b, loc(), kept, shifted(arith::ExtUIOp::create(b, loc(), i8, code))),
        1);
}

Value Expander::bitcast(Value v, Type type) {
  if (v.getType() == type)
    return v;
  if (carrierOf(v.getType()) == type)
    return asCarrier(b, loc(), v);
  if (carrierOf(type) == v.getType())
    return asElement(b, loc(), v, type);
  bool vectors = isa<VectorType>(v.getType()) && isa<VectorType>(type);
  if (vectors)
    return vector::BitCastOp::create(b, loc(), type, v);
  if (!isa<VectorType>(v.getType()) && !isa<VectorType>(type))
    return arith::BitcastOp::create(b, loc(), type, v);
  // LLVM has no vectors of formats below 16 bits: those of one integer are between.
  auto isNarrow = [](Type of) {
    auto vector = dyn_cast<VectorType>(of);
    return vector && isa<FloatType>(vector.getElementType()) &&
           vector.getElementTypeBitWidth() < 16;
  };
  if (isNarrow(v.getType())) {
    Value one = vector::BitCastOp::create(b, loc(), VectorType::get({1}, type), v);
    return vector::ExtractOp::create(b, loc(), one, int64_t(0));
  }
  if (isNarrow(type)) {
    Value one = vector::FromElementsOp::create(b, loc(), VectorType::get({1}, v.getType()), v);
    return vector::BitCastOp::create(b, loc(), type, one);
  }
  return LLVM::BitcastOp::create(b, loc(), type, v);
}
