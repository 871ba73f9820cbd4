// BoxEpilogue: from the sums of a tile to D in boxes of TMA. For the GEMMs only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/kernels/gemm/Finish.h"
#include "tessera/kernels/gemm/GemmBlock.h"
#include "tessera/kernels/gemm/GemmWalk.h"

namespace tessera::kernels {

/// D = activation(alpha * sums + beta * C + bias), a few boxes of columns at a time: registers,
/// shared memory, TMA. C is loaded to the place of D, so that the same threads read and write both
/// at the same addresses. A storer is a group of threads with rows of its own; derived classes say
/// which.
class BoxEpilogue {
public:
  explicit BoxEpilogue(GemmBlock &block) : s(block), c(block.c) {}
  virtual ~BoxEpilogue() = default;

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

} // namespace tessera::kernels
