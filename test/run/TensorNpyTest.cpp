// Tensors from and to .npy arrays: values, orders, types by name and by bits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/run/Npy.h"
#include "tessera/run/Tensor.h"

#include "test/run/Check.h"

#include <cmath>
#include <cstring>

using namespace tessera;
using namespace tessera::run;

namespace {

using Numbers = std::vector<int64_t>;

template <class T>
NpyArray array(NpyKind kind, Numbers shape, std::vector<T> values, bool fortran = false) {
  NpyArray out;
  out.type = {kind, int(sizeof(T))};
  out.shape = std::move(shape);
  out.fortranOrder = fortran;
  out.data = must(Bytes::zeros(values.size() * sizeof(T)));
  std::memcpy(out.data.data(), values.data(), out.data.size());
  return out;
}

NpyArray floats(std::vector<float> values) {
  int64_t count = int64_t(values.size());
  return array(NpyKind::Float, {count}, std::move(values));
}
NpyArray bytes(NpyKind kind, std::vector<uint8_t> values) {
  int64_t count = int64_t(values.size());
  return array(kind, {count}, std::move(values));
}

std::vector<double> valuesOf(const Tensor &tensor) {
  std::vector<double> out;
  for (int64_t flat = 0; flat < tensor.size(); ++flat)
    out.push_back(tensor.at(coordinate(tensor.shape(), flat)));
  return out;
}
using Values = std::vector<double>;

} // namespace

TEST(TensorNpy, ElementsKeepTheirCoordinates) {
  // [[1, 2, 3], [4, 5, 6]] in C order and in Fortran order, into three layouts.
  NpyArray c = array<int16_t>(NpyKind::Int, {2, 3}, {1, 2, 3, 4, 5, 6});
  NpyArray f = array<int16_t>(NpyKind::Int, {2, 3}, {1, 4, 2, 5, 3, 6}, true);
  for (const NpyArray *file : {&c, &f})
    for (const std::optional<Numbers> &strides :
         {std::optional<Numbers>(), std::optional(Numbers{1, 2}), std::optional(Numbers{16, 2})}) {
      Tensor tensor = must(fromNpy(*file, std::nullopt, strides));
      EXPECT_EQ(tensor.dtype(), Dtype::s16);
      EXPECT_EQ(valuesOf(tensor), (Values{1, 2, 3, 4, 5, 6}));
      EXPECT_EQ(tensor.strides(), strides.value_or(Numbers{3, 1}));
    }
  Tensor columns = must(fromNpy(c, std::nullopt, Numbers{1, 2}));
  EXPECT_EQ(columns.bytes()[2], std::byte(4)); // [1, 0] is the second in memory
  EXPECT_EQ(refusal(fromNpy(c, std::nullopt, Numbers{1})),
            "expects one stride for each mode, but got the shape (2, 3) and the strides (1)");
}

TEST(TensorNpy, EveryTypeRoundTrips) {
  std::mt19937_64 random = generator();
  for (Dtype type : allTypes()) {
    Tensor tensor = must(Tensor::make(type, {3, 4, 5}, Numbers{1, 64, 5}));
    fillRandom(tensor, random());
    NpyArray file = must(toNpy(tensor));
    EXPECT_EQ(file.shape, tensor.shape());
    Tensor back = must(fromNpy(file, type));
    EXPECT_EQ(back.dtype(), type);
    for (int64_t flat = 0; flat < tensor.size(); ++flat) {
      Coord coord = coordinate(tensor.shape(), flat);
      EXPECT_EQ(back.codeAt(coord), tensor.codeAt(coord)) << name(type);
    }
  }
}

TEST(TensorNpy, TypesInFiles) {
  const std::pair<Dtype, const char *> types[] = {
      {Dtype::f64, "f8"},  {Dtype::f32, "f4"},  {Dtype::tf32, "f4"}, {Dtype::f16, "f2"},
      {Dtype::bf16, "V2"}, {Dtype::e4m3, "V1"}, {Dtype::e5m2, "V1"}, {Dtype::ue8m0, "V1"},
      {Dtype::e2m1, "V1"}, {Dtype::b1, "b1"},   {Dtype::s4, "i1"},   {Dtype::s8, "i1"},
      {Dtype::s16, "i2"},  {Dtype::s32, "i4"},  {Dtype::s64, "i8"},  {Dtype::u8, "u1"},
      {Dtype::u16, "u2"},  {Dtype::u32, "u4"},  {Dtype::u64, "u8"},  {Dtype::e2m3, "V1"},
      {Dtype::e3m2, "V1"}, {Dtype::s2, "i1"},   {Dtype::u4, "u1"},   {Dtype::u2, "u1"},
      {Dtype::u1, "b1"}};
  ASSERT_EQ(std::size(types), allTypes().size());
  for (auto [type, file] : types)
    EXPECT_EQ(str(must(toNpy(must(Tensor::make(type, {1})))).type), file) << name(type);
}

