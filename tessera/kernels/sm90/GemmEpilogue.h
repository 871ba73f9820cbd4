// GemmEpilogue: from the sums of a tile to D. For the GEMM only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/kernels/Activation.h"
#include "tessera/kernels/sm90/GemmPlan.h"

namespace tessera::kernels::sm90 {

/// What becomes of sums before they are D; each number is unset where the configuration has none.
struct Finish {
  dsl::Num factor, beta;
  const Activation *activation = nullptr;

  Finish() = default;
  /// In the kernel.
  Finish(const GemmConfig &, const std::optional<dsl::Num> &alpha,
         const std::optional<dsl::Num> &beta, const std::optional<dsl::Tensor> &scaleA,
         const std::optional<dsl::Tensor> &scaleB);
  /// activation(factor * sums + beta * C + bias), of vectors of f32; `matrixC` is called where it
  /// is due, and may be empty if there is no C.
  dsl::Num of(dsl::Num sums, const std::function<dsl::Num()> &matrixC, dsl::Num bias) const;
};

/// D = activation(alpha * sums + beta * C + bias), a few boxes of columns at a time: registers,
/// shared memory, TMA. C comes to where D will be, so that both are read and written by the same
/// threads in the same places. Storers are groups of threads with rows of their own; what they are
/// is for those who inherit.
class Epilogue {
public:
  explicit Epilogue(GemmBlock &block) : s(block), c(block.c) {}
  virtual ~Epilogue() = default;

  /// The tensor map of D, or of C, whose boxes are D's; in the host function.
  dsl::TmaTensor mapD(dsl::Tensor);
  dsl::TmaTensor mapC(dsl::Tensor);
  /// Of D, for boxes of the columns that fill no other; only if there are such.
  dsl::TmaTensor mapTail(dsl::Tensor);

  /// By one thread, before anyone waits.
  void prefetch();
  void initialise();
  /// By a storer: before its first tile, when a tile begins that it will store, after the last.
  void begin(dsl::Num storer);
  void beginTile(const TilePosition &);
  void end();

protected:
  GemmBlock &s;
  const GemmConfig &c;
  dsl::Num storer;
  Finish finish;

  /// Stores a tile; `sums(i)` are those of box i, in f32 or i32, called in the order of boxes.
  void storeBoxes(const TilePosition &, const std::function<dsl::Num(int)> &sums);
  virtual void place();
  /// Which rows of D or C a storer has of a tile, in blocks of as many as it stores at once.
  dsl::Num rowsOf(const TilePosition &, int block) const;

private:
  dsl::Pointer staging;    // of this storer: boxes of D or C in shared memory
  dsl::Pointer tails;      // the same place, where rows are not permuted
  dsl::Tensor tilesStored; // in registers: how often the barriers of C were used

  /// Until all threads of the storer have come.
  virtual void sync() = 0;
  /// What one warp of the storer does.
  virtual void once(const std::function<void()> &) = 0;
  /// A thread's values of a box of D's type in shared memory, as f32 (i32), and their bias.
  virtual void put(dsl::Num values, dsl::Pointer box, int columns) = 0;
  virtual dsl::Num get(dsl::Pointer box) = 0;
  virtual dsl::Num biasOf(const TilePosition &, int box) = 0;

  int64_t boxElements() const { return int64_t(s.plan.rowsOfStorer()) * s.plan.boxN(); }
  SmemTile box() const {
    return SmemTile(s.plan.rowsOfStorer(), s.plan.boxN(), s.plan.elementD().bits());
  }
  dsl::Tile boxTile() const { return dsl::make_tile(s.plan.rowsOfStorer(), s.plan.boxN()); }
  layout::Layout tail() const;
  dsl::Tile tailTile() const { return dsl::make_tile(s.plan.rowsOfStorer(), s.plan.tail()); }
  /// Of this storer's rows of D or C those of a box: boxes of columns, the last mode; or, where
  /// boxes do not fill tiles, all columns.
  dsl::Tensor boxesOf(dsl::Tensor coords, const TilePosition &, int box);
  dsl::Pointer placeOf(int box);
  dsl::TmaParts partsOf(dsl::Atom, dsl::Tensor boxes, const TilePosition &, int box);
  dsl::Barrier arrivedC(int slot);
  void loadC(const TilePosition &, int box);
  void awaitC(int box);
};

/// The storers of Hopper: warpgroups, whose sums are in registers as wgmma leaves them.
class GroupEpilogue : public Epilogue {
public:
  using Epilogue::Epilogue;
  void store(const TilePosition &, dsl::Tensor sums);

private:
  dsl::Tensor registers; // what a thread has of a box, as D's type

  void storeRows(const TilePosition &, const std::function<dsl::Num(int)> &sums);

  void place() override;
  void sync() override;
  void once(const std::function<void()> &) override;
  void put(dsl::Num values, dsl::Pointer box, int columns) override;
  dsl::Num get(dsl::Pointer box) override;
  dsl::Num biasOf(const TilePosition &, int box) override;

  bool narrow() const { return s.plan.elementD().bits() == 16; }
  dsl::Tensor rowsForMatrices(dsl::Pointer at, int columns);
  dsl::Tensor pairs(dsl::Pointer at, int columns);
};

} // namespace tessera::kernels::sm90
