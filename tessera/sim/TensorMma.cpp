// Finds the row that a descriptor names, gathers operands from shared and tensor memory,
// multiplies, and puts the sums back.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/TensorMma.h"

#include "tessera/sim/SharedMatrix.h"

#include <cstring>
#include <map>

namespace tessera::sim {

using atom::MmaRow;

namespace {

/// Where row m and column n of D lie. PTX ISA 9.7.16.10.5, layouts A to G: `rows` of them are a
/// block's; scattered, 16 at the beginning of each quarter of the lanes; columns folded, their
/// later part `rows` lanes further on.
struct DataPath {
  char layout;
  bool isWs;
  uint8_t ctas;
  int m;
  int sparse; // -1: either
  uint32_t rows, folds;
  bool isScattered;
};
constexpr DataPath dataPaths[] = {
    {'A', false, 2, 256, -1, 128, 1, false}, {'B', false, 2, 128, 0, 64, 2, false},
    {'C', false, 2, 128, 1, 64, 1, true},    {'D', false, 1, 128, -1, 128, 1, false},
    {'D', true, 1, 128, -1, 128, 1, false},  {'E', true, 1, 64, -1, 64, 2, false},
    {'F', false, 1, 64, -1, 64, 1, true},    {'G', true, 1, 32, -1, 32, 4, false},
};
struct PlaceOfSum {
  size_t cta;
  uint32_t lane, column;
};
uint32_t laneOf(const DataPath &path, uint32_t row) {
  return path.isScattered ? row % 16 + row / 16 * 32 : row;
}
PlaceOfSum placeOf(const DataPath &path, uint32_t m, uint32_t n, uint32_t columns) {
  uint32_t part = columns / path.folds;
  return {m / path.rows, laneOf(path, m % path.rows) + path.rows * (n / part), n % part};
}

/// One product while it is made.
class Product {
public:
  Product(Warp &w, const TensorMmaPlan &plan, const Pair &ctas, int lane)
      : w(w), plan(plan), ctas(ctas), lane(lane) {}

  bool make() {
    if (!choose())
      return false;
    if (w.observer)
      w.tell(AsyncWork{.what = AsyncWork::Begin,
                       .by = Agent::TensorWork,
                       .lane = lane,
                       .sums = {.address = address(plan.d).word(),
                                .m = uint16_t(product.m),
                                .n = uint16_t(product.n),
                                .kind = uint8_t(plan.kind),
                                .ctas = plan.ctas}});
    if (!gatherA() || !gatherB() || !gatherScales() || !note(Access::TensorOperand) ||
        !gatherSums())
      return false;
    multiplyParts();
    return scatter() && note(accumulates() ? Access::TensorSum : Access::TensorProduct) &&
           (!plan.shifts || shiftA());
  }

private:
  template <class... Pieces> bool refuse(const Pieces &...pieces) {
    return w.fault(lane, Error::TensorProduct, cat(pieces...)), false;
  }
  TensorAddress address(const AddressOperand &operand) const {
    return TensorAddress::of(uint32_t(operand.address(w, lane)));
  }
  size_t ctaCount() const { return plan.ctas; }
  bool accumulates() const { return w.predicate(plan.accumulates) >> lane & 1; }
  uint32_t *cellOf(size_t cta, TensorAddress at) {
    return tensorCell(w, *ctas[cta], at, lane, w.observer ? &used[cta] : nullptr);
  }
  /// Tells the observer of the cells since the last call.
  bool note(Access access) {
    for (size_t c = 0; w.observer && c < ctaCount(); ++c) {
      if (!w.tell(TensorAccess{*ctas[c], used[c], access, lane}))
        return false;
      used[c].clear();
    }
    return true;
  }

