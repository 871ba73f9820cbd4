// How the elements of a tile of a view lie in memory, from types and facts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_lower/Windows.h"

#include "tessera/cuda_tile/CudaTile.h"
#include "tessera/tile_lower/Elements.h"
#include "tessera/tile_lower/Facts.h"

using namespace mlir;
using namespace tessera::cuda_tile;

namespace tessera::tile_lower {

SmallVector<Dimension> dimensionsOf(Type view, ArrayRef<int64_t> shape) {
  SmallVector<Dimension> out;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (auto partition = dyn_cast<PartitionViewType>(view))
      out.push_back({size_t(partition.getDimMap()[d]), shape[d]});
    else if (auto strided = dyn_cast<StridedViewType>(view))
      out.push_back({size_t(strided.getDimMap()[d]), strided.getTraversalStrides()[d]});
    else // indices are places of elements
      out.push_back({d, 1, int64_t(d) == cast<GatherScatterViewType>(view).getSparseDimension()});
  }
  return out;
}

int firstBitOf(ArrayRef<int64_t> shape, size_t dim) {
  int bit = 0;
  for (size_t d = dim + 1; d < shape.size(); ++d)
    bit += log2Of(shape[d]);
  return bit;
}

namespace {

/// A number of a tensor view: static, or a scalar of the program.
struct Number {
  int64_t stated;
  Value value;

  bool isMultipleOf(int64_t of) const {
    return value ? divisorOf(value) % of == 0 : stated % of == 0;
  }
};
SmallVector<Number> numbersOf(ArrayRef<int64_t> stated, ValueRange dynamic) {
  SmallVector<Number> out;
  for (int64_t number : stated) {
    bool isStated = number != TensorViewType::dynamic;
    out.push_back({number, isStated ? Value() : dynamic.front()});
    if (!isStated)
      dynamic = dynamic.drop_front();
  }
  return out;
}

/// The largest vectors along the dimension that are certainly possible, as a number of bits.
int vectorBitsOf(MakeTensorViewOp tensor, ArrayRef<Dimension> dimensions, size_t along,
                 ArrayRef<int64_t> shape, ArrayRef<bool> inbounds) {
  auto type = cast<TensorViewType>(tensor.getResult().getType());
  constexpr int64_t widest = 16;
  int64_t bytes = memoryBytes(type.getElementType());
  SmallVector<Number> extents = numbersOf(type.getShape(), tensor.getDynamicShape());
  SmallVector<Number> strides = numbersOf(type.getStrides(), tensor.getDynamicStrides());
  auto isSure = [&](int64_t vector) {
    if (vector > shape[along] || vector * bytes > widest)
      return false;
    if (divisorOf(tensor.getBase()) % (vector * bytes) || dimensions[along].step % vector)
      return false;
    bool staysInside = along < inbounds.size() && inbounds[along];
    if (!staysInside && !extents[dimensions[along].ofTensor].isMultipleOf(vector))
      return false;
    for (size_t d = 0; d < dimensions.size(); ++d)
      if (d != along && !strides[dimensions[d].ofTensor].isMultipleOf(vector))
        return false;
    return true;
  };
  int bits = 0;
  while (isSure(int64_t(2) << bits))
    ++bits;
  return bits;
}

} // namespace

Traversal traversalAlong(ArrayRef<int64_t> shape, std::optional<size_t> along) {
  Traversal out;
  auto addBits = [&](size_t d) {
    int first = firstBitOf(shape, d);
    for (int bit = 0; bit < log2Of(shape[d]); ++bit)
      out.order.push_back(int8_t(first + bit));
  };
  if (along)
    addBits(*along);
  if (!shape.empty())
    out.runBits = log2Of(shape[along.value_or(shape.size() - 1)]);
  for (size_t d = shape.size(); d-- > 0;)
    if (d != along)
      addBits(d);
  return out;
}

Traversal traversalOf(Value view, ArrayRef<bool> inbounds) {
  ArrayRef<int64_t> shape = shapeOf(cast<TileView>(view.getType()).getTile());
  SmallVector<Dimension> dimensions = dimensionsOf(view.getType(), shape);
  Operation *made = view.getDefiningOp();
  auto tensor = made && made->getNumOperands() == 1
                    ? made->getOperand(0).getDefiningOp<MakeTensorViewOp>()
                    : MakeTensorViewOp();
  std::optional<size_t> along;
  if (tensor) {
    ArrayRef<int64_t> strides = cast<TensorViewType>(tensor.getResult().getType()).getStrides();
    for (size_t d = shape.size(); d-- > 0 && !along;)
      if (strides[dimensions[d].ofTensor] == 1 && !dimensions[d].isSparse && shape[d] > 1)
        along = d;
  }
  Traversal out = traversalAlong(shape, along);
  if (along)
    out.vectorBits = vectorBitsOf(tensor, dimensions, *along, shape, inbounds);
  return out;
}

bool isCoalesced(const BitLayout &layout, const Traversal &traversal, int64_t elementBytes) {
  constexpr int64_t enough = 64; // bytes in a row
  auto vector = size_t(traversal.vectorBits);
  if (layout.vectorBits(traversal.order) < traversal.vectorBits)
    return false;
  // A block of one warp has five bits of threads, which are fewer bytes where elements are small.
  const size_t bits = std::min(traversal.order.size(), vector + layout.threads.size());
  for (size_t i = vector; i < bits && elementBytes << i < enough; ++i)
    if (layout.threads[i - vector] != traversal.order[i])
      return false;
  return true;
}

} // namespace tessera::tile_lower
