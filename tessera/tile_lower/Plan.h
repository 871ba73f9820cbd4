// Plan: what is decided of a kernel before its code is made: threads, layouts, instructions of
// products, which loads go to shared memory, and which loops are pipelined.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that elementwise ops, reshapes and loops connect are a class, and have one layout, so that
// nothing is moved between them. The layout of a class is that of its most important member: the
// accumulator of a product, then what is loaded or stored. Classes without such members get what
// makes a broadcast or a reduction free, else elements in their order. docs/tile-layouts.md.
#pragma once

#include "tessera/atom/MmaRow.h"
#include "tessera/cuda_tile/CudaTile.h"
#include "tessera/tile_lower/BitLayout.h"
#include "tessera/tile_lower/Windows.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

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

/// Where a tile lies in shared memory: for each bit of an element, the bytes that it changes in the
/// address, also before the swizzle; where a part of an element's bits is: placeOf.
struct Placement {
  SmallVector<int64_t> places, plain;
  layout::Swizzle swizzle;
  int64_t bytes = 0;

  void setSwizzle(layout::Swizzle other);
};
/// Rows of up to 128 bytes of neighbours, swizzled in units of 16 bytes, so that eight rows of 16
/// bytes at one place of theirs are in all 32 banks: S<3,4,3> of rows of 128 bytes, less of shorter
/// ones, as wgmma and TMA have them. `order` has the bits of an element, `runBits` of which first
/// are neighbours; elements have `bytes` bytes.
Placement placedInRows(ArrayRef<int8_t> order, int runBits, int64_t bytes);
int64_t placeOf(ArrayRef<int64_t> places, int64_t element);

/// B of a warpgroup's product that threads write to shared memory again, from where a load left it:
/// hardware reads bytes and words along K only, and what other ops are made of not at all.
struct Remade : Placement {
  bool isAlongK = false; // rows of memory, else along N
};

/// A product on tensor cores: the instruction, and who holds what. The first registers of the
/// result are those of one instruction's accumulator.
struct Product {
  const atom::MmaRow *row = nullptr;
  Extents extents = {};
  int64_t columns = 8;        // of one instruction
  BitLayout result, lhs, rhs; // lhs and rhs where they are in registers
  // Of products of a warpgroup: how operands in shared memory lie, except where they begin.
  uint64_t lhsDescriptor = 0, rhsDescriptor = 0;
  atom::Major lhsMajor = atom::Major::K, rhsMajor = atom::Major::K;
  std::optional<Remade> remade = {}; // B, if it is not read where it was loaded

  bool isGroup() const { return row->recipe == atom::Recipe::Wgmma; }
  /// Threads that execute one instruction together.
  int threadBits() const { return isGroup() ? 7 : 5; }
  int64_t rowsOfInstruction() const { return row->m.first; }
};

/// The boxes by which TMA copies a tile: for each mode of the tensor map, that with stride 1 first,
/// which dimension of the tile it is, and its extent in a box. `count` boxes lie along the first.
struct Boxes {
  SmallVector<size_t> dimensions;
  SmallVector<int64_t> extents;
  int64_t count = 1;
  size_t map = 0; // of Producer::maps
};

/// A tile that a load leaves in shared memory: for products to read, or, with a layout, for the
/// threads that copied it, each its own elements.
struct Staging : Placement {
  cuda_tile::LoadViewTkoOp load;
  Traversal traversal;
  bool isAsync = false;            // by cp.async
  std::optional<Boxes> boxes = {}; // by TMA
  std::optional<BitLayout> layout = {};

  /// How many neighbours one copy moves.
  int64_t vector() const { return int64_t(1) << traversal.vectorBits; }
};
/// An operand of a product that is read from shared memory: through reshapes, which keep the
/// numbers of elements, and permutations; ops on single elements are made again after the read.
struct Source : Placement {
  Staging *staging = nullptr;
  SmallVector<Operation *> elementwise = {}; // in their order
};

/// A loop whose loads run ahead of it.
struct Pipeline {
  SmallVector<const Staging *> loads;
  SmallVector<Operation *> addressing; // ops of the body that the indices of the loads need
  SmallVector<Operation *> remaking;   // products of the body with an operand that is remade
  /// A warpgroup's product of the body that goes on while the loads of a later iteration begin;
  /// null: they begin before the body.
  Operation *meanwhile = nullptr;
  /// Whether the loads of the next iteration are awaited there too, so that products of warpgroups
  /// follow each other without a barrier between them.
  bool waitsMeanwhile() const { return meanwhile && stages > 2 && remaking.empty(); }
  bool isShared = false;         // threads read what others copied
  int64_t stages = 0, bytes = 0; // bytes of one stage
  std::optional<int64_t> latency = {};
  /// Whether a warp of its own makes the loads; if not, why.
  bool isProduced = false;
  std::string whyNotProduced = {};
  bool needsTma = false;             // cp.async could not make all of the loads
  SmallVector<Operation *> own = {}; // loads whose tiles threads copy for themselves
  /// Of a loop of which a warp of its own makes the loads: a product that adds to what the loop
  /// carries and that nothing else reads, so that it is awaited during that of the next iteration.
  Operation *carried = nullptr;
  /// One of which all operands are loads, so that it begins an iteration early.
  Operation *early = nullptr;
};

