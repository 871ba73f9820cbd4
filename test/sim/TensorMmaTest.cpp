// tcgen05.mma: every row of the atom table against products computed from the operands' values.
// Where elements lie is written here once more, by the figures of the PTX ISA: 9.7.16.5 (canonical
// layouts), 9.7.16.10.5 (data paths A to G), .6 (metadata), .7 (factors).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TensorBench.h"

#include "../atom/Numbers.h"
#include "../atom/Ptx.h"

#include "tessera/atom/InstructionDescriptor.h"

#include <algorithm>
#include <random>

namespace tessera::sim::test {

namespace {

using atom::Element;
using atom::MmaRow;

constexpr uint32_t columnOfA = 256, columnOfMetadata = 320, columnOfScaleA = 340,
                   columnOfScaleB = 350;

struct Spot {
  size_t block;
  uint32_t lane, column;
};
/// Row m, column n of D in data path `layout`, whose tile has N columns.
Spot spotOf(char layout, uint32_t m, uint32_t n, uint32_t N) {
  switch (layout) {
  case 'A': return {m / 128, m % 128, n};
  case 'B': return {m / 64, m % 64 + (n >= N / 2 ? 64u : 0u), n % (N / 2)};
  case 'C': return {m / 64, m % 64 / 16 * 32 + m % 16, n};
  case 'D': return {0, m, n};
  case 'E': return {0, m + (n >= N / 2 ? 64u : 0u), n % (N / 2)};
  case 'F': return {0, m / 16 * 32 + m % 16, n};
  default: return {0, m + n / (N / 4) * 32, n % (N / 4)};
  }
}

struct Options {
  int m = 128, n = 16;
  char layout = 'D';
  bool accumulates = true, mnMajor = false, swizzled = false;
  int inputShift = 0;
  std::vector<uint32_t> disabled{};
  bool negates = false, saturates = false;
  bool shifts = false; // .ashift
  bool blank = false;  // row 3 of a sparse A of 8 or 4 bits: zeros, and metadata that say nothing
};

class Product {
public:
  Product(const MmaRow &row, Options o, std::mt19937 &random)
      : row(row), o(o), K(row.k), random(random) {
    a = numbers(row.a.element, o.m * K);
    b = numbers(row.b.element, o.n * K);
    c = numbers(row.c.element, o.m * o.n);
    kept.assign(a.size(), true);
    images.resize(row.ctas);
    if (row.sparsity.isSparse())
      sparsify();
    if (o.blank) {
      std::fill_n(a.begin() + 3 * K, K, 0);
      for (uint32_t i = 0; i < 4; ++i)
        images[0].word(3, columnOfMetadata + i) = 0;
    }
    placeA();
    placeB();
    if (row.scale.isScaled())
      for (int which : {0, 1})
        placeScales(which);
    for (int m = 0; m < o.m; ++m)
      for (int n = 0; n < o.n; ++n) {
        Spot s = spotOf(o.layout, uint32_t(m), uint32_t(n), uint32_t(o.n));
        images[s.block].word(s.lane, s.column) =
            uint32_t(atom::test::encode(row.c.element, c[size_t(m * o.n + n)]));
      }
  }

