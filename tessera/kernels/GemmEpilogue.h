// GemmEpilogue: from the sums of a tile to D. For the GEMM only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/kernels/GemmPlan.h"

namespace tessera::kernels {

/// D = activation(alpha * sums + beta * C + bias), a few boxes of columns at a time: registers,
/// shared memory, TMA. C comes to where D will be, so that both are read and written by the same
/// threads in the same places.
class Epilogue {
public:
  explicit Epilogue(Scope &scope) : s(scope), k(scope.k), c(scope.c) {}

  /// The tensor map of D, or of C, whose boxes are D's; in the host function.
  dsl::TmaTensor mapD(mlir::Value d);
  dsl::TmaTensor mapC(mlir::Value matrix);

  /// What the kernel was given for D.
  void take(mlir::Value atom, mlir::Value coords);
  /// By one thread, before anyone waits.
  void prefetch();
  void initialise();
  /// By a consumer: before its first tile, when a tile begins that it will store, to store it,
  /// after the last.
  void begin(dsl::Num consumer);
  void beginTile(const Tile &);
  void store(const Tile &, mlir::Value sums);
  void end();

private:
  Scope &s;
  dsl::Builder &k;
  const GemmConfig &c;
  mlir::Value atomD, coordsD;
  dsl::Num consumer, factor;
  mlir::Value staging;     // of this consumer: boxes of D or C in shared memory
  mlir::Value registers;   // what a thread has of a box, as D's type
  mlir::Value tilesStored; // in registers: how often the barriers of C were used

  int64_t boxElements() const { return rowsOfConsumer * s.plan.boxN(); }
  SmemTile box() const { return SmemTile(rowsOfConsumer, s.plan.boxN(), s.plan.bitsOfD()); }
  void place();
  /// Of this consumer's rows of D or C: boxes of columns, the last mode.
  mlir::Value boxesOf(mlir::Value coords, const Tile &);
  dsl::TmaParts partsOf(mlir::Value atom, mlir::Value coords, const Tile &, int box);
  mlir::Value barrierC(int slot);
  void loadC(const Tile &, int box);
  void awaitC(int box);

  bool narrow() const { return s.plan.bitsOfD() == 16; }
  mlir::Value rowsForMatrices(mlir::Value at);
  mlir::Value pairs(mlir::Value at);
  mlir::Value get(mlir::Value at);
  void put(mlir::Value values, mlir::Value at);
  mlir::Value finished(mlir::Value sums, mlir::Value at, mlir::Value bias);
  mlir::Value biasOf(const Tile &, int box);
};

} // namespace tessera::kernels
