// Values of a program in the forms of level 0 and of a plan, globals, and entries.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_lower/Kernel.h"

#include "tessera/atom/Instructions.h"
#include "tessera/tile_lower/Held.h"
#include "tessera/tile_lower/Once.h"
#include "tessera/tile_lower/Produced.h"
#include "tessera/tile_lower/Rows.h"

#include "mlir/IR/SymbolTable.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tessera::cuda_tile;

namespace tessera::tile_lower {

Kernel::Kernel(gpu::GPUModuleOp module, StringRef arch) : Tiles(module, arch) {
  roundsToTf32 = hasInstruction("cvt.rn.tf32.f32");
}
Kernel::~Kernel() = default;

void Kernel::discard() {
  function.erase();
  if (produced)
    produced->discard();
}

bool Kernel::hasInstruction(StringRef mnemonic) const {
  Result<atom::Target> target = atom::Target::parse(std::string(arch));
  return target && atom::hasInstruction(*target, mnemonic);
}

//===--- Forms of values

ThreadTile Kernel::newTile(Type tileType) {
  return newTile(elementOf(tileType), countOf(tileType));
}

ThreadTile Kernel::newTileFor(Value value) {
  const BitLayout *layout = plan ? plan->layoutOf(value) : nullptr;
  if (!layout)
    return newTile(value.getType());
  ThreadTile tile{.element = cuda_tile::elementOf(value.getType()),
                  .count = countOf(value.getType()),
                  .layout = *layout};
  tile.registers.resize(size_t(layout->registerCount()));
  return tile;
}

void Kernel::define(Value value, ThreadTile tile) {
  if (tile.array)
    valuesIn[tile.array].push_back(value);
  tiles[value] = std::move(tile);
}
void Kernel::alias(Value value, Value of) {
  if (auto held = tiles.find(of); held != tiles.end()) {
    ThreadTile copy = held->second;
    define(value, std::move(copy));
  } else if (auto seen = views.find(of); seen != views.end()) {
    auto copy = seen->second;
    views[value] = std::move(copy);
  }
}

std::string nameOfGlobal(StringRef name) {
  std::string out = "tile.global.";
  for (char c : name) // any characters in the program, those of PTX here, no two names the same
    out += llvm::isAlnum(c) || c == '_' ? std::string(1, c) : "$" + llvm::toHex(StringRef(&c, 1));
  return out;
}

void makeGlobals(TileModuleOp program, gpu::GPUModuleOp module, StringRef arch) {
  for (auto global : program.getOps<GlobalOp>()) {
    auto values = cast<DenseElementsAttr>(global.getValue());
    Kernel(module, arch)
        .constantArray(nameOfGlobal(global.getSymName()), elementOf(values.getType()), values,
                       int64_t(global.getAlignment()));
  }
}

ThreadTile Kernel::inLayout(Value value, const BitLayout &layout) {
  auto iota = value.getDefiningOp<IotaOp>();
  if (!iota || held(value).isScalar())
    return inLayout(held(value), layout);
  Type element = elementOf(value.getType());
  ThreadTile out{.element = element, .count = countOf(value.getType()), .layout = layout};
  for (Value number : elementsOf(layout))
    out.registers.push_back(resize(number, element, false));
  return out;
}

ThreadTile Kernel::asPlanned(Value value, const ThreadTile &tile) {
  const BitLayout *layout = plan->layoutOf(value);
  return layout ? inLayout(tile, *layout) : simple(tile);
}

void Kernel::settle(Operation *op) {
  settled.clear();
  for (Value operand : op->getOperands())
    if (auto found = tiles.find(operand); found != tiles.end()) {
      ThreadTile form = simple(found->second);
      settled[operand] = std::move(form);
    }
}
void Kernel::adopt(Operation *op) {
  settled.clear();
  for (Value result : op->getResults())
    if (auto found = tiles.find(result); found != tiles.end()) {
      ThreadTile form = asPlanned(result, found->second);
      define(result, std::move(form));
    }
}

//===--- Arrays

/// Whether an op after this one in its block, or in a region of one, reads a value.
static bool isReadAfter(Value value, Operation *op) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    Operation *inBlock = op->getBlock()->findAncestorOpInBlock(*user);
    return inBlock && op->isBeforeInBlock(inBlock);
  });
}
// What an op made in its regions ends with it, so values of the op's own block are all to ask for.
void Kernel::giveBackAfter(Operation *op, size_t first) {
  for (size_t i = arraysInUse.size(); i-- > first;) {
    SmallVector<Value, 2> &values = valuesIn[arraysInUse[i]];
    if (llvm::any_of(values, [&](Value value) {
          return value.getParentBlock() == op->getBlock() && isReadAfter(value, op);
        }))
      continue;
    values.clear();
    giveBack(i);
  }
}

