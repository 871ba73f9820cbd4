// The ops of the algebra on random operands: what a type says of a result holds for its numbers,
// results obey the laws of their op, and types are read as they are printed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expected: the definitions of layouts and tuples, walked through by test/layout's Reference and
// Laws, and below where an op has none there. test/layout does the same to the algebra that the ops
// call; here are the ops' own forms, as the public dialect has them, and the inference of types.
#include "tessera/cute/Build.h"
#include "tessera/cute/Cute.h"

#include "test/layout/Laws.h"
#include "test/layout/Random.h"
#include "test/layout/Sample.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinOps.h"

#include <gtest/gtest.h>

#include <numeric>

using namespace tessera;
using namespace tessera::cute;
using layout::AnyLayout;
using layout::Interp;
using layout::Layout;
using layout::Leaf;
using layout::Tree;
using layout::TreeKind;
using layout::Trees;
using layout::Width;
using layout::test::Laws;
using layout::test::Random;
using layout::test::Reference;
using layout::test::Strides;

namespace {

/// Evaluation with numbers for operands.
class Machine final : public Domain {
public:
  explicit Machine(Interp &interp) : interp(interp) {}
  layout::Arith &arith() override { return interp; }

private:
  Interp &interp;
};

using Operands = std::vector<Datum>;

/// What the laws read: operands and results with numbers, and who knows these.
struct Case {
  const Interp &values;
  const Operands &in;
  const Data &out;

  Laws laws() const { return Laws(values); }
  Reference ref() const { return Reference(values); }
  const Tree &tree(size_t i) const { return *in[i].tree(); }
  const Layout &layout(size_t i) const { return in[i].anyLayout()->outer(); }
  const AnyLayout &result() const { return *out[0].anyLayout(); }
  /// The numbers of a tuple's leaves.
  std::vector<int64_t> numbers(const Tree &tree) const {
    std::vector<int64_t> all;
    tree.forEachLeaf([&](const Leaf &leaf) { all.push_back(values.valueOf(leaf.value)); });
    return all;
  }
  int64_t number(const Tree &tree) const { return numbers(tree)[0]; }
};

struct Row {
  const char *name;
  mlir::Operation *(*build)(mlir::OpBuilder &, mlir::ValueRange, mlir::NamedAttrList);
  Operands (*make)(Random &);
  std::string (*law)(const Case &); // "" if it holds
  mlir::NamedAttrList (*attributes)(mlir::Builder &) = nullptr;
  unsigned staticOperands = 0; // a bit for each operand that stays static
  int accepted = 30;           // at least so many of 100 static cases
};

template <class Op>
mlir::Operation *built(mlir::OpBuilder &b, mlir::ValueRange operands, mlir::NamedAttrList attrs) {
  auto op = build<Op>(b, b.getUnknownLoc(), operands, std::move(attrs));
  return mlir::failed(op) ? nullptr : (*op).getOperation();
}

//===--- operands -----------------------------------------------------------------------------===//

Datum layoutOf(Random &random, bool negative = false) {
  return Datum(AnyLayout(random.layout(Strides(random.below(negative ? 4 : 3)))));
}
Datum injective(Random &random) {
  return Datum(AnyLayout(random.layout(Strides(random.below(2)))));
}
Datum shape(Tree tree) { return {TreeKind::Shape, std::move(tree)}; }
Datum tuple(Tree tree) { return {TreeKind::IntTuple, std::move(tree)}; }
Datum coord(Tree tree) { return {TreeKind::Coord, std::move(tree)}; }
/// One number for each mode of a layout, as a tile of consecutive elements.
Tree tileOf(Random &random, const Layout &l) {
  Trees extents;
  for (size_t i = 0, count = 1 + size_t(random.below(int64_t(l.rank()))); i < count; ++i)
    extents.emplace_back(1 + random.below(4));
  return l.shape.isLeaf() ? extents[0] : Tree(std::move(extents));
}
/// A tuple like `tree` with other small numbers.
Tree numbersLike(Random &random, const Tree &tree) {
  return tree.map([&](const Leaf &) { return Leaf(random.below(9) - 2); });
}
/// The same, perhaps with modes more or less.
Tree nearly(Random &random, const Tree &tree) {
  Tree other = numbersLike(random, tree);
  if (other.isTuple() && random.chance(30))
    other.modes().emplace_back(random.below(5));
  return other;
}

//===--- definitions --------------------------------------------------------------------------===//

/// The coordinate of `index`, first mode fastest, in the profile of a shape of these extents.
Tree coordinate(const Tree &shape, std::vector<int64_t>::const_iterator &extent, int64_t &index) {
  return shape.map([&](const Leaf &) {
    int64_t here = index % *extent;
    index /= *extent++;
    return Leaf(here);
  });
}
int64_t product(const std::vector<int64_t> &numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), int64_t(1), std::multiplies<>());
}
/// The index of a coordinate congruent with the shape of these extents.
int64_t indexOf(const std::vector<int64_t> &coord, const std::vector<int64_t> &extents) {
  int64_t index = 0;
  for (size_t i = coord.size(); i-- > 0;)
    index = index * extents[i] + coord[i];
  return index;
}

