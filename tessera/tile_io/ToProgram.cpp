// From ops to plain data.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_io/Columns.h"
#include "tessera/tile_io/Diagnostics.h"
#include "tessera/tile_io/TileIo.h"

#include "tessera/tile_bytecode/Constants.h"
#include "tessera/tile_bytecode/Writer.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
namespace tessera::tile_io {
namespace bc = tile_bytecode;
namespace ct = cuda_tile;

namespace {
/// Fills the tables of a program. Members that fail have reported why.
class ProgramMaker {
public:
  explicit ProgramMaker(ct::TileModuleOp module) : module(module), interner(program) {}

  FailureOr<bc::Program> make() {
    program.version = bc::newestVersion;
    if (failed(checkContents()))
      return failure();
    if (std::optional<StringRef> producer = module.getProducer())
      program.producer = text(*producer);
    for (Operation &op : module.getBody().front()) {
      auto global = dyn_cast<ct::GlobalOp>(op);
      if (failed(global ? addGlobal(global) : addEntry(cast<ct::EntryOp>(op))))
        return failure();
    }
    return std::move(program);
  }

private:
  /// Whether bytecode has a place for everything in the module.
  LogicalResult checkContents() {
    auto invalid = [&](Diag what, Operation *op) {
      module.emitError() << sentence(what);
      op->emitRemark() << sentence(Diag::InvalidOp);
      return failure();
    };
    Operation *foreign = nullptr;
    module->walk([&](Operation *op) {
      if (isa_and_nonnull<ct::CudaTileDialect>(op->getDialect()))
        return WalkResult::advance();
      foreign = op;
      return WalkResult::interrupt();
    });
    if (foreign)
      return invalid(Diag::ForeignOp, foreign);
    for (Operation &op : module.getBody().front())
      if (!isa<ct::EntryOp, ct::GlobalOp>(op))
        return invalid(isa<ct::TestingFuncOp>(op) ? Diag::TestFunction : Diag::ModuleBody, &op);
    return success();
  }

  bc::Index text(StringRef string) { return interner.string({string.data(), string.size()}); }

  //--- Types ---

