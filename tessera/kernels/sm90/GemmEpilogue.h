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
/// threads in the same places.
class Epilogue {
public:
  explicit Epilogue(GemmBlock &block) : s(block), c(block.c) {}

  /// The tensor map of D, or of C, whose boxes are D's; in the host function.
  dsl::TmaTensor mapD(dsl::Tensor);
  dsl::TmaTensor mapC(dsl::Tensor);

  /// By one thread, before anyone waits.
  void prefetch();
  void initialise();
  /// By a consumer: before its first tile, when a tile begins that it will store, to store it,
  /// after the last.
  void begin(dsl::Num consumer);
  void beginTile(const TilePosition &);
  void store(const TilePosition &, dsl::Tensor sums);
  void end();

private:
  GemmBlock &s;
  const GemmConfig &c;
  dsl::Num consumer;
  Finish finish;
  dsl::Pointer staging;    // of this consumer: boxes of D or C in shared memory
  dsl::Tensor registers;   // what a thread has of a box, as D's type
  dsl::Tensor tilesStored; // in registers: how often the barriers of C were used

  int64_t boxElements() const { return GemmPlan::rowsOfConsumer * s.plan.boxN(); }
  SmemTile box() const {
    return SmemTile(GemmPlan::rowsOfConsumer, s.plan.boxN(), s.plan.elementD().bits());
  }
  dsl::Tile boxTile() const { return dsl::make_tile(GemmPlan::rowsOfConsumer, s.plan.boxN()); }
  void place();
  /// Of this consumer's rows of D or C: boxes of columns, the last mode.
  dsl::Tensor boxesOf(dsl::Tensor coords, const TilePosition &);
  dsl::TmaParts partsOf(dsl::Atom, dsl::Tensor boxes, const TilePosition &, int box);
  dsl::Barrier arrivedC(int slot);
  void loadC(const TilePosition &, int box);
  void awaitC(int box);

  bool narrow() const { return s.plan.elementD().bits() == 16; }
  dsl::Tensor rowsForMatrices(dsl::Pointer at);
  dsl::Tensor pairs(dsl::Pointer at);
  dsl::Num get(dsl::Pointer at);
  void put(dsl::Num values, dsl::Pointer at);
  dsl::Num biasOf(const TilePosition &, int box);
};

} // namespace tessera::kernels::sm90
