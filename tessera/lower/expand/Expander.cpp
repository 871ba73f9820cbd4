// Code that steps and recipes build: accesses, vectors, fields of atoms.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/expand/Expander.h"

#include "tessera/cute/Cute.h"
#include "tessera/cute_nvgpu/CuteNvgpu.h"

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

/// Bytes to which a value at a pointer is aligned, as far as the pointer's type promises.
static int64_t promised(const Iterator &it) { return cast<PtrType>(it.type).getAlignment(); }

Value Expander::load(const Iterator &from, Type type, int64_t alignment) {
  Address at = emit.address(from);
  return PtrLoadOp::create(b, loc(), type, at.base, at.offset,
                           b.getI64IntegerAttr(alignment ? alignment : promised(from)));
}

void Expander::store(const Iterator &to, Value value, int64_t alignment) {
  Address at = emit.address(to);
  PtrStoreOp::create(b, loc(), at.base, value, at.offset,
                     b.getI64IntegerAttr(alignment ? alignment : promised(to)));
}

Value Expander::bitcast(Value v, Type type) {
  if (v.getType() == type)
    return v;
  bool vectors = isa<VectorType>(v.getType()) && isa<VectorType>(type);
  if (vectors)
    return vector::BitCastOp::create(b, loc(), type, v);
  if (!isa<VectorType>(v.getType()) && !isa<VectorType>(type))
    return arith::BitcastOp::create(b, loc(), type, v);
  return LLVM::BitcastOp::create(b, loc(), type, v);
}