  std::string kernel() const {
    atom::InstructionDescriptor d{
        .a = row.a.element, .b = row.b.element, .c = row.c.element, .m = o.m, .n = o.n};
    d.aMajor = d.bMajor = o.mnMajor ? atom::Major::MN : atom::Major::K;
    d.isSparse = row.sparsity.isSparse();
    d.scale = row.scale.element;
    d.isLong = K == 96;
    d.negatesA = o.negates;
    d.saturates = o.saturates;
    std::string body =
        cat("  or.b64 %d11, %d10, ", hex(aWord), ";\n  add.u64 %d12, %d10, ", bytesOfA() / 16,
            ";\n  or.b64 %d12, %d12, ", hex(bWord), ";\n  setp.", o.accumulates ? "eq" : "ne",
            ".u32 %p6, 0, 0;\n  mov.u32 %r20, ", *encode(row.kind, d),
            ";\n  mov.u32 %r21, 0;\n  mov.u32 %r22, ", columnOfA, ";\n  mov.u32 %r23, ",
            columnOfMetadata, ";\n  mov.u32 %r24, ", columnOfScaleA, ";\n  mov.u32 %r25, ",
            columnOfScaleB, ";\n");
    std::string lanes;
    for (size_t i = 0; i < o.disabled.size(); ++i) {
      body += cat("  mov.u32 %r", 30 + i, ", ", o.disabled[i], ";\n");
      lanes += cat(i ? ", " : "", "%r", 30 + i);
    }
    body += cat("  ", row.mnemonic, o.shifts ? ".ashift" : "", " [%r21], ",
                row.a.where == atom::Residency::Smem ? "%d11" : "[%r22]", ", %d12",
                row.sparsity.isSparse() ? ", [%r23]" : "", ", %r20",
                row.scale.isScaled() ? ", [%r24], [%r25]" : "",
                lanes.empty() ? "" : cat(", {", lanes, "}"), ", %p6",
                o.inputShift ? cat(", ", o.inputShift) : "", ";\n");
    body += cat("  tcgen05.commit.cta_group::", int(row.ctas),
                ".mbarrier::arrive::one.shared::cluster.b64 [bar];\nwaits:\n  "
                "mbarrier.try_wait.parity.shared::cta.b64 %p7, [bar], 0;\n  "
                "@!%p7 bra waits;\n");
    return tensorKernel(images[0].shared.size(), row.ctas, body);
  }

  void check() const {
    Result<std::vector<TensorImage>> got = runTensor(kernel(), images);
    ASSERT_TRUE(got) << row.name << " M " << o.m << " N " << o.n << ": " << got.reason().text;
    for (int m = 0; m < o.m; ++m)
      for (int n = 0; n < o.n; ++n) {
        Spot s = spotOf(o.layout, uint32_t(m), uint32_t(n), uint32_t(o.n));
        uint32_t word = (*got)[s.block].word(s.lane, s.column);
        bool isDisabled =
            !o.disabled.empty() && o.disabled[s.block * 4 + s.lane / 32] >> s.lane % 32 & 1;
        double want = isDisabled ? c[size_t(m * o.n + n)] : expected(m, n);
        ASSERT_EQ(atom::test::decodeAccumulator(
                      row.c.element, row.c.element == Element::f16 ? word & 0xffff : word),
                  want)
            << row.name << " M " << o.m << " N " << o.n << " at " << m << ", " << n;
      }
    for (size_t block = 0; o.shifts && block < images.size(); ++block)
      for (uint32_t lane = 0; lane < tensorLanes; ++lane)
        for (uint32_t column = columnOfA; column < columnOfA + 8; ++column)
          ASSERT_EQ((*got)[block].word(lane, column),
                    TensorImage(images[block]).word(lane % 32 == 31 ? lane : lane + 1, column))
              << row.name << " lane " << lane << ", column " << column;
  }
  std::vector<TensorImage> images;

private:
  std::vector<int> numbers(Element element, int count) {
    auto kind = kindOf(element);
    std::uniform_int_distribution<int> any(
        kind == atom::NumberKind::Float || kind == atom::NumberKind::Signed ? -2 : 0, 2);
    std::vector<int> out(static_cast<size_t>(count));
    for (int &x : out)
      x = any(random);
    return out;
  }
  double expected(int m, int n) const {
    double sum = 0;
    int vec = row.scale.vec ? row.scale.vec : K;
    for (int k = 0; k < K; ++k) {
      double product = a[size_t(m * K + k)] * b[size_t(n * K + k)];
      if (row.scale.isScaled())
        product *=
            scales[0][size_t(m * (K / vec) + k / vec)] * scales[1][size_t(n * (K / vec) + k / vec)];
      sum += product;
    }
    double before = o.accumulates ? std::ldexp(double(c[size_t(m * o.n + n)]), -o.inputShift) : 0;
    return before + (o.negates ? -sum : sum);
  }

