// The gradients of the weights of norms: sums down the columns, in an order that does not change.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block has columns of 128 bytes, a vector of 16 bytes for each of eight threads side by side,
// and some rows of each thread are on their way together. What the threads of a column have is
// added up in two steps. Where the columns are too few to fill a GPU, the blocks of a cluster share
// the rows if the target has clusters, and the first adds up what they have, block by block; else a
// block has columns of 64 or 32 bytes.
#include "tessera/kernels/Activation.h"
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
    // So many blocks read at the rate of memory (docs/benchmarks.md); narrow columns cost more.
    const double enough = centred ? 7.0 / 8 : 2.0 / 3, few = 1.0 / 2;
    auto below = [&](double share) { return cluster * tiles(c.columns) < share * c.sms; };
    while (c.overlaps && cluster < atom::Threads::blocksOfCluster && below(enough))
      cluster *= 2; // sm_90 and later
    while (!c.overlaps && lanes > fewestLanes && below(few))
      lanes /= 2;
    ofThreads = memory.allocate(int64_t(rowsAtOnce()) * results() * int64_t(sizeof(float)));
    ofGroups = memory.allocate(threads * int64_t(sizeof(float)));
    ofBlocks = memory.allocate(results() * int64_t(sizeof(float)));
  }

  void build() {
    std::string entry = c.kernel;
    std::ranges::replace(entry, '-', '_');
    host(entry, types(), [&](Arguments arguments, Stream stream) { hostBody(arguments, stream); });
    kernel(c.name(), {threads, blocksTogether}, given, [&](const Given &parameters) {
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
  static constexpr int threads = 512, blocksTogether = 2; // on a multiprocessor
  static constexpr int fewestLanes = 2;                   // a sector of memory
  static constexpr int rowsTogether = 4;                  // of a thread, on their way at once
  const RowConfig &c;
  bool centred;
  const int width = RowPlan::vectorBytes * 8 / elementOf(c, Holds::Element).bits();
  int lanes = 8;   // threads side by side
  int cluster = 1; // blocks that share the rows of a tile
  SharedMemory memory;
  Region ofThreads, ofGroups, ofBlocks;
  Given given;

  int rowsAtOnce() const { return threads / lanes; }
  int tile() const { return lanes * width; } // columns of a block
  int tiles(int columns) const { return (columns + (tile() - 1)) / tile(); }
  int sums() const { return centred ? 2 : 1; }
  int results() const { return sums() * tile(); } // of a block: dw of each column, then db

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
           {.gridX = (given.columns + (tile() - 1)) / tile() * cluster,
            .threads = threads,
            .smemBytes = memory.bytes(),
            .clusterX = cluster,
            .overlaps = c.overlaps},
           stream, given);
  }

  void kernelBody() {
    memory.open();
    if (c.overlaps)
      griddepcontrol_wait();
    Num lane = thread_idx() % lanes, ofTile = thread_idx() / lanes;
    Num rank = cluster > 1 ? block_rank_in_cluster() : i32(0);
    Num first = block_idx() / cluster * tile();
    Num column = (first + lane * width).promised(width);
    Num firstRow = rank * rowsAtOnce() + ofTile;
    If(
        vectorsAreAligned(),
        [&] { keep(sumRows(column, firstRow, rowsTogether, true), lane, ofTile); },
        [&] { keep(sumRows(column, firstRow, 1, false), lane, ofTile); });
    sync_threads();
    addUp();
    Num mine = thread_idx(); // a column, and dw or db
    cluster > 1 ? cluster_sync() : sync_threads();
    If((rank == 0) & (mine < results()) & (first + mine % tile() < given.columns), [&] {
      Num sum;
      for (int block = 0; block < cluster; ++block) {
        Pointer at = offset(words(ofBlocks), mine);
        if (cluster > 1)
          at = map_to_rank(at, block);
        Num one = load(make_tensor(at, make_layout(1)), 0);
        sum = block ? sum + one : one;
      }
      Num to = first + mine % tile(), value = convert(sum, elementOf(c, Holds::Result));
      if (centred)
        If(
            mine < tile(), [&] { store(value, given.dw, to); },
            [&] { store(value, *given.db, to); });
      else
        store(value, given.dw, to);
    });
    if (cluster > 1)
      cluster_sync(); // memory stays until the first block has read it
  }

  /// Whether the vectors of all threads lie at a multiple of their size, in x and in dy.
  Num vectorsAreAligned() const {
    Num odd = wide(given.columns % width);
    for (const Tensor &matrix : {given.x, given.dy})
      for (int row : {0, 1})
        odd = odd | (address(get_iter(matrix(row, _))) & i64(RowPlan::vectorBytes - 1));
    return odd == i64(0);
  }

  using Sums = std::array<Num, 2>; // of dw and of db, a vector each
  Sums sumRows(Num column, Num firstRow, int together, bool vectors) {
    Num none = broadcast(f32(0), width);
    const int stride = rowsAtOnce() * cluster;
    return For(firstRow, given.rows, stride * together, Sums{none, none},
               [&](Num first, Sums &sum) {
                 std::vector<Numbers> numbers;
                 for (int i = 0; i < together; ++i)
                   numbers.push_back(read(first + i * stride, column, vectors));
                 for (const Numbers &of : numbers)
                   add(of, sum);
               });
  }
  /// What a row has for a thread: vectors as in memory, and whether the row exists.
  struct Numbers {
    Num x, dy, mean, rstd, there;
  };
  /// Rows after the last read as the last, and columns after the last as the last vector.
  Numbers read(Num row, Num column, bool vectors) {
    Num at = min(row, given.rows - 1);
    auto of = [&](const Tensor &matrix) {
      Pointer start = get_iter(matrix(at, _));
      if (vectors) {
        Num from = min(column, given.columns - width).promised(width);
        Pointer vector = offset(aligned_ptr(start, RowPlan::vectorBytes), from);
        return load_vec(make_tensor(vector, make_layout(width)));
      }
      llvm::SmallVector<Num> each;
      for (int i = 0; i < width; ++i)
        each.push_back(load(
            make_tensor(offset(start, min(column + i, given.columns - 1)), make_layout(1)), 0));
      return vector_of(each);
    };
    return {of(given.x), of(given.dy), centred ? load(*given.mean, at) : f32(0),
            load(given.rstd, at), row < given.rows};
  }
  void add(const Numbers &of, Sums &sum) {
    Num x = convert(of.x, f32), dy = convert(of.dy, f32), none = splat(0, x);
    if (centred)
      x = x - splat(of.mean, x);
    sum[0] = sum[0] + select(of.there, dy * (x * splat(of.rstd, x)), none);
    if (centred)
      sum[1] = sum[1] + select(of.there, dy, none);
  }

  void keep(const Sums &mine, Num lane, Num ofTile) {
    for (int which = 0; which < sums(); ++which) {
      Num at = (ofTile * results() + which * tile() + lane * width).promised(width);
      store_vec(mine[size_t(which)], make_tensor(offset(words(ofThreads), at), make_layout(width)));
    }
  }
  /// All threads add up a part of the rows each, and then a thread for each result adds these up.
  void addUp() {
    const int groups = threads / results(), rows = rowsAtOnce() / groups;
    Num mine = thread_idx(), result = mine % results(), group = mine / results();
    auto add = [&](Region region, Num first, int count) {
      Tensor all = make_tensor(offset(words(region), first),
                               make_layout(make_shape(count), make_stride(results())));
      Num sum = load(all, 0);
      for (int other = 1; other < count; ++other)
        sum = sum + load(all, other);
      return sum;
    };
    store(add(ofThreads, group * (rows * results()) + result, rows),
          make_tensor(words(ofGroups), make_layout(threads)), mine);
    sync_threads();
    If(mine < results(), [&] {
      store(add(ofGroups, mine, groups), make_tensor(words(ofBlocks), make_layout(results())),
            mine);
    });
  }
  Pointer words(Region region) const { return memory.pointer(region, f32); }
};
} // namespace

void rows::buildNormWeights(const RowConfig &config) { NormWeights(config).build(); }
