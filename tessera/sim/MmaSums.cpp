// Products of real numbers up to f32, added up as the tensor cores of an H100 do.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ISA leaves open in which order and precision products are added (9.7.14.5.14). The rules here
// were found by asking an H100 (driver 580, bench/tensor_core_sums.py, tessera-sim-hw) and hold bit
// for bit for every row of the atom table with such sums, dense and sparse:
//   - The addends of a chunk, C among them, are cut towards zero to a unit that the largest
//     exponent sets, and added exactly. The exponent of a product is the sum of its factors',
//     subnormal ones having the smallest of their format.
//   - The sum is cut to the mantissa of f32, of wgmma of 8-bit numbers to 13 bits, or rounded to
//     the nearest f16.
//   - mma of 8-bit numbers is not an instruction of that GPU: halves of the stored pairs become two
//     products of f16, and C is added at the end.
//   - mma.m8n8k4 is none either: a chain of fused products, and C at the end.
//   - wmma of tf32 is two products of K = 4; of f16 and bf16 it is one.
#include "tessera/sim/Host.h"
#include "tessera/sim/Mma.h"

namespace tessera::sim {

using atom::Element;
using atom::Recipe;

namespace {

/// How tensor cores add up the products of one instruction.
struct Rule {
  int bits = 25;       // kept of each addend below the largest exponent
  int mantissa = 23;   // kept of each sum in f32
  bool halves = false; // 8-bit numbers as f16, first the first pairs of four that are stored, then
                       // the others
  bool fused = false;  // one product after the other, rounded to the nearest f32
  bool apart() const {
    return halves || fused;
  } // C is added at the end, and that sum rounded to the nearest
};

/// A row of the table of models: which products, of which GPU, how they are added, and the source.
/// The first row that fits a product is used; products without a row are exact and rounded once.
struct SumModel {
  const atom::Target &target; // of the GPU that was asked
  std::initializer_list<Recipe> recipes;
  int bits;     // of A's elements; 0: any
  int products; // side by side, at least
  Rule rule;
  std::string_view source;

