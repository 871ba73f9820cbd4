// Deals registers to matrices, multiplies, and deals the result back.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/Mma.h"

#include "tessera/layout/Algebra.h"
#include "tessera/layout/Domains.h"
#include "tessera/sim/Grid.h"
#include "tessera/sim/Number.h"

#include <algorithm>
#include <map>

namespace tessera::sim {

using atom::Element;
using atom::NumberKind;

namespace {

const Format &formatOf(Element element) {
  switch (element) {
  case Element::f16: return formats::f16;
  case Element::bf16: return formats::bf16;
  case Element::e4m3: return formats::e4m3;
  case Element::e5m2: return formats::e5m2;
  case Element::e2m3: return formats::e2m3;
  case Element::e3m2: return formats::e3m2;
  case Element::e2m1: return formats::e2m1;
  case Element::ue8m0: return formats::ue8m0;
  case Element::ue4m3: return formats::ue4m3;
  default: return formats::f32;
  }
}

/// The values of the 256 codes of a narrow format.
const double *narrowValues(Element element) {
  static const auto tables = [] {
    std::map<Element, std::vector<double>> out;
    for (const atom::ElementRow &row : atom::elements())
      if (row.bits <= 8 && row.kind == NumberKind::Float)
        for (uint64_t code = 0; code < 256; ++code)
          out[row.element].push_back(decode(formatOf(row.element), code & ((1u << row.bits) - 1)));
    return out;
  }();
  auto found = tables.find(element);
  return found == tables.end() ? nullptr : found->second.data();
}

int64_t integerOf(Element element, uint64_t code) {
  int size = atom::bits(element);
  code &= size < 64 ? (uint64_t(1) << size) - 1 : ~uint64_t(0);
  bool negative = atom::kindOf(element) == NumberKind::Signed && (code >> (size - 1) & 1);
  return negative ? int64_t(code) - (int64_t(1) << size) : int64_t(code);
}

/// Values of one operand in registers of 32 or 64 bits, as doubles, which hold all of them exactly.
class Reader {
public:
  Reader(const Warp &w, const atom::Operand &operand, const Slot *registers)
      : w(w), element(operand.element), stored(operand.storedBits()),
        shift(operand.containerShift()), registers(registers),
        table(narrowValues(operand.element)) {}

