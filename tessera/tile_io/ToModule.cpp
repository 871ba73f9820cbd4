// From plain data to ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_io/Columns.h"
#include "tessera/tile_io/Diagnostics.h"
#include "tessera/tile_io/TileIo.h"

#include "tessera/tile_bytecode/Constants.h"
#include "tessera/tile_bytecode/Reader.h"
#include "tessera/tile_bytecode/TypeRules.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
namespace tessera::tile_io {
namespace bc = tile_bytecode;
namespace ct = cuda_tile;

namespace {
/// Makes the ops; each member that returns null or fails has reported why.
class ModuleMaker {
public:
  ModuleMaker(const bc::Program &program, MLIRContext &context)
      : program(program), context(context), builder(&context), unknown(UnknownLoc::get(&context)),
        types(program.types.size()), locations(program.debug.size() + 1) {}

  OwningOpRef<ct::TileModuleOp> module() {
    OwningOpRef<ct::TileModuleOp> made = ct::TileModuleOp::create(
        builder, unknown, builder.getStringAttr("kernels"),
        program.producer == bc::noIndex ? StringAttr() : text(program.producer));
    Block &body = made->getBody().emplaceBlock();
    builder.setInsertionPointToEnd(&body);
    for (const bc::Global &each : program.globals)
      if (failed(global(each)))
        return {};
    for (const bc::Function &each : program.functions) {
      builder.setInsertionPointToEnd(&body);
      if (failed(entry(each)))
        return {};
    }
    return made;
  }

private:
  StringAttr text(bc::Index string) { return builder.getStringAttr(program.text(string)); }

  //--- Types ---

  Type type(bc::Index index) {
    if (!types[index])
      types[index] = makeType(program.type(index));
    return types[index];
  }
  LogicalResult typesOf(ArrayRef<bc::Index> indices, SmallVectorImpl<Type> &out) {
    for (bc::Index index : indices) {
      out.push_back(type(index));
      if (!out.back())
        return failure();
    }
    return success();
  }
  static SmallVector<int64_t> extents(ArrayRef<int64_t> from) {
    SmallVector<int64_t> out(from);
    llvm::replace(out, bc::dynamic, ct::TensorViewType::dynamic);
    return out;
  }
  Type makeType(const bc::Type &data) {
    auto report = [&] { return emitError(unknown); };
    if (bc::isElement(data.kind))
      return elementType(data.kind, context);
    if (data.kind == bc::TypeKind::Token)
      return ct::TokenType::get(&context);
    if (data.kind == bc::TypeKind::Function) {
      SmallVector<Type> parameters, results;
      if (failed(typesOf(data.parameters, parameters)) || failed(typesOf(data.results, results)))
        return {};
      return FunctionType::get(&context, parameters, results);
    }
    Type element = type(data.element);
    if (!element)
      return {};
    if (data.kind == bc::TypeKind::Pointer)
      return ct::PointerType::getChecked(report, &context, element);
    if (data.kind == bc::TypeKind::Tile)
      return ct::TileType::getChecked(report, &context, ArrayRef<int64_t>(data.shape), element);
    if (data.kind == bc::TypeKind::TensorView) {
      SmallVector<int64_t> shape = extents(data.shape), strides = extents(data.strides);
      return ct::TensorViewType::getChecked(report, &context, element, ArrayRef<int64_t>(shape),
                                            ArrayRef<int64_t>(strides));
    }
    auto tensor = cast<ct::TensorViewType>(element);
    SmallVector<int32_t> shapeNumbers(data.shape.begin(), data.shape.end());
    SmallVector<int32_t> strideNumbers(data.strides.begin(), data.strides.end());
    ArrayRef<int32_t> shape = shapeNumbers, strides = strideNumbers, dims = data.dims;
    ct::PaddingValueAttr padding;
    if (data.padding)
      padding =
          ct::PaddingValueAttr::get(&context, *ct::symbolizePaddingValue(keyword(*data.padding)));
    if (data.kind == bc::TypeKind::PartitionView)
      return ct::PartitionViewType::getChecked(report, &context, shape, tensor, dims, padding);
    if (data.kind == bc::TypeKind::StridedView)
      return ct::StridedViewType::getChecked(report, &context, shape, strides, tensor, dims,
                                             padding);
    return ct::GatherScatterViewType::getChecked(report, &context, shape, tensor,
                                                 int32_t(data.sparseDim), padding);
  }

  //--- Attributes ---