  /// The row, the shape and the data path.
  bool choose() {
    uint32_t word = w.in<uint32_t>(plan.descriptor)[lane];
    Result<atom::InstructionDescriptor> read = atom::decode(plan.kind, word);
    if (!read)
      return refuse(read.reason().text);
    descriptor = *read;
    const atom::InstructionDescriptor &d = descriptor;
    if (d.isSparse != plan.isSparse)
      return refuse("its descriptor ", hex(word), " and its text differ in sparsity");
    bool selects =
        d.isSparse && (plan.kind == atom::MmaKind::F16 || plan.kind == atom::MmaKind::Tf32);
    if (d.selector && !selects)
      return refuse("its descriptor ", hex(word), " has selector ", d.selector,
                    " of sparsity, which only a sparse A of f16 and tf32 has");
    if (d.shift && !plan.isWs)
      return refuse("its descriptor ", hex(word), " lets B be shifted, which is for .ws");
    row = find();
    if (!row)
      return refuse("no row of the atom table has A of ", atom::name(d.a),
                    plan.a == noSlot ? " in tensor memory, B of " : ", B of ", atom::name(d.b),
                    " and sums of ", atom::name(d.c), " in ", name(plan.kind), scaleText());
    bool fits = row->m.contains(d.m) && row->n.contains(d.n);
    path = std::find_if(std::begin(dataPaths), std::end(dataPaths), [&](const DataPath &p) {
      return p.isWs == plan.isWs && p.ctas == plan.ctas && p.m == d.m &&
             (p.sparse < 0 || bool(p.sparse) == plan.isSparse);
    });
    if (!fits || path == std::end(dataPaths))
      return refuse(row->name, " has no shape of M = ", d.m, " and N = ", d.n);
    if (!checkShift() || !checkLanes() || !chooseColumns())
      return false;
    product.row = row;
    product.m = size_t(d.m);
    product.n = size_t(d.n);
    product.k = size_t(row->k);
    if (d.saturates) {
      clamped = *row;
      clamped->overflow = atom::Overflow::Satfinite;
      product.row = &*clamped;
    }
    return true;
  }
  std::string scaleText() const {
    if (descriptor.scale == atom::Element::none)
      return "";
    return cat(", with a factor of ", atom::name(descriptor.scale), " for ", plan.vec, " elements",
               descriptor.isLong ? " and K = 96" : "");
  }
  /// PTX ISA 9.7.16.10.9: A of 128 or 256 rows. A sparse one of 128 rows in a pair, data path C,
  /// the syntax has, but a B200 ends there (TIRx-harness).
  bool checkShift() {
    if (!plan.shifts || (descriptor.m >= 128 && path->layout != 'C'))
      return true;
    return refuse(".ashift takes M = 128 or 256",
                  path->layout == 'C' ? ", of a pair and sparse 256," : "", " not ", descriptor.m);
  }
  /// PTX ISA 9.7.16.10.5: the column of the table on the alignment of lanes, and the sentence below
  /// it.
  bool checkLanes() {
    uint32_t first = address(plan.d).lane;
    if (first && (first != 16 || !path->isScattered))
      return refuse("D of M = ", descriptor.m, " begins at lane 0",
                    path->isScattered ? " or 16" : "", " of tensor memory (layout ", path->layout,
                    "), not at lane ", first);
    auto others = [&](const char *which, const AddressOperand &operand) {
      uint32_t own = address(operand).lane;
      return own == first ||
             refuse(which, " begins at lane ", own, " of tensor memory, but D at lane ", first,
                    "; both have to be the same");
    };
    return (plan.a != noSlot || others("A", plan.aTensor)) &&
           (!plan.isSparse || others("metadata", plan.metadata));
  }
  /// The columns of B that count, and which is the first: PTX ISA 9.7.16.4.3. Spans are as in its
  /// examples, which its table has the other way around.
  bool chooseColumns() {
    zeros.clear();
    if (plan.zeros == noSlot)
      return true;
    uint64_t word = w.in<uint64_t>(plan.zeros)[lane];
    auto field = [&](int bit, int width) {
      return uint32_t(word >> bit & ((uint64_t(1) << width) - 1));
    };
    for (int bit : {36, 37, 38, 62, 63})
      if (field(bit, 1))
        return refuse("bit ", bit, " of a zero-column mask is reserved, but is 1");
    constexpr uint32_t mostOf[] = {0, 8, 16, 32};
    uint32_t most = std::min<uint32_t>(mostOf[descriptor.shift], descriptor.m == 32 ? 16 : 32);
    firstColumn = field(56, 6);
    if (firstColumn > most)
      return refuse("its zero-column mask shifts B by ", firstColumn,
                    " columns, but the descriptor ", "and M = ", descriptor.m, " allow ", most);
    if (!field(39, 1))
      return true;
    uint32_t ones = field(40, 8) + 1, period = ones + field(48, 8) + 1;
    auto columns = uint32_t(descriptor.n), parts = 128u / uint32_t(descriptor.m);
    for (uint32_t n = 0; n < columns; ++n) {
      int part = int(n / (columns / parts));
      uint32_t at = (n % (columns / parts) + field(8 * part, 8)) % period;
      zeros.push_back(field(32 + part, 1) ? at < ones : at >= period - ones);
    }
    return true;
  }
  /// Table 52 of the PTX ISA, of matrices that lie along M or N.
  bool checkSwizzle(const char *which, const atom::Operand &operand, atom::Major major,
                    uint64_t word) {
    Result<atom::SmemMatrix> matrix = atom::smemMatrix(atom::DescriptorKind::Tcgen05, word, major);
    if (major == atom::Major::K || !matrix) // what is wrong is said where it is read
      return true;
    bool isWide = operand.storedBits() == 32, inAtoms = matrix->swizzle == atomsOf32;
    return isWide == inAtoms ||
           refuse(which, " of ", operand.storedBits(), " bits along ", which[0] == 'A' ? "M" : "N",
                  isWide ? " takes only" : " does not take",
                  " the swizzle of 128 bytes in atoms of 32 (code 1)");
  }
  static constexpr layout::Swizzle atomsOf32 = {2, 5, 2};

