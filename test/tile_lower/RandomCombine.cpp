// Random reductions, scans and products.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Programs.h"
#include "RandomKernel.h"

#include <algorithm>

namespace tessera::tile_lower::test {

using namespace tile_eval;

//===--- Reductions and scans

namespace {
/// What combines elements: types, identities, and the body, whose arguments are %c0, %p0, %c1, ...:
/// the next element and what was before it. `$` is a fresh prefix.
struct Combination {
  std::vector<Val> operands;
  std::vector<std::string> identities;
  std::string body;
  std::vector<std::string> results;
  std::vector<Val> kinds = {}; // trust and bound of the results, if other than of the operands
};
} // namespace

void KernelMaker::combine() {
  Shape shape = randomShape(options.mostElements, 1);
  size_t dim = below(shape.size());
  int64_t along = shape[dim];
  Combination c;
  auto t = [](const std::string &element) { return typeOf(element, {}); };
  std::string p = fresh(); // a prefix of names
  auto integer = [&] { return word({"i8", "i16", "i32", "i64", "i1"}); };
  auto one = [&](const Val &x, const std::string &op, const std::string &rest,
                 const std::string &identity) {
    size_t k = c.operands.size();
    std::string name = cat(p, "r", k);
    // Both orders of the operands mean the same.
    std::string a = cat(p, "c", k), b = cat(p, "p", k);
    if (chance(50))
      std::swap(a, b);
    c.body += cat("        ", name, " = ", op, " ", a, ", ", b, rest, " : ", t(x.element), "\n");
    c.operands.push_back(x);
    c.identities.push_back(x.element == "i1" ? identity : cat(identity, " : ", x.element));
    c.results.push_back(name);
  };
  auto anyOne = [&] {
    if (chance(50)) {
      std::string element = integer(),
                  op = word({"addi", "muli", "andi", "ori", "xori", "maxi", "mini"});
      std::string sign = op[0] == 'm' && op != "muli" ? word({" signed", " unsigned"}) : "";
      TypeKind kind = kindNamed(element);
      unsigned bits = bitsOf(kind);
      uint64_t least = uint64_t(1) << (bits - 1), ones = lowBits(bits);
      uint64_t identity = op == "muli" ? 1 : op == "andi" ? ones : 0;
      if (op == "maxi")
        identity = sign == " signed" ? least : 0;
      if (op == "mini")
        identity = sign == " signed" ? ones ^ least : ones;
      one(value(element, shape), op, sign,
          element == "i1" ? (identity ? "true" : "false")
                          : std::to_string(signedOf(identity, bits)));
      c.kinds.push_back({"", element, {}});
      return;
    }
    std::string element = word({"f16", "bf16", "f32", "f64"});
    TypeKind kind = kindNamed(element);
    if (chance(50)) {
      bool larger = chance(50), propagates = chance(30);
      Val x = value(element, shape);
      one(x, larger ? "maxf" : "minf", propagates ? " propagate_nan" : "",
          scalarConstant(element, infinityOf(kind, larger)));
      c.kinds.push_back({"", element, {}, Trust::Numbers, x.bound});
      return;
    }
    // Sums of integers that all types of elements hold exactly.
    Val x = small(element, shape, along > 64 ? 1 : 3);
    double most = element == "bf16" ? 256 : element == "f16" ? 2048 : 1e6;
    if (x.bound * double(along) > most) {
      x = splat(element, shape, 0);
    }
    one(x, "addf", "", "0.0");
    c.kinds.push_back({"", element, {}, Trust::Numbers, x.bound * double(along)});
  };
  bool isScan = chance(45);
  switch (below(7)) {
  case 0:
  case 1:
  case 2: anyOne(); break;
  case 3:
    for (size_t k = 0, n = 2 + below(2); k < n; ++k)
      anyOne();
    break;
  case 4: { // the largest with its place, chosen by values or by a branch; of equal ones the first
    std::string element = word({"i16", "i32", "f32", "f16"}), index = word({"i32", "i64"});
    Val x = isReal(element) ? small(element, shape, 100) : value(element, shape);
    Val at = offsets(shape, 1, index);
    c.operands = {x, at};
    uint64_t least = isReal(element) ? infinityOf(kindNamed(element), true)
                                     : uint64_t(1) << (bitsOf(kindNamed(element)) - 1);
    c.identities = {cat(scalarConstant(element, least), " : ", element),
                    cat("2147483647 : ", index)};
    std::string compare = isReal(element) ? "cmpf greater_than ordered " : "cmpi greater_than ",
                equal = isReal(element) ? "cmpf equal ordered " : "cmpi equal ",
                sign = isReal(element) ? "" : ", signed";
    c.body = cat("        ", p, "g = ", compare, p, "c0, ", p, "p0", sign, " : ", t(element),
                 " -> tile<i1>\n        ", p, "e = ", equal, p, "c0, ", p, "p0", sign, " : ",
                 t(element), " -> tile<i1>\n        ", p, "l = cmpi less_than ", p, "c1, ", p,
                 "p1, signed : ", t(index), " -> tile<i1>\n        ", p, "b = andi ", p, "e, ", p,
                 "l : tile<i1>\n        ", p, "t = ori ", p, "g, ", p, "b : tile<i1>\n        ", p);
    if (chance(50)) {
      c.body +=
          cat("r0 = select ", p, "t, ", p, "c0, ", p, "p0 : tile<i1>, ", t(element), "\n        ",
              p, "r1 = select ", p, "t, ", p, "c1, ", p, "p1 : tile<i1>, ", t(index), "\n");
      c.results = {p + "r0", p + "r1"};
    } else {
      std::string types = cat(t(element), ", ", t(index));
      c.body += cat("r:2 = if ", p, "t -> (", types, ") {\n          yield ", p, "c0, ", p,
                    "c1 : ", types, "\n        } else {\n          yield ", p, "p0, ", p,
                    "p1 : ", types, "\n        }\n");
      c.results = {p + "r#0", p + "r#1"};
    }
    c.kinds = {{"", element, {}, Trust::Numbers, x.bound}, {"", index, {}}};
    break;
  }
  case 5: { // the greatest common divisor, by a loop of as many turns as the numbers need
    std::string element = word({"i8", "i16", "i32", "i64"}), type = t(element);
    c.operands = {value(element, shape)};
    c.identities = {cat("0 : ", element)};
    c.body = filledIn(R"(        {p}m = constant <{e}: 127> : {t}
        {p}z = constant <{e}: 0> : {t}
        {p}a = andi {p}p0, {p}m : {t}
        {p}b = andi {p}c0, {p}m : {t}
        {p}r0 = loop iter_values({p}u = {p}a, {p}v = {p}b) : {t}, {t} -> {t} {
          {p}e = cmpi equal {p}v, {p}z, signed : {t} -> tile<i1>
          if {p}e {
            break {p}u : {t}
          }
          {p}w = remi {p}u, {p}v signed : {t}
          continue {p}v, {p}w : {t}, {t}
        }
)",
                      {{"p", p}, {"e", element}, {"t", type}});
    c.results = {p + "r0"};
    c.kinds = {{"", element, {}}};
    break;
  }
  default: { // x -> a x + b, one after the other: the order of the elements counts
    std::string element = word({"i8", "i16", "i32", "i64"});
    c.operands = {value(element, shape), value(element, shape)};
    c.identities = {cat("1 : ", element), cat("0 : ", element)};
    c.body = cat("        ", p, "r0 = muli ", p, "p0, ", p, "c0 : ", t(element), "\n        ", p,
                 "m = muli ", p, "p1, ", p, "c0 : ", t(element), "\n        ", p, "r1 = addi ", p,
                 "m, ", p, "c1 : ", t(element), "\n");
    c.results = {p + "r0", p + "r1"};
    c.kinds = {{"", element, {}}, {"", element, {}}};
  }
  }
  std::vector<Val> results;
  std::string names, types, resultTypes, identities, arguments, yields, yieldTypes;
  for (size_t k = 0; k < c.operands.size(); ++k) {
    std::string comma = k ? ", " : "";
    Val to = c.kinds[k];
    to.shape = shape;
    if (!isScan)
      to.shape.erase(to.shape.begin() + ptrdiff_t(dim));
    results.push_back(to);
    const std::string &element = c.operands[k].element;
    names += comma + c.operands[k].name;
    types += comma + typeOf(c.operands[k]);
    resultTypes += comma + typeOf(to);
    identities += comma + c.identities[k];
    arguments += cat(comma, p, "c", k, ": ", t(element), ", ", p, "p", k, ": ", t(element));
    yields += comma + c.results[k];
    yieldTypes += comma + t(element);
  }
  std::string text =
      cat(isScan ? "scan " : "reduce ", names, " dim=", dim,
          isScan ? cat(" reverse=", chance(50) ? "true" : "false") : "", " identities=[",
          identities, "] : ", types, " -> ", resultTypes, "\n    (", arguments, ") {\n", c.body,
          "        yield ", yields, " : ", yieldTypes, "\n      }");
  fewResults(text, results);
}