  /// The value of `constant` or `global`. MLIR has no literals of f8E5M3FNU: theirs are bytes.
  DenseElementsAttr constant(bc::Index typeIndex, bc::Index constantIndex) {
    auto shaped = dyn_cast_or_null<ct::TileType>(type(typeIndex));
    if (shaped && isa<ct::Float8E5M3FNUType>(shaped.getElementType()))
      shaped = ct::TileType::get(shaped.getShape(), builder.getI8Type());
    if (!shaped || !isa<IntegerType, FloatType>(shaped.getElementType())) {
      emitError(unknown) << sentence(Diag::ConstantType, type(typeIndex));
      return {};
    }
    const bc::Type &tile = program.type(typeIndex);
    bc::TypeKind kind = program.type(tile.element).kind;
    bc::Type single = tile;
    // A constant of one element fills a tile of any size.
    bool splat = program.constants[constantIndex].size() == bc::constantBytes(kind) &&
                 (kind != bc::TypeKind::I1 || isSplatByte(program.constants[constantIndex]));
    if (splat)
      single.shape.clear();
    SmallVector<APInt> bits;
    for (uint64_t code : bc::constantCodes(program, constantIndex, single))
      bits.push_back(numberOf(shaped.getElementType(), code));
    if (isa<IntegerType>(shaped.getElementType()))
      return DenseElementsAttr::get(shaped, bits);
    SmallVector<APFloat> floats;
    for (const APInt &each : bits)
      floats.emplace_back(cast<FloatType>(shaped.getElementType()).getFloatSemantics(), each);
    return DenseElementsAttr::get(shaped, floats);
  }
  static bool isSplatByte(std::string_view bytes) {
    return bytes == "\xff" || bytes == std::string_view("\0", 1);
  }
  /// The bits of an element as MLIR has them: tf32 are the upper 19 bits of an f32.
  static APInt numberOf(Type element, uint64_t code) {
    unsigned width = element.getIntOrFloatBitWidth();
    if (isa<FloatTF32Type>(element))
      code >>= 32 - width;
    return APInt(width, code, /*isSigned=*/false, /*implicitTrunc=*/true);
  }

  Attribute dictionaryValue(const bc::Attribute &data) {
    NamedAttrList list;
    for (auto [key, item] : llvm::zip(data.keys, data.items)) {
      Attribute value = attribute(item);
      if (!value)
        return {};
      list.set(program.text(key), value);
    }
    return list.getDictionary(&context);
  }
  /// An attribute that carries its own kind.
  Attribute attribute(const bc::Attribute &data) {
    switch (data.kind) {
    case bc::Attribute::Integer: {
      Type integer = type(data.type);
      return integer ? IntegerAttr::get(integer, numberOf(integer, data.value)) : Attribute();
    }
    case bc::Attribute::Float: {
      auto real = dyn_cast_or_null<FloatType>(type(data.type));
      if (!real) {
        emitError(unknown) << sentence(Diag::NumberType, type(data.type));
        return {};
      }
      APInt bits(real.getWidth(), data.value, /*isSigned=*/false, /*implicitTrunc=*/true);
      return FloatAttr::get(real, APFloat(real.getFloatSemantics(), bits));
    }
    case bc::Attribute::Bool: return builder.getBoolAttr(data.value);
    case bc::Attribute::Type: {
      Type value = type(data.type);
      return value ? TypeAttr::get(value) : Attribute();
    }
    case bc::Attribute::String: return text(bc::Index(data.value));
    case bc::Attribute::Array: {
      SmallVector<Attribute> items;
      for (const bc::Attribute &item : data.items)
        if (!items.emplace_back(attribute(item)))
          return {};
      return builder.getArrayAttr(items);
    }
    case bc::Attribute::DenseElements: return constant(data.type, bc::Index(data.value));
    case bc::Attribute::DivBy:
      return ct::DivByAttr::get(&context, data.value, data.first, data.second);
    case bc::Attribute::SameElements: return ct::SameElementsAttr::get(&context, data.numbers);
    case bc::Attribute::Bounded: return ct::BoundedAttr::get(&context, data.first, data.second);
    case bc::Attribute::Dictionary: return dictionaryValue(data);
    case bc::Attribute::OptimizationHints: {
      Attribute value = dictionaryValue(data);
      return value ? ct::OptimizationHintsAttr::get(&context, cast<DictionaryAttr>(value))
                   : Attribute();
    }
    case bc::Attribute::I32s:
      return builder.getDenseI32ArrayAttr(
          SmallVector<int32_t>(data.numbers.begin(), data.numbers.end()));
    case bc::Attribute::Bools:
      return builder.getDenseBoolArrayAttr(
          SmallVector<bool>(data.numbers.begin(), data.numbers.end()));
    }
    return {};
  }
  /// The attribute of a column of an instruction.
  Attribute attribute(const bc::Instruction &instruction, const bc::AttributeColumn &column,
                      uint64_t value, ArrayRef<bc::Index> results) {
    switch (column.form) {
    case bc::AttributeForm::Unit: return builder.getUnitAttr();
    case bc::AttributeForm::Int: {
      // Dimensions of reduce and scan have 32 bits, all other numbers 64.
      bool narrow = instruction.op == bc::Op::Reduce || instruction.op == bc::Op::Scan;
      return builder.getIntegerAttr(builder.getIntegerType(narrow ? 32 : 64), int64_t(value));
    }
    case bc::AttributeForm::Bool: return builder.getBoolAttr(value);
    case bc::AttributeForm::String:
      if (instruction.op == bc::Op::GetGlobal)
        return FlatSymbolRefAttr::get(text(bc::Index(value)));
      return text(bc::Index(value));
    case bc::AttributeForm::Type: {
      Type named = type(bc::Index(value));
      return named ? TypeAttr::get(named) : Attribute();
    }
    case bc::AttributeForm::Constant: return constant(results.front(), bc::Index(value));
    case bc::AttributeForm::Enum: return enumAttribute(column, value, context);
    default: return attribute(program.attributes[value]);
    }
  }