  const MmaRow *find() const {
    using Key = std::tuple<atom::MmaKind, uint8_t, bool, bool, bool, atom::Element, atom::Element,
                           atom::Element, atom::Element, int, bool>;
    static const auto rows = [] {
      std::map<Key, const MmaRow *> out;
      for (const MmaRow &row : atom::mmaRows())
        if (row.recipe == atom::Recipe::Umma)
          out.emplace(Key{row.kind, row.ctas, row.weightStationary, row.sparsity.isSparse(),
                          row.a.where == atom::Residency::Tmem, row.a.element, row.b.element,
                          row.c.element, row.scale.element, row.scale.vec, row.k == 96},
                      &row);
      return out;
    }();
    const atom::InstructionDescriptor &d = descriptor;
    // With K = 96, atoms exist only for A in shared memory and mxf4nvf4; tables 59 and 60 of the
    // ISA also have mxf4.
    bool isTensor = plan.a == noSlot && !d.isLong;
    atom::MmaKind kind =
        d.isLong && plan.kind == atom::MmaKind::Mxf4 ? atom::MmaKind::Mxf4nvf4 : plan.kind;
    auto found = rows.find(Key{kind, plan.ctas, plan.isWs, plan.isSparse, isTensor, d.a, d.b, d.c,
                               d.scale, plan.vec * (plan.isSparse ? 2 : 1), d.isLong});
    return found == rows.end() ? nullptr : found->second;
  }

  // A: of a sparse one what is stored stands in the first half of each row, and goes to its place
  // then

