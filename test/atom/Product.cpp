// Deals operands, writes the kernel of a product and checks what it gives.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Product.h"

#include "Evaluate.h"
#include "Numbers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>

namespace tessera::atom::test {

namespace {
void append(Words &words, const Words &more) {
  words.insert(words.end(), more.begin(), more.end());
}

std::vector<int> randomNumbers(Element element, int64_t count, std::mt19937 &random) {
  NumberKind kind = kindOf(element);
  int least = kind == NumberKind::Float || kind == NumberKind::Signed ? -2 : 0;
  std::uniform_int_distribution<int> any(least, kind == NumberKind::Bits ? 1 : 2);
  std::vector<int> numbers(static_cast<size_t>(count));
  for (int &number : numbers)
    number = any(random);
  return numbers;
}

/// Codes of numbers between 2^-10 and 2, of some subnormal ones and zeros.
std::vector<int> randomCodes(Element element, int64_t count, std::mt19937 &random) {
  const auto *format = std::find_if(std::begin(floatBits), std::end(floatBits),
                                    [&](const FloatBits &f) { return f.element == element; });
  std::vector<int> codes(static_cast<size_t>(count));
  for (int &code : codes) {
    int bias = (1 << (format->exponent - 1)) - 1, exponent = std::max(0, bias - int(random() % 11));
    if (random() % 16 == 0)
      exponent = int(random() % 2);
    uint32_t sign = random() & 1, mantissa = random() & ((1u << format->mantissa) - 1);
    code = int(((sign << format->exponent | uint32_t(exponent)) << format->mantissa | mantissa)
               << (element == Element::tf32 ? 13 : 0));
  }
  return codes;
}

uint64_t codeOf(const Operand &operand, int number, bool isCode) {
  return (isCode ? uint64_t(uint32_t(number)) : encode(operand.element, number))
         << operand.containerShift();
}

/// The registers of the thread at `position` among `positions`; of a sparse A only what is kept.
Words dealt(const Operand &operand, const std::vector<int> &numbers,
            const std::vector<int64_t> &indices, int64_t position, int64_t positions, bool areCodes,
            const std::vector<bool> *kept = nullptr) {
  size_t perThread = indices.size() / size_t(positions);
  std::vector<uint64_t> codes;
  for (size_t v = 0; v < perThread; ++v) {
    size_t index = size_t(indices[size_t(position) * perThread + v]);
    if (!kept || (*kept)[index])
      codes.push_back(codeOf(operand, numbers[index], areCodes));
  }
  return pack(codes, operand.storedBits());
}
} // namespace

Product::Product(const MmaRow &row, Choice choice, std::mt19937 &random, Variant variant)
    : row(row), choice(choice), variant(variant), atom(*layouts(row, row.m.first, choice.n)) {
  indicesA = values(atom.a);
  indicesB = values(atom.b);
  indicesC = values(atom.c);
  auto draw = variant.real ? randomCodes : randomNumbers;
  a = draw(row.a.element, atom.m * atom.k, random);
  b = draw(row.b.element, atom.n * atom.k, random);
  c = draw(row.c.element, atom.m * atom.n, random);
  if (variant.overflows) {
    // Sums only grow: hardware that saturates between the steps of K gives the same.
    for (std::vector<int> *numbers : {&a, &b})
      for (int &number : *numbers)
        number = std::abs(number);
    for (int &number : c)
      number = std::numeric_limits<int>::max() - std::abs(number);
  }
  if (row.scale.isScaled()) {
    std::uniform_int_distribution<int> exponent(-2, 2);
    scalesA.resize(size_t(atom.m * scaleBlocks()));
    scalesB.resize(size_t(atom.n * scaleBlocks()));
    for (std::vector<int> *scales : {&scalesA, &scalesB})
      for (int &scale : *scales)
        scale = exponent(random);
  }
  kept.assign(a.size(), true);
  if (row.sparsity.isSparse()) {
    indicesE = values(layoutOf(row.sparsity.fragment, {.m = atom.m, .n = atom.n, .k = atom.k}));
    sparsify(random);
  }
}

int Product::threads() const { return isGroup() ? 128 : 32; }

int64_t Product::positionOf(int lane) const {
  return isQuadPairs() ? lane % 4 + lane / 16 * 4 : lane;
}

const Registers &Product::result() const {
  return row.d.registers.type == RegisterType::None ? row.c.registers : row.d.registers;
}

size_t Product::wordsPerResult() const {
  return size_t(result().at(choice.n) * bits(result().type) / 32);
}

// Drops 1 of 2 elements of 32 bits, 2 of 4, or 2 of 4 pairs of packed 4-bit elements.
void Product::sparsify(std::mt19937 &random) {
  int unit = chunk() == 8 ? 2 : 1, units = chunk() / unit;
  for (int64_t m = 0; m < atom.m; ++m)
    for (int64_t first = 0; first < atom.k; first += chunk()) {
      std::vector<int> order(static_cast<size_t>(units));
      std::iota(order.begin(), order.end(), 0);
      std::shuffle(order.begin(), order.end(), random);
      for (int u = 0; u < units / 2; ++u)
        for (int e = 0; e < unit; ++e) {
          size_t dropped = size_t(m + atom.m * (first + order[size_t(u)] * unit + e));
          kept[dropped] = false;
          a[dropped] = 0;
        }
    }
}

// Four bits about the chunk that starts at element `index` of A. PTX ISA 9.7.14.6.1.
uint32_t Product::chunkBits(int64_t index) const {
  auto isKept = [&](int e) { return bool(kept[size_t(index + atom.m * e)]); };
  if (chunk() == 2)
    return isKept(0) ? 0b0100 : 0b1110;
  int unit = chunk() == 8 ? 2 : 1;
  uint32_t out = 0;
  for (int u = 0, found = 0; u < 4; ++u)
    if (isKept(u * unit))
      out |= uint32_t(u) << (2 * found++);
  return out;
}

uint32_t Product::metadataOf(int lane) const {
  int lanesPerSelector = 4 / row.sparsity.selectors;
  if (lane % 4 / lanesPerSelector != choice.selector)
    return 0xdeadbeef; // not looked at
  size_t perThread = indicesE.size() / size_t(threads());
  uint32_t out = 0;
  for (size_t v = 0; v < perThread; v += size_t(chunk()))
    out |= chunkBits(indicesE[size_t(lane) * perThread + v]) << (v / size_t(chunk()) * 4);
  return out;
}

// With byte-id and thread-id 0: lanes 0 and 1 of quad q have rows q and q + 8 of A, lane 0 has
// column q of B. PTX ISA 9.7.14.3.
uint32_t Product::scalesOf(int lane, bool ofA) const {
  int quad = lane / 4, inQuad = lane % 4;
  if (inQuad >= (ofA ? 2 : 1))
    return 0xdeadbeef; // not looked at
  const std::vector<int> &scales = ofA ? scalesA : scalesB;
  uint32_t out = 0;
  for (int64_t block = 0; block < scaleBlocks(); ++block) {
    int exponent = scales[size_t((quad + 8 * inQuad) * scaleBlocks() + block)];
    // 2^exponent: ue8m0 is biased by 127, ue4m3 by 7 with three bits of fraction.
    int code = row.scale.element == Element::ue8m0 ? exponent + 127 : (exponent + 7) << 3;
    out |= uint32_t(code) << (8 * block);
  }
  return out;
}

int64_t Product::tileBytes(const Operand &operand, int64_t rows) const {
  if (operand.where != Residency::Smem)
    return 0;
  bool halved = &operand == &row.a && row.sparsity.isSparse();
  return rows * atom.k * operand.storedBits() / 8 / (halved ? 2 : 1);
}

// K-major without swizzle: 8 rows of 16 bytes lie together, then come the next 8 rows, then K goes
// on.
Words Product::tile(const Operand &operand, const std::vector<int> &numbers, int64_t rows) const {
  std::vector<uint64_t> bytes(size_t(tileBytes(operand, rows)));
  for (int64_t r = 0; r < rows && !bytes.empty(); ++r) {
    std::vector<uint64_t> codes;
    for (int64_t k = 0; k < atom.k; ++k) {
      size_t index = size_t(r + rows * k);
      if (&operand != &row.a || kept[index])
        codes.push_back(codeOf(operand, numbers[index], variant.real));
    }
    Words packed = pack(codes, operand.storedBits());
    for (size_t byte = 0; byte < packed.size() * 4; ++byte)
      bytes[(byte / 16 * size_t(rows / 8) + size_t(r / 8)) * 128 + size_t(r % 8) * 16 + byte % 16] =
          packed[byte / 4] >> (byte % 4 * 8) & 255;
  }
  return pack(bytes, 8);
}

Words Product::input() const {
  Words words;
  for (int lane = 0; lane < threads(); ++lane) {
    int64_t position = positionOf(lane);
    if (row.a.where == Residency::Rmem)
      append(words, dealt(row.a, a, indicesA, position, positions(), variant.real, &kept));
    if (row.b.where == Residency::Rmem)
      append(words, dealt(row.b, b, indicesB, position, positions(), variant.real));
    append(words, dealt(row.c, c, indicesC, position, positions(), variant.real));
    if (row.sparsity.isSparse())
      words.push_back(metadataOf(lane));
    if (row.scale.isScaled()) {
      words.push_back(scalesOf(lane, true));
      words.push_back(scalesOf(lane, false));
    }
  }
  append(words, tile(row.a, a, atom.m));
  append(words, tile(row.b, b, atom.n));
  return words;
}

double Product::expected(int64_t m, int64_t n) const {
  double sum = variant.accumulates ? c[size_t(m + atom.m * n)] : 0;
  int sign = variant.negateA != variant.negateB ? -1 : 1;
  for (int64_t k = 0; k < atom.k; ++k) {
    int left = a[size_t(m + atom.m * k)], right = b[size_t(n + atom.n * k)];
    double scale = 1;
    if (row.scale.isScaled()) {
      int64_t block = k / row.scale.vec;
      scale = std::ldexp(1.0, scalesA[size_t(m * scaleBlocks() + block)] +
                                  scalesB[size_t(n * scaleBlocks() + block)]);
    }
    sum += row.bitOp == BitOp::XorPopc ? left ^ right : scale * sign * left * right;
  }
  if (row.c.element == Element::s32 && sum > std::numeric_limits<int>::max())
    return row.overflow == Overflow::Satfinite ? std::numeric_limits<int>::max()
                                               : sum - 4294967296.0;
  return sum;
}

void Product::check(const Words &output) const {
  size_t perThread = indicesC.size() / size_t(positions());
  for (int lane = 0; lane < threads(); ++lane) {
    std::vector<uint64_t> codes =
        unpack(&output[size_t(lane) * wordsPerResult()], perThread, bits(row.c.element));
    for (size_t v = 0; v < perThread; ++v) {
      int64_t index = indicesC[size_t(positionOf(lane)) * perThread + v];
      ASSERT_EQ(decodeAccumulator(row.c.element, codes[v]),
                expected(index % atom.m, index / atom.m))
          << row.name << ", selector " << choice.selector << ", lane " << lane << ", value " << v;
    }
  }
}

std::string eachRegister(std::string_view op, const Registers &registers, int64_t n, int first,
                         std::string_view base, int &offset) {
  constexpr std::string_view classes[] = {"", "%h", "%r", "%l", "%f", "%d"};
  std::string out;
  for (int i = 0; i < registers.at(n); ++i) {
    std::string reg = cat(classes[size_t(registers.type)], first + i);
    std::string address = cat("[", base, "+", offset, "]");
    out += cat("  ", op, ".global.", ptxName(registers.type), " ",
               op == "ld" ? cat(reg, ", ", address) : cat(address, ", ", reg), ";\n");
    offset += bits(registers.type) / 8;
  }
  return out;
}

// Copies the tiles from %l14 to shared memory and makes their descriptors, %l0 and %l1: strides of
// 128 bytes between groups of 8 rows, and of all rows' worth along K.
std::string Product::groupPrologue(const std::string &name) const {
  auto descriptor = [](std::string_view reg, int64_t offset, int64_t rows) {
    uint64_t strides = uint64_t(rows / 8 * 128 / 16) << 16 | uint64_t(128 / 16) << 32;
    return cat("  mov.u32 %r240, tile;\n  add.u32 %r240, %r240, ", offset,
               ";\n  shr.u32 %r240, %r240, 4;\n  and.b32 %r240, %r240, 16383;\n  cvt.u64.u32 ", reg,
               ", %r240;\n  or.b64 ", reg, ", ", reg, ", ", strides, ";\n");
  };
  int64_t bytesA = tileBytes(row.a, atom.m), bytes = bytesA + tileBytes(row.b, atom.n);
  return cat("  mov.u32 %r241, tile;\n  shl.b32 %r243, %r250, 2;\nloop_", name,
             ":\n  setp.ge.u32 %p1, %r243, ", bytes, ";\n  @%p1 bra done_", name,
             ";\n  cvt.u64.u32 %l10, %r243;\n  add.u64 %l10, %l10, %l14;\n"
             "  ld.global.b32 %r244, [%l10];\n  add.u32 %r245, %r241, %r243;\n"
             "  st.shared.b32 [%r245], %r244;\n  add.u32 %r243, %r243, 512;\n  bra loop_",
             name, ";\ndone_", name,
             ":\n  fence.proxy.async.shared::cta;\n  bar.sync 0;\n"
             "  setp.eq.u32 %p0, %r250, %r250;\n",
             bytesA ? descriptor("%l0", 0, atom.m) : "", descriptor("%l1", bytesA, atom.n),
             "  wgmma.fence.sync.aligned;\n");
}

std::string Product::kernel(const std::string &name) const {
  // %l12: this thread's input, %l13: its output, %l14: after the input of all threads.
  int bytesIn = 0, bytesOut = 0;
  std::string load, store;
  if (row.a.where == Residency::Rmem)
    load += eachRegister("ld", row.a.registers, choice.n, isGroup() ? 192 : 32, "%l12", bytesIn);
  if (row.b.where == Residency::Rmem)
    load += eachRegister("ld", row.b.registers, choice.n, 64, "%l12", bytesIn);
  load += eachRegister("ld", row.c.registers, choice.n, isGroup() ? 0 : 96, "%l12", bytesIn);
  if (row.sparsity.isSparse())
    load += eachRegister("ld", {RegisterType::B32, 1}, choice.n, isGroup() ? 200 : 128, "%l12",
                         bytesIn);
  store = eachRegister("st", result(), choice.n, 0, "%l13", bytesOut);
  if (row.scale.isScaled()) { // registers 129 and 130
    load += eachRegister("ld", {RegisterType::B32, 2}, choice.n, 129, "%l12", bytesIn);
    for (int i = 0; i < 4; ++i)
      load += cat("  mov.b16 %h", i, ", 0;\n");
  }
  std::string shared, before, after;
  if (isGroup()) {
    shared = cat("  .shared .align 128 .b8 tile[",
                 tileBytes(row.a, atom.m) + tileBytes(row.b, atom.n), "];\n");
    before = groupPrologue(name);
    after = "  wgmma.commit_group.sync.aligned;\n  wgmma.wait_group.sync.aligned 0;\n";
  }
  return cat(".visible .entry ", name, "(.param .u64 in, .param .u64 out) {\n",
             registerDeclarations(0), shared,
             "  ld.param.u64 %l14, [in];\n  ld.param.u64 %l13, [out];\n  mov.u32 %r250, %tid.x;\n"
             "  mad.wide.u32 %l12, %r250, ",
             bytesIn, ", %l14;\n  mad.wide.u32 %l13, %r250, ", bytesOut,
             ", %l13;\n  add.u64 %l14, %l14, ", bytesIn * threads(), ";\n", load, before,
             instruction(row, choice), after, store, "  ret;\n}\n");
}

} // namespace tessera::atom::test
