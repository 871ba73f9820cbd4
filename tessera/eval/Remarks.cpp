// Remarks, one row per family of functions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/eval/Remarks.h"

#include "tessera/eval/Points.h"
#include "tessera/layout/Text.h"

namespace tessera::eval {

using namespace layout;

namespace {
using Texts = std::vector<std::string>;

/// `tile` elements at a time out of `extent`.
void roundingOf(int64_t extent, int64_t tile, const std::string &where, Texts &out) {
  if (extent <= 0 || tile <= 0 || extent % tile == 0)
    return;
  int64_t copies = extent / tile + 1;
  __int128 outside = __int128(copies) * tile - extent;
  out.push_back(cat(where, tile, " does not divide ", extent, ": the rest is rounded up to ",
                    copies, ", ", int64_t(outside),
                    outside == 1 ? " index lies outside" : " indices lie outside"));
}

void roundings(const Tree &shape, const Tile &tile, const std::string &where, Texts &out) {
  if (tile.isLayout())
    roundingOf(sizeOf(shape), sizeOf(tile.single.shape), where, out);
  for (size_t i = 0; i < tile.modes.size() && i < shape.rank(); ++i)
    roundings(shape[i], tile.modes[i], cat("mode ", i, ": "), out);
}

void onDivision(std::span<const Value> in, const Value &, Texts &out) {
  if (const Tile *tile = std::get_if<Tile>(&in[1]))
    roundings(layoutOf(in[0])->shape(), *tile, "", out);
}

/// The copies of a block may cover more than the shape that was asked for.
void onTiling(std::span<const Value> in, const Value &result, Texts &out) {
  const Tree &asked = std::get<Tree>(in[1]), &got = layoutOf(result)->shape();
  for (size_t i = 0; i < asked.rank() && i < got.rank(); ++i)
    if (int64_t want = sizeOf(asked[i]), have = sizeOf(got[i]); have > want)
      out.push_back(
          cat("mode ", i, ": the block does not divide ", want, ": the copies cover ", have));
}

void onComposition(std::span<const Value> in, const Value &, Texts &out) {
  const AnyLayout *a = layoutOf(in[0]), *b = layoutOf(in[1]);
  Const arith;
  if (!a || !b || a->outer().stride.hasBasis() || b->outer().stride.hasBasis())
    return;
  Result<Int> reach = cosize(arith, *b);
  if (int64_t points = sizeOf(a->shape()); reach && reach->value > points)
    out.push_back(cat("the right layout reaches index ", reach->value - 1, ", beyond the ", points,
                      " coordinates of the left one, whose last mode goes on"));
}

void onRightInverse(std::span<const Value> in, const Value &result, Texts &out) {
  int64_t all = sizeOf(layoutOf(in[0])->shape()), some = sizeOf(layoutOf(result)->shape());
  if (some < all)
    out.push_back(cat("only the first ", some, " of ", all, " indices are hit contiguously"));
}

struct Row {
  std::string_view functions; // names between spaces
  void (*remark)(std::span<const Value> arguments, const Value &result, Texts &out);
};
constexpr Row table[] = {
    {" logical_divide zipped_divide tiled_divide flat_divide local_tile inner_partition "
     "outer_partition ",
     onDivision},
    {" tile_to_shape ", onTiling},
    {" composition composition_tile composition_shape composition_composed ", onComposition},
    {" right_inverse ", onRightInverse},
};
} // namespace

std::vector<std::string> remarksOn(const Step &step, const RunTime &values) {
  Texts out;
  if (!step.result)
    return out;
  for (const Row &row : table) {
    if (row.functions.find(cat(" ", step.function->name, " ")) == std::string_view::npos)
      continue;
    std::vector<Value> arguments;
    for (const Value &argument : step.arguments.all())
      if (std::optional<Value> known = resolved(argument, values))
        arguments.push_back(std::move(*known));
    std::optional<Value> result = resolved(*step.result, values);
    if (result && arguments.size() == step.arguments.count())
      row.remark(arguments, *result, out);
  }
  return out;
}

} // namespace tessera::eval
