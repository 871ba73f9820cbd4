// The fields of instruction descriptors, as a table of places and a table of type codes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/atom/InstructionDescriptor.h"

#include "tessera/atom/Errors.h"

namespace tessera::atom {

namespace {

/// Which kinds have the types A and B of a row.
enum Types : uint8_t {
  Halves,
  Tf32s,
  Integers,
  Bytes,
  Fours
};
Types typesOf(MmaKind kind) {
  switch (kind) {
  case MmaKind::F16: return Halves;
  case MmaKind::Tf32: return Tf32s;
  case MmaKind::I8: return Integers;
  case MmaKind::Mxf4:
  case MmaKind::Mxf4nvf4: return Fours;
  default: return Bytes;
  }
}
struct Code {
  Types types;
  Element element;
  uint32_t code;
};
constexpr Code inputs[] = {
    {Halves, Element::f16, 0},  {Halves, Element::bf16, 1}, {Tf32s, Element::tf32, 2},
    {Integers, Element::u8, 0}, {Integers, Element::s8, 1}, {Bytes, Element::e4m3, 0},
    {Bytes, Element::e5m2, 1},  {Bytes, Element::e2m3, 3},  {Bytes, Element::e3m2, 4},
    {Bytes, Element::e2m1, 5},  {Fours, Element::e2m1, 1},
};
constexpr Element sums[] = {Element::f16, Element::f32, Element::s32},
                  scales[] = {Element::ue4m3, Element::ue8m0};

/// First bit and number of bits.
struct Field {
  int first, bits;
  uint32_t of(uint32_t word) const { return word >> first & ((1u << bits) - 1); }
  uint32_t put(uint32_t value) const { return (value & ((1u << bits) - 1)) << first; }
};
constexpr Field selector{0, 2}, sparse{2, 1}, saturate{3, 1}, sum{4, 2}, scaleIdB{scaleIdBBit, 2},
    typeA{7, 3}, typeB{10, 3}, negateA{negateABit, 1}, negateB{negateBBit, 1}, majorA{15, 1},
    majorB{16, 1}, extentN{17, 6}, scaleType{23, 1}, extentM{24, 5}, scaleIdA{scaleIdABit, 2},
    shift{30, 2}, lengthK{31, 1};
constexpr int unitM = 16, unitN = 8; // of the extents

/// Bits that have to be 0, with the kinds whose words have nothing there. PTX ISA 9.7.16.4.2,
/// tables 42 to 44; 9.7.16.10.1, table 49.
enum Layouts : uint8_t {
  Floats = 1,
  I8 = 2,
  Scaled8 = 4,
  Scaled4 = 8
};
struct Zero {
  int bit, layouts;
  const char *what;
};
constexpr Zero zeros[] = {
    {0, Scaled8 | Scaled4, "reserved"},
    {1, Scaled8 | Scaled4, "reserved"},
    {3, Floats, "saturation, which is for integers,"},
    {3, Scaled8 | Scaled4, "reserved"},
    {6, Floats | I8 | Scaled8 | Scaled4, "reserved"},
    {12, Scaled4, "reserved"},
    {negateABit, I8, "negation of A, which is for floating point,"},
    {negateBBit, I8, "negation of B, which is for floating point,"},
    {15, Scaled4, "transposition of A, which these types do not have,"},
    {16, Scaled4, "transposition of B, which these types do not have,"},
    {23, Floats | I8, "reserved"},
    {24, Scaled8 | Scaled4, "reserved"},
    {25, Scaled8 | Scaled4, "reserved"},
    {26, Scaled8 | Scaled4, "reserved"},
    {29, Floats | I8, "reserved"},
    {31, Scaled8, "reserved"},
};
int layoutOf(MmaKind kind) {
  switch (typesOf(kind)) {
  case Fours: return Scaled4;
  case Integers: return I8;
  default: return kind == MmaKind::Mxf8f6f4 ? Scaled8 : Floats;
  }
}

template <size_t N> int indexIn(const Element (&all)[N], Element element) {
  auto found = std::find(std::begin(all), std::end(all), element);
  return found == std::end(all) ? -1 : int(found - std::begin(all));
}
const Code *find(MmaKind kind, Element element) {
  for (const Code &code : inputs)
    if (code.types == typesOf(kind) && code.element == element)
      return &code;
  return nullptr;
}
Element elementOf(MmaKind kind, uint32_t code) {
  for (const Code &each : inputs)
    if (each.types == typesOf(kind) && each.code == code)
      return each.element;
  return Element::none;
}
Major majorOf(uint32_t bit) { return bit ? Major::MN : Major::K; }

} // namespace

bool isBlockScaled(MmaKind kind) {
  return kind == MmaKind::Mxf8f6f4 || kind == MmaKind::Mxf4 || kind == MmaKind::Mxf4nvf4;
}

Result<uint32_t> encode(MmaKind kind, const InstructionDescriptor &d) {
  const Code *a = find(kind, d.a), *b = find(kind, d.b);
  bool scaled = isBlockScaled(kind);
  int c = indexIn(sums, d.c), s = indexIn(scales, d.scale);
  if (!a || !b || c < 0 || (scaled && s < 0))
    return fail(Error::InstructionTypes, name(kind), name(d.a), name(d.b), name(d.c),
                name(d.scale));
  if (d.m % unitM || d.n % unitN || d.m <= 0 || d.n <= 0 || d.m > 256 || d.n > 256)
    return fail(Error::InstructionExtent, d.m, d.n);
  uint32_t word = selector.put(uint32_t(d.selector)) | sparse.put(d.isSparse) | typeA.put(a->code) |
                  typeB.put(b->code) | negateA.put(d.negatesA) | negateB.put(d.negatesB) |
                  majorA.put(d.aMajor == Major::MN) | majorB.put(d.bMajor == Major::MN) |
                  extentN.put(uint32_t(d.n / unitN)) | extentM.put(uint32_t(d.m / unitM));
  if (scaled)
    return word | scaleIdB.put(uint32_t(d.scaleIdB)) | scaleType.put(uint32_t(s)) |
           scaleIdA.put(uint32_t(d.scaleIdA)) | lengthK.put(d.isLong);
  return word | saturate.put(d.saturates) | sum.put(uint32_t(c)) | shift.put(uint32_t(d.shift));
}

Result<InstructionDescriptor> decode(MmaKind kind, uint32_t word) {
  for (const Zero &zero : zeros)
    if (zero.layouts & layoutOf(kind) && word >> zero.bit & 1)
      return fail(Error::InstructionZero, name(kind), zero.bit, zero.what);
  InstructionDescriptor d;
  bool scaled = isBlockScaled(kind);
  d.a = elementOf(kind, typeA.of(word));
  d.b = elementOf(kind, typeB.of(word));
  uint32_t c = scaled ? 1 : sum.of(word);
  if (d.a == Element::none || d.b == Element::none || c >= std::size(sums))
    return fail(Error::InstructionWord, name(kind), typeA.of(word), typeB.of(word), c);
  d.c = sums[c];
  d.m = int(extentM.of(word)) * unitM;
  d.n = int(extentN.of(word)) * unitN;
  d.aMajor = majorOf(majorA.of(word));
  d.bMajor = majorOf(majorB.of(word));
  d.negatesA = negateA.of(word);
  d.negatesB = negateB.of(word);
  d.isSparse = sparse.of(word);
  d.selector = int(selector.of(word));
  if (scaled) {
    d.scale = scales[scaleType.of(word)];
    d.scaleIdA = int(scaleIdA.of(word));
    d.scaleIdB = int(scaleIdB.of(word));
    d.isLong = lengthK.of(word);
  } else {
    d.saturates = saturate.of(word);
    d.shift = int(shift.of(word));
  }
  return d;
}

} // namespace tessera::atom
