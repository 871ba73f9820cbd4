// The properties of the algebra, one row for each operation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/layout/Property.h"

#include "tessera/layout/Text.h"

#include <algorithm>

namespace tessera::layout::test {

namespace {
Result<Sliced> whole(Layout l) { return Sliced{AnyLayout(std::move(l)), Tree(0)}; }
template <class L> Result<Sliced> whole(Result<L> l) {
  if (!l)
    return std::move(l).reason();
  return Sliced{AnyLayout(*std::move(l)), Tree(0)};
}

Values one(Random &r) { return {{r.layout()}, {}, {}, {}}; }
Values signedOne(Random &r) { return {{r.layout(Strides(r.below(4)))}, {}, {}, {}}; }
Values injectiveOne(Random &r) { return {{r.layout(Strides(r.below(2)))}, {}, {}, {}}; }
/// A layout, and one that walks it; now and then the left one is swizzled or maps to coordinates.
Values walked(Random &r) {
  AnyLayout a = r.layout(Strides(r.below(4)));
  if (r.chance(20))
    a = identityLayout(a.shape());
  else if (r.chance(10))
    a = r.swizzled();
  return {{a, r.chance(20) ? r.layout() : r.walkOf(a.outer())}, {}, {}, {}};
}
/// A layout and a tiler that often divides it: a compact piece of its domain.
Values tiled(Random &r) {
  Layout a = r.layout();
  Layout t = r.chance(50) ? r.walkOf(a) : r.layout(Strides::Compact, 2, 12);
  return {{a, t}, {}, {}, {}};
}
/// A layout and one tiler for each of its first modes.
Values tiledByMode(Random &r) {
  Values in = {{r.layout(Strides(r.below(3)), 5, 256)}, {}, {}, {}};
  const Layout a = in.outer(0);
  for (size_t i = 0, n = size_t(1 + r.below(int64_t(a.rank()))); i < n; ++i)
    in.layouts.emplace_back(r.chance(70) ? Layout{Tree(1 + r.below(4)), Tree(1)} : r.walkOf(a[i]));
  return in;
}
Values multiplied(Random &r) {
  return {{r.layout(Strides(r.below(2)), 3, 24), r.layout(Strides(r.below(2)), 3, 24)}, {}, {}, {}};
}
Values profiled(Random &r) {
  Layout l = r.layout();
  return {{l}, {}, {r.chance(50) || l.shape.isLeaf() ? Tree(1) : repeat(Tree(1), l.rank())}, {}};
}
Values sliced(Random &r) {
  AnyLayout l = r.chance(75) ? r.swizzled() : AnyLayout(r.layout(Strides(r.below(4))));
  if (r.chance(10)) { // an affine inner layout takes the index as its coordinate
    Layout outer = r.layout(Strides::Compact, 3, 16);
    l = Composed{r.layout(Strides::Wild, 3, 32), Tree(r.below(4)), outer};
  }
  return {{l}, {r.coord(l.shape(), 40)}, {}, {}};
}
Values recastOf(Random &r) {
  AnyLayout l = r.chance(25) ? r.swizzled() : AnyLayout(r.layout(Strides(r.below(4))));
  return {{l}, {}, {}, {int64_t(1) << r.below(4)}};
}
Values complemented(Random &r) {
  Layout l = r.layout(Strides(r.below(2)), 3, 32);
  return {{l}, {r.chance(70) ? Tree(1 + r.below(200)) : r.shape(3, 200)}, {}, {}};
}
Values tiledToShape(Random &r) {
  Tree block = r.shape(2, 16), target = repeat(Tree(1), block.rank());
  std::vector<Tree> order;
  for (size_t i = 0; i < target.rank(); ++i) {
    int64_t size = 1;
    block[i].forEachLeaf([&](const Leaf &leaf) { size *= leaf.value.value; });
    target[i] = Tree(r.chance(80) ? size * (1 + r.below(4)) : 1 + r.below(20));
    order.insert(order.begin() + r.below(int64_t(i) + 1), Tree(int64_t(i)));
  }
  return {{Layout{block, r.strides(block, Strides::Compact)}}, {target}, {Tree(order)}, {}};
}

Tile tilerOf(const Values &in) {
  std::vector<Tile> modes;
  for (size_t i = 1; i < in.layouts.size(); ++i)
    modes.emplace_back(in.outer(i));
  return Tile(std::move(modes));
}

std::string sameLaw(const Laws &laws, const Reference &, const Values &in, const Sliced &out) {
  return laws.same(in.layouts[0], out.layout);
}

/// Every index below the size is hit once.
std::string compactLaw(const Laws &laws, const Reference &ref, const Values &in,
                       const Sliced &out) {
  const Layout &l = out.layout.outer();
  if (l.shape != in.outer(0).shape || !congruent(l.shape, l.stride))
    return "another shape";
  return laws.injective(l) && ref.number(l, ref.size(l) - 1) == ref.size(l) - 1 ? ""
                                                                                : "not compact";
}

/// Compact where the stride is not 0, and strides in the order of those of the layout.
std::string likeLaw(const Laws &laws, const Reference &ref, const Values &in, const Sliced &out) {
  const Layout &l = out.layout.outer();
  std::vector<Leaf> shape = l.shape.leaves(), old = in.outer(0).stride.leaves(),
                    now = l.stride.leaves();
  Layout moving = filterZeros(Layout{l.shape, in.outer(0).stride});
  moving.stride = l.stride;
  if (!laws.injective(moving) || ref.number(moving, ref.size(moving) - 1) != ref.size(moving) - 1)
    return "not compact";
  auto decides = [&](size_t i) { return old[i].isStatic() && !old[i].is(0) && !shape[i].is(1); };
  for (size_t i = 0; i < old.size(); ++i) {
    if (old[i].is(0) && !now[i].is(0))
      return cat("stride 0 of leaf ", i, " is lost");
    for (size_t j = 0; j < old.size(); ++j)
      if (decides(i) && decides(j) && old[i].value.value < old[j].value.value &&
          ref.size(Tree(now[i])) > ref.size(Tree(now[j])))
        return cat("leaves ", i, " and ", j, " are out of order");
  }
  return "";
}

/// Copies do not overlap, and mode i pairs mode i of block and order.
template <bool blockFirst>
std::string pairedLaw(const Laws &laws, const Reference &ref, const Values &in, const Sliced &out) {
  const Layout &a = in.outer(0), &b = in.outer(1), &r = out.layout.outer();
  if (r.rank() != std::max(a.rank(), b.rank()))
    return "another rank";
  for (size_t i = 0; i < r.rank(); ++i) {
    int64_t block = i < a.rank() ? ref.size(a.shape[i]) : 1,
            copies = i < b.rank() ? ref.size(b.shape[i]) : 1;
    const Layout mode = r[i], own = mode[blockFirst ? 0 : 1];
    if (ref.size(own) != block || ref.size(mode) != block * copies)
      return cat("mode ", i, " has another size");
    if (std::string wrong = i < a.rank() ? laws.same(a[i], own) : ""; !wrong.empty())
      return cat("block mode ", i, " ", wrong);
  }
  return laws.injective(r) ? "" : "copies overlap";
}

std::string tileToShapeLaw(const Laws &laws, const Reference &ref, const Values &in,
                           const Sliced &out) {
  const Layout &r = out.layout.outer();
  for (size_t i = 0; i < in.trees[0].rank(); ++i)
    if (ref.size(r.shape[i]) < ref.size(in.trees[0][i]))
      return cat("mode ", i, " does not cover the target");
  return laws.injective(r) ? "" : "copies overlap";
}

/// The tile modes first, then the rest modes, each pair as a division of that mode alone.
std::string zippedLaw(const Laws &laws, const Reference &ref, const Values &in, const Sliced &out) {
  const Layout &a = in.outer(0), &r = out.layout.outer();
  const size_t tiles = in.layouts.size() - 1;
  if (r.rank() != 2 || r[0].rank() != tiles || r[1].rank() != a.rank())
    return "another profile";
  for (size_t i = 0; i < a.rank(); ++i) {
    Layout pair = i < tiles ? *concat({r[0][i], r[1][i]}) : r[1][i];
    std::string wrong =
        i < tiles ? laws.divide(a[i], in.outer(i + 1), pair) : laws.same(a[i], pair);
    if (!wrong.empty())
      return cat("mode ", i, " ", wrong);
  }
  return "";
}

const Property table[] = {
    {"Coalesce", signedOne,
     [](Arith &a, const Values &in) { return whole(coalesce(a, in.outer(0))); }, sameLaw, 100,
     true},
    {"CoalesceByProfile", profiled,
     [](Arith &a, const Values &in) { return whole(coalesce(a, in.outer(0), in.fixed[0])); },
     sameLaw, 100, true},
    {"Flatten", signedOne, [](Arith &, const Values &in) { return whole(flatten(in.outer(0))); },
     sameLaw, 100, true},
    {"Filter", one, [](Arith &a, const Values &in) { return whole(filter(a, in.outer(0))); },
     [](const Laws &laws, const Reference &, const Values &in, const Sliced &out) {
       return laws.same(filterZeros(in.outer(0)), out.layout);
     },
     100, false},
    {"Composition", walked,
     [](Arith &a, const Values &in) { return whole(composition(a, in.layouts[0], in.outer(1))); },
     [](const Laws &laws, const Reference &, const Values &in, const Sliced &out) {
       return laws.composition(in.layouts[0], in.outer(1), out.layout);
     },
     30, true},
    {"CompositionByMode", tiledByMode,
     [](Arith &a, const Values &in) { return whole(composition(a, in.layouts[0], tilerOf(in))); },
     [](const Laws &laws, const Reference &, const Values &in, const Sliced &out) {
       return laws.compositionByMode(in.outer(0), tilerOf(in), out.layout.outer());
     },
     30, true},
    {"Complement", complemented,
     [](Arith &a, const Values &in) { return whole(complement(a, in.outer(0), in.trees[0])); },
     [](const Laws &laws, const Reference &, const Values &in, const Sliced &out) {
       return laws.complement(in.outer(0), in.trees[0], out.layout.outer());
     },
     95, false},
    {"RightInverse", one,
     [](Arith &a, const Values &in) { return whole(rightInverse(a, in.outer(0))); },
     [](const Laws &laws, const Reference &, const Values &in, const Sliced &out) {
       return laws.rightInverse(in.outer(0), out.layout.outer());
     },
     100, false},
    {"LeftInverse", one,
     [](Arith &a, const Values &in) { return whole(leftInverse(a, in.outer(0))); },
     [](const Laws &laws, const Reference &, const Values &in, const Sliced &out) {
       return laws.leftInverse(in.outer(0), out.layout.outer());
     },
     60, false},
    {"Divide", tiled,
     [](Arith &a, const Values &in) {
       return whole(divide(a, in.layouts[0], in.outer(1), Grouping::Logical));
     },
     [](const Laws &laws, const Reference &, const Values &in, const Sliced &out) {
       return laws.divide(in.outer(0), in.outer(1), out.layout.outer());
     },
     30, false},
    {"ZippedDivideByMode", tiledByMode,
     [](Arith &a, const Values &in) {
       return whole(divide(a, in.layouts[0], tilerOf(in), Grouping::Zipped));
     },
     zippedLaw, 30, false},
    {"Product", multiplied,
     [](Arith &a, const Values &in) {
       return whole(product(a, in.layouts[0], in.outer(1), Grouping::Logical));
     },
     [](const Laws &laws, const Reference &, const Values &in, const Sliced &out) {
       return laws.product(in.outer(0), in.outer(1), out.layout.outer());
     },
     60, false},
    {"BlockedProduct", multiplied,
     [](Arith &a, const Values &in) {
       return whole(blockedProduct(a, in.layouts[0], in.outer(1)));
     },
     pairedLaw<true>, 60, false},
    {"RakedProduct", multiplied,
     [](Arith &a, const Values &in) { return whole(rakedProduct(a, in.layouts[0], in.outer(1))); },
     pairedLaw<false>, 60, false},
    {"TileToShape", tiledToShape,
     [](Arith &a, const Values &in) {
       return whole(tileToShape(a, in.layouts[0], in.trees[0], in.fixed[0]));
     },
     tileToShapeLaw, 90, false},
    {"Slice", sliced,
     [](Arith &a, const Values &in) { return sliceAndOffset(a, in.trees[0], in.layouts[0]); },
     [](const Laws &laws, const Reference &, const Values &in, const Sliced &out) {
       return laws.slice(in.trees[0], in.layouts[0], out);
     },
     100, false},
    {"Upcast", recastOf,
     [](Arith &a, const Values &in) { return whole(recast(a, in.layouts[0], 1, in.numbers[0])); },
     [](const Laws &laws, const Reference &, const Values &in, const Sliced &out) {
       return laws.recast(in.layouts[0], 1, in.numbers[0], out.layout);
     },
     30, false},
    {"Downcast", recastOf,
     [](Arith &a, const Values &in) { return whole(recast(a, in.layouts[0], in.numbers[0], 1)); },
     [](const Laws &laws, const Reference &, const Values &in, const Sliced &out) {
       return laws.recast(in.layouts[0], in.numbers[0], 1, out.layout);
     },
     30, false},
    {"CompactMajor", one,
     [](Arith &a, const Values &in) { return whole(compactMajor(a, in.outer(0).shape)); },
     compactLaw, 100, true},
    {"LayoutLike", injectiveOne,
     [](Arith &a, const Values &in) { return whole(layoutLike(a, in.outer(0))); }, likeLaw, 100,
     false},
};
} // namespace

std::span<const Property> properties() { return table; }

} // namespace tessera::layout::test
