// Views of tensors in memory: where their tiles lie, edges, padding, gather and scatter. Expected
// elements are closed forms of the coordinates.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Kernel.h"

#include <gtest/gtest.h>

using namespace tessera;
using namespace tessera::tile_eval;
using namespace tessera::tile_eval::test;
using tile_bytecode::dynamic;
using tile_bytecode::PaddingValue;

namespace {

constexpr uint64_t weak = 0, relaxed = 1, device = 1;

/// A kernel that copies one tile of a view of argument 0 to the dense array at argument 1. The
/// tensor's dynamic extents and strides are constants of i64.
struct Copy {
  std::string element = "i32";
  std::vector<int64_t> shape, strides; // of the tensor
  bool isDynamic = false;
  Type view; // without its tensor_view
  std::vector<uint64_t> indices;
  std::optional<std::vector<int64_t>> inbounds = {};
  std::vector<uint64_t> rows = {}; // of a gather

  Program make(bool stores = false) const {
    Kernel kernel({"ptr<" + element + ">", "ptr<" + element + ">"});
    Type tensor{.kind = TypeKind::TensorView, .shape = shape, .strides = strides};
    tensor.element = kernel.program.type(kernel.type(element)).element;
    std::vector<std::vector<Index>> given{{0}, {}, {}};
    if (isDynamic)
      for (size_t list = 0; list < 2; ++list)
        for (int64_t &n : list ? tensor.strides : tensor.shape) {
          given[list + 1].push_back(kernel.constant("i64", {uint64_t(n)}));
          n = dynamic;
        }
    Index tensorType = kernel.define("tensor", tensor);
    Type viewType = view;
    viewType.element = tensorType;
    kernel.define("view", viewType);
    Index of = kernel.add(Op::MakeTensorView, {"tensor"}, {}, given);
    Op make = view.kind == TypeKind::PartitionView ? Op::MakePartitionView
              : view.kind == TypeKind::StridedView ? Op::MakeStridedView
                                                   : Op::MakeGatherScatterView;
    Index v = kernel.add(make, {"view"}, {}, {{of}});
    std::vector<Index> at;
    for (size_t d = 0; d < indices.size(); ++d)
      at.push_back(view.kind == TypeKind::GatherScatterView && d == view.sparseDim
                       ? kernel.constant(cat(rows.size(), "xi32"), rows)
                       : kernel.constant("i32", {indices[d]}));
    int64_t count = 1;
    std::string tile, flat;
    for (int64_t extent : view.shape) {
      tile += cat(extent, "x");
      count *= extent;
    }
    tile += element;
    flat = cat(count, "x", element);
    Attributes attributes{weak, std::nullopt, std::nullopt};
    if (inbounds)
      attributes.push_back(kernel.attribute({.kind = Attribute::Bools, .numbers = *inbounds}));
    Index dense = kernel.pointers(element, 1, count);
    if (stores) {
      Index value = kernel.add(Op::Reshape, {tile}, {}, {{kernel.load(flat, dense)}});
      kernel.add(Op::StoreViewTko, {"token"}, attributes, {{value}, {v}, at, {}});
    } else {
      Index value = kernel.add(Op::LoadViewTko, {tile, "token"}, attributes, {{v}, at, {}});
      kernel.store(dense, kernel.add(Op::Reshape, {flat}, {}, {{value}}));
    }
    return kernel.finish();
  }
};

/// What a copy makes of 0, 1, 2, ... in memory.
std::vector<uint32_t> loaded(const Copy &copy, size_t memory = 4096) {
  size_t count = 1;
  for (int64_t extent : copy.view.shape)
    count *= size_t(extent);
  std::vector<uint32_t> from(memory), to(count, 0xdead);
  for (size_t i = 0; i < memory; ++i)
    from[i] = uint32_t(i);
  Launcher launcher(copy.make());
  EXPECT_EQ(launcher.launch({launcher.array(from), launcher.array(to)}), "ok");
  return to;
}
std::string refused(const Copy &copy) {
  std::vector<uint32_t> from(64), to(64);
  Launcher launcher(copy.make());
  return launcher.launch({launcher.array(from), launcher.array(to)});
}

Type partition(std::vector<int64_t> tile, std::vector<int32_t> dims,
               std::optional<PaddingValue> padding = {}) {
  return {.kind = TypeKind::PartitionView, .shape = tile, .dims = dims, .padding = padding};
}

} // namespace