  /// What is in tensor memory, A or metadata, each part of N has in its own lanes: CUTLASS lays out
  /// a copy for each, and FlashMLA another A. `folded` has those after the first, if they differ.
  bool gatherA() {
    size_t stored = product.k / (plan.isSparse ? 2 : 1);
    bool inLanes = plan.a == noSlot || plan.isSparse;
    std::vector<double> first;
    for (uint32_t part = 0; part < (inLanes ? path->folds : 1); ++part) {
      x.a.assign(product.m * product.k, 0);
      if ((plan.a == noSlot ? !tensorA(stored, part) : !sharedA(stored)) ||
          (plan.isSparse && !spread(stored, part)))
        return false;
      if (!part)
        first = x.a;
      else
        folded.push_back(x.a);
    }
    x.a = std::move(first);
    if (std::all_of(folded.begin(), folded.end(), [&](const std::vector<double> &other) {
          return !std::memcmp(other.data(), x.a.data(), other.size() * sizeof(double));
        }))
      folded.clear();
    return true;
  }
  /// With one A, or with one for each part of N.
  void multiplyParts() {
    double sign = descriptor.negatesA != descriptor.negatesB ? -1 : 1;
    const std::vector<double> *factors = row->scale.isScaled() ? scales : nullptr;
    if (folded.empty())
      return sim::multiply(product, x, sign, factors);
    size_t n = product.n / path->folds, count = factors ? product.k / row->scale.vec : 0;
    MmaPlan part = product;
    part.n = n;
    std::vector<uint64_t> sums(product.m * product.n);
    auto columns = [&](const std::vector<double> &from, size_t rows, size_t first) {
      std::vector<double> out;
      for (size_t r = 0; r < rows; ++r)
        out.insert(out.end(), &from[r * product.n + first], &from[r * product.n + first] + n);
      return out;
    };
    for (size_t p = 0; p < path->folds; ++p) {
      Panels own{p ? folded[p - 1] : x.a,
                 columns(x.b, product.k, p * n),
                 columns(x.c, product.m, p * n),
                 {}};
      std::vector<double> its[2];
      if (factors)
        its[0] = scales[0],
        its[1].assign(&scales[1][p * n * count], &scales[1][p * n * count] + n * count);
      sim::multiply(part, own, sign, factors ? its : nullptr);
      for (size_t m = 0; m < product.m; ++m)
        std::copy_n(&own.d[m * n], n, &sums[m * product.n + p * n]);
    }
    x.d = std::move(sums);
  }
  bool sharedA(size_t stored) {
    size_t perCta = product.m / ctaCount();
    bool inK = descriptor.aMajor == atom::Major::K;
    if (!inK && row->a.majors == atom::Major::K)
      return refuse(row->name, " has A along K only");
    if (!checkSwizzle("A", row->a, descriptor.aMajor, w.in<uint64_t>(plan.a)[lane]))
      return false;
    for (size_t c = 0; c < ctaCount(); ++c) {
      double *a = &x.a[c * perCta * product.k];
      SharedMatrix matrix(w, *ctas[c], atom::DescriptorKind::Tcgen05, row->a, descriptor.aMajor,
                          lane);
      if (!matrix.read(w.in<uint64_t>(plan.a)[lane], perCta, stored,
                       [&](size_t m, size_t k, const double *values, size_t count) {
                         for (size_t i = 0; i < count; ++i)
                           a[inK ? m * product.k + k + i : (m + i) * product.k + k] = values[i];
                       }))
        return false;
    }
    return true;
  }
  /// The cell of row m that a part of N has: in the lanes of the part.
  uint32_t *cellOfPart(size_t m, TensorAddress at, uint32_t part) {
    return cellOf(m / path->rows, {at.lane + part * path->rows, at.column});
  }
  bool tensorA(size_t stored, uint32_t part) {
    TensorAddress base = address(plan.aTensor);
    size_t bits = size_t(row->a.storedBits()), perWord = 32 / bits;
    for (uint32_t m = 0; m < product.m; ++m)
      for (size_t k = 0; k < stored; k += perWord) {
        const uint32_t *cell = cellOfPart(
            m, {base.lane + laneOf(*path, m % path->rows), base.column + uint32_t(k / perWord)},
            part);
        if (!cell)
          return false;
        decode(row->a, reinterpret_cast<const std::byte *>(cell), perWord, &x.a[m * product.k + k]);
      }
    return true;
  }
  /// PTX ISA 9.7.16.10.9, .ashift. What it does is said in Tcgen05.cpp.
  bool shiftA() {
    TensorAddress base = address(plan.aTensor);
    auto columns = uint32_t(product.k / (plan.isSparse ? 2 : 1) * size_t(row->a.storedBits()) / 32);
    for (size_t c = 0; c < ctaCount(); ++c)
      if (!shiftRows(w, *ctas[c], base, 4, columns, lane))
        return false;
    return true;
  }
  /// Metadata: the 32 bits of a cell describe the chunks of one row; for f16 and tf32 each half of
  /// a cell describes one of two rows, eight lanes apart for the two halves of K, in one of two
  /// columns. PTX ISA 9.7.16.10.6; CUTLASS's tmem_e_frg.
  bool spread(size_t stored, uint32_t part) {
    TensorAddress base = address(plan.metadata);
    size_t chunk = row->sparsity.elementsPerByte / 2u, perCell = 32 / 4 * chunk, half = perCell / 2;
    bool isSplit = atom::bits(row->a.element) >= 16;
    // Which of four columns a selector beyond 1 means is in figures only: added, or in place of the
    // address's own low bits, it is the same from every fourth column on.
    if (uint32_t step = descriptor.selector > 1 ? 4 : 2; isSplit && base.column % step)
      return refuse("metadata of ", name(plan.kind), " begin at ",
                    step == 2 ? "an even column" : "every fourth column", ", not at column ",
                    base.column, "; the descriptor's selector adds ", descriptor.selector);
    Kept kept(product.m * product.k);
    for (uint32_t m = 0; m < product.m; ++m)
      for (uint32_t k = 0; k < product.k; k += uint32_t(chunk)) {
        uint32_t own = m % path->rows;
        uint32_t at = isSplit ? own % 8 + k / uint32_t(half) % 2 * 8 + own / 16 * 16 : own;
        uint32_t column = k / uint32_t(perCell) + uint32_t(descriptor.selector);
        size_t inCell = isSplit ? own / 8 % 2 * half + k % half : k % perCell;
        const uint32_t *cell =
            cellOfPart(m, {base.lane + laneOf(*path, at), base.column + column}, part);
        if (!cell)
          return false;
        uint32_t bits = *cell >> (inCell / chunk * 4) & 15;
        size_t begin = m * product.k;
        if (keepChunk(kept, begin + k, chunk, bits))
          continue;
        // Of zeros it does not matter which they are: CUTLASS has 0 for rows and columns beyond A.
        if (std::any_of(&x.a[begin + k / 2], &x.a[begin + (k + chunk) / 2],
                        [](double value) { return value != 0; }))
          return w.fault(lane, Error::SparseMetadata, hex(bits), m), false;
        for (size_t e = 0; e < chunk; ++e)
          kept[begin + k + e] = e < chunk / 2;
      }
    for (size_t m = 0; m < product.m; ++m)
      for (size_t to = product.k, from = stored; to-- > 0;) {
        size_t at = m * product.k;
        x.a[at + to] = kept[at + to] ? x.a[at + --from] : 0;
      }
    return true;
  }