  FailureOr<bc::Index> type(Type from, Location location) {
    if (auto known = types.find(from); known != types.end())
      return known->second;
    FailureOr<bc::Type> made = makeType(from, location);
    if (failed(made))
      return failure();
    return types[from] = interner.type(*made);
  }
  LogicalResult typesOf(TypeRange from, Location location, std::vector<bc::Index> &out) {
    for (Type each : from) {
      FailureOr<bc::Index> index = type(each, location);
      if (failed(index))
        return failure();
      out.push_back(*index);
    }
    return success();
  }
  FailureOr<bc::Type> makeType(Type from, Location location) {
    bc::Type out;
    if (auto element = elementKind(from)) {
      out.kind = *element;
      return out;
    }
    if (isa<ct::TokenType>(from))
      return out;
    if (auto function = dyn_cast<FunctionType>(from)) {
      out.kind = bc::TypeKind::Function;
      if (failed(typesOf(function.getInputs(), location, out.parameters)) ||
          failed(typesOf(function.getResults(), location, out.results)))
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
    FailureOr<bc::Index> element = type(inner, location);
    if (failed(element))
      return failure();
    out.element = *element;
    return out;
  }
  static std::vector<int64_t> extents(ArrayRef<int64_t> from) {
    std::vector<int64_t> out(from.begin(), from.end());
    std::replace(out.begin(), out.end(), ct::TensorViewType::dynamic, bc::dynamic);
    return out;
  }
  template <class View> static void fillView(bc::Type &out, View view) {
    out.shape.assign(view.getTileShape().begin(), view.getTileShape().end());
    if (ct::PaddingValueAttr padding = view.getPaddingValue())
      out.padding = bc::PaddingValue(
          numberOf(bc::keywords::PaddingValue, ct::stringifyPaddingValue(padding.getValue())));
  }

  //--- Attributes ---

  static uint64_t codeOf(const APInt &bits, Type element) {
    uint64_t code = bits.getZExtValue();
    // tf32 are the upper bits of an f32.
    return isa<FloatTF32Type>(element) ? code << (32 - bits.getBitWidth()) : code;
  }
  FailureOr<bc::Index> constant(DenseElementsAttr from, Location location) {
    FailureOr<bc::Index> index = type(from.getType(), location);
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
    return interner.constant(bc::constantBytes(program, codes, program.types[*index]));
  }

  FailureOr<bc::Attribute> dictionary(DictionaryAttr from, bc::Attribute::Kind kind,
                                      Location location) {
    bc::Attribute out;
    out.kind = kind;
    for (NamedAttribute item : from) {
      FailureOr<bc::Attribute> value = attribute(item.getValue(), location);
      if (failed(value))
        return failure();
      out.keys.push_back(text(item.getName()));
      out.items.push_back(std::move(*value));
    }
    return out;
  }
  /// An attribute that carries its own kind.
  FailureOr<bc::Attribute> attribute(Attribute from, Location location) {
    bc::Attribute out;
    auto typed = [&](bc::Attribute::Kind kind, Type ofType,
                     uint64_t value) -> FailureOr<bc::Attribute> {
      FailureOr<bc::Index> index = type(ofType, location);
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
      out.value = text(string);
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
  /// What an instruction has in a column; nothing where the attribute is absent.
  FailureOr<std::optional<uint64_t>> column(Operation *op, const bc::AttributeColumn &column) {
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
        return Some(text(symbol.getValue()));
      return Some(text(cast<StringAttr>(value)));
    case bc::AttributeForm::Type: {
      FailureOr<bc::Index> index = type(cast<TypeAttr>(value).getValue(), op->getLoc());
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
      program.attributes.push_back(std::move(*made));
      return Some(program.attributes.size() - 1);
    }
    }
  }

  //--- Locations ---

  /// The entry of a part of debug information.
  uint32_t debug(Attribute from) {
    bc::DebugEntry entry;
    auto fill = [&](bc::DebugEntry::Kind kind, std::initializer_list<uint64_t> fields) {
      entry.kind = kind;
      std::copy(fields.begin(), fields.end(), entry.fields.begin());
    };
    TypeSwitch<Attribute>(from)
        .Case([&](ct::DIFileAttr file) {
          fill(bc::DebugEntry::File, {text(file.getName()), text(file.getDirectory())});
        })
        .Case([&](ct::DICompileUnitAttr unit) {
          fill(bc::DebugEntry::CompileUnit, {debug(unit.getFile())});
        })
        .Case([&](ct::DISubprogramAttr function) {
          fill(bc::DebugEntry::Subprogram,
               {debug(function.getFile()), function.getLine(), text(function.getName()),
                text(function.getLinkageName()), debug(function.getCompileUnit()),
                function.getScopeLine()});
        })
        .Case([&](ct::DILexicalBlockAttr block) {
          fill(bc::DebugEntry::LexicalBlock, {debug(block.getScope()), debug(block.getFile()),
                                              block.getLine(), block.getColumn()});
        });
    return interner.debug(entry);
  }
  /// The entry of a location; 0 for none. Bytecode cannot hold locations without a scope.
  FailureOr<uint32_t> location(Location from) {
    if (isa<UnknownLoc, FileLineColLoc>(from))
      return 0u;
    bc::DebugEntry entry;
    if (auto known = dyn_cast<ct::DILocAttr>(LocationAttr(from))) {
      auto place = dyn_cast<FileLineColLoc>(known.getSourceLoc());
      if (!place)
        return emitError(from) << sentence(Diag::LocationPlace, className(known.getSourceLoc()));
      entry.kind = bc::DebugEntry::Location;
      entry.fields = {debug(known.getScope()), text(place.getFilename()), place.getLine(),
                      place.getColumn()};
      return interner.debug(entry);
    }
    if (auto call = dyn_cast<CallSiteLoc>(from)) {
      FailureOr<uint32_t> callee = location(call.getCallee()), caller = location(call.getCaller());
      if (failed(callee) || failed(caller))
        return failure();
      if (*callee == 0 || *caller == 0)
        return *callee + *caller;
      entry.kind = bc::DebugEntry::CallSite;
      entry.fields = {*callee, *caller};
      return interner.debug(entry);
    }
    return emitError(from) << sentence(Diag::Location, className(from));
  }
  static StringRef className(LocationAttr from) {
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

  //--- Ops ---

  LogicalResult addGlobal(ct::GlobalOp op) {
    auto value = cast<DenseElementsAttr>(op.getValue());
    FailureOr<bc::Index> index = type(value.getType(), op.getLoc());
    FailureOr<bc::Index> data = constant(value, op.getLoc());
    if (failed(index) || failed(data))
      return failure();
    bc::Global &out = program.globals.emplace_back();
    out.name = text(op.getSymName());
    out.type = *index;
    out.constant = *data;
    out.alignment = op.getAlignment();
    out.visibility = bc::SymbolVisibility(numberOf(
        bc::keywords::SymbolVisibility, ct::stringifySymbolVisibility(op.getSymbolVisibility())));
    out.isConstant = op.getConstant();
    return success();
  }
  LogicalResult addEntry(ct::EntryOp op) {
    bc::Function out;
    out.name = text(op.getSymName());
    FailureOr<bc::Index> signature = type(op.getFunctionType(), op.getLoc());
    FailureOr<uint32_t> place = location(op.getLoc());
    if (failed(signature) || failed(place))
      return failure();
    out.type = *signature;
    out.location = *place;
    if (ct::OptimizationHintsAttr hints = op.getOptimizationHintsAttr()) {
      FailureOr<bc::Attribute> made = attribute(hints, op.getLoc());
      if (failed(made))
        return failure();
      out.hints = std::move(*made);
    }
    values.clear();
    Block &body = op.getBody().front();
    for (Value argument : body.getArguments())
      values.try_emplace(argument, bc::Index(values.size()));
    next = bc::Index(body.getNumArguments());
    hasLocations = out.location != 0;
    if (failed(addBlock(out, body, out.body)))
      return failure();
    out.hasLocations = hasLocations;
    program.functions.push_back(std::move(out));
    return success();
  }
  LogicalResult addBlock(bc::Function &function, Block &from, std::vector<bc::Instruction> &out) {
    for (Operation &op : from)
      if (failed(addInstruction(function, op, out)))
        return failure();
    return success();
  }
  LogicalResult addInstruction(bc::Function &function, Operation &op,
                               std::vector<bc::Instruction> &out) {
    StringRef name = op.getName().stripDialect();
    const bc::OpRow *row = bc::findOpName({name.data(), name.size()});
    assert(row && "ops that only modules have are not in functions");
    FailureOr<uint32_t> place = location(op.getLoc());
    if (failed(place))
      return failure();
    hasLocations |= *place != 0;
    std::vector<bc::Index> results;
    if (failed(typesOf(op.getResultTypes(), op.getLoc(), results)))
      return failure();
    std::vector<std::optional<uint64_t>> attributes;
    for (const bc::AttributeColumn &each : row->attributes) {
      FailureOr<std::optional<uint64_t>> value = column(&op, each);
      if (failed(value))
        return failure();
      attributes.push_back(*value);
    }
    bc::Instruction made = function.make(row->op, results, attributes, operands(op, *row));
    made.location = *place;
    for (Region &region : op.getRegions()) {
      bc::Region &to = made.regions.emplace_back();
      to.hasBlock = !region.empty();
      if (region.empty())
        continue;
      Block &body = region.front();
      bc::Index before = next;
      std::vector<bc::Index> arguments;
      if (failed(typesOf(body.getArgumentTypes(), op.getLoc(), arguments)))
        return failure();
      to.arguments = std::move(arguments);
      for (Value argument : body.getArguments())
        values[argument] = next++;
      if (failed(addBlock(function, body, to.body)))
        return failure();
      next = before;
    }
    for (Value result : op.getResults())
      values[result] = next++;
    out.push_back(std::move(made));
    return success();
  }
  /// The operands by the columns of the row.
  std::vector<std::vector<bc::Index>> operands(Operation &op, const bc::OpRow &row) {
    std::vector<std::vector<bc::Index>> out(row.operands.size());
    SmallVector<size_t> counts(row.operands.size(), 1);
    if (auto segments = op.getAttrOfType<DenseI32ArrayAttr>("operandSegmentSizes")) {
      llvm::copy(segments.asArrayRef(), counts.begin());
    } else {
      // At most one column has a number of operands other than one.
      for (size_t i = 0; i < row.operands.size(); ++i)
        if (row.operands[i].count != bc::OperandColumn::One)
          counts[i] = op.getNumOperands() + 1 - row.operands.size();
    }
    auto operand = op.operand_begin();
    for (auto [column, count] : llvm::zip(out, counts))
      for (size_t i = 0; i < count; ++i)
        column.push_back(values.lookup(*operand++));
    return out;
  }

  ct::TileModuleOp module;
  bc::Program program;
  bc::Interner interner;
  DenseMap<Type, bc::Index> types;
  DenseMap<Value, bc::Index> values;
  bc::Index next = 0;
  bool hasLocations = false;
};
} // namespace

FailureOr<bc::Program> toProgram(ct::TileModuleOp module) { return ProgramMaker(module).make(); }

FailureOr<std::string> writeBytecode(ct::TileModuleOp module, bc::Version version) {
  FailureOr<bc::Program> program = toProgram(module);
  if (failed(program))
    return failure();
  Result<std::string> bytes = bc::write(*program, version);
  if (!bytes)
    return emitError(UnknownLoc::get(module.getContext()), bytes.reason().text);
  return *std::move(bytes);
}

} // namespace tessera::tile_io