//===--- Products

void KernelMaker::multiply() {
  struct Types {
    const char *in, *acc;
  };
  static const std::vector<Types> all = {
      {"f16", "f16"},    {"f16", "f32"},    {"bf16", "f32"},     {"tf32", "f32"},
      {"f32", "f32"},    {"f64", "f64"},    {"f8E4M3FN", "f32"}, {"f8E4M3FN", "f16"},
      {"f8E5M2", "f32"}, {"f8E5M2", "f16"}, {"i8", "i32"},       {"i8", "i32"}};
  Types types = pick(all);
  auto extent = [&] { return int64_t(1) << (chance(60) ? 3 + below(4) : below(7)); };
  int64_t m = extent(), n = extent(), k = extent(), batch = chance(25) ? int64_t(1) << below(3) : 0;
  while (m * k > 4096 || k * n > 4096 || m * n > 4096 ||
         m * n * k * std::max<int64_t>(batch, 1) > 1 << 16)
    (m > n ? m : n > k ? n : k) /= 2;
  auto shape = [&](int64_t a, int64_t b) { return batch ? Shape{batch, a, b} : Shape{a, b}; };
  bool isInteger = types.in[0] == 'i';
  auto operand = [&](int64_t a, int64_t b) {
    if (isInteger)
      return value("i8", shape(a, b));
    if (chance(25)) { // another way round
      Val x = small(types.in, batch ? Shape{batch, b, a} : Shape{b, a});
      Val to = x;
      to.shape = shape(a, b);
      return emit(to, cat("permute ", x.name, batch ? " [0, 2, 1]" : " [1, 0]", " : ", typeOf(x),
                          " -> ", typeOf(to)));
    }
    return small(types.in, shape(a, b));
  };
  Val lhs = operand(m, k), rhs = operand(k, n);
  Val acc = isInteger ? value("i32", shape(m, n)) : small(types.acc, shape(m, n), 100);
  Val to{"", types.acc, shape(m, n), Trust::Numbers};
  to.bound = acc.bound + 9 * double(k);
  std::string rest;
  if (isInteger)
    rest = cat(" ", word({"signed", "unsigned"}), " ", word({"signed", "unsigned"}));
  else if (types.in[1] == '8' && chance(40))
    rest = " fast_acc";
  if (isInteger)
    to = {"", types.acc, shape(m, n)};
  emit(to, cat(isInteger ? "mmai " : "mmaf ", lhs.name, ", ", rhs.name, ", ", acc.name, rest, " : ",
               typeOf(lhs), ", ", typeOf(rhs), ", ", typeOf(acc)));
}

