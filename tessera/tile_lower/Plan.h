// Plan: decisions made before a kernel's code: threads, layouts, instructions of products, which
// loads go to shared memory, and which loops are pipelined.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values connected by elementwise ops, reshapes and loops form a class. A class has one layout, so
// that nothing is moved between its values: the layout of its most important member, which is the
// accumulator of a product, then what is loaded or stored. A class without such members gets a
// layout that makes a broadcast or reduction free, else one with elements in order.
// docs/tile-layouts.md.
#pragma once

#include "tessera/atom/MmaRow.h"
#include "tessera/cuda_tile/CudaTile.h"
#include "tessera/tile_lower/BitLayout.h"
#include "tessera/tile_lower/Windows.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

#include <array>

namespace tessera::tile_lower {

using llvm::ArrayRef;
using llvm::SmallVector;
using mlir::Operation;
using mlir::Value;

/// Extents of a product; all are powers of two.
struct Extents {
  int64_t batch = 1, m = 1, n = 1, k = 1;
};
Extents extentsOf(mlir::Type lhs, mlir::Type rhs);

/// Where a tile lies in shared memory: for each bit of an element's number, the bytes that it adds
/// to the address, before the swizzle. placeOf: the place of elements given by some of the bits.
struct Placement {
  SmallVector<int64_t> places, plain;
  layout::Swizzle swizzle;
  int64_t bytes = 0;

  void setSwizzle(layout::Swizzle other);
};
/// Rows of up to 128 bytes of adjacent elements, swizzled in units of 16 bytes so that the units at
/// one place of eight rows cover all 32 banks: S<3,4,3> for rows of 128 bytes, a smaller swizzle
/// for shorter rows, as for wgmma and TMA. `order` has the bits of an element; the first `runBits`
/// of them count adjacent elements. Elements have `bytes` bytes.
Placement placedInRows(ArrayRef<int8_t> order, int runBits, int64_t bytes);
int64_t placeOf(ArrayRef<int64_t> places, int64_t element);

/// B of a warpgroup's product that threads rewrite to shared memory after a load: the hardware
/// reads 8-bit and 32-bit elements along K only, and cannot read values computed by other ops.
struct Remade : Placement {
  bool isAlongK = false; // rows of memory, else along N
};

/// A product on tensor cores: the instruction, and the layouts of its operands. The first registers
/// of the result are those of one instruction's accumulator.
struct Product {
  const atom::MmaRow *row = nullptr;
  Extents extents = {};
  int64_t columns = 8;        // of one instruction
  BitLayout result, lhs, rhs; // lhs and rhs where they are in registers
  // For products of a warpgroup: matrix descriptors of the operands in shared memory, without
  // start.
  uint64_t lhsDescriptor = 0, rhsDescriptor = 0;
  atom::Major lhsMajor = atom::Major::K, rhsMajor = atom::Major::K;
  std::optional<Remade> remade = {}; // B, if it is not read where it was loaded
  /// Of 8-bit numbers on sm_90a, tensor cores keep fewer bits of a sum than f32 has. Unless the
  /// program allows that (fast_acc), they sum up few products at a time, and threads do the rest.
  bool isSummedByThreads = false;
  static constexpr int64_t mostOfTensorCore = 128, mostColumnsAtOnce = 128;

  bool isGroup() const { return row->recipe == atom::Recipe::Wgmma; }
  /// Threads that execute one instruction together, as a number of bits.
  int threadBits() const { return isGroup() ? 7 : 5; }
  int64_t rowsOfInstruction() const { return row->m.first; }
  /// Registers of a thread for the sums of one instruction of a warpgroup.
  int64_t registersOfInstruction() const { return rowsOfInstruction() * columns >> threadBits(); }
  /// Registers that sums take besides those of the result.
  int64_t moreRegisters() const { return isSummedByThreads ? registersOfInstruction() : 0; }
};

/// The boxes by which TMA copies a tile: for each mode of the tensor map, stride 1 first, the
/// dimension of the tile that it is, and its extent in a box. `count` boxes lie along the first
/// mode.
struct Boxes {
  SmallVector<size_t> dimensions;
  SmallVector<int64_t> extents;
  int64_t count = 1;
  size_t map = 0; // of Producer::maps
};

/// A tile that a load leaves in shared memory: for products to read, or, with a layout, for the
/// threads that copied it, where each reads only its own elements.
struct Staging : Placement {
  Operation *load = nullptr; // by a view, or by pointers whose addresses follow each other
  Traversal traversal;
  bool isAsync = false;            // by cp.async
  bool isRounded = false;          // from f32 to tf32, by TMA: threads need not
  std::optional<Boxes> boxes = {}; // by TMA
  std::optional<BitLayout> layout = {};

