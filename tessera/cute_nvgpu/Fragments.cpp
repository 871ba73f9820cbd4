// The fragment that an MMA atom computes with: registers, descriptors, or tensor memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_nvgpu/AtomTypes.h"
#include "tessera/cute_nvgpu/Diagnostics.h"

#include "tessera/layout/Domains.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute_nvgpu;
using cute::AddressSpace;
using cute::bitsOf;
using cute::CuteMemRefType;
using cute::PtrType;
using layout::MmaOperand;

namespace {
template <class... Pieces> Reason reason(Diag diag, const Pieces &...pieces) {
  return {diagnostics[size_t(diag)].id, sentence(diag, pieces...)};
}

Type memref(Type element, AddressSpace space, int64_t alignment, layout::Layout l) {
  MLIRContext *context = element.getContext();
  return CuteMemRefType::get(
      context, PtrType::get(context, element, space, alignment, layout::Swizzle{0, 4, 3}),
      std::move(l));
}

/// Registers: A and B keep the order of the partition's strides, C is compact. Aligned to one
/// call's values, as far as a power of two can be.
Result<Type> registers(Type element, MmaOperand operand, const layout::AnyLayout &partition) {
  layout::Symbolic arith;
  layout::Layout l = operand == MmaOperand::C ? layout::compactMajor(arith, partition.shape())
                                              : layout::fragmentLike(arith, partition.outer());
  if (!l.isStatic())
    return reason(Diag::FragmentStatic, partition.shape());
  int64_t bytes = layout::size(arith, l[0]).value * bitsOf(element) / 8;
  return memref(element, AddressSpace::rmem, std::max<int64_t>(1, bytes & -bytes), std::move(l));
}

/// Descriptors: one for each matrix, offsets in 16 bytes.
Result<Type> descriptors(Type partition) {
  auto tensor = dyn_cast<CuteMemRefType>(partition);
  if (!tensor || tensor.getAddressSpace() != AddressSpace::smem)
    return reason(Diag::FragmentNoTensor, partition);
  layout::Symbolic arith;
  TESSERA_TRY(layout::AnyLayout wide, layout::recast(arith, tensor.getLayout().outer(),
                                                     bitsOf(tensor.getElementType()), 128));
  layout::Layout l = wide.outer();
  l.shape[0] = layout::Tree(1);
  l.stride[0] = layout::Tree(0);
  auto desc = SmemDescType::get(partition.getContext());
  return Type(SmemDescViewType::get(partition.getContext(), desc, l));
}

/// Which data paths and columns hold a tile (virtual addresses: data path stride 1, column stride
/// 128). Source: CUTLASS include/cute/atom/mma_traits_sm100.hpp, tmem_frg.
struct TmemTile {
  int ctas;
  int64_t m; // of the MMA, all CTAs together
  MmaOperand operand;
  layout::Tree shape, stride; // of M in one CTA; N follows with stride 128
};
std::vector<TmemTile> tmemTiles() {
  using layout::Tree;
  return {
      {1, 64, MmaOperand::C, Tree::of({16, 4}), Tree::of({1, 32})},
      {1, 64, MmaOperand::A, Tree::of({16, 4}), Tree::of({1, 32})},
      {1, 128, MmaOperand::C, 128, 1},
      {1, 128, MmaOperand::A, 128, 1},
      {2, 256, MmaOperand::C, 128, 1},
      {2, 256, MmaOperand::A, 128, 1},
  };
}

Result<Type> tensorMemory(const MmaInstance &mma, Type element, MmaOperand operand,
                          const layout::Tree &shape) {
  constexpr int64_t dataPath = 65536, columnOfTile = 128;
  layout::Symbolic arith;
  if (!shape.isStatic())
    return reason(Diag::FragmentStatic, shape);
  for (const TmemTile &tile : tmemTiles()) {
    if (tile.ctas != mma.row->ctas || tile.m != mma.m || tile.operand != operand)
      continue;
    // The first mode is the tile of one MMA, the rest are more of them, columns after columns.
    int64_t columns = layout::product(arith, shape[0][1]).value;
    std::vector<layout::Tree> shapes = {layout::Tree::of({tile.shape, columns})};
    std::vector<layout::Tree> strides = {layout::Tree::of({tile.stride, columnOfTile})};
    std::vector<layout::Tree> restShape(shape.modes().begin() + 1, shape.modes().end());
    layout::Layout rest = layout::compactMajor(arith, layout::Tree(restShape));
    for (size_t i = 0; i < restShape.size(); ++i) {
      shapes.push_back(rest.shape[i]);
      strides.push_back(rest.stride[i].map([&](layout::Leaf leaf) {
        return layout::Leaf(leaf.value.value * columnOfTile * columns);
      }));
    }
    // The shape is the partition's own: where the tile folds M, the composition refines it.
    layout::Layout virtualLayout{layout::Tree(shapes), layout::Tree(strides)};
    int64_t total = columns * layout::product(arith, layout::Tree(restShape)).value;
    layout::Layout addresses{layout::Tree::of({columnOfTile, total}),
                             layout::Tree::of({dataPath, 1})};
    TESSERA_TRY(layout::Layout l, layout::composition(arith, addresses, virtualLayout));
    return memref(element, AddressSpace::tmem, 1, std::move(l));
  }
  return reason(Diag::FragmentTmem, std::string(mma.row->name));
}
} // namespace

std::optional<Major> tessera::cute_nvgpu::descriptorMajor(Type atom, MmaOperand operand) {
  return llvm::TypeSwitch<Type, std::optional<Major>>(cute::untiled(atom))
      .Case<Sm90MmaType, Sm90MmaSpType, Sm100MmaType, Sm100MmaSpType, Sm100MmaBsType,
            Sm100MmaBsSpType>(
          [&](auto type) { return operand == MmaOperand::A ? type.getAMajor() : type.getBMajor(); })
      .Default(std::nullopt);
}

layout::Layout tessera::cute_nvgpu::keptLayout(const MmaInstance &mma, MmaOperand operand,
                                               const layout::Layout &partition) {
  if (operand != MmaOperand::A || !mma.row->sparsity.isSparse())
    return partition;
  layout::Layout kept = partition;
  layout::Layout values = layout::filterZeros(partition[0]);
  kept.shape[0] = values.shape;
  kept.stride[0] = values.stride;
  return kept;
}

Result<Type> tessera::cute_nvgpu::fragmentType(const MmaInstance &mma, Type element,
                                               MmaOperand operand, Type partition) {
  layout::AnyLayout l;
  if (auto view = dyn_cast<ViewType>(partition)) {
    l = view.getViewLayout();
  } else {
    layout::Symbolic arith;
    l = layout::compactMajor(arith, cast<cute::ShapeType>(partition).getValue());
  }
  if (l.rank() < 3)
    return reason(Diag::FragmentRank, l.shape());
  const atom::Operand &row = operand == MmaOperand::A   ? mma.row->a
                             : operand == MmaOperand::B ? mma.row->b
                                                        : mma.row->d;
  switch (row.where) {
  case atom::Residency::Rmem:
    if (l.affine())
      l = keptLayout(mma, operand, l.outer());
    return registers(element, operand, l);
  case atom::Residency::Smem: return descriptors(partition);
  case atom::Residency::Tmem: return tensorMemory(mma, element, operand, l.shape());
  }
  return reason(Diag::FragmentNoTensor, partition);
}
