// GemmPlan: how the tiles of a GEMM lie in shared memory. For the parts of the GEMM only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/kernels/sm90/Gemm.h"
#include "tessera/kernels/sm90/Tiles.h"
#include "tessera/kernels/sm90/WarpGroups.h"

namespace tessera::kernels::sm90 {

/// A type that A and B may have. Two of a kind may be multiplied.
struct GemmType {
  dsl::Element mma; // in the instruction
  int kind;

  std::string_view name() const { return number::ourName(mma.format()); }
  /// In tensors: tf32 is f32 there, which the tensor core cuts; of 4 bits two are a byte.
  dsl::Element memory() const {
    return mma == dsl::tf32 ? dsl::f32 : mma.bits() < 8 ? dsl::u8 : mma;
  }
  /// Numbers of an element of a tensor.
  int packed() const { return memory().bits() / mma.bits(); }
  int bits() const { return mma.bits(); }
  int64_t bytesOf(int elements) const { return int64_t(elements) * memory().bits() / packed() / 8; }
  bool integer() const { return !mma.isFloat(); }
};
const GemmType *findGemmType(std::string_view name);

/// What a block is made of, and its shared memory: stages of A and B, D on its way out, barriers,
/// flags of slices.
struct GemmPlan {
  static constexpr int consumers = 2;
  static constexpr int rowsOfConsumer = 64;                // one wgmma's
  static constexpr int tileM = consumers * rowsOfConsumer; // where nobody asks for other tiles
  static constexpr int groupThreads = atom::Threads::ofGroup;
  static constexpr int threads = (consumers + 1) * groupThreads;
  static constexpr int boxesStaged = 2; // boxes of D, or C, that a storer has room for
  static constexpr RegisterBudget registers{40, 232};

  explicit GemmPlan(const GemmConfig &c);
  const GemmConfig &c;
  dsl::SharedMemory memory;
  dsl::Region a, b, d;
  dsl::Region ring;     // barriers: those that say full, those that say empty
  dsl::Region arrivedC; // barriers: one a box of C
  dsl::Region flags;    // one a consumer: whether its slice came last
  dsl::Region turns;    // barriers of the ping-pong form: one a consumer, when it may multiply

  /// Blocks of 64 rows, one below the other, that a consumer of the ping-pong form has of a tile;
  /// else one.
  int rowBlocks() const { return c.pingpong ? c.tileM / rowsOfConsumer : 1; }
  /// Sums that a thread has registers for beside what it makes D of them with: so many that ptxas
  /// spills none.
  int mostSums() const;
  /// Who stores rows of D: the warpgroups that multiplied; on Blackwell four warps, as each reaches
  /// 32 rows of tensor memory.
  int storers() const { return c.hasTensorMemory() ? atom::Threads::warpsOfGroup : consumers; }
  int rowsOfStorer() const { return tileM / storers(); }
  /// Of a pair each block has half of the rows of B.
  int rowsOfB() const { return c.pair ? c.tileN / 2 : c.tileN; }

  int64_t aStage() const { return c.tileM * SmemTile::rowBytes; }
  int64_t bStage() const { return int64_t(rowsOfB()) * SmemTile::rowBytes; }
  int64_t dBox() const { return rowsOfStorer() * SmemTile::rowBytes; }

  dsl::Element elementD() const { return *dsl::Element::named(c.d); }
  /// Columns of D that are stored at once.
  int boxN() const { return SmemTile::rowBytes * 8 / elementD().bits(); }
  /// Columns of a tile that fill no box: they are a narrower one, whose rows lie side by side.
  int tail() const { return c.tileN % boxN(); }
  /// Of a block of rows, and of a storer's rows: those of each block of rows one after the other.
  int boxesOfRows() const { return (c.tileN + boxN() - 1) / boxN(); }
  int boxes() const { return rowBlocks() * boxesOfRows(); }
  bool isTail(int box) const { return tail() && box % boxesOfRows() == boxesOfRows() - 1; }
  /// The first column of a box in its tile, and how many it has.
  int columnOf(int box) const { return box % boxesOfRows() * boxN(); }
  int columnsOf(int box) const { return isTail(box) ? tail() : boxN(); }
};

/// A tile of A or B, contiguous in K or, transposed by wgmma, in M (N).
SmemTile operandTile(int rows, int tileK, int bits, bool kMajor);

/// Where a block is in D, in tiles; its tiles of K; with K in slices, which tile and slice this is.
struct TilePosition {
  dsl::Num m, n;
  dsl::Num firstK, endK;
  dsl::Num index = {}, slice = {}, slices = {};
  dsl::Num group = {};            // or batch, of many products
  dsl::Num start = {}, rows = {}; // of a contiguous group in A and D
};

/// What the host function is given after D, each there if the configuration asks for it; to the
/// kernel C is a tensor map.
struct GemmExtras {
  std::optional<dsl::TmaTensor> c = {}, tailD = {};
  std::optional<dsl::Tensor> bias = {}, scaleA = {}, scaleB = {};
  std::optional<dsl::Num> alpha = {}, beta = {};
  std::optional<dsl::Tensor> workspace = {}, counters = {};
  std::optional<dsl::TmaTensor> factorsA = {}, factorsB = {};        // of Blackwell
  std::optional<dsl::Tensor> blockFactorsA = {}, blockFactorsB = {}; // of Hopper
  std::optional<dsl::Num> products = {};                             // batches or groups
  std::optional<dsl::Tensor> bounds = {}; // rows that count of each batch, or starts of groups
  std::optional<dsl::Tensor> plainD =
      {}; // of contiguous groups: boxes would reach into the next one

  auto members() {
    return std::tie(c, tailD, bias, scaleA, scaleB, alpha, beta, workspace, counters, factorsA,
                    factorsB, blockFactorsA, blockFactorsB, products, bounds, plainD);
  }
};
/// What the kernel is given.
struct GemmParameters {
  dsl::TmaTensor a, b, d;
  dsl::Num tilesM, tilesN, tilesK;
  GemmExtras extras;

  auto members() { return std::tie(a, b, d, tilesM, tilesN, tilesK, extras); }
};

/// Coordinates of the rows of D's or A's product, or of B's.
dsl::Tensor ofProduct(const GemmConfig &, dsl::Tensor coords, const TilePosition &, bool isB);

/// Tile t of a persistent walk: rows of `group` tiles, column by column, so that neighbours in time
/// share A and B; with the tiles of K that the caller has.
TilePosition tileOfWalk(const GemmConfig &, const GemmParameters &, dsl::Num rank, dsl::Num t,
                        dsl::Num firstK, dsl::Num endK);

/// What all threads of a block know.
struct GemmBlock : ThreadIds {
  const GemmConfig &c;
  GemmPlan plan;
  const GemmType &a, &b; // not of a configuration that is refused
  GemmParameters given;
  dsl::Num rank; // in the cluster

  explicit GemmBlock(const GemmConfig &c)
      : c(c), plan(c), a(*findGemmType(c.a)), b(*findGemmType(c.b)) {}
  /// At the start of the kernel.
  void begin(const GemmParameters &);
  /// Of swizzled tiles.
  dsl::Pointer tiles(dsl::Region region, dsl::Element element) const {
    return plan.memory.pointer(region, element, SmemTile::swizzle);
  }
};

} // namespace tessera::kernels::sm90