std::string expect(const std::vector<int64_t> &got, const std::vector<int64_t> &expected) {
  if (got == expected)
    return "";
  std::string text = "expected";
  for (int64_t number : expected)
    text += cat(" ", number);
  return text;
}
std::string expect(int64_t got, int64_t expected) {
  return got == expected ? "" : cat("is ", got, ", expected ", expected);
}

std::string isSame(const Case &c) { return c.laws().same(*c.in[0].anyLayout(), c.result()); }

/// The first elements of a division or product are A at T, or A.
std::string startsWithTile(const Case &c) {
  Reference ref = c.ref();
  for (int64_t i = 0; i < ref.size(*c.in[1].anyLayout()); ++i)
    if (ref.number(c.result(), i) !=
        ref.number(*c.in[0].anyLayout(), ref.number(*c.in[1].anyLayout(), i)))
      return cat("element ", i, " of the tile");
  return "";
}
std::string startsWithBlock(const Case &c) {
  Reference ref = c.ref();
  int64_t size = ref.size(*c.in[0].anyLayout());
  for (int64_t i = 0; i < size; ++i)
    if (ref.number(c.result(), i) != ref.number(*c.in[0].anyLayout(), i))
      return cat("element ", i, " of the block");
  return expect(ref.size(c.result()), size * ref.size(*c.in[1].anyLayout()));
}

/// Tiles mode by mode: element t + tile * r of each mode, as far as the mode goes. `paired`: the
/// modes of the result are (tile, rest), else all tiles come before all rests.
std::string tilesModes(const Case &c, bool paired) {
  Reference ref = c.ref();
  const Layout &l = c.layout(0);
  std::vector<int64_t> tile = c.numbers(c.tree(1)), extent, rest;
  for (size_t i = 0; i < l.rank(); ++i) {
    extent.push_back(ref.size(AnyLayout(l.shape.isLeaf() ? l : l[i])));
    rest.push_back(i < tile.size() ? (extent[i] + tile[i] - 1) / tile[i] : extent[i]);
  }
  tile.resize(extent.size(), 1);
  // The mode and the role of each digit of an index of the result, fastest first.
  std::vector<std::pair<size_t, bool>> digits;
  for (size_t i = 0; i < extent.size(); ++i) {
    digits.emplace_back(i, true);
    if (paired)
      digits.emplace_back(i, false);
  }
  for (size_t i = 0; !paired && i < extent.size(); ++i)
    digits.emplace_back(i, false);
  const int64_t size = product(tile) * product(rest);
  if (std::string wrong = expect(ref.size(c.result()), size); !wrong.empty())
    return "the size " + wrong;
  for (int64_t k = 0; k < size; ++k) {
    std::vector<int64_t> at(extent.size(), 0);
    int64_t left = k;
    for (auto [mode, isTile] : digits) {
      const int64_t count = isTile ? tile[mode] : rest[mode];
      at[mode] += left % count * (isTile ? 1 : tile[mode]);
      left /= count;
    }
    bool inside = true;
    for (size_t i = 0; i < at.size(); ++i)
      inside &= at[i] < extent[i];
    if (inside && ref.number(c.result(), k) != ref.number(AnyLayout(l), indexOf(at, extent)))
      return cat("element ", k);
  }
  return "";
}

/// L(R(L(i))) = L(i), where the last mode of L goes on; R(L(i)) = i for injective L.
std::string isLeftInverse(const Case &c) {
  Reference ref = c.ref();
  const AnyLayout &l = *c.in[0].anyLayout();
  const bool oneToOne = c.laws().injective(l);
  for (int64_t i = 0; i < ref.size(l); ++i) {
    int64_t index = ref.number(l, i), back = ref.number(c.result(), index);
    if (ref.number(l, back) != index || (oneToOne && back != i))
      return cat("R(L(", i, ")) = ", back);
  }
  return "";
}