//===--- Entries

/// The line of the source. Places of tile programs are in scopes and at call sites of their own
/// kind, which LLVM's translation does not know.
static Location placeOf(Location location) {
  if (auto line = location->findInstanceOf<FileLineColLoc>())
    return line;
  return UnknownLoc::get(location.getContext());
}

LogicalResult Kernel::lowerBlock(Block &block) {
  int64_t topBefore = sharedTop; // what loads of the block leave in shared memory ends with it
  size_t arraysBefore = arraysInUse.size();
  for (Operation &op : block) {
    if (KeptTiles *loops = onceFrom(*this, op); loops && failed(lowerOnce(*this, op, *loops)))
      return failure();
    if (failed(lowerOne(op)))
      return failure();
    giveBackAfter(&op, arraysBefore);
  }
  sharedTop = topBefore;
  return success();
}

LogicalResult Kernel::lowerOne(Operation &op) {
  loc = placeOf(op.getLoc());
  for (Type type : op.getResultTypes())
    if (auto tile = dyn_cast<TileType>(type); tile && countOf(type) > mostElements)
      return refuse(&op, Diag::TileTooLarge, countOf(type), mostElements);
  auto also = [&](const auto &works) {
    for (const auto &work : works.lookup(&op))
      work();
  };
  also(before);
  if (failed(lowerOp(*this, &op)))
    return failure();
  also(after);
  return success();
}

LogicalResult Kernel::lower(EntryOp entry, int level) {
  entry.walk([&](AllocaOp) { hasOwnMemory = true; });
  if (level > 0) {
    plan = Plan::make(entry, arch);
    threads = int64_t(1) << plan->threadBits;
    scratch = plan->scratchBytes;
    kept = keptTiles(entry, *plan);
  }
  SmallVector<Type> parameters;
  for (Type type : entry.getArgumentTypes())
    parameters.push_back(memoryType(elementOf(type)));
  loc = placeOf(entry.getLoc());
  b.setInsertionPointToEnd(module.getBody());
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), parameters);
  function = make<LLVM::LLVMFuncOp>(entry.getSymName(), type);
  function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  // Callers launch blocks of one thread: the driver takes the number of threads from here.
  int64_t all = threads + (plan && plan->producer() ? plan->producer()->threads() : 0);
  function->setAttr("nvvm.reqntid", b.getDenseI32ArrayAttr({int32_t(all), 1, 1}));
  if (int64_t blocks = !plan                           ? 0
                       : plan->blocksPerMultiprocessor ? plan->blocksPerMultiprocessor
                                                       : blocksOfRows(entry, *plan, kept))
    function->setAttr("nvvm.minctasm", b.getI32IntegerAttr(int32_t(blocks)));
  Block *body = function.addEntryBlock(b);
  // Arrays are made in a block of their own, before all other code.
  Block *start = b.createBlock(&function.getBody());
  goTo(body);
  branch(start);
  goTo(start);
  thread = specialRegister("tid.x");
  for (auto [argument, parameter] :
       llvm::zip(entry.getBody().getArguments(), body->getArguments())) {
    Type element = elementOf(argument.getType());
    define(argument, ThreadTile{.element = element,
                                .count = 1,
                                .registers = {fromMemory(*this, element, parameter)}});
  }
  if (plan && plan->producer()) {
    produced = std::make_unique<Produced>(*this, *plan->producer());
    produced->begin(entry);
  }
  if (failed(lowerBlock(entry.getBody().front())))
    return failure();
  // Code after an endless loop: conversions skip unreachable blocks.
  IRRewriter rewriter(b);
  (void)eraseUnreachableBlocks(rewriter, function->getRegions());
  if (localUsed() > mostLocal)
    return refuse(entry, Diag::LocalMemory, localUsed(), mostLocal);
  if (plan && sharedUsed() > plan->sharedLimit)
    return failure();
  sizeShared();
  return success();
}

} // namespace tessera::tile_lower
