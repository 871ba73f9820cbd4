// Observer: base classes for sanitizers, profilers and traces, which see what running kernels do.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The machine runs a kernel and reports what happens as *events*: small structs, one for each kind
// of event. An observer is told of them and keeps what it needs. The machine knows nothing of
// observers except this header, and without one it only pays for the test of a pointer.
//
//   Execute       before an instruction runs: lanes of a warp come to it
//   Skip          lanes come to an instruction whose guard is false for all of them
//   MemoryAccess  before bytes of global, shared, local or parameter memory are touched
//   WarpAccess    the same of several lanes at once, which is told as one MemoryAccess for each
//                 lane to whoever does not ask for more
//   Swap          after a compare-and-swap of memory: whether it wrote
//   ProductRead   wgmma reads a unit of a matrix in shared memory; when all four warps are there
//   TensorAccess  with the instruction that uses cells of tensor memory
//   MemoryChange  after memory of a kernel is given out, or set without an access
//   Synchronize   with the instruction: who arrives at barriers and mbarriers, who goes on
//   Fence         with the instruction: fences of memory, proxies and units
//   AsyncWork     work that goes on after its instruction: at its begin, at the wait for its end
//   End           before threads or a block end, or when nobody can go on
//   HostMemory    after the host allocates, writes or frees
//   LaterWork     before a copy or a fill that a kernel of a launch asked for
//
// There are two classes to derive from. An Observer belongs to a machine; it is told what the host
// does and makes a WarpObserver for each warp that it wants to see. A WarpObserver is told of the
// events of its warp. Each function returns whether the launch may continue.
//
// A worked example, which counts the bytes that a kernel reads from global memory:
//
//   struct Bytes : sim::Observer {
//     std::atomic<uint64_t> read = 0;
//     struct OfWarp : sim::WarpObserver {
//       explicit OfWarp(Bytes &all) : all(all) {}
//       bool onAccess(const sim::MemoryAccess &a) override {
//         if (a.space == sim::Space::Global && sim::row(a.how).reads)
//           all.read += a.bytes;
//         return true;
//       }
//       Bytes &all;
//     };
//     std::unique_ptr<sim::WarpObserver> watch(const sim::Warp &) override {
//       return std::make_unique<OfWarp>(*this);
//     }
//   };
//   auto bytes = std::make_shared<Bytes>();
//   sim::Machine machine({}, bytes);
//
// examples/sim/profile.cpp is a whole program; tessera/sanitize is the largest observer.
//
// Guarantees:
//   - Events of one warp come in the order in which they happen. Those of all warps of a cluster
//     come on one thread of the host, and clusters run on several: what the observers of different
//     clusters share needs atomics or a mutex. Observer::watch is called on these threads too.
//   - Observers do not change what a kernel computes, except through Wishes.
//   - What an event points to lives until the function returns. The warp of a WarpObserver, with
//     its block, cluster and grid, lives longer than the WarpObserver.
//   - A fault of the kernel (an access out of bounds) is not an event: the launch ends with its
//   reason.
//   - A launch that an observer ends may still tell of events of other lanes and clusters.
#pragma once

#include "tessera/sim/Access.h"
#include "tessera/sim/Errors.h"
#include "tessera/sim/Instruction.h"

#include <bit>
#include <memory>

namespace tessera::sim {

struct Allocation;
struct Frame;
struct Grid;
class Cta;
class TensorCells;
class Warp;

/// Lanes reach an instruction. Lanes that wait there for others reach it again.
struct Execute {
  const Instruction &instruction;
  Mask active;   // lanes that run it
  Mask fragment; // all lanes there, also those whose guard is false
};

/// Lanes reach an instruction whose guard is false for all of them: it does not run.
struct Skip {
  const Instruction &instruction;
  Mask fragment;
};

/// A lane accesses bytes that exist and are aligned.
struct MemoryAccess {
  Space space; // never Generic
  Access how;
  uint64_t address; // as in the kernel; for local memory within that of the thread
  uint32_t bytes;
  int lane;
  const std::byte *host;        // the bytes
  const Allocation *allocation; // of global memory; else null
  const Cta *owner;             // the block that owns the shared memory; else null
  bool isOfOther = false; // local memory by an address of another thread's (Wishes::ownedLocals)
};

/// Lanes access bytes that exist and are aligned, with one load or store: equally many each, all in
/// one allocation, one block's shared memory, the parameters, or each in its own local memory.
/// Arrays are indexed by lane, and are valid only for the lanes of the mask.
struct WarpAccess {
  Space space; // never Generic
  Access how;
  uint32_t bytes;
  Mask lanes; // at least one
  const uint64_t *addresses;
  const std::byte *const *hosts;
  const Allocation *allocation; // of global memory; else null
  const Cta *owner;             // the block that owns the shared memory; else null