/// Leaf by leaf where both have a leaf, the other one's leaf elsewhere.
std::vector<int64_t> leafwise(const Case &c, const Tree &a, const Tree &b, int sign) {
  if (a.isLeaf() || b.isLeaf())
    return {c.number(a) + sign * c.number(b)};
  std::vector<int64_t> all;
  for (size_t i = 0; i < std::max(a.rank(), b.rank()); ++i) {
    std::vector<int64_t> mode = i >= a.rank()   ? c.numbers(b[i])
                                : i >= b.rank() ? c.numbers(a[i])
                                                : leafwise(c, a[i], b[i], sign);
    all.insert(all.end(), mode.begin(), mode.end());
  }
  return all;
}

/// What a slice keeps, relative to its first element.
std::string isSlice(const Case &c) {
  Reference ref = c.ref();
  const AnyLayout &l = *c.in[0].anyLayout();
  auto at = [&](const Tree &kept, auto &&self, const Tree &coord, int64_t &rest) -> Tree {
    if (coord.isLeaf()) {
      if (!coord.leaf().any)
        return Tree(c.values.valueOf(coord.leaf().value));
      int64_t size = ref.size(kept), here = rest % size;
      rest /= size;
      return Tree(here);
    }
    Trees modes;
    for (size_t i = 0; i < coord.rank(); ++i)
      modes.push_back(self(kept[i], self, coord[i], rest));
    return Tree(std::move(modes));
  };
  int64_t zero = 0;
  const Tree first = at(l.shape(), at, c.tree(1), zero);
  auto number = [&](const Tree &coord) {
    layout::test::Point point = ref.at(l, coord);
    return point.empty() ? 0 : point.begin()->second;
  };
  for (int64_t i = 0; i < ref.size(c.result()); ++i) {
    int64_t rest = i;
    if (ref.number(c.result(), i) != number(at(l.shape(), at, c.tree(1), rest)) - number(first))
      return cat("element ", i);
  }
  return "";
}

mlir::NamedAttrList rankThree(mlir::Builder &b) {
  mlir::NamedAttrList attrs;
  attrs.set("rank", b.getI32IntegerAttr(3));
  return attrs;
}
mlir::NamedAttrList firstTwo(mlir::Builder &b) {
  mlir::NamedAttrList attrs;
  attrs.set("begin", b.getI32IntegerAttr(0));
  attrs.set("end", b.getI32IntegerAttr(2));
  return attrs;
}
mlir::NamedAttrList twiceAsWide(mlir::Builder &b) {
  mlir::NamedAttrList attrs;
  attrs.set("new_type_bits", b.getI32IntegerAttr(16));
  attrs.set("old_type_bits", b.getI32IntegerAttr(8));
  return attrs;
}
mlir::NamedAttrList cutInTwo(mlir::Builder &b) {
  mlir::NamedAttrList attrs;
  attrs.set("new_type_bits", b.getI32IntegerAttr(8));
  attrs.set("old_type_bits", b.getI32IntegerAttr(16));
  return attrs;
}

mlir::NamedAttrList allModes(mlir::Builder &b) {
  mlir::NamedAttrList attrs;
  attrs.set("mode", b.getDenseI32ArrayAttr({}));
  return attrs;
}

Operands layoutAndTiler(Random &random) {
  return {layoutOf(random), Datum(AnyLayout(random.layout(Strides::Compact, 2, 8)))};
}
Operands layoutAndTile(Random &random) {
  Layout l = random.layout();
  Tree tile = tileOf(random, l);
  return {Datum(AnyLayout(std::move(l))), shape(std::move(tile))};
}
Operands blockAndCopies(Random &random) {
  return {injective(random), Datum(AnyLayout(random.layout(Strides::Compact, 2, 8)))};
}
Operands oneLayout(Random &random) { return {layoutOf(random, true)}; }
Operands oneInjective(Random &random) { return {injective(random)}; }
Operands twoTuples(Random &random) {
  Tree first = numbersLike(random, random.shape(4, 64));
  Tree second = nearly(random, first);
  return {tuple(std::move(first)), tuple(std::move(second))};
}

