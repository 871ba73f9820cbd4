// Arithmetic that the host does as vectors, beside numbers that are rounded once by their format.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Harness.h"
#include "tessera/number/Exact.h"

#include <random>

namespace tessera::sim::test {

namespace {

using number::Format;

struct Operation {
  const char *name;
  int sources;
  double (*exact)(double a, double b, double c); // rounded to odd
};
const Operation operations[] = {
    {"add", 2,
     [](double a, double b, double) {
       return number::signedZero(number::addToOdd(a, b), a, b, number::Rounding::NearestEven);
     }},
    {"sub", 2,
     [](double a, double b, double) {
       return number::signedZero(number::addToOdd(a, -b), a, -b, number::Rounding::NearestEven);
     }},
    {"mul", 2, [](double a, double b, double) { return a * b; }},
    {"fma", 3,
     [](double a, double b, double c) {
       return number::fusedToOdd(a, b, c, number::Rounding::NearestEven);
     }},
    {"div", 2,
     [](double a, double b, double) {
       double q = a / b, rest = std::fma(-q, b, a);
       return std::isfinite(q) && std::isfinite(b) ? number::toOdd(q, b > 0 ? rest : -rest) : q;
     }},
};

/// Numbers of a format near each other and near its limits, so that sums cancel, tie and vanish.
uint32_t operand(const number::Floating &f, std::mt19937 &random) {
  const uint32_t sign = random() & 1 ? uint32_t(f.signBit()) : 0, infinity = uint32_t(f.infinity());
  const uint32_t mantissa = uint32_t(1) << f.mantissa;
  switch (random() % 8) {
  case 0: return sign | uint32_t(random() % 3);                  // zero and the smallest
  case 1: return sign | (mantissa + uint32_t(random() % 5) - 2); // around the smallest normal one
  case 2: return sign | (infinity + uint32_t(random() % 4) - 2); // around infinity
  case 3: return sign | uint32_t(f.bias) << f.mantissa | (random() % 3); // around one
  case 4:
    return sign | (uint32_t(f.bias + int(random() % 30) - 15) << f.mantissa) |
           (mantissa >> (1 + random() % f.mantissa));
  case 5:
    return sign | (uint32_t(f.bias / 2 + int(random() % 7) - 3) << f.mantissa) |
           (random() % mantissa); // products vanish
  default: return uint32_t(random()) & (uint32_t(f.signBit()) * 2 - 1);
  }
}

/// A word of operands for each source and thread; the results as words.
std::vector<uint32_t> run(const std::string &instruction, int sources, bool isShort,
                          const std::vector<uint32_t> &in) {
  std::string body =
      "mov.u32 r0, %tid.x;\nmad.lo.u32 r0, %ctaid.x, 32, r0;\nmul.wide.u32 d1, r0, "
      "12;\nld.param.u64 d0, [in];\nadd.u64 d0, d0, d1;\n"
      "ld.global.u32 r2, [d0];\nld.global.u32 r3, [d0+4];\nld.global.u32 r4, [d0+8];\n";
  const char *names = "234";
  std::string list = isShort ? " h5" : " r5";
  for (int n = 0; n < sources; ++n)
    list += cat(isShort ? ", h" : ", r", std::string_view(names + n, 1));
  if (isShort)
    for (int n : {2, 3, 4})
      body += cat("cvt.u16.u32 h", n, ", r", n, ";\n");
  body += cat(instruction, list, ";\n", isShort ? "cvt.u32.u16 r5, h5;\n" : "",
              "ld.param.u64 d0, [out];\nmul.wide.u32 d1, r0, 4;\nadd.u64 d0, d0, "
              "d1;\nst.global.u32 [d0], r5;\n");
  Bench bench;
  const size_t count = in.size() / 3;
  uint64_t from = bench.buffer(in), to = bench.buffer(std::vector<uint32_t>(count));
  Status ended = bench.launch(
      kernelOf(body), "k", {.grid = {unsigned(count / 32), 1, 1}, .block = {32, 1, 1}}, {from, to});
  EXPECT_TRUE(ended) << ended.reason().text;
  return bench.read<uint32_t>(to, count);
}

uint32_t expected(const Operation &op, Format format, bool ftz, const uint32_t *in, int shift) {
  const number::Floating f = number::floating(format);
  const uint32_t all = uint32_t(f.signBit()) * 2 - 1;
  double x[3];
  for (int n = 0; n < 3; ++n) {
    uint32_t code = in[n] >> shift & all;
    x[n] = number::decode(format, code);
    if (ftz && !(code & f.infinity()))
      x[n] = std::copysign(0.0, x[n]);
  }
  double value = op.exact(x[0], x[1], x[2]);
  if (std::isnan(value))
    return all >> 1;
  if (ftz && number::isFlushed(f, value, number::Rounding::NearestEven))
    return std::signbit(value) ? uint32_t(f.signBit()) : 0;
  return uint32_t(number::encode(f, value, {}));
}

TEST(HostFloats, AreRoundedOnce) {
  struct Kind {
    const char *type;
    Format format;
    int parts;
    bool ftz;
  };
  const Kind kinds[] = {{"rn.f32", Format::f32, 1, false},   {"rn.ftz.f32", Format::f32, 1, true},
                        {"rn.f16", Format::f16, 1, false},   {"rn.f16x2", Format::f16, 2, false},
                        {"rn.bf16", Format::bf16, 1, false}, {"rn.bf16x2", Format::bf16, 2, false}};
  std::mt19937 random(7);
  for (const Kind &kind : kinds)
    for (const Operation &op : operations) {
      const number::Floating f = number::floating(kind.format);
      const bool isHalf = f.mantissa != 23;
      if (isHalf && std::string_view(op.name) == "div")
        continue; // there is none
      std::vector<uint32_t> in(3 * 32 * 512);
      for (uint32_t &word : in) {
        word = operand(f, random);
        if (isHalf)
          word |= operand(f, random) << 16;
      }
      std::vector<uint32_t> out =
          run(cat(op.name, ".", kind.type), op.sources, isHalf && kind.parts == 1, in);
      for (size_t i = 0; i < out.size(); ++i)
        for (int part = 0; part < kind.parts; ++part) {
          const int shift = 16 * part;
          uint32_t got = out[i] >> shift & (uint32_t(f.signBit()) * 2 - 1);
          ASSERT_EQ(got, expected(op, kind.format, kind.ftz, &in[3 * i], shift))
              << op.name << "." << kind.type << std::hex << " of " << in[3 * i] << ", "
              << in[3 * i + 1] << ", " << in[3 * i + 2];
        }
    }
}

} // namespace

} // namespace tessera::sim::test
