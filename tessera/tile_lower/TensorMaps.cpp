// Tensor maps in global memory, made by the block that uses them. PTX ISA 9.7.9.27 and 9.7.13.17.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_lower/TensorMaps.h"

#include "tessera/atom/AddressSpace.h"
#include "tessera/atom/Occupancy.h"
#include "tessera/tile_lower/Planned.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tessera::cuda_tile;

namespace tessera::tile_lower {

namespace {
constexpr int64_t wordBytes = 4, allLanes = -1;
constexpr int64_t mostMultiprocessors = 144; // of a GH100 die, of which GPUs have up to 132
} // namespace

/// How many bytes TMA writes, including zeros outside of the tensor.
int64_t TensorMaps::bytesOf(const Staging &staging) {
  Type tile = staging.tile();
  return countOf(tile) * memoryBytes(elementOf(tile));
}

//===--- Slots

LLVM::GlobalOp TensorMaps::array(StringRef stem, int64_t words, uint64_t alignment) {
  auto type = RankedTensorType::get(words, k.i32);
  OpBuilder::InsertionGuard guard(k.b);
  k.b.setInsertionPointToStart(k.module.getBody());
  constexpr unsigned globalSpace = unsigned(atom::AddressSpace::Gmem);
  return k.make<LLVM::GlobalOp>(
      LLVM::LLVMArrayType::get(k.i32, unsigned(words)),
      /*isConstant=*/false, LLVM::Linkage::Internal, (k.name() + stem).str(),
      DenseElementsAttr::get(type, k.b.getI32IntegerAttr(0)), alignment, globalSpace);
}
void TensorMaps::discard() {
  for (LLVM::GlobalOp global : {flags, slots})
    if (global)
      global.erase();
}
Value TensorMaps::addressOf(LLVM::GlobalOp global, Value offset) {
  Value start = k.make<LLVM::PtrToIntOp>(k.i64, k.make<LLVM::AddressOfOp>(global));
  return k.add(start, k.resize(offset, k.i64, false));
}

/// Run by one thread: asks for a slot, and returns what its flag was before.
Value TensorMaps::askFor(Value slot) {
  return k.memoryPtx("atom.acquire.gpu.global.exch.b32 $0, [$1], 1;", "=r,l",
                     {addressOf(flags, k.mul(slot, wordBytes))}, 1)[0];
}
void TensorMaps::release() {
  k.memoryPtx("st.release.gpu.global.b32 [$0], $1;", "l,r", {flag, k.int32(0)}, 0);
}

//===--- Maps

/// Run by one thread: sets the fields of a map whose image is all zeros.
void TensorMaps::describe(const Staging &staging, Value image) {
  auto load = cast<LoadViewTkoOp>(staging.load);
  const TensorView view = k.view(load.getView().getDefiningOp()->getOperand(0));
  auto dimensions = dimensionsOf(load.getView().getType(), shapeOf(load.getTile().getType()));
  const Boxes &boxes = *staging.boxes;
  int64_t bytes = memoryBytes(elementOf(load.getTile().getType()));
  auto replace = [&](StringRef field, Value value, std::optional<size_t> mode = {}) {
    bool isWide = value.getType() == k.i64;
    std::string text =
        cat("tensormap.replace.tile.", std::string_view(field), ".shared::cta.b1024.",
            isWide ? "b64" : "b32", " [$0]", mode ? cat(", ", *mode) : "", ", $1;");
    k.memoryPtx(text, isWide ? "r,l" : "r,r", {image, value}, 0);
  };
  // Fields whose values PTX enumerates take only constants.
  auto choose = [&](StringRef field, int64_t value) {
    k.memoryPtx(cat("tensormap.replace.tile.", std::string_view(field), ".shared::cta.b1024.b32",
                    " [$0], ", value, ";"),
                "r", {image}, 0);
  };
  replace("global_address", view.base);
  replace("rank", k.int32(int64_t(boxes.dimensions.size()) - 1));
  for (auto [mode, d] : llvm::enumerate(boxes.dimensions)) {
    size_t ofTensor = dimensions[d].ofTensor;
    Value extent = k.resize(view.shape[ofTensor], k.i32, false);
    replace("box_dim", k.int32(boxes.extents[mode]), mode);
    // No extent may be 0: copies of such a tensor are outside of it all the same (`copy`).
    replace("global_dim", k.select(k.equal(extent, 0), k.int32(1), extent), mode);
    if (mode)
      replace("global_stride", k.mul(view.strides[ofTensor], bytes), mode - 1);
    replace("element_stride", k.int32(1), mode);
  }
  constexpr int64_t tf32 = 11;
  // u8, u16, u32: bits are copied as they are.
  choose("elemtype", staging.isRounded ? tf32 : log2Of(bytes));
  choose("interleave_layout", 0);
  choose("swizzle_mode", staging.swizzle.bits);
  choose("fill_mode", 0); // zeros
}

void TensorMaps::make(int64_t images) {
  Result<atom::Target> target = atom::Target::parse(k.arch.str());
  int64_t each = std::max<int64_t>(
      1, atom::multiprocessorOf(target ? target->number() : 90).sharedBytes() / plan.sharedBytes());
  int64_t count = mostMultiprocessors * each;
  int64_t slotBytes = int64_t(plan.maps.size()) * Producer::mapBytes;
  flags = array("_map_flags", count, wordBytes);
  slots = array("_maps", count * slotBytes / wordBytes, Producer::mapBytes);
  auto imageOf = [&](size_t number) {
    return k
        .make<LLVM::PtrToIntOp>(
            k.i32, k.sharedBytesAt(k.int32(images + int64_t(number) * Producer::mapBytes)))
        .getResult();
  };
  Value lane = k.andi(k.thread, Producer::warpThreads - 1);
  for (size_t i = 0; i < plan.maps.size(); ++i)
    k.memoryPtx("st.shared.b32 [$0], $1;", "r,r",
                {k.add(imageOf(i), k.mul(lane, wordBytes)), k.int32(0)}, 0);
  k.make<NVVM::SyncWarpOp>(k.int32(allLanes));
  // The first lane does the rest. The answer comes while it writes the images.
  Block *one = k.newBlock(), *others = k.newBlock(), *taken = k.newBlock({k.i32});
  k.branchIf(k.equal(lane, 0), one, others);
  k.goTo(others);
  k.branch(taken, {k.int32(0)});
  k.goTo(one);
  Value mine = k.urem(k.mul(k.specialRegister("smid"), each), count), answer = askFor(mine);
  for (auto [i, staging] : llvm::enumerate(plan.maps))
    describe(*staging, imageOf(i));
  Block *look = k.newBlock({k.i32, k.i32}), *again = k.newBlock();
  k.branch(look, {mine, answer});
  k.goTo(look);
  Value slot = look->getArgument(0);
  k.make<cf::CondBranchOp>(k.equal(look->getArgument(1), 0), taken, ValueRange(slot), again,
                           ValueRange());
  k.goTo(again);
  Value after = k.add(slot, 1), next = k.select(k.equal(after, count), k.int32(0), after);
  k.branch(look, {next, askFor(next)});
  k.goTo(taken);
  constexpr int64_t lastLane = 31;
  Value ours = k.make<NVVM::ShflOp>(k.i32, k.int32(allLanes), taken->getArgument(0), k.int32(0),
                                    k.int32(lastLane), NVVM::ShflKind::idx, UnitAttr());
  flag = addressOf(flags, k.mul(ours, wordBytes));
  first = addressOf(slots, k.mul(ours, slotBytes));
  for (size_t i = 0; i < plan.maps.size(); ++i)
    k.memoryPtx("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync."
                "aligned [$0], [$1], 128;",
                "l,r", {k.add(first, int64_t(i) * Producer::mapBytes), imageOf(i)}, 0);
  for (size_t i = 0; i < plan.maps.size(); ++i)
    k.memoryPtx("fence.proxy.tensormap::generic.acquire.gpu [$0], 128;", "l",
                {k.add(first, int64_t(i) * Producer::mapBytes)}, 0);
}

void TensorMaps::copy(const Staging &staging, Value to, Value barrier) {
  auto load = cast<LoadViewTkoOp>(staging.load);
  const TensorView view = k.view(load.getView());
  auto dimensions = dimensionsOf(load.getView().getType(), shapeOf(load.getTile().getType()));
  const Boxes &boxes = *staging.boxes;
  SmallVector<Value> start;
  for (size_t d : boxes.dimensions) {
    const Dimension &dimension = dimensions[d];
    Value number = k.resize(k.scalar(load.getIndex()[d]), k.i32, true);
    Value place = k.mul(number, dimension.step);
    // In the map an empty dimension has extent 1 (`describe`): start after that element.
    Value isEmpty = k.equal(view.shape[dimension.ofTensor], 0);
    start.push_back(k.add(place, k.resize(isEmpty, k.i32, false)));
  }
  std::string coordinates;
  for (size_t mode = 0; mode < start.size(); ++mode)
    coordinates += cat(mode ? ", " : "", "$", 3 + mode);
  std::string text = cat("cp.async.bulk.tensor.", start.size(),
                         "d.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1, {",
                         coordinates, "}], [$2];");
  std::string constraints = "r,l,r";
  for (size_t mode = 0; mode < start.size(); ++mode)
    constraints += ",r";
  int64_t boxBytes = bytesOf(staging) / boxes.count;
  Value address = k.make<LLVM::PtrToIntOp>(k.i32, k.sharedBytesAt(to));
  Value map = k.add(first, int64_t(boxes.map) * Producer::mapBytes);
  for (int64_t box = 0; box < boxes.count; ++box) {
    SmallVector<Value> operands = {box ? k.add(address, box * boxBytes) : address, map, barrier};
    operands.push_back(box ? k.add(start[0], box * boxes.extents[0]) : start[0]);
    operands.append(start.begin() + 1, start.end());
    k.memoryPtx(text, constraints, operands, 0);
  }
}

} // namespace tessera::tile_lower
