// From ops to plain data.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_io/Columns.h"
#include "tessera/tile_io/Diagnostics.h"
#include "tessera/tile_io/ProgramTables.h"
#include "tessera/tile_io/TileIo.h"

#include "tessera/tile_bytecode/Writer.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
namespace tessera::tile_io {
namespace bc = tile_bytecode;
namespace ct = cuda_tile;

namespace {
/// Makes the functions of a program. Members that fail have reported why.
class FunctionMaker {
public:
  FunctionMaker(ProgramTables &tables, TypeTable &types, AttributeTable &attributes)
      : tables(tables), types(types), attributes(attributes), locations(tables) {}

  /// Adds it to the program.
  LogicalResult add(ct::EntryOp op) {
    bc::Function out;
    out.name = tables.text(op.getSymName());
    FailureOr<bc::Index> signature = types.index(op.getFunctionType(), op.getLoc());
    FailureOr<uint32_t> place = locations.index(op.getLoc());
    if (failed(signature) || failed(place))
      return failure();
    out.type = *signature;
    out.location = *place;
    if (ct::OptimizationHintsAttr hints = op.getOptimizationHintsAttr()) {
      FailureOr<bc::Attribute> made = attributes.attribute(hints, op.getLoc());
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
    tables.program.functions.push_back(std::move(out));
    return success();
  }

private:
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
    FailureOr<uint32_t> place = locations.index(op.getLoc());
    if (failed(place))
      return failure();
    hasLocations |= *place != 0;
    std::vector<bc::Index> results;
    if (failed(types.append(op.getResultTypes(), op.getLoc(), results)))
      return failure();
    std::vector<std::optional<uint64_t>> columns;
    for (const bc::AttributeColumn &each : row->attributes) {
      FailureOr<std::optional<uint64_t>> value = attributes.column(&op, each);
      if (failed(value))
        return failure();
      columns.push_back(*value);
    }
    bc::Instruction made = function.make(row->op, results, columns, operands(op, *row));
    made.location = *place;
    for (Region &region : op.getRegions()) {
      bc::Region &to = made.regions.emplace_back();
      to.hasBlock = !region.empty();
      if (region.empty())
        continue;
      Block &body = region.front();
      bc::Index before = next;
      std::vector<bc::Index> arguments;
      if (failed(types.append(body.getArgumentTypes(), op.getLoc(), arguments)))
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

  ProgramTables &tables;
  TypeTable &types;
  AttributeTable &attributes;
  LocationTable locations;
  DenseMap<Value, bc::Index> values; // of the function, by number
  bc::Index next = 0;
  bool hasLocations = false;
};

/// Makes the program of a module. Members that fail have reported why.
class ProgramMaker {
public:
  explicit ProgramMaker(ct::TileModuleOp module) : module(module) {}

  FailureOr<bc::Program> make() {
    tables.program.version = bc::newestVersion;
    if (failed(checkContents()))
      return failure();
    if (std::optional<StringRef> producer = module.getProducer())
      tables.program.producer = tables.text(*producer);
    for (Operation &op : module.getBody().front()) {
      auto global = dyn_cast<ct::GlobalOp>(op);
      if (failed(global ? addGlobal(global) : functions.add(cast<ct::EntryOp>(op))))
        return failure();
    }
    return std::move(tables.program);
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

  LogicalResult addGlobal(ct::GlobalOp op) {
    auto value = cast<DenseElementsAttr>(op.getValue());
    FailureOr<bc::Index> index = types.index(value.getType(), op.getLoc());
    FailureOr<bc::Index> data = attributes.constant(value, op.getLoc());
    if (failed(index) || failed(data))
      return failure();
    bc::Global &out = tables.program.globals.emplace_back();
    out.name = tables.text(op.getSymName());
    out.type = *index;
    out.constant = *data;
    out.alignment = op.getAlignment();
    out.visibility = bc::SymbolVisibility(numberOf(
        bc::keywords::SymbolVisibility, ct::stringifySymbolVisibility(op.getSymbolVisibility())));
    out.isConstant = op.getConstant();
    return success();
  }

  ct::TileModuleOp module;
  ProgramTables tables;
  TypeTable types{tables};
  AttributeTable attributes{tables, types};
  FunctionMaker functions{tables, types, attributes};
};
} // namespace

FailureOr<bc::Program> toProgram(ct::TileModuleOp module) { return ProgramMaker(module).make(); }

/// Where in the module that is which the writer refused; nowhere where it is a type.
static Location placeOf(ct::TileModuleOp module, const bc::WriteFault &fault) {
  Location place = UnknownLoc::get(module.getContext());
  bc::Index functions = 0, globals = 0, instructions = 0;
  for (Operation &op : module.getBody().front())
    if (isa<ct::GlobalOp>(op)) {
      if (globals++ == fault.global)
        return op.getLoc();
    } else if (functions++ == fault.function) {
      place = op.getLoc();
      op.getRegion(0).walk<WalkOrder::PreOrder>([&](Operation *inner) {
        if (instructions++ != fault.instruction)
          return WalkResult::advance();
        place = inner->getLoc();
        return WalkResult::interrupt();
      });
    }
  return place;
}

FailureOr<std::string> writeBytecode(ct::TileModuleOp module, bc::Version version) {
  FailureOr<bc::Program> program = toProgram(module);
  if (failed(program))
    return failure();
  bc::WriteFault fault;
  Result<std::string> bytes = bc::write(*program, version, &fault);
  if (!bytes)
    return emitError(placeOf(module, fault), bytes.reason().text);
  return *std::move(bytes);
}

} // namespace tessera::tile_io
