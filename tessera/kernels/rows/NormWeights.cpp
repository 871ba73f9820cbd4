// The gradients of the weights of norms: sums down the columns, in an order that does not change.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A warp has 64 columns side by side, two for each lane, and every 32nd row of its block's, some of
// which are on their way together. What the warps of a block have is added up, warp by warp. Where
// the target has clusters and the columns are too few to fill a GPU, the blocks of a cluster share
// the rows, and the first adds up what they have, block by block.
#include "tessera/kernels/Errors.h"
#include "tessera/kernels/rows/RowKernel.h"

#include "tessera/atom/Threads.h"
#include "tessera/dsl/Dsl.h"

#include <algorithm>

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;
using namespace tessera::kernels::rows;

namespace {
/// (x, dy, mean, rstd, dw, db) of LayerNorm; RMSNorm has no mean and no db.
class NormWeights {
public:
  explicit NormWeights(const RowConfig &c) : c(c), centred(c.kernel.starts_with("layernorm")) {
    // A block fills a multiprocessor, and more blocks than there are would take a second round.
    while (c.overlaps && cluster < mostCluster && 2 * cluster * tiles(c.columns) <= c.sms)
      cluster *= 2; // sm_90 and later
    slots = memory.allocate(int64_t(sums()) * warps * tile * int64_t(sizeof(float)));
    ofBlocks = memory.allocate(int64_t(sums()) * tile * int64_t(sizeof(float)));
  }

  void build() {
    std::string entry = c.kernel;
    std::ranges::replace(entry, '-', '_');
    host(entry, types(), [&](Arguments arguments, Stream stream) { hostBody(arguments, stream); });
    kernel(c.name(), warps * lanes, given, [&](const Given &parameters) {
      given = parameters;
      kernelBody();
    });
  }

private:
  struct Given {
    Tensor x, dy;
    std::optional<Tensor> mean;
    Tensor rstd, dw;
    std::optional<Tensor> db;
    Num rows, columns;
    auto members() { return std::tie(x, dy, mean, rstd, dw, db, rows, columns); }
  };
  static constexpr int lanes = atom::Threads::ofWarp, warps = 32, together = 4, pair = 2;
  static constexpr int mostCluster = 4;     // eight blocks are slower: each has too few rows
  static constexpr int tile = lanes * pair; // columns of a block
  static int tiles(int columns) { return (columns + (tile - 1)) / tile; }
  const RowConfig &c;
  bool centred;
  int cluster = 1; // blocks that share the rows of a tile
  SharedMemory memory;
  Region slots, ofBlocks;
  Given given;

  int sums() const { return centred ? 2 : 1; }

  llvm::SmallVector<mlir::Type> types() const {
    mlir::Type matrix = tensor_type(elementOf(c, Holds::Element), Layout("(?,?):(?{i64},1)"));
    mlir::Type ofRows = tensor_type(f32, Layout("(?):(?{i64})"));
    mlir::Type ofColumns = tensor_type(elementOf(c, Holds::Result), Layout("(?):(1)"));
    llvm::SmallVector<mlir::Type> types = {matrix, matrix};
    types.append(size_t(sums()), ofRows);
    types.append(size_t(sums()), ofColumns);
    return types;
  }

  void hostBody(const Arguments &arguments, Stream stream) {
    size_t next = 0;
    given.x = arguments.tensor(next++), given.dy = arguments.tensor(next++);
    if (centred)
      given.mean = arguments.tensor(next++);
    given.rstd = arguments.tensor(next++), given.dw = arguments.tensor(next++);
    if (centred)
      given.db = arguments.tensor(next++);
    given.rows = size(given.x, 0), given.columns = size(given.x, 1);
    check((given.rows > 0) & (given.columns > 0), fail(Error::RowNothing).text);
    auto expect = [&](const std::optional<Tensor> &tensor, int mode, Num extent, const char *what) {
      if (tensor)
        check(size(*tensor, mode) == extent, fail(Error::RowOperands, what).text);
    };
    expect(given.dy, 0, given.rows, "dy: rows x columns");
    expect(given.dy, 1, given.columns, "dy: rows x columns");
    expect(given.mean, 0, given.rows, "mean: rows of f32");
    expect(given.rstd, 0, given.rows, "rstd: rows of f32");
    expect(given.dw, 0, given.columns, "dw: columns");
    expect(given.db, 0, given.columns, "db: columns");
    launch(c.name(),
           {.gridX = (given.columns + (tile - 1)) / tile * cluster,
            .threads = warps * lanes,
            .smemBytes = memory.bytes(),
            .clusterX = cluster,
            .overlaps = c.overlaps},
           stream, given);
  }