const Row rows[] = {
    {"coalesce", built<CoalesceOp>, oneLayout, isSame},
    {"flatten", built<FlattenOp>, oneLayout, isSame},
    {"group_modes", built<GroupModesOp>, oneLayout, isSame, firstTwo, 0, 20},
    {"composition", built<CompositionOp>,
     [](Random &random) -> Operands {
       Layout a = random.layout();
       Layout b = random.walkOf(a);
       return {Datum(AnyLayout(std::move(a))), Datum(AnyLayout(std::move(b)))};
     },
     [](const Case &c) {
       return c.laws().composition(*c.in[0].anyLayout(), c.layout(1), c.result());
     }},
    {"complement", built<ComplementOp>,
     [](Random &random) -> Operands { return {injective(random), shape(random.shape(3, 256))}; },
     [](const Case &c) { return c.laws().complement(c.layout(0), c.tree(1), c.result().outer()); }},
    {"complement_alone", built<ComplementOp>, oneInjective,
     [](const Case &c) { return c.laws().complement(c.layout(0), Tree(1), c.result().outer()); }},
    {"logical_divide", built<LogicalDivideOp>, layoutAndTiler,
     [](const Case &c) { return c.laws().divide(c.layout(0), c.layout(1), c.result().outer()); }},
    {"zipped_divide", built<ZippedDivideOp>, layoutAndTiler, startsWithTile},
    {"tiled_divide", built<TiledDivideOp>, layoutAndTiler, startsWithTile},
    {"flat_divide", built<FlatDivideOp>, layoutAndTiler, startsWithTile},
    {"logical_divide_by_mode", built<LogicalDivideOp>, layoutAndTile,
     [](const Case &c) { return tilesModes(c, true); }},
    {"zipped_divide_by_mode", built<ZippedDivideOp>, layoutAndTile,
     [](const Case &c) { return tilesModes(c, false); }},
    {"tiled_divide_by_mode", built<TiledDivideOp>, layoutAndTile,
     [](const Case &c) { return tilesModes(c, false); }},
    {"flat_divide_by_mode", built<FlatDivideOp>, layoutAndTile,
     [](const Case &c) { return tilesModes(c, false); }},
    {"logical_product", built<LogicalProductOp>, blockAndCopies,
     [](const Case &c) { return c.laws().product(c.layout(0), c.layout(1), c.result().outer()); },
     nullptr, 1},
    {"zipped_product", built<ZippedProductOp>, blockAndCopies, startsWithBlock, nullptr, 1},
    {"tiled_product", built<TiledProductOp>, blockAndCopies, startsWithBlock, nullptr, 1},
    {"flat_product", built<FlatProductOp>, blockAndCopies, startsWithBlock, nullptr, 1},
    {"right_inverse", built<RightInverseOp>, oneInjective,
     [](const Case &c) { return c.laws().rightInverse(*c.in[0].anyLayout(), c.result()); }},
    {"left_inverse", built<LeftInverseOp>,
     [](Random &random) -> Operands { return {layoutOf(random)}; }, isLeftInverse, nullptr, 0, 20},
    {"recast_up", built<RecastLayoutOp>, oneInjective,
     [](const Case &c) { return c.laws().recast(*c.in[0].anyLayout(), 1, 2, c.result()); },
     twiceAsWide, 0, 10},
    {"recast_down", built<RecastLayoutOp>, oneInjective,
     [](const Case &c) { return c.laws().recast(*c.in[0].anyLayout(), 2, 1, c.result()); },
     cutInTwo, 0, 10},
    {"slice", built<SliceOp>,
     [](Random &random) -> Operands {
       Layout l = random.layout();
       Tree at = random.coord(l.shape, 40);
       return {Datum(AnyLayout(std::move(l))), coord(std::move(at))};
     },
     isSlice, nullptr, 0, 20},
    {"append_to_rank", built<AppendToRankOp>,
     [](Random &random) -> Operands { return {layoutOf(random), layoutOf(random)}; },
     [](const Case &c) {
       Reference ref = c.ref();
       int64_t size = ref.size(*c.in[0].anyLayout());
       for (size_t rank = c.layout(0).rank(); rank < 3; ++rank)
         size *= ref.size(*c.in[1].anyLayout());
       return expect(ref.size(c.result()), size);
     },
     rankThree},
    {"prepend_to_rank", built<PrependToRankOp>,
     [](Random &random) -> Operands { return {layoutOf(random), layoutOf(random)}; },
     [](const Case &c) {
       Reference ref = c.ref();
       int64_t size = ref.size(*c.in[0].anyLayout());
       for (size_t rank = c.layout(0).rank(); rank < 3; ++rank)
         size *= ref.size(*c.in[1].anyLayout());
       return expect(ref.size(c.result()), size);
     },
     rankThree},
    {"size", built<SizeOp>, oneLayout,
     [](const Case &c) {
       return expect(c.number(*c.out[0].tree()), c.ref().size(*c.in[0].anyLayout()));
     },
     allModes},
    {"cosize", built<CosizeOp>, [](Random &random) -> Operands { return {layoutOf(random)}; },
     [](const Case &c) {
       std::vector<int64_t> all = c.ref().numbers(*c.in[0].anyLayout());
       return expect(c.number(*c.out[0].tree()), *std::max_element(all.begin(), all.end()) + 1);
     },
     allModes},
    {"layout_eval", built<LayoutEvalOp>,
     [](Random &random) -> Operands {
       Layout l = random.layout(Strides(random.below(4)));
       Tree at = random.coord(l.shape, 0);
       return {coord(std::move(at)), Datum(AnyLayout(std::move(l)))};
     },
     [](const Case &c) {
       layout::test::Point point = c.ref().at(*c.in[1].anyLayout(), c.tree(0));
       return expect(c.number(*c.out[0].tree()), point.empty() ? 0 : point.begin()->second);
     }},
    {"idx2crd", built<Idx2CrdOp>,
     [](Random &random) -> Operands {
       Tree extents = random.shape(4, 128);
       layout::Const arith;
       const int64_t index = random.below(layout::product(arith, extents).value);
       return {tuple(Tree(index)), shape(std::move(extents))};
     },
     [](const Case &c) {
       std::vector<int64_t> extents = c.numbers(c.tree(1));
       if (!layout::congruent(*c.out[0].tree(), c.tree(1)))
         return std::string("has another profile");
       return expect(indexOf(c.numbers(*c.out[0].tree()), extents), c.number(c.tree(0)));
     }},
    {"increment_coord", built<IncrementCoordOp>,
     [](Random &random) -> Operands {
       Tree extents = random.shape(4, 128);
       std::vector<int64_t> numbers;
       extents.forEachLeaf([&](const Leaf &leaf) { numbers.push_back(leaf.value.value); });
       // Often the last coordinates before a mode wraps.
       int64_t index = random.below(product(numbers)), next = 0;
       if (random.chance(40))
         index = product(numbers) - 1 - random.below(std::min<int64_t>(3, product(numbers)));
       next = index;
       auto extent = numbers.cbegin();
       Tree at = coordinate(extents, extent, next);
       return {coord(std::move(at)), shape(std::move(extents))};
     },
     [](const Case &c) {
       std::vector<int64_t> extents = c.numbers(c.tree(1));
       return expect(indexOf(c.numbers(*c.out[0].tree()), extents),
                     indexOf(c.numbers(c.tree(0)), extents) + 1);
     }},
    {"tuple_add", built<TupleAddOp>, twoTuples,
     [](const Case &c) {
       return expect(c.numbers(*c.out[0].tree()), leafwise(c, c.tree(0), c.tree(1), 1));
     }},
    {"tuple_sub", built<TupleSubOp>, twoTuples,
     [](const Case &c) {
       return expect(c.numbers(*c.out[0].tree()), leafwise(c, c.tree(0), c.tree(1), -1));
     }},
    {"ceil_div", built<CeilDivOp>,
     [](Random &random) -> Operands {
       Tree extents = random.shape(4, 256);
       Tree tile = extents.map([&](const Leaf &) { return Leaf(1 + random.below(5)); });
       return {shape(std::move(extents)), shape(std::move(tile))};
     },
     [](const Case &c) {
       std::vector<int64_t> expected = c.numbers(c.tree(0)), by = c.numbers(c.tree(1));
       for (size_t i = 0; i < by.size(); ++i)
         expected[i] = (expected[i] + by[i] - 1) / by[i];
       return expect(c.numbers(*c.out[0].tree()), expected);
     }},
    {"tuple_product_each", built<TupleProductEachOp>,
     [](Random &random) -> Operands { return {shape(random.shape(4, 256))}; },
     [](const Case &c) {
       std::vector<int64_t> expected;
       if (c.tree(0).isLeaf())
         expected = c.numbers(c.tree(0));
       else
         for (const Tree &mode : c.tree(0).modes())
           expected.push_back(product(c.numbers(mode)));
       return expect(c.numbers(*c.out[0].tree()), expected);
     }},
};

