// The gradients of the weights of norms: sums down the columns, in an order that does not change.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A warp has 32 columns side by side and every 32nd row, some of which are on their way together;
// what the warps of a block have is added up by one of them, warp by warp.
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
    slots = memory.allocate(int64_t(sums()) * warps * lanes * int64_t(sizeof(float)));
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
  static constexpr int lanes = atom::Threads::ofWarp, warps = 32, together = 4;
  const RowConfig &c;
  bool centred;
  SharedMemory memory;
  Region slots;
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
           {.gridX = (given.columns + (lanes - 1)) / lanes,
            .threads = warps * lanes,
            .smemBytes = memory.bytes(),
            .overlaps = c.overlaps},
           stream, given);
  }

  void kernelBody() {
    memory.open();
    if (c.overlaps)
      griddepcontrol_wait();
    Num lane = thread_idx() % lanes, warp = warp_uniform(thread_idx() / lanes);
    Num column = block_idx() * lanes + lane, inside = column < given.columns;
    std::array<Num, 2> mine = {f32(0), f32(0)};
    mine = For(warp, given.rows, warps * together, mine, [&](Num first, std::array<Num, 2> &sum) {
      for (int i = 0; i < together; ++i)
        addRow(first + i * warps, min(column, given.columns - 1), sum);
    });
    for (int which = 0; which < sums(); ++which)
      store(mine[size_t(which)], ofWarps(which, lane), warp);
    sync_threads();
    for (int which = 0; which < sums(); ++which)
      If((warp == which) & inside, [&] {
        Tensor all = ofWarps(which, lane);
        Num sum = load(all, 0);
        for (int other = 1; other < warps; ++other)
          sum = sum + load(all, other);
        Tensor to = which ? *given.db : given.dw;
        store(convert(sum, elementOf(c, Holds::Result)), to, column);
      });
  }
  /// What a row adds, nothing if it is after the last.
  void addRow(Num row, Num column, std::array<Num, 2> &sum) {
    Num there = row < given.rows, at = min(row, given.rows - 1);
    auto of = [&](Tensor matrix) { return convert(load(matrix, make_coord(at, column)), f32); };
    Num x = of(given.x), dy = of(given.dy);
    if (centred)
      x = x - load(*given.mean, at);
    Num normal = x * load(given.rstd, at);
    sum[0] = sum[0] + select(there, dy * normal, f32(0));
    if (centred)
      sum[1] = sum[1] + select(there, dy, f32(0));
  }
  /// A lane's sums, by the warp that has them.
  Tensor ofWarps(int which, Num lane) const {
    Pointer at = offset(memory.pointer(slots, f32), which * warps * lanes);
    return make_tensor(offset(at, lane), make_layout(make_shape(warps), make_stride(lanes)));
  }
};
} // namespace

void rows::buildNormWeights(const RowConfig &config) { NormWeights(config).build(); }