  int storedK() const { return row.sparsity.isSparse() ? K / 2 : K; }
  int bitsOf(const atom::Operand &operand) const {
    return operand.containerBits               ? operand.containerBits
           : atom::bits(operand.element) == 19 ? 32
                                               : atom::bits(operand.element);
  }
  size_t bytesOfA() const {
    return (size_t(o.m / row.ctas) * size_t(storedK() * bitsOf(row.a)) / 8 + 1023) / 1024 * 1024;
  }
  size_t bytesOfB() const {
    return (size_t(o.n / row.ctas) * size_t(K * bitsOf(row.b)) / 8 + 1023) / 1024 * 1024;
  }

  /// The byte of row r, byte `at` of the row in the canonical layouts: core matrices of 8 rows of
  /// 16 bytes; or rows of 128 bytes whose units of 16 are permuted by the row.
  size_t byteOf(size_t r, size_t at, size_t rows, size_t rowBytes) const {
    if (o.swizzled) // the tile starts at a multiple of 1024
      return r / 8 * 1024 + r % 8 * 128 + ((at / 16) ^ (r % 8)) * 16 + at % 16;
    (void)rowBytes;
    return at / 16 * (rows * 16) + r / 8 * 128 + r % 8 * 16 + at % 16;
  }
  uint64_t word(size_t rows) const {
    if (o.swizzled)
      return uint64_t(1) << 16 | uint64_t(1024 / 16) << 32 | uint64_t(1) << 46 | uint64_t(2) << 61;
    return uint64_t(rows) << 16 | uint64_t(128 / 16) << 32 | uint64_t(1) << 46;
  }
  /// Puts a matrix of rows of `k` elements at `base` of a block's shared memory.
  void place(TensorImage &image, size_t base, const atom::Operand &operand,
             const std::vector<int> &values, size_t rows, size_t k) {
    size_t bits = size_t(bitsOf(operand)), own = size_t(atom::bits(operand.element));
    bool packs =
        operand.containerBits == 8 && own < 8; // sixteen elements at the low end of 16 bytes
    for (size_t r = 0; r < rows; ++r)
      for (size_t i = 0; i < k; ++i) {
        uint64_t code = atom::test::encode(operand.element, values[r * k + i]);
        size_t bit = packs ? i / 16 * 128 + i % 16 * own : i * bits;
        for (size_t j = 0; j < (packs ? own : bits); ++j) {
          size_t at = base + byteOf(r, (bit + j) / 8, rows, k * bits / 8);
          image.shared[at] = uint8_t(image.shared[at] | (code >> j & 1) << (bit + j) % 8);
        }
      }
  }
  /// MN-major, swizzled: 64 elements of 16 bits in a row of 128 bytes, a row for each k.
  void placeMn(TensorImage &image, size_t base, const atom::Operand &operand,
               const std::vector<int> &values, size_t rows, size_t k) {
    for (size_t r = 0; r < rows; ++r)
      for (size_t i = 0; i < k; ++i) {
        uint64_t code = atom::test::encode(operand.element, values[r * k + i]);
        size_t at = base + r / 64 * (k * 128) + i / 8 * 1024 + i % 8 * 128 +
                    ((r % 64 / 8) ^ (i % 8)) * 16 + r % 8 * 2;
        image.shared[at] = uint8_t(code);
        image.shared[at + 1] = uint8_t(code >> 8);
      }
  }
  static uint64_t wordMn(size_t k) {
    return uint64_t(k * 128 / 16) << 16 | uint64_t(1024 / 16) << 32 | uint64_t(1) << 46 |
           uint64_t(2) << 61;
  }