void KernelMaker::multiplyScaled() {
  std::string element = word({"f8E4M3FN", "f8E5M2", "f4E2M1FN"}), scale = "f8E8M0FNU";
  int64_t v = 32;
  if (element == "f4E2M1FN") {
    v = chance(50) ? 16 : 32;
    if (v == 16 && chance(50))
      scale = "f8E4M3FN";
  }
  int64_t m = int64_t(1) << below(6), n = int64_t(2) << below(5), k = v << below(3),
          batch = chance(25) ? 2 : 0;
  auto shape = [&](int64_t a, int64_t b) { return batch ? Shape{batch, a, b} : Shape{a, b}; };
  auto operand = [&](int64_t a, int64_t b) {
    return element == "f4E2M1FN" ? value(element, shape(a, b)) : small(element, shape(a, b));
  };
  Val lhs = operand(m, k), rhs = operand(k, n), acc = small("f32", shape(m, n), 100);
  Val scaleA = small(scale, shape(m, k / v)), scaleB = small(scale, shape(k / v, n));
  Val to{"", "f32", shape(m, n), Trust::Numbers};
  emit(to, cat("mmaf_scaled ", lhs.name, ", ", rhs.name, ", ", acc.name, ", ", scaleA.name, ", ",
               scaleB.name, " : ", typeOf(lhs), ", ", typeOf(rhs), ", ", typeOf(acc), ", ",
               typeOf(scaleA), ", ", typeOf(scaleB)));
}

} // namespace tessera::tile_lower::test