TEST(Views, TilesOfAPartitionFollowEachOther) {
  for (bool isDynamic : {false, true}) {
    Copy copy{.shape = {8, 16},
              .strides = {100, 1},
              .isDynamic = isDynamic,
              .view = partition({2, 4}, {0, 1}),
              .indices = {3, 2}};
    EXPECT_EQ(loaded(copy), (std::vector<uint32_t>{608, 609, 610, 611, 708, 709, 710, 711}));
  }
}

// Dimension 0 of the tile walks dimension 1 of the tensor.
TEST(Views, DimensionsOfATileMayBePermuted) {
  Copy copy{
      .shape = {8, 16}, .strides = {100, 1}, .view = partition({2, 4}, {1, 0}), .indices = {3, 1}};
  // Element (i, j) of the tile is (4 + j, 6 + i) of the tensor.
  EXPECT_EQ(loaded(copy), (std::vector<uint32_t>{406, 506, 606, 706, 407, 507, 607, 707}));
}

TEST(Views, WindowsOfAStridedViewOverlapOrLeaveOut) {
  Type view{.kind = TypeKind::StridedView, .shape = {4}, .strides = {3}, .dims = {0}};
  Copy copy{.shape = {16}, .strides = {2}, .view = view, .indices = {2}};
  EXPECT_EQ(loaded(copy), (std::vector<uint32_t>{12, 14, 16, 18})); // elements 6 to 9
  copy.view.strides = {5};
  EXPECT_EQ(loaded(copy), (std::vector<uint32_t>{20, 22, 24, 26}));
}

TEST(Views, RowsAreGatheredByTheirNumbers) {
  Type view{.kind = TypeKind::GatherScatterView,
            .shape = {4, 2},
            .padding = PaddingValue::Zero,
            .sparseDim = 0};
  Copy copy{
      .shape = {8, 16}, .strides = {100, 1}, .view = view, .indices = {0, 6}, .rows = {7, 0, 7, 3}};
  EXPECT_EQ(loaded(copy), (std::vector<uint32_t>{706, 707, 6, 7, 706, 707, 306, 307}));
  copy.rows = {1, 8, uint32_t(-1), 2}; // outside of the tensor
  EXPECT_EQ(loaded(copy), (std::vector<uint32_t>{106, 107, 0, 0, 0, 0, 206, 207}));
}

// The other index is the element where the tile starts: the example of CUDA Tile C++,
// gather_scatter_view, has its chunks start at column 3.
TEST(Views, ChunksOfAGatherStartAtAnyElement) {
  Type view{.kind = TypeKind::GatherScatterView,
            .shape = {4, 4},
            .padding = PaddingValue::Zero,
            .sparseDim = 0};
  Copy copy{
      .shape = {8, 10}, .strides = {10, 1}, .view = view, .indices = {0, 3}, .rows = {1, 5, 7, 5}};
  EXPECT_EQ(loaded(copy), (std::vector<uint32_t>{13, 14, 15, 16, 53, 54, 55, 56, //
                                                 73, 74, 75, 76, 53, 54, 55, 56}));
  copy.indices[1] = 8; // some of it is outside
  EXPECT_EQ(loaded(copy),
            (std::vector<uint32_t>{18, 19, 0, 0, 58, 59, 0, 0, 78, 79, 0, 0, 58, 59, 0, 0}));
  copy.indices[1] = uint32_t(-3);
  EXPECT_EQ(loaded(copy),
            (std::vector<uint32_t>{0, 0, 0, 10, 0, 0, 0, 50, 0, 0, 0, 70, 0, 0, 0, 50}));
  for (uint32_t outside : {uint32_t(-4), 10u}) {
    copy.indices[1] = outside;
    EXPECT_EQ(loaded(copy), std::vector<uint32_t>(16));
  }
}

