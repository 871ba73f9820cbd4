// Entries of a program's tables, from types, attributes and locations.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_io/ProgramTables.h"

#include "tessera/tile_io/Columns.h"
#include "tessera/tile_io/Diagnostics.h"

#include "tessera/tile_bytecode/Constants.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
namespace tessera::tile_io {
namespace bc = tile_bytecode;
namespace ct = cuda_tile;

//--- Types ---

namespace {
std::vector<int64_t> extents(ArrayRef<int64_t> from) {
  std::vector<int64_t> out(from.begin(), from.end());
  std::replace(out.begin(), out.end(), ct::TensorViewType::dynamic, bc::dynamic);
  return out;
}
template <class View> void fillView(bc::Type &out, View view) {
  out.shape.assign(view.getTileShape().begin(), view.getTileShape().end());
  if (ct::PaddingValueAttr padding = view.getPaddingValue())
    out.padding = bc::PaddingValue(
        numberOf(bc::keywords::PaddingValue, ct::stringifyPaddingValue(padding.getValue())));
}
} // namespace

FailureOr<bc::Index> TypeTable::index(Type from, Location location) {
  if (auto found = known.find(from); found != known.end())
    return found->second;
  FailureOr<bc::Type> made = make(from, location);
  if (failed(made))
    return failure();
  return known[from] = tables.interner.type(*made);
}

LogicalResult TypeTable::append(TypeRange from, Location location, std::vector<bc::Index> &out) {
  for (Type each : from) {
    FailureOr<bc::Index> entry = index(each, location);
    if (failed(entry))
      return failure();
    out.push_back(*entry);
  }
  return success();
}

FailureOr<bc::Type> TypeTable::make(Type from, Location location) {
  bc::Type out;
  if (auto element = elementKind(from)) {
    out.kind = *element;
    return out;
  }
  if (isa<ct::TokenType>(from))
    return out;
  if (auto function = dyn_cast<FunctionType>(from)) {
    out.kind = bc::TypeKind::Function;
    if (failed(append(function.getInputs(), location, out.parameters)) ||
        failed(append(function.getResults(), location, out.results)))
      return failure();
    return out;
  }
  Type inner = TypeSwitch<Type, Type>(from)
                   .Case([&](ct::PointerType pointer) {
                     out.kind = bc::TypeKind::Pointer;
                     return pointer.getPointeeType();
                   })
                   .Case([&](ct::TileType tile) {
                     out.kind = bc::TypeKind::Tile;
                     out.shape.assign(tile.getShape().begin(), tile.getShape().end());
                     return tile.getElementType();
                   })
                   .Case([&](ct::TensorViewType tensor) {
                     out.kind = bc::TypeKind::TensorView;
                     out.shape = extents(tensor.getShape());
                     out.strides = extents(tensor.getStrides());
                     return tensor.getElementType();
                   })
                   .Case([&](ct::PartitionViewType view) {
                     out.kind = bc::TypeKind::PartitionView;
                     fillView(out, view);
                     out.dims.assign(view.getDimMap().begin(), view.getDimMap().end());
                     return view.getTensorView();
                   })
                   .Case([&](ct::StridedViewType view) {
                     out.kind = bc::TypeKind::StridedView;
                     fillView(out, view);
                     out.dims.assign(view.getDimMap().begin(), view.getDimMap().end());
                     out.strides.assign(view.getTraversalStrides().begin(),
                                        view.getTraversalStrides().end());
                     return view.getTensorView();
                   })
                   .Case([&](ct::GatherScatterViewType view) {
                     out.kind = bc::TypeKind::GatherScatterView;
                     fillView(out, view);
                     out.sparseDim = uint32_t(view.getSparseDimension());
                     return view.getTensorView();
                   })
                   .Default([](Type) { return Type(); });
  if (!inner)
    return emitError(location) << sentence(Diag::UnsupportedType, from);
  FailureOr<bc::Index> element = index(inner, location);
  if (failed(element))
    return failure();
  out.element = *element;
  return out;
}

//--- Attributes ---

static uint64_t codeOf(const APInt &bits, Type element) {
  uint64_t code = bits.getZExtValue();
  // tf32 are the upper bits of an f32.
  return isa<FloatTF32Type>(element) ? code << (32 - bits.getBitWidth()) : code;
}
FailureOr<bc::Index> AttributeTable::constant(DenseElementsAttr from, Location location) {
  FailureOr<bc::Index> index = types.index(from.getType(), location);
  if (failed(index))
    return failure();
  Type element = from.getElementType();
  std::vector<uint64_t> codes;
  auto add = [&](const APInt &bits) { codes.push_back(codeOf(bits, element)); };
  if (isa<FloatType>(element)) {
    if (from.isSplat())
      add(from.getSplatValue<APFloat>().bitcastToAPInt());
    else
      for (const APFloat &number : from.getValues<APFloat>())
        add(number.bitcastToAPInt());
  } else if (from.isSplat()) {
    add(from.getSplatValue<APInt>());
  } else {
    for (const APInt &number : from.getValues<APInt>())
      add(number);
  }
  return tables.interner.constant(
      bc::constantBytes(tables.program, codes, tables.program.types[*index]));
}

FailureOr<bc::Attribute> AttributeTable::dictionary(DictionaryAttr from, bc::Attribute::Kind kind,
                                                    Location location) {
  bc::Attribute out;
  out.kind = kind;
  for (NamedAttribute item : from) {
    FailureOr<bc::Attribute> value = attribute(item.getValue(), location);
    if (failed(value))
      return failure();
    out.keys.push_back(tables.text(item.getName()));
    out.items.push_back(std::move(*value));
  }
  return out;
}

FailureOr<bc::Attribute> AttributeTable::attribute(Attribute from, Location location) {
  bc::Attribute out;
  auto typed = [&](bc::Attribute::Kind kind, Type ofType,
                   uint64_t value) -> FailureOr<bc::Attribute> {
    FailureOr<bc::Index> index = types.index(ofType, location);
    if (failed(index))
      return failure();
    out.kind = kind;
    out.type = *index;
    out.value = value;
    return out;
  };
  if (auto boolean = dyn_cast<BoolAttr>(from)) {
    out.kind = bc::Attribute::Bool;
    out.value = boolean.getValue();
    return out;
  }
  if (auto number = dyn_cast<IntegerAttr>(from); number && number.getType().isSignlessInteger())
    return typed(bc::Attribute::Integer, number.getType(), number.getValue().getZExtValue());
  if (auto number = dyn_cast<FloatAttr>(from))
    return typed(bc::Attribute::Float, number.getType(),
                 number.getValue().bitcastToAPInt().getZExtValue());
  if (auto named = dyn_cast<TypeAttr>(from))
    return typed(bc::Attribute::Type, named.getValue(), 0);
  if (auto string = dyn_cast<StringAttr>(from)) {
    out.kind = bc::Attribute::String;
    out.value = tables.text(string);
    return out;
  }
  if (auto array = dyn_cast<ArrayAttr>(from)) {
    out.kind = bc::Attribute::Array;
    for (Attribute item : array) {
      FailureOr<bc::Attribute> value = attribute(item, location);
      if (failed(value))
        return failure();
      out.items.push_back(std::move(*value));
    }
    return out;
  }
  if (auto elements = dyn_cast<DenseElementsAttr>(from)) {
    FailureOr<bc::Index> value = constant(elements, location);
    if (failed(value))
      return failure();
    return typed(bc::Attribute::DenseElements, elements.getType(), *value);
  }
  if (auto divisible = dyn_cast<ct::DivByAttr>(from)) {
    out.kind = bc::Attribute::DivBy;
    out.value = divisible.getDivisor();
    out.first = divisible.getEvery();
    out.second = divisible.getAlong();
    return out;
  }
  if (auto same = dyn_cast<ct::SameElementsAttr>(from)) {
    out.kind = bc::Attribute::SameElements;
    out.numbers.assign(same.getValues().begin(), same.getValues().end());
    return out;
  }
  if (auto bounded = dyn_cast<ct::BoundedAttr>(from)) {
    out.kind = bc::Attribute::Bounded;
    out.first = bounded.getLower();
    out.second = bounded.getUpper();
    return out;
  }
  if (auto items = dyn_cast<DictionaryAttr>(from))
    return dictionary(items, bc::Attribute::Dictionary, location);
  if (auto hints = dyn_cast<ct::OptimizationHintsAttr>(from))
    return dictionary(hints.getValue(), bc::Attribute::OptimizationHints, location);
  if (auto numbers = dyn_cast<DenseI32ArrayAttr>(from)) {
    out.kind = bc::Attribute::I32s;
    out.numbers.assign(numbers.asArrayRef().begin(), numbers.asArrayRef().end());
    return out;
  }
  if (auto bools = dyn_cast<DenseBoolArrayAttr>(from)) {
    out.kind = bc::Attribute::Bools;
    out.numbers.assign(bools.asArrayRef().begin(), bools.asArrayRef().end());
    return out;
  }
  return emitError(location) << sentence(Diag::UnsupportedAttribute, from);
}

FailureOr<std::optional<uint64_t>> AttributeTable::column(Operation *op,
                                                          const bc::AttributeColumn &column) {
  using Some = std::optional<uint64_t>;
  Attribute value = op->getAttr(attributeName(column));
  if (column.form == bc::AttributeForm::Bools && !value) {
    // Without the attribute nothing is promised of any dimension of the tile.
    auto view = cast<ct::TileView>(op->getOperand(isa<ct::StoreViewTkoOp>(op)).getType());
    value =
        DenseBoolArrayAttr::get(op->getContext(), SmallVector<bool>(view.getIndexRank(), false));
  }
  if (!value)
    return Some();
  switch (column.form) {
  case bc::AttributeForm::Unit: return Some(1);
  case bc::AttributeForm::Int:
    return Some(uint64_t(cast<IntegerAttr>(value).getValue().getSExtValue()));
  case bc::AttributeForm::Bool: return Some(cast<BoolAttr>(value).getValue());
  case bc::AttributeForm::String:
    if (auto symbol = dyn_cast<FlatSymbolRefAttr>(value))
      return Some(tables.text(symbol.getValue()));
    return Some(tables.text(cast<StringAttr>(value)));
  case bc::AttributeForm::Type: {
    FailureOr<bc::Index> index = types.index(cast<TypeAttr>(value).getValue(), op->getLoc());
    return failed(index) ? FailureOr<Some>(failure()) : Some(*index);
  }
  case bc::AttributeForm::Constant: {
    FailureOr<bc::Index> index = constant(cast<DenseElementsAttr>(value), op->getLoc());
    return failed(index) ? FailureOr<Some>(failure()) : Some(*index);
  }
  case bc::AttributeForm::Enum: return Some(enumNumber(column, value));
  default: {
    FailureOr<bc::Attribute> made = attribute(value, op->getLoc());
    if (failed(made))
      return failure();
    tables.program.attributes.push_back(std::move(*made));
    return Some(tables.program.attributes.size() - 1);
  }
  }
}

//--- Locations ---

namespace {
StringRef className(LocationAttr from) {
  return TypeSwitch<LocationAttr, StringRef>(from)
      .Case([](FusedLoc) { return "FusedLoc"; })
      .Case([](NameLoc) { return "NameLoc"; })
      .Case([](OpaqueLoc) { return "OpaqueLoc"; })
      .Case([](CallSiteLoc) { return "CallSiteLoc"; })
      .Case([](UnknownLoc) { return "UnknownLoc"; })
      .Case([](FileLineColRange) { return "FileLineColRange"; })
      .Case([](ct::DILocAttr) { return "DILocAttr"; })
      .Default([](LocationAttr) { return "a location of another dialect"; });
}
} // namespace

uint32_t LocationTable::debug(Attribute from) {
  bc::DebugEntry entry;
  auto fill = [&](bc::DebugEntry::Kind kind, std::initializer_list<uint64_t> fields) {
    entry.kind = kind;
    std::copy(fields.begin(), fields.end(), entry.fields.begin());
  };
  TypeSwitch<Attribute>(from)
      .Case([&](ct::DIFileAttr file) {
        fill(bc::DebugEntry::File, {tables.text(file.getName()), tables.text(file.getDirectory())});
      })
      .Case([&](ct::DICompileUnitAttr unit) {
        fill(bc::DebugEntry::CompileUnit, {debug(unit.getFile())});
      })
      .Case([&](ct::DISubprogramAttr function) {
        fill(bc::DebugEntry::Subprogram,
             {debug(function.getFile()), function.getLine(), tables.text(function.getName()),
              tables.text(function.getLinkageName()), debug(function.getCompileUnit()),
              function.getScopeLine()});
      })
      .Case([&](ct::DILexicalBlockAttr block) {
        fill(bc::DebugEntry::LexicalBlock,
             {debug(block.getScope()), debug(block.getFile()), block.getLine(), block.getColumn()});
      });
  return tables.interner.debug(entry);
}

FailureOr<uint32_t> LocationTable::index(Location from) {
  if (isa<UnknownLoc, FileLineColLoc>(from))
    return 0u;
  bc::DebugEntry entry;
  if (auto known = dyn_cast<ct::DILocAttr>(LocationAttr(from))) {
    auto place = dyn_cast<FileLineColLoc>(known.getSourceLoc());
    if (!place)
      return emitError(from) << sentence(Diag::LocationPlace, className(known.getSourceLoc()));
    entry.kind = bc::DebugEntry::Location;
    entry.fields = {debug(known.getScope()), tables.text(place.getFilename()), place.getLine(),
                    place.getColumn()};
    return tables.interner.debug(entry);
  }
  if (auto call = dyn_cast<CallSiteLoc>(from)) {
    FailureOr<uint32_t> callee = index(call.getCallee()), caller = index(call.getCaller());
    if (failed(callee) || failed(caller))
      return failure();
    if (*callee == 0 || *caller == 0)
      return *callee + *caller;
    entry.kind = bc::DebugEntry::CallSite;
    entry.fields = {*callee, *caller};
    return tables.interner.debug(entry);
  }
  return emitError(from) << sentence(Diag::Location, className(from));
}
} // namespace tessera::tile_io
