// Row: what a thread has of a row, and what the threads of a row tell each other. For the rows
// only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/dsl/Dsl.h"
#include "tessera/kernels/rows/RowPlan.h"

#include <functional>

namespace tessera::kernels::rows {

struct RowKernel;

/// What the kernel is given: the operands, numbers or tensors, and how many rows of how many
/// columns these have.
struct RowParameters {
  std::vector<dsl::Tensor> tensors; // in the order of the operands, without the numbers
  std::vector<dsl::Num> numbers;
  dsl::Num rows, columns;
  dsl::Num perToken; // heads of a token, or segments of a row; 1

  auto members() { return std::tie(tensors, numbers, rows, columns, perToken); }
};

/// A thread's columns of a row, as f32: vectors, or single numbers where rows do not begin at
/// multiples of 16 bytes. Beyond the row is what the formula asks for.
using Part = std::vector<dsl::Num>;

/// Of each number; of each pair; all of them combined.
Part each(const Part &, const std::function<dsl::Num(dsl::Num)> &);
Part each(const Part &, const Part &, const std::function<dsl::Num(dsl::Num, dsl::Num)> &);
dsl::Num total(const Part &, const std::function<dsl::Num(dsl::Num, dsl::Num)> &);

class Row {
public:
  /// Numbers that a formula may exchange, and the words of shared memory of one.
  static constexpr int mostExchanges = 4, exchangeWords = 36;

  Row(const RowConfig &, const RowKernel &, const RowPlan &, const dsl::SharedMemory &,
      dsl::Region slots, const RowParameters &);

  const RowConfig &c;

  /// Whether all rows begin where vectors may be read and written. The same for all threads.
  dsl::Num aligned() const;
  /// The same row, of which this is done with vectors, or with one number at a time.
  Row by(bool vectors) const;

  // Operands by their place in the kernel's list.
  /// The row of a matrix, or the columns' numbers; of heads the lower or upper half.
  Part load(size_t operand, double beyond = 0, bool upper = false) const;
  void store(const Part &, size_t operand, bool upper = false) const;
  /// The same of `part(vector)`, which is made where it is stored.
  void store(const std::function<dsl::Num(size_t vector)> &part, size_t operand,
             bool upper = false) const;
  /// Vectors as they lie in memory, of rows that have a warp or less, whose threads wait for
  /// nobody; else none.
  Part ahead(size_t operand) const;
  /// One vector of the row, out of those, or read where it is needed: what a thread holds while it
  /// waits takes registers.
  dsl::Num later(size_t operand, size_t vector, const Part &ahead = {}) const;
  /// Of two operands, 0 beyond the row.
  Part product(size_t one, size_t other) const;
  /// The mean of the row's first numbers, as many as a vector has.
  dsl::Num sample(size_t operand) const;
  /// One of the row, whatever its place.
  dsl::Num element(size_t operand, dsl::Num column) const;
  /// The row's number.
  dsl::Num number(size_t operand) const;
  void storeNumber(dsl::Num, size_t operand) const;
  /// The call's.
  dsl::Num argument(size_t operand) const;

  /// Of a row that is read piece by piece: `body(piece, values)` for each, in their order, where
  /// each begins with the values that the one before left. The result is what the last one left.
  template <class Values, class Body> Values along(Values values, Body body) const {
    int piece = plan.threads * plan.vectors * plan.width;
    return dsl::For(0, columns(), piece, values, [&](dsl::Num from, Values &now) {
      Row at = *this;
      at.from = from.promised(plan.width);
      body(at, now);
    });
  }

  dsl::Num columns() const; // of the row, or of this segment of it
  /// The columns of a vector of the part.
  dsl::Num indices(size_t vector) const;
  /// The part, with something else in columns that the row does not have.
  Part within(const Part &, double beyond) const;

  /// What all threads of the row have, combined in an order that does not change. All threads of
  /// the block call it, as often.
  dsl::Num all(dsl::Num mine, const std::function<dsl::Num(dsl::Num, dsl::Num)> &);
  /// Several numbers, each combined on its own, in one exchange.
  using Numbers = std::vector<dsl::Num>;
  Numbers all(Numbers mine, const std::function<dsl::Num(dsl::Num, dsl::Num)> &);
  /// Several numbers that are combined with those of another thread together; `none` leaves others
  /// as they are.
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
  dsl::Num ofRow;        // this thread among those of the row, in all blocks
  dsl::Num row, there;   // which, and whether it is there: else it is the last one
  dsl::Num outer, inner; // row / perToken, row % perToken: token and head, or row and segment
  dsl::Num from;         // the first column of a piece; unset: 0
  int width;             // of a vector of the part
  int exchanged = 0;

  std::vector<dsl::Pointer> exchange(size_t numbers); // their places in shared memory
  dsl::Tensor tensor(size_t operand) const;
  dsl::Pointer start(size_t operand, bool upper) const;
  dsl::Num vectorAt(size_t operand, dsl::Num column) const; // as it lies in memory
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
