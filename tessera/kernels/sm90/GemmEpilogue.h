// GemmEpilogue: from the accumulator of a tile to D. For the GEMM only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/kernels/Activation.h"
#include "tessera/kernels/sm90/GemmPlan.h"

namespace tessera::kernels::sm90 {

/// Operations on accumulators before they become D; a number is unset if the configuration lacks
/// it.
struct Finish {
  dsl::Num factor, beta;
  const Activation *activation = nullptr;

  Finish() = default;
  /// In the kernel.
  Finish(const GemmConfig &, const std::optional<dsl::Num> &alpha,
         const std::optional<dsl::Num> &beta, const std::optional<dsl::Tensor> &scaleA,
         const std::optional<dsl::Tensor> &scaleB);
  /// activation(factor * sums + beta * C + bias), for vectors of f32. `matrixC` is called when C is
  /// needed, and may be empty without C.
  dsl::Num of(dsl::Num sums, const std::function<dsl::Num()> &matrixC, dsl::Num bias) const;
};

/// D = activation(alpha * sums + beta * C + bias), a few boxes of columns at a time: registers,
/// shared memory, TMA. C is loaded to the place of D, so that the same threads read and write both
/// at the same addresses. A storer is a group of threads with rows of its own; derived classes say
/// which.
class Epilogue {
public:
  explicit Epilogue(GemmBlock &block) : s(block), c(block.c) {}
  virtual ~Epilogue() = default;

  /// The tensor map of D, or of C with the boxes of D; in the host function.
  dsl::TmaTensor mapD(dsl::Tensor);
  dsl::TmaTensor mapC(dsl::Tensor);
  /// The tensor map of D for boxes of the columns that fill no other box; only if there are any.
  dsl::TmaTensor mapTail(dsl::Tensor);

  /// Called by one thread, before any thread waits.
  void prefetch();
  void initialise();
  /// Called by a storer: before its first tile, at the beginning of each tile that it stores, after
  /// the last one.
  void begin(dsl::Num storer);
  void beginTile(const TilePosition &);
  void end();

protected:
  GemmBlock &s;
  const GemmConfig &c;
  dsl::Num storer;
  Finish finish;

  /// Stores a tile. `sums(i)` is the accumulator of box i, in f32 or i32; called in the order of
  /// boxes.
  void storeBoxes(const TilePosition &, const std::function<dsl::Num(int)> &sums);
  virtual void place();
  /// The rows of D or C that a storer has in a tile, in blocks of the rows that it stores at once.
  dsl::Num rowsOf(const TilePosition &, int block) const;

private:
  dsl::Pointer staging;    // of this storer: boxes of D or C in shared memory
  dsl::Pointer tails;      // the same place, for rows that are not permuted
  dsl::Tensor tilesStored; // in registers: number of uses of the barriers of C

  /// Waits until all threads of the storer have come.
  virtual void sync() = 0;
  /// Code for only one warp of the storer.
  virtual void once(const std::function<void()> &) = 0;
  /// A thread's values of a box of D's type in shared memory, as f32 (i32), and their bias.
  virtual void put(dsl::Num values, dsl::Pointer box, int columns) = 0;
  virtual dsl::Num get(dsl::Pointer box) = 0;
  virtual dsl::Num biasOf(const TilePosition &, int box) = 0;
  virtual dsl::Num threadOfStorer() const = 0;
  virtual int threadsOfStorer() const = 0;

  int64_t boxElements() const { return int64_t(s.plan.rowsOfStorer()) * s.plan.boxN(); }
  SmemTile box() const {
    return SmemTile(s.plan.rowsOfStorer(), s.plan.boxN(), s.plan.elementD().bits());
  }
  dsl::Tile boxTile() const { return dsl::make_tile(s.plan.rowsOfStorer(), s.plan.boxN()); }
  layout::Layout tail() const;
  dsl::Tile tailTile() const { return dsl::make_tile(s.plan.rowsOfStorer(), s.plan.tail()); }
  /// The part of this storer's rows of D or C that is in a box: boxes of columns are the last mode;
  /// if boxes do not fill tiles, all columns.
  dsl::Tensor boxesOf(dsl::Tensor coords, const TilePosition &, int box);
  dsl::Pointer placeOf(int box);
  dsl::Tensor inMemory(int box);
  dsl::TmaParts partsOf(dsl::Atom, dsl::Tensor boxes, const TilePosition &, int box);
  dsl::Barrier arrivedC(int slot);
  void loadC(const TilePosition &, int box);
  void awaitC(int box);
  dsl::Num endsWithin(const TilePosition &, int box);
  /// Stores a box by the threads of the storer, and of it only what is in D.
  void storeElements(const TilePosition &, int box);
};

/// The storers of Hopper: warpgroups, whose accumulators are in registers as wgmma leaves them.
class GroupEpilogue : public Epilogue {
public:
  using Epilogue::Epilogue;
  void store(const TilePosition &, dsl::Tensor sums);

private:
  dsl::Tensor registers; // a thread's part of a box, in D's type

  void storeRows(const TilePosition &, const std::function<dsl::Num(int)> &sums);

  void place() override;
  void sync() override;
  void once(const std::function<void()> &) override;
  void put(dsl::Num values, dsl::Pointer box, int columns) override;
  dsl::Num get(dsl::Pointer box) override;
  dsl::Num biasOf(const TilePosition &, int box) override;
  dsl::Num threadOfStorer() const override;
  int threadsOfStorer() const override;

  bool narrow() const { return s.plan.elementD().bits() == 16; }
  dsl::Tensor rowsForMatrices(dsl::Pointer at, int columns);
  dsl::Tensor pairs(dsl::Pointer at, int columns);
};

} // namespace tessera::kernels::sm90