TEST(Views, EdgesReadAsThePadding) {
  struct Case {
    const char *element;
    PaddingValue padding;
    uint64_t code;
  };
  for (auto [element, padding, code] :
       {Case{"i32", PaddingValue::Zero, 0}, Case{"f32", PaddingValue::Zero, 0},
        Case{"f32", PaddingValue::NegZero, 0x80000000},
        Case{"f32", PaddingValue::PosInf, 0x7f800000},
        Case{"f32", PaddingValue::NegInf, 0xff800000},
        Case{"tf32", PaddingValue::NegInf, 0xff800000}}) {
    Copy copy{.element = element,
              .shape = {3, 5},
              .strides = {8, 1},
              .view = partition({2, 4}, {0, 1}, padding),
              .indices = {1, 1}};
    uint32_t p = uint32_t(code);
    EXPECT_EQ(loaded(copy), (std::vector<uint32_t>{20, p, p, p, p, p, p, p}))
        << element << " " << keyword(padding);
  }
  Copy nan{.element = "f32",
           .shape = {1},
           .strides = {1},
           .view = partition({2}, {0}, PaddingValue::Nan),
           .indices = {0}};
  float element = std::bit_cast<float>(loaded(nan)[1]);
  EXPECT_NE(element, element);
}

TEST(Views, EdgesAreNotStored) {
  Copy copy{
      .shape = {3, 5}, .strides = {8, 1}, .view = partition({2, 4}, {0, 1}), .indices = {1, 1}};
  std::vector<uint32_t> to(64), from{1, 2, 3, 4, 5, 6, 7, 8}, expected(64);
  Launcher launcher(copy.make(true));
  EXPECT_EQ(launcher.launch({launcher.array(to), launcher.array(from)}), "ok");
  expected[2 * 8 + 4] = 1;
  EXPECT_EQ(to, expected);
}

// Without a padding value the seed chooses the bits outside.
TEST(Views, EdgesWithoutPaddingAreOpen) {
  Copy copy{.shape = {1}, .strides = {1}, .view = partition({2}, {0}), .indices = {0}};
  auto element = [&](uint64_t seed) {
    std::vector<uint32_t> from{1}, to(2);
    Launcher launcher(copy.make());
    launcher.launch({launcher.array(from), launcher.array(to)}, {1, 1, 1}, {.seed = seed});
    return to[1];
  };
  EXPECT_EQ(element(1), element(1));
  EXPECT_NE(element(1), element(2));
}

// Four bits: two elements share a byte, the first in the low half, also where a row begins in one.
TEST(Views, FourBitElementsArePacked) {
  Kernel kernel({"ptr<f4E2M1FN>", "ptr<i8>"});
  Type tensor{.kind = TypeKind::TensorView, .shape = {2, 4}, .strides = {5, 1}};
  tensor.element = kernel.program.type(kernel.type("f4E2M1FN")).element;
  Type view = partition({2, 4}, {0, 1});
  view.element = kernel.define("tensor", tensor);
  kernel.define("view", view);
  Index t = kernel.add(Op::MakeTensorView, {"tensor"}, {}, {{0}, {}, {}});
  Index v = kernel.add(Op::MakePartitionView, {"view"}, {}, {{t}});
  Index zero = kernel.constant("i32", {0});
  Index value =
      kernel.add(Op::LoadViewTko, {"2x4xf4E2M1FN", "token"}, {weak}, {{v}, {zero, zero}, {}});
  Index flat = kernel.add(Op::Reshape, {"8xf4E2M1FN"}, {}, {{value}});
  Index packed = kernel.add(Op::Pack, {"4xi8"}, {}, {{flat}});
  kernel.store(kernel.pointers("i8", 1, 4), packed);
  // The same elements with all bits inverted go back to where they came from.
  Index bytes = kernel.add(Op::XOrI, {"4xi8"}, {}, {{packed}, {kernel.constant("4xi8", {0xff})}});
  Index again = kernel.add(Op::Unpack, {"8xf4E2M1FN"}, {}, {{bytes}});
  Index tile = kernel.add(Op::Reshape, {"2x4xf4E2M1FN"}, {}, {{again}});
  kernel.add(Op::StoreViewTko, {"token"}, {weak}, {{tile}, {v}, {zero, zero}, {value + 1}});
  Launcher launcher(kernel.finish());
  // Nibbles 0 to 3, then 5 to 8; number 4 and 9 are between rows.
  std::vector<uint8_t> from{0x21, 0x43, 0x95, 0x76, 0xf8}, to(4);
  EXPECT_EQ(launcher.launch({launcher.array(from), launcher.array(to)}), "ok");
  EXPECT_EQ(to, (std::vector<uint8_t>{0x21, 0x43, 0x69, 0x87}));
  EXPECT_EQ(from, (std::vector<uint8_t>{0xde, 0xbc, 0x65, 0x89, 0xf7}));
}