  MemoryAccess of(int lane) const {
    return {space, how, addresses[lane], bytes, lane, hosts[lane], allocation, owner};
  }
};

/// A compare-and-swap has happened. Its MemoryAccess is the last one that the warp told of.
struct Swap {
  int lane;
  bool wrote; // it found what it compares with
};

/// A wgmma reads bytes of its own block's shared memory.
struct ProductRead {
  uint64_t address;
  uint32_t bytes;
  uint64_t number; // of the product within the group, from 1
  Mask warps;      // those of the group's four that it reads for
};

/// An instruction uses cells of tensor memory.
struct TensorAccess {
  const Cta &owner;
  const TensorCells &cells;
  Access how;
  int lane;
  bool isOfOneRegister = false; // reported for each register of a load, before the whole load
};

/// Memory becomes new, so that earlier accesses do not matter (malloc, stack, frames that begin or
/// end), or is set other than by an access (arguments and results of calls).
struct MemoryChange {
  enum What : uint8_t {
    New,
    Written,
    Copied, // from other bytes of the same space
    Freed   // memory of malloc; `bytes` is 0
  } what;
  Space space;
  uint64_t address, bytes;
  Mask lanes;                   // for local memory: the lanes that own it
  uint64_t from = 0;            // of Copied
  const Frame *frame = nullptr; // that begins, of New local memory
};

/// A thread arrives at something that others wait for, or continues after such a wait.
struct Synchronize {
  enum What : uint8_t {
    BarrierArrive, // barrier `id` of the block
    BarrierPass,   // a warp that waited continues
    BarrierEnd,    // all have continued; reported to one warp of the block
    ClusterArrive, // the barrier of the cluster
    ClusterPass,
    LanesMeet, // bar.warp.sync
    MbarrierInit,
    MbarrierArrive,
    MbarrierPass,  // its phase has ended for these lanes
    MbarrierPhase, // a phase has ended; reported to the warp, or the owner of the copy, that ended
                   // it
    TensorCommit,  // an arrival by tcgen05.commit
    Registers,     // setmaxnreg: `id` is the number of registers, and the lowest bit inc or dec
  } what;
  Mask lanes = 0;
  uint32_t id = 0;
  const void *mbarrier = nullptr; // in a block's shared memory
  bool isFar = false;             // MbarrierArrive: at an mbarrier of another block
};

/// A thread's earlier accesses are ordered, or made visible to others.
struct Fence {
  enum What : uint8_t {
    Memory,       // fence, membar: `order` and `scope`
    AsyncProxy,   // fence.proxy.async
    MbarrierInit, // fence.mbarrier_init
    MapsRelease,  // fence.proxy.tensormap, and tensormap.cp_fenceproxy
    MapsAcquire,
    Products, // wgmma.fence
    BeforeThreadSync,
    AfterThreadSync,
    DependentsBegin, // griddepcontrol.launch_dependents
    DependenciesEnd  // griddepcontrol.wait: the grids that this one depends on have ended
  } what;
  Mask lanes = 0;
  Order order = Order::Weak;
  Scope scope = Scope::Cta;
};

/// The accumulator of a tcgen05.mma: products with the same accumulator, shape and kind run in
/// order. PTX ISA 9.7.16.6.2.
struct TensorSums {
  uint32_t address = 0;
  uint16_t m = 0, n = 0; // 0: no product
  uint8_t kind = 0, ctas = 0;
  friend bool operator==(const TensorSums &, const TensorSums &) = default;
};

/// Work that continues after its instruction. Accesses reported after its begin with the same agent
/// belong to it. An end is reported to those who may rely on it.
struct AsyncWork {
  enum What : uint8_t {
    Begin,
    End
  } what;
  Agent by;
  int lane = 0;
  uint64_t number = 0;            // of the warp's copies, cp.async, products of its group; from 1
  const void *mbarrier = nullptr; // is told of the end; null: the lane waits for it
  const Instruction *instruction = nullptr; // of a product
  TensorSums sums{};
  // For the end of a cp.async: where it wrote, and its line.
  uint64_t address = 0;
  uint32_t bytes = 0;
  int32_t line = 0;
};

struct End {
  enum What : uint8_t {
    Threads, // these lanes exit
    Block,   // the last of them was the last of the block
    Stuck    // no warp can continue, and the launch ends
  } what;
  Mask lanes = 0;
};

/// An action of the host on global memory.
struct HostMemory {
  enum What : uint8_t {
    Allocated,
    Written,
    Freed
  } what;
  uint64_t address, bytes; // bytes: 0 of Freed
};

/// A copy or a fill that a kernel asked CUDA's runtime for begins. It is within the launch of the
/// host's, as grids that kernels launch are.
struct LaterWork {
  uint64_t to, from, bytes; // from: 0 of a fill
};

/// Is told of the events of one warp. Each function returns whether the launch may continue.
class WarpObserver {
public:
  virtual ~WarpObserver() = default;
  virtual bool onExecute(const Execute &) { return true; }
  virtual bool onSkip(const Skip &) { return true; }
  virtual bool onAccess(const MemoryAccess &) { return true; }
  virtual bool onWarpAccess(const WarpAccess &a) {
    for (Mask left = a.lanes; left; left &= left - 1)
      if (!onAccess(a.of(std::countr_zero(left))))
        return false;
    return true;
  }
  virtual bool onSwap(const Swap &) { return true; }
  virtual bool onProductRead(const ProductRead &) { return true; }
  virtual bool onTensorAccess(const TensorAccess &) { return true; }
  virtual bool onChange(const MemoryChange &) { return true; }
  virtual bool onSynchronize(const Synchronize &) { return true; }
  virtual bool onFence(const Fence &) { return true; }
  virtual bool onWork(const AsyncWork &) { return true; }
  virtual bool onEnd(const End &) { return true; }
};

inline bool tell(WarpObserver &o, const Execute &e) { return o.onExecute(e); }
inline bool tell(WarpObserver &o, const Skip &e) { return o.onSkip(e); }
inline bool tell(WarpObserver &o, const MemoryAccess &e) { return o.onAccess(e); }
inline bool tell(WarpObserver &o, const WarpAccess &e) { return o.onWarpAccess(e); }
inline bool tell(WarpObserver &o, const Swap &e) { return o.onSwap(e); }
inline bool tell(WarpObserver &o, const ProductRead &e) { return o.onProductRead(e); }
inline bool tell(WarpObserver &o, const TensorAccess &e) { return o.onTensorAccess(e); }
inline bool tell(WarpObserver &o, const MemoryChange &e) { return o.onChange(e); }
inline bool tell(WarpObserver &o, const Synchronize &e) { return o.onSynchronize(e); }
inline bool tell(WarpObserver &o, const Fence &e) { return o.onFence(e); }
inline bool tell(WarpObserver &o, const AsyncWork &e) { return o.onWork(e); }
inline bool tell(WarpObserver &o, const End &e) { return o.onEnd(e); }

/// What an observer may request of the machine, all of it within what the ISA allows a GPU to do.
struct Wishes {
  bool lateWork = false;        // asynchronous work is done as late as possible
  bool alignedTogether = false; // lanes wait for each other at .aligned instructions
  bool impatientWaits = false;  // half of the try_waits do not wait
  bool ownedLocals = false;     // generic addresses of local memory tell whose it is
};

/// Belongs to a machine, and sees all of its launches.
class Observer {
public:
  virtual ~Observer() = default;
  virtual Wishes wishes() const { return {}; }
  virtual void onHost(const HostMemory &) {}
  /// A launch begins; no warp runs yet.
  virtual void onLaunch(const Grid &) {}
  virtual void onLater(const LaterWork &) {}
  /// The observer of a warp; null: none.
  virtual std::unique_ptr<WarpObserver> watch(const Warp &) = 0;
  /// A launch has ended; returns its result. `ended` has the id ObserverEnded if an observer ended
  /// it.
  virtual Status onReturn(const Grid &, Status ended) { return ended; }
};

} // namespace tessera::sim
