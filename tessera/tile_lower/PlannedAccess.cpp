// Loads and stores of planned tiles: of views in vectors, into registers or shared memory, and of
// pointers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_lower/Planned.h"
#include "tessera/tile_lower/Runs.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include <functional>
#include <map>
#include <memory>

using namespace mlir;
using namespace tessera::cuda_tile;

namespace tessera::tile_lower {

namespace {

using Done = std::optional<LogicalResult>;
constexpr int64_t wordBytes = 4;

/// The places of one tile of a view, for tiles of a layout.
class PlannedWindow {
public:
  PlannedWindow(Kernel &k, Value view, ValueRange indices, ArrayRef<bool> inbounds,
                const BitLayout &layout)
      : k(k), tensor(k.view(view)), shape(shapeOf(cast<TileView>(view.getType()).getTile())),
        dimensions(dimensionsOf(view.getType(), shape)), inbounds(inbounds), layout(layout) {
    int64_t bytes = memoryBytes(elementOf(cast<TileView>(view.getType()).getTile()));
    address = tensor.base;
    for (size_t d = 0; d < shape.size(); ++d) {
      firstBits.push_back(firstBitOf(shape, d));
      strides.push_back(k.mul(tensor.strides[dimensions[d].ofTensor], bytes));
      if (dimensions[d].isSparse) {
        int64_t own = (shape[d] - 1) << firstBits[d];
        rows = k.inLayout(indices[d], without(layout, (countOf(shape) - 1) & ~own));
        first.push_back(Value());
        continue;
      }
      Value number = k.mul(k.resize(k.scalar(indices[d]), k.i64, true), dimensions[d].step);
      first.push_back(k.add(number, k.resize(threadCoordinate(d), k.i64, false)));
      address = k.add(address, k.mul(first[d], strides[d]));
    }
  }

  struct Place {
    Value isInside; // the tensor; null where that is sure
    Value address;  // of the byte, as i64
  };
  Place at(int64_t number) {
    int64_t part = layout.registerPart(number);
    Place out{.isInside = {}, .address = address};
    for (size_t d = 0; d < shape.size(); ++d) {
      const Along &along = placeAlong(d, part >> firstBits[d] & (shape[d] - 1));
      if (along.isInside)
        out.isInside = out.isInside ? k.andi(out.isInside, along.isInside) : along.isInside;
      if (along.offset)
        out.address = k.add(out.address, along.offset);
    }
    return out;
  }

private:
  struct Along {
    Value isInside, offset;
  };
  Value threadCoordinate(size_t d) {
    BitLayout own = layout;
    for (int8_t &bit : own.threads)
      bit = bit != noBit && bit >= firstBits[d] && bit < firstBits[d] + log2Of(shape[d])
                ? int8_t(bit - firstBits[d])
                : noBit;
    return k.threadPart(own);
  }
  /// The place along a dimension, by the part of the coordinate that registers set.
  const Along &placeAlong(size_t d, int64_t coordinate) {
    auto [found, isNew] = known.try_emplace({d, coordinate});
    Along &out = found->second;
    if (!isNew)
      return out;
    Value place;
    if (dimensions[d].isSparse) {
      size_t number =
          rows.isScalar() || rows.isUniform ? 0 : size_t(rows.layout.registerOf(coordinate));
      place = k.resize(rows.registers[number], k.i64, true);
      out.offset = k.mul(place, strides[d]);
    } else {
      place = coordinate ? k.add(first[d], coordinate) : first[d];
      if (coordinate)
        out.offset = k.mul(strides[d], coordinate);
    }
    // Read as unsigned, a negative number is a large one.
    if (d >= inbounds.size() || !inbounds[d])
      out.isInside = k.below(place, tensor.shape[dimensions[d].ofTensor]);
    return out;
  }

