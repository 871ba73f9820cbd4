// TMA beyond tiled loads and stores: reductions, pixels under a filter, tensor maps that a kernel
// changes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lower/Transfer.h"

#include "tessera/atom/Registry.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace tessera::lower::test {

using atom::ReducedType;
using atom::TensorMapType;

namespace {
constexpr int threads = 32; // TMA copies are called by a warp, which elects a lane
constexpr int alignment = 1024;

TensorMapType mapType(ReducedType type) {
  constexpr TensorMapType types[] = {TensorMapType::U8,   TensorMapType::U32, TensorMapType::S32,
                                     TensorMapType::U64,  TensorMapType::S64, TensorMapType::F16,
                                     TensorMapType::BF16, TensorMapType::F32, TensorMapType::F64,
                                     TensorMapType::U32,  TensorMapType::U64};
  return types[size_t(type)];
}

/// Shared memory: the tile, then a barrier.
struct Shared {
  Value base;
  int bytes;

  Value tile(Writer &k, const std::string &element, int64_t elements) const {
    return k.make_tensor(
        k.recast_iter(base, cat("!cute.ptr<", element, ", smem, align<", alignment, ">>")),
        k.layout(cat("((", elements, ",1)):((1,0))")));
  }
  Value words(Writer &k) const { return k.recast_iter(base, "!cute.ptr<i32, smem, align<16>>"); }
  Value barrier(Writer &k) const {
    return k.recast_iter(k.offset(base, bytes), "!cute.ptr<i64, smem, align<8>>");
  }
};
constexpr int barrierBytes = 16;

/// Waits in all threads for a copy of the whole tile that `load` starts.
void loadAndWait(Writer &k, const Shared &shared, Num tid, const std::function<void()> &load) {
  dsl::If(tid == 0, [&] {
    k.mbarrier_init(shared.barrier(k), dsl::i32(1));
    dsl::mbarrier_init_fence();
    k.mbarrier_expect_tx(shared.barrier(k), dsl::i32(shared.bytes));
  });
  dsl::sync_threads();
  load();
  k.mbarrier_wait(shared.barrier(k), dsl::i32(0));
}

/// The box at coordinates that are known: a coordinate tensor of one instruction.
Value box(Writer &k, const std::vector<int> &at, int64_t elements) {
  Nums leaves;
  std::string text;
  for (int i : at) {
    leaves.push_back(dsl::i32(i).ir());
    text += text.empty() ? "(?" : ",?";
  }
  return k.make_tensor(k.int_tuple(text + ")", leaves),
                       k.layout(cat("((", elements, ",1)):((1@0,0))")));
}

Value executable(Writer &k, Value atom, const std::string &type) {
  return cute_nvgpu::MakeExecTmaOp::create(k.b, k.loc, k.type("!cute_nvgpu." + type), atom);
}
Value withBarrier(Writer &k, Value atom, Value barrier) {
  return k.set(atom,
               cute_nvgpu::CopyFieldTmaLoadAttr::get(k.b.getContext(),
                                                     cute_nvgpu::CopyFieldTmaLoad::tma_bar),
               barrier);
}

/// The output first holds the second half of the input; then the first half is reduced into it as a
/// tensor of rows.
Transfer reduction(Reduced r, std::mt19937 &random) {
  constexpr int rows = 8;
  int columns = 512 / r.bits(), elements = rows * columns, bytes = elements * r.bits() / 8;
  std::vector<uint64_t> operands = r.random(size_t(elements), random),
                        old = r.random(size_t(elements), random);
  Transfer c;
  c.name = cat("TMA reduction ", r.kind(), " of ", name(r.type));
  c.threads = threads;
  c.input = joined(wordsOf(operands, r.bits()), wordsOf(old, r.bits()));
  c.expected = wordsOf(r.apply(old, operands), r.bits());
  c.launch.sharedBytes = unsigned(bytes + barrierBytes);
  atom::TensorMap map{.type = mapType(r.type), .rank = 2};
  map.dims = {uint64_t(columns), rows};
  map.strides = {uint64_t(columns * r.bits() / 8)};
  map.box = {uint32_t(columns), rows};
  c.launch.maps = {{map, /*ofOutput=*/true}};
  std::string shape = cat("copy_bits = ", bytes * 8),
              basis = cat("tma_gbasis = <\"(", columns, ",", rows, "):(1@1,1@0)\">");
  c.maps = {cat("atom.non_exec_tiled_tma_reduce<", r.kind(), ", ", r.element(), ", ", shape, ", ",
                basis, ">")};
  c.instructions = {cat("cp.reduce.async.bulk.tensor.2d.global.shared::cta.", name(r.reduction),
                        ".tile.bulk_group")};
  c.body = [=](Writer &k, ValueRange arguments) {
    Num tid = dsl::special_register("tid.x");
    Shared shared{k.dyn_smem(alignment), bytes};
    copyWords(k, arguments[0], shared.words(k), bytes / 4, tid, threads);
    copyWords(k, k.offset(arguments[0], bytes / 4), arguments[1], bytes / 4, tid, threads);
    fenceProxyAsync(k);
    dsl::sync_threads();
    Value exec =
        executable(k, arguments[2],
                   cat("atom.tma_reduce<", r.element(), ", ", shape,
                       ", mode = tiled, kind = ", r.kind(), ", g_stride = <\"()\"> ", basis, ">"));
    k.copy(exec, shared.tile(k, r.element(), elements), box(k, {0, 0}, elements));
    waitForBulkGroups(k); // in all lanes: the one that was elected is among them
  };
  return c;
}

/// A tensor of channels, width (height, depth) and images, and where a copy of some pixels starts.
struct Im2col {
  std::vector<int> extents, lower, upper, steps;
  std::vector<int> at, offsets; // all coordinates; of the modes between channels and images
  int pixels;
};

/// PTX ISA 5.5.4: base pixels walk the box between the corners, width first, by steps; each is read
/// at the filter's offset, zeros outside of the tensor.
Words gathered(const Im2col &c, const Words &tensor) {
  size_t rank = c.extents.size();
  std::vector<int> base(c.at.begin() + 1, c.at.end());
  Words out;
  for (int pixel = 0; pixel < c.pixels; ++pixel) {
    size_t index = 0, stride = size_t(c.extents[0]);
    bool inside = true;
    for (size_t i = 1; i < rank; ++i) {
      int position = base[i - 1] + (i + 1 < rank ? c.offsets[i - 1] : 0);
      inside &= position >= 0 && position < c.extents[i];
      index += size_t(std::max(position, 0)) * stride;
      stride *= size_t(c.extents[i]);
    }
    for (int channel = 0; channel < c.extents[0]; ++channel)
      out.push_back(inside ? tensor[index + size_t(channel)] : 0);
    for (size_t i = 1; i < rank; ++i) { // the next base pixel
      base[i - 1] += c.steps[i];
      if (i + 1 == rank || base[i - 1] <= c.extents[i] - 1 + c.upper[i - 1])
        break;
      base[i - 1] = c.lower[i - 1];
    }
  }
  return out;
}

Transfer im2col(const Im2col &conv, std::mt19937 &random) {
  size_t rank = conv.extents.size();
  int channels = conv.extents[0], elements = channels * conv.pixels;
  Transfer c;
  c.name = cat("im2col of rank ", rank, ", ", conv.pixels, " pixels");
  c.threads = threads;
  atom::TensorMap map{
      .kind = atom::TensorMapKind::Im2col, .type = TensorMapType::S32, .rank = uint32_t(rank)};
  size_t words = 1;
  for (size_t i = 0; i < rank; ++i) {
    map.dims[i] = uint64_t(conv.extents[i]);
    map.steps[i] = uint32_t(conv.steps[i]);
    if (i)
      map.strides[i - 1] = words * 4;
    words *= size_t(conv.extents[i]);
  }
  std::copy(conv.lower.begin(), conv.lower.end(), map.lower.begin());
  std::copy(conv.upper.begin(), conv.upper.end(), map.upper.begin());
  map.channels = uint32_t(channels);
  map.pixels = uint32_t(conv.pixels);
  c.input.resize(words);
  for (uint32_t &word : c.input)
    word = uint32_t(random()) | 1; // nothing inside is 0
  c.expected = gathered(conv, c.input);
  c.launch = {.sharedBytes = unsigned(elements * 4 + barrierBytes), .maps = {{map}}};
  std::string bits = cat("copy_bits = ", elements * 32),
              basis = cat("tma_gbasis = <\"(", channels, ",", conv.pixels, "):(1@0,1@1)\">");
  c.maps = {
      cat("atom.non_exec_im2col_tma_load<sm_90, i32, ", bits, ", ", basis, ", tma_format = S32>")};
  c.instructions = {cat("cp.async.bulk.tensor.", rank,
                        "d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes"),
                    cat("cp.async.bulk.prefetch.tensor.", rank, "d.L2.global.im2col")};
  std::vector<int> at = conv.at;
  at.insert(at.end(), conv.offsets.begin(), conv.offsets.end());
  c.body = [=](Writer &k, ValueRange arguments) {
    Num tid = dsl::special_register("tid.x");
    Shared shared{k.dyn_smem(alignment), elements * 4};
    Value exec = executable(k, arguments[2],
                            cat("atom.tma_load<i32, ", bits,
                                ", mode = im2col, num_cta = 1, g_stride = <\"()\"> ", basis, ">"));
    cute::PrefetchOp::create(k.b, k.loc, exec, box(k, at, elements));
    loadAndWait(k, shared, tid, [&] {
      k.copy(withBarrier(k, exec, shared.barrier(k)), box(k, at, elements),
             shared.tile(k, "i32", elements));
    });
    copyWords(k, shared.words(k), arguments[1], elements, tid, threads);
  };
  return c;
}

/// A kernel copies its tensor map to shared (or global) memory, points it to other rows of the
/// input with another pitch, and loads by it.
Transfer update(bool inShared, std::mt19937 &random) {
  constexpr int columns = 16, rows = 8, pitch = 20, newRows = 6, elements = columns * rows,
                bytes = elements * 4;
  constexpr int start = 256, mapWords = 32,
                mapAt = 256; // in words; the map in global memory stands after the output
  Transfer c;
  c.name = cat("tensor map changed in ", inShared ? "shared" : "global", " memory");
  c.threads = threads;
  c.input.resize(start + pitch * rows);
  for (uint32_t &word : c.input)
    word = uint32_t(random()) | 1;
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column)
      c.expected.push_back(row < newRows ? c.input[size_t(start + row * pitch + column)] : 0);
  c.outputWords = mapAt + mapWords;
  atom::TensorMap map{.type = TensorMapType::S32, .rank = 2};
  map.dims = {columns, rows};
  map.strides = {columns * 4};
  map.box = {columns, rows};
  c.launch = {.sharedBytes = unsigned(bytes + 2 * mapWords * 4), .maps = {{map}}};
  std::string shape = cat("copy_bits = ", bytes * 8),
              basis = cat("tma_gbasis = <\"(", columns, ",", rows, "):(1@1,1@0)\">");
  c.maps = {
      cat("atom.non_exec_tiled_tma_load<sm_90, i32, ", shape, ", ", basis, ", tma_format = S32>")};
  std::string space = inShared ? ".shared::cta" : ".global";
  c.instructions = {cat("tensormap.replace.tile.global_address", space, ".b1024.b64"),
                    cat("tensormap.replace.tile.global_dim", space, ".b1024.b32"),
                    cat("tensormap.replace.tile.global_stride", space, ".b1024.b64"),
                    inShared ? "tensormap.cp_fenceproxy"
                             : "fence.proxy.tensormap::generic.release.gpu",
                    "fence.proxy.tensormap::generic.acquire.gpu"};
  c.body = [=](Writer &k, ValueRange arguments) {
    Num tid = dsl::special_register("tid.x");
    Shared shared{k.dyn_smem(alignment), bytes};
    const char *i8 = "!cute.ptr<i8, smem, align<128>>";
    Value there = k.recast_iter(k.offset(arguments[1], mapAt), "!cute.ptr<i8, gmem, align<128>>");
    Value here = k.recast_iter(k.offset(shared.base, bytes + mapWords * 4), i8);
    Value changed = inShared ? here : there;
    Value other = k.make_tensor(
        k.recast_iter(k.offset(arguments[0], start), "!cute.ptr<i32, gmem, align<16>>"),
        k.layout(cat("(", newRows, ",", columns, "):(", pitch, ",1)")));
    dsl::If(tid == 0, [&] {
      cute_nvgpu::CopyTmaDescOp::create(k.b, k.loc, arguments[2], changed);
      cute_nvgpu::UpdateTmaDescOp::create(k.b, k.loc, arguments[2], other, changed);
    });
    dsl::sync_threads();
    auto address = [&](Value pointer, const char *type) -> Value {
      return cute::PtrToIntOp::create(k.b, k.loc, k.type(type), pointer);
    };
    Value map = address(there, "i64");
    if (inShared)
      inlinePtx(k,
                "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync."
                "aligned [$0], [$1], 128;",
                "l,r,~{memory}", {map, address(here, "i32")});
    inlinePtx(k, "fence.proxy.tensormap::generic.acquire.gpu [$0], 128;", "l,~{memory}", map);
    Value aligned = cute::AssumeOp::create(k.b, k.loc, k.type("!cute.i64<divby 64>"), map);
    Value desc =
        cute::IntToPtrOp::create(k.b, k.loc, k.type("!cute.ptr<i8, generic, align<64>>"), aligned);
    Value mask = arith::ConstantOp::create(k.b, k.loc, k.b.getI16IntegerAttr(0));
    Value policy = dsl::i64(0x1000000000000000).ir(); // evict normally
    Value exec = k.make_atom(cat("atom.tma_load<i32, ", shape,
                                 ", mode = tiled, num_cta = 1, g_stride = <\"()\"> ", basis, ">"),
                             {desc, shared.barrier(k), mask, policy});
    loadAndWait(k, shared, tid,
                [&] { k.copy(exec, box(k, {0, 0}, elements), shared.tile(k, "i32", elements)); });
    copyWords(k, shared.words(k), arguments[1], elements, tid, threads);
  };
  return c;
}
} // namespace

