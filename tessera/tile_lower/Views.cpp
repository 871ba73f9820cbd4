// Ops on tensors in memory: views, loads, stores and reductions of whole tiles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_lower/Access.h"
#include "tessera/tile_lower/Rows.h"

using namespace mlir;
using namespace tessera::cuda_tile;

namespace tessera::tile_lower {

namespace {

//===--- Making views

/// Static numbers of a type, and those known at run time, which are unsigned.
SmallVector<Value> numbersOf(Kernel &k, ArrayRef<int64_t> stated, ValueRange dynamic) {
  SmallVector<Value> out;
  for (int64_t number : stated) {
    if (number != TensorViewType::dynamic) {
      out.push_back(k.int64(number));
      continue;
    }
    out.push_back(k.resize(k.scalar(dynamic.front()), k.i64, false));
    dynamic = dynamic.drop_front();
  }
  return out;
}
LogicalResult makeTensorView(Kernel &k, Operation *op) {
  auto make = cast<MakeTensorViewOp>(op);
  auto type = cast<TensorViewType>(make.getResult().getType());
  auto view = std::make_shared<TensorView>();
  view->base = k.scalar(make.getBase());
  view->shape = numbersOf(k, type.getShape(), make.getDynamicShape());
  view->strides = numbersOf(k, type.getStrides(), make.getDynamicStrides());
  k.define(make.getResult(), std::shared_ptr<const TensorView>(std::move(view)));
  return success();
}
/// All views hold the tensor; what they add is in their type.
LogicalResult makeView(Kernel &k, Operation *op) {
  k.alias(op->getResult(0), op->getOperand(0));
  return success();
}

//===--- Tiles of views

/// The places of the elements of one tile of a view.
class Window {
public:
  Window(Kernel &k, Value view, ValueRange indices, ArrayRef<bool> inbounds)
      : k(k), tensor(k.view(view)), shape(shapeOf(cast<TileView>(view.getType()).getTile())),
        dimensions(dimensionsOf(view.getType(), shape)), inbounds(inbounds) {
    element = elementOf(cast<TileView>(view.getType()).getTile());
    for (auto [d, index] : llvm::enumerate(indices)) {
      if (!dimensions[d].isSparse) {
        Value number = k.resize(k.scalar(index), k.i64, true);
        first.push_back(k.mul(number, dimensions[d].step));
        continue;
      }
      first.push_back(Value());
      const ThreadTile tile = k.tile(index);
      rows = k.movedTo(tile, countOf(shape),
                       [&](const Slot &slot) { return k.coordinatesOf(slot.element, shape)[d]; });
    }
  }

