// Advice: one row per reason that something can be said about.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/eval/Suggest.h"

#include "tessera/eval/Points.h"
#include "tessera/layout/Domains.h"
#include "tessera/layout/Text.h"

namespace tessera::eval {

using namespace layout;

namespace {
constexpr int64_t farthest = 64; // how far from what came a better number is looked for
constexpr size_t mostTried = 8;  // leaves of a layout that are tried
constexpr int64_t mostShown = 8; // values of a function that are shown

bool composes(const Layout &a, const Layout &b) {
  Symbolic arith;
  return composition(arith, a, b).ok() && !arith.overflowed();
}

/// A static layout without scaled bases, which is all that advice is computed for.
const Layout *plain(const Value &value) {
  const AnyLayout *l = std::get_if<AnyLayout>(&value);
  return l && l->affine() && l->isStatic() && !l->affine()->stride.hasBasis() ? l->affine()
                                                                              : nullptr;
}

/// The first tree that `good` takes when one leaf at a time grows by 1, 2, ...; "" if none does.
template <class F> std::string withLargerLeaf(const Tree &tree, F &&good) {
  const size_t leaves = std::min(tree.leafCount(), mostTried);
  for (size_t which = 0; which < leaves; ++which)
    for (int64_t more = 1; more <= farthest; ++more) {
      size_t at = 0;
      bool moved = false;
      Tree changed = tree.map([&](const Leaf &leaf) {
        if (at++ != which || leaf.value.value < 1 ||
            leaf.value.value > std::numeric_limits<int32_t>::max())
          return leaf;
        moved = true;
        return Leaf(leaf.value.value + more);
      });
      if (std::string text = moved ? good(changed) : ""; !text.empty())
        return text;
    }
  return "";
}

/// What the function would be, and where its steps change.
std::string valuesOf(const Layout &a, const Layout &b) {
  Points left{AnyLayout(a)}, right{AnyLayout(b)};
  std::string list;
  int64_t change = 0, points = std::min(right.size(), mostShown);
  std::vector<int64_t> at;
  for (int64_t i = 0; i < points; ++i) {
    at.push_back(left.number(right.number(i)));
    list += cat(i ? ", " : "", at.back());
    if (i > 1 && !change &&
        uint64_t(at[i]) - uint64_t(at[i - 1]) != uint64_t(at[1]) - uint64_t(at[0]))
      change = i;
  }
  std::string where =
      change && b.shape.isLeaf() ? cat(", whose step changes at index ", change) : "";
  return cat(str(a), " o ", str(b), "  would map 0, 1, ... to ", list,
             points < right.size() ? ", ..." : "", where);
}

Advice onComposition(const Arguments &in, const RunTime &) {
  const Layout *a = in.count() == 2 ? plain(in[0]) : nullptr, *b = a ? plain(in[1]) : nullptr;
  if (!b || a->shape.leafCount() > mostTried || b->shape.leafCount() > mostTried)
    return {};
  std::string right = withLargerLeaf(b->stride, [&](const Tree &stride) {
    Layout candidate = {b->shape, stride};
    return composes(*a, candidate) ? str(candidate) : "";
  });
  std::string left = withLargerLeaf(a->shape, [&](const Tree &shape) {
    Layout candidate = {shape, a->stride};
    return composes(candidate, *b) ? str(candidate) : "";
  });
  std::string help;
  if (!right.empty())
    help = cat("a right layout with other strides works, e.g. ", right);
  if (!left.empty())
    help += cat(help.empty() ? "" : ", or ", "pad the left one to ", left);
  return {valuesOf(*a, *b), help};
}

Advice onComplement(const Arguments &in, const RunTime &) {
  const Layout *l = plain(in[0]);
  Const arith;
  if (!l || !complement(arith, filter(arith, *l)))
    return {"", "leave out the modes that repeat indices"};
  return {"", cat("leave out what repeats: filter gives ", str(filter(arith, *l)))};
}

Advice onLeftInverse(const Arguments &, const RunTime &) {
  return {"", "right_inverse(L) inverts what L hits contiguously, injective or not"};
}

Advice onModes(const Arguments &in, const RunTime &) {
  const AnyLayout *l = layoutOf(in[0]);
  if (!l)
    return {};
  return {"", cat("the modes of ", str(l->shape()), " are 0 to ", int64_t(l->rank()) - 1)};
}

/// A coordinate that fits the layout of a slice, an evaluation, ...
Advice onCoordinate(const Arguments &in, const RunTime &) {
  for (const Value &argument : in.all())
    if (const AnyLayout *l = std::get_if<AnyLayout>(&argument);
        l && l->rank() <= mostTried && l->rank() > 0) {
      Tree keep = l->shape().isLeaf() ? Tree(Leaf::underscore())
                                      : repeat(Tree(Leaf::underscore()), l->rank());
      return {"", cat("the layout has ", l->rank(), l->rank() == 1 ? " mode" : " modes", ": ",
                      str(keep), " keeps all")};
    }
  return {};
}

struct Row {
  std::string_view id;
  Advice (*advise)(const Arguments &, const RunTime &);
};
constexpr Row table[] = {
    {"CompositionStride", onComposition},
    {"CompositionShape", onComposition},
    {"CompositionCarry", onComposition},
    {"ComplementNotInjective", onComplement},
    {"LeftInverseNotInjective", onLeftInverse},
    {"ModeOutOfRange", onModes},
    {"PathOutOfRange", onModes},
    {"GroupEnd", onModes},
    {"SelectRange", onModes},
    {"TakeRange", onModes},
    {"NotWeaklyCongruent", onCoordinate},
    {"CoordRank", onCoordinate},
};
} // namespace

Advice adviseOn(const Reason &reason, const Function &function, const Arguments &in,
                const RunTime &values) {
  const bool composition = function.name.starts_with("composition");
  for (const Row &row : table)
    if (row.id == reason.id && (composition || row.advise != onComposition))
      return row.advise(in, values);
  return {};
}

Advice adviseOn(const Reason &reason, const Tree &shape) {
  if (reason.id != "ProfileMismatch" || shape.leafCount() > mostTried || !shape.isStatic())
    return {};
  Symbolic arith;
  Layout l = compactMajor(arith, shape);
  return {"", arith.overflowed() ? "" : cat("strides in the profile of the shape, e.g. ", str(l))};
}

} // namespace tessera::eval
