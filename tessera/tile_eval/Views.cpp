// Ops on tensors in memory: views, loads, stores and reductions of whole tiles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_eval/Atomics.h"
#include "tessera/tile_eval/Semantics.h"
#include "tessera/tile_eval/TileAccess.h"

#include <algorithm>
#include <limits>

namespace tessera::tile_eval {

namespace {

using tile_bytecode::dynamic;
using tile_bytecode::MemoryOrderingSemantics;
using tile_bytecode::PaddingValue;
using Problem = std::optional<std::string>;

//===--- Making views

/// Static numbers of the type, and the dynamic ones from operands, which are unsigned.
Result<std::vector<int64_t>> numbersOf(const Step &step, const std::vector<int64_t> &stated,
                                       size_t column) {
  std::vector<int64_t> out;
  size_t operand = step.firstOf(column);
  for (int64_t n : stated) {
    out.push_back(n == dynamic ? int64_t(step.codes(operand++)[0]) : n);
    if (out.back() < 0)
      return fail(Error::ViewShape, step.where(), uint64_t(out.back()));
  }
  return out;
}
Status runMakeTensorView(Step &step) {
  auto view = std::make_shared<TensorView>();
  view->base = step.codes(0)[0];
  TESSERA_TRY(view->shape, numbersOf(step, step.result().shape, 1));
  TESSERA_TRY(view->strides, numbersOf(step, step.result().strides, 2));
  step.add(std::shared_ptr<const TensorView>(std::move(view)));
  return Done{};
}
Problem checkMakeTensorView(const Signed &s) {
  auto count = [](const std::vector<int64_t> &numbers) {
    return size_t(std::count(numbers.begin(), numbers.end(), dynamic));
  };
  const Type &view = s.result(0);
  if (s.countOf(1) != count(view.shape) || s.countOf(2) != count(view.strides))
    return cat("expects ", count(view.shape), " dynamic extents and ", count(view.strides),
               " dynamic strides, but got ", s.countOf(1), " and ", s.countOf(2));
  TypeKind to = s.program.type(s.program.type(s.operand(0).element).element).kind;
  if (to != s.element(view))
    return cat("expects a pointer to ", rowOf(s.element(view)).text, ", but got one to ",
               rowOf(to).text);
  return {};
}

/// All views hold the tensor; what they add is in their type.
Status runMakeView(Step &step) {
  step.add(step.operand(0).view);
  return Done{};
}
template <TypeKind kind> Problem checkMakeView(const Signed &s) {
  if (s.result(0).kind != kind)
    return cat("expects a ", rowOf(kind).text, " as result");
  if (!(s.program.type(s.result(0).element) == s.operand(0)))
    return "expects a view of the tensor_view that it is made of";
  return {};
}

//===--- Tiles of views

/// The tensor dimension that a dimension of the tile walks.
size_t tensorDim(const Type &view, size_t d) {
  return view.kind == TypeKind::GatherScatterView ? d : size_t(view.dims[d]);
}
/// By how many elements the tile moves for each index. In a gather_scatter_view indices are places
/// of elements: "the starting position of each chunk" (CUDA Tile C++, gather_scatter_view).
int64_t stepOf(const Type &view, size_t d) {
  switch (view.kind) {
  case TypeKind::StridedView: return view.strides[d];
  case TypeKind::GatherScatterView: return 1;
  default: return view.shape[d];
  }
}
/// How many indices a dimension has.
int64_t indexCount(const Type &view, const TensorView &tensor, size_t d) {
  int64_t extent = tensor.shape[tensorDim(view, d)], by = stepOf(view, d);
  return extent / by + (extent % by != 0);
}

/// The places of the elements of one tile of a view.
class Window {
public:
  /// `indices`: the operand of the first index. `inbounds` may be null.
  static Result<Window> of(const Step &step, const Value &view, size_t indices,
                           const std::vector<int64_t> *inbounds) {
    Window out{step.program().type(view.type), *view.view};
    const Type &type = out.type;
    TypeKind element = step.program().type(step.program().type(type.element).element).kind;
    out.bits = rowOf(element).memoryBits;
    for (size_t d = 0; d < type.shape.size(); ++d) {
      size_t dim = tensorDim(type, d);
      int64_t extent = out.tensor.shape[dim];
      unsigned width = bitsOf(step.elementOf(indices + d));
      const Codes &codes = step.codes(indices + d);
      std::vector<int64_t> &at = out.coordinates.emplace_back(size_t(type.shape[d]));
      if (type.kind == TypeKind::GatherScatterView && d == type.sparseDim) {
        for (size_t i = 0; i < at.size(); ++i)
          at[i] = signedOf(codes[i], width);
        continue;
      }
      int64_t index = signedOf(codes[0], width), count = indexCount(type, out.tensor, d);
      // A chunk may start outside of the tensor, as rows may: each element is checked.
      if (type.kind != TypeKind::GatherScatterView && (index < 0 || index >= count))
        return fail(Error::TileIndex, step.where(), d, count, index);
      __int128 first = __int128(index) * stepOf(type, d), last = first + type.shape[d];
      if (inbounds && d < inbounds->size() && (*inbounds)[d] && last > extent)
        return fail(Error::InBounds, step.where(), d, int64_t(last), extent);
      // A coordinate that does not fit 63 bits is outside of the tensor.
      for (size_t i = 0; i < at.size(); ++i)
        at[i] = int64_t(std::min(first + __int128(i), mostCoordinate));
    }
    return out;
  }