  struct Place {
    Value isInside; // the tensor; null where that is sure
    Value address;  // of the byte, as i64
    Value isHigh;   // of elements of 4 bits: the upper half of the byte
  };
  Place at(const Slot &slot) const {
    SmallVector<Value> coordinates = k.coordinatesOf(slot.element, shape);
    Place out;
    Value offset = k.int64(0);
    for (size_t d = 0; d < shape.size(); ++d) {
      const Dimension &dimension = dimensions[d];
      Value coordinate = dimension.isSparse
                             ? k.resize(k.get(rows, slot), k.i64, true)
                             : k.add(first[d], k.resize(coordinates[d], k.i64, false));
      if (d >= inbounds.size() || !inbounds[d]) {
        // Read as unsigned, a negative number is a large one.
        Value isInside = k.below(coordinate, tensor.shape[dimension.ofTensor]);
        out.isInside = out.isInside ? k.andi(out.isInside, isInside) : isInside;
      }
      offset = k.add(offset, k.mul(coordinate, tensor.strides[dimension.ofTensor]));
    }
    if (isFourBits(element)) {
      out.isHigh = k.differ(k.andi(offset, 1), 0);
      offset = k.shr(offset, 1);
    } else {
      offset = k.mul(offset, memoryBytes(element));
    }
    out.address = k.add(tensor.base, offset);
    return out;
  }

private:
  Kernel &k;
  const TensorView tensor;
  ArrayRef<int64_t> shape;
  SmallVector<Dimension> dimensions;
  ArrayRef<bool> inbounds;
  Type element;
  SmallVector<Value> first; // coordinates, i64
  ThreadTile rows;
};

ArrayRef<bool> flagsOf(std::optional<ArrayRef<bool>> inbounds) {
  return inbounds.value_or(ArrayRef<bool>());
}

} // namespace

Value paddingOf(Kernel &k, Type view, Type element) {
  auto padding = dyn_cast_or_null<PaddingValueAttr>(cast<TileView>(view).getPaddingValue());
  uint64_t code = 0;
  if (padding && !element.isInteger()) {
    // f64 as the fields of its kind.
    number::Floating f =
        element.isF64() ? number::floating(number::Format::f64) : fieldsOf(element);
    uint64_t infinity = f.top == number::Floating::Ieee      ? f.infinity()
                        : f.top == number::Floating::NanOnly ? f.nan()
                                                             : f.largest();
    uint64_t quiet = element.isF64() ? 0x7ff8000000000000 : f.nan();
    switch (padding.getValue()) {
    case PaddingValue::Zero: code = 0; break;
    case PaddingValue::NegZero: code = f.signBit(); break;
    case PaddingValue::Nan: code = quiet; break;
    case PaddingValue::PosInf: code = infinity; break;
    case PaddingValue::NegInf: code = infinity | f.signBit(); break;
    }
  }
  // For tf32, the 19 bits that carry the value.
  unsigned bits = isa<FloatTF32Type>(element) ? 19 : unsigned(8 * memoryBytes(element));
  return constantOf(k, element, APInt(bits, code));
}

namespace {

/// Loads of 4 bits take the byte apart.
Value loadFrom(Kernel &k, Type element, const Window::Place &place, Ordering ordering) {
  if (!place.isHigh)
    return loadElement(k, element, place.address, ordering);
  Value byte = loadElement(k, k.i8, place.address, ordering);
  return k.select(place.isHigh, k.shr(byte, 4), k.andi(byte, 15));
}

LogicalResult load(Kernel &k, Operation *op) {
  auto load = cast<LoadViewTkoOp>(op);
  Ordering ordering{load.getMemoryOrderingSemantics(),
                    load.getMemoryScope().value_or(MemoryScope::System)};
  beginAccess(k, load.getToken(), ordering);
  Window window(k, load.getView(), load.getIndex(), flagsOf(load.getInbounds()));
  ThreadTile out = k.newTile(load.getTile().getType());
  Value owner = ordering.isWeak() ? Value() : k.isOwner(out.count);
  Value padding = paddingOf(k, load.getView().getType(), out.element);
  k.forSlots(out.count, [&](const Slot &slot) {
    Window::Place place = window.at(slot);
    Value condition = !owner            ? place.isInside
                      : !place.isInside ? owner
                                        : k.andi(owner, place.isInside);
    k.set(out, slot, k.valueWhen(condition, padding, [&] {
      return loadFrom(k, out.element, place, ordering);
    }));
  });
  endAccess(k, ordering);
  k.define(load.getTile(), owner ? shownToAll(k, out) : out);
  return success();
}

/// Two elements of 4 bits share a byte, and may be of two threads: first all lower halves are
/// written, then all upper ones.
LogicalResult store(Kernel &k, Operation *op) {
  auto store = cast<StoreViewTkoOp>(op);
  Ordering ordering{store.getMemoryOrderingSemantics(),
                    store.getMemoryScope().value_or(MemoryScope::System)};
  beginAccess(k, store.getToken(), ordering);
  Window window(k, store.getView(), store.getIndex(), flagsOf(store.getInbounds()));
  const ThreadTile values = k.tile(store.getTile());
  Value owner = k.isOwner(values.count);
  bool halves = isFourBits(values.element);
  // The kept half of a byte is read, which nothing releases.
  Ordering reads = ordering;
  if (!reads.isWeak())
    reads.semantics = MemoryOrderingSemantics::Relaxed;
  for (int half = 0; half < (halves ? 2 : 1); ++half) {
    if (half)
      k.barrier();
    k.forSlots(values.count, [&](const Slot &slot) {
      Window::Place place = window.at(slot);
      Value condition = place.isInside;
      if (owner)
        condition = condition ? k.andi(condition, owner) : owner;
      if (halves) {
        Value isTurn = half ? place.isHigh : k.negate(place.isHigh);
        condition = condition ? k.andi(condition, isTurn) : isTurn;
      }
      k.when(condition, [&] {
        Value value = k.get(values, slot);
        if (!halves)
          return storeElement(k, values.element, place.address, value, ordering);
        Value byte = loadElement(k, k.i8, place.address, reads);
        Value kept = k.andi(byte, half ? 0x0f : 0xf0);
        storeElement(k, k.i8, place.address, k.ori(kept, half ? k.shl(value, 4) : value), ordering);
      });
    });
  }
  endAccess(k, ordering);
  return success();
}

LogicalResult reduceInto(Kernel &k, Operation *op) {
  auto reduce = cast<AtomicRedViewTkoOp>(op);
  Ordering ordering{reduce.getMemoryOrderingSemantics(), reduce.getMemoryScope()};
  beginAccess(k, reduce.getToken(), ordering);
  Window window(k, reduce.getView(), reduce.getIndex(), {});
  const ThreadTile values = k.tile(reduce.getValue());
  Value owner = k.isOwner(values.count);
  k.forSlots(values.count, [&](const Slot &slot) {
    Window::Place place = window.at(slot);
    Value condition = !owner            ? place.isInside
                      : !place.isInside ? owner
                                        : k.andi(owner, place.isInside);
    k.when(condition, [&] {
      updateElement(k, reduce.getMode(), place.address, k.get(values, slot), ordering.scope);
    });
  });
  endAccess(k, ordering);
  return success();
}

//===--- Questions about views

LogicalResult tensorShape(Kernel &k, Operation *op) {
  const TensorView view = k.view(op->getOperand(0));
  for (auto [result, extent] : llvm::zip(op->getResults(), view.shape)) {
    Type element = elementOf(result.getType());
    k.define(result, ThreadTile{.element = element,
                                .count = 1,
                                .registers = {k.resize(extent, element, false)}});
  }
  return success();
}
LogicalResult indexSpace(Kernel &k, Operation *op) {
  Value operand = op->getOperand(0);
  const TensorView view = k.view(operand);
  ArrayRef<int64_t> shape = shapeOf(cast<TileView>(operand.getType()).getTile());
  SmallVector<Dimension> dimensions = dimensionsOf(operand.getType(), shape);
  for (auto [d, result] : llvm::enumerate(op->getResults())) {
    Value extent = view.shape[dimensions[d].ofTensor];
    int64_t step = dimensions[d].step;
    Value isRest = k.differ(k.urem(extent, step), 0);
    Value count = k.add(k.udiv(extent, step), k.resize(isRest, k.i64, false));
    Type element = elementOf(result.getType());
    k.define(
        result,
        ThreadTile{.element = element, .count = 1, .registers = {k.resize(count, element, false)}});
  }
  return success();
}

constexpr Row rows[] = {
    {"make_tensor_view", nullptr, makeTensorView},
    {"make_partition_view", nullptr, makeView},
    {"make_strided_view", nullptr, makeView},
    {"make_gather_scatter_view", nullptr, makeView},
    {"load_view_tko", nullptr, load},
    {"store_view_tko", nullptr, store},
    {"atomic_red_view_tko", nullptr, reduceInto},
    {"get_tensor_shape", nullptr, tensorShape},
    {"get_index_space_shape", nullptr, indexSpace},
};

} // namespace

ArrayRef<Row> viewRows() { return rows; }

} // namespace tessera::tile_lower
