// Conversion. PTX ISA 9.7.9.22 and 9.7.9.23.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/rows/HostFloats.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera::sim {

namespace {

//===--- Reading and writing registers that may be wider than the type -----------------------===//

template <class V> using Values = V[warpSize];

/// Integers of a type out of registers of `width` bytes, with their sign.
void readIntegers(const Warp &w, Slot slot, Type type, int width, Values<int64_t> &to) {
  byInteger(bitsOf(8 * width), [&]<class Register>(Register) {
    byInteger(type, [&]<class T>(T) {
      const Register *from = w.in<Register>(slot);
      for (int lane = 0; lane < warpSize; ++lane)
        to[lane] = int64_t(T(from[lane]));
      return 0u;
    });
    return 0u;
  });
}
/// The low bits of values in registers of `width` bytes; they carry their sign already.
void write(Warp &w, Slot slot, int width, const Values<int64_t> &values, Mask mask) {
  byInteger(bitsOf(8 * width), [&]<class Register>(Register) {
    Values<Register> result;
    for (int lane = 0; lane < warpSize; ++lane)
      result[lane] = Register(values[lane]);
    w.put(slot, result, mask);
    return 0u;
  });
}

double readReal(Type type, uint64_t code, bool ftz) {
  if (type == Type::f64)
    return std::bit_cast<double>(code);
  if (type == Type::f32)
    return F32::read(uint32_t(code), ftz);
  return number::decode(row(type).element, code);
}
uint64_t writeReal(Type type, const Modes &m, double value) {
  switch (type) {
  case Type::f64: return F64::write(m, value);
  case Type::f32: return F32::write(m, value);
  case Type::f16: return F16::write(m, value);
  case Type::bf16: return Bf16::write(m, value);
  default: break;
  }
  if (m.relu)
    value = value > 0 || std::isnan(value) ? value : 0.0;
  return number::encode(row(type).element, value, m.rules());
}

//===--- One value to one value --------------------------------------------------------------===//

int64_t clampTo(Type type, __int128 value) {
  int size = bits(type);
  __int128 low = isSigned(type) ? -(__int128(1) << (size - 1)) : 0;
  __int128 high = (__int128(1) << (size - isSigned(type))) - 1;
  return int64_t(std::clamp(value, low, high));
}
/// The value as what a register of the type holds, extended with its sign.
int64_t truncated(Type type, int64_t value) {
  return byInteger(type, [&]<class T>(T) { return int64_t(T(value)); });
}

Flow integerToInteger(Warp &w, const Instruction &i, Mask mask) {
  Values<int64_t> v;
  const Modes &m = i.modes;
  readIntegers(w, i.operand[1], m.from, m.widths[1], v);
  for (int64_t &x : v) {
    if (m.sat)
      x = clampTo(m.to, m.from == Type::u64 ? __int128(uint64_t(x)) : __int128(x));
    x = truncated(m.to, x);
  }
  write(w, i.operand[0], m.widths[0], v, mask);
  return Flow::Next;
}
/// Widening and narrowing that need nothing but the value.
template <class To, class From> Flow plainInteger(Warp &w, const Instruction &i, Mask mask) {
  Values<To> result;
  const From *from = w.in<From>(i.operand[1]);
  for (int lane = 0; lane < warpSize; ++lane)
    result[lane] = To(from[lane]);
  w.put(i.operand[0], result, mask);
  return Flow::Next;
}

Flow integerToReal(Warp &w, const Instruction &i, Mask mask) {
  Values<int64_t> v;
  const Modes &m = i.modes;
  readIntegers(w, i.operand[1], m.from, m.widths[1], v);
  for (int64_t &x : v) {
    // Both halves are exact in double precision; only their sum may have to be rounded.
    double high = m.from == Type::u64 ? double(uint64_t(x) >> 32) : double(x >> 32);
    double low = double(uint32_t(x));
    high *= 4294967296.0;
    x = int64_t(
        writeReal(m.to, m, m.to == Type::f64 ? F64::add(m, high, low) : addToOdd(high, low)));
  }
  write(w, i.operand[0], m.widths[0], v, mask);
  return Flow::Next;
}

int64_t toInteger(const Modes &m, double x) {
  int size = bits(m.to);
  if (std::isnan(x))
    return m.from == Type::f64 || size == 64 ? truncated(m.to, int64_t(uint64_t(1) << (size - 1)))
                                             : 0;
  x = number::integral(m.rounding, x);
  double high = std::ldexp(1.0, size - isSigned(m.to)), low = isSigned(m.to) ? -high : 0.0;
  if (x >= high)
    return clampTo(m.to, __int128(1) << 65);
  return x < low             ? clampTo(m.to, -(__int128(1) << 65))
         : m.to == Type::u64 ? int64_t(uint64_t(x))
                             : int64_t(x);
}
Flow realToInteger(Warp &w, const Instruction &i, Mask mask) {
  Values<int64_t> v;
  readIntegers(w, i.operand[1], bitsOf(bits(i.modes.from)), i.modes.widths[1], v);
  for (int64_t &x : v)
    x = toInteger(i.modes, readReal(i.modes.from, uint64_t(x), i.modes.ftz));
  write(w, i.operand[0], i.modes.widths[0], v, mask);
  return Flow::Next;
}
/// The NaN that keeps its sign and payload; most conversions give the canonical one. So does an
/// H200: to and from f64 (quiet), from bf16 to f32 and from a type to itself (bits as they are),
/// and with .rna (low bits cut off; .satfinite subtracts one from what is left).
std::optional<uint64_t> keptNan(const Modes &m, uint64_t code) {
  const number::Floating &from = number::floating(row(m.from).element);
  const number::Floating &to = number::floating(row(m.to).element);
  bool has64 = m.from == Type::f64 || m.to == Type::f64, same = m.from == m.to && !m.choice;
  bool exact = !m.ftz && (same || (m.from == Type::bf16 && m.to == Type::f32));
  bool away = m.to == Type::tf32 && m.rounding == Rounding::NearestAway;
  if ((code & from.magnitudeMask()) <= from.infinity() || m.sat || m.relu ||
      !(has64 || exact || away))
    return std::nullopt;
  if (away) {
    uint64_t low = (uint64_t(1) << (from.mantissa - to.mantissa)) - 1;
    return (code & ~low) - (m.satfinite ? low + 1 : 0);
  }
  int more = to.mantissa - from.mantissa;
  uint64_t payload = code & from.mantissaMask();
  payload = more > 0 ? payload << more : payload >> -more;
  if (!same && has64)
    payload |= (to.mantissaMask() + 1) / 2;
  return (code & from.signBit() ? to.signBit() : 0) | to.infinity() | payload;
}

/// choice: to an integral value.
Flow realToReal(Warp &w, const Instruction &i, Mask mask) {
  Values<int64_t> v;
  const Modes &m = i.modes;
  Modes written =
      m; // .ftz is about numbers in f32, and to f16 an H100 does not even flush what comes in
  written.ftz &= m.to == Type::f32;
  bool flushes = m.ftz && m.to != Type::f16;
  readIntegers(w, i.operand[1], bitsOf(bits(m.from)), m.widths[1], v);
  for (int64_t &x : v) {
    if (std::optional<uint64_t> nan = keptNan(m, uint64_t(x))) {
      x = int64_t(*nan);
      continue;
    }
    double value = readReal(m.from, uint64_t(x), flushes);
    x = int64_t(writeReal(m.to, written, m.choice ? number::integral(m.rounding, value) : value));
  }
  write(w, i.operand[0], m.widths[0], v, mask);
  return Flow::Next;
}

Executor plainExecutor(Type to, Type from) {
  return byInteger(from, [&]<class From>(From) -> Executor {
    return bySize(to, []<class To>(To) -> Executor { return plainInteger<To, From>; });
  });
}

//===--- What the host's own conversions do --------------------------------------------------===//

/// To the nearest, and exactly. A NaN between f32 and f64 keeps sign and payload, as on the host.
template <class To> struct HostValue {
  template <class From> static To of(From x) { return To(x); }
};
/// Towards zero; what does not fit becomes the bound, and NaN what toInteger says.
template <class To> struct HostInteger {
  template <class From> static To of(From x) {
    using Bounds = std::numeric_limits<To>;
    constexpr From high = From(uint64_t(1) << (Bounds::digits - 1)) * 2;
    constexpr bool isWide = std::is_same_v<From, double> || sizeof(To) == 8;
    constexpr To ofNan = isWide ? To(uint64_t(1) << (8 * sizeof(To) - 1)) : To(0);
    return std::isnan(x)              ? ofNan
           : x >= high                ? Bounds::max()
           : x <= From(Bounds::min()) ? Bounds::min()
                                      : To(x);
  }
};
template <class F> Executor byWideInteger(Type type, F f) {
  switch (type) {
  case Type::s32: return f(int32_t());
  case Type::u32: return f(uint32_t());
  case Type::s64: return f(int64_t());
  case Type::u64: return f(uint64_t());
  default: return nullptr;
  }
}
template <class Real> Executor ofReal(Type to, const Modes &m) {
  if (to == Type::f32 || to == Type::f64)
    return m.rounding != Rounding::NearestEven || m.from == to ? nullptr
           : to == Type::f32 ? Executor(each<HostValue<float>, float, Real>)
                             : Executor(each<HostValue<double>, double, Real>);
  return m.rounding != Rounding::Zero ? nullptr : byWideInteger(to, []<class To>(To) -> Executor {
    return each<HostInteger<To>, To, Real>;
  });
}
/// Null: the host has none that gives the same.
Executor hostConversion(const Modes &m) {
  if (m.from == Type::f64)
    return ofReal<double>(m.to, m);
  if (m.from == Type::f32 && m.to != Type::f16 && m.to != Type::bf16)
    return ofReal<float>(m.to, m);
  if (m.rounding != Rounding::NearestEven)
    return nullptr;
  if (isFloat(m.from))
    return convertedByHost(m.to, m.from);
  if (m.to == Type::f32 || m.to == Type::f64)
    return byWideInteger(m.from, [&]<class From>(From) -> Executor {
      return m.to == Type::f32 ? Executor(each<HostValue<float>, float, From>)
                               : Executor(each<HostValue<double>, double, From>);
    });
  return nullptr;
}

Status bindScalar(Binding &b) {
  readModes(b);
  Modes &m = b.out.modes;
  bool plain = !m.sat && m.widths[0] == bytes(m.to) && m.widths[1] == bytes(m.from);
  m.choice = uint8_t(b.modifiers.pick({"rni", "rzi", "rmi", "rpi"}, -1) >= 0);
  bool isPlainReal = plain && !m.ftz && !m.relu && !m.satfinite && !(m.choice && isFloat(m.to));
  if (Executor host = isPlainReal ? hostConversion(m) : nullptr)
    return done(b, host);
  if (isFloat(m.from))
    return done(b, isFloat(m.to) ? realToReal : realToInteger);
  return done(b, isFloat(m.to) ? integerToReal
                 : plain       ? plainExecutor(m.to, m.from)
                               : integerToInteger);
}

//===--- Pairs -------------------------------------------------------------------------------===//

/// The halves of a pair: numbers of half of its bits.
uint64_t halfOf(Type pair, uint64_t code, int which) {
  int size = bits(pair) / 2;
  return code >> (which * size) & ((uint64_t(1) << size) - 1);
}
uint64_t encodePart(const Modes &m, double value) {
  if (m.relu)
    value = value > 0 || std::isnan(value) ? value : 0.0;
  // Scale factors have no sign: that of the number is dropped (CUDA Math API, conversions to e8m0).
  if (m.to == Type::ue8m0x2)
    value = std::fabs(value);
  return number::encode(row(m.to).element, value, m.rules());
}
/// cvt.to.f32 d, a, b: a becomes the high half.
Flow packReals(Warp &w, const Instruction &i, Mask mask) {
  Values<int64_t> v;
  const float *a = w.in<float>(i.operand[1]), *b = w.in<float>(i.operand[2]);
  const Modes &m = i.modes;
  for (int lane = 0; lane < warpSize; ++lane)
    v[lane] = int64_t(encodePart(m, double(a[lane])) << (bits(m.to) / 2) |
                      encodePart(m, double(b[lane])));
  write(w, i.operand[0], m.widths[0], v, mask);
  return Flow::Next;
}
Flow pairToPair(Warp &w, const Instruction &i, Mask mask) {
  Values<int64_t> v;
  const Modes &m = i.modes;
  readIntegers(w, i.operand[1], bitsOf(bits(m.from)), m.widths[1], v);
  for (int64_t &x : v) {
    uint64_t out = 0;
    for (int half : {1, 0})
      out = out << (bits(m.to) / 2) |
            encodePart(m, readReal(m.from, halfOf(m.from, uint64_t(x), half), false));
    x = int64_t(out);
  }
  write(w, i.operand[0], m.widths[0], v, mask);
  return Flow::Next;
}
Status bindPair(Binding &b) {
  readModes(b);
  Modes &m = b.out.modes;
  m.widths[0] = std::max<uint8_t>(m.widths[0], uint8_t(bytes(m.to)));
  if (b.operands.size() != 3)
    return done(b, pairToPair);
  const bool isPlain =
      m.rounding == Rounding::NearestEven && !m.relu && !m.satfinite && m.widths[0] == 4;
  Executor host = isPlain ? convertedByHost(m.to, Type::f32) : nullptr;
  return done(b, host ? host : packReals);
}

/// Which bits of rbits are added for each operand, the first highest in the result. PTX
/// ISA 9.7.9.23. Of e2m1x4 it says that the upper bytes of both halves are for a and b and the
/// lower ones for e and f; that a and e take those of the upper half is our reading.
struct RandomBits {
  Type to;
  uint8_t count;
  std::array<uint8_t, 4> from;
};
constexpr RandomBits randomBits[] = {
    {Type::f16x2, 13, {16, 0}},         {Type::bf16x2, 16, {16, 0}},
    {Type::e4m3x4, 16, {16, 16, 0, 0}}, {Type::e5m2x4, 16, {16, 16, 0, 0}},
    {Type::e2m3x4, 16, {16, 16, 0, 0}}, {Type::e3m2x4, 16, {16, 16, 0, 0}},
    {Type::e2m1x4, 8, {24, 8, 16, 0}},
};
/// operand: d, rbits; list: the numbers.
Flow packStochastic(Warp &w, const Instruction &i, Mask mask) {
  Values<int64_t> v;
  Modes m = i.modes;
  const RandomBits &row = *std::find_if(std::begin(randomBits), std::end(randomBits),
                                        [&](const RandomBits &r) { return r.to == m.to; });
  const uint32_t *random = w.in<uint32_t>(i.operand[1]);
  m.rounding = Rounding::Stochastic;
  m.randomBits = row.count;
  for (int lane = 0; lane < warpSize; ++lane) {
    uint64_t out = 0;
    for (size_t k = 0; k < i.listSize; ++k) {
      m.random = random[lane] >> row.from[k] & ((1u << row.count) - 1);
      out = out << (bits(m.to) / i.listSize) | encodePart(m, double(w.in<float>(i.list[k])[lane]));
    }
    v[lane] = int64_t(out);
  }
  write(w, i.operand[0], m.widths[0], v, mask);
  return Flow::Next;
}
Status bindStochastic(Binding &b) {
  readModes(b);
  Modes &m = b.out.modes;
  m.widths[0] = std::max<uint8_t>(m.widths[0], uint8_t(bytes(m.to)));
  if (b.operands.size() == 4) { // a and b apart
    b.out.list = b.binder.keep({b.out.operand[1], b.out.operand[2]});
    b.out.listSize = 2;
    b.out.operand[1] = b.out.operand[3];
  } else if (b.out.listSize != 4)
    return fail(Error::OperandKind, 2, b.modifiers.mnemonic, "a list of 4",
                cat("one of ", int(b.out.listSize)));
  return done(b, packStochastic);
}

/// cvt.pack.sat: a and b clamped; with c, its low half comes above them.
Flow packIntegers(Warp &w, const Instruction &i, Mask mask) {
  const int32_t *a = w.in<int32_t>(i.operand[1]), *b = w.in<int32_t>(i.operand[2]);
  const uint32_t *c = i.operand[3] == noSlot ? nullptr : w.in<uint32_t>(i.operand[3]);
  int size = i.modes.second;
  uint32_t result[warpSize], low = size == 32 ? ~0u : (1u << size) - 1;
  for (int lane = 0; lane < warpSize; ++lane) {
    auto clamped = [&](int32_t x) {
      int64_t high = (int64_t(1) << (size - i.modes.choice)) - 1;
      return uint32_t(std::clamp<int64_t>(x, i.modes.choice ? -high - 1 : 0, high)) & low;
    };
    result[lane] = clamped(a[lane]) << size | clamped(b[lane]) | (c ? c[lane] << (2 * size) : 0);
  }
  w.put(i.operand[0], result, mask);
  return Flow::Next;
}
Status bindPack(Binding &b) {
  std::string_view to = b.modifiers.words[3];
  b.out.modes.choice = uint8_t(to[0] == 's');
  b.out.modes.second = uint8_t(to.ends_with("16") ? 16 : to[1] - '0');
  return done(b, packIntegers);
}

// clang-format off
constexpr InstructionRow rows[] = {
    {"cvt ?<round>|<toint> ?ftz ?relu ?satfinite ?sat <scalar> <scalar>", "=~t0 ~t1", bindScalar, "a in another type"},
    {"cvt rna|rn|rz ?relu ?satfinite tf32 f32", "=~t0 t1", bindScalar, "a rounded to tf32"},
    {"cvt rn|rz ?relu ?satfinite f16x2|bf16x2 f32", "=t0 f32 f32", bindPair, "a and b as a pair, a in the high half"},
    {"cvt rs ?relu ?satfinite f16x2|bf16x2 f32", "=t0 f32 f32 b32", bindStochastic, "a and b as a pair, rounded by random bits"},
    {"cvt rs ?relu satfinite e4m3x4|e5m2x4|e2m3x4|e3m2x4|e2m1x4 f32", "=~t0 f32{} b32", bindStochastic, "four numbers, rounded by random bits"},
    {"cvt rn satfinite ?relu e4m3x2|e5m2x2|e2m3x2|e3m2x2|e2m1x2 f32", "=~t0 f32 f32", bindPair, "a and b as a pair"},
    {"cvt rn satfinite ?relu e4m3x2|e5m2x2 f16x2", "=~t0 t1", bindPair, "a pair of halves as bytes"},
    {"cvt rn ?relu f16x2 e4m3x2|e5m2x2|e2m3x2|e3m2x2|e2m1x2", "=t0 ~t1", bindPair, "a pair of narrow numbers as halves"},
    {"cvt rz|rp ?satfinite ue8m0x2 f32", "=~t0 f32 f32", bindPair, "the exponents of a and b"},
    {"cvt rz|rp ?satfinite ue8m0x2 bf16x2", "=~t0 t1", bindPair, "the exponents of a pair"},
    {"cvt rn bf16x2 ue8m0x2", "=t0 ~t1", bindPair, "a pair of powers of two"},
    {"cvt pack sat u16|s16 s32", "=b32 s32 s32", bindPack, "a and b clamped to 16 bits"},
    {"cvt pack sat u8|s8|u4|s4|u2|s2 s32 b32", "=b32 s32 s32 b32", bindPack, "a and b clamped, below c"},
};
// clang-format on

} // namespace

const RowGroup convertRows = {"Conversion", rows};

} // namespace tessera::sim