  void placeA() {
    size_t rows = size_t(o.m / row.ctas), k = size_t(storedK());
    std::vector<int> stored;
    for (size_t i = 0; i < a.size(); ++i)
      if (kept[i])
        stored.push_back(a[i]);
    for (size_t block = 0; block < row.ctas; ++block) {
      TensorImage &image = images[block];
      image.shared.resize(bytesOfA() + bytesOfB());
      std::vector<int> part(stored.begin() + ptrdiff_t(block * rows * k),
                            stored.begin() + ptrdiff_t((block + 1) * rows * k));
      if (row.a.where == atom::Residency::Smem)
        o.mnMajor ? placeMn(image, 0, row.a, part, rows, k) : place(image, 0, row.a, part, rows, k);
    }
    aWord = o.mnMajor ? wordMn(k) : word(rows);
    size_t bits = size_t(bitsOf(row.a)),
           shift = row.a.containerBits == 8 && atom::bits(row.a.element) == 4 ? 2 : 0;
    for (size_t m = 0; m < size_t(o.m) && row.a.where == atom::Residency::Tmem; ++m) {
      Spot s = spotOf(o.layout, uint32_t(m), 0, uint32_t(o.n));
      for (size_t i = 0; i < k; ++i)
        images[s.block].put(s.lane, columnOfA, i * bits, bits,
                            atom::test::encode(row.a.element, stored[m * k + i]) << shift);
    }
  }
  void placeB() {
    size_t rows = size_t(o.n / row.ctas);
    for (size_t block = 0; block < row.ctas; ++block) {
      std::vector<int> part(b.begin() + ptrdiff_t(block * rows * size_t(K)),
                            b.begin() + ptrdiff_t((block + 1) * rows * size_t(K)));
      o.mnMajor ? placeMn(images[block], bytesOfA(), row.b, part, rows, size_t(K))
                : place(images[block], bytesOfA(), row.b, part, rows, size_t(K));
    }
    bWord = o.mnMajor ? wordMn(size_t(K)) : word(rows);
  }
  /// Factors 1/2, 1 and 2, in all four quarters of the lanes; those of B with layout B in two, each
  /// half of the lanes its half of the columns.
  void placeScales(int which) {
    int rows = which ? o.n : o.m, perBlock = which ? o.n : o.m / row.ctas,
        count = K / row.scale.vec, halves = which && o.layout == 'B' ? 2 : 1,
        perHalf = perBlock / halves;
    std::uniform_int_distribution<int> any(-1, 1);
    for (int i = 0; i < rows * count; ++i) {
      int power = any(random);
      scales[which].push_back(std::ldexp(1.0, power));
      uint64_t code =
          row.scale.element == Element::ue8m0 ? uint64_t(127 + power) : uint64_t(7 + power) << 3;
      int r = i / count, f = i % count;
      for (size_t block = 0; block < row.ctas; ++block)
        for (uint32_t quarter = 0; quarter < 4; ++quarter)
          if ((which || r / perBlock == int(block)) &&
              (halves == 1 || r / perHalf == int(quarter / 2)))
            images[block].put(uint32_t(r % perHalf % 32) + 32 * quarter,
                              (which ? columnOfScaleB : columnOfScaleA) +
                                  uint32_t(r % perHalf / 32),
                              size_t(8 * f), 8, code);
    }
  }
  /// Keeps one of two elements of 32 bits, two of four, or two of four pairs of 4 bits.
  void sparsify() {
    int bits = bitsOf(row.a), chunk = bits == 32 ? 2 : bits == 4 ? 8 : 4, unit = chunk == 8 ? 2 : 1;
    for (int m = 0; m < o.m; ++m)
      for (int first = 0; first < K; first += chunk) {
        int one = int(random() % 4), two = int(random() % 3);
        two += two >= one;
        if (one > two)
          std::swap(one, two);
        uint32_t code = chunk == 2 ? (one % 2 ? 0b1110u : 0b0100u) : uint32_t(one | two << 2);
        for (int e = 0; e < chunk; ++e) {
          bool keeps = chunk == 2 ? e == one % 2 : e / unit == one || e / unit == two;
          kept[size_t(m * K + first + e)] = keeps;
          a[size_t(m * K + first + e)] *= keeps;
        }
        // 8 and 4 bits: a row's own lane, chunk after chunk. 16 and 32 bits: half a word of each of
        // the rows r and r + 8, in lane r for the first half of K and in lane r + 8 for the second.
        uint32_t r = uint32_t(m % 128), block = uint32_t(m / 128),
                 bit = uint32_t(first / chunk * 4);
        if (bits <= 8)
          images[block].put(r, columnOfMetadata, bit, 4, code);
        else
          images[block].put(r / 16 * 16 + r % 8 + (bit >= 16 ? 8u : 0u), columnOfMetadata,
                            bit % 16 + (r % 16 >= 8 ? 16u : 0u), 4, code);
      }
  }

