// Tensor memory and products into it as operations of the program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_cxx/Blackwell.h"

#include "tessera/cute_cxx/LayoutCall.h"
#include "tessera/cute_nvgpu/CuteNvgpu.h"
#include "tessera/cute_nvgpu/families/tensor/Tensor.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"

#include <bit>

using namespace tessera;

namespace tessera::cute {

/// CUTLASS include/cute/atom/mma_traits_sm100.hpp: the modes of one product beside how often it is
/// repeated, covered, and taken apart again.
Layout<> UMMA::tile_to_mma_shape(const Layout<> &atom, const IntTuple &shape, Place at) {
  if (atom.is_poisoned() || shape.is_poisoned())
    return refusedLayout();
  if (!shape.is_set() || shape.rank() < 3 || shape.mode(0, at).rank() != 2) {
    mistake("tile_to_mma_shape",
            cat("expects the shape that partition_shape_A gives, as ((128,16),1,4), but got ",
                shape.is_set() ? shape.str() : "none"),
            at);
    return refusedLayout();
  }
  std::vector<IntTuple> whole;
  for (int i = 0; i < 2; ++i)
    whole.push_back(make_tuple({shape.mode(0, at).mode(i, at), at}, shape.mode(i + 1, at)));
  for (int i = 3; i < shape.rank(); ++i)
    whole.push_back(shape.mode(i, at));
  return tiled_divide(tile_to_shape(atom, IntTuple::of(whole, at), at),
                      Tiler(product_each(shape.mode(0, at), at), at), at);
}

MMAAtom detail::tensor_atom(const TensorProduct &p, Place at) {
  auto major = [](GMMA::Major m) { return m == GMMA::Major::K ? atom::Major::K : atom::Major::MN; };
  dsl::TensorMma product{.m = p.m,
                         .n = p.n,
                         .a = dsl::Element(p.a),
                         .b = dsl::Element(p.b),
                         .c = dsl::Element(p.c),
                         .aMajor = major(p.majorA),
                         .bMajor = major(p.majorB),
                         .blocks = p.blocks,
                         .factor = p.factor ? std::optional(dsl::Element(*p.factor)) : std::nullopt,
                         .vector = p.vector,
                         .aFrom = p.aInTmem ? atom::Residency::Tmem : atom::Residency::Smem};
  return made<MMAAtom>(dsl::make_atom(product, dsl::i1(true, at), at));
}

/// CUTLASS include/cute/atom/copy_traits_sm100_tma.hpp: a block's values of a tile are the rows of
/// its part of each product, one product after the other.
TmaCopy detail::tma_of_product(TmaKind kind, bool ofA, const Tensor &t, const Layout<> &smem,
                               const IntTuple &tiler, const TiledMMA &mma, const Layout<> &cluster,
                               Place at) {
  const char *call = ofA ? "make_tma_atom_A_sm100" : "make_tma_atom_B_sm100";
  TmaCopy refused =
      made<TmaCopy>(dsl::TmaTensor{dsl::Atom(mlir::Value()), dsl::Tensor(mlir::Value())});
  auto tiling = dsl::tiling_of(held<dsl::TiledMma>(mma), at);
  if (!tiling || tiler.is_poisoned() || cluster.is_poisoned())
    return refused;
  if (!tiler.is_set() || tiler.rank() < 3 || !tiler.is_static() || !cluster.is_set() ||
      cluster.rank() != 4 || !cluster.is_static()) {
    mistake(call,
            cat("expects a tile (M,N,K) and the blocks of a cluster as (V,M,N,K), which C++ knows, "
                "but got ",
                tiler.is_set() ? tiler.str() : "none", " and ",
                cluster.is_set() ? cluster.str() : "none"),
            at);
    return refused;
  }
  layout::Const arith;
  int64_t pair = layout::size(arith, tiling->atom.threads).value;
  int64_t rows = int64_t(size(tiler.mode(ofA ? 0 : 1, at), at));
  int64_t ofProduct = ofA ? tiling->atom.m : tiling->atom.n, own = ofProduct / pair;
  if (rows % ofProduct) {
    mistake(call,
            cat("expects a tile of a multiple of the ", ofProduct, " rows of the product, but got ",
                rows),
            at);
    return refused;
  }
  Layout<> part = make_layout(make_shape(own, rows / ofProduct), make_stride(1, ofProduct), at);
  bool isMulticast = kind == TmaKind::Multicast || kind == TmaKind::PairMulticast;
  return tma_copy(kind, t, smem,
                  Tiler::of({Tiler(coalesce(part, at), at), Tiler(tiler.mode(2, at), at)}),
                  isMulticast ? size(cluster.mode(ofA ? 2 : 1, at), at) : Num(1), at);
}

void umma_arrive(const Barrier &barrier, Place at) {
  dsl::mma_commit(held<dsl::Barrier>(barrier), {}, at);
}
void umma_arrive_2x1SM(const Barrier &barrier, Place at) {
  dsl::mma_commit(held<dsl::Barrier>(barrier), {}, at, 2);
}
void umma_arrive_multicast(const Barrier &barrier, const Num &blocks, Place at) {
  dsl::mma_commit(held<dsl::Barrier>(barrier), dsl::convert(number(blocks, at), dsl::i16, at), at,
                  1);
}
void umma_arrive_multicast_2x1SM(const Barrier &barrier, const Num &blocks, Place at) {
  dsl::mma_commit(held<dsl::Barrier>(barrier), dsl::convert(number(blocks, at), dsl::i16, at), at);
}

static bool areColumns(const char *call, int columns, Place at) {
  constexpr int least = 32, most = 512;
  if (columns >= least && columns <= most && std::has_single_bit(unsigned(columns)))
    return true;
  mistake(call, cat("expects 32, 64, 128, 256 or 512 columns, but got ", columns), at);
  return false;
}
void detail::allocate_tensor_memory(int columns, const Pointer &slot, int blocks, Place at) {
  Pointer word = in_memory(slot, "smem", "allocate", at);
  if (areColumns("allocate", columns, at) && !word.is_poisoned())
    dsl::TensorMemory(columns, held<dsl::Pointer>(word), blocks).take(at);
}
void detail::free_tensor_memory(int columns, const Pointer &slot, int blocks, Place at) {
  Pointer word = in_memory(slot, "smem", "free", at);
  if (areColumns("free", columns, at) && !word.is_poisoned())
    dsl::TensorMemory(columns, held<dsl::Pointer>(word), blocks).giveBack(at);
}
Pointer detail::tensor_memory(Format format, const Pointer &slot, Place at) {
  Pointer word = in_memory(slot, "smem", "make_tmem_ptr", at);
  return made<Pointer>(
      word.is_poisoned()
          ? dsl::Pointer(mlir::Value())
          : dsl::TensorMemory(0, held<dsl::Pointer>(word)).pointer(dsl::Element(format), at));
}

TiledCopy detail::tensor_copy(int lanes, int bits, int repetitions, bool loads, bool packed,
                              const Tensor &t, Place at) {
  dsl::Tensor view = tensorOf(t);
  std::optional<dsl::Element> element = dsl::element_of(view);
  dsl::Context *context = dsl::Context::current();
  TiledCopy refused = made<TiledCopy>(dsl::TiledCopy(mlir::Value()));
  if (view.poisoned() || !context)
    return refused;
  if (!element || dsl::start_of(view).space != "tmem") {
    mistake("make_tmem_copy", "expects a tensor of tensor memory", at);
    return refused;
  }
  std::string why;
  mlir::ScopedDiagnosticHandler handler(context->mlirContext(), [&](mlir::Diagnostic &said) {
    why = said.str();
    return mlir::success();
  });
  auto emit = [&] { return mlir::emitError(mlir::UnknownLoc::get(context->mlirContext())); };
  mlir::Type of = element->type(context->mlirContext());
  mlir::Type type;
  if (loads)
    type = cute_nvgpu::TmemLoadType::getChecked(emit, context->mlirContext(), of, int32_t(lanes),
                                                int32_t(bits), int32_t(repetitions), packed);
  else
    type = cute_nvgpu::TmemStoreType::getChecked(emit, context->mlirContext(), of, int32_t(lanes),
                                                 int32_t(bits), int32_t(repetitions), packed);
  if (!type) {
    mistake("make_tmem_copy", why, at);
    return refused;
  }
  return made<TiledCopy>(dsl::make_tmem_copy(dsl::make_atom(type, {}, at), view, at));
}

} // namespace tessera::cute
