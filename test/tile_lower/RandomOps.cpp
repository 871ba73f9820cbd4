// Random ops on single elements, conversions, and ops that move elements.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RandomKernel.h"

#include <algorithm>
#include <cmath>

namespace tessera::tile_lower::test {

using namespace tile_eval;

namespace {
unsigned widthOf(const std::string &element) { return bitsOf(kindNamed(element)); }
/// The number whose lowest bits are one, `count` of them, at most 63.
int64_t lowBits(unsigned count) { return int64_t((uint64_t(1) << count) - 1); }
/// Whether a conversion may be rounded in any direction: to a type that is not wider. Not all of
/// them.
bool losesBits(const std::string &from, const std::string &to) {
  if (from == "f64" || from == "f32")
    return widthOf(to) < widthOf(from) || (from == "f32" && to == "tf32");
  return (from == "tf32" || from == "f16" || from == "bf16") && widthOf(to) <= 8;
}
} // namespace

//===--- Integers

void KernelMaker::integerOp() {
  std::string element = word({"i1", "i8", "i16", "i32", "i32", "i64"});
  Shape shape = chance(50) && !pool.empty() ? pick(pool).shape : randomShape(options.mostElements);
  unsigned bits = widthOf(element);
  Val a = value(element, shape), b = value(element, shape);
  std::string type = typeOf(a), sign = word({"signed", "unsigned"});
  Val to{"", element, shape};
  auto masked = [&](const Val &v, int64_t mask) {
    Val m = splat(element, shape, mask);
    return emit({"", element, shape}, cat("andi ", v.name, ", ", m.name, " : ", type));
  };
  auto binary = [&](const std::string &op, const Val &x, const Val &y,
                    const std::string &rest = "") {
    emit(to, cat(op, " ", x.name, ", ", y.name, rest.empty() ? "" : " ", rest, " : ", type));
  };
  switch (below(14)) {
  case 0:
  case 1: { // sums and products, some with a promise that holds
    std::string op = word({"addi", "subi", "muli"});
    if (bits < 8 || chance(60)) {
      binary(op, a, b, chance(20) ? "overflow<none>" : "");
      break;
    }
    unsigned room = op == "muli" ? bits / 2 - 1 : bits - 2;
    Val x = masked(a, lowBits(room)), y = masked(b, lowBits(room));
    if (op == "subi") { // the first is the larger one
      Val high = splat(element, shape, int64_t(1) << room);
      x = emit(to, cat("ori ", x.name, ", ", high.name, " : ", type));
    }
    binary(op, x, y,
           cat("overflow<", word({"no_signed_wrap", "no_unsigned_wrap", "no_wrap"}), ">"));
    break;
  }
  case 2:
    if (chance(50))
      emit(to, cat(word({"negi", "absi"}), " ", a.name, " : ", type));
    else if (bits >= 8)
      emit(to,
           cat("negi ", masked(a, lowBits(bits - 1)).name, " overflow<no_signed_wrap> : ", type));
    break;
  case 3:
  case 4: { // a divisor that is positive
    Val divisor =
        bits == 1 ? splat(element, shape, 1) : masked(b, lowBits(chance(50) ? bits - 1 : bits / 2));
    if (bits == 1)
      sign = "unsigned";
    else {
      Val one = splat(element, shape, 1);
      divisor = emit(to, cat("ori ", divisor.name, ", ", one.name, " : ", type));
    }
    if (chance(40))
      binary("remi", a, divisor, sign);
    else
      binary("divi", a, divisor,
             sign + word({"", " rounding<positive_inf>",
                          sign == "signed" ? " rounding<negative_inf>" : " rounding<zero>"}));
    break;
  }
  case 5: binary("mulhii", a, b); break;
  case 6:
  case 7: binary(word({"maxi", "mini"}), a, b, sign); break;
  case 8:
  case 9: {
    Val count = masked(b, int64_t(bits) - 1);
    if (chance(50))
      binary("shri", a, count, sign);
    else if (bits >= 8 && chance(30)) {
      Val low = masked(a, 1), half = masked(count, int64_t(bits) / 2 - 1);
      binary("shli", low, half,
             cat("overflow<", word({"no_signed_wrap", "no_unsigned_wrap", "no_wrap"}), ">"));
    } else
      binary("shli", a, count);
    break;
  }
  case 10:
  case 11: binary(word({"andi", "ori", "xori"}), a, b); break;
  case 12: { // wider or narrower
    std::string other = word({"i1", "i8", "i16", "i32", "i64"});
    Val target{"", other, shape};
    if (widthOf(other) > bits)
      emit(target, cat("exti ", a.name, " ", sign, " : ", type, " -> ", typeOf(target)));
    else if (widthOf(other) < bits && (widthOf(other) == 1 || chance(60)))
      emit(target, cat("trunci ", a.name, " : ", type, " -> ", typeOf(target)));
    else if (widthOf(other) < bits)
      emit(target, cat("trunci ", masked(a, lowBits(widthOf(other) - 1)).name, " overflow<",
                       word({"no_signed_wrap", "no_unsigned_wrap", "no_wrap"}), "> : ", type,
                       " -> ", typeOf(target)));
    break;
  }
  default: { // by way of 4 bits
    if (bits == 1)
      break;
    Val nibble =
        emit({"", "i4", shape}, cat("trunci ", a.name, " : ", type, " -> ", typeOf("i4", shape)));
    emit(to, cat("exti ", nibble.name, " ", sign, " : ", typeOf(nibble), " -> ", type));
  }
  }
}

//===--- Floating point

void KernelMaker::realOp() {
  std::string element = word({"f16", "bf16", "f32", "f32", "f64"});
  Shape shape = chance(50) && !pool.empty() ? pick(pool).shape : randomShape(options.mostElements);
  Val a = value(element, shape), b = value(element, shape);
  std::string type = typeOf(a);
  Val to{"", element, shape, Trust::Numbers};
  std::string rounding = word({"", "", " rounding<zero>", " rounding<negative_inf>",
                               " rounding<positive_inf>"}),
              flush = element == "f32" && chance(25) ? " flush_to_zero" : "";
  switch (below(9)) {
  case 0:
  case 1:
  case 2:
    emit(to, cat(word({"addf", "subf", "mulf"}), " ", a.name, ", ", b.name, rounding, flush, " : ",
                 type));
    break;
  case 3: emit(to, cat("divf ", a.name, ", ", b.name, rounding, flush, " : ", type)); break;
  case 4: {
    Val c = value(element, shape);
    emit(to, cat("fma ", a.name, ", ", b.name, ", ", c.name, rounding, flush, " : ", type));
    break;
  }
  case 5: emit(to, cat("sqrt ", a.name, rounding, flush, " : ", type)); break;
  case 6:
    emit(to, cat(word({"maxf", "minf"}), " ", a.name, ", ", b.name, flush,
                 chance(40) ? " propagate_nan" : "", " : ", type));
    break;
  case 7: emit(to, cat(word({"ceil", "floor", "absf", "negf"}), " ", a.name, " : ", type)); break;
  default: emit(to, cat("remf ", a.name, ", ", b.name, " : ", type));
  }
}

/// Approximations, of numbers that are neither large nor small.
void KernelMaker::function() {
  std::string element = word({"f16", "bf16", "f32", "f32", "f64"});
  Shape shape = randomShape(256);
  Val x = small(element, shape), y = small(element, shape);
  std::string type = typeOf(x);
  Val to{"", element, shape, Trust::Close};
  bool isSingle = element == "f32";
  std::string flush = isSingle && chance(30) ? " flush_to_zero" : "",
              approx = isSingle && chance(30) ? " rounding<approx>" : "";
  Val half = splat(element, shape, 2), third{"", element, shape};
  third = emit(third, cat("divf ", x.name, ", ", half.name, " : ", type));
  third.trust = Trust::Numbers;
  Val one = splat(element, shape, 1),
      magnitude = emit({"", element, shape}, cat("absf ", third.name, " : ", type));
  Val positive = emit({"", element, shape, Trust::Numbers},
                      cat("addf ", magnitude.name, ", ", one.name, " : ", type));
  switch (below(7)) {
  case 0: emit(to, cat(word({"exp", "tanh"}), " ", third.name, approx, " : ", type)); break;
  case 1: emit(to, cat("exp2 ", third.name, flush, " : ", type)); break;
  case 2: emit(to, cat(word({"log", "log2"}), " ", positive.name, " : ", type)); break;
  case 3: emit(to, cat("rsqrt ", positive.name, flush, " : ", type)); break;
  case 4:
    emit(to, cat(word({"sin", "cos", "tan", "sinh", "cosh"}), " ", third.name, " : ", type));
    break;
  case 5:
    if (chance(50)) {
      std::string integer = word({"i1", "i8", "i16", "i32"});
      Val exponent = small(integer, shape, integer == "i1" ? 1 : 3);
      emit(to,
           cat("fpowi ", positive.name, ", ", exponent.name, " : ", type, ", ", typeOf(exponent)));
    } else {
      emit(to, cat("pow ", positive.name, ", ", third.name, " : ", type));
    }
    break;
  default:
    if (isSingle && chance(50))
      emit(to, chance(50) ? cat("divf ", y.name, ", ", positive.name, " rounding<",
                                word({"approx", "full"}), ">", flush, " : ", type)
                          : cat("sqrt ", positive.name, " rounding<approx>", flush, " : ", type));
    else
      emit(to, cat("atan2 ", third.name, ", ", y.name, " : ", type));
  }
}

void KernelMaker::comparison() {
  Shape shape = chance(50) && !pool.empty() ? pick(pool).shape : randomShape(options.mostElements);
  std::string predicate = word({"equal", "not_equal", "less_than", "less_than_or_equal",
                                "greater_than", "greater_than_or_equal"});
  Val truth{"", "i1", shape};
  if (chance(50)) {
    std::string element = word({"i1", "i8", "i16", "i32", "i64"});
    Val a = value(element, shape), b = value(element, shape);
    truth = emit(truth, cat("cmpi ", predicate, " ", a.name, ", ", b.name, ", ",
                            word({"signed", "unsigned"}), " : ", typeOf(a), " -> ", typeOf(truth)));
  } else {
    std::string element = word({"f16", "bf16", "f32", "f64"});
    Val a = value(element, shape), b = value(element, shape);
    truth = emit(truth, cat("cmpf ", predicate, " ", word({"ordered", "unordered"}), " ", a.name,
                            ", ", b.name, " : ", typeOf(a), " -> ", typeOf(truth)));
  }
  std::string element = anyElement();
  Val a = value(element, shape, Trust::Close), b = value(element, shape, Trust::Close);
  emit({"", element, shape, std::max(a.trust, b.trust)},
       cat("select ", truth.name, ", ", a.name, ", ", b.name, " : ", typeOf(truth), ", ",
           typeOf(a)));
}

//===--- Conversions

void KernelMaker::conversion() {
  auto anyReal = [&] {
    return word({"f16", "bf16", "f32", "f64", "tf32", "f8E4M3FN", "f8E5M2", "f8E8M0FNU", "f4E2M1FN",
                 "f8E5M3FNU"});
  };
  Shape shape = chance(50) && !pool.empty() ? pick(pool).shape : randomShape(options.mostElements);
  std::string from = anyReal(), to = anyReal();
  bool isEven = !shape.empty() && shape.back() % 2 == 0;
  auto widened = [&](const std::string &element) -> Val {
    // Types that are made of others only.
    if (element != "f4E2M1FN" && element != "f8E5M3FNU")
      return value(element, shape);
    Val wide = value("f32", shape);
    return emit({"", element, shape, Trust::Numbers},
                cat("ftof ", wide.name, " : ", typeOf(wide), " -> ", typeOf(element, shape)));
  };
  if ((from == "f4E2M1FN" || to == "f4E2M1FN") && !isEven)
    return;
  Val result{"", to, shape, Trust::Numbers};
  switch (below(6)) {
  case 0:
  case 1: {
    if (from == to)
      return;
    Val x = widened(from);
    std::string rounding;
    if (to == "f8E8M0FNU")
      rounding = word({" rounding<zero>", " rounding<positive_inf>"});
    else if (chance(40) && losesBits(from, to))
      rounding = word({" rounding<zero>", " rounding<positive_inf>", " rounding<negative_inf>",
                       " rounding<nearest_away>"});
    Val y = emit(result, cat("ftof ", x.name, rounding, " : ", typeOf(x), " -> ", typeOf(result)));
    if (to == "f4E2M1FN" || to == "f8E5M3FNU") { // back to what can be stored
      Val back{"", "f32", shape, Trust::Numbers};
      emit(back, cat("ftof ", y.name, " : ", typeOf(y), " -> ", typeOf(back)));
    }
    break;
  }
  case 2: {
    std::string integer = word({"i1", "i8", "i16", "i32", "i64"}),
                sign = word({"signed", "unsigned"});
    Val target{"", integer, shape};
    Val x = widened(from);
    if (chance(60) || from == "f8E8M0FNU") {
      emit(target,
           cat("ftoi ", x.name, " ", sign, " saturating : ", typeOf(x), " -> ", typeOf(target)));
    } else {
      // Numbers that every integer but i1 has.
      std::string base = from == "f64" ? "f64" : "f32";
      Val small = this->small(base, shape, sign == "signed" ? 100 : 3);
      if (sign == "unsigned")
        small = emit({"", base, shape}, cat("absf ", small.name, " : ", typeOf(small)));
      if (integer != "i1")
        emit(target,
             cat("ftoi ", small.name, " ", sign, " : ", typeOf(small), " -> ", typeOf(target)));
    }
    break;
  }
  case 3: {
    std::string integer = word({"i1", "i8", "i16", "i32", "i64"});
    if (to == "f8E8M0FNU")
      return;
    Val x = value(integer, shape);
    Val y = emit(result, cat("itof ", x.name, " ", word({"signed", "unsigned"}), " : ", typeOf(x),
                             " -> ", typeOf(result)));
    if (to == "f4E2M1FN" || to == "f8E5M3FNU")
      emit({"", "f32", shape, Trust::Numbers},
           cat("ftof ", y.name, " : ", typeOf(y), " -> ", typeOf("f32", shape)));
    break;
  }
  case 4: { // bits
    struct Pair {
      const char *real, *integer;
    };
    static const std::vector<Pair> pairs = {
        {"f16", "i16"},     {"bf16", "i16"},  {"f32", "i32"},      {"f64", "i64"},
        {"f8E4M3FN", "i8"}, {"f8E5M2", "i8"}, {"f8E8M0FNU", "i8"}, {"f16", "bf16"}};
    Pair p = pick(pairs);
    bool back = chance(50);
    Val x = value(back ? p.integer : p.real, shape,
                  back && !isReal(p.integer) ? Trust::Numbers : Trust::Bits);
    Val target{"", back ? p.real : p.integer, shape};
    emit(target, cat("bitcast ", x.name, " : ", typeOf(x), " -> ", typeOf(target)));
    break;
  }
  default: pack();
  }
}

void KernelMaker::pack() {
  int64_t bytes = int64_t(8) << below(9);
  std::string element =
      word({"f16", "i16", "f32", "i32", "f64", "i64", "f4E2M1FN", "i4", "bf16", "i1"});
  unsigned bits = widthOf(element);
  Shape packed = {bytes}, shape = {bytes * 8 / bits};
  Val as8{"", "i8", packed};
  if (element == "i4" || element == "f4E2M1FN") {
    Val x = value("i8", packed, Trust::Bits);
    Val four{"", element, shape};
    four.name = fresh();
    line(cat(four.name, " = unpack ", x.name, " : ", typeOf(x), " -> ", typeOf(four)));
    if (element == "i4") {
      Val wide{"", word({"i8", "i16", "i32", "i64"}), shape};
      wide = emit(wide, cat("exti ", four.name, " ", word({"signed", "unsigned"}), " : ",
                            typeOf(four), " -> ", typeOf(wide)));
      four = emit({"", element, shape},
                  cat("trunci ", wide.name, " : ", typeOf(wide), " -> ", typeOf(element, shape)));
    } else {
      pool.push_back(four);
    }
    emit(as8, cat("pack ", four.name, " : ", typeOf(four), " -> ", typeOf(as8)));
    return;
  }
  if (chance(50)) {
    Val x = value(element, shape, Trust::Bits);
    emit(as8, cat("pack ", x.name, " : ", typeOf(x), " -> ", typeOf(as8)));
  } else {
    Val x = value("i8", packed);
    Val to{"", element, shape};
    emit(to, cat("unpack ", x.name, " : ", typeOf(x), " -> ", typeOf(to)));
  }
}

//===--- Elements at other places

void KernelMaker::shapeOp() {
  std::string element = chance(5) ? "i4" : anyElement();
  if (chance(40) && !pool.empty())
    element = pick(pool).element;
  bool isFour = element == "f4E2M1FN";
  if (element == "f8E5M3FNU")
    return;
  Shape shape = randomShape(options.mostElements, 1);
  if (isFour)
    shape.back() *= 2;
  if (isFour && product(shape) > 2048)
    return;
  auto source = [&](const Shape &wanted) {
    for (auto it = pool.rbegin(); it != pool.rend(); ++it)
      if (it->element == element && product(it->shape) == product(wanted) && !isFour && chance(70))
        return reshaped(*it, wanted);
    return value(element, wanted, Trust::Close);
  };
  switch (below(7)) {
  case 0:
    reshaped(source(shape), split(product(shape), isFour ? 1 : below(6) + (product(shape) > 1)));
    break;
  case 1: {
    Shape thin = shape;
    for (size_t d = 0; d + isFour < thin.size(); ++d)
      if (chance(50))
        thin[d] = 1;
    broadcast(source(thin), shape);
    break;
  }
  case 2:
  case 3: {
    if (shape.size() < 2)
      shape.insert(shape.begin(), int64_t(1) << below(3));
    if (product(shape) > options.mostElements)
      return;
    Val x = source(shape);
    std::vector<int64_t> order = permutation(shape.size());
    if (isFour) {
      order = permutation(shape.size() - 1);
      order.push_back(int64_t(shape.size()) - 1);
    }
    Val to = x;
    for (size_t d = 0; d < order.size(); ++d)
      to.shape[d] = shape[size_t(order[d])];
    emit(to, cat("permute ", x.name, " [", listOf(order), "] : ", typeOf(x), " -> ", typeOf(to)));
    break;
  }
  case 4: {
    size_t dim = below(shape.size());
    Val a = source(shape), b = value(element, shape, Trust::Close), to = a;
    to.trust = std::max(a.trust, b.trust);
    to.bound = std::max(a.bound, b.bound);
    to.shape[dim] *= 2;
    emit(to, cat("cat ", a.name, ", ", b.name, " dim = ", dim, " : ", typeOf(a), ", ", typeOf(b),
                 " -> ", typeOf(to)));
    break;
  }
  default: {
    Shape slice = shape;
    std::string indices;
    for (size_t d = 0; d < slice.size(); ++d) {
      int64_t least = isFour && d + 1 == slice.size() ? 2 : 1;
      while (slice[d] > least && chance(50))
        slice[d] /= 2;
      int64_t slices = shape[d] / slice[d];
      std::string index = number(int64_t(below(size_t(slices))), "i32");
      if (!loops.empty() && loops.back().element == "i32" && loops.back().low >= 0 &&
          loops.back().high <= slices)
        index = loops.back().name;
      indices += (d ? ", " : "") + index;
    }
    Val whole = source(shape);
    if (chance(50)) {
      Val to = whole;
      to.shape = slice;
      emit(to,
           cat("extract ", whole.name, "[", indices, "] : ", typeOf(whole), " -> ", typeOf(to)));
    } else {
      Val part = value(element, slice, Trust::Close), to = whole;
      to.trust = std::max(whole.trust, part.trust);
      to.bound = std::max(whole.bound, part.bound);
      emit(to, cat("insert ", part.name, ", ", whole.name, "[", indices, "] : ", typeOf(part), ", ",
                   typeOf(whole), " -> ", typeOf(to)));
    }
  }
  }
}

/// What a program says: an assertion that holds, or a line with a tile of integers. Lines of
/// several tile blocks come in any order, and so do those of iterations.
void KernelMaker::message() {
  std::string element = word({"i8", "i16", "i32", "i64"});
  Val x = value(element, randomShape(chance(70) ? 16 : 64));
  if (blocks > 1 || repeats || chance(40)) {
    Val truth =
        emit({"", "i1", x.shape}, cat("cmpi equal ", x.name, ", ", x.name, ", signed : ", typeOf(x),
                                      " -> ", typeOf("i1", x.shape)));
    line(cat("assert ", truth.name, ", \"100% true\" : ", typeOf(truth)));
    return;
  }
  Val y = value("i32", {});
  line(cat(fresh(), " = print_tko \"a %d, 5%% ", word({"%d", "%i", "%u", "%x", "%5d|", "%lld"}),
           "\\n\", ", y.name, ", ", x.name, " : ", typeOf(y), ", ", typeOf(x), " -> token"));
}

void KernelMaker::assumption() {
  std::string element = word({"i8", "i16", "i32", "i64"});
  Shape shape = randomShape(256, 1);
  Val x = value(element, shape);
  std::string type = typeOf(x);
  switch (below(3)) {
  case 0: {
    Val mask = splat(element, shape, 31),
        masked = emit({"", element, shape}, cat("andi ", x.name, ", ", mask.name, " : ", type));
    emit({"", element, shape, Trust::Bits, 31},
         cat("assume bounded<", word({"0", "?", "-3"}), ", ", word({"31", "?", "100"}), ">, ",
             masked.name, " : ", type));
    break;
  }
  case 1: {
    Val by = splat(element, shape, 16),
        multiple = emit({"", element, shape}, cat("muli ", x.name, ", ", by.name, " : ", type));
    emit({"", element, shape},
         cat("assume div_by<", word({"2", "4", "16"}), ">, ", multiple.name, " : ", type));
    break;
  }
  default: {
    Val one = value(element, Shape(shape.size(), 1)), all = broadcast(one, shape);
    emit({"", element, shape},
         cat("assume same_elements<[", listOf(shape), "]>, ", all.name, " : ", type));
  }
  }
}

} // namespace tessera::tile_lower::test