  const MmaRow &row;
  Options o;
  int K;
  std::mt19937 &random;
  std::vector<int> a, b, c;
  std::vector<bool> kept;
  std::vector<double> scales[2];
  uint64_t aWord = 0, bWord = 0;
};

/// The shapes of a row that the ISA's figures tell everything about.
std::vector<Options> shapesOf(const MmaRow &row) {
  std::vector<Options> out;
  bool sparse = row.sparsity.isSparse(), inTensor = row.a.where == atom::Residency::Tmem;
  for (int m : row.m.values()) {
    char layout = row.ctas == 2          ? (m == 256 ? 'A'
                                            : sparse ? 'C'
                                                     : 'B')
                  : m == 128             ? 'D'
                  : m == 32              ? 'G'
                  : row.weightStationary ? 'E'
                                         : 'F';
    bool isFolded = layout == 'B' || layout == 'E' || layout == 'G'; // with copies of A, metadata
    if ((!sparse || layout == 'A' || layout == 'D') && (!inTensor || !isFolded))
      out.push_back({.m = m, .n = row.n.contains(32) ? 32 : row.n.first, .layout = layout});
  }
  return out;
}

TEST(TensorMma, EveryRowIsRight) {
  std::mt19937 random(1);
  size_t rows = 0, cases = 0;
  std::set<std::string_view> instructions; // names up to their elements: SM100_MMA_F8F6F4_SS
  for (const MmaRow &row : atom::mmaRows()) {
    if (row.recipe != atom::Recipe::Umma ||
        (row.k == 96 && row.scale.vec == 16)) // six factors do not fit a column
      continue;
    ++rows;
    std::string_view name = row.name;
    if (!instructions.insert(name.substr(0, name.find('<'))).second && onlyThreads)
      continue;
    for (const Options &o : shapesOf(row)) {
      ++cases;
      ASSERT_NO_FATAL_FAILURE(Product(row, o, random).check());
    }
  }
  RecordProperty("rows", int(rows));
  RecordProperty("cases", int(cases));
  EXPECT_EQ(rows, 980u); // of 988
}

const MmaRow &rowOf(std::string_view name) { return **atom::findMma(name); }
constexpr std::string_view halves = "SM100_MMA_F16BF16_SS<f16,f16,f32>";

TEST(TensorMma, TakesWideTilesSwizzlesAndMajors) {
  std::mt19937 random(2);
  for (const Options &o :
       {Options{.n = 256}, Options{.m = 64, .n = 8, .layout = 'F'}, Options{.accumulates = false},
        Options{.negates = true}, Options{.n = 64, .mnMajor = true}, Options{.inputShift = 3}})
    Product(rowOf(halves), o, random).check();
  Product(rowOf("SM100_MMA_F8F6F4_SS<e4m3,e5m2,f32>"), {.n = 24, .negates = true}, random).check();
}

constexpr std::string_view stationary = "SM100_MMA_F16BF16_WS_SS<f16,f16,f32>";

TEST(TensorMma, FoldsColumnsWithWs) {
  std::mt19937 random(3);
  for (const Options &o :
       {Options{.m = 32, .n = 64, .layout = 'G'}, Options{.m = 64, .n = 128, .layout = 'E'},
        Options{.m = 64, .n = 256, .layout = 'E'}, Options{.m = 128, .n = 64, .layout = 'D'}})
    for (std::string_view name : {stationary, std::string_view("SM100_MMA_S8_WS_SS<s8,u8,s32>")})
      Product(rowOf(name), o, random).check();
}

TEST(TensorMma, LeavesDisabledLanes) {
  std::mt19937 random(4);
  Product(rowOf(halves), {.disabled = {0x80000001, 0xffff, 0, ~0u}}, random).check();
  Product(rowOf("SM100_MMA_F16BF16_2x1SM_SS<f16,f16,f32>"),
          {.m = 256, .layout = 'A', .disabled = {1, 2, 4, 8, 16, 32, 64, ~0u}}, random)
      .check();
}

TEST(TensorMma, MovesRowsOfAWithAshift) {
  std::mt19937 random(8);
  Product(rowOf("SM100_MMA_F16BF16_TS<f16,f16,f32>"), {.shifts = true}, random).check();
  Product(rowOf("SM100_MMA_S8_2x1SM_TS<s8,s8,s32>"),
          {.m = 256, .n = 32, .layout = 'A', .shifts = true}, random)
      .check();
}

TEST(TensorMma, IsPtx) {
  if (!atom::test::havePtxas())
    GTEST_SKIP() << "no ptxas";
  std::mt19937 random(5);
  for (const char *name :
       {"SM100_MMA_F16BF16_SS<f16,f16,f32>", "SM100_MMA_F16BF16_2x1SM_TS<f16,f16,f32>",
        "SM100_MMA_F8F6F4_SS_SPARSE<e4m3,e4m3,f32>"}) {
    const MmaRow &row = rowOf(name);
    EXPECT_EQ(atom::test::assembleText(Product(row, shapesOf(row).front(), random).kernel(),
                                       *atom::Target::parse("sm_100a")),
              "")
        << name;
  }
}

/// What a changed kernel, or changed images, end with.
Reason refusal(const MmaRow &row, const Options &o, const std::string &what,
               const std::string &with,
               const std::function<void(std::vector<TensorImage> &)> &edit = {}) {
  std::mt19937 random(6);
  Product product(row, o, random);
  std::string text = product.kernel();
  size_t at = text.find(what);
  EXPECT_NE(at, text.npos) << what;
  text.replace(at, what.size(), with);
  if (edit)
    edit(product.images);
  Result<std::vector<TensorImage>> got = runTensor(text, product.images);
  EXPECT_FALSE(got);
  return got ? Reason{} : got.reason();
}
void expectRefusal(const Reason &reason, std::string_view id, const std::string &words) {
  EXPECT_EQ(reason.id, id) << reason.text;
  EXPECT_NE(reason.text.find(words), std::string::npos) << reason.text;
}

// So CUTLASS has the rows beyond A of its last tile.
TEST(TensorMma, MetadataOfZerosMayKeepAnElementTwice) {
  std::mt19937 random(7);
  for (const char *name :
       {"SM100_MMA_F8F6F4_SS_SPARSE<e4m3,e4m3,f32>", "SM100_MMA_S8_SS_SPARSE<s8,s8,s32>",
        "SM100_MMA_MXF4NVF4_SS_SPARSE<e2m1,e2m1,f32,ue8m0,64>"})
    Product(rowOf(name), {.blank = true}, random).check();
}

TEST(TensorMma, RefusesWhatIsWrongOrNotKnown) {
  const MmaRow &row = rowOf(halves);
  auto descriptor = [&](uint32_t word, const std::string &words) {
    std::mt19937 random(6);
    std::string text = Product(row, {}, random).kernel();
    size_t at = text.find("mov.u32 %r20, ");
    expectRefusal(
        refusal(row, {}, text.substr(at, text.find(';', at) - at), cat("mov.u32 %r20, ", word)),
        "TensorProduct", words);
  };
  descriptor(7u << 7, "no types with the codes 7");
  descriptor(1u << 4 | 1u << 7 | 2u << 17 | 8u << 24,
             "no row of the atom table has A of bf16, B of f16");
  descriptor(1u << 4 | 2u << 17 | 6u << 24, "has no shape of M = 96 and N = 16");
  descriptor(1u << 4 | 1u << 2 | 2u << 17 | 8u << 24, "and its text differ in sparsity");
  descriptor(1u << 4 | 1u | 2u << 17 | 8u << 24,
             "has selector 1 of sparsity, which only a sparse A");
  descriptor(1u << 4 | 2u << 17 | 8u << 24 | 1u << 30, "lets B be shifted, which is for .ws");
  expectRefusal(refusal(row, {}, "mov.u32 %r21, 0", "mov.u32 %r21, 500"), "TensorAccess",
                "lane 0, column 512 of tensor memory is used, but there are 128 lanes");
  expectRefusal(refusal(row, {}, "or.b64 %d11, %d10, ",
                        "or.b64 %d11, %d10, 0x2000000000000; or.b64 %d11, %d11, "),
                "TensorProduct", "base offset 1");
  expectRefusal(refusal(row, {}, "tcgen05.commit.cta_group::1", "tcgen05.commit.cta_group::2"),
                "TensorGroup", "cta_group::2 comes after cta_group::1");
  const MmaRow &scaled = rowOf("SM100_MMA_MXF8F6F4_SS<e4m3,e4m3,f32,ue8m0,32>");
  expectRefusal(
      refusal(scaled, {}, "ret;", "ret;",
              [](std::vector<TensorImage> &images) { images[0].word(40, columnOfScaleA) ^= 1; }),
      "TensorProduct", "factors of A differ between lanes 8 and 40");
  // Bits 15 and 16 say that A and B run along M and N, which those of 4 bits cannot.
  auto changed = [&](const MmaRow &of, uint32_t bits, const std::string &words) {
    expectRefusal(refusal(of, shapesOf(of).front(), "\n  mov.u32 %r21, 0;",
                          cat("\n  xor.b32 %r20, %r20, ", bits, ";\n  mov.u32 %r21, 0;")),
                  "TensorProduct", words);
  };
  const MmaRow &narrow = rowOf("SM100_MMA_F8F6F4_SS<e2m1,e2m1,f32>");
  changed(narrow, 1u << 15, "SM100_MMA_F8F6F4_SS<e2m1,e2m1,f32> has A along K only");
  changed(narrow, 1u << 16, "SM100_MMA_F8F6F4_SS<e2m1,e2m1,f32> has B along K only");
  // Two factors begin at byte 0 or 2 of a column. Bits 4 and 29 are of the ids of B and A.
  const MmaRow &twoFactors = rowOf("SM100_MMA_MXF4_SS<e2m1,e2m1,f32,ue8m0,32>");
  changed(twoFactors, 1u << 29, "id 1 of A cannot begin 2 factors; it is 0 or 2");
  changed(twoFactors, 1u << 4, "id 1 of B cannot begin 2 factors; it is 0 or 2");
  const MmaRow &pair = rowOf("SM100_MMA_MXF8F6F4_2x1SM_SS<e4m3,e4m3,f32,ue8m0,32>");
  expectRefusal(refusal(pair, shapesOf(pair).front(), "ret;", "ret;",
                        [](std::vector<TensorImage> &images) {
                          for (uint32_t quarter = 0; quarter < 4; ++quarter)
                            images[1].word(3 + 32 * quarter, columnOfScaleB) ^= 1;
                        }),
                "TensorProduct", "the blocks have different factors of column 3");
  // A mask of columns: bits 56 to 61 say where B begins, which only a descriptor with a shift lets
  // be beyond column 0; bit 36 is reserved.
  auto masked = [&](uint64_t mask, const std::string &words) {
    std::mt19937 random(6);
    const Options ws = {.m = 32, .n = 64, .layout = 'G'};
    const MmaRow &ofWs = rowOf(stationary);
    std::string text = Product(ofWs, ws, random).kernel();
    size_t from = text.find("  tcgen05.mma.ws"), to = text.find(';', from);
    std::string product = text.substr(from, to - from);
    expectRefusal(
        refusal(ofWs, ws, product, cat("  mov.u64 %d20, ", hex(mask), ";\n", product, ", %d20")),
        "TensorProduct", words);
  };
  masked(uint64_t(8) << 56,
         "its zero-column mask shifts B by 8 columns, but the descriptor and M = 32 allow 0");
  masked(uint64_t(1) << 36, "bit 36 of a zero-column mask is reserved, but is 1");
  const MmaRow &sparse = rowOf("SM100_MMA_F8F6F4_SS_SPARSE<e4m3,e4m3,f32>");
  expectRefusal(
      refusal(sparse, {}, "ret;", "ret;",
              [](std::vector<TensorImage> &images) { images[0].word(3, columnOfMetadata) = 0; }),
      "SparseMetadata", "row 3");
}

} // namespace

} // namespace tessera::sim::test