  struct Place {
    uint64_t address;
    bool high;     // of a 4-bit element: the upper half of the byte
    bool isInside; // of the tensor
  };
  /// Calls f(linear, place) for each element, in row-major order; stops at a failure.
  template <class F> Status forEach(F f) const {
    size_t rank = coordinates.size(), count = 1;
    for (const auto &one : coordinates)
      count *= one.size();
    std::vector<size_t> at(rank, 0);
    for (size_t linear = 0; linear < count; ++linear) {
      TESSERA_CHECK(f(linear, placeOf(at)));
      for (size_t d = rank; d-- > 0;) {
        if (++at[d] < coordinates[d].size())
          break;
        at[d] = 0;
      }
    }
    return Done{};
  }

private:
  Window(const Type &type, const TensorView &tensor) : type(type), tensor(tensor) {}

  Place placeOf(const std::vector<size_t> &at) const {
    using Wide = unsigned __int128;
    constexpr Wide most = ~uint64_t(0);
    Wide element = 0; // saturates: an address past 64 bits is in no array
    for (size_t d = 0; d < at.size(); ++d) {
      size_t dim = tensorDim(type, d);
      int64_t coordinate = coordinates[d][at[d]];
      if (coordinate < 0 || coordinate >= tensor.shape[dim])
        return {0, false, false};
      element =
          std::min(element + Wide(uint64_t(coordinate)) * uint64_t(tensor.strides[dim]), most);
    }
    Wide offset = element * bits;
    return {uint64_t(std::min(tensor.base + offset / 8, most)), offset % 8 != 0, true};
  }

