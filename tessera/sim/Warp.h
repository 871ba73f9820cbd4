// Warp: 32 lanes with their registers, the sets of lanes that diverged, and services for executors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes at the same instruction of the same frame are a *fragment* and run together. The fragment
// that has advanced least runs first (deepest call, then lowest place), so that lanes that diverged
// meet again where their ways do. A fragment that waits, or has run for long while others are
// ready, lets others run. Instructions that need lanes together (.sync with a mask, .aligned) wait
// for them, so results do not depend on the order.
#pragma once

#include "tessera/sim/Idling.h"
#include "tessera/sim/Memory.h"
#include "tessera/sim/Observer.h"
#include "tessera/sim/Program.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>

namespace tessera::sim {

class Cta;
struct Grid;

/// One activation of a function. Sets of lanes leave it one by one.
struct Frame {
  const Function *function = nullptr;
  std::unique_ptr<std::byte[]> registers;
  size_t capacity = 0;
  Frame *parent = nullptr;
  const Instruction *call = nullptr; // in the parent
  uint32_t localBase = 0, depth = 0, returnTo = 0;
  Mask lanes = 0;
  std::vector<uint32_t> tops; // of each lane's stack, after the first alloca

  /// The end of a lane's part of the stack, and the largest of all lanes.
  uint32_t top(int lane) const {
    return tops.empty() ? localBase + function->localBytes : tops[size_t(lane)];
  }
  uint32_t top() const {
    return tops.empty() ? localBase + function->localBytes
                        : *std::max_element(tops.begin(), tops.end());
  }
};

enum class Wait : uint8_t {
  None,
  Lanes,
  WarpBarrier,
  Barrier,
  ClusterBarrier,
  Event,
  Group,
  TensorMemory,
  Registers
};

struct Strand {
  uint32_t pc = 0;
  Mask lanes = 0;
  Frame *frame = nullptr;
  Wait wait = Wait::None;
  uint32_t subject = 0; // barrier, or mask of lanes
};

/// Copies that a thread has begun and not yet waited for, by groups. They are done at once, or with
/// Limits::lateCopies when they are waited for.
struct AsyncState {
  struct Pending {
    uint32_t group = 0;
    std::function<void()> work;
  };
  struct Store { // a bulk copy to memory, by its number
    uint32_t group = 0;
    uint64_t copy = 0;
  };
  uint32_t group = 0; // the one being filled
  std::vector<Pending> pending;
  std::vector<Store> stores; // whose writes were not waited for yet, if there is an observer

  void start(bool late, std::function<void()> work) {
    if (late)
      pending.push_back({group, std::move(work)});
    else
      work();
  }
  void commit() { ++group; }
  /// Does those of all committed groups except the latest `left`.
  void finish(uint32_t left) {
    std::erase_if(pending, [&](const Pending &copy) {
      bool due = copy.group + left < group;
      if (due)
        copy.work();
      return due;
    });
  }
};

/// The registers of a frame, and the constants of the program, which are never written.
struct RegisterFile {
  std::byte *bases[2] = {};

  template <class T> const T *in(Slot slot) const {
    return reinterpret_cast<const T *>(bases[slot & 1] + (slot & ~1u));
  }
  template <class T> T *out(Slot slot) const { return reinterpret_cast<T *>(bases[0] + slot); }
};

/// The registers of the running lanes. A predicate is one word with a bit for each lane.
class Registers {
public:
  explicit Registers(const std::byte *constants)
      : file{{nullptr, const_cast<std::byte *>(constants)}} {}

  const RegisterFile &registers() const { return file; }
  template <class T> const T *in(Slot slot) const { return file.in<T>(slot); }
  template <class T> T *out(Slot slot) { return file.out<T>(slot); }
  /// Stores the values of some lanes.
  template <class T> void put(Slot slot, const T (&values)[warpSize], Mask mask) {
    T *to = out<T>(slot);
    if (mask == allLanes)
      std::memcpy(to, values, sizeof(values));
    else
      for (int lane = 0; lane < warpSize; ++lane)
        to[lane] = mask >> lane & 1 ? values[lane] : to[lane];
  }
  Mask predicate(Slot slot) const { return *in<Mask>(slot); }
  void putPredicate(Slot slot, Mask values, Mask mask) {
    Mask &to = *out<Mask>(slot);
    to = (to & ~mask) | (values & mask);
  }
  /// The value of the first lane of a mask.
  template <class T> T uniform(Slot slot, Mask mask) const {
    return in<T>(slot)[std::countr_zero(mask)];
  }
  /// Addresses of all lanes: operand `which` plus its offset.
  void addresses(const Instruction &i, int which, uint64_t (&to)[warpSize]) const;

protected:
  RegisterFile file;
};

/// Contiguous bytes of the host, and the addresses that an instruction's space has for them.
struct MemoryPiece {
  uint64_t start = 0, size = 0;
  std::byte *host = nullptr;
  uint64_t perLane = 0;        // distance between the bytes of adjacent lanes on the host
  Space space = Space::Global; // never Generic
  uint64_t window = 0;         // start of the space among generic addresses
  const Allocation *allocation = nullptr;
  const Cta *owner = nullptr;
};

class Warp : public Registers {
public:
  Warp(Cta &cta, uint32_t index, Mask lanes);

