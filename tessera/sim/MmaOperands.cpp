// Operands of products: numbers in registers and in bytes as panels of doubles, and back.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/Mma.h"

#include "tessera/sim/Grid.h"
#include "tessera/sim/Number.h"

#include <map>

namespace tessera::sim {

using atom::Element;
using atom::NumberKind;

namespace {

/// The values of the 256 codes of a narrow format.
const double *narrowValues(Element element) {
  static const auto tables = [] {
    std::map<Element, std::vector<double>> out;
    for (const number::Row &row : number::formats())
      if (row.storedBits <= 8 && row.kind == NumberKind::Float)
        for (uint64_t code = 0; code < 256; ++code)
          out[row.format].push_back(number::decode(row.format, code));
    return out;
  }();
  auto found = tables.find(element);
  return found == tables.end() ? nullptr : found->second.data();
}

/// f(decoder) with the function that makes a double, which holds all of them exactly, of an
/// element's code.
template <class F> void withDecoder(Element element, F f) {
  switch (element) {
  case Element::f64: return f([](uint64_t c) { return std::bit_cast<double>(c); });
  case Element::f32: return f([](uint64_t c) { return double(std::bit_cast<float>(uint32_t(c))); });
  case Element::tf32: // low bits are not looked at
    return f([](uint64_t c) { return double(std::bit_cast<float>(uint32_t(c) & ~0x1fffu)); });
  case Element::f16: return f([](uint64_t c) { return double(halfToFloat(uint16_t(c))); });
  case Element::bf16: return f([](uint64_t c) { return double(bfloatToFloat(uint16_t(c))); });
  default: break;
  }
  if (const double *table = narrowValues(element))
    return f([table](uint64_t c) { return table[c & 255]; });
  uint64_t ones = ~uint64_t(0) >> (64 - atom::bits(element));
  f([element, ones](uint64_t c) { return double(number::toInteger(element, c & ones)); });
}
/// f(integer of the size in which values lie next to each other); smaller ones share bytes.
template <class F> void withStored(int bits, F f) {
  bits == 64   ? f(uint64_t())
  : bits == 32 ? f(uint32_t())
  : bits == 16 ? f(uint16_t())
               : f(uint8_t());
}

} // namespace

void decode(const atom::Operand &operand, const std::byte *from, size_t count, double *to) {
  int stored = operand.storedBits(), shift = operand.containerShift();
  withDecoder(operand.element, [&](auto number) {
    withStored(stored, [&]<class T>(T) {
      size_t parts = sizeof(T) * 8 / size_t(stored);
      for (size_t i = 0; i < count; ++i) {
        T word;
        std::memcpy(&word, from + i / parts * sizeof(T), sizeof(T));
        to[i] = number(uint64_t(word >> (i % parts * size_t(stored))) >> shift);
      }
    });
  });
}

void unpack(atom::PackedFormat format, const std::byte *from, uint8_t (&to)[16]) {
  size_t size = format == atom::PackedFormat::B6x16P32 ? 6 : 4;
  uint64_t words[2];
  std::memcpy(words, from, 16);
  for (size_t i = 0; i < 16; ++i) {
    size_t bit = i * size;
    uint64_t value = words[bit / 64] >> (bit % 64);
    if (bit % 64 + size > 64)
      value |= words[1] << (64 - bit % 64);
    // Four-bit numbers sit in the middle of a byte, as mma's operands do.
    to[i] = uint8_t(value & ((1u << size) - 1)) << (size == 4 ? 2 : 0);
  }
}

void gather(const Holders &holders, const atom::Operand &operand, const FragmentTable &table,
            const Slot *registers, const Kept *kept, std::vector<double> &to) {
  size_t stored = size_t(operand.storedBits()), size = stored == 64 ? 64 : 32;
  uint64_t ones = ~uint64_t(0) >> (64 - stored);
  int shift = operand.containerShift();
  withDecoder(operand.element, [&](auto number) {
    auto value = [&](size_t position, size_t v) {
      size_t bit = v * stored;
      const RegisterFile &file = holders.file(position);
      int lane = holders.lane(position);
      Slot slot = registers[bit / size];
      uint64_t word = size == 64 ? file.in<uint64_t>(slot)[lane] : file.in<uint32_t>(slot)[lane];
      return number((word >> bit % size & ones) >> shift);
    };
    if (!kept) {
      for (size_t v = 0; v < table.perLane; ++v)
        for (size_t p = 0; p < table.positions; ++p)
          to[table.at(p, v)] = value(p, v);
      return;
    }
    for (size_t p = 0; p < table.positions; ++p)
      for (size_t v = 0, next = 0; v < table.perLane; ++v)
        if (size_t at = table.at(p, v); (*kept)[at])
          to[at] = value(p, next++);
  });
}

void scatter(const Holders &holders, const MmaPlan &plan, const Slot *registers,
             const Panels &panels) {
  const FragmentTable &table = plan.c;
  withStored(plan.row->c.storedBits(), [&]<class T>(T) {
    constexpr size_t parts = sizeof(T) < 4 ? 4 / sizeof(T) : 1; // in a register
    for (size_t v = 0; v < table.perLane; ++v)
      for (size_t p = 0; p < table.positions; ++p) {
        T *to = holders.file(p).template out<T>(registers[v / parts]);
        to[size_t(holders.lane(p)) * parts + v % parts] = T(panels.d[table.at(p, v)]);
      }
  });
}

bool keepChunk(Kept &kept, size_t first, size_t chunk, uint32_t bits) {
  uint32_t one = bits & 3, two = bits >> 2;
  size_t unit = chunk == 8 ? 2 : 1;
  if (chunk == 2) // 0b0100 keeps the first of two, 0b1110 the second
    one = two = bits == 0b1110;
  for (size_t e = 0; e < unit; ++e)
    kept[first + one * unit + e] = kept[first + two * unit + e] = true;
  return chunk == 2 || one != two;
}

std::optional<Kept> keptElements(Warp &w, const Holders &holders, const MmaPlan &plan) {
  // PTX ISA 9.7.14.6.1 and 9.7.15.6.1.
  const atom::Sparsity &sparsity = plan.row->sparsity;
  Kept kept(plan.m * plan.k);
  size_t chunk = sparsity.elementsPerByte / 2u;
  size_t lanesPerSelector = 4u / std::max<uint32_t>(sparsity.selectors, 1);
  for (size_t p = 0; p < plan.metadata.positions; ++p) {
    if (p % 4 / lanesPerSelector != plan.selector)
      continue;
    uint32_t word = holders.file(p).in<uint32_t>(plan.metadataSlot)[holders.lane(p)];
    for (size_t v = 0; v < plan.metadata.perLane; v += chunk) {
      size_t first = plan.metadata.at(p, v);
      uint32_t bits = word >> (v / chunk * 4) & 15;
      if (!keepChunk(kept, first, chunk, bits)) {
        w.fault(holders.lane(p), Error::SparseMetadata, hex(bits), first / plan.k);
        return std::nullopt;
      }
    }
  }
  return kept;
}

} // namespace tessera::sim
