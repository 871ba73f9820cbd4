// Looks at each instruction of warps that seem to wait forever.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/Idling.h"

#include "tessera/sim/Binder.h"
#include "tessera/sim/Grid.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace tessera::sim {

namespace {

bool isOf(const Instruction &i, const RowGroup &group) {
  return i.row && rowGroups()[i.group].rows.data() == group.rows.data();
}

/// Whether memory is all that it may change: then the bytes are compared.
bool isAccess(const Instruction &i) {
  const std::string_view name = i.row ? i.row->name() : "";
  return (isOf(i, memoryRows) || isOf(i, atomicRows)) &&
         (name == "st" || name == "atom" || name == "red") && i.run &&
         i.row->form.find("async") == std::string_view::npos &&
         i.row->form.find("bulk") == std::string_view::npos;
}

/// Whether it reads what time alone changes.
bool isClock(const Instruction &i) {
  static const std::vector<Executor> clocks = [] {
    std::vector<Executor> out;
    Type type{};
    for (std::string_view name :
         {"%clock", "%clock_hi", "%clock64", "%globaltimer", "%globaltimer_lo", "%globaltimer_hi"})
      out.push_back(specialRegister(name, type));
    return out;
  }();
  return std::find(clocks.begin(), clocks.end(), i.run) != clocks.end();
}

/// Whether it changes registers at most, and the place where the lanes go on. What is not known
/// here counts as a change.
bool isQuiet(const Instruction &i) {
  if (isClock(i))
    return false;
  if (!i.row) // the value of a special register, or the return at the end of a function
    return true;
  for (const RowGroup *group : {&integerRows, &videoRows, &scalarVideoRows, &logicRows, &floatRows,
                                &compareRows, &convertRows, &moveRows, &warpRows, &mmaRows})
    if (isOf(i, *group))
      return true;
  static constexpr std::string_view others[] = {"bra",     "brx", "call", "ret",    "nanosleep",
                                                "pmevent", "ld",  "ldu",  "membar", "fence"};
  const std::string_view name = i.row->name();
  return std::find(std::begin(others), std::end(others), name) != std::end(others) ||
         (name == "mbarrier" && (i.row->form.find("_wait") != std::string_view::npos ||
                                 i.row->form.find("pending_count") != std::string_view::npos)) ||
         i.row->form.starts_with("cp async wait");
}

/// The bytes at and after the address of each lane, as many as one access has at most.
std::vector<std::byte> bytesAt(Warp &w, const Instruction &i, Mask active, bool &readsHost) {
  constexpr uint64_t most = 32;
  uint64_t address[warpSize];
  w.addresses(i, 0, address);
  std::vector<std::byte> out;
  for (Mask left = active; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const MemoryPiece piece = w.pieceAt(i.space, address[lane], Access::Read);
    const uint64_t offset = address[lane] - piece.start;
    if (offset >= piece.size)
      continue; // it will be refused
    readsHost |= piece.allocation && piece.allocation->residence != Residence::Device;
    std::byte *from = piece.host + offset + piece.perLane * uint64_t(lane);
    for (uint64_t k = 0; k < std::min(most, piece.size - offset); ++k) // others may write there
      out.push_back(std::atomic_ref(from[k]).load(std::memory_order_relaxed));
  }
  return out;
}

} // namespace

void Idling::before(Warp &w, const Instruction &i, Mask active) {
  if (isAccess(i))
    bytes = bytesAt(w, i, active, readsHost);
  else if (i.row && (i.row->name() == "ld" || i.row->name() == "ldu"))
    (void)bytesAt(w, i, active, readsHost);
  else if (!isQuiet(i))
    moved = true;
}

void Idling::after(Warp &w, const Instruction &i, Mask active, Flow flow) {
  if (isAccess(i))
    moved |= flow == Flow::Fault || bytesAt(w, i, active, readsHost) != bytes;
  // A call of what every program has, such as vprintf, does not enter a function.
  if (i.row && i.row->name() == "call")
    moved |= flow != Flow::Jumped;
}

void Idling::polled(const Poll &poll) {
  std::erase_if(polls, [&](const Poll &old) {
    return old.frame == poll.frame && old.pc == poll.pc && (old.lanes & poll.lanes);
  });
  polls.push_back(poll);
}

const Poll *Idling::pollOf(const Frame *frame, Mask lanes) const {
  for (auto at = polls.rbegin(); at != polls.rend(); ++at)
    if (at->frame == frame && (at->lanes & lanes))
      return &*at;
  return nullptr;
}

//===--- Warps and clusters ------------------------------------------------------------------===//

namespace {
/// FNV-1a over words.
class Hash {
public:
  void add(uint64_t word) { value = (value ^ word) * 0x100000001b3; }
  void add(const std::byte *from, size_t count) {
    for (; count >= 8; from += 8, count -= 8) {
      uint64_t word;
      std::memcpy(&word, from, 8);
      add(word);
    }
    for (; count; ++from, --count)
      add(uint64_t(*from));
  }
  uint64_t value = 0xcbf29ce484222325;
};

/// A hash of all registers, and of where the lanes are: of the strands in any order, as they change
/// places when they take turns.
uint64_t stateOf(const Warp &w) {
  uint64_t sum = 0;
  for (const Strand &f : w.parked()) {
    Hash hash;
    for (uint64_t word : {uint64_t(f.pc), uint64_t(f.lanes), uint64_t(f.wait), uint64_t(f.subject),
                          uint64_t(w.carry)})
      hash.add(word);
    for (const Frame *frame = f.frame; frame; frame = frame->parent) {
      hash.add(frame->returnTo);
      hash.add(frame->registers.get(), frame->function->registerBytes);
    }
    sum += hash.value;
  }
  return sum;
}

/// Does the copies that nobody has waited for yet; returns whether there were any.
bool finishCopies(Warp &w) {
  bool any = false;
  for (AsyncState *of : {w.async, w.bulk})
    for (int lane = 0; lane < warpSize; ++lane) {
      any |= !of[lane].pending.empty();
      for (AsyncState::Pending &copy : std::exchange(of[lane].pending, {}))
        copy.work();
    }
  return any;
}
} // namespace

bool Cluster::idles() {
  bool moved = false;
  while (catchUp())
    moved = true;
  for (auto &cta : ctas) {
    for (auto &warp : cta->warps) {
      if (!warp->idling)
        warp->idling = std::make_unique<Idling>();
      warp->idling->moved = warp->idling->readsHost = false;
      moved |= finishCopies(*warp);
    }
    cta->giveUp();
  }
  const Ran ran = run(1);
  uint64_t now = 0;
  bool readsHost = false;
  for (auto &cta : ctas)
    for (auto &warp : cta->warps) {
      moved |= warp->idling->moved;
      readsHost |= warp->idling->readsHost;
      now = now * 31 + stateOf(*warp);
    }
  if (readsHost) {
    std::lock_guard lock(grid.mutex);
    moved |= !grid.limits.isAlone || !grid.limits.isAlone(grid.standstill.workers);
  }
  const bool same = now == std::exchange(idleState, now);
  return ran != Ran::ToItsEnd && !moved && same;
}

void Cluster::stopIdling() {
  for (auto &cta : ctas)
    for (auto &warp : cta->warps)
      warp->idling = nullptr;
}

} // namespace tessera::sim
