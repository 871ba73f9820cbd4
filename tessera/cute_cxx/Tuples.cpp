// Tuples by their modes, whose leaves C++ or the device knows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_cxx/Tuples.h"

#include "tessera/cute_cxx/Node.h"
#include "tessera/layout/Algebra.h"
#include "tessera/layout/Domains.h"
#include "tessera/layout/Text.h"

#include <numeric>

using namespace tessera;

namespace tessera::cute {

static bool isTuple(const IntTuple &t) { return tuple(t).tree().isTuple(); }
static std::vector<IntTuple> modesOf(const IntTuple &t, Place at) {
  std::vector<IntTuple> modes;
  for (int i = 0; i < t.rank(); ++i)
    modes.push_back(t.mode(i, at));
  return modes;
}
/// A mistake of a call, and what stands for its result.
static IntTuple refused(const char *call, const std::string &why, Place at) {
  mistake(call, why, at);
  return made<IntTuple>(dsl::Coord(mlir::Value(), layout::Tree()));
}
static bool anyPoisoned(std::initializer_list<const IntTuple *> all) {
  return std::any_of(all.begin(), all.end(), [](const IntTuple *t) { return t->is_poisoned(); });
}

//===--- bases --------------------------------------------------------------------------------===//

IntTuple scaled_basis(const Num &n, std::span<const int> path, Place at) {
  IntTuple number = n;
  dsl::Coord given = tuple(number);
  layout::Tree tree = given.tree();
  if (given.poisoned() || !n.is_set())
    return number;
  for (int i : path)
    if (!tree.leaf().basis.push(i))
      return refused("E",
                     cat("expects at most ", layout::Path::maxDepth, " modes from 0 to ",
                         layout::Path::maxIndex, ", but got ", i),
                     at);
  return made<IntTuple>(given.isStatic() ? dsl::Coord(tree)
                                         : dsl::Coord::of(tree, given.numbers()));
}
Num basis_value(const IntTuple &t, Place at) {
  dsl::Coord given = tuple(t);
  if (given.poisoned() || given.tree().isTuple())
    return Num(t, at);
  layout::Tree number(layout::Leaf(given.tree().leaf().value));
  return Num(made<IntTuple>(given.isStatic() ? dsl::Coord(number)
                                             : dsl::Coord::of(number, given.numbers())),
             at);
}
IntTuple basis_get(const IntTuple &basis, const IntTuple &t, Place at) {
  if (anyPoisoned({&basis, &t}))
    return t;
  if (isTuple(basis))
    return refused("basis_get", cat("expects a basis, but got ", basis.str()), at);
  IntTuple part = t;
  const layout::Path path = tuple(basis).tree().leaf().basis; // of a copy that ends here
  for (size_t i = 0; i < path.size(); ++i)
    part = part.mode(path[i], at);
  return part;
}
IntTuple make_basis_like(const IntTuple &shape, Place) {
  return made<IntTuple>(dsl::Coord(layout::identityLayout(tuple(shape).tree()).stride));
}

ScaledBasis detail::with_value(const ScaledBasis &basis, const Num &value, Place at) {
  if (value.is_poisoned())
    return ScaledBasis(made<IntTuple>(dsl::Coord(mlir::Value(), layout::Tree())));
  std::vector<int> path;
  if (!basis.is_set() || isTuple(basis))
    return ScaledBasis(refused(
        "E", cat("expects a scaled basis, but got ", basis.is_set() ? basis.str() : "none"), at));
  if (!basis.is_poisoned())
    for (size_t i = 0; i < tuple(basis).tree().leaf().basis.size(); ++i)
      path.push_back(tuple(basis).tree().leaf().basis[i]);
  return ScaledBasis(scaled_basis(value, path, at));
}
ArithmeticTuple as_arithmetic_tuple(const IntTuple &t, Place at) {
  if (t.is_poisoned())
    return ArithmeticTuple(t);
  if (isTuple(t)) {
    std::vector<IntTuple> modes;
    for (const IntTuple &mode : modesOf(t, at))
      modes.push_back(as_arithmetic_tuple(mode, at));
    return ArithmeticTuple(IntTuple::of(modes, at));
  }
  const layout::Tree tree = tuple(t).tree();
  if (!tree.leaf().isBasis())
    return ArithmeticTuple(t);
  // The last mode of the path is the innermost one.
  IntTuple sum = basis_value(t, at);
  for (size_t i = tree.leaf().basis.size(); i-- > 0;) {
    std::vector<IntTuple> modes(size_t(tree.leaf().basis[i]), IntTuple(0));
    modes.push_back(sum);
    sum = IntTuple::of(modes, at);
  }
  return ArithmeticTuple(sum);
}
/// The sum of tuples without bases. A 0 is one of any nesting.
static IntTuple sumOf(const IntTuple &a, const IntTuple &b, bool minus, Place at) {
  auto isZero = [](const IntTuple &t) { return !isTuple(t) && tuple(t).tree().leaf().is(0); };
  if (isZero(b))
    return a;
  if (!isTuple(a) && !isTuple(b)) {
    Operand x(Num(a, at), at), y(Num(b, at), at);
    return minus ? x - y : x + y;
  }
  if ((!isTuple(a) && !isZero(a)) || !isTuple(b))
    return refused(
        minus ? "operator-" : "operator+",
        cat("expects coordinates of one nesting, or 0, but got ", a.str(), " and ", b.str()), at);
  std::vector<IntTuple> modes;
  int rankA = isTuple(a) ? a.rank() : 0;
  for (int i = 0; i < std::max(rankA, b.rank()); ++i)
    modes.push_back(sumOf(i < rankA ? a.mode(i, at) : IntTuple(0),
                          i < b.rank() ? b.mode(i, at) : IntTuple(0), minus, at));
  return IntTuple::of(modes, at);
}
IntTuple detail::added(const IntTuple &a, const IntTuple &b, bool minus, Place at) {
  if (anyPoisoned({&a, &b}))
    return a.is_poisoned() ? a : b;
  if (!isTuple(b) && tuple(b).tree().leaf().is(0)) // also of a basis, which stays one
    return a;
  if (!isTuple(a) && tuple(a).tree().leaf().is(0) && !minus)
    return b;
  return sumOf(as_arithmetic_tuple(a, at), as_arithmetic_tuple(b, at), minus, at);
}

//===--- taken apart, put together ------------------------------------------------------------===//

static void addLeaves(const IntTuple &t, std::vector<IntTuple> &leaves, Place at) {
  if (!isTuple(t))
    leaves.push_back(t);
  else
    for (const IntTuple &mode : modesOf(t, at))
      addLeaves(mode, leaves, at);
}
IntTuple flatten(const IntTuple &t, Place at) {
  if (!isTuple(t))
    return t;
  std::vector<IntTuple> leaves;
  addLeaves(t, leaves, at);
  return IntTuple::of(leaves, at);
}
/// The next leaves of `flat` in the nesting of the profile.
static IntTuple nested(const std::vector<IntTuple> &flat, size_t &next, const IntTuple &profile,
                       Place at) {
  if (!isTuple(profile))
    return flat[next++];
  std::vector<IntTuple> modes;
  for (const IntTuple &mode : modesOf(profile, at))
    modes.push_back(nested(flat, next, mode, at));
  return IntTuple::of(modes, at);
}
IntTuple unflatten(const IntTuple &flat, const IntTuple &profile, Place at) {
  if (anyPoisoned({&flat, &profile}))
    return flat;
  std::vector<IntTuple> modes = modesOf(flat, at), places;
  addLeaves(profile, places, at);
  size_t next = 0;
  if (modes.size() != places.size())
    return refused("unflatten",
                   cat("expects a mode for each of the ", places.size(), " leaves of ",
                       profile.str(), ", but got ", flat.str()),
                   at);
  return nested(modes, next, profile, at);
}
IntTuple wrap(const IntTuple &t, Place at) { return isTuple(t) ? t : IntTuple::of({t}, at); }
IntTuple unwrap(const IntTuple &t, Place at) {
  return isTuple(t) && t.rank() == 1 ? unwrap(t.mode(0, at), at) : t;
}
IntTuple reverse(const IntTuple &t, Place at) {
  if (!isTuple(t))
    return t;
  std::vector<IntTuple> modes = modesOf(t, at);
  std::reverse(modes.begin(), modes.end());
  return IntTuple::of(modes, at);
}
IntTuple front(const IntTuple &t, Place at) {
  return isTuple(t) && t.rank() > 0 ? front(t.mode(0, at), at) : t;
}
IntTuple back(const IntTuple &t, Place at) {
  return isTuple(t) && t.rank() > 0 ? back(t.mode(t.rank() - 1, at), at) : t;
}
IntTuple tuple_cat(const IntTuple &a, const IntTuple &b, Place at) {
  std::vector<IntTuple> modes = modesOf(a, at), more = modesOf(b, at);
  modes.insert(modes.end(), more.begin(), more.end());
  return IntTuple::of(modes, at);
}
IntTuple zip(const IntTuple &t, Place at) {
  if (t.is_poisoned() || !isTuple(t) || t.rank() == 0)
    return t;
  std::vector<IntTuple> lists = modesOf(t, at), zipped;
  for (const IntTuple &list : lists)
    if (isTuple(list) != isTuple(lists[0]) || list.rank() != lists[0].rank())
      return refused("zip", cat("expects tuples of one rank, but got ", t.str()), at);
  for (int i = 0; i < lists[0].rank(); ++i) {
    std::vector<IntTuple> beside;
    for (const IntTuple &list : lists)
      beside.push_back(list.mode(i, at));
    zipped.push_back(IntTuple::of(beside, at));
  }
  return isTuple(lists[0]) ? IntTuple::of(zipped, at) : zipped[0];
}
IntTuple zip(const IntTuple &a, const IntTuple &b, Place at) {
  return zip(IntTuple::of({a, b}, at), at);
}

IntTuple zip2_by(const IntTuple &t, const IntTuple &guide, Place at) {
  if (anyPoisoned({&t, &guide}))
    return t.is_poisoned() ? t : guide;
  if (!isTuple(guide)) {
    if (isTuple(t) && t.rank() == 2)
      return t;
    return refused("zip2_by", cat("expects a pair for each leaf of the guide, but got ", t.str()),
                   at);
  }
  if (!isTuple(t) || t.rank() < guide.rank())
    return refused("zip2_by",
                   cat("expects a mode for each of the guide ", guide.str(), ", but got ", t.str()),
                   at);
  std::vector<IntTuple> first, second;
  for (int i = 0; i < t.rank(); ++i)
    if (i >= guide.rank())
      second.push_back(t.mode(i, at));
    else if (IntTuple pair = zip2_by(t.mode(i, at), guide.mode(i, at), at); pair.is_poisoned())
      return pair;
    else
      first.push_back(pair.mode(0, at)), second.push_back(pair.mode(1, at));
  return IntTuple::of({IntTuple::of(first, at), IntTuple::of(second, at)}, at);
}

/// The part of a tuple that a coordinate keeps, or fixes; false if the two do not match.
static bool addParts(const IntTuple &coord, const IntTuple &t, bool kept,
                     std::vector<IntTuple> &parts, Place at) {
  if (!isTuple(coord)) {
    if (tuple(coord).tree().leaf().any == kept)
      parts.push_back(t);
    return true;
  }
  bool match = isTuple(t) && t.rank() == coord.rank();
  for (int i = 0; match && i < coord.rank(); ++i)
    match = addParts(coord.mode(i, at), t.mode(i, at), kept, parts, at);
  return match;
}
static IntTuple parted(const char *call, const IntTuple &coord, const IntTuple &t, bool kept,
                       Place at) {
  if (anyPoisoned({&coord, &t}))
    return coord.is_poisoned() ? coord : t;
  std::vector<IntTuple> parts;
  if (!addParts(coord, t, kept, parts, at))
    return refused(
        call,
        cat("expects a coordinate with a mode for each of ", t.str(), ", but got ", coord.str()),
        at);
  return isTuple(coord) || parts.empty() ? IntTuple::of(parts, at) : parts[0];
}
IntTuple slice(const IntTuple &coord, const IntTuple &t, Place at) {
  return parted("slice", coord, t, true, at);
}
IntTuple dice(const IntTuple &coord, const IntTuple &t, Place at) {
  return parted("dice", coord, t, false, at);
}
IntTuple repeat_like(const IntTuple &profile, const IntTuple &x, Place at) {
  if (!isTuple(profile))
    return x;
  std::vector<IntTuple> modes;
  for (const IntTuple &mode : modesOf(profile, at))
    modes.push_back(repeat_like(mode, x, at));
  return IntTuple::of(modes, at);
}
IntTuple detail::filled(const IntTuple &t, int rank, const IntTuple &x, bool behind, Place at) {
  std::vector<IntTuple> modes = modesOf(t, at);
  int more = rank < 0 ? 1 : rank - t.rank();
  if (more < 0)
    return refused(behind ? "append" : "prepend",
                   cat("expects at most ", rank, " modes, but got ", t.str()), at);
  if (more == 0) // a leaf stays one
    return t;
  modes.insert(behind ? modes.end() : modes.begin(), size_t(more), x);
  return IntTuple::of(modes, at);
}
/// Whether there are modes [begin, end); else a mistake.
static bool hasModes(const char *call, const IntTuple &t, int begin, int end, Place at) {
  if (t.is_poisoned() || (0 <= begin && begin <= end && end <= t.rank()))
    return !t.is_poisoned();
  mistake(
      call,
      cat("expects modes of ", t.str(), ", which has ", t.rank(), ", but got ", begin, " to ", end),
      at);
  return false;
}
IntTuple detail::exchanged(const IntTuple &t, int begin, int end, const std::vector<IntTuple> &by,
                           Place at) {
  if (!hasModes("replace", t, begin, end, at))
    return t;
  std::vector<IntTuple> modes = modesOf(t, at);
  modes.erase(modes.begin() + begin, modes.begin() + end);
  modes.insert(modes.begin() + begin, by.begin(), by.end());
  return IntTuple::of(modes, at);
}
IntTuple detail::together(const IntTuple &t, int begin, int end, Place at) {
  if (!hasModes("group", t, begin, end, at))
    return t;
  if (begin == end)
    return t;
  std::vector<IntTuple> modes = modesOf(t, at);
  IntTuple one = IntTuple::of(std::span(modes).subspan(size_t(begin), size_t(end - begin)), at);
  return exchanged(t, begin, end, {one}, at);
}
bool detail::is_tuple(const IntTuple &t) { return isTuple(t); }
int depth(const IntTuple &t) { return int(tuple(t).tree().depth()); }

//===--- arithmetic ---------------------------------------------------------------------------===//

IntTuple product_each(const IntTuple &t, Place at) {
  std::vector<IntTuple> modes;
  for (const IntTuple &mode : modesOf(t, at))
    modes.push_back(size(mode, at));
  return IntTuple::of(modes, at);
}
IntTuple product_like(const IntTuple &t, const IntTuple &guide, Place at) {
  if (!isTuple(guide))
    return size(t, at);
  if (!isTuple(t) || t.rank() != guide.rank())
    return refused("product_like",
                   cat("expects a guide of the nesting of ", t.str(), ", but got ", guide.str()),
                   at);
  std::vector<IntTuple> modes;
  for (int i = 0; i < t.rank(); ++i)
    modes.push_back(product_like(t.mode(i, at), guide.mode(i, at), at));
  return IntTuple::of(modes, at);
}
Num inner_product(const IntTuple &a, const IntTuple &b, Place at) {
  if (!anyPoisoned({&a, &b}) && !congruent(a, b, at))
    return Num(refused("inner_product",
                       cat("expects tuples of one nesting, but got ", a.str(), " and ", b.str()),
                       at),
               at);
  std::vector<IntTuple> x, y;
  addLeaves(a, x, at), addLeaves(b, y, at);
  Num total = 0;
  for (size_t i = 0; i < std::min(x.size(), y.size()); ++i)
    total =
        Operand(total, at) + Operand(Operand(Num(x[i], at), at) * Operand(Num(y[i], at), at), at);
  return total;
}
/// All leaves combined by f; `none` if there are no leaves.
template <class F> static Num ofLeaves(const IntTuple &t, const Num &none, Place at, F f) {
  std::vector<IntTuple> leaves;
  addLeaves(t, leaves, at);
  Num all = leaves.empty() ? none : Num(leaves[0], at);
  for (size_t i = 1; i < leaves.size(); ++i)
    all = f(all, Num(leaves[i], at));
  return all;
}
Num sum(const IntTuple &t, Place at) {
  return ofLeaves(t, 0, at,
                  [&](const Num &a, const Num &b) { return Operand(a, at) + Operand(b, at); });
}
Num max(const IntTuple &t, Place at) {
  return ofLeaves(t, 0, at,
                  [&](const Num &a, const Num &b) { return max(Operand(a, at), Operand(b, at)); });
}
Num min(const IntTuple &t, Place at) {
  return ofLeaves(t, 0, at,
                  [&](const Num &a, const Num &b) { return min(Operand(a, at), Operand(b, at)); });
}
Num gcd(const Num &a, const Num &b, Place at) {
  const Static *x = staticOf(a), *y = staticOf(b);
  if (x && y)
    return counted(std::gcd(x->number, y->number));
  if (!a.is_poisoned() && !b.is_poisoned())
    mistake("gcd", "expects numbers that C++ knows while it traces", at);
  return num(dsl::Num(mlir::Value()));
}
Num gcd(const IntTuple &t, Place at) {
  return ofLeaves(t, 0, at, [&](const Num &a, const Num &b) { return gcd(a, b, at); });
}
Num lcm(const Num &a, const Num &b, Place at) {
  const Static *x = staticOf(a), *y = staticOf(b);
  if (x && y)
    return counted(std::lcm(x->number, y->number));
  if (!a.is_poisoned() && !b.is_poisoned())
    mistake("lcm", "expects numbers that C++ knows while it traces", at);
  return num(dsl::Num(mlir::Value()));
}

//===--- comparisons --------------------------------------------------------------------------===//

static Num otherwise(const Num &truth, Place at) {
  if (const Static *known = staticOf(truth))
    return made<Num>(Static{!known->number, Format::b1});
  return Operand(truth, at) == Operand(Num(false, at), at);
}
Num elem_leq(const IntTuple &a, const IntTuple &b, Place at) {
  return otherwise(elem_less(b, a, at), at);
}
Num elem_gtr(const IntTuple &a, const IntTuple &b, Place at) { return elem_less(b, a, at); }
Num elem_geq(const IntTuple &a, const IntTuple &b, Place at) {
  return otherwise(elem_less(a, b, at), at);
}
/// The result of the algebra for two tuples that C++ knows.
template <class F>
static bool says(const char *call, const IntTuple &a, const IntTuple &b, Place at, F f) {
  if (anyPoisoned({&a, &b}))
    return false;
  for (const IntTuple *t : {&a, &b})
    if (!tuple(*t).isStatic()) {
      mistake(call, cat("expects tuples that C++ knows while it traces, but got ", t->str()), at);
      return false;
    }
  layout::Const arith;
  Result<layout::Int> answer = f(arith, tuple(a).tree(), tuple(b).tree());
  if (!answer)
    mistake(call, answer.reason().text, at);
  return answer && answer->value;
}
bool lex_less(const IntTuple &a, const IntTuple &b, Place at) {
  return says("lex_less", a, b, at,
              [](layout::Arith &arith, auto &x, auto &y) { return layout::lexLess(arith, x, y); });
}
bool colex_less(const IntTuple &a, const IntTuple &b, Place at) {
  return says("colex_less", a, b, at, [](layout::Arith &arith, auto &x, auto &y) {
    return layout::colexLess(arith, x, y);
  });
}
bool evenly_divides(const IntTuple &a, const IntTuple &b, Place at) {
  return says("evenly_divides", a, b, at,
              [](layout::Arith &arith, auto &x, auto &y) -> Result<layout::Int> {
                return layout::evenlyDivides(arith, x, y);
              });
}
bool weakly_congruent(const IntTuple &a, const IntTuple &b, Place) {
  return layout::weaklyCongruent(tuple(a).tree(), tuple(b).tree());
}

} // namespace tessera::cute