  //===--- For the scheduler ------------------------------------------------------------------===//

  bool isDone() const { return live == 0; }
  /// Runs up to `budget` instructions; returns whether there was a fragment that could run.
  bool run(uint64_t budget) {
    polls.inVain = 0;
    return observer || idling ? runLooking<true>(budget) : runLooking<false>(budget);
  }
  /// Whether its turn ended because it polled in vain.
  bool isPolling() const { return polls.inVain >= mostPolls; }
  /// Lets fragments that wait for `wait` (and `subject`) continue, after their instruction or at it
  /// again.
  void wake(Wait wait, uint32_t subject, bool again = false);
  /// Ends each mbarrier.try_wait with false; returns whether there was one.
  bool giveUp();
  /// "warp 2: lanes 0x1 wait at line 7 for ...", for a deadlock.
  std::string waiting() const;
  const std::vector<Strand> &parked() const { return strands; }
  /// It has polled since this was set to false.
  bool looked = false;
  /// Set while it seems to wait forever.
  std::unique_ptr<Idling> idling;

  //===--- For executors ----------------------------------------------------------------------===//

  /// The host's bytes at an address, or null after a fault. Checks bounds and alignment to `bytes`.
  std::byte *locate(Space space, uint64_t address, uint32_t bytes, Access access, int lane) {
    if (address & (std::min(bytes, 32u) - 1)) [[unlikely]]
      return misaligned(space, address, bytes, access, lane);
    // Observers see every access.
    if (space == Space::Global && nearby && !observer && nearby->contains(address, bytes))
        [[likely]]
      return nearby->host + (address - nearby->start);
    return locateSlowly(space, address, bytes, access, lane);
  }

  /// The result of locateAll.
  enum class Located : uint8_t {
    All,
    Ended,   // by the observer
    OneByOne // they are not contiguous, or there is a fault: call locate for each
  };
  /// Like locate, for all lanes of a mask at once, if their bytes are in one piece of memory.
  Located locateAll(Space space, const uint64_t (&addresses)[warpSize], uint32_t bytes,
                    Access access, Mask mask, std::byte *(&hosts)[warpSize]);

  /// The same for any number of bytes at a multiple of `alignment`.
  std::byte *locateRange(Space space, uint64_t address, uint32_t bytes, uint32_t alignment,
                         Access access, int lane);

  template <class... Pieces> Flow fault(int lane, Error error, const Pieces &...pieces) {
    return faultWith(lane, fail(error, pieces...));
  }
  Flow faultWith(int lane, Reason reason);

  /// True if all lanes of `wanted` that still run are here. Otherwise these lanes were parked, or
  /// others have joined them: return `flow`.
  bool together(Mask active, Mask wanted, Flow &flow);
  /// Parks the lanes `active` at this instruction, or after it.
  Flow block(Mask active, Wait wait, uint32_t subject);
  /// The lanes `taken` go to `target`, the rest of the fragment to the next instruction.
  Flow branch(Mask taken, uint32_t target);
  Flow enter(Mask active, const Function &callee, const Instruction &call);
  Flow leave(Mask active);
  Flow exit(Mask active);