  mlir::Type tile() const { return load->getResult(0).getType(); }
  /// Number of adjacent elements that one copy moves.
  int64_t vector() const { return int64_t(1) << traversal.vectorBits; }
};
/// An operand of a product that is read from shared memory. Reshapes, which keep the numbers of
/// elements, and permutations are followed; elementwise ops are repeated after the read.
struct Source : Placement {
  Staging *staging = nullptr;
  SmallVector<Operation *> elementwise = {}; // in their order
};

/// A loop whose loads run ahead of its iterations.
struct Pipeline {
  SmallVector<const Staging *> loads;
  SmallVector<Operation *> addressing; // ops of the body that the indices of the loads need
  SmallVector<Operation *> remaking;   // products of the body with an operand that is remade
  /// A warpgroup's product of the body; the loads of a later iteration begin while it is in flight.
  /// Null: they begin before the body.
  Operation *meanwhile = nullptr;
  /// Whether the loads of the next iteration are also awaited during that product, so that products
  /// of warpgroups follow each other without a barrier in between.
  bool waitsMeanwhile() const { return meanwhile && stages > 2 && remaking.empty(); }
  int64_t stages = 0, bytes = 0; // bytes of one stage
  std::optional<int64_t> latency = {};
  /// Whether a separate warp makes the loads; if not, the reason.
  bool isProduced = false;
  std::string whyNotProduced = {};
  bool needsTma = false;             // cp.async could not make all of the loads
  SmallVector<Operation *> own = {}; // loads whose threads read only what they copied themselves
  /// If a separate warp makes this loop's loads: a product whose sums the loop carries, so that it
  /// is awaited in the next iteration, before `sumsUse`, the first op that reads them, or, if that
  /// is the product itself, during it.
  Operation *carried = nullptr, *sumsUse = nullptr;
  /// A product whose operands are all loads, so that it can begin in the iteration before: just
  /// before the carried product, as ptxas makes products that are in flight over the loop's end
  /// wait for each other (C7514); at the iteration's beginning if there is no carried product.
  Operation *early = nullptr;
  /// Loads that only the early product reads. Where the ring has barriers of their own for them,
  /// `othersUse` is the first product that reads others.
  SmallVector<const Staging *> earlyLoads = {};
  Operation *othersUse = nullptr;
};

/// The work of the separate warp: the TMA loads of all loops, in one ring, and the code of the
/// program around them that decides which loads these are.
struct Producer {
  int64_t stages = 0, bytes = 0; // bytes of one stage
  /// Registers of the separate warpgroup, few, so that threads that run the program can have more;
  /// 0: a single warp, and all threads have equally many.
  int64_t registers = 0;
  SmallVector<const Staging *> maps;   // one load for each tensor map
  llvm::SetVector<Operation *> ofMaps; // ops that the maps need, in their order
  llvm::DenseSet<Operation *> needed;  // ops that indices, bounds and conditions need
  llvm::DenseSet<Operation *> around;  // loops and branches around the loops
  Operation *last = nullptr; // the ring is not needed after this loop; null if that is unknown
  /// Whether loads of early products have barriers of their own, as they are read an iteration
  /// before the others of their stage: two stages are enough then.
  bool hasEarly = false;

  static constexpr int64_t warpThreads = 32, groupThreads = 128, ownRegisters = 24;
  /// Number of threads after those that run the program. Only the first warp has work.
  int64_t threads() const { return registers ? groupThreads : warpThreads; }
  static constexpr int64_t barrierBytes = 8, mapBytes = 128;
  /// Barriers of a stage.
  int64_t barriers() const { return hasEarly ? 4 : 2; }
  /// Offset of the images of the tensor maps, which come after the barriers and before the ring.
  int64_t imagesAt() const;
  int64_t controlBytes() const { return imagesAt() + int64_t(maps.size()) * mapBytes; }
  int64_t sharedBytes() const;
};

/// Bytes of shared memory that a kernel for a target may declare.
int64_t sharedLimitOf(llvm::StringRef arch);

class Plan {
public:
  static std::unique_ptr<const Plan> make(cuda_tile::EntryOp entry, llvm::StringRef arch);

