// GemmPlan: how the tiles of a GEMM lie in shared memory. For the parts of the GEMM only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/kernels/Frame.h"
#include "tessera/kernels/Gemm.h"
#include "tessera/kernels/Tiles.h"

#include <map>

namespace tessera::kernels {

constexpr int consumers = 2, tileM = consumers * rowsOfConsumer,
              threads = (consumers + 1) * groupThreads;
constexpr int boxesStaged = 2; // boxes of D, or C, that a consumer has room for

/// A type that A and B may have. Two of a kind may be multiplied.
struct Element {
  llvm::StringRef name;
  int bits;
  std::string memory, mma; // as IR spells it in tensors, and in the instruction
  int kind;
  bool integer = false;
};
const Element *findElement(llvm::StringRef name);

inline std::string text(const llvm::Twine &t) { return t.str(); }

/// Shared memory: stages of A and B, D on its way out, barriers. In bytes.
struct Plan {
  explicit Plan(const GemmConfig &c) : c(c) {}
  const GemmConfig &c;

  int64_t aStage() const { return tileM * rowBytes; }
  int64_t bStage() const { return int64_t(c.tileN) * rowBytes; }
  int64_t dBox() const { return rowsOfConsumer * rowBytes; }
  int64_t b() const { return c.stages * aStage(); }
  int64_t d() const { return b() + c.stages * bStage(); }
  int64_t barriers() const { return d() + consumers * boxesStaged * dBox(); }
  int64_t barriersC() const { return barriers() + 2 * int64_t(c.stages) * 8; }
  int64_t flags() const { return barriersC() + (c.c ? consumers * boxesStaged * 8 : 0); }
  int64_t end() const { return flags() + (c.splitK > 1 ? consumers * 4 : 0); }

  int bitsOfD() const { return c.d == "f32" || c.d == "i32" ? 32 : 16; }
  /// Columns of D that are stored at once.
  int boxN() const { return rowBytes * 8 / bitsOfD(); }
  int boxes() const { return c.tileN / boxN(); }
};

/// A tile of A or B, contiguous in K or, transposed by wgmma, in M (N).
SmemTile operandTile(int rows, int tileK, int bits, bool kMajor);

/// Where a block is in D, in tiles; its tiles of K; with K in slices, which tile and slice this is.
struct Tile {
  dsl::Num m, n;
  dsl::Num firstK, endK;
  dsl::Num index = {}, slice = {}, slices = {};
};

/// The parameters of the host function after D, each there if the configuration asks for it. To
/// the kernel C is a tensor map with its coordinates.
enum class Extra {
  C,
  Bias,
  ScaleA,
  ScaleB,
  Alpha,
  Beta,
  Workspace,
  Counters,
  CoordsC
};
struct ExtraRow {
  Extra extra;
  std::string type;
};
std::vector<ExtraRow> extrasOf(const GemmConfig &);
std::string matrixType(llvm::StringRef element, int bits, bool rowMajor);

/// What all threads of the kernel know.
struct Scope : Frame {
  const GemmConfig &c;
  Plan plan;
  const Element &a, &b; // not of a configuration that is refused
  dsl::Num rank;
  std::map<Extra, mlir::Value> extras;

  Scope(dsl::Builder &k, const GemmConfig &c)
      : Frame(k), c(c), plan(c), a(*findElement(c.a)), b(*findElement(c.b)) {}
  bool integer() const { return a.integer; }
  void begin();
  mlir::Value extra(Extra which) const { return extras.at(which); }
};

} // namespace tessera::kernels