  bool has(const atom::MmaRow &row, int sideBySide) const {
    bool isReal =
        atom::kindOf(row.a.element) == atom::NumberKind::Float && row.a.element != Element::f64;
    return isReal && std::find(recipes.begin(), recipes.end(), row.recipe) != recipes.end() &&
           (!bits || atom::bits(row.a.element) == bits) && sideBySide >= products &&
           row.needs.metBy(target);
  }
};

const SumModel *modelOf(const atom::MmaRow &row, int sideBySide) {
  // clang-format off
  static const atom::Target h100 = *atom::Target::parse("sm_90a");
  constexpr std::string_view asked = "H100, driver 580, CUDA 13.0, 2026-11-22: bench/tensor_core_sums.py, tessera-sim-hw; test/sim/h100-sums.txt";
  static const std::initializer_list<Recipe> group = {Recipe::Wgmma}, warp = {Recipe::MmaSync, Recipe::MmaSparse};
  static const SumModel models[] = {
      // target recipes bits products rule                                                         source
      {h100, group, 8, 1, {.bits = 13, .mantissa = 13, .halves = false, .fused = false}, asked}, // wgmma of e4m3, e5m2
      {h100, group, 0, 1, {.bits = 25, .mantissa = 23, .halves = false, .fused = false}, asked}, // wgmma of f16, bf16, tf32
      {h100, warp,  0, 2, {.bits = 25, .mantissa = 23, .halves = false, .fused = true},  asked}, // mma.m8n8k4 of f16
      {h100, warp,  8, 1, {.bits = 25, .mantissa = 23, .halves = true,  .fused = false}, asked}, // mma of e4m3, e5m2
      {h100, warp,  0, 1, {.bits = 25, .mantissa = 23, .halves = false, .fused = false}, asked}, // mma, wmma of f16, bf16, tf32
      // No row, hence exact: tcgen05 (sm_100 and up) and the mma of sm_120, as no such GPU could be asked.
  };
  // clang-format on
  auto found = std::find_if(std::begin(models), std::end(models),
                            [&](const SumModel &model) { return model.has(row, sideBySide); });
  return found == std::end(models) ? nullptr : found;
}

// Exponents of zero and of infinities and NaN: below, and above, that of any product, and so are
// their sums with any other.
constexpr double noExponent = -1023, noNumber = 4000;
// No product and no sum has an exponent beyond.
constexpr double least = -900, most = 600;

double exponentOf(double number) {
  auto exponent = double(int64_t(std::bit_cast<uint64_t>(number) >> 52 & 0x7ff)) + noExponent;
  return exponent < 1024 ? exponent : noNumber;
}
/// The exponents of numbers of a format as the sum sees them.
std::vector<double> exponentsOf(const number::Floating &format,
                                const std::vector<double> &numbers) {
  double smallest = 2 - (1 << (format.exponent - 1));
  std::vector<double> out(numbers.size());
  std::transform(numbers.begin(), numbers.end(), out.begin(), [&](double number) {
    double exponent = exponentOf(number);
    return exponent > noExponent ? std::max(exponent, smallest) : noExponent;
  });
  return out;
}
double powerOfTwo(double exponent) {
  return std::bit_cast<double>(uint64_t(int64_t(exponent) + 1023) << 52);
}

/// A number as f32 without what its mantissa has beyond some bits; infinite from 2^128 on.
double towardsZero(double value, int mantissa) {
  auto code = std::bit_cast<uint32_t>(float(value));
  code -= std::fabs(double(std::bit_cast<float>(code))) > std::fabs(value) &&
          std::fabs(value) < 0x1p128;
  return double(std::bit_cast<float>(code & ~uint32_t(0) << (23 - mantissa)));
}

/// Columns side by side.
constexpr size_t strip = 8;

/// Elements of K that are added at once: places in the rows of A and B.
using Chunk = std::vector<size_t>;
std::vector<Chunk> chunksOf(const MmaPlan &plan, bool halves) {
  size_t pair = plan.row->sparsity.isSparse() ? 4 : 2; // that two stored numbers stand for
  size_t length = plan.chunk ? plan.chunk : plan.k;
  std::vector<Chunk> chunks(halves ? 2 : plan.k / length);
  for (size_t j = 0; j < plan.k; ++j)
    chunks[halves ? j / pair % 2 : j / length].push_back(j);
  return chunks;
}

struct Side {
  const double *numbers, *exponents;
};

/// sum + A * B for one element of a sum, where `top` is the largest exponent.
double addColumn(const MmaPlan &plan, const Rule &rule, const Chunk &chunk, Side a, Side b,
                 double top, double scale, const number::Floating &result, double sum) {
  if (top > most) { // infinities and NaN
    for (size_t j : chunk)
      sum += a.numbers[j] * b.numbers[j * plan.n];
    return sum;
  }
  auto total = double(int32_t(sum * scale));
  for (size_t j : chunk)
    total += double(int32_t(a.numbers[j] * b.numbers[j * plan.n] * scale));
  return result.mantissa == 23 ? towardsZero(total / scale, rule.mantissa)
                               : number::decode(result, number::encode(result, total / scale, {}));
}

// A strip, as vectors of the host.
using Doubles = double __attribute__((vector_size(8 * strip)));
using Floats = float __attribute__((vector_size(4 * strip)));
using Ints = int32_t __attribute__((vector_size(4 * strip)));
using Codes = uint32_t __attribute__((vector_size(4 * strip)));

[[gnu::always_inline]] inline void addAlignedTo(const MmaPlan &plan, const Rule &rule,
                                                const std::vector<Chunk> &chunks, Side a, Side b,
                                                double *sum) {
  const number::Floating &result = number::floating(resultElement(*plan.row));
  Doubles sums, row; // a row of B's strip
  std::memcpy(&sums, sum, sizeof(sums));
  for (const Chunk &chunk : chunks) {
    Doubles top, scale;
    for (size_t c = 0; c < strip; ++c)
      top[c] = exponentOf(sums[c]);
    for (size_t j : chunk) {
      std::memcpy(&row, b.exponents + j * plan.n, sizeof(row));
      row += a.exponents[j];
      top = row > top ? row : top;
    }
    bool areNumbers = true;
    for (size_t c = 0; c < strip; ++c) {
      scale[c] = powerOfTwo(rule.bits - std::clamp(double(top[c]), least, most));
      areNumbers &= top[c] <= most;
    }
    if (!areNumbers) {
      for (size_t c = 0; c < strip; ++c)
        sums[c] = addColumn(plan, rule, chunk, a, {b.numbers + c, nullptr}, top[c], scale[c],
                            result, sums[c]);
      continue;
    }
    Doubles total = __builtin_convertvector(__builtin_convertvector(sums * scale, Ints), Doubles);
    for (size_t j : chunk) {
      std::memcpy(&row, b.numbers + j * plan.n, sizeof(row));
      total += __builtin_convertvector(__builtin_convertvector(a.numbers[j] * row * scale, Ints),
                                       Doubles);
    }
    const Doubles exact = total / scale;
    if (result.mantissa == 23) { // towardsZero of each
      const Doubles size = exact < 0 ? -exact : exact;
      const Floats nearest = __builtin_convertvector(exact, Floats);
      const Doubles found = __builtin_convertvector(nearest, Doubles),
                    foundSize = found < 0 ? -found : found;
      const auto tooLarge = (foundSize > size) & (size < 0x1p128);
      const Codes codes =
          (reinterpret_cast<const Codes &>(nearest) + __builtin_convertvector(tooLarge, Codes)) &
          ~uint32_t(0) << (23 - rule.mantissa);
      sums = __builtin_convertvector(reinterpret_cast<const Floats &>(codes), Doubles);
    } else
      for (size_t c = 0; c < strip; ++c)
        sums[c] = number::decode(result, number::encode(result, exact[c], {}));
  }
  std::memcpy(sum, &sums, sizeof(sums));
}
/// sum += A * B for one row of A and a strip of B's columns, one chunk after the other.
void addAligned(const MmaPlan &plan, const Rule &rule, const std::vector<Chunk> &chunks, Side a,
                Side b, double *sum) {
  addAlignedTo(plan, rule, chunks, a, b, sum);
}
TESSERA_WITH_AVX2 void addAlignedWide(const MmaPlan &plan, const Rule &rule,
                                      const std::vector<Chunk> &chunks, Side a, Side b,
                                      double *sum) {
  addAlignedTo(plan, rule, chunks, a, b, sum);
}
void addFused(const MmaPlan &plan, Side a, Side b, double *sum) {
  for (size_t j = 0; j < plan.k; ++j)
    for (size_t c = 0; c < strip; ++c)
      sum[c] = double(float(addToOdd(a.numbers[j] * b.numbers[j * plan.n + c], sum[c])));
}

} // namespace

bool hasKnownSums(const atom::MmaRow &row) { return modelOf(row, 1) != nullptr; }

void addAsAnH100(const MmaPlan &plan, Panels &x, double sign) {
  const atom::MmaRow &row = *plan.row;
  const Rule rule = modelOf(row, plan.products)->rule;
  const std::vector<Chunk> chunks = chunksOf(plan, rule.halves);
  auto seenAs = [&](Element element) -> const number::Floating & {
    return number::floating(rule.halves ? Element::f16 : element);
  };
  const auto aligned = hostHasAvx2() ? addAlignedWide : addAligned;
  std::vector<double> exponentsA = exponentsOf(seenAs(row.a.element), x.a),
                      exponentsB = exponentsOf(seenAs(row.b.element), x.b);
  for (double &number : x.a)
    number *= sign;
  for (size_t m = 0; m < plan.m; ++m)
    for (size_t first = 0; first < plan.n; first += strip) {
      const double *c = &x.c[m * plan.n + first];
      double sum[strip] = {};
      if (!rule.apart())
        std::copy_n(c, strip, sum);
      Side a{&x.a[m * plan.k], &exponentsA[m * plan.k]}, b{&x.b[first], &exponentsB[first]};
      rule.fused ? addFused(plan, a, b, sum) : aligned(plan, rule, chunks, a, b, sum);
      for (size_t n = 0; n < strip; ++n)
        x.d[m * plan.n + first + n] = codeOfSum(row, rule.apart() ? c[n] : 0, sum[n]);
    }
}

} // namespace tessera::sim
