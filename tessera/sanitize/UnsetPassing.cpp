// Rows of what becomes of bits that nobody wrote, by instruction.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sanitize/UnsetPassing.h"

#include "tessera/sim/Forms.h"

#include <unordered_map>

namespace tessera::sanitize {

using sim::InstructionRow;

namespace {

/// Whether the second operand is a predicate that the instruction makes.
bool makesTwo(const InstructionRow &row) {
  return row.operands.substr(0, row.operands.find(' ')).find('|') != std::string_view::npos;
}

/// Numbers of several parts are computed part by part.
UnsetBits each(const Operands &of) {
  const sim::Type type = of.i.modes.from;
  const uint64_t parts = ptx_text::row(type).parts, bits = uint64_t(sim::bits(type)) / parts;
  const size_t first = makesTwo(*of.i.row) ? 2 : 1;
  if (parts == 1 || of.i.modes.to != type || bits == 0)
    return of.any(first);
  UnsetBits out;
  for (uint64_t part = 0; part < parts; ++part) {
    const uint64_t mask = lowest(bits) << bits * part;
    if (UnsetBits u = of.any(first, 6, mask); u.bits)
      out = {out.bits | mask, true, u.origin};
  }
  return out;
}

UnsetBits move(const Operands &of) { return of.unset(1); }
UnsetBits pack(const Operands &of) {
  UnsetBits out;
  const uint64_t size = 8u * of.i.width;
  for (size_t k = 0; k < of.i.listSize; ++k)
    if (UnsetBits part = of.unsetPart(k); part.bits) {
      out.bits |= k * size < 64 ? (part.bits & lowest(size)) << k * size : 0;
      out.isComputed |= part.isComputed || (k + 1) * size > 64; // of b128 only half is followed
      out.origin = part.origin;
    }
  return out;
}
UnsetBits select(const Operands &of) {
  if (UnsetBits which = of.any(3, 4); which.bits)
    return which;
  return of.unset(of.predicate(3) ? 1 : 2);
}

/// A bit of the result depends on that bit of the operands: it is unset if one choice of their
/// unset bits gives another than the rest.
template <size_t count, class F> UnsetBits bitwise(const Operands &of, F f) {
  const uint64_t width = lowest(uint64_t(sim::bits(of.i.modes.from)));
  uint64_t values[3] = {}, unset[3] = {};
  UnsetBits out;
  for (size_t k = 0; k < count; ++k) {
    UnsetBits bits = of.unset(k + 1);
    values[k] = of.value(k + 1);
    unset[k] = bits.bits & width;
    out.isComputed |= bits.isComputed;
    if (unset[k])
      out.origin = bits.origin;
  }
  const uint64_t result = f(values[0], values[1], values[2]);
  for (unsigned flips = 1; flips < 1u << count; ++flips) {
    uint64_t v[3];
    for (unsigned k = 0; k < 3; ++k)
      v[k] = values[k] ^ (flips >> k & 1 ? unset[k] : 0);
    out.bits |= f(v[0], v[1], v[2]) ^ result;
  }
  out.isComputed = true;
  return out;
}
UnsetBits bitAnd(const Operands &of) {
  return bitwise<2>(of, [](uint64_t a, uint64_t b, uint64_t) { return a & b; });
}
/// Where the other operand has zeros, bits are only put into a place.
UnsetBits bitOr(const Operands &of) {
  UnsetBits out = bitwise<2>(of, [](uint64_t a, uint64_t b, uint64_t) { return a | b; });
  UnsetBits a = of.unset(1), b = of.unset(2);
  out.isComputed = a.isComputed || b.isComputed || ((a.bits & b.bits) && out.bits);
  return out;
}
UnsetBits bitXor(const Operands &of) {
  return bitwise<2>(of, [](uint64_t a, uint64_t b, uint64_t) { return a ^ b; });
}
UnsetBits bitNot(const Operands &of) {
  return bitwise<1>(of, [](uint64_t a, uint64_t, uint64_t) { return ~a; });
}
UnsetBits lop3(const Operands &of) {
  if (makesTwo(*of.i.row))
    return of.any(2);
  return bitwise<3>(of, [&](uint64_t a, uint64_t b, uint64_t c) {
    uint64_t out = 0;
    for (int term = 0; term < 8; ++term)
      if (of.i.modes.choice >> term & 1)
        out |= (term & 4 ? a : ~a) & (term & 2 ? b : ~b) & (term & 1 ? c : ~c);
    return out & 0xffffffff;
  });
}

// Instructions that move bits to other places move unset bits in the same way.

UnsetBits moved(UnsetBits bits, uint64_t to) {
  bits.bits = to;
  return bits;
}
UnsetBits shiftLeft(const Operands &of) {
  if (UnsetBits amount = of.any(2); amount.bits)
    return amount;
  const auto width = uint64_t(sim::bits(of.i.modes.from));
  const uint32_t by = of.word(2);
  UnsetBits a = of.unset(1);
  return moved(a, by >= width ? 0 : a.bits << by & lowest(width));
}
/// Bits from the top one on are copies of it where that is a sign.
uint64_t extended(uint64_t bits, uint64_t width, bool isSigned) {
  bits &= lowest(width);
  bool sign = isSigned && width && width < 64 && bits >> (width - 1) & 1;
  return sign ? bits | ~lowest(width) : bits;
}
UnsetBits shiftRight(const Operands &of) {
  if (UnsetBits amount = of.any(2); amount.bits)
    return amount;
  const auto width = uint64_t(sim::bits(of.i.modes.from));
  const bool isSigned = sim::isSigned(of.i.modes.from);
  const uint64_t by = std::min<uint64_t>(of.word(2), isSigned ? width - 1 : width);
  UnsetBits a = of.unset(1);
  const uint64_t bits = extended(a.bits, width, isSigned);
  const uint64_t to = isSigned ? uint64_t(int64_t(bits) >> by) : by >= 64 ? 0 : bits >> by;
  return moved(a, to & lowest(width));
}
/// For a pair of words, the first one low.
UnsetBits both(const Operands &of) {
  UnsetBits a = of.unset(1), b = of.unset(2);
  return {(b.bits & 0xffffffff) << 32 | (a.bits & 0xffffffff), a.isComputed || b.isComputed,
          a.bits ? a.origin : b.origin};
}
UnsetBits funnel(const Operands &of) {
  if (UnsetBits amount = of.any(3); amount.bits)
    return amount;
  const uint32_t by = of.i.modes.choice ? of.word(3) & 31 : std::min(of.word(3), 32u);
  UnsetBits from = both(of);
  return moved(from, of.i.modes.second ? (from.bits << by) >> 32 : from.bits >> by & 0xffffffff);
}
UnsetBits permute(const Operands &of) {
  if (of.i.modes.choice || of.any(3).bits)
    return of.any(1);
  UnsetBits from = both(of);
  uint64_t to = 0;
  for (uint32_t k = 0; k < 4; ++k) {
    const uint32_t selector = of.word(3) >> 4 * k & 15;
    const uint64_t byte = from.bits >> 8 * (selector & 7) & 255;
    to |= (selector & 8 ? (byte & 128 ? 255u : 0u) : byte) << 8 * k;
  }
  return moved(from, to);
}
UnsetBits extract(const Operands &of) {
  if (UnsetBits place = of.any(2); place.bits)
    return place;
  const auto width = uint64_t(sim::bits(of.i.modes.from));
  const uint64_t start = of.word(2) & 255, length = of.word(3) & 255,
                 have = start < width ? std::min(length, width - start) : 0;
  const bool isSigned = sim::isSigned(of.i.modes.from);
  UnsetBits a = of.unset(1);
  a.bits &= lowest(width);
  uint64_t to = have ? a.bits >> start & lowest(have) : 0;
  const uint64_t sign = std::min(start + length - 1, width - 1);
  if (isSigned && length && a.bits >> sign & 1)
    to |= ~lowest(have);
  return moved(a, to & lowest(width));
}
UnsetBits insert(const Operands &of) {
  if (UnsetBits place = of.any(3); place.bits)
    return place;
  const uint32_t start = of.word(3) & 255, length = of.word(4) & 255;
  const uint64_t field = start > 63 ? 0 : lowest(length) << start;
  UnsetBits a = of.unset(1), b = of.unset(2);
  const uint64_t kept = b.bits & ~field;
  return {kept | (start > 63 ? 0 : a.bits << start & field), a.isComputed || b.isComputed,
          kept ? b.origin : a.origin};
}
/// Integers become others by their low bits. Of two numbers that become a pair the first is the
/// high half.
UnsetBits convert(const Operands &of) {
  const sim::Type to = of.i.modes.to, from = of.i.modes.from;
  const auto width = uint64_t(sim::bits(to));
  UnsetBits a = of.unset(1);
  const bool isOne = of.i.operand[2] == noSlot;
  if (!isOne && ptx_text::row(to).parts == 2 && !of.i.listSize && of.i.operand[3] == noSlot) {
    UnsetBits b = of.unset(2);
    return {(a.bits ? ~lowest(width / 2) : 0) | (b.bits ? lowest(width / 2) : 0), true,
            a.bits ? a.origin : b.origin};
  }
  if (!isOne)
    return of.any(1);
  const auto had = uint64_t(sim::bits(from));
  if (sim::isFloat(to) || sim::isFloat(from) || of.i.modes.sat)
    return of.any(1, 6, lowest(had));
  const uint64_t bits = extended(a.bits, had, sim::isSigned(from));
  return moved(a, extended(bits, width, sim::isSigned(to)));
}

// Sums and products change from the lowest unset bit on: below it they are decided.

/// `times`: the width of the result as a multiple of that of the operands.
UnsetBits upwards(const Operands &of, uint64_t lowestChange, UnsetBits bits, uint64_t times = 1) {
  if (!bits.bits)
    return {};
  const auto width = times * uint64_t(sim::bits(of.i.modes.from));
  return lowestChange >= width
             ? UnsetBits()
             : UnsetBits{lowest(width) & ~lowest(lowestChange), true, bits.origin};
}
uint64_t zerosBelow(uint64_t bits) { return uint64_t(std::countr_zero(bits)); }
UnsetBits add(const Operands &of) {
  UnsetBits a = of.unset(1), b = of.unset(2);
  return upwards(of, std::min(zerosBelow(a.bits), zerosBelow(b.bits)), a.bits ? a : b);
}
/// An unset bit of one factor counts as often as the lowest bit of the other.
uint64_t lowestOfProduct(const Operands &of) {
  const uint64_t a = of.unset(1).bits, b = of.unset(2).bits;
  auto change = [](uint64_t unset, uint64_t other, uint64_t otherUnset) {
    return unset ? zerosBelow(unset) + zerosBelow(other | otherUnset) : 64;
  };
  return std::min(change(a, of.value(2), b), change(b, of.value(1), a));
}
template <uint64_t times> UnsetBits multiply(const Operands &of) {
  UnsetBits a = of.unset(1);
  return upwards(of, lowestOfProduct(of), a.bits ? a : of.unset(2), times);
}
template <uint64_t times> UnsetBits multiplyAdd(const Operands &of) {
  UnsetBits a = of.unset(1), b = of.unset(2), c = of.unset(3);
  return upwards(of, std::min(lowestOfProduct(of), zerosBelow(c.bits)),
                 a.bits   ? a
                 : b.bits ? b
                          : c,
                 times);
}
/// A sum of words: an unset carry changes it from the lowest bit on. The carry out may be unset,
/// too, if the sum has any unset bit.
UnsetBits addWords(const Operands &of) {
  const uint8_t choice = of.i.modes.choice;
  const bool hasProduct = of.i.operand[3] != noSlot;
  const auto width = uint64_t(sim::bits(of.i.modes.from));
  UnsetBits a = of.unset(1), b = of.unset(2), c = hasProduct ? of.unset(3) : UnsetBits(),
            carry = choice & ReadsCarry ? of.carry() : UnsetBits();
  uint64_t lowestChange = std::min(zerosBelow(a.bits), zerosBelow(b.bits));
  if (hasProduct) {
    lowestChange = lowestOfProduct(of);
    if (choice & HighHalf)
      lowestChange = lowestChange > width ? lowestChange - width : (a.bits | b.bits) ? 0 : width;
  }
  return upwards(of, carry.bits ? 0 : std::min(lowestChange, zerosBelow(c.bits)),
                 a.bits   ? a
                 : b.bits ? b
                 : c.bits ? c
                          : carry);
}

/// A predicate that is combined with the comparison may decide alone.
UnsetBits compare(const Operands &of) {
  const int combined = of.i.modes.second; // 1: and, 2: or
  if (!of.any(4, 5).bits &&
      ((combined == 1 && !of.predicate(4)) || (combined == 2 && of.predicate(4))))
    return {};
  return of.any(2);
}

/// Rows by their form, or else all of a name; the others depend on each bit of their operands.
struct PassRow {
  std::string_view row;
  UnsetBits (*pass)(const Operands &);
};
constexpr PassRow passRows[] = {{"mov", move},
                                {"selp", select},
                                {"and", bitAnd},
                                {"or", bitOr},
                                {"xor", bitXor},
                                {"not", bitNot},
                                {"lop3", lop3},
                                {"shl", shiftLeft},
                                {"shr", shiftRight},
                                {"shf", funnel},
                                {"prmt", permute},
                                {"bfe", extract},
                                {"bfi", insert},
                                {"cvt", convert},
                                {"setp", compare},
                                {"add <int>", add},
                                {"sub <int>", add},
                                {"mul lo <int>", multiply<1>},
                                {"mul wide <narrow>", multiply<2>},
                                {"mad lo <int>", multiplyAdd<1>},
                                {"mad wide <narrow>", multiplyAdd<2>},
                                {"add cc <int32>", addWords},
                                {"addc", addWords},
                                {"sub cc <int32>", addWords},
                                {"subc", addWords},
                                {"mad lo|hi cc <int32>", addWords},
                                {"madc", addWords}};

Passing passingOf(const InstructionRow &row, const sim::RowGroup &group) {
  constexpr const sim::RowGroup *pure[] = {&sim::integerRows, &sim::logicRows,      &sim::floatRows,
                                           &sim::compareRows, &sim::convertRows,    &sim::moveRows,
                                           &sim::videoRows,   &sim::scalarVideoRows};
  Passing out;
  out.unpacks = row.operands == "any t";
  const std::vector<sim::OperandItem> items = sim::operandItems(row.operands);
  bool hasAddress = false;
  for (const sim::OperandItem &item : items) {
    out.lists += item.list;
    hasAddress |= item.what == "addr";
  }
  bool makes = !items.empty() && items[0].destination;
  out.makesList = makes && items[0].list;
  out.made = makes && !items[0].list && !hasAddress ? 1 + items[0].pair : 0;
  bool isPure = std::any_of(std::begin(pure), std::end(pure), [&](const sim::RowGroup *rows) {
    return rows->rows.data() == group.rows.data();
  });
  if (!isPure || !(out.made || out.unpacks))
    return out;
  out.pass = row.operands == "=t any" ? pack : each;
  for (const PassRow &known : passRows)
    if (out.pass != pack && (known.row == row.form || known.row == row.name()))
      out.pass = known.pass;
  out.carries = out.pass == addWords;
  return out;
}

} // namespace

const Passing &passingOf(const Instruction &i) {
  static const auto rows = [] {
    std::unordered_map<const InstructionRow *, Passing> out;
    for (const sim::RowGroup &group : sim::rowGroups())
      for (const InstructionRow &row : group.rows)
        out.emplace(&row, passingOf(row, group));
    return out;
  }();
  // Special registers, places of variables and negated predicates are read by instructions that
  // nobody wrote.
  static const Passing unwritten{.pass = [](const Operands &of) { return of.any(1); }, .made = 1};
  return i.row ? rows.find(i.row)->second : unwritten;
}

} // namespace tessera::sanitize
