// LoweredTypes: types of the LLVM dialect for cute and cuda types, and the leaves in them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/LoweredTypes.h"

#include "tessera/cuda/Cuda.h"
#include "tessera/cute_nvgpu/CuteNvgpu.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;

namespace {
Type structOf(MLIRContext *context, ArrayRef<Type> fields) {
  return LLVM::LLVMStructType::getLiteral(context, fields);
}
Type integer(MLIRContext *context, layout::Int x) {
  return IntegerType::get(context, layout::bitsOf(x.width));
}

/// The dynamic leaves among `leaves`.
template <class Container> Type loweredLeaves(MLIRContext *context, const Container &value) {
  SmallVector<Type> fields;
  value([&](const layout::Leaf &leaf) {
    if (!leaf.isStatic())
      fields.push_back(integer(context, leaf.value));
  });
  return fields.size() == 1 ? fields[0] : structOf(context, fields);
}
Type lowered(MLIRContext *context, const layout::Tree &tree) {
  return loweredLeaves(context, [&](auto take) { tree.forEachLeaf(take); });
}
Type lowered(MLIRContext *context, const layout::Layout &l) {
  return structOf(context, {lowered(context, l.shape), lowered(context, l.stride)});
}
Type lowered(MLIRContext *context, const layout::AnyLayout &l) {
  if (l.affine())
    return lowered(context, *l.affine());
  const layout::Composed &c = *l.composed();
  Type inner =
      c.swizzle() ? structOf(context, {}) : lowered(context, std::get<layout::Layout>(c.inner));
  return structOf(context, {lowered(context, c.outer), lowered(context, c.offset), inner});
}

/// The fields of a packed layout.
void packedFields(MLIRContext *context, const layout::Tree &shape, const layout::Tree &stride,
                  SmallVectorImpl<Type> &fields) {
  if (shape.isLeaf()) {
    fields.append({integer(context, shape.leaf().value), integer(context, stride.leaf().value)});
    return;
  }
  for (size_t i = 0; i < shape.rank(); ++i) {
    SmallVector<Type> mode;
    packedFields(context, shape[i], stride[i], mode);
    if (shape[i].isLeaf())
      fields.append(mode);
    else
      fields.push_back(structOf(context, mode));
  }
}
/// The leaves of a layout in the order in which a packed one has them.
void packedOrder(const layout::Tree &shape, const layout::Tree &stride,
                 function_ref<void(const layout::Int &)> take) {
  if (shape.isLeaf()) {
    take(shape.leaf().value);
    take(stride.leaf().value);
    return;
  }
  for (size_t i = 0; i < shape.rank(); ++i)
    packedOrder(shape[i], stride[i], take);
}

/// Addresses of tensor memory are integers, lane << 16 | column: arithmetic on them is none of
/// pointers (an element of 16 bits is half a column).
Type pointer(MLIRContext *context, AddressSpace space) {
  if (space == AddressSpace::Tmem)
    return IntegerType::get(context, 32);
  return LLVM::LLVMPointerType::get(context, lower::LoweredTypes::addressSpace(space));
}

Type loweredDatum(MLIRContext *context, const Datum &datum) {
  if (const TreeDatum *t = datum.as<TreeDatum>())
    return lowered(context, t->tree);
  if (const layout::AnyLayout *l = datum.as<layout::AnyLayout>())
    return lowered(context, *l);
  if (datum.as<layout::Tile>() || datum.as<layout::Swizzle>()) {
    Datum copy = datum;
    return loweredLeaves(context, [&](auto take) { copy.forEachLeaf(take); });
  }
  if (const Iterator *it = datum.as<Iterator>())
    return lowered(context, it->tuple);
  return {};
}

} // namespace

unsigned tessera::lower::LoweredTypes::addressSpace(AddressSpace space) {
  switch (space) {
  case AddressSpace::Generic: return 0;
  case AddressSpace::Gmem: return 1;
  case AddressSpace::Smem: return 3;
  case AddressSpace::Rmem: return 0; // an alloca that is promoted
  case AddressSpace::Tmem: return 6;
  case AddressSpace::Dsmem: return 7;
  }
  return 0;
}

static LowerToLLVMOptions loweringOptions(MLIRContext *context) {
  LowerToLLVMOptions options(context);
  options.overrideIndexBitwidth(64);
  return options;
}

bool tessera::lower::LoweredTypes::isPacked(Type type) const {
  auto value = dyn_cast<LayoutType>(type);
  return abi == LayoutAbi::Packed && value && !value.getValue().stride.hasBasis();
}

