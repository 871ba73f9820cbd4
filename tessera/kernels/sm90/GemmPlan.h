// GemmPlan: where the tiles of a GEMM are in shared memory. For the parts of the GEMM only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/kernels/sm90/Gemm.h"
#include "tessera/kernels/sm90/Tiles.h"
#include "tessera/kernels/sm90/WarpGroups.h"

namespace tessera::kernels::sm90 {

/// A type of A and B. Two types of the same kind may be multiplied.
struct GemmType {
  dsl::Element mma; // in the instruction
  int kind;

  std::string_view name() const { return number::ourName(mma.format()); }
  /// The type in tensors: f32 for tf32, which the tensor core truncates; with 4 bits two in a byte.
  dsl::Element memory() const {
    return mma == dsl::tf32 ? dsl::f32 : mma.bits() < 8 ? dsl::u8 : mma;
  }
  /// Numbers in an element of a tensor.
  int packed() const { return memory().bits() / mma.bits(); }
  int bits() const { return mma.bits(); }
  int64_t bytesOf(int elements) const { return int64_t(elements) * memory().bits() / packed() / 8; }
  bool integer() const { return !mma.isFloat(); }
};
const GemmType *findGemmType(std::string_view name);
/// The reason why there are no such products in one launch.
std::optional<Reason> refusedGroups(const GemmConfig &);

/// To look at a tile that may have any size: the bytes of as many stages may not fit 64 bits.
inline GemmConfig withTwoStages(GemmConfig c) {
  c.stages = 2;
  return c;
}

/// The parts of a block, and its shared memory: stages of A and B, D before it is stored, barriers,
/// flags of slices.
struct GemmPlan {
  static constexpr int consumers = 2;
  static constexpr int rowsOfConsumer = 64;                // one wgmma's
  static constexpr int tileM = consumers * rowsOfConsumer; // default
  static constexpr int groupThreads = atom::Threads::ofGroup;
  static constexpr int threads = (consumers + 1) * groupThreads;
  static constexpr int boxesStaged = 2; // boxes of D, or C, for which a storer has room
  static constexpr RegisterBudget registers{40, 232};

  explicit GemmPlan(const GemmConfig &c);
  GemmConfig c; // which may have been made for the plan
  dsl::SharedMemory memory;
  dsl::Region a, b, d;
  dsl::Region ring;     // barriers: full ones, then empty ones
  dsl::Region arrivedC; // barriers: one for each box of C
  dsl::Region flags;    // one for each consumer: whether its slice came last
  dsl::Region turns;    // barriers of the ping-pong form: one for each consumer's turn to multiply

  /// In the ping-pong form, the blocks of 64 rows, one below the other, that a consumer has of a
  /// tile; else one.
  int rowBlocks() const { return c.pingpong ? c.tileM / rowsOfConsumer : 1; }
  /// The most accumulator values for which a thread has registers beside those for computing D: as
  /// many as ptxas compiles without spills.
  int mostSums() const;
  /// Number of groups that store rows of D: the warpgroups that multiplied, or on Blackwell four
  /// warps, since each reaches 32 rows of tensor memory.
  int storers() const { return c.hasTensorMemory() ? atom::Threads::warpsOfGroup : consumers; }
  int rowsOfStorer() const { return tileM / storers(); }
  /// In a pair each block has half of the rows of B.
  int rowsOfB() const { return c.pair ? c.tileN / 2 : c.tileN; }

  int64_t aStage() const { return c.tileM * SmemTile::rowBytes; }
  int64_t bStage() const { return int64_t(rowsOfB()) * SmemTile::rowBytes; }
  int64_t dBox() const { return rowsOfStorer() * SmemTile::rowBytes; }

  dsl::Element elementD() const { return *dsl::Element::named(c.d); }
  /// Columns of D that are stored at once.
  int boxN() const { return SmemTile::rowBytes * 8 / elementD().bits(); }
  /// Columns of a tile that fill no box. They form a narrower one, whose rows are contiguous.
  int tail() const { return c.tileN % boxN(); }
  /// Boxes of a block of rows, and of a storer's rows: one block of rows after the other.
  int boxesOfRows() const { return (c.tileN + boxN() - 1) / boxN(); }
  int boxes() const { return rowBlocks() * boxesOfRows(); }
  bool isTail(int box) const { return tail() && box % boxesOfRows() == boxesOfRows() - 1; }
  /// The first column of a box in its tile, and its number of columns.
  int columnOf(int box) const { return box % boxesOfRows() * boxN(); }
  int columnsOf(int box) const { return isTail(box) ? tail() : boxN(); }
};

/// A tile of A or B, contiguous in K or, transposed by wgmma, in M (N).
SmemTile operandTile(int rows, int tileK, int bits, bool kMajor);

/// Where a block is in D, in tiles; its tiles of K; with slices of K, its tile and slice.
struct TilePosition {
  dsl::Num m, n;
  dsl::Num firstK, endK;
  dsl::Num index = {}, slice = {}, slices = {};
  dsl::Num group = {};            // or batch, for many products
  dsl::Num start = {}, rows = {}; // of a contiguous group in A and D
};

/// Arguments of the host function after D; each is there if the configuration asks for it. For the
/// kernel, C is a tensor map.
struct GemmExtras {
  std::optional<dsl::TmaTensor> c = {}, tailD = {};
  std::optional<dsl::Tensor> bias = {}, scaleA = {}, scaleB = {};
  std::optional<dsl::Num> alpha = {}, beta = {};
  std::optional<dsl::Tensor> workspace = {}, counters = {};
  std::optional<dsl::TmaTensor> factorsA = {}, factorsB = {};        // on Blackwell
  std::optional<dsl::Tensor> blockFactorsA = {}, blockFactorsB = {}; // on Hopper
  std::optional<dsl::Num> products = {};                             // batches or groups
  std::optional<dsl::Tensor> bounds = {}; // rows that count of each batch, or starts of groups
  std::optional<dsl::Tensor> plainD = {}; // for what boxes of TMA would write too much of

  auto members() {
    return std::tie(c, tailD, bias, scaleA, scaleB, alpha, beta, workspace, counters, factorsA,
                    factorsB, blockFactorsA, blockFactorsB, products, bounds, plainD);
  }
};
/// The parameters of the kernel.
struct GemmParameters {
  dsl::TmaTensor a, b, d;
  dsl::Num tilesM, tilesN, tilesK;
  GemmExtras extras;

  auto members() { return std::tie(a, b, d, tilesM, tilesN, tilesK, extras); }
};

/// The coordinates of a product's rows in D or A, or in B.
dsl::Tensor ofProduct(const GemmConfig &, dsl::Tensor coords, const TilePosition &, bool isB);

/// Tile t of a persistent walk: rows of `group` tiles, column by column, so that tiles close in
/// time share A and B; with the caller's tiles of K.
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
  /// Called at the start of the kernel.
  void begin(const GemmParameters &);
  /// A pointer to swizzled tiles.
  dsl::Pointer tiles(dsl::Region region, dsl::Element element) const {
    return plan.memory.pointer(region, element, SmemTile::swizzle);
  }
};

} // namespace tessera::kernels::sm90
