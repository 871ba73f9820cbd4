// The classes of difference from CuTe C++, and how the rows of each are checked.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/eval/OracleDifferences.h"

#include "test/layout/Laws.h"
#include "test/layout/Sample.h"

#include <algorithm>
#include <numeric>

namespace tessera::layout::test {

bool isOneOf(std::string_view name, std::string_view names) {
  return cat(" ", names, " ").find(cat(" ", name, " ")) != std::string::npos;
}

namespace {
//===--- What rows say ------------------------------------------------------------------------===//

bool accepted(const Case &c) { return c.got.ok(); }
bool refusedFor(const Case &c, std::string_view id) { return c.got.refused.id == id; }

/// A text of the tables, `layout` or `layout + offset`, as values.
Inputs reread(const Case &c, std::string text) {
  if (size_t plus = text.find(" + "); plus != std::string::npos)
    text.replace(plus, 3, " | ");
  return Inputs(text, [&](int64_t value) { return c.values.input(value); });
}
Sliced sliced(const Inputs &parts) { return {parts.any(0), parts.tree(1)}; }

AnyLayout theirs(const Case &c) { return reread(c, c.row["result"]).any(0); }

/// The text without a swizzle that changes nothing.
std::string withoutIdentity(const std::string &text) {
  size_t outer = text.find(" o 0 o ");
  return text.starts_with("S<0,") && outer != std::string::npos ? text.substr(outer + 7) : text;
}
/// The text with `4` for `?{4}`.
std::string withoutDynamic(std::string text) {
  for (size_t at; (at = text.find("?{")) != std::string::npos;) {
    text.erase(text.find('}', at), 1);
    text.erase(at, 2);
  }
  return text;
}
/// What the public dialect made of an input that C++ refuses.
std::string acceptedByDialect(const Case &c) {
  const std::string accepts = "accepts:", &text = c.row["cutegen"];
  return text.starts_with(accepts) ? text.substr(accepts.size()) : "";
}

std::string expectEqual(const std::string &got, const std::string &expected) {
  return got == expected ? "" : cat("is ", got, ", expected ", expected);
}

//===--- Checks -------------------------------------------------------------------------------===//

/// A refused composition, where no layout is the function.
bool isImpossible(const Case &c) {
  if (!c.got.refused.id.starts_with("Composition"))
    return false;
  std::vector<Step> steps = stepsOf(c.operation, c.values, c.in).value();
  return std::any_of(steps.begin(), steps.end(), [&](const Step &step) {
    return !Laws(c.values).composable(step.first, step.second);
  });
}
std::string theirsDoesNotCompose(const Case &c) {
  std::string wrong = Laws(c.values).composition(c.in.layout(0), c.in.layout(1), theirs(c));
  return wrong.empty() ? "CuTe's answer is right" : "";
}

/// The assumption that failed was needed: the answer is not the composition.
std::string isBrokenStep(const Case &c) {
  return wrongSteps(c).empty() ? "each step is the composition, but an assumption failed" : "";
}

/// What a recast does to an element: it is cut into `first` parts, of which `second` make one.
std::pair<int64_t, int64_t> factors(const Case &c) {
  std::vector<int32_t> bits = c.in.numbers(1);
  if (bits.size() == 2)
    return {bits[0] / std::gcd(bits[0], bits[1]), bits[1] / std::gcd(bits[0], bits[1])};
  return c.operation.starts_with("up") ? std::pair<int64_t, int64_t>(1, bits[0])
                                       : std::pair<int64_t, int64_t>(bits[0], 1);
}
/// The recast covers the same memory, and no part of it twice.
std::string wrongRecast(const Case &c, const AnyLayout &got) {
  auto [down, up] = factors(c);
  Laws laws(c.values);
  std::string wrong = laws.recast(c.in.any(0), down, up, got);
  return wrong.empty() && laws.injective(c.in.any(0)) && !laws.injective(got) ? "repeats an element"
                                                                              : wrong;
}
std::string onlyOursRecasts(const Case &c) {
  std::string wrong = wrongRecast(c, *c.got.layout);
  return wrong.empty() && wrongRecast(c, theirs(c)).empty() ? "CuTe's answer is right" : wrong;
}
std::string theirsDoesNotRecast(const Case &c) {
  return wrongRecast(c, theirs(c)).empty() ? "CuTe's answer is right" : "";
}
std::string oursDoesNotRecast(const Case &c) {
  return wrongRecast(c, *c.got.layout).empty() ? "is a recast, but an assumption failed" : "";
}

/// The swizzle mixes the parts of a wide element, or moves them apart.
std::string partsDoNotStay(const Case &c) {
  const int64_t wide = factors(c).second;
  Swizzle s =
      c.operation == "upcast_swizzle" ? c.in.swizzle(0) : *c.in.any(0).composed()->swizzle();
  for (int64_t element = wide; element < int64_t(1) << 32; element *= 2)
    for (int64_t part = 0; part < wide; ++part)
      if (swizzled(s, element + part) != swizzled(s, element) + part ||
          swizzled(s, element) % wide != 0)
        return "";
  return "the swizzle keeps wide elements whole";
}

std::string wrongSlice(const Case &c, const std::string &text) {
  return Laws(c.values).slice(c.in.tree(0), c.in.any(1), sliced(reread(c, text)));
}
std::string oursSlices(const Case &c) { return wrongSlice(c, c.got.withValues); }
bool theirsDoesNotSlice(const Case &c) { return !wrongSlice(c, c.row["result"]).empty(); }

std::string wrongInverse(const Case &c, const AnyLayout &inverse) {
  Laws laws(c.values);
  return c.operation == "left_inverse" ? laws.leftInverse(c.in.any(0), inverse)
                                       : laws.rightInverse(c.in.any(0), inverse);
}
std::string theirsDoesNotInvert(const Case &c) {
  return wrongInverse(c, theirs(c)).empty() ? "CuTe's answer is right" : "";
}

std::string isNeverZero(const Case &c) {
  for (int64_t index : Reference(c.values).numbers(c.in.any(0)))
    if (index == 0)
      return "index 0 is hit";
  return "";
}

/// What stands after the layout: a swizzle of its coordinates, or a swizzled layout.
AnyLayout after(const Case &c) {
  if (!c.operation.ends_with("swizzle"))
    return c.in.any(1);
  return Composed{
      c.in.swizzle(1), Tree(0), {Tree(Reference(c.values).size(c.in.layout(0))), Tree(1)}};
}
std::string wrongWithSwizzle(const Case &c, const AnyLayout &got) {
  if (c.operation.ends_with("inverse"))
    return wrongInverse(c, got);
  return Laws(c.values).compositionOfNumbers(c.in.any(0), after(c), got);
}
/// Ours is the function, or a refusal.
std::string oursIsSwizzled(const Case &c) {
  return c.got.ok() ? wrongWithSwizzle(c, *c.got.layout) : "";
}
std::string onlyOursIsSwizzled(const Case &c) {
  std::string wrong = oursIsSwizzled(c);
  return wrong.empty() && wrongWithSwizzle(c, theirs(c)).empty() ? "CuTe's answer is right" : wrong;
}
bool isSwizzled(const Case &c) {
  return c.operation.find("composition") == 0 || c.in.isComposed(0);
}

/// The values of the one layout are those of the row, as far as it lists them.
std::string sameValues(const Case &c) {
  std::string all;
  for (int64_t value : Reference(c.values).numbers(*c.got.layout))
    all += cat(all.empty() ? "" : ",", value);
  return expectEqual(all, c.row["values"]);
}

std::string isCommon(const Case &c) {
  if (c.operation == "max_common_vector")
    return ""; // the size of the layout that the other operation gives
  return Laws(c.values).common(c.in.layout(0), c.in.layout(1), c.got.layout->outer());
}

/// The fragment has the profile of the partition, and CuTe's indices.
std::string keepsProfile(const Case &c) {
  if (!congruent(c.got.layout->shape(), c.in.layout(0).shape))
    return "has another profile";
  return Laws(c.values).same(theirs(c), *c.got.layout);
}

/// The coordinate tuples of the one or the list of values are the bases of CuTe.
std::string sameIndices(const Case &c) {
  auto point = [&](std::string text) {
    std::replace(text.begin(), text.end(), '[', '(');
    std::replace(text.begin(), text.end(), ']', ')');
    return str(Reference(c.values).point(stride(text)));
  };
  std::string wrong = expectEqual(c.got.text, c.row["cutegen_result"]);
  return wrong.empty() ? expectEqual(point(c.got.text), point(c.row["result"])) : wrong;
}

/// ((block, copies)), or the other way round when raked: a product of rank 1.
std::string isPairedProduct(const Case &c) {
  Layout pair = c.got.layout->outer()[0];
  const bool raked = c.operation == "raked_product";
  Layout block = pair[raked], copies = pair[!raked];
  Layout a = c.in.layout(0), b = c.in.layout(1);
  return Laws(c.values).product(a.shape.isLeaf() ? a : a[0], b.shape.isLeaf() ? b : b[0],
                                *concat({block, copies}));
}

/// Whole copies that cover the target and do not overlap.
std::string coversTarget(const Case &c) {
  const AnyLayout &got = *c.got.layout;
  Reference ref(c.values);
  Tree target = c.in.tree(1);
  for (size_t i = 0; i < target.rank(); ++i)
    if (ref.size(got.shape()[i]) < ref.size(target[i]))
      return cat("mode ", i, " is too small");
  Laws laws(c.values);
  if (laws.injective(c.in.any(0)) && !laws.injective(got))
    return "copies overlap";
  return expectEqual(c.got.text, acceptedByDialect(c));
}

//===--- The classes --------------------------------------------------------------------------===//

constexpr std::string_view composing = "composition composition_tile composition_composed "
                                       "logical_divide zipped_divide tiled_divide flat_divide "
                                       "logical_product zipped_product tiled_product flat_product "
                                       "blocked_product raked_product tile_to_shape local_tile";
constexpr std::string_view recasting = "upcast downcast recast_layout";

bool isViolated(const Case &c) { return c.got.violated && c.got.withValues == c.row["result"]; }
bool isRankOne(const Case &c) {
  return std::max(c.in.layout(0).rank(), c.in.layout(1).rank()) == 1;
}

const Difference inStatic[] = {
    {"identity swizzle",
     "CuTe C++ drops a swizzle of no bits in some operations; here it stays, except in a recast",
     "blocked_product coalesce composition_composed downcast flat_divide flat_product flatten "
     "get_mode logical_divide recast_layout slice_and_offset_swizzle zipped_divide zipped_product",
     [](const Case &c) {
       return c.got.ok() && c.got.text.starts_with("S<0,") != c.row["result"].starts_with("S<0,");
     },
     [](const Case &c) {
       return expectEqual(withoutIdentity(c.got.text), withoutIdentity(c.row["result"]));
     },
     24},
    {"one basis",
     "an index of basis strides is a coordinate, as in the dialect, also if it has one mode",
     "crd2idx layout_eval_all", accepted, sameIndices, 8},
    {"nothing at 0",
     "CuTe C++ gives A o -n o S, which inverts some indices, but not from 0: a right inverse is a "
     "layout with domain "
     "0, 1, ..., and what is to be inverted never is 0",
     "right_inverse", [](const Case &c) { return refusedFor(c, "RightInverseOffset"); },
     isNeverZero, 11},
    {"left inverse of an offset",
     "CuTe C++ subtracts the offset after the swizzle, with a swizzle for an outer layout, which "
     "the dialect does not "
     "have; here the swizzle changes nothing, and the inverse has no swizzle",
     "left_inverse",
     [](const Case &c) { return c.got.ok() && c.row["result"].find(" o -") != std::string::npos; },
     [](const Case &c) { return wrongInverse(c, *c.got.layout); }, 4},
    {"two swizzles", "CuTe C++ leaves two swizzles in a row; here they are put together",
     "composition_composed", [](const Case &c) { return c.in.isComposed(0) && c.in.isComposed(1); },
     sameValues, 1},
    {"idle swizzle",
     "CuTe C++ keeps a swizzle whose source bits no coordinate reaches; here it goes where it "
     "could not stay "
     "as it is: the same function",
     "composition_layout_composed right_inverse",
     [](const Case &c) {
       return isSwizzled(c) && c.got.ok() && wrongWithSwizzle(c, theirs(c)).empty();
     },
     [](const Case &c) {
       return Laws(c.values).compositionOfNumbers(Layout{Tree(1), Tree(1)}, theirs(c),
                                                  *c.got.layout);
     },
     2},
    {"swizzle beyond the domain",
     "CuTe C++ carries bits that no coordinate reaches through the layout, where they meet others, "
     "and gives "
     "another function",
     "composition_layout_swizzle composition_layout_composed left_inverse right_inverse",
     isSwizzled, onlyOursIsSwizzled, 17},
    {"no such layout", "CuTe C++ checks less than a composition needs, and gives another function",
     composing, isImpossible, nullptr, 140},
    {"no such division",
     "the function is a layout, though a stride divides no extent, which CuTe asks for; CuTe C++ "
     "gives another function",
     "composition", [](const Case &c) { return refusedFor(c, "CompositionStride"); },
     theirsDoesNotCompose, 1},
    {"one cut",
     "CuTe C++ cuts every mode of stride 1, also those of extent 1, and reaches beyond the memory",
     recasting, [](const Case &c) { return c.got.layout.has_value(); }, onlyOursRecasts, 4},
    {"swizzle below an element",
     "bits that a swizzle moves within a wide element get lost in CuTe C++; the dialect refuses",
     "upcast upcast_swizzle recast_layout",
     [](const Case &c) { return refusedFor(c, "SwizzleRecast"); }, partsDoNotStay, 53},
    {"downward groups", "elements that go down share other wide elements than CuTe C++ says",
     "upcast", [](const Case &c) { return refusedFor(c, "RecastIndivisible"); },
     theirsDoesNotRecast, 6},
    {"not injective", "CuTe C++ inverts modes that overlap, and leaves the domain", "left_inverse",
     [](const Case &c) { return refusedFor(c, "LeftInverseNotInjective"); }, theirsDoesNotInvert,
     15},
    {"swizzled offset",
     "CuTe C++ turns a swizzled slice into strides where the offset already fills their bits",
     "slice_and_offset_swizzle", theirsDoesNotSlice, oursSlices, 12},
    {"cautious offset",
     "as before, but the strides would not reach these bits: the same function, swizzled",
     "slice_and_offset_swizzle", accepted, oursSlices, 2},
    {"fragment profile",
     "CuTe C++ wraps the rest into a tuple of one, as its repeat<1> makes none; here the "
     "fragment has the profile of the partition",
     "make_fragment_like", accepted, keepsProfile, 83},
    {"coordinates of different profile",
     "CuTe C++ calls the shorter tuple less; the dialect compares equal profiles",
     "elem_less elem_leq elem_gtr elem_geq",
     [](const Case &c) { return refusedFor(c, "StructureMismatch"); },
     [](const Case &c) {
       return congruent(c.in.tree(0), c.in.tree(1)) ? "the profiles are equal" : std::string();
     },
     28},
};

const Difference inDynamic[] = {
    {"no such layout", "as for static leaves", "composition", isImpossible, nullptr, 4},
    {"failed assumption",
     "CuTe C++ goes on silently with values that do not divide; here `assume` notices", composing,
     isViolated, isBrokenStep, 31},
    {"failed group", "as before: the dynamic stride is not a multiple of the wide element",
     "upcast", isViolated, oursDoesNotRecast, 25},
    {"static product", "0 times a dynamic number is a static 0, and 1 times it is no new one",
     "local_tile slice_and_offset_swizzle",
     [](const Case &c) {
       return withoutDynamic(c.got.withValues) == withoutDynamic(c.row["result"]);
     },
     nullptr, 23},
    {"fragment profile", "as for static leaves", "make_fragment_like", accepted, keepsProfile, 3},
    {"swizzled offset",
     "as for static leaves: where the offset may fill the bits of strides, the swizzle stays",
     "slice_and_offset_swizzle", accepted, oursSlices, 10},
};

const Difference inRefusals[] = {
    {"extent 1", "CuTe C++ asks a stride to divide though its mode has one element", composing,
     [](const Case &c) {
       return c.got.refused.id.empty() && c.row["reason"].find("Divisibility") != std::string::npos;
     },
     wrongSteps, 24},
    {"rank 1", "CuTe C++ does not compile a product of a leaf and a tuple of one",
     "blocked_product raked_product", isRankOne, isPairedProduct, 21},
    {"ceiling", "the dialect tiles a shape that the block does not divide, with the ceiling",
     "tile_to_shape", accepted, coversTarget, 43},
    {"cut into one", "a recast by 1 changes nothing, with or without a stride 1", "downcast",
     [](const Case &c) { return factors(c).first == 1; },
     [](const Case &c) { return expectEqual(c.got.text, c.in.text(0)); }, 8},
    {"rank reached", "the dialect appends nothing to a layout of that rank or more",
     "append_to_rank", accepted,
     [](const Case &c) { return expectEqual(c.got.text, acceptedByDialect(c)); }, 7},
    {"part of a swizzle",
     "CuTe C++ wants all bits of the swizzle to go through the layout; here those do that a "
     "coordinate reaches",
     "composition_layout_swizzle composition_layout_composed left_inverse right_inverse",
     isSwizzled, oursIsSwizzled, 28},
    {"common beginning",
     "CuTe C++ fails where one layout does not compose with the whole inverse of the other one; "
     "here the indices "
     "that both begin with count",
     "max_common_layout max_common_vector", accepted, isCommon, 57},
    {"swizzle kept",
     "CuTe C++ fails where it turns a swizzled slice into strides; here the swizzle stays",
     "slice_and_offset_swizzle", accepted, oursSlices, 7},
};
} // namespace

std::span<const Difference> staticDifferences() { return inStatic; }
std::span<const Difference> dynamicDifferences() { return inDynamic; }
std::span<const Difference> refusalDifferences() { return inRefusals; }

std::string wrongSteps(const Case &c) {
  const int64_t maxSize = 1 << 16; // a few products are huge
  for (const auto &[left, right] :
       stepsOf(c.operation, c.values, c.in).value_or(std::vector<Step>())) {
    if (Reference(c.values).size(right) > maxSize)
      continue;
    Result<Layout> composed = composition(c.values, left, right);
    std::string wrong =
        composed ? Laws(c.values).composition(left, right, *composed) : "is refused";
    if (!wrong.empty())
      return cat(str(left), " o ", str(right), " ", wrong);
  }
  return "";
}

} // namespace tessera::layout::test
