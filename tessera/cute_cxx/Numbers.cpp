// Arithmetic: in C++ where it knows the numbers, else in the program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_cxx/Macros.h"
#include "tessera/cute_cxx/Whole.h"

#include <cmath>
#include <cstring>

using namespace tessera;

namespace tessera::cute {

Operand::Operand(const IntTuple &t, Place at) : at(at) {
  if (t.is_set() && !t.is_poisoned() && cute::tuple(t).tree().isTuple())
    tuple = t;
  else
    number = Num(t, at);
}

namespace {
bool isLiteral(const Operand &x) { return !x.number.is_set() && x.format != Format::none; }
/// The number of an operand that is not a literal; a mistake for a tuple.
Num plain(const Operand &x) { return x.tuple.is_set() ? Num(x.tuple, x.at) : x.number; }

/// As dsl takes it: a number of the program, or one that takes the type of its neighbour.
dsl::Operand operand(const Operand &x) {
  if (isLiteral(x))
    return dsl::Operand(x.literal, x.at);
  const Static *known = staticOf(x.number);
  if (known && isUnsigned(known->type))
    return dsl::Operand(double(uint64_t(known->number)), x.at); // beside a float
  if (known && known->type != Format::b1)
    return dsl::Operand(known->number, x.at);
  return dsl::Operand(typed(plain(x), x.at), x.at);
}
/// The type of an integer, b1 included; none for all else.
Format wholeType(const Operand &x) { return isLiteral(x) ? Format::none : wholeType(plain(x)); }
bool areWhole(const Operand &x, const Operand &y) {
  return wholeType(x) != Format::none && wholeType(y) != Format::none;
}
/// One number beside a vector is repeated.
void repeat(std::vector<dsl::Num> &numbers, Place at) {
  int64_t most = 1;
  for (const dsl::Num &n : numbers)
    most = std::max(most, dsl::count(n));
  for (dsl::Num &n : numbers)
    if (most > 1 && n.ir() && dsl::count(n) == 1)
      n = dsl::broadcast(n, most, at);
}
std::pair<dsl::Operand, dsl::Operand> repeated(dsl::Num x, dsl::Num y, const Operand &first,
                                               const Operand &second) {
  std::vector<dsl::Num> both{std::move(x), std::move(y)};
  repeat(both, first.at);
  return {dsl::Operand(both[0], first.at), dsl::Operand(both[1], second.at)};
}
/// Both as numbers of one type.
std::pair<dsl::Operand, dsl::Operand> converted(const Operand &x, const Operand &y, Format type) {
  return repeated(typed(plain(x), type, x.at), typed(plain(y), type, y.at), x, y);
}
/// Both as C++ computes with them. Whole numbers of one type stay as they are if `keeps`.
std::pair<dsl::Operand, dsl::Operand> together(const Operand &x, const Operand &y, bool keeps) {
  if (areWhole(x, y)) {
    Format a = wholeType(x), b = wholeType(y);
    return converted(x, y, keeps && a == b ? a : commonType(a, b));
  }
  dsl::Operand a = operand(x), b = operand(y);
  if (!a.number() || !b.number())
    return {a, b};
  return repeated(*a.number(), *b.number(), x, y);
}
/// A number of the program, for functions of one.
dsl::Num single(const Operand &x) {
  return isLiteral(x) ? dsl::Element(x.format)(x.literal, x.at) : typed(plain(x), x.at);
}
/// Whether C++ knows both, and one of them is a floating-point literal.
bool bothReal(const Operand &x, const Operand &y) {
  auto known = [](const Operand &o) { return isLiteral(o) || staticOf(o.number); };
  return known(x) && known(y) && (isLiteral(x) || isLiteral(y));
}
double real(const Operand &x) {
  if (isLiteral(x))
    return x.literal;
  const Static *known = staticOf(x.number);
  return isUnsigned(known->type) ? double(uint64_t(known->number)) : double(known->number);
}
Num realNum(const Operand &x, const Operand &y, double value) {
  Format format = isLiteral(x) ? x.format : y.format;
  return num(dsl::Element(format)(value, x.at));
}
const Static *whole(const Operand &x) { return staticOf(x.number); }
Num truth(bool holds) { return made<Num>(Static{holds, Format::b1}); }

/// Computed by C++ if it knows both: two integers by `onWhole` in their common type, numbers of
/// which one is a floating-point literal by `onReal`. Otherwise computed in the program.
template <class F, class G, class H>
Num compute(const Operand &x, const Operand &y, F onWhole, G onReal, H inProgram,
            bool keeps = false) {
  if (whole(x) && whole(y)) {
    Format a = whole(x)->type, b = whole(y)->type, type = keeps && a == b ? a : commonType(a, b);
    int64_t first = wrapped(uint64_t(whole(x)->number), type).number,
            second = wrapped(uint64_t(whole(y)->number), type).number;
    return isUnsigned(type) ? onWhole(uint64_t(first), uint64_t(second), type)
                            : onWhole(first, second, type);
  }
  if (bothReal(x, y))
    return onReal(real(x), real(y));
  auto [a, b] = together(x, y, keeps);
  return num(inProgram(a, b));
}
/// A division of integers by 0 is a mistake.
template <class F> Num divided(const Operand &x, const Operand &y, const char *name, F f) {
  if (!whole(y) || whole(y)->number != 0 || (!whole(x) && !areWhole(x, y)))
    return f();
  mistake(name, "expects a divisor other than 0", x.at);
  return num(dsl::Num(mlir::Value()));
}
Num known(auto n, Format type) { return made<Num>(wrapped(uint64_t(n), type)); }
/// The quotient as in C++, as its bits. Division by -1 negates, because processors trap on -2^63 /
/// -1.
template <class T> uint64_t quotientOf(T a, T b) {
  return b == T(-1) && T(-1) < T(0) ? 0 - uint64_t(a) : uint64_t(a / b);
}
} // namespace

// A result that is too large for numbers with a sign is a mistake, as in a constant of C++.
#define TESSERA_SUM(OP, NAME)                                                                      \
  Num operator OP(const Operand &x, const Operand &y) {                                            \
    return compute(                                                                                \
        x, y,                                                                                      \
        [&](auto a, auto b, Format type) {                                                         \
          decltype(a) result;                                                                      \
          if (__builtin_##NAME##_overflow(a, b, &result) && std::is_signed_v<decltype(a)>)         \
            mistake("operator" #OP,                                                                \
                    cat("expects a result of 64 bits, but got ", a, " " #OP " ", b), x.at);        \
          return known(result, type);                                                              \
        },                                                                                         \
        [&](double a, double b) { return realNum(x, y, a OP b); },                                 \
        [](dsl::Operand a, dsl::Operand b) { return a OP b; });                                    \
  }
TESSERA_SUM(+, add)
TESSERA_SUM(-, sub)
TESSERA_SUM(*, mul)
#undef TESSERA_SUM
Num operator/(const Operand &x, const Operand &y) {
  bool isWhole = areWhole(x, y);
  return divided(x, y, "operator/", [&] {
    return compute(
        x, y, [](auto a, auto b, Format type) { return known(quotientOf(a, b), type); },
        [&](double a, double b) { return realNum(x, y, a / b); },
        [&](dsl::Operand a, dsl::Operand b) { return isWhole ? dsl::quotient(a, b) : a / b; });
  });
}
Num operator%(const Operand &x, const Operand &y) {
  return divided(x, y, "operator%", [&] {
    return compute(
        x, y,
        [](auto a, auto b, Format type) {
          return known(uint64_t(a) - quotientOf(a, b) * uint64_t(b), type);
        },
        [&](double a, double b) { return realNum(x, y, std::fmod(a, b)); },
        [](dsl::Operand a, dsl::Operand b) { return dsl::remainder(a, b); });
  });
}
/// For operations on bits: two bools give a bool.
#define TESSERA_BITS(OP)                                                                           \
  Num operator OP(const Operand &x, const Operand &y) {                                            \
    bool areTruths = wholeType(x) == Format::b1 && wholeType(y) == Format::b1;                     \
    if (whole(x) && whole(y))                                                                      \
      return compute(                                                                              \
          x, y, [](auto a, auto b, Format type) { return known(a OP b, type); },                   \
          [](double, double) { return Num(); },                                                    \
          [](dsl::Operand a, dsl::Operand b) { return a OP b; }, areTruths);                       \
    auto [a, b] = together(x, y, areTruths);                                                       \
    return num(a OP b);                                                                            \
  }
TESSERA_BITS(&)
TESSERA_BITS(|)
TESSERA_BITS(^)
#undef TESSERA_BITS
/// Shifted by as many bits: the type is that of the left number.
template <class F, class G>
static Num shifted(const Operand &x, const Operand &y, F byCpp, G inProgram) {
  if (!areWhole(x, y)) {
    auto [a, b] = together(x, y, false);
    return num(inProgram(a, b));
  }
  Format type = promoted(wholeType(x));
  constexpr int64_t most = 64; // an int is shifted further as an s64
  if (whole(x) && whole(y) && whole(y)->number >= 0 && whole(y)->number < most)
    return byCpp(whole(x)->number, int(whole(y)->number), type);
  auto [a, b] = converted(x, y, type);
  return num(inProgram(a, b));
}
Num operator<<(const Operand &x, const Operand &y) {
  return shifted(
      x, y,
      [](int64_t a, int bits, Format type) {
        uint64_t all = uint64_t(a) << bits;
        constexpr int intBits = 32;
        return type == Format::s32 && bits < intBits ? known(int64_t(int32_t(all)), type)
                                                     : known(all, type);
      },
      [](dsl::Operand a, dsl::Operand b) { return a << b; });
}
Num operator>>(const Operand &x, const Operand &y) {
  return shifted(
      x, y,
      [](int64_t a, int bits, Format type) {
        return isUnsigned(type) ? known(uint64_t(a) >> bits, type) : known(a >> bits, type);
      },
      [](dsl::Operand a, dsl::Operand b) { return a >> b; });
}
#define TESSERA_COMPARISON(OP)                                                                     \
  Num operator OP(const Operand &x, const Operand &y) {                                            \
    return compute(                                                                                \
        x, y, [](auto a, auto b, Format) { return truth(a OP b); },                                \
        [](double a, double b) { return truth(a OP b); },                                          \
        [](dsl::Operand a, dsl::Operand b) { return a OP b; });                                    \
  }
TESSERA_COMPARISON(<)
TESSERA_COMPARISON(<=)
TESSERA_COMPARISON(>)
TESSERA_COMPARISON(>=)
#undef TESSERA_COMPARISON
/// Whether two tuples, or a tuple and a number, have one nesting and equal leaves.
static Num equalTuples(const IntTuple &a, const IntTuple &b, Place at) {
  if (a.is_poisoned() || b.is_poisoned())
    return num(dsl::Num(mlir::Value()));
  if (!congruent(a, b, at))
    return truth(false);
  if (!cute::tuple(a).tree().isTuple())
    return Operand(a, at) == Operand(b, at);
  Num all = truth(true);
  for (int i = 0; i < a.rank(); ++i)
    all = Operand(all, at) & Operand(equalTuples(a.mode(i, at), b.mode(i, at), at), at);
  return all;
}
static bool areTuples(const Operand &x, const Operand &y) {
  return (x.tuple.is_set() || y.tuple.is_set()) && !isLiteral(x) && !isLiteral(y);
}
static Num equalTuples(const Operand &x, const Operand &y) {
  auto whole = [](const Operand &o) { return o.tuple.is_set() ? o.tuple : IntTuple(o.number); };
  return equalTuples(whole(x), whole(y), x.at);
}
Num operator==(const Operand &x, const Operand &y) {
  if (areTuples(x, y))
    return equalTuples(x, y);
  return compute(
      x, y, [](auto a, auto b, Format) { return truth(a == b); },
      [](double a, double b) { return truth(a == b); },
      [](dsl::Operand a, dsl::Operand b) { return a == b; }, true);
}
Num operator!=(const Operand &x, const Operand &y) {
  if (areTuples(x, y))
    return Operand(equalTuples(x, y), x.at) == Operand(truth(false), x.at);
  return compute(
      x, y, [](auto a, auto b, Format) { return truth(a != b); },
      [](double a, double b) { return truth(a != b); },
      [](dsl::Operand a, dsl::Operand b) { return a != b; }, true);
}
Num operator-(const Operand &x) {
  // A float of -0 less x: the negative of 0 is -0.
  return wholeType(x) == Format::none ? Operand(-0.0, x.at) - x : Operand(0, x.at) - x;
}
Num operator~(const Operand &x) { return x ^ Operand(-1, x.at); }
Num operator!(const Operand &x) {
  return x == Operand(wholeType(x) == Format::b1 ? Num(false) : Num(0), x.at);
}

Num min(const Operand &x, const Operand &y) {
  return compute(
      x, y, [](auto a, auto b, Format type) { return known(std::min(a, b), type); },
      [&](double a, double b) { return realNum(x, y, std::min(a, b)); },
      [](dsl::Operand a, dsl::Operand b) { return dsl::min(a, b); }, true);
}
Num max(const Operand &x, const Operand &y) {
  return compute(
      x, y, [](auto a, auto b, Format type) { return known(std::max(a, b), type); },
      [&](double a, double b) { return realNum(x, y, std::max(a, b)); },
      [](dsl::Operand a, dsl::Operand b) { return dsl::max(a, b); }, true);
}

/// The numbers of a call. Literals take the type of the first number that is not a literal, and
/// integers take their common type in C++.
static std::vector<dsl::Num> alike(std::initializer_list<const Operand *> all) {
  std::vector<dsl::Num> numbers(all.size());
  Format first = wholeType(**all.begin()), type = first;
  bool areOne = true;
  for (const Operand *x : all) {
    Format own = wholeType(*x);
    areOne = areOne && own == first;
    type = own == Format::none || type == Format::none ? Format::none : commonType(type, own);
  }
  if (type != Format::none) {
    numbers.clear();
    for (const Operand *x : all)
      numbers.push_back(typed(plain(*x), areOne ? first : type, x->at));
    repeat(numbers, (*all.begin())->at);
    return numbers;
  }
  const dsl::Num *like = nullptr;
  size_t i = 0;
  for (const Operand *x : all) {
    dsl::Operand o = operand(*x);
    if (const dsl::Num *n = o.number()) {
      numbers[i] = *n;
      like = like ? like : &numbers[i];
    }
    ++i;
  }
  i = 0;
  for (const Operand *x : all) {
    if (dsl::Operand o = operand(*x); !o.number())
      numbers[i] = like ? o.as(like) : single(*x);
    ++i;
  }
  repeat(numbers, (*all.begin())->at);
  return numbers;
}
Num fma(const Operand &x, const Operand &y, const Operand &z) {
  std::vector<dsl::Num> n = alike({&x, &y, &z});
  return num(dsl::fma(n[0], n[1], n[2], x.at));
}
Num where(const Operand &condition, const Operand &yes, const Operand &no) {
  const Static *holds = whole(condition);
  Format first = wholeType(yes), second = wholeType(no);
  if (holds && first != Format::none && second != Format::none)
    if (const Static *chosen = whole(holds->number ? yes : no)) // in the type of C++'s ?:
      return made<Num>(
          wrapped(uint64_t(chosen->number), first == second ? first : commonType(first, second)));
  std::vector<dsl::Num> n = alike({&yes, &no});
  if (holds)
    return num(holds->number ? n[0] : n[1]);
  return num(dsl::select(number(plain(condition), condition.at), n[0], n[1], condition.at));
}
Num exp2(const Operand &x) { return num(dsl::exp2(single(x), x.at)); }
Num log2(const Operand &x) { return num(dsl::log2(single(x), x.at)); }
Num rsqrt(const Operand &x) { return num(dsl::rsqrt(single(x), x.at)); }
Num fast_divide(const Operand &x, const Operand &y) {
  std::vector<dsl::Num> n = alike({&x, &y});
  return num(dsl::divide_approx(n[0], n[1], x.at));
}
Num pow(const Operand &x, const Operand &y) {
  std::vector<dsl::Num> n = alike({&x, &y});
  return num(dsl::power(n[0], n[1], x.at));
}
#define TESSERA_FUNCTION(NAME, FUNCTION)                                                           \
  Num NAME(const Operand &x) { return num(dsl::apply(dsl::Function::FUNCTION, single(x), x.at)); }
TESSERA_FUNCTION(ceil, Ceil)
TESSERA_FUNCTION(cos, Cos)
TESSERA_FUNCTION(erf, Erf)
TESSERA_FUNCTION(exp, Exp)
TESSERA_FUNCTION(floor, Floor)
TESSERA_FUNCTION(log, Log)
TESSERA_FUNCTION(log10, Log10)
TESSERA_FUNCTION(log1p, Log1p)
TESSERA_FUNCTION(rint, Round)
TESSERA_FUNCTION(sin, Sin)
TESSERA_FUNCTION(sqrt, Sqrt)
TESSERA_FUNCTION(tan, Tan)
TESSERA_FUNCTION(tanh, Tanh)
TESSERA_FUNCTION(trunc, Trunc)
#undef TESSERA_FUNCTION

Num detail::convert(const Num &x, Format format, Place at) {
  const Static *given = staticOf(x);
  if (!given || dsl::Element(format).isFloat())
    return num(typed(x, format, at));
  if (format == Format::s32) // cut, and not kept as an s64
    return made<Num>(Static{int32_t(uint64_t(given->number)), format});
  return made<Num>(wrapped(uint64_t(given->number), format));
}
Num detail::bit_cast(const Num &x, Format format, Place at) {
  return num(dsl::bitcast(typed(x, at), dsl::Element(format), at));
}
Num reduce(const Num &vector, const std::function<Num(Num, Num)> &combine, Place at) {
  if (!combine) {
    mistake("reduce", "expects a function that combines two numbers", at);
    return num(dsl::Num(mlir::Value()));
  }
  return num(dsl::reduce(
      typed(vector, at), [&](dsl::Num a, dsl::Num b) { return typed(combine(num(a), num(b)), at); },
      at));
}
Num sum(const Num &vector, Place at) {
  return reduce(vector, [&](Num a, Num b) { return Operand(a, at) + Operand(b, at); }, at);
}

//===--- printing -----------------------------------------------------------------------------===//

/// A conversion of C: "%08llx" is "%08", "ll" and 'x'.
struct Conversion {
  std::string start;
  char letter;
  size_t end; // in the format

  bool isOneOf(const char *letters) const { return letter && std::strchr(letters, letter); }
  bool isWhole() const { return isOneOf("diouxXcp"); }
  bool isReal() const { return isOneOf("fFeEgGaA"); }
  /// With the length modifier of the widest number of its kind.
  std::string wide() const { return start + (isWhole() && !isOneOf("cp") ? "ll" : "") + letter; }
};
/// The one that begins at a `%`; its length modifiers are left out, as the numbers say their width.
static Conversion conversionAt(std::string_view format, size_t percent) {
  size_t letter = format.find_first_not_of("0123456789+-# .", percent + 1);
  letter = std::min(letter, format.size());
  Conversion out{std::string(format.substr(percent, letter - percent)), 0, format.size()};
  letter = format.find_first_not_of("hlLqjzt", letter);
  if (letter != std::string_view::npos)
    out.letter = format[letter], out.end = letter + 1;
  return out;
}
/// Those that were given.
static std::vector<const Operand *> present(std::initializer_list<const Operand *> all) {
  std::vector<const Operand *> given;
  for (const Operand *x : all)
    if (x->number.is_set() || x->tuple.is_set() || isLiteral(*x))
      given.push_back(x);
  return given;
}
/// The number as vprintf takes it: an i32, i64 or f64. Adds the conversion's text.
static std::optional<dsl::Num> converted(const Conversion &c, const Operand &x, std::string &text) {
  dsl::Num n = single(x);
  std::optional<dsl::Element> element = dsl::element_of(n);
  if (!element)
    return n;
  Num value = num(n);
  if (c.isReal()) {
    text += c.start + c.letter;
    return number(detail::convert(value, Format::f64, x.at), x.at);
  }
  if (element->isFloat()) {
    mistake("printf",
            cat("expects an integer for ", c.start, c.letter, ", but got ",
                number::ourName(element->format()), "; %f prints it"),
            x.at);
    return std::nullopt;
  }
  int bits = elementBits(element->format());
  bool isWide = bits == 64 && !c.isOneOf("c");
  text += isWide ? c.wide() : c.start + c.letter;
  if (c.isOneOf("p") ? bits < 64 : bits != 32 && !isWide)
    value = detail::convert(value, c.isOneOf("p") ? Format::s64 : Format::s32, x.at);
  return number(value, x.at);
}
/// The text for a number that C++ knows.
static std::string formatted(const Conversion &c, const Operand &x) {
  char buffer[512];
  auto whole = (long long)(isLiteral(x) ? int64_t(x.literal) : int64_t(plain(x)));
  Format type = wholeType(x);
  if (c.isReal())
    std::snprintf(buffer, sizeof(buffer), c.wide().c_str(), real(x));
  else if (c.isOneOf("c"))
    std::snprintf(buffer, sizeof(buffer), c.wide().c_str(), int(whole));
  else if (c.isOneOf("p"))
    std::snprintf(buffer, sizeof(buffer), c.wide().c_str(), reinterpret_cast<void *>(whole));
  else if (type == Format::none || number::storedBits(type) == 64)
    std::snprintf(buffer, sizeof(buffer), c.wide().c_str(), whole);
  else
    std::snprintf(buffer, sizeof(buffer), (c.start + c.letter).c_str(), int(whole));
  return buffer;
}
/// Prints on the device if `traces`, else at once.
static void printFormat(const char *format, const std::vector<const Operand *> &given, bool traces,
                        Place at) {
  std::string text;
  std::vector<dsl::Num> numbers;
  std::string_view rest = format;
  size_t used = 0, missing = 0;
  for (size_t here = 0; here < rest.size();) {
    size_t percent = rest.find('%', here);
    text += rest.substr(here, percent - here);
    if (percent == std::string_view::npos)
      break;
    Conversion c = conversionAt(rest, percent);
    here = c.end;
    if (c.letter == '%') {
      text += traces ? "%%" : "%";
      continue;
    }
    if (!c.isWhole() && !c.isReal())
      return mistake("printf",
                     cat("expects conversions of numbers, such as %d, %x and %5.2f, but got \"",
                         rest.substr(percent, c.end - percent), "\" in \"", format, "\""),
                     at);
    if (used == given.size()) {
      ++missing;
      continue;
    }
    const Operand &x = *given[used++];
    if (!traces) {
      text += formatted(c, x);
      continue;
    }
    std::optional<dsl::Num> n = converted(c, x, text);
    if (!n)
      return;
    numbers.push_back(*n);
  }
  if (missing)
    mistake("printf",
            cat("expects a number for each conversion of \"", format, "\", but got ", given.size(),
                " for ", given.size() + missing),
            at);
  else if (traces)
    dsl::printf(text, numbers, at);
  else
    std::fputs(text.c_str(), stdout);
}
void printf(const char *format, const Operand &first, const Operand &second, const Operand &third,
            const Operand &fourth, const Operand &fifth, const Operand &sixth) {
  printFormat(format, present({&first, &second, &third, &fourth, &fifth, &sixth}), isTraced(),
              first.at);
}
void detail::print_format(const char *format, const Operand &first, const Operand &second,
                          const Operand &third, const Operand &fourth, const Operand &fifth,
                          const Operand &sixth) {
  std::vector<const Operand *> given = present({&first, &second, &third, &fourth, &fifth, &sixth});
  bool isKnown = std::all_of(given.begin(), given.end(),
                             [](const Operand *x) { return isLiteral(*x) || staticOf(x->number); });
  printFormat(format, given, isTraced() && !isKnown, first.at);
}
void detail::static_check(const Num &condition, const char *otherwise, Place at) {
  const Static *known = staticOf(condition);
  if (condition.is_poisoned() || (known && known->number))
    return;
  mistake("CUTE_STATIC_ASSERT_V",
          known ? cat("does not hold", *otherwise ? ": " : "", otherwise)
                : std::string("expects a condition that C++ knows while it traces; device_assert "
                              "checks one that only the device knows"),
          at);
}
void device_assert(const Num &condition, const char *otherwise, Place at) {
  dsl::device_assert(number(condition, at), otherwise, at);
}

} // namespace tessera::cute
