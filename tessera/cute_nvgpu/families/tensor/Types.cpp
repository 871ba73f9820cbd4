// Atoms of tensor memory: their fragments, and texts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_nvgpu/AtomText.h"
#include "tessera/cute_nvgpu/AtomTypes.h"
#include "tessera/cute_nvgpu/Diagnostics.h"
#include "tessera/cute_nvgpu/families/tensor/Tensor.h"

#include "tessera/layout/Domains.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute_nvgpu;
using layout::MmaOperand;

namespace {
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
} // namespace

Result<Type> tessera::cute_nvgpu::tensorFragment(const MmaInstance &mma, Type element,
                                                 MmaOperand operand, const layout::Tree &shape) {
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
    auto pointer = cute::PtrType::get(element.getContext(), element, cute::AddressSpace::tmem,
                                      /*alignment=*/1, layout::Swizzle{0, 4, 3});
    return Type(cute::CuteMemRefType::get(element.getContext(), pointer, std::move(l)));
  }
  return reason(Diag::FragmentTmem, std::string(mma.row->name));
}

/// `x4`, and `packed` where 16-bit elements share a column.
static ParseResult parseRepeat(AsmParser &parser, int32_t &repeat, bool &pack, StringRef packed) {
  StringRef text;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&text))
    return failure();
  if (!text.consume_front("x") || text.getAsInteger(10, repeat))
    return parser.emitError(loc, "expects a repeat count such as x4");
  pack = succeeded(parser.parseOptionalComma());
  return pack ? parser.parseKeyword(packed) : ParseResult(success());
}
static void printRepeat(AsmPrinter &printer, int32_t repeat, bool pack, StringRef packed) {
  printer << "x" << repeat;
  if (pack)
    printer << ", " << packed;
}
ParseResult tessera::cute_nvgpu::parseRepeatPack(AsmParser &parser, int32_t &repeat, bool &pack) {
  return parseRepeat(parser, repeat, pack, "pack16b");
}
void tessera::cute_nvgpu::printRepeatPack(AsmPrinter &printer, int32_t repeat, bool pack) {
  printRepeat(printer, repeat, pack, "pack16b");
}
ParseResult tessera::cute_nvgpu::parseRepeatExpand(AsmParser &parser, int32_t &repeat, bool &pack) {
  return parseRepeat(parser, repeat, pack, "expand16b");
}
void tessera::cute_nvgpu::printRepeatExpand(AsmPrinter &printer, int32_t repeat, bool pack) {
  printRepeat(printer, repeat, pack, "expand16b");
}

ParseResult tessera::cute_nvgpu::parseArchPromote(AsmParser &parser, int32_t &arch) {
  arch = 100;
  return parseOptions(parser, [&](StringRef key) -> FailureOr<bool> {
    if (key != "arch_promote")
      return false;
    StringRef target;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&target))
      return failure();
    if (!target.consume_front("sm_") || target.getAsInteger(10, arch) ||
        (arch != 100 && arch != 103))
      return parser.emitError(loc, "expects sm_100 or sm_103");
    return true;
  });
}
void tessera::cute_nvgpu::printArchPromote(AsmPrinter &printer, int32_t arch) {
  if (arch != 100)
    printer << ", arch_promote = sm_" << arch;
}