  //--- Locations ---

  /// The entry of a location; null for none.
  Attribute debug(uint64_t location) {
    if (location == 0)
      return {};
    Attribute &made = locations[location];
    if (made)
      return made;
    const bc::DebugEntry &entry = program.debug[location - 1];
    const auto &f = entry.fields;
    auto number = [&](size_t i) { return unsigned(f[i]); };
    auto string = [&](size_t i) { return text(bc::Index(f[i])); };
    switch (entry.kind) {
    case bc::DebugEntry::Empty: break;
    case bc::DebugEntry::CompileUnit:
      if (auto file = dyn_cast_or_null<ct::DIFileAttr>(debug(f[0])))
        made = ct::DICompileUnitAttr::get(&context, file);
      break;
    case bc::DebugEntry::File: made = ct::DIFileAttr::get(&context, string(0), string(1)); break;
    case bc::DebugEntry::LexicalBlock: {
      Attribute scope = debug(f[0]);
      auto file = dyn_cast_or_null<ct::DIFileAttr>(debug(f[1]));
      if (isa_and_nonnull<ct::DISubprogramAttr, ct::DILexicalBlockAttr>(scope) && file)
        made = ct::DILexicalBlockAttr::get(&context, scope, file, number(2), number(3));
      break;
    }
    case bc::DebugEntry::Location: {
      Attribute scope = debug(f[0]);
      if (isa_and_nonnull<ct::DISubprogramAttr, ct::DILexicalBlockAttr>(scope))
        made = ct::DILocAttr::get(&context, FileLineColLoc::get(string(1), number(2), number(3)),
                                  scope);
      break;
    }
    case bc::DebugEntry::Subprogram: {
      auto file = dyn_cast_or_null<ct::DIFileAttr>(debug(f[0]));
      auto unit = dyn_cast_or_null<ct::DICompileUnitAttr>(debug(f[4]));
      if (file && unit)
        made = ct::DISubprogramAttr::get(&context, file, number(1), string(2), string(3), unit,
                                         number(5));
      break;
    }
    case bc::DebugEntry::CallSite: made = CallSiteLoc::get(place(f[0]), place(f[1])); break;
    }
    return made;
  }
  Location place(uint64_t location) {
    auto known = dyn_cast_or_null<LocationAttr>(debug(location));
    return known ? Location(known) : unknown;
  }

  //--- Ops ---

