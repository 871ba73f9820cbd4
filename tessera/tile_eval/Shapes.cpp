// Ops that make, move and rearrange elements: constants, iota, reshape, broadcast, permute, cat,
// extract, insert.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_bytecode/Constants.h"
#include "tessera/tile_eval/Semantics.h"

namespace tessera::tile_eval {

namespace {

using Shape = std::vector<int64_t>;

/// Strides of a tile in row-major order.
Shape rowMajor(const Shape &shape) {
  Shape strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;)
    strides[d - 1] = strides[d] * shape[d];
  return strides;
}

/// Calls f(i, at) for all coordinates of a shape in row-major order: i counts them, `at` is the sum
/// of coordinates times strides, from an offset.
template <class F> void walk(const Shape &shape, const Shape &strides, int64_t offset, F f) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  Shape coordinate(shape.size(), 0);
  int64_t at = offset;
  for (int64_t i = 0; i < count; ++i) {
    f(size_t(i), size_t(at));
    for (size_t d = shape.size(); d-- > 0;) {
      at += strides[d];
      if (++coordinate[d] < shape[d])
        break;
      at -= strides[d] * shape[d];
      coordinate[d] = 0;
    }
  }
}

//===--- New tiles

Status runConstant(Step &step) {
  const Type &type = step.result();
  Codes codes = constantCodes(step.program(), Index(step.attribute(0)), type);
  if (step.block.batch() > 1 && codes.size() == 1)
    codes.assign(step.block.batch(), codes[0]);
  step.add(std::move(codes));
  return Done{};
}
Status runIota(Step &step) {
  Codes codes(size_t(elementsOf(step.result())));
  for (size_t i = 0; i < codes.size(); ++i)
    codes[i] = i;
  step.add(std::move(codes));
  return Done{};
}
std::optional<std::string> checkIota(const Signed &s) {
  const Type &type = s.result(0);
  if (type.shape.size() != 1)
    return "expects a tile of rank 1";
  if (uint64_t(type.shape[0]) - 1 > lowBits(bitsOf(s.element(type))))
    return cat("expects ", type.shape[0], " numbers to fit ", rowOf(s.element(type)).text);
  return {};
}

//===--- The same elements in another order

Status runReshape(Step &step) {
  step.add(step.operand(0).codes);
  return Done{};
}
std::optional<std::string> checkReshape(const Signed &s) {
  if (elementsOf(s.operand(0)) != elementsOf(s.result(0)))
    return cat("expects ", elementsOf(s.operand(0)), " elements, but got ",
               elementsOf(s.result(0)));
  return {};
}

Status runBroadcast(Step &step) {
  const Shape &from = step.operandType(0).shape, &to = step.result().shape;
  Shape strides = rowMajor(from);
  for (size_t d = 0; d < from.size(); ++d)
    if (from[d] == 1)
      strides[d] = 0;
  const Codes &in = step.codes(0);
  Codes out(size_t(elementsOf(step.result())));
  walk(to, strides, 0, [&](size_t i, size_t at) { out[i] = in[at]; });
  step.add(std::move(out));
  return Done{};
}
std::optional<std::string> checkBroadcast(const Signed &s) {
  const Shape &from = s.operand(0).shape, &to = s.result(0).shape;
  if (from.size() != to.size())
    return "expects tiles of the same rank";
  for (size_t d = 0; d < from.size(); ++d)
    if (from[d] != to[d] && from[d] != 1)
      return cat("expects extent 1 or ", to[d], " in dimension ", d, ", but got ", from[d]);
  return {};
}

Status runPermute(Step &step) {
  Shape strides = rowMajor(step.operandType(0).shape), permuted;
  for (int64_t d : step.complexAttribute(0).numbers)
    permuted.push_back(strides[size_t(d)]);
  const Codes &in = step.codes(0);
  Codes out(in.size());
  walk(step.result().shape, permuted, 0, [&](size_t i, size_t at) { out[i] = in[at]; });
  step.add(std::move(out));
  return Done{};
}
std::optional<std::string> checkPermute(const Signed &s) {
  const Shape &from = s.operand(0).shape, &to = s.result(0).shape;
  const std::vector<int64_t> &permutation = s.program.attributes[s.attribute(0)].numbers;
  if (permutation.size() != from.size() || to.size() != from.size())
    return cat("expects a permutation of ", from.size(), " dimensions");
  std::vector<bool> seen(from.size());
  for (size_t d = 0; d < from.size(); ++d) {
    int64_t source = permutation[d];
    if (source < 0 || size_t(source) >= from.size() || seen[size_t(source)])
      return "expects a permutation";
    seen[size_t(source)] = true;
    if (to[d] != from[size_t(source)])
      return cat("expects extent ", from[size_t(source)], " in dimension ", d, ", but got ", to[d]);
  }
  return {};
}