  Kernel &k;
  const TensorView tensor;
  ArrayRef<int64_t> shape;
  SmallVector<Dimension> dimensions;
  ArrayRef<bool> inbounds;
  const BitLayout layout;
  SmallVector<int> firstBits;
  SmallVector<Value> strides, first; // in bytes; coordinates of this thread
  Value address;                     // of the element of register 0
  ThreadTile rows;
  std::map<std::pair<size_t, int64_t>, Along> known;
};

ArrayRef<bool> flagsOf(std::optional<ArrayRef<bool>> inbounds) {
  return inbounds.value_or(ArrayRef<bool>());
}
/// How many registers hold neighbours that one access moves.
int64_t vectorOf(const Traversal &traversal, const BitLayout &layout) {
  return int64_t(1) << std::min(traversal.vectorBits, layout.vectorBits(traversal.order));
}

//===--- Accesses under a condition

/// The same bits in elements of another type.
SmallVector<Value> recast(Kernel &k, ArrayRef<Value> values, Type to, int64_t count) {
  Value vector =
      k.make<LLVM::UndefOp>(VectorType::get(int64_t(values.size()), values[0].getType()));
  for (auto [i, value] : llvm::enumerate(values))
    vector = k.make<LLVM::InsertElementOp>(vector, value, k.int32(int64_t(i)));
  Value other = k.make<LLVM::BitcastOp>(VectorType::get(count, to), vector);
  SmallVector<Value> out;
  for (int64_t i = 0; i < count; ++i)
    out.push_back(k.make<LLVM::ExtractElementOp>(other, k.int32(i)));
  return out;
}

/// The bits of neighbours, as they are in memory, in words; of less than a word in the low bits of
/// one.
SmallVector<Value> wordsOf(Kernel &k, Type element, ArrayRef<Value> held) {
  int64_t bytes = int64_t(held.size()) * memoryBytes(element);
  SmallVector<Value> codes;
  for (Value value : held)
    codes.push_back(toMemory(k, element, value));
  if (bytes >= wordBytes)
    return recast(k, codes, k.i32, bytes / wordBytes);
  Type narrow = k.b.getIntegerType(unsigned(8 * bytes));
  return {k.resize(recast(k, codes, narrow, 1)[0], k.i32, false)};
}
SmallVector<Value> fromWords(Kernel &k, Type element, SmallVector<Value> words, int64_t count) {
  int64_t bytes = count * memoryBytes(element);
  if (bytes < wordBytes)
    words[0] = k.resize(words[0], k.b.getIntegerType(unsigned(8 * bytes)), false);
  SmallVector<Value> out;
  for (Value value : recast(k, words, memoryType(element), count))
    out.push_back(fromMemory(k, element, value));
  return out;
}
/// ".v4.b32 ", ".b32 ", ".b16 " or ".b8 ", for so many bytes. PTX takes wider registers than b16
/// and b8 name, and loads zeros into the rest.
std::string widthOf(int64_t bytes) {
  if (bytes <= wordBytes)
    return cat(".b", 8 * bytes, " ");
  return cat(".v", bytes / wordBytes, ".b32 ");
}
/// "$2", or "{$2, $3}".
std::string operandList(int64_t first, int64_t count) {
  std::string out;
  for (int64_t i = 0; i < count; ++i)
    out += cat(i ? ", $" : "$", first + i);
  return count == 1 ? out : cat("{", out, "}");
}

/// As many neighbours as there are paddings, which are taken where the condition does not hold, in
/// one predicated instruction, so that no branches stand between loads.
SmallVector<Value> loadWhen(Kernel &k, Type element, const PlannedWindow::Place &place,
                            ArrayRef<Value> paddings) {
  auto count = int64_t(paddings.size()), bytes = count * memoryBytes(element);
  if (!place.isInside)
    return k.loadVector(element, k.globalAddress(place.address), count);
  SmallVector<Value> operands = {place.isInside, place.address};
  operands.append(wordsOf(k, element, paddings));
  int64_t words = int64_t(operands.size()) - 2;
  std::string constraints;
  for (int64_t i = 0; i < words; ++i)
    constraints += "=r,";
  constraints += "b,l";
  for (int64_t i = 0; i < words; ++i)
    constraints += cat(",", i);
  std::string text = cat("@$", words, " ld.global", widthOf(bytes), operandList(0, words), ", [$",
                         words + 1, "];");
  return fromWords(k, element, k.memoryPtx(text, constraints, operands, words), count);
}

void storeWhen(Kernel &k, Type element, const PlannedWindow::Place &place, Value isOwner,
               ArrayRef<Value> held) {
  Value condition = place.isInside;
  if (isOwner)
    condition = condition ? k.andi(condition, isOwner) : isOwner;
  if (!condition)
    return k.storeVector(element, k.globalAddress(place.address), held);
  SmallVector<Value> operands = {condition, place.address};
  operands.append(wordsOf(k, element, held));
  int64_t words = int64_t(operands.size()) - 2;
  std::string constraints = "b,l";
  for (int64_t i = 0; i < words; ++i)
    constraints += ",r";
  std::string text = cat("@$0 st.global", widthOf(int64_t(held.size()) * memoryBytes(element)),
                         "[$1], ", operandList(2, words), ";");
  k.memoryPtx(text, constraints, operands, 0);
}

//===--- Views

/// Elements of a tile of a view in registers.
ThreadTile loadTile(Kernel &k, LoadViewTkoOp load, const BitLayout &layout) {
  Type type = load.getTile().getType();
  ArrayRef<bool> inbounds = flagsOf(load.getInbounds());
  PlannedWindow window(k, load.getView(), load.getIndex(), inbounds, layout);
  ThreadTile out{.element = elementOf(type), .count = countOf(type), .layout = layout};
  int64_t vector = vectorOf(traversalOf(load.getView(), inbounds), layout);
  SmallVector<Value> paddings(size_t(vector), paddingOf(k, load.getView().getType(), out.element));
  for (int64_t r = 0; r < layout.registerCount(); r += vector)
    out.registers.append(loadWhen(k, out.element, window.at(r), paddings));
  return out;
}

/// The place of the thread's vector that begins with register r: the vectors of all threads lie one
/// after the other.
Value ownPlace(Kernel &k, const Staging &staging, int64_t r) {
  int64_t bytes = staging.vector() * memoryBytes(elementOf(staging.tile()));
  return k.add(k.mul(k.thread, bytes), r / staging.vector() * k.threads * bytes);
}
void stageLoad(Kernel &k, const Staging &staging) {
  if (staging.layout)
    k.define(staging.load->getResult(0),
             ownElements(k, staging, k.staged.find(staging.load)->second.base));
  if (k.staged.contains(staging.load)) // by a loop
    return;
  Value base = k.int32(k.takeShared(staging.bytes));
  k.barrier(); // others may still read what was there
  copyStaged(k, staging, base);
  if (staging.isAsync) {
    k.make<NVVM::CpAsyncCommitGroupOp>();
    k.make<NVVM::CpAsyncWaitGroupOp>(k.b.getI32IntegerAttr(0));
  }
  showStaged(k);
  k.staged[staging.load] = {&staging, base};
}

Done loadView(Kernel &k, Operation *op) {
  auto load = cast<LoadViewTkoOp>(op);
  if (const Staging *staging = k.plan->stagingOf(op)) {
    stageLoad(k, *staging);
    return success();
  }
  const BitLayout *layout = k.plan->layoutOf(load.getTile());
  bool isWeak = load.getMemoryOrderingSemantics() == MemoryOrderingSemantics::Weak;
  Type element = elementOf(load.getTile().getType());
  if (!layout || !isWeak || isFourBits(element))
    return std::nullopt;
  beginAccess(k, load.getToken(), {});
  k.define(load.getTile(), loadTile(k, load, *layout));
  return success();
}

Done storeView(Kernel &k, Operation *op) {
  auto store = cast<StoreViewTkoOp>(op);
  const BitLayout *planned = k.plan->layoutOf(store.getTile());
  bool isWeak = store.getMemoryOrderingSemantics() == MemoryOrderingSemantics::Weak;
  Type element = elementOf(store.getTile().getType());
  const ThreadTile &held = k.held(store.getTile());
  bool isSame = held.isUniform && !held.isScalar();
  if ((!planned && !isSame) || !isWeak || isFourBits(element))
    return std::nullopt;
  ArrayRef<bool> inbounds = flagsOf(store.getInbounds());
  Traversal traversal = traversalOf(store.getView(), inbounds);
  // Each thread stores 16 adjacent bytes, and adjacent threads store next to each other: from the
  // layout of the value if it is such a one, else through shared memory.
  BitLayout layout = blocked(traversal.order, log2Of(k.threads), traversal.vectorBits);
  if (planned && isCoalesced(*planned, traversal, memoryBytes(element)))
    layout = *planned;
  beginAccess(k, store.getToken(), {});
  const ThreadTile tile = k.inLayout(store.getTile(), layout);
  PlannedWindow window(k, store.getView(), store.getIndex(), inbounds, layout);
  int64_t vector = vectorOf(traversal, layout);
  Value owner = k.isOwner(layout);
  for (int64_t r = 0; r < layout.registerCount(); r += vector) {
    SmallVector<Value> values;
    for (int64_t i = 0; i < vector; ++i)
      values.push_back(tile.registers[tile.isUniform ? 0 : size_t(r + i)]);
    storeWhen(k, element, window.at(r), owner, values);
  }
  return success();
}

//===--- Pointers: of each group of neighbours, the first one's address

Value at(const ThreadTile &tile, size_t r) {
  return tile.registers[tile.isUniform || tile.isScalar() ? 0 : r];
}

Done loadPointers(Kernel &k, Operation *op) {
  auto load = cast<LoadPtrTkoOp>(op);
  if (const Staging *staging = k.plan->stagingOf(op)) {
    stageLoad(k, *staging);
    return success();
  }
  const BitLayout *layout = k.plan->layoutOf(load.getResult());
  if (!layout || load.getMemoryOrderingSemantics() != MemoryOrderingSemantics::Weak)
    return std::nullopt;
  Type type = load.getResult().getType(), element = elementOf(type);
  const ThreadTile pointers = k.inLayout(load.getSource(), *layout);
  ThreadTile mask, padding;
  if (load.getMask())
    mask = k.inLayout(load.getMask(), *layout);
  if (load.getMask() && load.getPaddingValue())
    padding = k.inLayout(load.getPaddingValue(), *layout);
  beginAccess(k, load.getToken(), {});
  ThreadTile out{.element = element, .count = countOf(type), .layout = *layout};
  Value anything = constantOf(k, element, APInt(unsigned(8 * memoryBytes(element)), 0));
  auto vector = size_t(vectorOf(traversalOfPointers(load.getSource(), load.getMask()), *layout));
  for (size_t r = 0; r < size_t(layout->registerCount()); r += vector) {
    Value condition = load.getMask() ? at(mask, r) : Value();
    SmallVector<Value> paddings(vector, anything);
    for (size_t i = 0; i < vector && !padding.registers.empty(); ++i)
      paddings[i] = at(padding, r + i);
    out.registers.append(loadWhen(k, element, {condition, at(pointers, r)}, paddings));
  }
  k.define(load.getResult(), std::move(out));
  return success();
}

Done storePointers(Kernel &k, Operation *op) {
  auto store = cast<StorePtrTkoOp>(op);
  const BitLayout *layout = k.plan->layoutOf(store.getDestination());
  if (!layout || store.getMemoryOrderingSemantics() != MemoryOrderingSemantics::Weak)
    return std::nullopt;
  const ThreadTile pointers = k.inLayout(store.getDestination(), *layout);
  const ThreadTile values = k.inLayout(store.getValue(), *layout);
  ThreadTile mask;
  if (store.getMask())
    mask = k.inLayout(store.getMask(), *layout);
  beginAccess(k, store.getToken(), {});
  Value owner = k.isOwner(*layout);
  auto vector =
      size_t(vectorOf(traversalOfPointers(store.getDestination(), store.getMask()), *layout));
  for (size_t r = 0; r < size_t(layout->registerCount()); r += vector) {
    SmallVector<Value> held;
    for (size_t i = 0; i < vector; ++i)
      held.push_back(at(values, r + i));
    storeWhen(k, values.element, {store.getMask() ? at(mask, r) : Value(), at(pointers, r)}, owner,
              held);
  }
  return success();
}

constexpr PlannedRow rows[] = {
    {"load_view_tko", loadView},
    {"store_view_tko", storeView},
    {"load_ptr_tko", loadPointers},
    {"store_ptr_tko", storePointers},
};

} // namespace

ArrayRef<PlannedRow> plannedMemoryRows() { return rows; }

ThreadTile ownElements(Kernel &k, const Staging &staging, Value base) {
  Type type = staging.tile();
  ThreadTile out{.element = elementOf(type), .count = countOf(type), .layout = *staging.layout};
  for (int64_t r = 0; r < out.layout.registerCount(); r += staging.vector())
    out.registers.append(k.loadVector(
        out.element, k.sharedBytesAt(k.add(base, ownPlace(k, staging, r))), staging.vector()));
  return out;
}

void showStaged(Kernel &k) {
  if (k.plan->hasGroupProducts())
    k.effect("fence.proxy.async.shared::cta;");
  k.barrier();
}

/// The places from which the registers of a layout are copied.
static std::function<PlannedWindow::Place(int64_t)> placesOf(Kernel &k, Operation *op,
                                                             const BitLayout &layout) {
  if (auto load = dyn_cast<LoadViewTkoOp>(op)) {
    auto window = std::make_shared<PlannedWindow>(k, load.getView(), load.getIndex(),
                                                  flagsOf(load.getInbounds()), layout);
    return [window](int64_t r) { return window->at(r); };
  }
  auto load = cast<LoadPtrTkoOp>(op);
  const ThreadTile pointers = k.inLayout(load.getSource(), layout);
  ThreadTile mask;
  if (load.getMask())
    mask = k.inLayout(load.getMask(), layout);
  return [pointers, mask](int64_t r) {
    Value condition = mask.registers.empty() ? Value() : at(mask, size_t(r));
    return PlannedWindow::Place{condition, at(pointers, size_t(r))};
  };
}

void copyStaged(Kernel &k, const Staging &staging, Value base, Value condition) {
  Type element = elementOf(staging.tile());
  BitLayout layout = staging.layout ? *staging.layout
                                    : blocked(staging.traversal.order, log2Of(k.threads),
                                              staging.traversal.vectorBits);
  int64_t vector = staging.vector(), bytes = vector * memoryBytes(element);
  SmallVector<int64_t> places;
  for (int8_t bit : layout.threads)
    places.push_back(bit == noBit || staging.layout ? 0 : staging.places[size_t(bit)]);
  Value mine = k.combination(k.thread, places);
  auto addressOf = [&](int64_t r) {
    if (staging.layout)
      return k.sharedBytesAt(k.add(base, ownPlace(k, staging, r)));
    int64_t offset = placeOf(staging.places, layout.registerPart(r));
    return k.sharedBytesAt(k.add(base, offset ? k.xori(mine, offset) : mine));
  };
  if (!staging.isAsync) {
    const ThreadTile tile = loadTile(k, cast<LoadViewTkoOp>(staging.load), layout);
    k.when(k.isOwner(layout), [&] {
      for (int64_t r = 0; r < layout.registerCount(); r += vector)
        k.storeVector(element, addressOf(r),
                      ArrayRef(tile.registers).slice(size_t(r), size_t(vector)));
    });
    return;
  }
  // All threads take part in what moves pointers to this layout.
  auto placeOfRegister = placesOf(k, staging.load, layout);
  k.when(staging.layout ? Value() : k.isOwner(layout), [&] {
    auto cache = bytes == 16 ? NVVM::LoadCacheModifierKind::CG : NVVM::LoadCacheModifierKind::CA;
    for (int64_t r = 0; r < layout.registerCount(); r += vector) {
      PlannedWindow::Place place = placeOfRegister(r);
      // Elements that are not read are filled with zeros.
      Value reads = place.isInside && condition ? k.andi(place.isInside, condition)
                    : place.isInside            ? place.isInside
                                                : condition;
      Value read = reads ? k.select(reads, k.int32(bytes), k.int32(0)) : Value();
      k.make<NVVM::CpAsyncOp>(addressOf(r), k.globalAddress(place.address),
                              k.b.getI32IntegerAttr(int32_t(bytes)),
                              NVVM::LoadCacheModifierKindAttr::get(k.b.getContext(), cache), read);
    }
  });
}

} // namespace tessera::tile_lower
