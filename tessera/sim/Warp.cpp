// Runs a warp: which fragment goes on, where lanes part and meet, frames, and addresses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/base/ShortName.h"
#include "tessera/ptx_text/Lexer.h"
#include "tessera/sim/Grid.h"
#include "tessera/sim/Host.h"
#include "tessera/sim/Report.h"

#include <algorithm>

namespace tessera::sim {

namespace {
constexpr uint32_t maxDepth = 1000; // of calls
constexpr uint32_t never = ~uint32_t(0);

/// Whether `a` is further after than `b`.
bool isLessFar(const Strand &a, const Strand &b) {
  return a.frame->depth != b.frame->depth ? a.frame->depth > b.frame->depth : a.pc < b.pc;
}
} // namespace

Warp::Warp(Cta &cta, uint32_t index, Mask lanes)
    : Registers(cta.grid.program.constants.data()), cta(cta), grid(cta.grid), index(index),
      live(lanes), held(cta.grid.memory.budget()) {
  Result<Frame *> entry = makeFrame(grid.kernel, nullptr, allLanes);
  if (!entry) { // where it is noticed before the first instruction
    Reason reason{entry.reason().id, cat("kernel '", shortName(grid.kernel.name), "', block ",
                                         cta.index.str(), ": ", entry.reason().text)};
    Report said{reason.id, reason.text, grid.kernel.name, {"", cta.index.str(), "", {}}, "", 0,
                {},        {}};
    cta.grid.stop(std::move(reason), std::make_shared<Report>(std::move(said)));
    return;
  }
  (*entry)->lanes = lanes;
  strands.push_back({0, lanes, *entry});
}

//===--- Fragments ---------------------------------------------------------------------------===//

template <bool looks> bool Warp::runLooking(uint64_t budget) {
  if (!select(pinned))
    return false;
  uint64_t left = std::min(budget, grid.limits.instructions - steps);
  while (left--) {
    const Instruction &i = code[pc];
    Mask active = lanes;
    if (i.guard != noSlot)
      active &= i.guardNegated ? ~predicate(i.guard) : predicate(i.guard);
    Flow flow = Flow::Next;
    if (active) {
      threads += uint64_t(std::popcount(active));
      if constexpr (looks)
        flow = look(i, active);
      if (flow == Flow::Next)
        flow = i.run(*this, i, active);
      if constexpr (looks)
        if (idling)
          idling->after(*this, i, active, flow);
    } else if constexpr (looks) {
      if (!tell(Skip{i, lanes}))
        flow = Flow::Fault;
    }
    ++steps;
    if (flow == Flow::Next) {
      if (++pc < limit) [[likely]]
        continue;
      if (isPolling())
        break;
    } else if (flow == Flow::Fault)
      return true;
    if (lanes && strands.empty()) {
      limit = never;
      continue;
    }
    if (lanes)
      suspend();
    if (!select(pinned && flow != Flow::Blocked))
      return true;
  }
  if (steps >= grid.limits.instructions) // and there is one more to run
    fault(std::countr_zero(lanes), Error::Instructions, grid.limits.instructions,
          !polls.line || steps - polls.step > Polls::soon
              ? ""
              : cat(" Line ", polls.line, " reads ", polls.value, " at ", hex(polls.address),
                    " again and again."));
  suspend();
  pinned = true;
  return true;
}

template bool Warp::runLooking<true>(uint64_t);
template bool Warp::runLooking<false>(uint64_t);

/// Before an instruction.
Flow Warp::look(const Instruction &i, Mask active) {
  if (idling)
    idling->before(*this, i, active);
  if (!tell(Execute{i, active, lanes}))
    return Flow::Fault;
  Flow flow = Flow::Next;
  if (grid.wishes.alignedTogether && i.aligned && lanes == active)
    together(active, allLanes, flow);
  return flow;
}

bool Warp::endedByObserver() {
  cta.grid.stop(fail(Error::ObserverEnded, shortName(grid.kernel.name), index, cta.index.str()));
  return false;
}

/// The running fragment becomes one among the others.
void Warp::suspend() {
  strands.push_back({pc, lanes, frame});
  lanes = 0;
}

/// Chooses who runs: the fragment that is least far or, to be fair, the one whose turn it is.
bool Warp::select(bool fair) {
  pinned = false;
  if (strands.size() == 1 && strands[0].wait == Wait::None) [[likely]] {
    resume(0);
    return true;
  }
  size_t chosen = strands.size(), ready = 0;
  for (size_t i = 0; i < strands.size(); ++i)
    if (strands[i].wait == Wait::None) {
      ++ready;
      if (chosen == strands.size() || isLessFar(strands[i], strands[chosen]))
        chosen = i;
    }
  if (!ready)
    return false;
  if (fair && ready > 1) {
    size_t turn = turns++ % ready;
    for (chosen = 0;; ++chosen)
      if (strands[chosen].wait == Wait::None && turn-- == 0)
        break;
    pinned = true;
  }
  resume(chosen);
  return true;
}

/// Lets a fragment run, together with all that stand at its place.
void Warp::resume(size_t chosen) {
  Strand f = strands[chosen];
  limit = never;
  std::erase_if(strands, [&](const Strand &other) {
    if (other.wait != Wait::None || other.frame != f.frame)
      return false;
    if (other.pc > f.pc)
      limit = std::min(limit, other.pc);
    if (other.pc == f.pc)
      lanes |= other.lanes;
    return other.pc == f.pc;
  });
  pc = f.pc;
  frame = f.frame;
  bind();
}

void Warp::bind() {
  file.bases[0] = frame->registers.get();
  code = frame->function->code.data();
}

void Warp::wake(Wait wait, uint32_t subject, bool again) {
  for (Strand &f : strands)
    if (f.wait == wait && (f.subject == subject || again)) {
      f.wait = Wait::None;
      f.pc += !again;
      limit = 0; // look at the others before the next instruction
    }
}

bool Warp::together(Mask active, Mask wanted, Flow &flow) {
  wanted &= live;
  if ((active & wanted) == wanted)
    return true;
  size_t before = strands.size();
  std::erase_if(strands, [&](const Strand &f) {
    bool here = f.wait == Wait::Lanes && f.pc == pc && f.frame == frame;
    lanes |= here ? f.lanes : 0;
    return here;
  });
  flow = strands.size() < before ? Flow::Again : block(active, Wait::Lanes, wanted);
  return false;
}

Flow Warp::block(Mask active, Wait wait, uint32_t subject) {
  strands.push_back({pc, active, frame, wait, subject});
  lanes &= ~active;
  return lanes ? Flow::Next : Flow::Blocked;
}

Flow Warp::branch(Mask taken, uint32_t target) {
  if (Mask rest = lanes & ~taken)
    strands.push_back({pc + 1, rest, frame});
  lanes = taken;
  pc = target;
  return Flow::Jumped;
}

//===--- Frames ------------------------------------------------------------------------------===//

Status Warp::growLocal(uint32_t bytes) {
  if (bytes <= localBytes)
    return Done{};
  uint32_t size = std::max(bytes, 2 * localBytes);
  uint64_t more = uint64_t(size - localBytes) * warpSize;
  if (!held.grow(more))
    return fail(Error::LocalMemory, more, held.budget.used(), held.budget.limit);
  auto grown = std::make_unique<std::byte[]>(size_t(size) * warpSize);
  for (int lane = 0; lane < warpSize && localBytes; ++lane)
    std::memcpy(&grown[size_t(size) * size_t(lane)],
                &localMemory[size_t(localBytes) * size_t(lane)], localBytes);
  localMemory = std::move(grown);
  localBytes = size;
  return Done{};
}

Result<Frame *> Warp::makeFrame(const Function &function, Frame *parent, Mask active) {
  if (spare.empty())
    spare.push_back(std::make_unique<Frame>());
  Frame *f = frames.emplace_back(std::move(spare.back())).get();
  spare.pop_back();
  if (f->capacity < function.registerBytes) {
    f->registers = std::make_unique_for_overwrite<std::byte[]>(function.registerBytes);
    f->capacity = function.registerBytes;
  }
  std::memset(f->registers.get(), 0, function.registerBytes);
  f->function = &function;
  f->parent = parent;
  f->depth = parent ? parent->depth + 1 : 0;
  f->tops.clear();
  f->localBase = parent ? (parent->top() + 15) / 16 * 16 : 0;
  tell(MemoryChange{MemoryChange::New, Space::Local, f->localBase, function.localBytes, active, 0,
                    f});
  TESSERA_CHECK(growLocal(f->localBase + function.localBytes));
  uint32_t shared = (cta.rank << clusterRankShift) + sharedStart;
  auto fill = [&]<class T>(Slot slot, T value) {
    std::fill_n(reinterpret_cast<T *>(f->registers.get() + slot), warpSize, value);
  };
  fill(FrameSlots::local, f->localBase);
  fill(FrameSlots::shared, shared);
  fill(FrameSlots::dynamicShared, shared + grid.kernel.sharedBytes);
  fill(FrameSlots::global, grid.globals);
  return f;
}

void Warp::release(Frame *f) {
  auto found = std::find_if(frames.begin(), frames.end(),
                            [&](const auto &owned) { return owned.get() == f; });
  spare.push_back(std::move(*found));
  frames.erase(found);
}

Flow Warp::enter(Mask active, const Function &callee, const Instruction &call) {
  if (frame->depth + 1 >= maxDepth || frame->top() + callee.localBytes > grid.limits.localBytes)
    return fault(std::countr_zero(active), Error::CallDepth, frame->depth + 1);
  Result<Frame *> made = makeFrame(callee, frame, active);
  if (!made)
    return faultWith(std::countr_zero(active), std::move(made).reason());
  Frame *inner = *made;
  inner->call = &call;
  inner->returnTo = pc + 1;
  inner->lanes = active;
  branch(active, 0);
  frame = inner;
  bind();
  return Flow::Jumped;
}

Flow Warp::leave(Mask active) {
  Frame *inner = frame;
  if (cta.group(index).needs(inner))
    return fault(std::countr_zero(active), Error::GroupReturn);
  inner->lanes &= ~active;
  branch(active, inner->returnTo);
  frame = inner->parent;
  bind();
  if (!inner->lanes)
    release(inner);
  return Flow::Jumped;
}

Flow Warp::exit(Mask active) {
  live &= ~active;
  if (!tell(End{End::Threads, active}))
    return Flow::Fault;
  for (Mask left = active; left; left &= left - 1) { // nobody has to wait for bulk copies to memory
    bulk[std::countr_zero(left)].commit();
    bulk[std::countr_zero(left)].finish(0);
  }
  for (Frame *f = frame; f; f = f->parent)
    f->lanes &= ~active;
  lanes &= ~active;
  cta.exited(*this, active);
  // Lanes that waited for these need not wait any more.
  wake(Wait::Lanes, 0, true);
  wake(Wait::WarpBarrier, 0, true);
  return lanes ? Flow::Next : Flow::Blocked;
}

//===--- Addresses ---------------------------------------------------------------------------===//

void Registers::addresses(const Instruction &i, int which, uint64_t (&to)[warpSize]) const {
  uint64_t offset = uint64_t(i.immediate[size_t(which)]);
  Slot slot = i.operand[size_t(which)];
  if (i.wide[which]) {
    const uint64_t *from = in<uint64_t>(slot);
    for (int lane = 0; lane < warpSize; ++lane)
      to[lane] = from[lane] + offset;
  } else {
    const uint32_t *from = in<uint32_t>(slot);
    for (int lane = 0; lane < warpSize; ++lane)
      to[lane] = uint32_t(from[lane] + uint32_t(offset));
  }
}

std::byte *Warp::misaligned(Space space, uint64_t address, uint32_t bytes, Access access,
                            int lane) {
  return refuse(fail(Error::Misaligned, nameOf(access), bytes, name(space), hex(address)), space,
                address, access, lane);
}

std::byte *Warp::outside(Space space, uint64_t address, uint32_t bytes, Access access, int lane,
                         const std::string &why) {
  return refuse(fail(Error::OutOfBounds, nameOf(access), bytes, name(space), hex(address), why),
                space, address, access, lane);
}

std::byte *Warp::locateRange(Space space, uint64_t address, uint32_t bytes, uint32_t alignment,
                             Access access, int lane) {
  if (address % alignment == 0)
    return locateSlowly(space, address, bytes, access, lane);
  return refuse(fail(Error::Alignment, nameOf(access), bytes, name(space), hex(address), alignment),
                space, address, access, lane);
}

/// The bytes of an access, or null if the observer ends the launch.
std::byte *Warp::told(const MemoryAccess &access) {
  return tell(access) ? const_cast<std::byte *>(access.host) : nullptr;
}

namespace {
constexpr Space windows[] = {Space::Global, Space::Shared, Space::Local, Space::Param};
} // namespace

MemoryPiece Warp::pieceAt(Space space, uint64_t address, Access access) {
  uint64_t window = 0;
  if (space == Space::Generic) {
    const uint64_t which = address >> window::shift;
    if (which >= std::size(windows))
      return {};
    space = windows[which];
    window = which << window::shift;
  }
  switch (space) {
  case Space::Shared: {
    const uint64_t rank = (address - window) >> clusterRankShift;
    if (rank >= cta.cluster.ctas.size())
      return {};
    Cta &owner = *cta.cluster.ctas[rank];
    return {window + (rank << clusterRankShift) + sharedStart,
            owner.shared.size(),
            owner.shared.data(),
            0,
            space,
            window,
            nullptr,
            &owner};
  }
  case Space::Local: return {window, localBytes, localMemory.get(), localBytes, space, window};
  case Space::Param:
    if (row(access).writes)
      return {};
    return {
        window, grid.parameters.size(), const_cast<std::byte *>(grid.parameters.data()), 0, space,
        window};
  default: break;
  }
  if (!nearby || !nearby->contains(address, 1))
    if (const Allocation *found = grid.memory.find(address))
      nearby = found;
  return nearby
             ? MemoryPiece{nearby->start, nearby->size, nearby->host, 0, Space::Global, 0, nearby}
             : MemoryPiece{};
}

namespace {
using Hosts = std::byte *[warpSize];
/// Where on the host the bytes are that lanes access in a piece of memory; false if some are beyond
/// it or not aligned.
[[gnu::always_inline]] inline bool spreadTo(Hosts &hosts, const MemoryPiece &piece,
                                            const uint64_t (&addresses)[warpSize], uint32_t bytes,
                                            Mask mask) {
  const uint64_t last = piece.size - bytes, low = std::min(bytes, 32u) - 1, start = piece.start,
                 perLane = piece.perLane;
  const auto host = reinterpret_cast<uintptr_t>(piece.host);
  uint64_t beyond = 0, misaligned = 0;
  for (int lane = 0; lane < warpSize; ++lane) {
    const uint64_t offset = addresses[lane] - start, active = -uint64_t(mask >> lane & 1);
    beyond |= ((last - offset) | offset) & active; // a negative one is beyond
    misaligned |= addresses[lane] & active;
    hosts[lane] = reinterpret_cast<std::byte *>(host + offset + perLane * uint64_t(lane));
  }
  return !(beyond >> 63 || misaligned & low);
}
bool spread(Hosts &hosts, const MemoryPiece &piece, const uint64_t (&addresses)[warpSize],
            uint32_t bytes, Mask mask) {
  return spreadTo(hosts, piece, addresses, bytes, mask);
}
TESSERA_WITH_AVX2 bool spreadWide(Hosts &hosts, const MemoryPiece &piece,
                                  const uint64_t (&addresses)[warpSize], uint32_t bytes,
                                  Mask mask) {
  return spreadTo(hosts, piece, addresses, bytes, mask);
}
} // namespace

Warp::Located Warp::locateAll(Space space, const uint64_t (&addresses)[warpSize], uint32_t bytes,
                              Access access, Mask mask, std::byte *(&hosts)[warpSize]) {
  const MemoryPiece piece = pieceAt(space, addresses[std::countr_zero(mask)], access);
  if (piece.size < bytes)
    return Located::OneByOne;
  if (!(hostHasAvx2() ? spreadWide : spread)(hosts, piece, addresses, bytes, mask))
    return Located::OneByOne;
  if (!observer)
    return Located::All;
  uint64_t within[warpSize];
  for (int lane = 0; lane < warpSize; ++lane)
    within[lane] = addresses[lane] - piece.window;
  return tell(WarpAccess{piece.space, access, bytes, mask, within, hosts, piece.allocation,
                         piece.owner})
             ? Located::All
             : Located::Ended;
}

namespace {
/// The last allocation with bytes at or before an address, for sentences: a program without
/// variables has one without bytes, of which nobody knows.
const Allocation *allocationBefore(const GlobalMemory &memory, uint64_t address) {
  const Allocation *found = memory.find(address);
  while (found && !found->size)
    found = found->start ? memory.find(found->start - 1) : nullptr;
  return found;
}
} // namespace

std::byte *Warp::locateSlowly(Space space, uint64_t address, uint32_t bytes, Access access,
                              int lane) {
  bool isOfOther = false;
  if (space == Space::Generic) {
    uint64_t which = address >> window::shift;
    if (which >= std::size(windows))
      return outside(space, address, bytes, access, lane, "");
    space = windows[which];
    if (const uint64_t owner = uint16_t(address >> window::ownerShift);
        owner && space == Space::Local)
      isOfOther = owner != ownerOf(lane);
    address &= space == Space::Global ? address : ~uint32_t(0);
  }
  switch (space) {
  case Space::Shared: {
    uint64_t rank = address >> clusterRankShift;
    uint64_t place = address & ((1u << clusterRankShift) - 1), offset = place - sharedStart;
    if (rank >= cta.cluster.ctas.size())
      return outside(space, address, bytes, access, lane,
                     cat(": there is no block ", rank, " in the cluster"));
    std::vector<std::byte> &shared = cta.cluster.ctas[rank]->shared,
                           &reserved = cta.cluster.ctas[rank]->reserved;
    if (place < reserved.size() && bytes <= reserved.size() - place)
      return told({space, access, address, bytes, lane, reserved.data() + place, nullptr,
                   cta.cluster.ctas[rank].get()});
    if (offset > shared.size() || bytes > shared.size() - offset)
      return outside(space, address, bytes, access, lane,
                     cat(": the block has ", shared.size(), " bytes from ", hex(address - offset)));
    return told({space, access, address, bytes, lane, shared.data() + offset, nullptr,
                 cta.cluster.ctas[rank].get()});
  }
  case Space::Local:
    if (address > localBytes || bytes > localBytes - address)
      return outside(space, address, bytes, access, lane,
                     cat(": the thread has ", localBytes, " bytes"));
    return told({space, access, address, bytes, lane,
                 &localMemory[size_t(localBytes) * size_t(lane) + address], nullptr, nullptr,
                 isOfOther});
  case Space::Param:
    if (row(access).writes)
      return refuse(fail(Error::ReadOnly, nameOf(access), bytes, name(space), hex(address)), space,
                    address, access, lane);
    if (address > grid.parameters.size() || bytes > grid.parameters.size() - address)
      return outside(space, address, bytes, access, lane,
                     cat(": the kernel has ", grid.parameters.size(), " bytes"));
    return told(
        {space, access, address, bytes, lane, grid.parameters.data() + address, nullptr, nullptr});
  default: break;
  }
  const Allocation *found = grid.memory.find(address);
  if (!found || !found->contains(address, bytes)) {
    const Allocation *before = allocationBefore(grid.memory, address);
    return outside(space, address, bytes, access, lane,
                   before ? cat(": the allocation before it has ", before->size, " bytes from ",
                                hex(before->start))
                          : "");
  }
  nearby = found;
  return told({space, access, address, bytes, lane, found->host + (address - found->start), found,
               nullptr});
}

uint16_t Warp::ownerOf(int lane) const {
  constexpr int threads = 11; // bits for those of a block
  const uint64_t block = cta.cluster.number() * cta.cluster.ctas.size() + cta.rank;
  return uint16_t(threadIndex(lane) + 1 + (block << threads));
}

std::string Warp::threadName(int lane) const { return grid.block.at(threadIndex(lane)).str(); }

Reason Warp::locatedReason(int lane, Reason reason) const {
  const int32_t line = this->line();
  Reason located = ptx_text::atLine(grid.program.text, line, std::move(reason));
  std::string source = ptx_text::placeOf(grid.program.text, line).source;
  located.text =
      cat("kernel '", shortName(grid.kernel.name), "', block ", cta.index.str(), ", thread ",
          threadName(lane), ", ", source.empty() ? "" : cat(source, ", PTX "), located.text);
  return located;
}

namespace {
/// A fault of a warp's lane at the line that it runs.
std::shared_ptr<Report> reportOf(const Warp &w, int lane, const Reason &located, std::string what) {
  return std::make_shared<Report>(Report{
      located.id,
      located.text,
      w.grid.kernel.name,
      {"", w.cta.index.str(), w.threadName(lane), ptx_text::placeOf(w.grid.program.text, w.line())},
      "",
      0,
      {},
      {},
      std::move(what)});
}
} // namespace

Flow Warp::faultWith(int lane, Reason reason) {
  std::string what = reason.text;
  Reason located = locatedReason(lane, std::move(reason));
  std::shared_ptr<Report> said = reportOf(*this, lane, located, std::move(what));
  cta.grid.stop(std::move(located), std::move(said));
  return Flow::Fault;
}

std::byte *Warp::refuse(Reason reason, Space space, uint64_t address, Access access, int lane) {
  std::string what = reason.text;
  Reason located = locatedReason(lane, std::move(reason));
  std::shared_ptr<Report> said = reportOf(*this, lane, located, std::move(what));
  said->party.access = nameOf(access);
  said->space = name(space);
  said->address = address;
  if (const Allocation *near =
          space == Space::Global ? allocationBefore(grid.memory, address) : nullptr)
    said->buffer = {address - near->start, near->size};
  cta.grid.stop(std::move(located), std::move(said));
  return nullptr;
}

} // namespace tessera::sim