tessera::lower::LoweredTypes::LoweredTypes(MLIRContext *context, bool checks, LayoutAbi abi)
    : LLVMTypeConverter(context, loweringOptions(context)), checks(checks), abi(abi) {
  addConversion([this](MaybeStaticType type) -> std::optional<Type> {
    if (isPacked(type)) {
      const layout::Layout &l = cast<LayoutType>(Type(type)).getValue();
      SmallVector<Type> fields;
      packedFields(type.getContext(), l.shape, l.stride, fields);
      return structOf(type.getContext(), fields);
    }
    if (isa<MmaAtomType, CopyAtomType, TiledMmaType, TiledCopyType>(type))
      return atom(type);
    return loweredDatum(type.getContext(), datumOf(Type(type)));
  });
  addConversion(
      [](ArithTupleIterType type) { return loweredDatum(type.getContext(), datumOf(type)); });
  addConversion([](PtrType type) { return pointer(type.getContext(), type.getAddressSpace()); });
  addConversion([](CuteMemRefType type) {
    return structOf(type.getContext(), {pointer(type.getContext(), type.getAddressSpace()),
                                        lowered(type.getContext(), type.getLayout())});
  });
  addConversion([](DescIterType type) {
    MLIRContext *context = type.getContext();
    SmallVector<Type> fields = {pointer(context, type.getPtrType().getAddressSpace()),
                                integer(context, layout::Int::dynamic(1, type.getIndexWidth()))};
    const layout::AnyLayout &l = type.getLayout();
    fields.append({lowered(context, l.outer().shape), lowered(context, l.outer().stride)});
    if (l.composed()) // offset, inner
      llvm::append_range(fields,
                         cast<LLVM::LLVMStructType>(lowered(context, l)).getBody().drop_front());
    return structOf(context, fields);
  });
  addConversion([](CoordTensorType type) {
    return structOf(type.getContext(), {lowered(type.getContext(), type.getStart()),
                                        lowered(type.getContext(), type.getLayout())});
  });
  addConversion([](FloatTF32Type type) { return IntegerType::get(type.getContext(), 32); });
  addConversion([](ConstrainedI32Type type) { return IntegerType::get(type.getContext(), 32); });
  addConversion([](ConstrainedI64Type type) { return IntegerType::get(type.getContext(), 64); });
  addConversion([](FastDivmodDivisorType type) {
    MLIRContext *context = type.getContext();
    Type number = IntegerType::get(context, type.getWidth()), i8 = IntegerType::get(context, 8);
    return structOf(context, {number, number, i8, i8}); // divisor, multiplier, two shifts
  });
  addConversion(
      [](cute_nvgpu::SmemDescType type) { return IntegerType::get(type.getContext(), 64); });
  addConversion([](cute_nvgpu::SmemDescViewType type) {
    MLIRContext *context = type.getContext();
    return structOf(context, {IntegerType::get(context, 64), lowered(context, type.getLayout())});
  });
  addConversion(
      [](cuda::StreamType type) { return LLVM::LLVMPointerType::get(type.getContext()); });
  addConversion(
      [](cuda::LaunchCfgType type) { return LLVM::LLVMPointerType::get(type.getContext()); });
  addConversion([](cuda::ResultType type) { return IntegerType::get(type.getContext(), 32); });
}

/// Atoms are the struct of their run-time fields; those with their tensor map are its address.
Type tessera::lower::LoweredTypes::atom(Type type) {
  if (cute_nvgpu::carriesTensorMap(type))
    return LLVM::LLVMPointerType::get(type.getContext());
  SmallVector<Type> fields;
  for (Type field : fieldTypesOf(type))
    fields.push_back(convertType(field));
  return structOf(type.getContext(), fields);
}

bool tessera::lower::LoweredTypes::hasContent(Type lowered) {
  auto type = dyn_cast<LLVM::LLVMStructType>(lowered);
  return !type || llvm::any_of(type.getBody(), hasContent);
}

//===--- leaves -------------------------------------------------------------------------------===//

SmallVector<Value> tessera::lower::leavesOf(OpBuilder &b, Location loc, Value lowered) {
  auto type = dyn_cast<LLVM::LLVMStructType>(lowered.getType());
  if (!type)
    return {lowered};
  SmallVector<Value> leaves;
  for (auto [i, field] : llvm::enumerate(type.getBody()))
    if (LoweredTypes::hasContent(field))
      llvm::append_range(
          leaves, leavesOf(b, loc, LLVM::ExtractValueOp::create(b, loc, lowered, int64_t(i))));
  return leaves;
}

static Value assemble(OpBuilder &b, Location loc, Type type, ValueRange &leaves) {
  auto structType = dyn_cast<LLVM::LLVMStructType>(type);
  if (!structType) {
    Value leaf = leaves.front();
    leaves = leaves.drop_front();
    return leaf;
  }
  Value value = LLVM::UndefOp::create(b, loc, type);
  for (auto [i, field] : llvm::enumerate(structType.getBody()))
    if (tessera::lower::LoweredTypes::hasContent(field))
      value =
          LLVM::InsertValueOp::create(b, loc, value, assemble(b, loc, field, leaves), int64_t(i));
  return value;
}
Value tessera::lower::fromLeaves(OpBuilder &b, Location loc, Type lowered, ValueRange leaves) {
  return assemble(b, loc, lowered, leaves);
}