TEST(Views, TellTheirShapes) {
  Kernel kernel({"ptr<f32>", "ptr<i64>"});
  Type tensor{.kind = TypeKind::TensorView, .shape = {100, 33}, .strides = {dynamic, 1}};
  tensor.element = kernel.program.type(kernel.type("f32")).element;
  Type part = partition({16, 8}, {1, 0});
  part.element = kernel.define("tensor", tensor);
  Type strided = part;
  strided.kind = TypeKind::StridedView;
  strided.strides = {10, 7};
  kernel.define("part", part);
  kernel.define("strided", strided);
  Index stride = kernel.constant("i32", {200});
  Index t = kernel.add(Op::MakeTensorView, {"tensor"}, {}, {{0}, {}, {stride}});
  Index p = kernel.add(Op::MakePartitionView, {"part"}, {}, {{t}});
  Index s = kernel.add(Op::MakeStridedView, {"strided"}, {}, {{t}});
  std::vector<Index> results{kernel.add(Op::GetTensorShape, {"i64", "i64"}, {}, {{t}}),
                             kernel.add(Op::GetIndexSpaceShape, {"i64", "i64"}, {}, {{p}}),
                             kernel.add(Op::GetIndexSpaceShape, {"i64", "i64"}, {}, {{s}})};
  for (size_t i = 0; i < 6; ++i) {
    Index at = kernel.add(Op::Offset, {"ptr<i64>"}, {}, {{1}, {kernel.constant("i32", {i})}});
    kernel.store(at, results[i / 2] + Index(i % 2));
  }
  Launcher launcher(kernel.finish());
  std::vector<float> data(1);
  std::vector<uint64_t> to(6);
  EXPECT_EQ(launcher.launch({launcher.array(data), launcher.array(to)}), "ok");
  // Tile dimension 0 walks the 33 columns in tiles of 16, or by 10; dimension 1 the 100 rows.
  EXPECT_EQ(to, (std::vector<uint64_t>{100, 33, 3, 13, 4, 15}));
}

TEST(Views, ReductionsAddToTheTensor) {
  Kernel kernel({"ptr<i32>"});
  Type tensor{.kind = TypeKind::TensorView, .shape = {5}, .strides = {1}};
  tensor.element = kernel.program.type(kernel.type("i32")).element;
  Type view = partition({4}, {0});
  view.element = kernel.define("tensor", tensor);
  kernel.define("view", view);
  Index t = kernel.add(Op::MakeTensorView, {"tensor"}, {}, {{0}, {}, {}});
  Index v = kernel.add(Op::MakePartitionView, {"view"}, {}, {{t}});
  Index one = kernel.constant("i32", {1}), values = kernel.constant("4xi32", {10, 20, 30, 40});
  kernel.add(Op::AtomicRedViewTko, {"token"}, {relaxed, device, 3}, {{v}, {one}, {values}, {}});
  Launcher launcher(kernel.finish());
  std::vector<uint32_t> data(8, 100), expected(8, 100);
  // Only element 4 of the second tile is in the tensor; two tile blocks add to it.
  expected[4] = 120;
  EXPECT_EQ(launcher.launch({launcher.array(data)}, {2, 1, 1}), "ok");
  EXPECT_EQ(data, expected);
}

TEST(Views, RefuseIndicesOutsideTheIndexSpace) {
  Copy copy{.shape = {3, 5},
            .strides = {8, 1},
            .view = partition({2, 4}, {0, 1}, PaddingValue::Zero),
            .indices = {1, 2}};
  EXPECT_EQ(refused(copy),
            "TileIndex: load_view_tko of kernel 'k' in tile block (0, 0, 0): expects "
            "index 1 below 2, the number of tiles, but got 2");
  copy.indices = {uint32_t(-1), 0};
  EXPECT_NE(refused(copy).find("index 0 below 2, the number of tiles, but got -1"),
            std::string::npos);
  copy.indices = {0, 1};
  copy.inbounds = {0, 1};
  EXPECT_EQ(refused(copy), "InBounds: load_view_tko of kernel 'k' in tile block (0, 0, 0): "
                           "dimension 1 is promised to be in bounds, but the tile reaches 8 of 5");
  copy.inbounds = {1, 0};
  EXPECT_EQ(refused(copy), "ok");
}