  void kernelBody() {
    memory.open();
    if (c.overlaps)
      griddepcontrol_wait();
    Num lane = thread_idx() % lanes, warp = warp_uniform(thread_idx() / lanes);
    Num rank = cluster > 1 ? block_rank_in_cluster() : i32(0);
    Num first = block_idx() / cluster * tile;
    Num column = (first + lane * pair).promised(pair);
    auto sum = [&](bool vectors) { sumRows(column, rank * warps + warp, lane, warp, vectors); };
    If(pairsAreAligned(), [&] { sum(true); }, [&] { sum(false); });
    sync_threads();
    Num mine = thread_idx(); // a column, and dw or db
    If(mine < sums() * tile, [&] {
      Tensor all = make_tensor(offset(words(slots), mine / tile * (warps * tile) + mine % tile),
                               make_layout(make_shape(warps), make_stride(tile)));
      Num sum = load(all, 0);
      for (int other = 1; other < warps; ++other)
        sum = sum + load(all, other);
      store(sum, make_tensor(words(ofBlocks), make_layout(sums() * tile)), mine);
    });
    cluster > 1 ? cluster_sync() : sync_threads();
    If((rank == 0) & (mine < sums() * tile) & (first + mine % tile < given.columns), [&] {
      Num sum;
      for (int block = 0; block < cluster; ++block) {
        Pointer at = offset(words(ofBlocks), mine);
        if (cluster > 1)
          at = map_to_rank(at, block);
        Num one = load(make_tensor(at, make_layout(1)), 0);
        sum = block ? sum + one : one;
      }
      Num to = first + mine % tile, value = convert(sum, elementOf(c, Holds::Result));
      if (centred)
        If(mine < tile, [&] { store(value, given.dw, to); }, [&] { store(value, *given.db, to); });
      else
        store(value, given.dw, to);
    });
    if (cluster > 1)
      cluster_sync(); // memory stays until the first block has read it
  }

  /// Whether the two columns of every lane lie at a multiple of their size, in x and in dy.
  Num pairsAreAligned() const {
    Num odd = wide(given.columns % pair);
    int64_t bytes = pair * elementOf(c, Holds::Element).bits() / 8;
    for (const Tensor &matrix : {given.x, given.dy})
      for (int row : {0, 1})
        odd = odd | (address(get_iter(matrix(row, _))) & i64(bytes - 1));
    return odd == i64(0);
  }

  using Sums = std::array<Num, 2>; // of dw and of db, two columns each
  void sumRows(Num column, Num firstRow, Num lane, Num warp, bool vectors) {
    Num none = broadcast(f32(0), pair);
    Sums mine = For(firstRow, given.rows, warps * cluster * together, Sums{none, none},
                    [&](Num first, Sums &sum) {
                      for (int i = 0; i < together; ++i)
                        addRow(first + i * (warps * cluster), column, sum, vectors);
                    });
    for (int which = 0; which < sums(); ++which) {
      Num at = (warp * tile + lane * pair + which * warps * tile).promised(pair);
      store_vec(mine[size_t(which)], make_tensor(offset(words(slots), at), make_layout(pair)));
    }
  }
  /// The contribution of a row, nothing for rows after the last. Columns after the last read as the
  /// last.
  void addRow(Num row, Num column, Sums &sum, bool vectors) {
    Num there = row < given.rows, at = min(row, given.rows - 1);
    auto of = [&](const Tensor &matrix) {
      Pointer start = get_iter(matrix(at, _));
      if (vectors) {
        Num from = min(column, given.columns - pair).promised(pair);
        int64_t bytes = pair * elementOf(c, Holds::Element).bits() / 8;
        return convert(
            load_vec(make_tensor(offset(aligned_ptr(start, bytes), from), make_layout(pair))), f32);
      }
      llvm::SmallVector<Num> each;
      for (int i = 0; i < pair; ++i)
        each.push_back(convert(
            load(make_tensor(offset(start, min(column + i, given.columns - 1)), make_layout(1)), 0),
            f32));
      return vector_of(each);
    };
    Num x = of(given.x), dy = of(given.dy);
    if (centred)
      x = x - broadcast(load(*given.mean, at), pair);
    Num normal = x * broadcast(load(given.rstd, at), pair);
    Num none = broadcast(f32(0), pair);
    sum[0] = sum[0] + select(there, dy * normal, none);
    if (centred)
      sum[1] = sum[1] + select(there, dy, none);
  }
  Pointer words(Region region) const { return memory.pointer(region, f32); }
};
} // namespace

void rows::buildNormWeights(const RowConfig &config) { NormWeights(config).build(); }