  LogicalResult global(const bc::Global &data) {
    DenseElementsAttr value = constant(data.type, data.constant);
    if (!value)
      return failure();
    if (value.getType() != type(data.type)) {
      emitError(unknown) << sentence(Diag::ConstantType, type(data.type));
      return failure();
    }
    ct::GlobalOp::create(builder, unknown, text(data.name), value,
                         builder.getI64IntegerAttr(int64_t(data.alignment)),
                         ct::SymbolVisibilityAttr::get(
                             &context, *ct::symbolizeSymbolVisibility(keyword(data.visibility))),
                         data.isConstant ? builder.getUnitAttr() : UnitAttr());
    return success();
  }
  LogicalResult entry(const bc::Function &data) {
    auto signature = cast_or_null<FunctionType>(type(data.type));
    if (!signature)
      return failure();
    ct::OptimizationHintsAttr hints;
    if (data.hints) {
      hints = cast_or_null<ct::OptimizationHintsAttr>(attribute(*data.hints));
      if (!hints)
        return failure();
    }
    auto made = ct::EntryOp::create(builder, place(data.location), text(data.name),
                                    TypeAttr::get(signature), ArrayAttr(), ArrayAttr(), hints);
    Block &body = made.getBody().emplaceBlock();
    values.clear();
    for (Type parameter : signature.getInputs())
      values.push_back(body.addArgument(parameter, made.getLoc()));
    return block(data, data.body, body);
  }
  LogicalResult block(const bc::Function &function, const std::vector<bc::Instruction> &body,
                      Block &into) {
    for (const bc::Instruction &each : body) {
      builder.setInsertionPointToEnd(&into);
      if (failed(instruction(function, each)))
        return failure();
    }
    return success();
  }
  LogicalResult instruction(const bc::Function &function, const bc::Instruction &data) {
    const bc::OpRow &row = bc::rowOf(data.op);
    OperationState state(place(data.location), opName(row));
    ArrayRef<bc::Index> results(function.results(data).data(), data.results);
    if (failed(typesOf(results, state.types)))
      return failure();
    for (size_t i = 0; i < row.attributes.size(); ++i) {
      const bc::AttributeColumn &column = row.attributes[i];
      if (!bc::Function::has(data, i) ||
          (column.form == bc::AttributeForm::Unit && !function.attribute(data, i)))
        continue;
      Attribute value = attribute(data, column, function.attribute(data, i), results);
      if (!value)
        return failure();
      // Flags that are all false promise nothing: the attribute is left out.
      auto bools = dyn_cast<DenseBoolArrayAttr>(value);
      if (bools && !llvm::is_contained(bools.asArrayRef(), true))
        continue;
      state.addAttribute(attributeName(column), value);
    }
    for (bc::Index operand : function.operands(data))
      state.operands.push_back(values[operand]);
    if (state.name.hasTrait<OpTrait::AttrSizedOperandSegments>()) {
      auto counts = function.operandCounts(data);
      state.addAttribute("operandSegmentSizes", builder.getDenseI32ArrayAttr(SmallVector<int32_t>(
                                                    counts.begin(), counts.end())));
    }
    for (size_t i = 0; i < data.regions.size(); ++i)
      state.addRegion();
    Type declared = state.types.empty() ? Type() : state.types.front();
    auto value = dyn_cast_or_null<DenseElementsAttr>(state.attributes.get("value"));
    if (data.op == bc::Op::Constant && value)
      state.types.front() = value.getType();
    Operation *op = builder.create(state);
    simplifyRounding(op);
    if (data.op == bc::Op::Constant && op->getResult(0).getType() != declared)
      op = ct::BitcastOp::create(builder, op->getLoc(), declared, op->getResult(0));
    for (auto [from, to] : llvm::zip(data.regions, op->getRegions())) {
      if (!from.hasBlock)
        continue;
      size_t before = values.size();
      Block &body = to.emplaceBlock();
      for (bc::Index argument : from.arguments) {
        Type known = type(argument);
        if (!known)
          return failure();
        values.push_back(body.addArgument(known, op->getLoc()));
      }
      if (failed(block(function, from.body, body)))
        return failure();
      values.resize(before);
    }
    values.append(op->result_begin(), op->result_end());
    return success();
  }

  /// Roundings that cuTile Python writes and the dialect does not have, as others of equal effect.
  static void simplifyRounding(Operation *op) {
    // x // y of unsigned numbers is rounded down, which the dialect has for signed ones.
    if (auto divide = dyn_cast<ct::DivIOp>(op);
        divide && divide.getSignedness() == ct::Signedness::Unsigned &&
        divide.getRounding() == ct::RoundingMode::NegativeInf)
      divide.setRounding(ct::RoundingMode::Zero);
    // A conversion that rounds nothing has any direction. Its types have not been verified.
    auto convert = dyn_cast<ct::FToFOp>(op);
    if (!convert || op->getNumOperands() != 1 || op->getNumResults() != 1)
      return;
    auto from = dyn_cast<ct::TileType>(op->getOperand(0).getType());
    auto to = dyn_cast<ct::TileType>(op->getResult(0).getType());
    if (from && to && ct::widens(from.getElementType(), to.getElementType()) &&
        bc::isDirected(bc::RoundingMode(convert.getRoundingMode())))
      convert.setRoundingMode(ct::RoundingMode::NearestEven);
  }

  const bc::Program &program;
  MLIRContext &context;
  OpBuilder builder;
  Location unknown;
  std::vector<Type> types;
  std::vector<Attribute> locations; // by the number of their entry
  SmallVector<Value> values;
};
} // namespace

OwningOpRef<ct::TileModuleOp> toModule(const bc::Program &program, MLIRContext &context) {
  context.loadDialect<ct::CudaTileDialect>();
  return ModuleMaker(program, context).module();
}
OwningOpRef<ct::TileModuleOp> readBytecode(std::span<const std::byte> file, MLIRContext &context) {
  Result<bc::Program> program = bc::read(file);
  if (!program) {
    emitError(UnknownLoc::get(&context), program.reason().text);
    return {};
  }
  return toModule(*program, context);
}

} // namespace tessera::tile_io