//===--- Parts of tiles

Status runCat(Step &step) {
  size_t dim = step.attribute(0);
  const Type &result = step.result();
  Shape strides = rowMajor(result.shape);
  Codes out(size_t(elementsOf(result)));
  int64_t offset = 0;
  for (size_t k = 0; k < 2; ++k) {
    const Codes &in = step.codes(k);
    walk(step.operandType(k).shape, strides, offset, [&](size_t i, size_t at) { out[at] = in[i]; });
    offset = step.operandType(0).shape[dim] * strides[dim];
  }
  step.add(std::move(out));
  return Done{};
}
std::optional<std::string> checkCat(const Signed &s) {
  const Shape &a = s.operand(0).shape, &b = s.operand(1).shape, &to = s.result(0).shape;
  size_t dim = s.attribute(0);
  if (a.size() != b.size() || a.size() != to.size() || dim >= a.size())
    return "expects tiles of one rank and a dimension below it";
  for (size_t d = 0; d < a.size(); ++d)
    if (d == dim ? to[d] != a[d] + b[d] : to[d] != a[d] || to[d] != b[d])
      return cat("expects an extent of ", d == dim ? a[d] + b[d] : a[d], " in dimension ", d,
                 ", but got ", to[d]);
  return {};
}

/// The offset of the slice that the indices choose, in elements of the whole; `first` is the
/// operand of the first index.
Result<int64_t> sliceOffset(const Step &step, const Shape &whole, const Shape &slice,
                            size_t first) {
  Shape strides = rowMajor(whole);
  int64_t offset = 0;
  for (size_t d = 0; d < whole.size(); ++d) {
    uint64_t index = step.codes(first + d)[0], slices = uint64_t(whole[d] / slice[d]);
    if (index >= slices)
      return fail(Error::SliceIndex, step.where(), d, slices, index);
    offset += int64_t(index) * slice[d] * strides[d];
  }
  return offset;
}
std::optional<std::string> checkSlice(const Shape &whole, const Shape &slice, size_t indices) {
  if (whole.size() != slice.size() || indices != whole.size())
    return cat("expects tiles of one rank and as many indices, but got ", indices);
  for (size_t d = 0; d < whole.size(); ++d)
    if (slice[d] > whole[d]) // extents are powers of two
      return cat("expects an extent that divides ", whole[d], " in dimension ", d, ", but got ",
                 slice[d]);
  return {};
}
Status runExtract(Step &step) {
  const Shape &whole = step.operandType(0).shape, &slice = step.result().shape;
  TESSERA_TRY(int64_t offset, sliceOffset(step, whole, slice, 1));
  const Codes &in = step.codes(0);
  Codes out(size_t(elementsOf(step.result())));
  walk(slice, rowMajor(whole), offset, [&](size_t i, size_t at) { out[i] = in[at]; });
  step.add(std::move(out));
  return Done{};
}
std::optional<std::string> checkExtract(const Signed &s) {
  return checkSlice(s.operand(0).shape, s.result(0).shape, s.operands.size() - 1);
}
Status runInsert(Step &step) {
  const Shape &slice = step.operandType(0).shape, &whole = step.operandType(1).shape;
  TESSERA_TRY(int64_t offset, sliceOffset(step, whole, slice, 2));
  const Codes &in = step.codes(0);
  Codes out = step.codes(1);
  walk(slice, rowMajor(whole), offset, [&](size_t i, size_t at) { out[at] = in[i]; });
  step.add(std::move(out));
  return Done{};
}
std::optional<std::string> checkInsert(const Signed &s) {
  return checkSlice(s.operand(1).shape, s.operand(0).shape, s.operands.size() - 2);
}

constexpr Semantics rows[] = {
    {Op::Constant, "-> A:number", runConstant, nullptr, true},
    {Op::Iota, "-> A:int", runIota, checkIota},
    {Op::Reshape, "A/e:any -> B/e", runReshape, checkReshape},
    {Op::Broadcast, "A/e:any -> B/e", runBroadcast, checkBroadcast},
    {Op::Permute, "A/e:any -> B/e", runPermute, checkPermute},
    {Op::Cat, "A/e:any B/e -> C/e", runCat, checkCat},
    {Op::Extract, "A/e:any 0:i32 -> B/e", runExtract, checkExtract},
    {Op::Insert, "A/e:any B/e 0:i32 -> B/e", runInsert, checkInsert},
};

} // namespace

std::span<const Semantics> shapeRows() { return rows; }

} // namespace tessera::tile_eval