class Ops : public testing::TestWithParam<Row> {
protected:
  Ops() : context(mlir::MLIRContext::Threading::DISABLED), builder(&context) {
    context.loadDialect<CuteDialect>();
    builder.setInsertionPointToEnd(&block);
  }

  /// The op on operands of these types; nothing where it refuses them.
  mlir::Operation *op(const Operands &in) {
    llvm::SmallVector<mlir::Value> operands;
    for (const Datum &datum : in)
      operands.push_back(block.addArgument(typeOf(&context, datum), builder.getUnknownLoc()));
    mlir::ScopedDiagnosticHandler quiet(&context, [](mlir::Diagnostic &) {});
    const Row &row = GetParam();
    return row.build(builder, operands,
                     row.attributes ? row.attributes(builder) : mlir::NamedAttrList());
  }
  /// Some leaves become inputs with the same number, of any width that holds it.
  Operands loosened(const Operands &given, Random &random, Interp &values) {
    Operands in = given;
    const int percent = int(10 + random.below(60));
    for (size_t i = 0; i < in.size(); ++i)
      in[i].forEachLeaf([&](Leaf &leaf) {
        if (leaf.any || (GetParam().staticOperands >> i & 1) || !random.chance(percent))
          return;
        const int64_t number = leaf.value.value, div = 1 + random.below(4);
        static const Width widths[] = {Width::I32, Width::I32, Width::I32,
                                       Width::I64, Width::I16, Width::I8};
        Width width = widths[random.below(std::size(widths))];
        leaf.value = values.input(number, layout::fits(number, width) ? width : Width::I64,
                                  number % div == 0 ? div : 1);
      });
    return in;
  }
  std::string text(mlir::Type type) {
    std::string out;
    llvm::raw_string_ostream(out) << type;
    return out;
  }
  std::string text(const Operands &in) {
    std::string out;
    for (const Datum &datum : in)
      out += text(typeOf(&context, datum)) + " ";
    return out;
  }
  void expectReadable(mlir::Type type) {
    EXPECT_TRUE(mlir::parseType(text(type), &context) == type) << text(type);
  }

