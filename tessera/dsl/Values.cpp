// Coordinates, layouts and tiles from what the author gives.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/dsl/Values.h"

#include "tessera/cute/Cute.h"
#include "tessera/dsl/Call.h"
#include "tessera/layout/Domains.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::dsl;

//===--- coordinates --------------------------------------------------------------------------===//

Coord::Coord(Num number) : leaves{number}, failed(number.poisoned()) {
  bool wide = number.type() && number.type().isInteger(64);
  known = layout::Tree(layout::Int::dynamic(layout::Symbolic::anonymous,
                                            wide ? layout::Width::I64 : layout::Width::I32,
                                            number.multipleOf()));
}
Coord::Coord(mlir::Value value, layout::Tree known)
    : known(std::move(known)), value(value), failed(!value) {}

Coord::Coord(const char *text, Place at) {
  Call call("Coord", at);
  failed = !call.good();
  if (failed)
    return;
  Result<layout::Tree> tree = layout::parseTree(text, layout::TreeKind::Coord);
  if (!tree)
    call.fail(tree.reason().text);
  else if (!tree->isStatic())
    call.fail(
        cat("expects numbers and _, but got '", text, "'; make_coord takes run-time numbers"));
  else
    known = *std::move(tree);
  failed = !call.good();
}

Coord Coord::of(std::vector<Coord> modes, Place at) {
  Coord whole;
  std::vector<layout::Tree> trees;
  for (Coord &mode : modes) {
    whole.failed |= mode.failed;
    if (mode.value) {
      Call call("make_coord", at);
      call.fail("expects numbers and tuples of numbers, but got a tuple of the IR; take its modes");
      whole.failed = true;
    }
    trees.push_back(std::move(mode.known));
    whole.leaves.insert(whole.leaves.end(), mode.leaves.begin(), mode.leaves.end());
  }
  whole.known = layout::Tree(std::move(trees));
  return whole;
}

Coord Coord::of(layout::Tree form, std::vector<Num> leaves) {
  Coord whole;
  whole.known = std::move(form);
  whole.leaves = std::move(leaves);
  for (const Num &leaf : whole.leaves)
    whole.failed |= leaf.poisoned();
  return whole;
}

//===--- layouts and tiles --------------------------------------------------------------------===//

Layout::Layout(const char *text, Place at) : Layout(layout::parseAnyLayout(text), "Layout", at) {}
Layout::Layout(Result<layout::AnyLayout> made, const char *name, Place at) : given(true) {
  Call call(name, at);
  if (!made)
    call.good() ? call.fail(made.reason().text) : void();
  else
    known = *std::move(made);
  failed = !call.good();
}
Layout::Layout(mlir::Value value) : value(value), given(true), failed(!value) {
  if (value)
    known = *cute::datumOf(value.getType()).as<layout::AnyLayout>();
}

Tile::Tile(const char *text, Place at) : given(true) {
  Call call("Tile", at);
  Result<layout::Tile> tile = layout::parseTile(text);
  if (!tile)
    call.good() ? call.fail(tile.reason().text) : void();
  else
    known = *std::move(tile);
  failed = !call.good();
}

Tensor Tensor::at(const Coord &coord, Place at) const {
  Call call("slice", at, *this, coord);
  Value fixed = call.value(coord, layout::TreeKind::Coord);
  return Tensor(call.infer<cute::SliceOp>({ir(), fixed}));
}
