// Asynchronous copies of a thread, and mbarriers. PTX ISA 9.7.9.25.3 and 9.7.13.16.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/Lanes.h"
#include "tessera/sim/Mbarrier.h"

#include <algorithm>

namespace tessera::sim {

namespace {

//===--- cp.async ----------------------------------------------------------------------------===//

/// operand: to, from, bytes of the source or none; width: bytes to write
Flow copyAsync(Warp &w, const Instruction &i, Mask mask) {
  uint64_t to[warpSize], from[warpSize];
  w.addresses(i, 0, to);
  w.addresses(i, 1, from);
  ++w.asyncCopies;
  w.tell(AsyncWork{.what = AsyncWork::Begin, .by = Agent::AsyncCopy, .number = w.asyncCopies});
  for (Mask left = mask; left; left &= left - 1) {
    int lane = std::countr_zero(left);
    uint32_t size = i.width, given = size;
    if (i.operand[2] != noSlot)
      given = w.in<uint32_t>(i.operand[2])[lane];
    if (i.modes.choice) // the operand is a predicate: the source is ignored
      given = w.predicate(i.operand[2]) >> lane & 1 ? 0 : size;
    if (given > size)
      return w.fault(lane, Error::CopySize, size, given);
    std::byte *target = w.locate(Space::Shared, to[lane], size, Access::AsyncWrite, lane),
              *source = nullptr;
    // Only the bytes that it reads are there; without any its address is not looked at.
    auto read = [&] {
      return given == size
                 ? w.locate(Space::Global, from[lane], size, Access::Read, lane)
                 : w.locateRange(Space::Global, from[lane], given, size, Access::Read, lane);
    };
    if (!target || (given && !(source = read())))
      return Flow::Fault;
    w.async[lane].start(w.grid.limits.lateCopies,
                        [=, &w, at = to[lane], line = i.line, number = w.asyncCopies] {
                          w.tell(AsyncWork{.what = AsyncWork::End,
                                           .by = Agent::AsyncCopy,
                                           .lane = lane,
                                           .number = number,
                                           .address = at,
                                           .bytes = size,
                                           .line = line});
                          if (given)
                            std::memcpy(target, source, given);
                          std::memset(target + given, 0, size - given);
                        });
  }
  return Flow::Next;
}
Status bindCopyAsync(Binding &b) {
  uint64_t size = b.operands[2].bits;
  if (b.operands[2].kind != Operand::Integer || (size != 4 && size != 8 && size != 16))
    return fail(Error::OperandKind, 3, b.modifiers.mnemonic, "4, 8 or 16",
                cat("'", b.operands[2].str(), "'"));
  b.out.width = uint8_t(size);
  bool isPredicate = false, hasPolicy = b.modifiers.has("L2::cache_hint"); // which comes last
  if (b.operands.size() < 3u + hasPolicy || b.operands.size() > 4u + hasPolicy)
    return fail(Error::OperandCount, b.modifiers.mnemonic,
                cat(3 + hasPolicy, " or ", 4 + hasPolicy), "[to], [from], size ...",
                b.operands.size());
  bool hasSize = b.operands.size() > 3u + hasPolicy;
  if (hasSize && b.operands[3].kind == Operand::Name)
    if (auto symbol = b.binder.find(b.operands[3].name))
      isPredicate = symbol->type == Type::pred, b.out.modes.choice = isPredicate;
  if (hasSize) {
    TESSERA_TRY(b.out.operand[2],
                b.binder.source(b.operands[3], isPredicate ? Type::pred : Type::b32));
  }
  return done(b, copyAsync);
}

template <class F> Flow eachLane(Mask mask, F f) {
  for (Mask left = mask; left; left &= left - 1)
    f(std::countr_zero(left));
  return Flow::Next;
}
using States = AsyncState (Warp::*)[warpSize]; // cp.async's, or those of bulk copies
template <States of> Flow commit(Warp &w, const Instruction &, Mask mask) {
  return eachLane(mask, [&](int lane) { (w.*of)[lane].commit(); });
}
template <States of> Flow waitGroup(Warp &w, const Instruction &i, Mask mask) {
  return eachLane(mask, [&](int lane) {
    (w.*of)[lane].finish(uint32_t(std::min<int64_t>(i.immediate[0], UINT16_MAX)));
  });
}
/// The writes of bulk copies have ended too.
Flow waitBulk(Warp &w, const Instruction &i, Mask mask) {
  waitGroup<&Warp::bulk>(w, i, mask);
  return eachLane(mask, [&](int lane) {
    AsyncState &state = w.bulk[lane];
    std::erase_if(state.stores, [&](const AsyncState::Store &store) {
      bool due = int64_t(store.group) + i.immediate[0] < int64_t(state.group);
      if (due)
        w.tell(AsyncWork{
            .what = AsyncWork::End, .by = Agent::Copy, .lane = lane, .number = store.copy});
      return due;
    });
  });
}
Flow waitAll(Warp &w, const Instruction &, Mask mask) {
  return eachLane(mask, [&](int lane) {
    w.async[lane].commit();
    w.async[lane].finish(0);
  });
}

//===--- mbarrier ----------------------------------------------------------------------------===//

/// The mbarrier at an address; null after a fault, which it is too where none was made.
Mbarrier *at(Warp &w, const Instruction &i, uint64_t address, Access access, int lane) {
  Space space = i.space == Space::Generic ? Space::Generic : Space::Shared;
  return reinterpret_cast<Mbarrier *>(w.locate(space, address, 8, access, lane));
}
/// f(barrier, lane, address) for the barrier of each lane; it says whether a phase has ended, or
/// nothing after a fault. All lanes come to their barriers before the first one changes one: what
/// it passes on includes that they did.
template <Access access = Access::Mbarrier, class F>
Flow onBarriers(Warp &w, const Instruction &i, int which, Mask mask, F f) {
  uint64_t address[warpSize];
  Mbarrier *barriers[warpSize];
  w.addresses(i, which, address);
  for (Mask left = mask; left; left &= left - 1) {
    int lane = std::countr_zero(left);
    barriers[lane] = at(w, i, address[lane], access, lane);
    if (!barriers[lane])
      return Flow::Fault;
  }
  for (Mask left = mask; left; left &= left - 1) {
    int lane = std::countr_zero(left);
    if (access == Access::Mbarrier && !barriers[lane]->isThere())
      return w.fault(lane, Error::MbarrierNone, hex(address[lane]));
    std::optional<bool> ended = f(*barriers[lane], lane, address[lane]);
    if (!ended)
      return Flow::Fault;
    if (*ended)
      endPhase(w, *barriers[lane]);
  }
  return Flow::Next;
}
/// Makes a phase wait for bytes, or counts bytes that have arrived.
std::optional<bool> transact(Warp &w, Mbarrier &b, int64_t expected, int lane, uint64_t address) {
  if (!b.counts(expected)) {
    w.fault(lane, Error::MbarrierBytes, hex(address), b.bytes() + expected);
    return std::nullopt;
  }
  return expected < 0 ? b.complete(-expected) : (b.expect(expected), false);
}

/// The knowledge of all arriving lanes is passed on once; if they go to different barriers, to each
/// of them.
class Release {
public:
  void operator()(Warp &w, const Mbarrier &b, Mask mask) {
    if (std::exchange(last, &b) != &b)
      w.tell(Synchronize{.what = Synchronize::MbarrierArrive,
                         .lanes = mask,
                         .mbarrier = &b,
                         .isFar = !w.cta.owns(&b)});
  }

private:
  const Mbarrier *last = nullptr;
};

Flow init(Warp &w, const Instruction &i, Mask mask) {
  return onBarriers<Access::MbarrierInit>(
      w, i, 0, mask, [&](Mbarrier &b, int lane, uint64_t) -> std::optional<bool> {
        uint32_t count = w.in<uint32_t>(i.operand[1])[lane];
        if (count - 1 >= Mbarrier::most)
          return w.fault(lane, Error::MbarrierCount, count), std::nullopt;
        b = Mbarrier::initial(count);
        w.tell(Synchronize{
            .what = Synchronize::MbarrierInit, .lanes = Mask(1) << lane, .mbarrier = &b});
        return false;
      });
}
Flow inval(Warp &w, const Instruction &i, Mask mask) {
  return onBarriers<Access::MbarrierInval>(w, i, 0, mask, [](Mbarrier &b, int, uint64_t) {
    b.code = 0;
    return false;
  });
}
/// choice: 1 also drops, 2 expects bytes first, 4 must not complete the phase. list: slots of the
/// state, and of the count or the bytes; noSlot where there is none.
Flow arrive(Warp &w, const Instruction &i, Mask mask) {
  Slot state = i.list[0], amount = i.list[1];
  Release release;
  return onBarriers(
      w, i, 0, mask, [&](Mbarrier &b, int lane, uint64_t address) -> std::optional<bool> {
        if (state != noSlot)
          w.out<uint64_t>(state)[lane] = b.code;
        uint32_t n = amount == noSlot ? 1 : w.in<uint32_t>(amount)[lane];
        if (i.modes.choice & 2) {
          if (!transact(w, b, n, lane, address))
            return std::nullopt;
          n = 1;
        }
        if (n > b.pending() || n == 0)
          return w.fault(lane, Error::MbarrierArrivals, n, hex(address), b.pending()), std::nullopt;
        release(w, b, mask);
        bool ended = b.arrive(n, i.modes.choice & 1);
        if (ended && i.modes.choice & 4)
          return w.fault(lane, Error::MbarrierCompletes, hex(address)), std::nullopt;
        return ended;
      });
}
/// {state,} [address] {, amount}
Status bindArrive(Binding &b) {
  std::vector<Slot> list{noSlot, noSlot};
  size_t next = 0;
  if (b.operands[0].kind != Operand::Address) {
    TESSERA_TRY(list[0], b.binder.destination(b.operands[next++], Type::b64));
  }
  if (next >= b.operands.size() || b.operands[next].kind != Operand::Address)
    return fail(Error::OperandKind, next + 1, b.modifiers.mnemonic, "an address in brackets",
                "something else");
  TESSERA_CHECK(b.binder.address(b.operands[next++], b.out, 0));
  if (next < b.operands.size()) {
    TESSERA_TRY(list[1], b.binder.source(b.operands[next], Type::b32));
  }
  b.out.list = b.binder.keep(list);
  b.out.modes.choice =
      uint8_t((b.modifiers.words[1] == "arrive_drop") | (b.modifiers.has("expect_tx") ? 2 : 0) |
              (b.modifiers.has("noComplete") ? 4 : 0));
  return done(b, arrive);
}
template <int sign> Flow transaction(Warp &w, const Instruction &i, Mask mask) {
  Release release;
  return onBarriers(w, i, 0, mask, [&](Mbarrier &b, int lane, uint64_t address) {
    release(w, b, mask);
    return transact(w, b, sign * int64_t(w.in<uint32_t>(i.operand[1])[lane]), lane, address);
  });
}

/// Whether a try_wait gives up that an observer wants to be impatient: half of them, by the
/// Thue-Morse sequence, which warps enter at different places. In turns, of a look ahead and the
/// wait after it always the look would give up. No more than two in a row do.
bool givesUp(Warp &w) { return std::popcount(13 * w.index + w.waits++) & 1; }

/// operand: p, address, state or parity. choice: 1 parity, 2 may wait.
Flow test(Warp &w, const Instruction &i, Mask mask) {
  Mask over = 0;
  const Mbarrier *barriers[warpSize];
  uint64_t phases[warpSize], address = 0;
  Flow flow = onBarriers(w, i, 1, mask, [&](Mbarrier &b, int lane, uint64_t at) {
    address = at;
    phases[lane] = i.modes.choice & 1 ? w.in<uint32_t>(i.operand[2])[lane] & 1
                                      : w.in<uint64_t>(i.operand[2])[lane] >> 63;
    barriers[lane] = &b;
    over |= Mask(b.phase() != phases[lane]) << lane;
    return false;
  });
  /// The first of these lanes, and those with the same barrier and phase.
  auto alike = [&](Mask of) {
    const int first = std::countr_zero(of);
    Mask out = 0;
    for (Mask left = of; left; left &= left - 1)
      if (int lane = std::countr_zero(left);
          barriers[lane] == barriers[first] && phases[lane] == phases[first])
        out |= Mask(1) << lane;
    return out;
  };
  for (Mask left = w.observer ? over : 0; left;) { // they learn together
    const Mask some = alike(left);
    w.tell(Synchronize{.what = Synchronize::MbarrierPass,
                       .lanes = some,
                       .mbarrier = barriers[std::countr_zero(left)]});
    left &= ~some;
  }
  if (flow == Flow::Fault)
    return flow;
  Mask waits = i.modes.choice & 2 ? mask & ~over : 0;
  bool impatient = w.grid.wishes.impatientWaits;
  if (impatient && waits && givesUp(w))
    waits = 0;
  w.putPredicate(i.operand[0], over | waits, mask); // those that wait go on when it is so
  if (!over && !waits && !(impatient && i.modes.choice & 2)) { // a thread that polls waits, too
    w.cta.cluster.catchUp();
    w.polled(mask, address, barriers[std::countr_zero(mask)]->code);
  }
  for (Mask left = waits; left;) {
    const Mask some = alike(left);
    const int first = std::countr_zero(left);
    flow = w.block(some, Wait::Event, phaseSubject(w.cta.cluster, barriers[first], phases[first]));
    left &= ~some;
  }
  return flow;
}
Status bindTest(Binding &b) {
  bool parity = b.modifiers.has("parity");
  TESSERA_TRY(b.out.operand[0], b.binder.destination(b.operands[0], Type::pred));
  if (b.operands[1].kind != Operand::Address)
    return fail(Error::OperandKind, 2, b.modifiers.mnemonic, "an address in brackets",
                cat("'", b.operands[1].str(), "'"));
  TESSERA_CHECK(b.binder.address(b.operands[1], b.out, 1));
  TESSERA_TRY(b.out.operand[2], b.binder.source(b.operands[2], parity ? Type::b32 : Type::b64));
  b.out.modes.choice = uint8_t(parity | (b.modifiers.words[1] == "try_wait" ? 2 : 0));
  return done(b, test);
}

struct PendingCount {
  static uint32_t of(uint64_t state) { return Mbarrier{state}.pending(); }
};

/// Signals the barrier for the thread's copies, which are done by now.
Flow copyArrive(Warp &w, const Instruction &i, Mask mask) {
  waitAll(w, i, mask);
  Release release;
  return onBarriers(
      w, i, 0, mask, [&](Mbarrier &b, int lane, uint64_t address) -> std::optional<bool> {
        // Without .noinc the barrier is made to expect this arrival.
        if (!i.modes.choice)
          b.addPending(1);
        if (!b.pending())
          return w.fault(lane, Error::MbarrierArrivals, 1, hex(address), 0), std::nullopt;
        release(w, b, mask);
        return b.arrive(1, false);
      });
}
Status bindCopyArrive(Binding &b) {
  b.out.modes.choice = uint8_t(b.modifiers.has("noinc"));
  return done(b, copyArrive);
}

#define ORDER " ?release|relaxed|acquire ?cta|cluster ?<shared>"
// clang-format off
constexpr InstructionRow rows[] = {
    {"cp async ca|cg <shared> global *<hint>", "addr addr any any? any?", bindCopyAsync, "copies 4, 8 or 16 bytes to shared memory"},
    {"cp async commit_group", "", [](Binding &b) { return done(b, commit<&Warp::async>); }, "makes a group of the copies since the last one"},
    {"cp async wait_group", "imm", [](Binding &b) { return done(b, waitGroup<&Warp::async>); }, "waits for all but the latest n groups"},
    {"cp async wait_all", "", [](Binding &b) { return done(b, waitAll); }, "waits for all copies"},
    {"cp async bulk commit_group", "", [](Binding &b) { return done(b, commit<&Warp::bulk>); }, "makes a group of the bulk copies since the last one"},
    {"cp async bulk wait_group ?read", "imm", [](Binding &b) { return done(b, b.modifiers.has("read") ? waitGroup<&Warp::bulk> : waitBulk); }, "waits for all but the latest n groups of bulk copies"},
    {"cp async mbarrier arrive ?noinc ?<shared> b64", "addr", bindCopyArrive, "signals an mbarrier when the copies before it are done"},
    {"mbarrier init ?<shared> b64", "addr u32", [](Binding &b) { return done(b, init); }, "makes an mbarrier that expects a number of arrivals"},
    {"mbarrier inval ?<shared> b64", "addr", [](Binding &b) { return done(b, inval); }, "ends an mbarrier"},
    {"mbarrier arrive|arrive_drop ?expect_tx ?noComplete" ORDER " b64", "any any? any?", bindArrive, "arrives, and returns the state before"},
    {"mbarrier expect_tx ?relaxed ?cta|cluster ?<shared> b64", "addr u32", [](Binding &b) { return done(b, transaction<1>); }, "makes the phase wait for more bytes"},
    {"mbarrier complete_tx ?relaxed ?cta|cluster ?<shared> b64", "addr u32", [](Binding &b) { return done(b, transaction<-1>); }, "reports that bytes have arrived"},
    {"mbarrier test_wait|try_wait ?parity ?acquire|relaxed ?cta|cluster ?<shared> b64", "any any any any?", bindTest, "whether a phase has ended; try_wait waits for it"},
    {"mbarrier pending_count b64", "=u32 b64", [](Binding &b) { return done(b, each<PendingCount, uint32_t, uint64_t>); }, "the arrivals that a state waits for"},
};
// clang-format on
#undef ORDER

} // namespace

const RowGroup asyncRows = {"Asynchronous copies and mbarriers", rows};

} // namespace tessera::sim