TEST(TensorNpy, BitsOfTypesWithoutAName) {
  // bfloat16: 1.0 is 0x3F80, -2.0 is 0xC000.
  std::vector<uint16_t> bits = {0x3F80, 0xC000};
  for (NpyKind kind : {NpyKind::Raw, NpyKind::Unsigned, NpyKind::Int})
    EXPECT_EQ(valuesOf(must(fromNpy(array(kind, {2}, bits), Dtype::bf16))), (Values{1, -2}));
  // f8E4M3FN: 0x38 is 1, 0xB8 is -1. f8E5M2: 0x3C is 1. f8E8M0FNU: 0x80 is 2.
  EXPECT_EQ(valuesOf(must(fromNpy(bytes(NpyKind::Raw, {0x38, 0xB8}), Dtype::e4m3))),
            (Values{1, -1}));
  EXPECT_EQ(valuesOf(must(fromNpy(bytes(NpyKind::Unsigned, {0x3C}), Dtype::e5m2))), (Values{1}));
  EXPECT_EQ(valuesOf(must(fromNpy(bytes(NpyKind::Unsigned, {0x80}), Dtype::ue8m0))), (Values{2}));
  EXPECT_EQ(valuesOf(must(fromNpy(bytes(NpyKind::Raw, {0x2, 0xF}), Dtype::e2m1))), (Values{1, -6}));
  // f6E2M3FN: 0x08 is 1, 0x3F is -7.5. f6E3M2FN: 0x0C is 1, 0x1F is 28.
  EXPECT_EQ(valuesOf(must(fromNpy(bytes(NpyKind::Raw, {0x08, 0x3F}), Dtype::e2m3))),
            (Values{1, -7.5}));
  EXPECT_EQ(valuesOf(must(fromNpy(bytes(NpyKind::Unsigned, {0x0C, 0x1F}), Dtype::e3m2))),
            (Values{1, 28}));
  std::vector<uint32_t> word = {0x3F800000};
  EXPECT_EQ(valuesOf(must(fromNpy(array(NpyKind::Unsigned, {1}, word), Dtype::tf32))), (Values{1}));
  // Raw bytes are whatever the user says, if the size is right.
  EXPECT_EQ(valuesOf(must(fromNpy(array<uint16_t>(NpyKind::Raw, {1}, {0x3C00}), Dtype::f16))),
            (Values{1}));
}

TEST(TensorNpy, ValuesAreConverted) {
  EXPECT_EQ(valuesOf(must(fromNpy(floats({1.00390625f, 3e38f, 1e-3f}), Dtype::bf16))),
            (Values{1, 0x1.C4p127, 0x1.06p-10}));
  EXPECT_EQ(valuesOf(must(fromNpy(floats({1000, -0.3f}), Dtype::e4m3))), (Values{448, -0.3125}));
  EXPECT_EQ(valuesOf(must(fromNpy(floats({2.5f, -7}), Dtype::e2m1))), (Values{2, -6}));
  EXPECT_EQ(valuesOf(must(fromNpy(floats({0.3f, -100}), Dtype::e2m3))), (Values{0.25, -7.5}));
  EXPECT_EQ(valuesOf(must(fromNpy(bytes(NpyKind::Bool, {1, 0}), Dtype::u1))), (Values{1, 0}));
  EXPECT_EQ(valuesOf(must(fromNpy(bytes(NpyKind::Int, {0xFE, 1}), Dtype::s2))), (Values{-2, 1}));
  EXPECT_EQ(valuesOf(must(fromNpy(floats({1 + 0x1p-11f}), Dtype::tf32))), (Values{1}));
  EXPECT_EQ(valuesOf(must(fromNpy(floats({0.1f}), Dtype::f16))), (Values{0.0999755859375}));
  EXPECT_EQ(valuesOf(must(fromNpy(floats({3, -4}), Dtype::s8))), (Values{3, -4}));
  NpyArray numbers = array<int64_t>(NpyKind::Int, {2}, {-5, 7});
  EXPECT_EQ(valuesOf(must(fromNpy(numbers, Dtype::f32))), (Values{-5, 7}));
  EXPECT_EQ(valuesOf(must(fromNpy(numbers, Dtype::s4))), (Values{-5, 7}));
  EXPECT_EQ(valuesOf(must(fromNpy(numbers, Dtype::bf16))), (Values{-5, 7})); // 8 bytes: no bits
  NpyArray large = array<uint64_t>(NpyKind::Unsigned, {1}, {0x7FFFFFFFFFFFFFFF});
  EXPECT_EQ(must(fromNpy(large, Dtype::s64)).codeAt({0}), 0x7FFFFFFFFFFFFFFFu); // not via double
}