  uint64_t code(int lane, size_t value) const {
    if (stored == 64)
      return w.in<uint64_t>(registers[value])[lane];
    size_t bit = value * size_t(stored);
    uint32_t word = w.in<uint32_t>(registers[bit / 32])[lane];
    return stored == 32 ? word : (word >> (bit % 32) & ((1u << stored) - 1)) >> shift;
  }
  double operator()(int lane, size_t value) const {
    uint64_t c = code(lane, value);
    switch (element) {
    case Element::f64: return std::bit_cast<double>(c);
    case Element::f32: return double(std::bit_cast<float>(uint32_t(c)));
    case Element::tf32:
      return double(std::bit_cast<float>(uint32_t(c) & ~0x1fffu)); // low bits are not looked at
    case Element::f16: return double(halfToFloat(uint16_t(c)));
    case Element::bf16: return double(bfloatToFloat(uint16_t(c)));
    default: return table ? table[c & 255] : double(integerOf(element, c));
    }
  }

private:
  const Warp &w;
  Element element;
  int stored, shift;
  const Slot *registers;
  const double *table;
};

/// One product's operands: A by rows, B with N fastest, so that the innermost loop runs along N.
struct Matrices {
  std::vector<double> a, b, c;
};

/// Which elements of a sparse A are stored; four bits of metadata tell of a chunk. PTX
/// ISA 9.7.14.6.1.
std::optional<std::vector<bool>> keptElements(Warp &w, const MmaPlan &plan) {
  const atom::Sparsity &sparsity = plan.row->sparsity;
  std::vector<bool> kept(size_t(plan.m) * size_t(plan.k));
  size_t chunk = sparsity.elementsPerByte / 2u, unit = chunk == 8 ? 2 : 1;
  uint32_t lanesPerSelector = 4u / std::max<uint32_t>(sparsity.selectors, 1);
  for (int lane = 0; lane < warpSize; ++lane) {
    if (uint32_t(lane) % 4 / lanesPerSelector != plan.selector)
      continue;
    uint32_t word = w.in<uint32_t>(plan.metadataSlot)[lane];
    for (size_t v = 0; v < plan.metadata.perLane; v += chunk) {
      size_t first = plan.metadata.index[size_t(lane) * plan.metadata.perLane + v];
      uint32_t bits = word >> (v / chunk * 4) & 15, one = bits & 3, two = bits >> 2;
      if (chunk == 2) // 0b0100 keeps the first of two, 0b1110 the second
        one = two = bits == 0b1110;
      if (chunk != 2 && one == two) {
        w.fault(lane, Error::SparseMetadata, hex(bits), first % size_t(plan.m));
        return std::nullopt;
      }
      for (size_t e = 0; e < unit; ++e)
        kept[first + size_t(plan.m) * (one * unit + e)] =
            kept[first + size_t(plan.m) * (two * unit + e)] = true;
    }
  }
  return kept;
}

/// The factors of rows (or columns) along K, one for `vec` elements each. PTX ISA 9.7.14.3.
std::vector<double> factors(Warp &w, const MmaPlan &plan, int which) {
  const atom::BlockScale &scale = plan.row->scale;
  int extent = which == 0 ? plan.m : plan.n, count = plan.k / scale.vec;
  std::vector<double> out(size_t(extent) * size_t(count), 1.0);
  for (int lane = 0; lane < warpSize; ++lane) {
    uint32_t thread = w.in<uint16_t>(plan.threadId[which])[lane],
             byte = w.in<uint16_t>(plan.byteId[which])[lane];
    if (which == 0 ? uint32_t(lane) % 4 / 2 != thread : uint32_t(lane) % 4 != thread)
      continue;
    int row = which == 0 ? lane / 4 + lane % 2 * 8 : lane / 4;
    for (int f = 0; f < count; ++f) {
      uint32_t code =
          w.in<uint32_t>(plan.scale[which])[lane] >> (8 * ((byte + uint32_t(f)) & 3)) & 255;
      out[size_t(row * count + f)] = decode(formatOf(scale.element), code);
    }
  }
  return out;
}

void read(Warp &w, const Instruction &i, const MmaPlan &plan, int product,
          const std::vector<bool> *kept, Matrices &to) {
  const atom::MmaRow &row = *plan.row;
  const Slot *registers = i.list + plan.c.registers;
  Reader a(w, row.a, registers), b(w, row.b, registers + plan.a.registers),
      c(w, row.c, registers + plan.a.registers + plan.b.registers);
  size_t m = size_t(plan.m), n = size_t(plan.n), k = size_t(plan.k);
  to.a.assign(m * k, 0);
  to.b.resize(n * k);
  to.c.resize(m * n);
  for (size_t position = 0; position < plan.lanes.size(); ++position) {
    int lane = plan.lanes[position] + 4 * product;
    size_t stored = 0;
    for (size_t v = 0; v < plan.a.perLane; ++v)
      if (size_t at = plan.a.index[position * plan.a.perLane + v]; !kept || (*kept)[at])
        to.a[at % m * k + at / m] = a(lane, stored++);
    for (size_t v = 0; v < plan.b.perLane; ++v) {
      size_t at = plan.b.index[position * plan.b.perLane + v];
      to.b[at / n * n + at % n] = b(lane, v);
    }
    for (size_t v = 0; v < plan.c.perLane; ++v) {
      size_t at = plan.c.index[position * plan.c.perLane + v];
      to.c[at % m * n + at / m] = c(lane, v);
    }
  }
}

/// sum[n] += a[k] * b[k][n] over k, for one row of A.
template <class F>
void accumulate(const MmaPlan &plan, const Matrices &x, size_t row, double *sum, F f) {
  size_t n = size_t(plan.n), k = size_t(plan.k);
  for (size_t j = 0; j < k; ++j) {
    double a = x.a[row * k + j];
    const double *b = &x.b[j * n];
    for (size_t column = 0; column < n; ++column)
      sum[column] = f(a, b[column], sum[column]);
  }
}

/// The code of C + sum in the type of D.
uint64_t resultOf(const atom::MmaRow &row, double c, double sum) {
  Element element = row.d.element == Element::none ? row.c.element : row.d.element;
  if (element == Element::s32) {
    int64_t exact = int64_t(c) + int64_t(sum);
    return uint32_t(row.overflow == atom::Overflow::Satfinite
                        ? std::clamp<int64_t>(exact, INT32_MIN, INT32_MAX)
                        : exact);
  }
  if (element == Element::f64)
    return std::bit_cast<uint64_t>(sum);
  double total = addToOdd(sum, c);
  if (element == Element::f32 && !std::isnan(total))
    return std::bit_cast<uint32_t>(float(total));
  return encode(formatOf(element), total, {});
}

void multiply(Warp &w, const Instruction &i, const MmaPlan &plan, int product, const Matrices &x,
              const std::vector<double> *scales) {
  const atom::MmaRow &row = *plan.row;
  size_t n = size_t(plan.n), k = size_t(plan.k);
  bool chained = row.c.element == Element::f64;
  std::vector<uint64_t> codes(size_t(plan.m) * n);
  std::vector<double> sum(n);
  for (size_t m = 0; m < size_t(plan.m); ++m) {
    std::fill(sum.begin(), sum.end(), 0.0);
    if (chained)
      std::copy_n(&x.c[m * n], n, sum.begin());
    if (chained)
      accumulate(plan, x, m, sum.data(),
                 [](double a, double b, double s) { return std::fma(a, b, s); });
    else if (row.bitOp == atom::BitOp::XorPopc)
      accumulate(plan, x, m, sum.data(), [](double a, double b, double s) { return s + (a != b); });
    else if (scales) {
      size_t blocks = k / row.scale.vec;
      for (size_t j = 0; j < k; ++j)
        for (size_t c = 0; c < n; ++c) {
          size_t block = j / row.scale.vec;
          sum[c] += x.a[m * k + j] * x.b[j * n + c] * scales[0][m * blocks + block] *
                    scales[1][c * blocks + block];
        }
    } else
      accumulate(plan, x, m, sum.data(), [](double a, double b, double s) { return s + a * b; });
    for (size_t c = 0; c < n; ++c)
      codes[m * n + c] = resultOf(row, x.c[m * n + c], sum[c]);
  }
  int stored = row.c.storedBits();
  for (size_t position = 0; position < plan.lanes.size(); ++position) {
    int lane = plan.lanes[position] + 4 * product;
    for (size_t v = 0; v < plan.c.perLane; ++v) {
      size_t at = plan.c.index[position * plan.c.perLane + v], bit = v * size_t(stored);
      uint64_t code = codes[at % size_t(plan.m) * n + at / size_t(plan.m)];
      if (stored == 64)
        w.out<uint64_t>(i.list[v])[lane] = code;
      else if (stored == 32)
        w.out<uint32_t>(i.list[v])[lane] = uint32_t(code);
      else
        w.out<uint16_t>(i.list[bit / 32])[2 * lane + int(bit % 32 / 16)] = uint16_t(code);
    }
  }
}

FragmentTable tableOf(const layout::Layout &tv, const atom::Operand &operand, size_t positions,
                      bool halved) {
  FragmentTable out;
  out.index = indicesOf(tv);
  out.perLane = out.index.size() / positions;
  size_t size = operand.storedBits() == 64 ? 64 : 32;
  out.registers = out.perLane * size_t(operand.storedBits()) / size / (halved ? 2 : 1);
  return out;
}

} // namespace

std::vector<uint16_t> indicesOf(const layout::Layout &tv) {
  auto mode = [](const layout::Layout &part) {
    std::vector<int64_t> out{0}, shapes;
    part.shape.forEachLeaf([&](const layout::Leaf &leaf) { shapes.push_back(leaf.value.value); });
    size_t next = 0;
    part.stride.forEachLeaf([&](const layout::Leaf &leaf) {
      size_t have = out.size();
      for (int64_t i = 1; i < shapes[next]; ++i)
        for (size_t j = 0; j < have; ++j)
          out.push_back(out[j] + i * leaf.value.value);
      ++next;
    });
    return out;
  };
  std::vector<uint16_t> all;
  std::vector<int64_t> values = mode(tv[1]);
  for (int64_t thread : mode(tv[0]))
    for (int64_t value : values)
      all.push_back(uint16_t(thread + value));
  return all;
}

const atom::MmaRow *warpMma(std::string_view mnemonic) {
  static const auto rows = [] {
    std::map<std::string, const atom::MmaRow *, std::less<>> out;
    using enum atom::Recipe;
    for (const atom::MmaRow &row : atom::mmaRows())
      if (row.recipe == MmaSync || row.recipe == MmaSparse || row.recipe == BlockScale ||
          row.recipe == BlockScaleSparse)
        out.emplace(row.mnemonic, &row);
    return out;
  }();
  auto found = rows.find(mnemonic);
  return found == rows.end() ? nullptr : found->second;
}

void prepare(MmaPlan &plan, const atom::MmaRow &row) {
  plan.row = &row;
  layout::MmaAtomLayouts atom = atom::layouts(row);
  plan.m = int(atom.m);
  plan.n = int(atom.n);
  plan.k = int(atom.k);
  // A quad pair is four lanes of each half of the warp; there are four of them.
  bool quadPairs = row.threads != "32:1";
  plan.products = quadPairs ? 4 : 1;
  for (int position = 0; position < (quadPairs ? 8 : warpSize); ++position)
    plan.lanes.push_back(quadPairs ? position % 4 + position / 4 * 16 : position);
  plan.a = tableOf(atom.a, row.a, plan.lanes.size(), row.sparsity.isSparse());
  plan.b = tableOf(atom.b, row.b, plan.lanes.size(), false);
  plan.c = tableOf(atom.c, row.c, plan.lanes.size(), false);
  if (row.sparsity.isSparse()) {
    plan.metadata.index =
        indicesOf(layoutOf(row.sparsity.fragment, {.m = plan.m, .n = plan.n, .k = plan.k}));
    plan.metadata.perLane = plan.metadata.index.size() / warpSize;
  }
}

Flow runMma(Warp &w, const Instruction &i, Mask mask) {
  Flow flow = Flow::Next;
  if (!w.together(mask, allLanes, flow))
    return flow;
  const auto &plan = *static_cast<const MmaPlan *>(i.plan);
  std::optional<std::vector<bool>> kept;
  if (plan.row->sparsity.isSparse() && !(kept = keptElements(w, plan)))
    return Flow::Fault;
  std::vector<double> scales[2];
  for (int which : {0, 1})
    if (plan.row->scale.isScaled())
      scales[which] = factors(w, plan, which);
  static thread_local Matrices matrices;
  for (int product = 0; product < plan.products; ++product) {
    read(w, i, plan, product, kept ? &*kept : nullptr, matrices);
    multiply(w, i, plan, product, matrices, plan.row->scale.isScaled() ? scales : nullptr);
  }
  return Flow::Next;
}

} // namespace tessera::sim
