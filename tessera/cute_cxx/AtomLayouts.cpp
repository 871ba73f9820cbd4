// Which thread has which element: layouts of tiled copies and products, and their text.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_cxx/LayoutCall.h"
#include "tessera/layout/ThreadValues.h"
#include "tessera/render/Draw.h"

using namespace tessera;
using layout::AnyLayout;
using layout::CopySide;
using layout::MmaOperand;

namespace tessera::cute {

/// A layout that the algebra computes from a tiling; poisoned if there is no tiling.
template <class Tiling, class F>
static Layout<> ofTiling(const char *call, const std::optional<Tiling> &tiling, Place at, F f) {
  layout::Const arith;
  return tiling ? checkedLayout(call, f(arith, *tiling), at) : refusedLayout();
}
static auto tilingOf(const TiledMMA &mma, Place at) {
  return dsl::tiling_of(held<dsl::TiledMma>(mma), at);
}
static auto tilingOf(const TiledCopy &copy, Place at) {
  return dsl::tiling_of(held<dsl::TiledCopy>(copy), at);
}

//===--- products -----------------------------------------------------------------------------===//

static Layout<> operandLayout(const char *call, const TiledMMA &mma, MmaOperand operand, Place at) {
  return ofTiling(call, tilingOf(mma, at), at,
                  [&](layout::Arith &, const layout::TiledMma &tiling) {
                    return dsl::operand_layout(tiling, operand);
                  });
}
Layout<> TiledMMA::get_layoutA_TV(Place at) const {
  return operandLayout("get_layoutA_TV", *this, MmaOperand::A, at);
}
Layout<> TiledMMA::get_layoutB_TV(Place at) const {
  return operandLayout("get_layoutB_TV", *this, MmaOperand::B, at);
}
Layout<> TiledMMA::get_layoutC_TV(Place at) const {
  return operandLayout("get_layoutC_TV", *this, MmaOperand::C, at);
}
static Layout<> fragments(const char *call, const TiledMMA &mma, MmaOperand operand,
                          const Layout<> &l, Place at) {
  std::optional<layout::TiledMma> tiling = tilingOf(mma, at);
  if (!tiling)
    return refusedLayout();
  return fixed(call, l, at, [&](layout::Arith &arith, const AnyLayout &given) {
    return layout::threadFragments(arith, *tiling, operand, given);
  });
}
Layout<> TiledMMA::thrfrg_A(const Layout<> &l, Place at) const {
  return fragments("thrfrg_A", *this, MmaOperand::A, l, at);
}
Layout<> TiledMMA::thrfrg_B(const Layout<> &l, Place at) const {
  return fragments("thrfrg_B", *this, MmaOperand::B, l, at);
}
Layout<> TiledMMA::thrfrg_C(const Layout<> &l, Place at) const {
  return fragments("thrfrg_C", *this, MmaOperand::C, l, at);
}
Layout<> TiledMMA::AtomThrID(Place at) const {
  return ofTiling("AtomThrID", tilingOf(*this, at), at,
                  [](layout::Arith &, const layout::TiledMma &tiling) -> Result<layout::Layout> {
                    return tiling.atom.threads;
                  });
}
Layout<> TiledMMA::get_thr_layout_vmnk(Place at) const {
  return ofTiling("get_thr_layout_vmnk", tilingOf(*this, at), at,
                  [](layout::Arith &arith, const layout::TiledMma &tiling) {
                    return layout::threadLayout(arith, tiling);
                  });
}

//===--- copies -------------------------------------------------------------------------------===//

static Layout<> sideLayout(const char *call, const TiledCopy &copy, CopySide side, Place at) {
  return ofTiling(call, tilingOf(copy, at), at,
                  [&](layout::Arith &arith, const layout::TiledCopy &tiling) {
                    return layout::threadValueToTile(arith, tiling, side);
                  });
}
Layout<> TiledCopy::get_layoutS_TV(Place at) const {
  return sideLayout("get_layoutS_TV", *this, CopySide::Src, at);
}
Layout<> TiledCopy::get_layoutD_TV(Place at) const {
  return sideLayout("get_layoutD_TV", *this, CopySide::Dst, at);
}
static Layout<> fragments(const char *call, const TiledCopy &copy, CopySide side, const Layout<> &l,
                          Place at) {
  std::optional<layout::TiledCopy> tiling = tilingOf(copy, at);
  if (!tiling)
    return refusedLayout();
  return fixed(call, l, at, [&](layout::Arith &arith, const AnyLayout &given) {
    return layout::threadFragments(arith, *tiling, side, given);
  });
}
Layout<> TiledCopy::tidfrg_S(const Layout<> &l, Place at) const {
  return fragments("tidfrg_S", *this, CopySide::Src, l, at);
}
Layout<> TiledCopy::tidfrg_D(const Layout<> &l, Place at) const {
  return fragments("tidfrg_D", *this, CopySide::Dst, l, at);
}

static TiledCopy tiledCopy(const CopyAtom &atom, const Layout<> &tv, const layout::Tile &tile,
                           Place at) {
  return made<TiledCopy>(
      dsl::make_tiled_copy_tv(held<dsl::Atom>(atom), layoutOf(tv), dsl::Tile(tile), at));
}
static TiledCopy likeSide(const char *call, const CopyAtom &atom, const TiledCopy &copy,
                          CopySide side, Place at) {
  std::optional<layout::TiledCopy> tiling = tilingOf(copy, at);
  return tiledCopy(atom, sideLayout(call, copy, side, at), tiling ? tiling->tiler : layout::Tile(),
                   at);
}
TiledCopy make_tiled_copy_S(const CopyAtom &atom, const TiledCopy &copy, Place at) {
  return likeSide("make_tiled_copy_S", atom, copy, CopySide::Src, at);
}
TiledCopy make_tiled_copy_D(const CopyAtom &atom, const TiledCopy &copy, Place at) {
  return likeSide("make_tiled_copy_D", atom, copy, CopySide::Dst, at);
}

/// The copy whose `tv` maps (thread, value) to a coordinate of a shape, as an integer. Its tile has
/// the coordinates that occur, mode by mode, and its layout counts them. CUTLASS
/// include/cute/atom/copy_atom.hpp.
static TiledCopy ofOccurring(const CopyAtom &atom, const Layout<> &tv, const IntTuple &shape,
                             Place at) {
  std::vector<layout::Tile> modes;
  for (int i = 0; i < shape.rank(); ++i) {
    std::vector<IntTuple> steps(size_t(shape.rank()), IntTuple(0));
    steps[size_t(i)] = 1;
    Layout<> occurs =
        filter(composition(make_layout(shape, IntTuple::of(steps, at), at), tv, at), at);
    if (occurs.is_poisoned())
      return made<TiledCopy>(dsl::TiledCopy(mlir::Value()));
    modes.push_back(layoutOf(occurs).get().outer());
  }
  layout::Tile tile(std::move(modes));
  Layout<> inTile = composition(make_layout(shape, at), made<Tiler>(dsl::Tile(tile)), at);
  return tiledCopy(atom, composition(left_inverse(inTile, at), tv, at), tile, at);
}
TiledCopy make_tiled_copy_C_atom(const CopyAtom &atom, const TiledMMA &mma, Place at) {
  Layout<> all = mma.get_layoutC_TV(at);
  std::optional<layout::CopyAtomLayouts> layouts = dsl::copy_layouts(held<dsl::Atom>(atom), at);
  if (all.is_poisoned() || !layouts)
    return made<TiledCopy>(dsl::TiledCopy(mlir::Value()));
  layout::Const arith;
  int64_t atOnce = layout::size(arith, layouts->src[1]).value;
  if (atOnce > int64_t(size<1>(all, at))) {
    mistake("make_tiled_copy_C_atom",
            cat("expects an atom of at most the ", int64_t(size<1>(all, at)),
                " values of a thread, but got ", atOnce),
            at);
    return made<TiledCopy>(dsl::TiledCopy(mlir::Value()));
  }
  Layout<> first = composition(all, make_layout(make_shape(Num(size<0>(all, at)), atOnce), at), at);
  return ofOccurring(atom, first, make_shape(tile_size<0>(mma, at), tile_size<1>(mma, at)), at);
}
TiledCopy make_cotiled_copy(const CopyAtom &atom, const Layout<> &tv, const Layout<> &data,
                            Place at) {
  // Places beyond the data have index 0 in it.
  Layout<> beyond = make_layout(1, 0, at);
  Layout<> coords = composition(make_layout(left_inverse(data, at), beyond, at), tv, at);
  if (coords.is_poisoned())
    return made<TiledCopy>(dsl::TiledCopy(mlir::Value()));
  Layout<> there = composition(make_layout(data, beyond, at), coords.mode(1, at), at);
  if (!there.is_poisoned() && coalesce(there, at).str() != coalesce(tv.mode(1, at), at).str()) {
    mistake("make_cotiled_copy",
            cat("expects values at indices of ", data.str(), ", but not all of ", tv.str(), " are"),
            at);
    return made<TiledCopy>(dsl::TiledCopy(mlir::Value()));
  }
  return ofOccurring(atom, coords, product_each(data.shape(at), at), at);
}

//===--- printed ------------------------------------------------------------------------------===//

static std::string textOf(const char *name, const layout::Layout &l) {
  return cat("  ", name, cute::textOf(l), "\n");
}
static std::string textOf(const layout::CopyAtomLayouts &atom, const dsl::Handle &copy) {
  std::optional<dsl::Element> element = dsl::element_of_copy(copy);
  layout::Const arith;
  layout::Int threads = layout::size(arith, atom.ref[0]);
  return cat(
      "Copy_Atom\n",
      textOf("ThrID:        ", layout::Layout{threads, layout::Int(threads.value == 1 ? 0 : 1)}),
      textOf("ValLayoutSrc: ", atom.src), textOf("ValLayoutDst: ", atom.dst),
      textOf("ValLayoutRef: ", atom.ref),
      "  ValueType:    ", element ? elementBits(element->format()) : 0, "b\n");
}
static std::string textOf(const layout::MmaAtomLayouts &atom) {
  return cat("MMA_Atom\n", textOf("ThrID:      ", atom.threads),
             "  Shape_MNK:  ", cute::textOf(layout::Tree::of({atom.m, atom.n, atom.k})), "\n",
             textOf("LayoutA_TV: ", atom.a), textOf("LayoutB_TV: ", atom.b),
             textOf("LayoutC_TV: ", atom.c));
}
void print(const CopyAtom &atom) {
  dsl::Atom of = held<dsl::Atom>(atom);
  if (auto layouts = dsl::copy_layouts(of))
    put(textOf(*layouts, of));
}
void print(const TiledCopy &copy) {
  std::optional<layout::TiledCopy> tiling = tilingOf(copy, Place::current());
  if (tiling)
    put(cat("TiledCopy\n  Tiler_MN:       ", cute::textOf(tiling->tiler), "\n",
            textOf("TiledLayout_TV: ", tiling->layoutTV),
            textOf(tiling->atom, held<dsl::TiledCopy>(copy))));
}
void print(const ThrCopy &part) {
  put("ThrCopy\n  ThrIdx: ");
  print(part.thread);
  put("\n");
  print(TiledCopy(part.copy.node()));
}
void print(const MMAAtom &atom) {
  if (auto layouts = dsl::mma_layouts(held<dsl::Atom>(atom)))
    put(textOf(*layouts));
}
void print(const TiledMMA &mma) {
  std::optional<layout::TiledMma> tiling = tilingOf(mma, Place::current());
  if (!tiling)
    return;
  layout::Tile permutation = tiling->permutation;
  if (permutation.isAny())
    permutation = layout::Tile(std::vector<layout::Tile>(3));
  put("TiledMMA\n  ThrLayoutVMNK:  ");
  print(mma.get_thr_layout_vmnk());
  put(cat("\n  PermutationMNK: ", cute::textOf(permutation), "\n", textOf(tiling->atom)));
}
void print(const ThrMMA &part) {
  put("ThrMMA\n  Thr VMNK: ");
  TiledMMA mma(part.mma.node());
  Layout<> threads = mma.get_thr_layout_vmnk();
  if (!threads.is_poisoned())
    print(idx2crd(part.thread, product_each(threads.shape())));
  put("\n");
  print(mma);
}

/// Pictures beside each other, each under its name.
static void drawn(const char *call,
                  std::initializer_list<std::pair<const char *, Layout<>>> layouts,
                  const std::vector<std::pair<int64_t, int64_t>> &tiles, Place at) {
  render::Picture all;
  for (const auto &[name, tv] : layouts) {
    if (tv.is_poisoned())
      return;
    size_t which = all.panels.size();
    Result<render::Picture> one = render::drawThreadValues(layoutOf(tv).get().outer(),
                                                           tiles[which].first, tiles[which].second);
    if (!one)
      return mistake(call, one.reason().text, at);
    render::Panel panel = one->panels.at(0);
    panel.caption = cat(name, panel.caption.empty() ? "" : " · ", panel.caption);
    panel.placeColumn = int(which);
    all.panels.push_back(std::move(panel));
  }
  put(render::written(all, {.format = render::Format::Latex, .terminal = {}}));
}
void print_latex(const TiledCopy &copy, Place at) {
  std::optional<layout::TiledCopy> tiling = tilingOf(copy, at);
  if (!tiling)
    return;
  layout::Const arith;
  auto extent = [&](size_t mode) {
    const layout::Tile &t = tiling->tiler;
    return mode >= t.rank()
               ? 1
               : layout::size(arith, t.isTuple() ? t.modes[mode].single : t.single).value;
  };
  std::pair<int64_t, int64_t> tile{extent(0), extent(1)};
  drawn("print_latex", {{"S", copy.get_layoutS_TV(at)}, {"D", copy.get_layoutD_TV(at)}},
        {tile, tile}, at);
}
void print_latex_tv(const Layout<> &tv, const IntTuple &tile, Place at) {
  if (tv.is_poisoned() || tile.is_poisoned())
    return;
  if (!tv.is_set() || !tv.is_static() || tv.rank() != 2 || layoutOf(tv).get().composed())
    return mistake("print_latex_tv",
                   cat("expects a layout (thread, value) that C++ knows, but got ",
                       tv.is_set() ? tv.str() : "none"),
                   at);
  if (!tile.is_set() || !tile.is_static() || tile.rank() != 2)
    return mistake(
        "print_latex_tv",
        cat("expects a tile (M,N) that C++ knows, but got ", tile.is_set() ? tile.str() : "none"),
        at);
  drawn("print_latex_tv", {{"TV", tv}},
        {{int64_t(size(tile.mode(0, at), at)), int64_t(size(tile.mode(1, at), at))}}, at);
}
void print_latex(const TiledMMA &mma, Place at) {
  int64_t m = tile_size<0>(mma, at), n = tile_size<1>(mma, at), k = tile_size<2>(mma, at);
  drawn(
      "print_latex",
      {{"A", mma.get_layoutA_TV(at)}, {"B", mma.get_layoutB_TV(at)}, {"C", mma.get_layoutC_TV(at)}},
      {{m, k}, {n, k}, {m, n}}, at);
}

} // namespace tessera::cute