  /// Leaves some of the running lanes at this instruction, to run it on their own.
  void leaveThere(Mask rest) {
    if (!rest)
      return;
    strands.push_back({pc, rest, frame});
    lanes &= ~rest;
    limit = 0; // their turn comes before the next instruction
  }
  /// Records that lanes have read a value with a strong access. Lanes that soon read the same value
  /// at the same place, again and again, wait for others, and their turn ends.
  void polled(Mask active, uint64_t address, uint64_t value) {
    bool again = polls.pc == pc && polls.lanes == active && polls.address == address &&
                 polls.value == value && steps - polls.step <= Polls::soon;
    polls = {address, value, steps, pc, active, instruction().line, again ? polls.inVain + 1 : 0};
    looked = true;
    if (idling)
      idling->polled({frame, pc, active, address, value});
    if (isPolling())
      yield();
  }
  /// Ends the turn, so that other warps can make progress.
  void yield() {
    polls.inVain = mostPolls;
    limit = 0; // checked before the next instruction
  }
  /// Makes the stack of each lane at least `bytes` long; a reason if the machine has no more
  /// memory.
  Status growLocal(uint32_t bytes);
  /// A byte of a lane's local memory, counted from the bottom of its stack.
  std::byte *local(int lane, uint32_t offset) {
    return &localMemory[size_t(localBytes) * size_t(lane) + offset];
  }

  //===--- For who looks on

  /// Tells the observer of an event; false if the launch has to end.
  template <class Event> bool tell(const Event &event) {
    return !observer || sim::tell(*observer, event) || endedByObserver();
  }
  std::unique_ptr<WarpObserver> observer; // null: none
  const Instruction &instruction() const { return frame->function->code[pc]; }
  /// The line that runs, or that of postponed work.
  int32_t line() const { return blamed ? blamed : instruction().line; }
  int32_t blamed = 0;

  uint32_t threadIndex(int lane) const { return index * warpSize + uint32_t(lane); }
  /// What generic addresses of a lane's local memory carry where an observer asks for it: a number
  /// that is not 0 and differs from those of the other threads of the block and of nearby blocks.
  uint16_t ownerOf(int lane) const;
  /// The index "(x, y, z)" of a lane's thread.
  std::string threadName(int lane) const;
  /// The piece with an address; empty if there is none, or if this access is not allowed. Tells
  /// nobody.
  MemoryPiece pieceAt(Space, uint64_t address, Access);

  Cta &cta;
  const Grid &grid;
  uint32_t index;       // in the block
  Mask live;            // lanes that have not exited
  uint64_t steps = 0;   // instructions this warp has run, at most Limits::instructions
  uint64_t threads = 0; // the same times active lanes
  uint32_t pc = 0;
  Mask lanes = 0; // of the running fragment
  Frame *frame = nullptr;
  AsyncState async[warpSize], bulk[warpSize]; // cp.async, and bulk copies that count in groups
  uint32_t clusterPhase[warpSize] = {};
  Mask carry = 0;                       // CC.CF of each lane, PTX ISA 9.7.2
  uint64_t copies = 0, asyncCopies = 0; // numbers of the latest bulk copy and cp.async
  uint32_t waits = 0; // try_waits that found their phase to go on, for Wishes::impatientWaits

private:
  static constexpr uint32_t mostPolls = 16;
  struct Polls {
    static constexpr uint64_t soon = 64; // instructions
    uint64_t address = 0, value = 0, step = 0;
    uint32_t pc = 0;
    Mask lanes = 0;
    int32_t line = 0;    // 0: none yet
    uint32_t inVain = 0; // consecutive, in this turn
  } polls;
  template <bool looks> bool runLooking(uint64_t budget);
  Flow look(const Instruction &, Mask active);
  bool endedByObserver();
  std::byte *told(const MemoryAccess &);
  std::byte *locateSlowly(Space, uint64_t, uint32_t, Access, int lane);
  /// A reason with the kernel, block, thread and line.
  Reason locatedReason(int lane, Reason reason) const;
  /// Reports the fault of an access; returns null.
  std::byte *refuse(Reason, Space, uint64_t address, Access, int lane);
  std::byte *misaligned(Space, uint64_t, uint32_t, Access, int lane);
  std::byte *outside(Space, uint64_t, uint32_t, Access, int lane, const std::string &why);
  Result<Frame *> makeFrame(const Function &, Frame *parent, Mask);
  void release(Frame *);
  void resume(size_t fragment);
  bool select(bool fair = false);
  void suspend();
  void bind();

  const Instruction *code = nullptr; // of the running frame
  const Allocation *nearby = nullptr;
  uint32_t limit = 0;  // the next place where another fragment is
  bool pinned = false; // the running fragment was chosen for fairness
  uint32_t turns = 0;
  std::vector<Strand> strands; // all but the running one
  std::vector<std::unique_ptr<Frame>> frames, spare;
  std::unique_ptr<std::byte[]> localMemory;
  uint32_t localBytes = 0; // of a lane
  Share held;              // of the machine's memory: localMemory
};

} // namespace tessera::sim