  int threadBits = 7;
  /// Blocks that a multiprocessor should hold; ptxas limits the registers of a thread accordingly.
  /// 0: no limit.
  int64_t blocksPerMultiprocessor = 0;
  /// Along which axes tile blocks are taken from the last to the first: those with the longest
  /// loops come first, and short ones fill up the end.
  std::array<bool, 3> lastFirst = {};
  /// Bytes of shared memory: in total, and for exchanging elements between threads.
  int64_t sharedLimit, scratchBytes;
  /// Of these, bytes for loads, if as many blocks share a multiprocessor as the program asks for.
  int64_t roomForLoads() const { return sharedBudget; }

  const std::string arch;

  /// The layout of a tile in registers; null for scalars and for tiles in local or shared memory.
  const BitLayout *layoutOf(Value value) const;
  const Product *productOf(Operation *op) const;
  const Staging *stagingOf(Operation *load) const;
  /// The staging of a load that each thread copies and reads for itself; null if cp.async cannot.
  std::unique_ptr<Staging> stagedForItself(cuda_tile::LoadViewTkoOp load) const;
  const Pipeline *pipelineOf(Operation *loop) const;
  /// Null if all threads do the same work.
  const Producer *producer() const { return loader.get(); }
  /// The staged load that a product's operand comes from, and the ops between them, which are
  /// repeated for each part; null if the operand is a tile in registers.
  const Source *sourceOf(Value operand) const;
  /// Whether products read shared memory through the async proxy.
  bool hasGroupProducts() const { return groupProducts; }
  /// Whether an op's results are only read in shared memory, so that no code is made for it.
  bool isFollowed(Operation *op) const { return followed.contains(op); }
  /// The tensor-core instruction of a product, without operands; or the reason why it has none.
  Result<Product> onTensorCores(Operation *op) const;

private:
  /// `mayRound`: products may rely on TMA's rounding of what they read. Which loads TMA makes is
  /// decided after the products; with false, the plan is good in any case.
  Plan(cuda_tile::EntryOp entry, llvm::StringRef arch, bool mayRound);
  bool isRoundedByTma() const;

  void followOccupancy(cuda_tile::EntryOp entry, int64_t scratch);
  void chooseBlocks(cuda_tile::EntryOp entry);
  void orderBlocks(cuda_tile::EntryOp entry);
  void chooseInstructions(cuda_tile::EntryOp entry);
  void stage(cuda_tile::EntryOp entry);
  void chooseGroups(cuda_tile::EntryOp entry);
  bool chooseGroup(Operation *op, Product &product, const atom::MmaRow &row);
  void spread(Source &rhs, int k0);
  void pipeline(cuda_tile::ForOp loop, bool mayNeedTma);
  void pipelineAgain(cuda_tile::ForOp loop);
  void sizeRing(int64_t most, std::optional<int64_t> latency, int64_t &stages) const;
  void produce(cuda_tile::EntryOp entry);
  void shareRegisters();
  int64_t registersWith(int64_t blocks, bool isGroup) const;
  int64_t mostSums() const;
  std::string whyNotProduced(cuda_tile::ForOp loop, const Pipeline &ring, Producer &out) const;
  void joinClasses(cuda_tile::EntryOp entry);
  void chooseLayouts(cuda_tile::EntryOp entry);

  int64_t sharedOf(mlir::Block &block) const;
  bool fits() const { return sharedOf(*body) <= sharedBudget; }
  bool feedsProductsOnly(Value value) const;
  void follow(Operation *product, unsigned operand);
  int classOf(Value value);
  void join(Value a, Value b);

  mlir::Block *body;
  int64_t sharedBudget = 0, wholeBudget = 0; // bytes that may hold more than exchanges
  llvm::DenseMap<Operation *, std::unique_ptr<Product>> products;
  llvm::DenseMap<Operation *, std::unique_ptr<Staging>> stagings;
  llvm::DenseMap<Operation *, std::unique_ptr<Pipeline>> pipelines;
  llvm::DenseMap<Value, std::unique_ptr<Source>> sources;
  bool groupProducts = false, isForTwoBlocks = true, isHeld = false, mayRound = false;
  std::unique_ptr<Producer> loader;
  llvm::DenseSet<Operation *> followed;

  llvm::DenseMap<Value, int> ids; // of classes, through `parents`
  SmallVector<int> parents;
  llvm::DenseMap<int, BitLayout> layouts;
};

/// The result's bits that a broadcast adds; the operand's bits that a reduction removes; those that
/// say which part of its operand an `extract` yields; the result's bit that says from which of its
/// operands a `cat` has an element; for each bit of a permutation's operand, the bit of the result.
int64_t broadcastBits(Operation *op);
int64_t reducedBits(Operation *op);
int64_t extractedBits(Operation *op);
int64_t joinedBit(Operation *op);
BitList permutedBits(Operation *op);

} // namespace tessera::tile_lower