TEST(Tma, EveryReductionReduces) {
  std::mt19937 random(41);
  std::vector<Transfer> cases;
  for (const atom::CopyRow &row : atom::copyRows())
    if (row.key.family ==
        atom::CopyFamily::BulkReduceS2G) // tensor maps have the same pairs of operation and type
      cases.push_back(reduction({row.key.reduction, row.key.reduced}, random));
  runAll(cases, "TMA reductions");
}

TEST(Tma, Im2colGathersPixels) {
  std::mt19937 random(42);
  std::vector<Transfer> cases;
  const Im2col convolutions[] = {
      // A filter of 3, padding 1: its left, its right column.
      {{16, 9, 2}, {-1}, {-1}, {1, 1, 1}, {0, -1, 0}, {0}, 16},
      {{16, 9, 2}, {-1}, {-1}, {1, 1, 1}, {0, -1, 0}, {2}, 16},
      // 3 x 3, padding 1, at each corner of the filter; the start in the middle of a row.
      {{16, 7, 5, 2}, {-1, -1}, {-1, -1}, {1, 1, 1, 1}, {0, -1, -1, 0}, {0, 0}, 32},
      {{16, 7, 5, 2}, {-1, -1}, {-1, -1}, {1, 1, 1, 1}, {0, 3, 1, 0}, {2, 1}, 32},
      // No padding; every other pixel.
      {{8, 9, 6, 3}, {0, 0}, {-2, -2}, {1, 1, 1, 1}, {0, 0, 0, 1}, {1, 2}, 24},
      {{8, 9, 9, 2}, {0, 0}, {-2, -2}, {1, 2, 2, 1}, {0, 0, 0, 0}, {1, 0}, 16},
      {{8, 4, 4, 3, 2},
       {-1, -1, -1},
       {-1, -1, -1},
       {1, 1, 1, 1, 1},
       {0, -1, -1, -1, 0},
       {1, 2, 1},
       32},
  };
  for (const Im2col &convolution : convolutions)
    cases.push_back(im2col(convolution, random));
  runAll(cases, "copies of pixels");
}

TEST(Tma, KernelsChangeTensorMaps) {
  std::mt19937 random(43);
  runAll({update(true, random), update(false, random)}, "kernels that change a tensor map");
}

} // namespace tessera::lower::test
