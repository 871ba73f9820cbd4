// Tensors: making them, finding elements, filling them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/run/Tensor.h"

#include "tessera/run/Npy.h"

#include <algorithm>
#include <cassert>

namespace tessera::run {

std::vector<int64_t> rowMajor(std::span<const int64_t> shape) {
  std::vector<int64_t> strides(shape.size());
  int64_t step = 1;
  for (size_t mode = shape.size(); mode-- > 0;) {
    strides[mode] = step;
    step *= std::max<int64_t>(shape[mode], 1);
  }
  return strides;
}

std::vector<int64_t> columnMajor(std::span<const int64_t> shape) {
  std::vector<int64_t> reversed(shape.rbegin(), shape.rend());
  std::vector<int64_t> strides = rowMajor(reversed);
  std::reverse(strides.begin(), strides.end());
  return strides;
}

/// Extents with 0 counted as 1: what the products of a layout are bounded by.
static Result<int64_t> boundingCount(std::span<const int64_t> shape) {
  std::vector<int64_t> positive(shape.begin(), shape.end());
  for (int64_t &extent : positive)
    extent = std::max<int64_t>(extent, 1);
  return elementCount(positive);
}

/// One more than the largest offset.
static Result<int64_t> reachOf(std::span<const int64_t> shape, std::span<const int64_t> strides) {
  int64_t last = 0, step;
  for (size_t mode = 0; mode < shape.size(); ++mode)
    if (__builtin_mul_overflow(shape[mode] - 1, strides[mode], &step) ||
        __builtin_add_overflow(last, step, &last))
      return fail(Error::StrideOverflow, tuple(shape), tuple(strides));
  if (__builtin_add_overflow(last, int64_t(1), &last))
    return fail(Error::StrideOverflow, tuple(shape), tuple(strides));
  return last;
}

Result<Tensor> Tensor::make(Dtype type, std::vector<int64_t> shape,
                            std::optional<std::vector<int64_t>> strides) {
  for (int64_t extent : shape)
    if (extent < 0)
      return fail(Error::ShapeNegative, tuple(shape));
  if (!boundingCount(shape))
    return fail(Error::ShapeOverflow, tuple(shape));
  Tensor tensor;
  tensor.type = type;
  tensor.steps = strides ? *std::move(strides) : rowMajor(shape);
  tensor.extents = std::move(shape);
  if (tensor.steps.size() != tensor.extents.size())
    return fail(Error::StrideRank, tuple(tensor.extents), tuple(tensor.steps));
  for (int64_t step : tensor.steps)
    if (step < 0)
      return fail(Error::StrideNegative, tuple(tensor.steps));
  TESSERA_TRY(tensor.count, elementCount(tensor.extents));
  if (tensor.count != 0) {
    TESSERA_TRY(tensor.reach, reachOf(tensor.extents, tensor.steps));
  }
  TESSERA_TRY(int64_t size, storageBytes(type, tensor.reach));
  TESSERA_TRY(tensor.memory, Bytes::zeros(size_t(size)));
  return tensor;
}

Result<Tensor> Tensor::clone() const {
  TESSERA_TRY(Tensor copy, make(type, extents, steps));
  std::copy_n(memory.data(), memory.size(), copy.memory.data());
  return copy;
}

int64_t Tensor::offset(const Coord &coord) const {
  assert(coord.size() == extents.size());
  int64_t out = 0;
  for (size_t mode = 0; mode < coord.size(); ++mode) {
    assert(coord[mode] >= 0 && coord[mode] < extents[mode]);
    out += coord[mode] * steps[mode];
  }
  return out;
}

std::string Tensor::str() const { return cat(name(type), " ", tuple(extents), ":", tuple(steps)); }

Coord coordinate(std::span<const int64_t> shape, int64_t flat) {
  Coord coord(shape.size());
  for (size_t mode = shape.size(); mode-- > 0;) {
    coord[mode] = flat % shape[mode];
    flat /= shape[mode];
  }
  return coord;
}

uint64_t splitMix64(uint64_t seed, uint64_t index) {
  uint64_t z = seed + (index + 1) * 0x9E3779B97F4A7C15;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
  z = (z ^ z >> 27) * 0x94D049BB133111EB;
  return z ^ z >> 31;
}

uint64_t randomCode(Dtype type, uint64_t seed, uint64_t flat) {
  uint64_t r = splitMix64(seed, flat);
  if (type == Dtype::ue8m0)
    return 127 + (r >> 61) - 4; // the bias and the exponent
  if (isFloat(type))
    return fromDouble(type, double(r >> 11) * 0x1p-52 - 1);
  if (type == Dtype::b1)
    return r >> 63;
  if (valueBits(type) < 4)
    return r >> (64 - valueBits(type));
  return fromDouble(type, double(r >> 60) + (integerRange(type).min < 0 ? -8 : 0));
}

void fillRandom(Tensor &tensor, uint64_t seed) {
  uint64_t flat = 0;
  walk(tensor.shape(), tensor.strides(), tensor.strides(), [&](int64_t at, int64_t) {
    storeCode(tensor.dtype(), tensor.bytes().data(), at, randomCode(tensor.dtype(), seed, flat++));
  });
}

void fillPoison(Tensor &tensor) { std::ranges::fill(tensor.bytes(), std::byte(0xFF)); }

} // namespace tessera::run
