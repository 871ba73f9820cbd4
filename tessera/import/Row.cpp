// The table: all rows, found by name.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/import/Row.h"

#include "tessera/atom/AddressSpace.h"
#include "tessera/import/rows/Rows.h"

#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace tessera::import {

unsigned Row::maxOperands() const {
  return llvm::count_if(operands, [](Slot slot) { return slot != Slot::None; });
}

ArrayRef<Row> rows() {
  static const std::vector<Row> all = [] {
    std::vector<Row> all;
    for (ArrayRef<Row> group :
         {barrierRows(), mbarrierRows(), asyncRows(), accessRows(), warpRows(), arithmeticRows(),
          conversionRows(), vectorRows(), registerRows(), cuteRows(), groupedRows(), maskedRows(),
          cudaRows()})
      llvm::append_range(all, group);
    return all;
  }();
  return all;
}

const Row *rowOf(StringRef name) {
  static const llvm::StringMap<const Row *> byName = [] {
    llvm::StringMap<const Row *> byName;
    for (const Row &row : rows())
      byName.try_emplace(row.name, &row);
    return byName;
  }();
  return byName.lookup(name);
}

namespace {
struct SlotKind {
  StringLiteral name;
  Type (*type)(MLIRContext *, Type vector);
};
template <unsigned width> Type integer(MLIRContext *context, Type) {
  return IntegerType::get(context, width);
}
Type none(MLIRContext *, Type) { return {}; }
Type f32(MLIRContext *context, Type) { return Float32Type::get(context); }
Type pair(MLIRContext *context, Type) { return VectorType::get(2, Float32Type::get(context)); }
Type shared(MLIRContext *context, Type) {
  return LLVM::LLVMPointerType::get(context, unsigned(atom::AddressSpace::Smem));
}
Type same(MLIRContext *, Type type) { return type; }
Type element(MLIRContext *, Type type) {
  auto vector = dyn_cast_or_null<VectorType>(type);
  return vector ? vector.getElementType() : Type();
}

/// One entry a Slot, in its order.
constexpr SlotKind slotKinds[] = {
    {"nothing", none},
    {"any value", none},
    {"i1", integer<1>},
    {"i16", integer<16>},
    {"i32", integer<32>},
    {"i64", integer<64>},
    {"i128", integer<128>},
    {"f32", f32},
    {"vector<2xf32>", pair},
    {"!llvm.ptr<3>", shared},
    {"the element type of the vector", element},
    {"the type of the result", same},
};
static_assert(std::size(slotKinds) == size_t(Slot::Vector) + 1);
} // namespace

StringRef name(Slot slot) { return slotKinds[size_t(slot)].name; }
Type typeOf(Slot slot, MLIRContext *context, Type vector) {
  return slotKinds[size_t(slot)].type(context, vector);
}

} // namespace tessera::import