TEST(Views, RefuseExtentsThatAreTooLarge) {
  Copy copy{.shape = {-1},
            .strides = {1},
            .isDynamic = true,
            .view = partition({2}, {0}),
            .indices = {0}};
  EXPECT_EQ(refused(copy), "ViewShape: make_tensor_view of kernel 'k' in tile block (0, 0, 0): "
                           "expects extents and strides of a tensor_view that fit 63 bits, but got "
                           "18446744073709551615");
  // Addresses that wrap are in no array.
  copy.shape = {4};
  copy.strides = {int64_t(1) << 62};
  EXPECT_TRUE(refused(copy).starts_with("OutOfBounds: "));
}

namespace {

/// One op on a view of the type partition 2x4 of a tensor of f32.
struct Views {
  Kernel kernel{Types{"ptr<f32>"}};
  Index tensor, view, gather, zero;
  Views() {
    Type type{.kind = TypeKind::TensorView, .shape = {8, 8}, .strides = {8, 1}};
    type.element = kernel.program.type(kernel.type("f32")).element;
    Type part = partition({2, 4}, {0, 1});
    part.element = kernel.define("tensor", type);
    kernel.define("view", part);
    part.kind = TypeKind::GatherScatterView;
    part.dims = {};
    kernel.define("gather", part);
    Type other = type;
    other.shape = {8, 16};
    kernel.define("other tensor", other);
    tensor = kernel.add(Op::MakeTensorView, {"tensor"}, {}, {{0}, {}, {}});
    view = kernel.add(Op::MakePartitionView, {"view"}, {}, {{tensor}});
    gather = kernel.add(Op::MakeGatherScatterView, {"gather"}, {}, {{tensor}});
    zero = kernel.constant("i32", {0});
  }
  std::string outcome() {
    std::vector<float> data(64);
    Launcher launcher(kernel.finish());
    return launcher.launch({launcher.array(data)});
  }
};

} // namespace