TEST(TensorNpy, WhatATypeCannotRepresentIsRefused) {
  EXPECT_EQ(refusal(fromNpy(floats({1, 0.5f}), Dtype::s32)),
            "the element at (1) of the .npy file is 0.5, which i32 cannot represent");
  EXPECT_EQ(refusal(fromNpy(floats({NAN}), Dtype::s32)),
            "the element at (0) of the .npy file is nan, which i32 cannot represent");
  NpyArray numbers = array<int32_t>(NpyKind::Int, {2, 2}, {1, 2, 300, 4}, true);
  EXPECT_EQ(refusal(fromNpy(numbers, Dtype::s8)),
            "the element at (0, 1) of the .npy file is 300, which i8 cannot represent");
  EXPECT_EQ(refusal(fromNpy(array<int32_t>(NpyKind::Int, {1}, {-1}), Dtype::u64)),
            "the element at (0) of the .npy file is -1, which u64 cannot represent");
  EXPECT_FALSE(fromNpy(array<uint64_t>(NpyKind::Unsigned, {1}, {1ull << 63}), Dtype::s64));
  // Two elements in a byte: the file is packed, and its shape says something else.
  EXPECT_EQ(refusal(fromNpy(bytes(NpyKind::Raw, {0x1, 0x5A}), Dtype::e2m1)),
            "the element at (1) of the .npy file is 0x5a, which f4E2M1FN cannot represent");
  EXPECT_EQ(valuesOf(must(fromNpy(bytes(NpyKind::Raw, {0x1, 0xF8, 0x8}), Dtype::s4))),
            (Values{1, -8, -8}));
  for (int code : {0x18, 0xF0, 0x88})
    EXPECT_FALSE(fromNpy(bytes(NpyKind::Raw, {uint8_t(code)}), Dtype::s4)) << code;
  EXPECT_FALSE(fromNpy(bytes(NpyKind::Raw, {0x40}), Dtype::e2m3));
  EXPECT_FALSE(fromNpy(bytes(NpyKind::Raw, {0xFF}), Dtype::u4));
  EXPECT_FALSE(fromNpy(bytes(NpyKind::Int, {2}), Dtype::s2));
  EXPECT_FALSE(fromNpy(bytes(NpyKind::Unsigned, {2}), Dtype::u1));
}

TEST(TensorNpy, BroadcastsTooLargeForAFileAreRefused) {
  Tensor one = must(Tensor::make(Dtype::f64, {int64_t(1) << 61}, Numbers{0}));
  EXPECT_EQ(one.bytes().size(), 8u);
  EXPECT_EQ(refusal(toNpy(one)),
            "the shape (2305843009213693952) has more than 2^63 - 1 elements or bytes");
}

TEST(TensorNpy, RawElementsNeedAType) {
  EXPECT_EQ(refusal(fromNpy(array<uint16_t>(NpyKind::Raw, {1}, {0}))),
            "the .npy file has raw elements (V2), which do not say their type: name it, e.g. "
            "bf16:FILE.npy");
  EXPECT_EQ(refusal(fromNpy(bytes(NpyKind::Raw, {0}))),
            "the .npy file has raw elements (V1), which do not say their type: name it, e.g. "
            "f8E4M3FN:FILE.npy");
  EXPECT_EQ(refusal(fromNpy(bytes(NpyKind::Raw, {0}), Dtype::bf16)),
            "the .npy file has raw elements (V1) of 8 bits, which cannot be bf16 of 16 bits");
}
