// Arithmetic: in C++ where it knows the numbers, else in the program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_cxx/Macros.h"
#include "tessera/cute_cxx/Node.h"

#include <cmath>

using namespace tessera;

namespace tessera::cute {

namespace {
bool isLiteral(const Operand &x) { return !x.number.is_set() && x.format != Format::none; }

/// As dsl takes it: a number of the program, or one that takes the type of its neighbour.
dsl::Operand operand(const Operand &x) {
  if (isLiteral(x))
    return dsl::Operand(x.literal, x.at);
  if (const Static *known = staticOf(x.number); known && !known->truth)
    return dsl::Operand(known->number, x.at);
  return dsl::Operand(number(x.number, x.at), x.at);
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
std::pair<dsl::Operand, dsl::Operand> together(const Operand &x, const Operand &y) {
  dsl::Operand a = operand(x), b = operand(y);
  if (!a.number() || !b.number())
    return {a, b};
  std::vector<dsl::Num> both{*a.number(), *b.number()};
  repeat(both, x.at);
  return {dsl::Operand(both[0], x.at), dsl::Operand(both[1], y.at)};
}
/// A number of the program, for functions of one.
dsl::Num single(const Operand &x) {
  return isLiteral(x) ? dsl::Element(x.format)(x.literal, x.at) : number(x.number, x.at);
}
/// Whether C++ knows both, and one of them is a fraction: what they are then.
bool bothReal(const Operand &x, const Operand &y) {
  auto known = [](const Operand &o) { return isLiteral(o) || staticOf(o.number); };
  return known(x) && known(y) && (isLiteral(x) || isLiteral(y));
}
double real(const Operand &x) {
  return isLiteral(x) ? x.literal : double(staticOf(x.number)->number);
}
Num realNum(const Operand &x, const Operand &y, double value) {
  Format format = isLiteral(x) ? x.format : y.format;
  return num(dsl::Element(format)(value, x.at));
}
const Static *whole(const Operand &x) { return staticOf(x.number); }

template <class F, class G, class H>
Num compute(const Operand &x, const Operand &y, F onWhole, G onReal, H inProgram) {
  if (whole(x) && whole(y))
    return onWhole(whole(x)->number, whole(y)->number);
  if (bothReal(x, y))
    return onReal(real(x), real(y));
  auto [a, b] = together(x, y);
  return num(inProgram(a, b));
}
/// A division of whole numbers by 0 is a mistake, and gives 0.
template <class F> Num divided(const Operand &x, const Operand &y, const char *name, F f) {
  if (!whole(y) || whole(y)->number != 0)
    return f();
  mistake(name, "expects a divisor other than 0", x.at);
  return num(dsl::Num(mlir::Value()));
}
int64_t wrapped(uint64_t n) { return int64_t(n); }
} // namespace

#define TESSERA_SUM(OP)                                                                            \
  Num operator OP(const Operand &x, const Operand &y) {                                            \
    return compute(                                                                                \
        x, y, [](int64_t a, int64_t b) { return Num(wrapped(uint64_t(a) OP uint64_t(b))); },       \
        [&](double a, double b) { return realNum(x, y, a OP b); },                                 \
        [](dsl::Operand a, dsl::Operand b) { return a OP b; });                                    \
  }
TESSERA_SUM(+)
TESSERA_SUM(-)
TESSERA_SUM(*)
#undef TESSERA_SUM
Num operator/(const Operand &x, const Operand &y) {
  return divided(x, y, "operator/", [&] {
    return compute(
        x, y, [](int64_t a, int64_t b) { return Num(b == -1 ? wrapped(-uint64_t(a)) : a / b); },
        [&](double a, double b) { return realNum(x, y, a / b); },
        [](dsl::Operand a, dsl::Operand b) { return a / b; });
  });
}
Num operator%(const Operand &x, const Operand &y) {
  return divided(x, y, "operator%", [&] {
    return whole(x) && whole(y)
               ? Num(whole(y)->number == -1 ? 0 : whole(x)->number % whole(y)->number)
               : num(operand(x) % operand(y));
  });
}
/// For operations on bits: two truths give a truth.
#define TESSERA_BITS(OP)                                                                           \
  Num operator OP(const Operand &x, const Operand &y) {                                            \
    const Static *a = whole(x), *b = whole(y);                                                     \
    if (a && b)                                                                                    \
      return made<Num>(Static{a->number OP b->number, a->truth && b->truth});                      \
    return num(operand(x) OP operand(y));                                                          \
  }
TESSERA_BITS(&)
TESSERA_BITS(|)
TESSERA_BITS(^)
#undef TESSERA_BITS
static bool isShift(const Operand &x, const Operand &y) {
  return whole(x) && whole(y) && whole(y)->number >= 0 && whole(y)->number < 64;
}
Num operator<<(const Operand &x, const Operand &y) {
  return isShift(x, y) ? Num(wrapped(uint64_t(whole(x)->number) << whole(y)->number))
                       : num(operand(x) << operand(y));
}
Num operator>>(const Operand &x, const Operand &y) {
  return isShift(x, y) ? Num(whole(x)->number >> whole(y)->number) : num(operand(x) >> operand(y));
}
#define TESSERA_COMPARISON(OP)                                                                     \
  Num operator OP(const Operand &x, const Operand &y) {                                            \
    return compute(                                                                                \
        x, y, [](int64_t a, int64_t b) { return made<Num>(Static{a OP b, true}); },                \
        [](double a, double b) { return made<Num>(Static{a OP b, true}); },                        \
        [](dsl::Operand a, dsl::Operand b) { return a OP b; });                                    \
  }
TESSERA_COMPARISON(<)
TESSERA_COMPARISON(<=)
TESSERA_COMPARISON(>)
TESSERA_COMPARISON(>=)
TESSERA_COMPARISON(==)
TESSERA_COMPARISON(!=)
#undef TESSERA_COMPARISON
Num operator-(const Operand &x) { return Operand(0, x.at) - x; }

Num min(const Operand &x, const Operand &y) {
  return compute(
      x, y, [](int64_t a, int64_t b) { return Num(std::min(a, b)); },
      [&](double a, double b) { return realNum(x, y, std::min(a, b)); },
      [](dsl::Operand a, dsl::Operand b) { return dsl::min(a, b); });
}
Num max(const Operand &x, const Operand &y) {
  return compute(
      x, y, [](int64_t a, int64_t b) { return Num(std::max(a, b)); },
      [&](double a, double b) { return realNum(x, y, std::max(a, b)); },
      [](dsl::Operand a, dsl::Operand b) { return dsl::max(a, b); });
}

/// The numbers of a call, where literals take the type of the first that is none.
static std::vector<dsl::Num> alike(std::initializer_list<const Operand *> all) {
  std::vector<dsl::Num> numbers(all.size());
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
  if (const Static *known = whole(condition))
    return num(single(known->number ? yes : no));
  std::vector<dsl::Num> n = alike({&yes, &no});
  return num(dsl::select(number(condition.number, condition.at), n[0], n[1], condition.at));
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
TESSERA_FUNCTION(abs, Abs)
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
  dsl::Element element(format);
  if (const Static *known = staticOf(x))
    return num(element.isFloat() ? element(double(known->number), at) : element(known->number, at));
  return num(dsl::convert(number(x, at), element, at));
}
Num detail::bit_cast(const Num &x, Format format, Place at) {
  return num(dsl::bitcast(number(x, at), dsl::Element(format), at));
}
Num reduce(const Num &vector, const std::function<Num(Num, Num)> &combine, Place at) {
  return num(dsl::reduce(
      number(vector, at),
      [&](dsl::Num a, dsl::Num b) { return number(combine(num(a), num(b)), at); }, at));
}
Num sum(const Num &vector, Place at) {
  return reduce(vector, [&](Num a, Num b) { return Operand(a, at) + Operand(b, at); }, at);
}

//===--- threads ------------------------------------------------------------------------------===//

Num block_rank_in_cluster(Place at) { return num(dsl::block_rank_in_cluster(at)); }
Num canonical_warp_idx_sync(Place at) {
  constexpr int lanes = 32;
  dsl::Num thread = dsl::thread_idx(0, at);
  return num(dsl::warp_uniform(dsl::Operand(thread, at) / dsl::Operand(lanes, at), at));
}
Num elect_one_sync(Place at) { return num(dsl::elect_one(at)); }
Num thread0(Place at) {
  Num first = true;
  for (const SpecialRegister &r :
       {threadIdx.x, threadIdx.y, threadIdx.z, blockIdx.x, blockIdx.y, blockIdx.z})
    first = Operand(first, at) & (Operand(Num(r, at), at) == Operand(0, at));
  return first;
}
static Num shuffled(dsl::Shuffle kind, const Num &x, const Num &lanes, Place at) {
  dsl::Num whole = number(x, at);
  std::optional<dsl::Element> element = dsl::element_of(whole);
  int bits = element ? number::bufferBits(element->format()) : 32;
  auto shuffle32 = [&](const Num &n) {
    return num(dsl::shfl(kind, number(n, at), number(lanes, at), at));
  };
  // The instruction moves 32 bits.
  if (bits == 32)
    return shuffle32(x);
  if (element->format() == Format::b1)
    return Operand(shuffle32(where(Operand(x, at), Operand(1, at), Operand(0, at))), at) !=
           Operand(0, at);
  Format own = bits == 8 ? Format::s8 : bits == 16 ? Format::s16 : Format::s64;
  Num n = element->isFloat() ? detail::bit_cast(x, own, at) : x;
  if (bits < 32)
    n = detail::convert(shuffle32(detail::convert(n, Format::s32, at)), own, at);
  else {
    Num low = shuffle32(detail::convert(n, Format::s32, at)),
        high = shuffle32(detail::convert(Operand(n, at) >> Operand(32, at), Format::s32, at));
    constexpr int64_t lower = 0xffffffff;
    n = (Operand(detail::convert(high, own, at), at) << Operand(32, at)) |
        (Operand(detail::convert(low, own, at), at) & Operand(lower, at));
  }
  return element->isFloat() ? detail::bit_cast(n, element->format(), at) : n;
}
Num shfl_sync(const Num &x, const Num &lane, Place at) {
  return shuffled(dsl::Shuffle::Index, x, lane, at);
}
Num shfl_up_sync(const Num &x, const Num &lanes, Place at) {
  return shuffled(dsl::Shuffle::Up, x, lanes, at);
}
Num shfl_down_sync(const Num &x, const Num &lanes, Place at) {
  return shuffled(dsl::Shuffle::Down, x, lanes, at);
}
Num shfl_xor_sync(const Num &x, const Num &lanes, Place at) {
  return shuffled(dsl::Shuffle::Xor, x, lanes, at);
}
void __syncthreads(Place at) { dsl::sync_threads(at); } // NOLINT(bugprone-reserved-identifier)

//===--- printing -----------------------------------------------------------------------------===//

/// The end of a conversion of C that begins at a `%`.
static size_t endOfConversion(std::string_view format, size_t at) {
  size_t end = format.find_first_of("diouxXeEfFgGaAcsp%", at + 1);
  return end == std::string_view::npos ? format.size() : end + 1;
}
/// Those that there are.
static std::vector<const Operand *> present(std::initializer_list<const Operand *> all) {
  std::vector<const Operand *> given;
  for (const Operand *x : all)
    if (x->number.is_set() || isLiteral(*x))
      given.push_back(x);
  return given;
}
/// By the device where `traces`, else by C++.
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
    here = endOfConversion(rest, percent);
    std::string conversion(rest.substr(percent, here - percent));
    if (conversion.back() == '%') {
      text += "%";
      continue;
    }
    if (used == given.size()) {
      ++missing;
      continue;
    }
    const Operand &x = *given[used++];
    if (traces) {
      text += "{}";
      numbers.push_back(single(x));
    } else if (std::string_view("diouxXc").find(conversion.back()) != std::string_view::npos) {
      conversion.insert(conversion.size() - 1,
                        conversion.find('l') == std::string::npos ? "ll" : "");
      char buffer[64];
      std::snprintf(buffer, sizeof(buffer), conversion.c_str(),
                    (long long)(isLiteral(x) ? int64_t(x.literal) : int64_t(x.number)));
      text += buffer;
    } else {
      char buffer[512];
      std::snprintf(buffer, sizeof(buffer), conversion.c_str(),
                    isLiteral(x) ? x.literal : double(int64_t(x.number)));
      text += buffer;
    }
  }
  if (missing)
    mistake("printf",
            cat("expects a number for each conversion of \"", format, "\", but got ", given.size(),
                " for ", given.size() + missing),
            at);
  else if (traces)
    dsl::print(text, numbers, at);
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
                              "looks at one that the device knows"),
          at);
}
void device_assert(const Num &condition, const char *otherwise, Place at) {
  dsl::device_assert(number(condition, at), otherwise, at);
}

} // namespace tessera::cute