//===--- data ---------------------------------------------------------------------------------===//

static Value cast(Emit &emit, Value value, Type type) {
  if (value.getType() == type)
    return value;
  return UnrealizedConversionCastOp::create(emit.builder, emit.loc, type, value).getResult(0);
}

Datum tessera::lower::readLowered(Emit &emit, Type type, Value lowered) {
  Datum datum = datumOf(type);
  if (datum.as<Opaque>()) {
    datum.as<Opaque>()->handle = emit.handle(lowered);
    return datum;
  }
  SmallVector<Value> leaves = leavesOf(emit.builder, emit.loc, lowered);
  size_t next = 0;
  auto pointer = [&](Iterator &it) {
    if (!it.isArithTuple())
      it.handle = emit.handle(::cast(emit, leaves[next++], it.type));
  };
  if (View *view = datum.as<View>())
    pointer(view->iterator);
  else if (Iterator *it = datum.as<Iterator>())
    pointer(*it);
  datum.forEachDynamicLeaf([&](layout::Int &x) { x.id = emit.leaf(leaves[next++]).id; });
  return datum;
}

Value tessera::lower::buildLowered(Emit &emit, const Datum &datum, Type type, Type lowered) {
  if (const Opaque *opaque = datum.as<Opaque>())
    return emit.value(*opaque);
  Datum d = conformed(datum, type, [&](int64_t number, const layout::Int &leaf) {
    return emit.known(number, leaf.width);
  });
  if (const layout::Int *x = d.as<layout::Int>())
    return emit.value(*x, lowered);
  SmallVector<Value> leaves;
  auto pointer = [&](const Iterator &it) {
    if (it.isArithTuple())
      return;
    auto ptr = dyn_cast<PtrType>(it.type);
    Type to = ptr ? ::pointer(type.getContext(), ptr.getAddressSpace()) : emit.builder.getI64Type();
    leaves.push_back(::cast(emit, emit.value(it), to));
  };
  if (const View *view = d.as<View>())
    pointer(view->iterator);
  else if (const Iterator *it = d.as<Iterator>())
    pointer(*it);
  d.forEachDynamicLeaf([&](layout::Int &x) {
    leaves.push_back(emit.value(x, emit.builder.getIntegerType(layout::bitsOf(x.width))));
  });
  return fromLeaves(emit.builder, emit.loc, lowered, leaves);
}

Datum tessera::lower::readPacked(Emit &emit, Type type, Value lowered) {
  layout::Layout l = mlir::cast<LayoutType>(type).getValue();
  SmallVector<Value> fields = leavesOf(emit.builder, emit.loc, lowered);
  // The n-th leaf of the shape and that of the stride stand side by side.
  size_t at = 0;
  l.shape.forEachLeaf([&](layout::Leaf &leaf) {
    if (!leaf.isStatic())
      leaf.value.id = emit.leaf(fields[at]).id;
    at += 2;
  });
  at = 1;
  l.stride.forEachLeaf([&](layout::Leaf &leaf) {
    if (!leaf.isStatic())
      leaf.value.id = emit.leaf(fields[at]).id;
    at += 2;
  });
  return Datum(std::move(l));
}

Value tessera::lower::buildPacked(Emit &emit, const Datum &datum, Type type, Type lowered) {
  auto known = [&](int64_t number, const layout::Int &leaf) {
    return emit.known(number, leaf.width);
  };
  Datum d = conformed(datum, type, known);
  const layout::Layout &l = d.as<layout::AnyLayout>()->outer();
  MLIRContext *context = type.getContext();
  auto structType = mlir::cast<LLVM::LLVMStructType>(lowered);
  if (l.isStatic() && llvm::none_of(structType.getBody(), llvm::IsaPred<LLVM::LLVMStructType>)) {
    SmallVector<Attribute> numbers;
    packedOrder(l.shape, l.stride, [&](const layout::Int &x) {
      numbers.push_back(IntegerAttr::get(integer(context, x), x.value));
    });
    return LLVM::ConstantOp::create(emit.builder, emit.loc, lowered,
                                    ArrayAttr::get(context, numbers));
  }
  SmallVector<Value> fields;
  packedOrder(l.shape, l.stride,
              [&](const layout::Int &x) { fields.push_back(emit.value(x, integer(context, x))); });
  return fromLeaves(emit.builder, emit.loc, lowered, fields);
}