/// What a warp of its own does: the loads of loops, by TMA, in one ring for all of them, and of the
/// program around them what says which loads these are.
struct Producer {
  int64_t stages = 0, bytes = 0; // bytes of one stage
  /// A warpgroup takes few registers, so that the threads that run the program have so many; 0: a
  /// warp is enough, and all have as many.
  int64_t registers = 0;
  SmallVector<const Staging *> maps;   // a load for each tensor map
  llvm::SetVector<Operation *> ofMaps; // ops that the maps need, in their order
  llvm::DenseSet<Operation *> needed;  // ops that indices, bounds and conditions need
  llvm::DenseSet<Operation *> around;  // loops and branches around the loops
  Operation *last = nullptr; // after this loop the ring is not needed; null where that is not sure

  static constexpr int64_t warpThreads = 32, groupThreads = 128, ownRegisters = 24;
  /// After those that run the program. Only the first warp has something to do.
  int64_t threads() const { return registers ? groupThreads : warpThreads; }
  static constexpr int64_t barrierBytes = 8, mapBytes = 128;
  /// Barriers, and images of the tensor maps from `imagesAt` on, before the ring.
  int64_t imagesAt() const;
  int64_t controlBytes() const { return imagesAt() + int64_t(maps.size()) * mapBytes; }
  int64_t sharedBytes() const;
};

/// Bytes of shared memory that a kernel for a target may declare.
int64_t sharedLimitOf(llvm::StringRef arch);

class Plan {
public:
  Plan(cuda_tile::EntryOp entry, llvm::StringRef arch);

  int threadBits = 7;
  /// Blocks that a multiprocessor is to hold: ptxas gives a thread as few registers as that needs.
  /// 0: no matter how many.
  int64_t blocksPerMultiprocessor = 0;
  /// Bytes of shared memory: all that there are, and those for what is moved between threads.
  int64_t sharedLimit, scratchBytes;

  const std::string arch;

  /// The layout of a tile in registers; null where it has none: scalars, tiles in local or shared
  /// memory.
  const BitLayout *layoutOf(Value value) const;
  const Product *productOf(Operation *op) const;
  const Staging *stagingOf(Operation *load) const;
  const Pipeline *pipelineOf(Operation *loop) const;
  /// Null where all threads do the same.
  const Producer *producer() const { return loader.get(); }
  /// The staged load that a product's operand comes from through ops that are made again for each
  /// part; null if it is a tile in registers.
  const Source *sourceOf(Value operand) const;
  /// Whether products read shared memory by the async proxy.
  bool hasGroupProducts() const { return groupProducts; }
  /// Whether an op's results are only read in shared memory, so that nothing is made of it.
  bool isFollowed(Operation *op) const { return followed.contains(op); }
  /// The instruction of a product, still without operands; or why it has none.
  Result<Product> onTensorCores(Operation *op) const;

private:
  void chooseThreads(cuda_tile::EntryOp entry);
  void followOccupancy(cuda_tile::EntryOp entry, int64_t scratch);
  void chooseBlocks(cuda_tile::EntryOp entry);
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
  bool readsRing(Operation *op, cuda_tile::ForOp loop, const Pipeline &ring) const;
  Operation *carriedProductOf(cuda_tile::ForOp loop, const Pipeline &ring) const;
  Operation *earlyProductOf(cuda_tile::ForOp loop, const Pipeline &ring) const;
  int64_t registersWith(int64_t blocks, bool isGroup) const;
  int64_t mostSums() const;
  std::string whyNotProduced(cuda_tile::ForOp loop, const Pipeline &ring, Producer &out) const;
  std::unique_ptr<Staging> stagedForItself(cuda_tile::LoadViewTkoOp load) const;
  void joinClasses(cuda_tile::EntryOp entry);
  void chooseLayouts(cuda_tile::EntryOp entry);
  void completeProducts();

  int64_t sharedOf(mlir::Block &block) const;
  bool fits() const { return sharedOf(*body) <= sharedBudget; }
  bool feedsProductsOnly(Value value) const;
  void follow(Operation *product, unsigned operand);
  int classOf(Value value);
  void join(Value a, Value b);
  BitLayout fragmentOf(const Product &product, bool keepsRows) const;

  mlir::Block *body;
  int64_t sharedBudget = 0, wholeBudget = 0; // bytes for what is not only moved between threads
  llvm::DenseMap<Operation *, std::unique_ptr<Product>> products;
  llvm::DenseMap<Operation *, std::unique_ptr<Staging>> stagings;
  llvm::DenseMap<Operation *, std::unique_ptr<Pipeline>> pipelines;
  llvm::DenseMap<Value, std::unique_ptr<Source>> sources;
  bool groupProducts = false, isForTwoBlocks = true, isHeld = false;
  std::unique_ptr<Producer> loader;
  llvm::DenseSet<Operation *> followed;

  llvm::DenseMap<Value, int> ids; // of classes, by way of `parents`
  SmallVector<int> parents;
  llvm::DenseMap<int, BitLayout> layouts;
};

/// Bits of an element of the result that a broadcast gives; of the operand that a reduction takes
/// away; and which bit of the result of a permutation each bit of the operand becomes.
int64_t broadcastBits(Operation *op);
int64_t reducedBits(Operation *op);
BitList permutedBits(Operation *op);

} // namespace tessera::tile_lower