  //===--- B, factors, sums

  /// Each block has its part of the columns; .ws, which may shift B, has one block.
  bool gatherB() {
    size_t perCta = product.n / ctaCount(), n = product.n;
    bool inK = descriptor.bMajor == atom::Major::K;
    if (!inK && row->b.majors == atom::Major::K)
      return refuse(row->name, " has B along K only");
    // Table 50 of the PTX ISA.
    if (size_t step = 16 * ctaCount(); !inK && row->b.storedBits() == 8 && n % step)
      return refuse("B of 8 bits along N has N in steps of ", step, ", not N = ", n);
    if (!checkSwizzle("B", row->b, descriptor.bMajor, w.in<uint64_t>(plan.b)[lane]))
      return false;
    x.b.resize(product.k * n);
    for (size_t c = 0; c < ctaCount(); ++c) {
      double *b = &x.b[c * perCta];
      auto put = [&](size_t column, size_t k, double value) {
        if (column >= firstColumn && column - firstColumn < perCta)
          b[k * n + column - firstColumn] = value;
      };
      SharedMatrix matrix(w, *ctas[c], atom::DescriptorKind::Tcgen05, row->b, descriptor.bMajor,
                          lane);
      size_t extent = perCta + firstColumn, unit = 128 / size_t(row->b.storedBits());
      if (!inK && firstColumn)
        extent = (extent + unit - 1) / unit * unit;
      if (!matrix.read(w.in<uint64_t>(plan.b)[lane], extent, product.k,
                       [&](size_t column, size_t k, const double *values, size_t count) {
                         for (size_t i = 0; i < count; ++i)
                           put(inK ? column : column + i, inK ? k + i : k, values[i]);
                       }))
        return false;
    }
    for (size_t column = 0; column < zeros.size(); ++column)
      for (size_t k = 0; zeros[column] && k < product.k; ++k)
        x.b[k * n + column] = 0;
    return true;
  }
  /// The factor of row r and block f of K is byte id + f of lane r % 32, column r / 32, and the
  /// same in all quarters of the lanes. Bytes beyond the fourth are in the columns after those of
  /// 128 or 256 rows, where the next four factors are. Of A each block has its rows, of B each has
  /// all columns. PTX ISA 9.7.16.10.7. Where D is folded, in a pair of M = 128, each half of the
  /// lanes has its half of the columns, from lane 0 and the first column on: CUTLASS's
  /// ScaleFactorDuplicated2by2, though the ISA has one sentence for all.
  bool gatherScales() {
    if (!row->scale.isScaled())
      return true;
    size_t count = product.k / row->scale.vec;
    for (int which : {0, 1}) {
      size_t extent = which ? product.n : product.m, perCta = which ? extent : extent / ctaCount();
      auto id = size_t(which ? descriptor.scaleIdB : descriptor.scaleIdA);
      TensorAddress base = address(which ? plan.scaleB : plan.scaleA);
      base.lane &= 0x3fff; // CUTLASS leaves the byte, its source of the id, in bits 30 and 31
      // Four factors fill a column; two, and six of K = 96, begin one half of it.
      if (size_t step = count == 4 ? 4 : count % 2 ? 1 : 2; id % step)
        return refuse("id ", id, " of ", which ? "B" : "A", " cannot begin ", count,
                      " factors; it is ", step == 4 ? "0" : "0 or 2");
      uint32_t folds = which ? path->folds : 1, quarters = 4 / folds,
               perFold = uint32_t(perCta) / folds;
      auto after = uint32_t(4 * ((perFold + 127) / 128));
      scales[which].resize(extent * count);
      for (size_t c = 0; c < ctaCount(); ++c)
        for (uint32_t column = 0; column < perCta; ++column) {
          uint64_t bytes = 0;
          uint32_t r = column % perFold, lanes = r % 32 + column / perFold * quarters * 32;
          for (uint32_t quarter = 0; quarter < quarters; ++quarter) {
            uint64_t its = 0;
            for (uint32_t word = 0; word * 4 < id + count; ++word) {
              uint32_t *cell = cellOf(
                  c, {base.lane + lanes + quarter * 32, base.column + r / 32 + word * after});
              if (!cell)
                return false;
              its |= uint64_t(*cell) << (32 * word);
            }
            its = its >> (8 * id) & ((uint64_t(1) << (8 * count)) - 1);
            if (quarter && its != bytes)
              return refuse("factors of ", which ? "B" : "A", " differ between lanes ", lanes,
                            " and ", lanes + quarter * 32);
            bytes = its;
          }
          size_t first = (which ? column : c * perCta + column) * count;
          for (size_t f = 0; f < count; ++f) {
            double factor = number::decode(row->scale.element, bytes >> (8 * f) & 255);
            if (which && c && scales[which][first + f] != factor && !std::isnan(factor))
              return refuse("the blocks have different factors of column ", column);
            scales[which][first + f] = factor;
          }
        }
    }
    return true;
  }
  /// f(cell, number in the panel). Lanes that are disabled keep what they have.
  template <class F> bool eachSum(F f) {
    TensorAddress base = address(plan.d);
    for (uint32_t m = 0; m < product.m; ++m)
      for (uint32_t n = 0; n < product.n; ++n) {
        PlaceOfSum place = placeOf(*path, m, n, uint32_t(product.n));
        size_t where = place.cta * TensorMemory::lanes + base.lane + place.lane;
        if (!plan.disabled.empty() &&
            w.in<uint32_t>(plan.disabled[where / 32])[lane] >> where % 32 & 1)
          continue;
        uint32_t *cell = cellOf(place.cta, {base.lane + place.lane, base.column + place.column});
        if (!cell)
          return false;
        f(*cell, m * product.n + n);
      }
    return true;
  }
  bool gatherSums() {
    x.c.assign(product.m * product.n, 0);
    return !accumulates() || eachSum([&](uint32_t cell, size_t at) {
      decode(row->c, reinterpret_cast<const std::byte *>(&cell), 1, &x.c[at]);
      x.c[at] = std::ldexp(x.c[at], -plan.inputShift);
    });
  }
  /// A sum of 16 bits has a column of its own.
  bool scatter() {
    return eachSum([&](uint32_t &cell, size_t at) { cell = uint32_t(x.d[at]); });
  }

