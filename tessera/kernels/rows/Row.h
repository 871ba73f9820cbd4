// Row: the part of a row that a thread has, and exchange between the threads of a row. For the rows
// only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/dsl/Dsl.h"
#include "tessera/kernels/rows/RowPlan.h"

#include <functional>
#include <optional>

namespace tessera::kernels::rows {

struct RowKernel;

/// The parameters of the kernel: the operands, numbers or tensors, and their numbers of rows and
/// columns.
struct RowParameters {
  std::vector<dsl::Tensor> tensors; // in the order of the operands, without the numbers
  std::vector<dsl::Num> numbers;
  dsl::Num rows, columns;
  dsl::Num perToken; // heads per token, or segments per row; else 1

  auto members() { return std::tie(tensors, numbers, rows, columns, perToken); }
};

/// A thread's columns of a row, as f32: vectors, or single numbers if rows do not begin at
/// multiples of 16 bytes. Columns beyond the row have the value that the formula chooses.
using Part = std::vector<dsl::Num>;

/// A function of each number; of each pair of numbers; all numbers combined.
Part each(const Part &, const std::function<dsl::Num(dsl::Num)> &);
Part each(const Part &, const Part &, const std::function<dsl::Num(dsl::Num, dsl::Num)> &);
dsl::Num total(const Part &, const std::function<dsl::Num(dsl::Num, dsl::Num)> &);

class Row {
public:
  /// The most numbers that a formula may exchange, and the words of shared memory for each.
  static constexpr int mostExchanges = 4, exchangeWords = 36;

  Row(const RowConfig &, const RowKernel &, const RowPlan &, const dsl::SharedMemory &,
      dsl::Region slots, const RowParameters &);

  const RowConfig &c;

  /// Whether all rows are aligned for vector accesses. The same for all threads.
  dsl::Num aligned() const;
  /// The same row, processed by vectors or by single numbers.
  Row by(bool vectors) const;

  // `operand` is the operand's index in the kernel's list.
  /// The thread's part of the row of a matrix, or of the numbers of columns; of heads the lower or
  /// upper half. Columns beyond the row have the number `beyond`, or, without one, any of the row's
  /// numbers or 0, as no column beyond the row is stored.
  Part load(size_t operand, std::optional<double> beyond = {}, bool upper = false) const;
  void store(const Part &, size_t operand, bool upper = false) const;
  /// The same for `part(vector)`, which is computed when it is stored.
  void store(const std::function<dsl::Num(size_t vector)> &part, size_t operand,
             bool upper = false) const;
  /// Vectors as in memory, for rows of a warp or less, whose threads wait for no others; else
  /// empty.
  Part ahead(size_t operand) const;
  /// One vector of the row: from `ahead`, or else read where it is needed, since holding values
  /// during a wait takes registers. Columns beyond the row have any of its numbers.
  dsl::Num later(size_t operand, size_t vector, const Part &ahead = {}) const;
  /// The products of two operands, 0 beyond the row.
  Part product(size_t one, size_t other) const;
  /// The mean of the row's first numbers, as many as a vector has.
  dsl::Num sample(size_t operand) const;
  /// One number of the row, at any column.
  dsl::Num element(size_t operand, dsl::Num column) const;
  /// The number that belongs to the row.
  dsl::Num number(size_t operand) const;
  void storeNumber(dsl::Num, size_t operand) const;
  /// An argument of the call.
  dsl::Num argument(size_t operand) const;

  /// For a row that is read piece by piece: calls `body(piece, values)` for each piece in order,
  /// with the values that the previous call left. The result is what the last one left.
  template <class Values, class Body> Values along(Values values, Body body) const {
    return dsl::For(0, columns(), piece(), values, [&](dsl::Num from, Values &now) {
      Row at = pieceAt(from);
      body(at, now);
    });
  }
  /// Calls `body(piece)` from the last piece to the first, since caches still have the last ones of
  /// a row that has been read once.
  template <class Body> void back(Body body) const {
    dsl::Num last = (columns() - 1) / piece() * piece();
    dsl::For(0, columns(), piece(), [&](dsl::Num before) {
      Row at = pieceAt(last - before);
      body(at);
    });
  }

  dsl::Num columns() const; // of the row, or of this segment of it
  /// The column numbers of a vector of the part.
  dsl::Num indices(size_t vector) const;
  /// The part, with `beyond` in columns outside of the row.
  Part within(const Part &, double beyond) const;

  /// Combines the numbers of all threads of the row in a fixed order. All threads of the block must
  /// call it equally often.
  dsl::Num all(dsl::Num mine, const std::function<dsl::Num(dsl::Num, dsl::Num)> &);
  /// Several numbers, each combined separately, in one exchange.
  using Numbers = std::vector<dsl::Num>;
  Numbers all(Numbers mine, const std::function<dsl::Num(dsl::Num, dsl::Num)> &);
  /// Several numbers that are combined together with those of another thread. `none` is the neutral
  /// element.
  Numbers all(Numbers mine, const std::vector<double> &none,
              const std::function<Numbers(const Numbers &, const Numbers &)> &);
  dsl::Num sum(const Part &);
  std::vector<dsl::Num> sums(const std::vector<Part> &);
  dsl::Num most(const Part &);

private:
  const RowKernel &kernel;
  const RowPlan &plan;
  const dsl::SharedMemory &memory;
  dsl::Region slots;
  const RowParameters &given;
  dsl::Num thread, rank; // in the block; of the block in the cluster
  dsl::Num ofRow;        // number of this thread among those of the row, in all blocks
  dsl::Num row, there;   // its number, and whether it exists; if not, it is the last one
  dsl::Num outer, inner; // row / perToken, row % perToken: token and head, or row and segment
  dsl::Num from;         // the first column of a piece; unset: 0
  int width;             // of a vector of the part
  int exchanged = 0;

  int piece() const { return int(plan.capacity()); } // columns; it has no cluster
  Row pieceAt(dsl::Num column) const;
  std::vector<dsl::Pointer> exchange(size_t numbers); // their places in shared memory
  dsl::Tensor tensor(size_t operand) const;
  dsl::Pointer start(size_t operand, bool upper) const;
  dsl::Num vectorAt(size_t operand, dsl::Num column) const; // as in memory
  dsl::Num columnOf(size_t vector) const;                   // its first, or the row's
  int firstOf(size_t vector) const;    // from the thread's first column to the vector's
  dsl::Num firstOfThread() const;      // column
  dsl::Num first(size_t vector) const; // column
  dsl::Num inside(size_t vector) const;
  size_t count() const; // vectors of a part
  int64_t alignment(size_t operand) const;
  dsl::Num leads() const; // one thread of the row
};

} // namespace tessera::kernels::rows
