// The algebra against the tables of values that NVIDIA's CuTe C++ computed ($TESSERA_ORACLE, else skipped).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/layout/Algebra.h"
#include "tessera/layout/Domains.h"
#include "tessera/layout/Text.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>

using namespace tessera;
using namespace tessera::layout;

namespace {

std::vector<std::string> split(const std::string &text, const std::string &separator) {
  std::vector<std::string> parts;
  size_t begin = 0;
  for (size_t end; (end = text.find(separator, begin)) != std::string::npos;
       begin = end + separator.size())
    parts.push_back(text.substr(begin, end - begin));
  parts.push_back(text.substr(begin));
  return parts;
}

using Args = std::vector<std::string>;
Tree tree(const std::string &t, TreeKind kind = TreeKind::Coord) {
  Result<Tree> r = parseTree(t, kind);
  EXPECT_TRUE(r) << t << ": " << (r ? "" : r.reason().text);
  return r ? *r : Tree();
}
Tree shape(const std::string &t) { return tree(t, TreeKind::Shape); }
Layout lay(const std::string &t) {
  Result<Layout> l = parseLayout(t);
  EXPECT_TRUE(l) << t << ": " << (l ? "" : l.reason().text);
  return l ? *l : Layout();
}
AnyLayout any(const std::string &t) {
  Result<AnyLayout> l = parseAnyLayout(t);
  EXPECT_TRUE(l) << t << ": " << (l ? "" : l.reason().text);
  return l ? *l : AnyLayout();
}
/// A tile as the table spells it: `[..]`, `_`, a layout, or a tuple of extents that tiles mode by mode.
Tile tile(const std::string &t, bool compact = true) {
  if (t.find(':') != std::string::npos || t[0] == '[' || t == "_")
    return parseTile(t) ? *parseTile(t) : Tile();
  std::function<Tile(const Tree &)> byMode = [&](const Tree &x) -> Tile {
    if (x.isLeaf())
      return x.leaf().any ? Tile() : Tile(Layout{x, x.leaf().is(1) && compact ? Tree(0) : Tree(1)});
    std::vector<Tile> modes;
    for (const Tree &mode : x.modes())
      modes.push_back(byMode(mode));
    return Tile(std::move(modes));
  };
  return byMode(tree(t));
}
std::vector<int32_t> ints(const std::string &t) {
  std::vector<int32_t> out;
  for (const std::string &part : split(t.substr(1, t.size() - 2), ","))
    if (!part.empty())
      out.push_back(std::stoi(part));
  return out;
}

template <class T> std::string show(const Result<T> &r) {
  return r ? str(*r) : "refused: " + r.reason().text;
}
template <class T> std::string show(const T &t) { return str(t); }

Const none;

Grouping grouping(const std::string &op) {
  switch (op[0]) {
  case 'l': return Grouping::Logical;
  case 'z': return Grouping::Zipped;
  case 't': return Grouping::Tiled;
  default: return Grouping::Flat;
  }
}

using Op = std::function<std::string(const Args &)>;
std::map<std::string, Op> operations() {
  std::map<std::string, Op> ops;
  ops["size"] = [](const Args &a) { return show(size(none, any(a[0]).outer())); };
  ops["cosize"] = [](const Args &a) { return show(cosize(none, any(a[0]))); };
  ops["product"] = [](const Args &a) { return show(product(none, tree(a[0]))); };
  ops["product_each"] = [](const Args &a) { return show(productEach(none, tree(a[0]))); };
  ops["product_like"] = [](const Args &a) { return show(productLike(none, tree(a[0]), tree(a[1]))); };
  ops["shape_div"] = [](const Args &a) { return show(shapeDiv(none, tree(a[0]), tree(a[1]))); };
  ops["ceil_div"] = [](const Args &a) { return show(ceilDiv(none, tree(a[0]), tree(a[1]))); };
  ops["coalesce"] = [](const Args &a) {
    AnyLayout l = any(a[0]);
    return show(l.withOuter(coalesce(none, l.outer())));
  };
  ops["coalesce_profile"] = [](const Args &a) {
    return show(coalesce(none, lay(a[0]), tree(a[1])));
  };
  auto outer = [](const std::string &text, auto f) {
    AnyLayout l = any(text);
    auto r = f(l.outer());
    if constexpr (std::is_same_v<decltype(r), Layout>)
      return show(l.withOuter(r));
    else
      return r ? show(l.withOuter(*r)) : show(r);
  };
  ops["flatten"] = [=](const Args &a) {
    return outer(a[0], [](const Layout &l) { return flatten(l); });
  };
  ops["filter"] = [](const Args &a) { return show(filter(none, lay(a[0]))); };
  ops["filter_zeros"] = [](const Args &a) { return show(filterZeros(lay(a[0]))); };
  ops["composition"] = [](const Args &a) { return show(composition(none, lay(a[0]), lay(a[1]))); };
  ops["composition_tile"] = [](const Args &a) {
    return show(composition(none, any(a[0]), tile(a[1], false)));
  };
  ops["composition_shape"] = ops["composition_tile"];
  ops["complement"] = [](const Args &a) {
    return show(a.size() == 1 ? complement(none, lay(a[0])) : complement(none, lay(a[0]), tree(a[1])));
  };
  ops["right_inverse"] = [](const Args &a) { return show(rightInverse(none, lay(a[0]))); };
  ops["left_inverse"] = [](const Args &a) { return show(leftInverse(none, lay(a[0]))); };
  for (std::string op : {"logical_divide", "zipped_divide", "tiled_divide", "flat_divide"})
    ops[op] = [op](const Args &a) { return show(divide(none, any(a[0]), tile(a[1]), grouping(op))); };
  for (std::string op : {"logical_product", "zipped_product", "tiled_product", "flat_product"})
    ops[op] = [op](const Args &a) {
      return a[1][0] == '[' ? "refused: tile" : show(product(none, any(a[0]), lay(a[1]), grouping(op)));
    };
  ops["blocked_product"] = [](const Args &a) { return show(blockedProduct(none, any(a[0]), lay(a[1]))); };
  ops["raked_product"] = [](const Args &a) { return show(rakedProduct(none, any(a[0]), lay(a[1]))); };
  ops["tile_to_shape"] = [](const Args &a) {
    Tree target = shape(a[1]);
    std::vector<Tree> left;
    for (size_t i = 0; i < target.rank(); ++i)
      left.emplace_back(int64_t(i));
    return show(tileToShape(none, any(a[0]), target, a.size() > 2 ? tree(a[2]) : Tree(left)));
  };
  ops["make_layout"] = [](const Args &a) { return show(compactMajor(none, shape(a[0]))); };
  ops["make_ordered_layout"] = [](const Args &a) {
    return show(orderedLayout(none, shape(a[0]), tree(a[1], TreeKind::Stride)));
  };
  ops["make_layout_like"] = [](const Args &a) { return show(layoutLike(none, lay(a[0]))); };
  ops["make_fragment_like"] = [](const Args &a) { return show(fragmentLike(none, lay(a[0]))); };
  ops["make_identity_layout"] = [](const Args &a) { return show(identityLayout(shape(a[0]))); };
  ops["crd2idx"] = [](const Args &a) {
    AnyLayout l = a.size() == 2 ? any(a[1]) : Layout{shape(a[1]), tree(a[2], TreeKind::Stride)};
    return show(crd2idx(none, tree(a[0]), l));
  };
  ops["crd2idx_shape"] = [](const Args &a) {
    return show(crd2idx(none, tree(a[0]), compactMajor(none, shape(a[1]))));
  };
  ops["idx2crd"] = [](const Args &a) { return show(idx2crd(none, tree(a[0]), tree(a[1]))); };
  ops["slice"] = [](const Args &a) { return show(slice(lay(a[1]), tree(a[0]))); };
  ops["dice"] = [](const Args &a) { return show(dice(lay(a[1]), tree(a[0]))); };
  ops["slice_and_offset"] = [](const Args &a) {
    Result<Sliced> s = sliceAndOffset(none, tree(a[0]), any(a[1]));
    return s ? show(s->layout) + " + " + show(s->offset) : "refused: " + s.reason().text;
  };
  ops["slice_and_offset_swizzle"] = ops["slice_and_offset"];
  ops["upcast"] = [](const Args &a) { return show(upcast(none, lay(a[0]), ints(a[1])[0])); };
  ops["downcast"] = [](const Args &a) { return show(downcast(none, lay(a[0]), ints(a[1])[0])); };
  ops["group_modes"] = [=](const Args &a) {
    return outer(a[0], [&](const Layout &l) { return groupModes(l, ints(a[1])[0], ints(a[1])[1]); });
  };
  ops["select"] = [=](const Args &a) {
    return outer(a[0], [&](const Layout &l) { return select(l, ints(a[1])); });
  };
  ops["swizzle_apply"] = [](const Args &a) {
    Result<Swizzle> s = parseSwizzle(a[0]);
    std::string out;
    for (int32_t i : ints(a[1]))
      out += cat(out.empty() ? "[" : ",", applySwizzle(none, *s, i).value);
    return out + "]";
  };
  ops["layout_eval_all"] = [](const Args &a) {
    AnyLayout l = any(a[0]);
    std::string out;
    for (int64_t i = 0; i < size(none, l.outer()).value; ++i)
      out += cat(out.empty() ? "[" : ",", str(*crd2idx(none, Tree(i), l)));
    return out + "]";
  };
  return ops;
}

TEST(Oracle, StaticAlgebraEqualsCuteCpp) {
  const char *folder = std::getenv("TESSERA_ORACLE");
  if (!folder)
    GTEST_SKIP() << "TESSERA_ORACLE is not set";
  std::ifstream table(std::string(folder) + "/layout_algebra.tsv");
  ASSERT_TRUE(table.good());
  std::map<std::string, Op> ops = operations();
  struct Count {
    int equal = 0, differ = 0, refusedWhereLax = 0;
  };
  std::map<std::string, Count> counts;
  std::string line;
  std::getline(table, line);
  bool verbose = std::getenv("TESSERA_ORACLE_VERBOSE");
  while (std::getline(table, line)) {
    std::vector<std::string> f = split(line, "\t");
    auto op = ops.find(f[1]);
    if (op == ops.end())
      continue;
    std::string got = op->second(split(f[2], " | "));
    Count &count = counts[f[1]];
    bool lax = f.size() > 10 && (f[10] == "mismatch" || f[10] == "oob");
    if (f[2].find("S<0,") != std::string::npos)
      continue; // `cute` refuses an identity swizzle
    if (got == f[3])
      ++count.equal;
    else if (lax && got.rfind("refused", 0) == 0)
      ++count.refusedWhereLax;
    else {
      ++count.differ;
      if (verbose && count.differ < 6)
        std::cout << f[1] << " " << f[2] << "\n   expected " << f[3] << "\n   got      " << got
                  << (lax ? "   (lax)" : "") << "\n";
    }
  }
  int equal = 0, differ = 0, lax = 0;
  for (auto &[op, count] : counts) {
    equal += count.equal, differ += count.differ, lax += count.refusedWhereLax;
    if (count.differ)
      std::cout << op << ": " << count.differ << " of " << count.equal + count.differ << " differ\n";
  }
  std::cout << equal << " rows equal, " << lax << " refused where CuTe C++ is wrong, " << differ
            << " differ\n";
  EXPECT_EQ(differ, 0);
}

} // namespace
