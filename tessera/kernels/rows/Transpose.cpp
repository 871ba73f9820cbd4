// Transposition: a thread turns a small square in its registers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A square has as many rows as a vector of 16 bytes has elements. Eight lanes side by side read 128
// bytes of each row, and the rows of a block's tile make as many bytes of a column; what the warps
// of a block write meets in the L2 cache.
#include "tessera/kernels/Errors.h"
#include "tessera/kernels/rows/RowKernel.h"

#include "tessera/dsl/Dsl.h"

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;
using namespace tessera::kernels::rows;

namespace {
class Transpose {
public:
  explicit Transpose(const RowConfig &c)
      : c(c), element(elementOf(c, Holds::Element)),
        side(RowPlan::vectorBytes * 8 / element.bits()) {}

  void build() {
    mlir::Type matrix = tensor_type(element, Layout("(?,?):(?{i64},1)"));
    host("transpose", {matrix, matrix}, [&](Arguments arguments, Stream stream) {
      given.x = arguments.tensor(0), given.y = arguments.tensor(1);
      given.rows = size(given.x, 0), given.columns = size(given.x, 1);
      check((size(given.y, 0) == given.columns) & (size(given.y, 1) == given.rows),
            fail(Error::RowOperands, "y: columns x rows").text);
      return_unless((given.rows > 0) & (given.columns > 0));
      given.tilesDown = tiles(given.rows, down);
      launch(c.name(),
             {.gridX = given.tilesDown * tiles(given.columns, across),
              .threads = threads,
              .overlaps = c.overlaps},
             stream, given);
    });
    kernel(c.name(), threads, given, [&](const Given &parameters) {
      given = parameters;
      if (c.overlaps)
        griddepcontrol_wait();
      kernelBody();
    });
  }

private:
  struct Given {
    Tensor x, y;
    Num rows, columns, tilesDown;
    auto members() { return std::tie(x, y, rows, columns, tilesDown); }
  };
  static constexpr int across = 16, down = 16, threads = across * down; // squares of a block
  const RowConfig &c;
  Element element;
  int side;
  Given given;

  Num tiles(Num extent, int squares) const {
    int tile = squares * side;
    return (extent + (tile - 1)) / tile;
  }

  /// Whether rows begin at multiples of 16 bytes: the first two do.
  Num aligned(Tensor matrix) const {
    Num both = address(get_iter(matrix(0, _))) | address(get_iter(matrix(1, _)));
    return (both & i64(RowPlan::vectorBytes - 1)) == i64(0);
  }
  Tensor vector(Tensor matrix, Num row, Num column) const {
    Pointer at = aligned_ptr(get_iter(matrix(row, _)), RowPlan::vectorBytes);
    return make_tensor(offset(at, column.promised(side)), make_layout(side));
  }

  void kernelBody() {
    Num thread = thread_idx(), block = block_idx();
    // A warp has 8 squares side by side, and 4 below each other.
    Num lane = thread % 32, warp = thread / 32;
    Num column = (block / given.tilesDown * across + warp % 2 * 8 + lane % 8) * side,
        row = (block % given.tilesDown * down + warp / 2 * 4 + lane / 8) * side;
    Num whole = (row + side <= given.rows) & (column + side <= given.columns) & aligned(given.x) &
                aligned(given.y);
    If(whole, [&] { square(row, column); }, [&] { elements(row, column); });
  }
  void square(Num row, Num column) {
    Tensor held =
        make_rmem_tensor(element, make_layout(make_shape(side, side), make_stride(side, 1)));
    std::vector<Num> loaded;
    for (int i = 0; i < side; ++i)
      loaded.push_back(load_vec(vector(given.x, row + i, column)));
    for (int i = 0; i < side; ++i)
      store_vec(loaded[size_t(i)], held(i, _));
    for (int j = 0; j < side; ++j)
      store_vec(load_vec(held(_, j)), vector(given.y, column + j, row));
  }
  void elements(Num row, Num column) {
    For(row, min(row + side, given.rows), 1, [&](Num i) {
      For(column, min(column + side, given.columns), 1,
          [&](Num j) { store(load(given.x, make_coord(i, j)), given.y, make_coord(j, i)); });
    });
  }
};
} // namespace

void rows::buildTranspose(const RowConfig &config) { Transpose(config).build(); }