TEST(Views, AreVerified) {
  struct Case {
    std::function<void(Views &)> add;
    const char *expected;
  };
  auto load = [](const char *tile, uint64_t ordering, size_t indices) {
    return [=](Views &v) {
      v.kernel.add(Op::LoadViewTko, {tile, "token"},
                   {ordering, ordering ? std::optional(device) : std::nullopt},
                   {{v.view}, std::vector<Index>(indices, v.zero), {}});
    };
  };
  auto reduce = [](const char *tile, uint64_t ordering, uint64_t mode, bool gathers) {
    return [=](Views &v) {
      Index value = v.kernel.constant(tile, {0});
      v.kernel.add(Op::AtomicRedViewTko, {"token"}, {ordering, device, mode},
                   {{gathers ? v.gather : v.view}, {v.zero, v.zero}, {value}, {}});
    };
  };
  const Case cases[] = {
      {load("2x4xf32", weak, 2), "ok"},
      {load("4x2xf32", weak, 2),
       "load_view_tko: expects a tile of the shape and the elements of the view"},
      {load("2x4xf16", weak, 2),
       "load_view_tko: expects a tile of the shape and the elements of the view"},
      {load("2x4xf32", weak, 1), "load_view_tko: expects 2 indices, but got 1"},
      {load("2x4xf32", 3, 2),
       "load_view_tko: expects the memory ordering weak, relaxed or acquire, but got release"},
      {[](Views &v) {
         v.kernel.add(Op::LoadViewTko, {"2x4xf32", "token"}, {weak, device},
                      {{v.view}, {v.zero, v.zero}, {}});
       },
       "load_view_tko: expects a memory scope exactly if the ordering is not weak"},
      {[](Views &v) {
         Index index = v.kernel.constant("f32", {0});
         v.kernel.add(Op::LoadViewTko, {"2x4xf32", "token"}, {weak},
                      {{v.view}, {index, v.zero}, {}});
       },
       "load_view_tko: expects an integer as index 0"},
      {[](Views &v) {
         v.kernel.add(Op::LoadViewTko, {"2x4xf32", "token"}, {weak},
                      {{v.gather}, {v.zero, v.zero}, {}});
       },
       "load_view_tko: expects a tile of row numbers as index 0"},
      {[](Views &v) {
         Index value = v.kernel.constant("2x4xf32", {0});
         v.kernel.add(Op::StoreViewTko, {"token"}, {2, device},
                      {{value}, {v.view}, {v.zero, v.zero}, {}});
       },
       "store_view_tko: expects the memory ordering weak, relaxed or release, but got acquire"},
      {[](Views &v) {
         Index value = v.kernel.constant("4xf32", {0});
         v.kernel.add(Op::StoreViewTko, {"token"}, {weak},
                      {{value}, {v.view}, {v.zero, v.zero}, {}});
       },
       "store_view_tko: expects a tile of the shape and the elements of the view"},
      {reduce("2x4xf32", relaxed, 4, false), "ok"},
      {reduce("2x4xf32", 4, 4, false), "atomic_red_view_tko: expects the memory ordering relaxed"},
      {reduce("2x4xf32", relaxed, 9, false), "atomic_red_view_tko: expects a mode other than xchg"},
      {reduce("2x4xf32", relaxed, 3, false),
       "atomic_red_view_tko: expects elements of i32 or i64 for add, but got f32"},
      {reduce("2x4xf32", relaxed, 4, true),
       "atomic_red_view_tko: expects a view other than a gather_scatter_view"},
      {reduce("8xf32", relaxed, 4, false),
       "atomic_red_view_tko: expects a tile of the shape and the elements of the view"},
      {[](Views &v) {
         v.kernel.add(Op::AtomicRedViewTko, {"token"}, {relaxed, device, 4},
                      {{v.view}, {v.zero, v.zero}, {v.tensor}, {}});
       },
       "atomic_red_view_tko: expects a tile"},
      {[](Views &v) { v.kernel.add(Op::MakeStridedView, {"view"}, {}, {{v.tensor}}); },
       "make_strided_view: expects a strided_view as result"},
      {[](Views &v) {
         Index other = v.kernel.add(Op::MakeTensorView, {"other tensor"}, {}, {{0}, {}, {}});
         v.kernel.add(Op::MakePartitionView, {"view"}, {}, {{other}});
       },
       "make_partition_view: expects a view of the tensor_view that it is made of"},
      {[](Views &v) { v.kernel.add(Op::MakeTensorView, {"tensor"}, {}, {{0}, {v.zero}, {}}); },
       "make_tensor_view: expects 0 dynamic extents and 0 dynamic strides, but got 1 and 0"},
      {[](Views &v) {
         Index integers = v.kernel.add(Op::PtrToPtr, {"ptr<i32>"}, {}, {{0}});
         v.kernel.add(Op::MakeTensorView, {"tensor"}, {}, {{integers}, {}, {}});
       },
       "make_tensor_view: expects a pointer to f32, but got one to i32"},
      {[](Views &v) { v.kernel.add(Op::GetTensorShape, {"i32"}, {}, {{v.tensor}}); },
       "get_tensor_shape: expects 2 results, but got 1"},
      {[](Views &v) { v.kernel.add(Op::GetIndexSpaceShape, {"i32"}, {}, {{v.view}}); },
       "get_index_space_shape: expects 2 results, but got 1"},
      {[](Views &v) { v.kernel.add(Op::GetTensorShape, {"i32", "i32"}, {}, {{v.view}}); },
       "get_tensor_shape: expects a tensor_view as operand 'src'"},
      {[](Views &v) { v.kernel.add(Op::GetIndexSpaceShape, {"i32", "i32"}, {}, {{v.tensor}}); },
       "get_index_space_shape: expects a view as operand 'src'"},
  };
  for (const Case &c : cases) {
    Views views;
    c.add(views);
    std::string outcome = views.outcome();
    if (outcome.starts_with("Unverified: "))
      outcome = outcome.substr(12);
    EXPECT_TRUE(outcome.starts_with(c.expected)) << outcome << ", not " << c.expected;
  }
}