  static constexpr __int128 mostCoordinate = std::numeric_limits<int64_t>::max();
  const Type &type;
  const TensorView &tensor;
  unsigned bits = 8;
  std::vector<std::vector<int64_t>> coordinates; // of the tensor, for each dimension of the tile
};

/// What an element outside of the tensor reads as.
uint64_t paddingOf(const Step &step, const Type &view, TypeKind element) {
  if (!view.padding)
    return step.block.random() & lowBits(bitsOf(element));
  switch (*view.padding) {
  case PaddingValue::Zero: return isFloat(element) ? encode(element, 0.0) : 0;
  case PaddingValue::NegZero: return signBitOf(element);
  case PaddingValue::Nan: return nanOf(element);
  case PaddingValue::PosInf: return infinityOf(element, false);
  case PaddingValue::NegInf: return infinityOf(element, true);
  }
  return 0;
}

/// The attribute inbounds, the fourth of loads and stores.
const std::vector<int64_t> *inboundsOf(const Step &step) {
  return step.has(3) ? &step.complexAttribute(3).numbers : nullptr;
}

// Columns: view index* token?; tile view index* token?; view index* value token?
Status runLoad(Step &step) {
  TESSERA_CHECK(takeTurn(step));
  const Value &view = step.operand(0);
  const Type &type = step.program().type(view.type), &tile = step.result();
  TypeKind element = step.element(tile);
  TESSERA_TRY(Window window, Window::of(step, view, 1, inboundsOf(step)));
  TileAccess access(step, element, step.optional(2));
  Codes out(size_t(elementsOf(tile)));
  TESSERA_CHECK(window.forEach([&](size_t i, Window::Place place) -> Status {
    if (!place.isInside) {
      out[i] = paddingOf(step, type, element);
      return Done{};
    }
    TESSERA_TRY(out[i], access.load(place.address, place.high, tile, i));
    return Done{};
  }));
  step.add(std::move(out));
  step.addToken(access.token());
  return Done{};
}
Status runStore(Step &step) {
  TESSERA_CHECK(takeTurn(step));
  const Type &tile = step.operandType(0);
  TESSERA_TRY(Window window, Window::of(step, step.operand(1), 2, inboundsOf(step)));
  TileAccess access(step, step.element(tile), step.optional(3));
  const Codes &codes = step.codes(0);
  TESSERA_CHECK(window.forEach([&](size_t i, Window::Place place) -> Status {
    return place.isInside ? access.store(place.address, place.high, codes[i], tile, i)
                          : Status(Done{});
  }));
  step.addToken(access.token());
  return Done{};
}
Status runReduce(Step &step) {
  TESSERA_CHECK(takeTurn(step));
  size_t value = step.firstOf(2);
  const Type &tile = step.operandType(value);
  TypeKind element = step.element(tile);
  auto mode = step.attributeAs<AtomicRMWMode>(2);
  TESSERA_TRY(Window window, Window::of(step, step.operand(0), 1, nullptr));
  TileAccess access(step, element, step.optional(3));
  const Codes &codes = step.codes(value);
  TESSERA_CHECK(window.forEach([&](size_t i, Window::Place place) -> Status {
    if (!place.isInside)
      return Done{};
    auto update = [&](uint64_t old) {
      return std::optional(updated(mode, element, old, codes[i]));
    };
    TESSERA_CHECK(access.update(place.address, tile, i, update));
    return Done{};
  }));
  step.addToken(access.token());
  return Done{};
}

/// Whether a tile and indices fit a view; `first` is the operand of the first index.
Problem checkWindow(const Signed &s, const Type &view, const Type &tile, size_t first,
                    size_t count) {
  const Type &tensor = s.program.type(view.element);
  if (tile.kind != TypeKind::Tile || tile.shape != view.shape ||
      s.element(tile) != s.element(tensor))
    return "expects a tile of the shape and the elements of the view";
  if (count != view.shape.size())
    return cat("expects ", view.shape.size(), " indices, but got ", count);
  for (size_t d = 0; d < count; ++d) {
    const Type &index = s.operand(first + d);
    bool isSparse = view.kind == TypeKind::GatherScatterView && d == view.sparseDim;
    std::vector<int64_t> shape;
    if (isSparse)
      shape.push_back(view.shape[d]);
    if (index.kind != TypeKind::Tile || !isInteger(s.element(index)) || index.shape != shape)
      return cat("expects ", isSparse ? "a tile of row numbers" : "an integer", " as index ", d);
  }
  return {};
}
Problem checkOrdering(const Signed &s, MemoryOrderingSemantics strongest) {
  auto ordering = MemoryOrderingSemantics(s.attribute(0));
  if (ordering != MemoryOrderingSemantics::Weak && ordering != MemoryOrderingSemantics::Relaxed &&
      ordering != strongest)
    return cat("expects the memory ordering weak, relaxed or ", keyword(strongest), ", but got ",
               keyword(ordering));
  if (s.has(1) != (ordering != MemoryOrderingSemantics::Weak))
    return "expects a memory scope exactly if the ordering is not weak";
  return {};
}
Problem checkLoad(const Signed &s) {
  if (Problem problem = checkOrdering(s, MemoryOrderingSemantics::Acquire))
    return problem;
  return checkWindow(s, s.operand(0), s.result(0), 1, s.countOf(1));
}
Problem checkStore(const Signed &s) {
  if (Problem problem = checkOrdering(s, MemoryOrderingSemantics::Release))
    return problem;
  return checkWindow(s, s.operand(1), s.operand(0), 2, s.countOf(2));
}
Problem checkReduce(const Signed &s) {
  if (MemoryOrderingSemantics(s.attribute(0)) != MemoryOrderingSemantics::Relaxed)
    return "expects the memory ordering relaxed";
  const Type &view = s.operand(0), &tile = s.operand(s.firstOf(2));
  if (view.kind == TypeKind::GatherScatterView)
    return "expects a view other than a gather_scatter_view";
  if (tile.kind != TypeKind::Tile)
    return "expects a tile";
  auto mode = AtomicRMWMode(s.attribute(2));
  if (mode == AtomicRMWMode::Xchg)
    return "expects a mode other than xchg";
  if (Problem problem = checkMode(mode, s.element(tile)))
    return problem;
  return checkWindow(s, view, tile, 1, s.countOf(1));
}

//===--- Questions about views

/// Integers as results; narrower results get the low bits.
template <class F> Status runNumbers(Step &step, F number) {
  for (size_t d = 0; d < step.instruction.results; ++d)
    step.add(Codes{uint64_t(number(d)) & lowBits(bitsOf(step.element(step.result(d))))});
  return Done{};
}
Status runTensorShape(Step &step) {
  return runNumbers(step, [&](size_t d) { return step.operand(0).view->shape[d]; });
}
Status runIndexSpace(Step &step) {
  const Type &view = step.operandType(0);
  return runNumbers(step, [&](size_t d) { return indexCount(view, *step.operand(0).view, d); });
}
Problem checkTensorShape(const Signed &s) {
  size_t rank = s.operand(0).shape.size();
  return s.results() == rank ? Problem() : cat("expects ", rank, " results, but got ", s.results());
}

constexpr Semantics rows[] = {
    {Op::MakeTensorView, "0:ptr 0:int 0:int -> tensor", runMakeTensorView, checkMakeTensorView},
    {Op::MakePartitionView, "tensor -> view", runMakeView, checkMakeView<TypeKind::PartitionView>},
    {Op::MakeStridedView, "tensor -> view", runMakeView, checkMakeView<TypeKind::StridedView>},
    {Op::MakeGatherScatterView, "tensor -> view", runMakeView,
     checkMakeView<TypeKind::GatherScatterView>},
    {Op::LoadViewTko, "view any token -> any token", runLoad, checkLoad},
    {Op::StoreViewTko, "any view any token -> token", runStore, checkStore},
    {Op::AtomicRedViewTko, "view any any token -> token", runReduce, checkReduce},
    {Op::GetTensorShape, "tensor -> 0:int", runTensorShape, checkTensorShape},
    {Op::GetIndexSpaceShape, "view -> 0:int", runIndexSpace, checkTensorShape},
};

} // namespace

std::span<const Semantics> viewRows() { return rows; }

} // namespace tessera::tile_eval