  Warp &w;
  const TensorMmaPlan &plan;
  const Pair &ctas;
  const int lane;
  TensorCells used[2];
  const MmaRow *row = nullptr;
  std::optional<MmaRow> clamped;
  const DataPath *path = nullptr;
  atom::InstructionDescriptor descriptor;
  MmaPlan product;
  Panels x;
  std::vector<std::vector<double>> folded; // A of the parts of N after the first, if they differ
  std::vector<bool> zeros;                 // columns of B that count as zeros, if any
  size_t firstColumn = 0;                  // of B
  std::vector<double> scales[2];
};

} // namespace

bool checkGroup(Warp &w, uint8_t ctas, int lane) {
  uint8_t &known = w.cta.cluster.ctaGroup;
  if (known && known != ctas)
    return w.fault(lane, Error::TensorGroup, int(ctas), int(known)), false;
  known = ctas;
  return true;
}

std::optional<Pair> pairOf(Warp &w, uint8_t ctas, int lane) {
  if (!checkGroup(w, ctas, lane))
    return std::nullopt;
  auto &all = w.cta.cluster.ctas;
  if (ctas == 1)
    return Pair{&w.cta, nullptr};
  uint32_t even = w.cta.rank & ~1u;
  if (even + 1 >= all.size()) {
    w.fault(lane, Error::TensorPair, w.cta.rank, all.size());
    return std::nullopt;
  }
  return Pair{all[even].get(), all[even + 1].get()};
}

uint32_t *tensorCell(Warp &w, Cta &cta, TensorAddress at, int lane, TensorCells *used) {
  TensorMemory &memory = cta.tensorMemory();
  if (at.lane < TensorMemory::lanes && memory.isAllocated(at.column)) {
    if (used)
      used->add(at);
    return &memory.at(at.lane, at.column);
  }
  bool exists = at.lane < TensorMemory::lanes && at.column < TensorMemory::columns;
  w.fault(lane, Error::TensorAccess, at.lane, at.column,
          exists ? "the column is not allocated" : "there are 128 lanes of 512 columns");
  return nullptr;
}

bool shiftRows(Warp &w, Cta &cta, TensorAddress from, uint32_t quarters, uint32_t columns,
               int lane) {
  constexpr uint32_t rows = 32;
  TensorCells used;
  for (uint32_t quarter = 0; quarter < quarters; ++quarter)
    for (uint32_t c = 0; c < columns; ++c) {
      uint32_t *above = nullptr;
      for (uint32_t r = 0; r < rows; ++r) {
        uint32_t *cell = tensorCell(w, cta, {from.lane + quarter * rows + r, from.column + c}, lane,
                                    w.observer ? &used : nullptr);
        if (!cell)
          return false;
        if (above)
          *above = *cell;
        above = cell;
      }
    }
  return !w.observer || w.tell(TensorAccess{cta, used, Access::TensorShift, lane});
}

bool multiply(Warp &w, const TensorMmaPlan &plan, int lane) {
  std::optional<Pair> ctas = pairOf(w, plan.ctas, lane);
  return ctas && Product(w, plan, *ctas, lane).make();
}

} // namespace tessera::sim