  mlir::MLIRContext context;
  mlir::Block block;
  mlir::OpBuilder builder;
};

TEST_P(Ops, TypesHoldForNumbersThatObeyTheLaw) {
  const Row &row = GetParam();
  Random random(11);
  const int count = layout::test::cases(50);
  int accepted = 0, open = 0;
  for (int i = 0; i < count && !HasFailure(); ++i) {
    const Operands given = row.make(random);
    for (bool isStatic : {true, false}) {
      Interp values;
      const Operands in = isStatic ? given : loosened(given, random, values);
      mlir::Operation *inferred = op(in);
      if (!inferred)
        continue;
      Machine machine(values);
      Result<Data> out = llvm::cast<AlgebraOpInterface>(inferred).evaluateWith(machine, in);
      ASSERT_TRUE(out) << text(in) << out.reason().text;
      if (values.violated())
        continue;
      (isStatic ? accepted : open) += 1;
      EXPECT_EQ(row.law({values, in, *out}), "")
          << text(in) << "-> " << text(inferred->getResult(0).getType());
      // The result with its numbers is a value of the type.
      for (auto [datum, type] : llvm::zip(*out, inferred->getResultTypes())) {
        Datum numbers = datum;
        numbers.forEachLeaf([&](Leaf &leaf) {
          if (!leaf.any)
            leaf.value = values.valueOf(leaf.value);
        });
        EXPECT_TRUE(refines(typeOf(&context, numbers), type))
            << text(in) << "-> " << text(type) << ", is " << text(typeOf(&context, numbers));
        expectReadable(type);
      }
      for (mlir::Value operand : inferred->getOperands())
        expectReadable(operand.getType());
    }
    block.clear();
    block.eraseArguments(0, block.getNumArguments());
  }
  EXPECT_GE(accepted * 100, row.accepted * count);
  if (row.staticOperands == 0)
    EXPECT_GT(open, 0);
}

INSTANTIATE_TEST_SUITE_P(Of, Ops, testing::ValuesIn(rows),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
