// Asynchronous copies of a thread, and mbarriers. PTX ISA 9.7.9.25.3 and 9.7.13.16.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/Lanes.h"
#include "tessera/sim/Mbarrier.h"

#include <algorithm>

namespace tessera::sim {

namespace {

//===--- cp.async
//----------------------------------------------------------------------------------------===//

void finish(AsyncState &state, uint32_t groupsLeft) {
  std::erase_if(state.pending, [&](const AsyncCopy &copy) {
    if (copy.group + groupsLeft >= state.group)
      return false;
    if (copy.bytes)
      std::memcpy(copy.to, copy.from, copy.bytes);
    std::memset(copy.to + copy.bytes, 0, copy.zeros);
    return true;
  });
}

/// operand: to, from, bytes of the source or none; width: bytes to write
Flow copyAsync(Warp &w, const Instruction &i, Mask mask) {
  uint64_t to[warpSize], from[warpSize];
  w.addresses(i, 0, to);
  w.addresses(i, 1, from);
  for (Mask left = mask; left; left &= left - 1) {
    int lane = std::countr_zero(left);
    uint32_t size = i.width, given = size;
    if (i.operand[2] != noSlot)
      given = w.in<uint32_t>(i.operand[2])[lane];
    if (i.modes.choice) // the operand is a predicate: the source is ignored
      given = w.predicate(i.operand[2]) >> lane & 1 ? 0 : size;
    if (given > size)
      return w.fault(lane, Error::CopySize, size, given);
    AsyncCopy copy{w.locate(Space::Shared, to[lane], size, Access::Write, lane), nullptr, given,
                   size - given, w.async[lane].group};
    if (!copy.to)
      return Flow::Fault;
    // Without bytes to read the source's address is not looked at.
    if (given && !(copy.from = w.locate(Space::Global, from[lane], size, Access::Read, lane)))
      return Flow::Fault;
    if (w.grid.limits.lateCopies) {
      w.async[lane].pending.push_back(copy);
      continue;
    }
    if (given)
      std::memcpy(copy.to, copy.from, given);
    std::memset(copy.to + given, 0, copy.zeros);
  }
  return Flow::Next;
}
Status bindCopyAsync(Binding &b) {
  uint64_t size = b.operands[2].bits;
  if (b.operands[2].kind != Operand::Integer || (size != 4 && size != 8 && size != 16))
    return fail(Error::OperandKind, 3, b.modifiers.mnemonic, "4, 8 or 16",
                cat("'", b.operands[2].str(), "'"));
  b.out.width = uint8_t(size);
  bool isPredicate = false;
  if (b.operands.size() > 3 && b.operands[3].kind == Operand::Name)
    if (auto symbol = b.binder.find(b.operands[3].name))
      isPredicate = symbol->type == Type::pred, b.out.modes.choice = isPredicate;
  if (b.operands.size() > 3) {
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
Flow commit(Warp &w, const Instruction &, Mask mask) {
  return eachLane(mask, [&](int lane) { ++w.async[lane].group; });
}
Flow waitGroup(Warp &w, const Instruction &i, Mask mask) {
  return eachLane(mask, [&](int lane) {
    finish(w.async[lane], uint32_t(std::min<int64_t>(i.immediate[0], UINT16_MAX)));
  });
}
Flow waitAll(Warp &w, const Instruction &, Mask mask) {
  return eachLane(mask, [&](int lane) {
    ++w.async[lane].group;
    finish(w.async[lane], 0);
  });
}

//===--- mbarrier
//----------------------------------------------------------------------------------------===//

Mbarrier *at(Warp &w, const Instruction &i, uint64_t address, int lane) {
  return reinterpret_cast<Mbarrier *>(
      w.locate(i.space == Space::Generic ? Space::Generic : Space::Shared, address, 8,
               Access::Atomic, lane));
}
/// f(barrier, lane) for the barrier of each lane; it says whether a phase has ended.
template <class F> Flow onBarriers(Warp &w, const Instruction &i, int which, Mask mask, F f) {
  uint64_t address[warpSize];
  w.addresses(i, which, address);
  bool changed = false;
  for (Mask left = mask; left; left &= left - 1) {
    int lane = std::countr_zero(left);
    Mbarrier *barrier = at(w, i, address[lane], lane);
    if (!barrier)
      return Flow::Fault;
    changed |= f(*barrier, lane);
  }
  if (changed)
    w.cta.cluster.event();
  return Flow::Next;
}

Flow init(Warp &w, const Instruction &i, Mask mask) {
  return onBarriers(w, i, 0, mask, [&](Mbarrier &b, int lane) {
    b = Mbarrier::initial(w.in<uint32_t>(i.operand[1])[lane]);
    return false;
  });
}
Flow inval(Warp &w, const Instruction &i, Mask mask) {
  return onBarriers(w, i, 0, mask, [](Mbarrier &b, int) {
    b.code = 0;
    return false;
  });
}
/// choice: 1 also drops, 2 expects bytes first. immediate[1]: slots, one more than the slot of the
/// state, the count or the bytes; 0 where there is none.
Flow arrive(Warp &w, const Instruction &i, Mask mask) {
  Slot state = i.list[0], amount = i.list[1];
  return onBarriers(w, i, 0, mask, [&](Mbarrier &b, int lane) {
    if (state != noSlot)
      w.out<uint64_t>(state)[lane] = b.code;
    uint32_t n = amount == noSlot ? 1 : w.in<uint32_t>(amount)[lane];
    if (i.modes.choice & 2)
      b.expect(n);
    return b.arrive(i.modes.choice & 2 ? 1 : n, i.modes.choice & 1);
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
  SIM_CHECK(b.binder.address(b.operands[next++], b.out, 0));
  if (next < b.operands.size()) {
    TESSERA_TRY(list[1], b.binder.source(b.operands[next], Type::b32));
  }
  b.out.list = b.binder.keep(list);
  b.out.modes.choice =
      uint8_t((b.modifiers.words[1] == "arrive_drop") | (b.modifiers.has("expect_tx") ? 2 : 0));
  return done(b, arrive);
}
template <int sign> Flow transact(Warp &w, const Instruction &i, Mask mask) {
  return onBarriers(w, i, 0, mask, [&](Mbarrier &b, int lane) {
    int64_t bytes = int64_t(w.in<uint32_t>(i.operand[1])[lane]);
    return sign > 0 ? (b.expect(bytes), false) : b.complete(bytes);
  });
}

/// operand: p, address, state or parity. choice: 1 parity, 2 may wait.
Flow test(Warp &w, const Instruction &i, Mask mask) {
  Mask over = 0;
  Flow flow = onBarriers(w, i, 1, mask, [&](Mbarrier &b, int lane) {
    uint64_t phase = i.modes.choice & 1 ? w.in<uint32_t>(i.operand[2])[lane] & 1
                                        : w.in<uint64_t>(i.operand[2])[lane] >> 63;
    over |= Mask(b.phase() != phase) << lane;
    return false;
  });
  if (flow == Flow::Fault)
    return flow;
  Mask waits = i.modes.choice & 2 ? mask & ~over : 0;
  w.putPredicate(i.operand[0], over, mask & ~waits);
  return waits ? w.block(waits, Wait::Event, 0) : Flow::Next;
}
Status bindTest(Binding &b) {
  bool parity = b.modifiers.has("parity");
  TESSERA_TRY(b.out.operand[0], b.binder.destination(b.operands[0], Type::pred));
  if (b.operands[1].kind != Operand::Address)
    return fail(Error::OperandKind, 2, b.modifiers.mnemonic, "an address in brackets",
                cat("'", b.operands[1].str(), "'"));
  SIM_CHECK(b.binder.address(b.operands[1], b.out, 1));
  TESSERA_TRY(b.out.operand[2], b.binder.source(b.operands[2], parity ? Type::b32 : Type::b64));
  b.out.modes.choice = uint8_t(parity | (b.modifiers.words[1] == "try_wait" ? 2 : 0));
  return done(b, test);
}

struct PendingCount {
  static uint32_t of(uint64_t state) { return Mbarrier{state}.pending(); }
};

/// The barrier hears of the thread's copies, which are done by now.
Flow copyArrive(Warp &w, const Instruction &i, Mask mask) {
  waitAll(w, i, mask);
  return onBarriers(w, i, 0, mask, [&](Mbarrier &b, int) {
    // Without .noinc the barrier is made to expect this arrival.
    if (!i.modes.choice)
      b.addPending(1);
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
    {"cp async commit_group", "", [](Binding &b) { return done(b, commit); }, "makes a group of the copies since the last one"},
    {"cp async wait_group", "imm", [](Binding &b) { return done(b, waitGroup); }, "waits for all but the latest n groups"},
    {"cp async wait_all", "", [](Binding &b) { return done(b, waitAll); }, "waits for all copies"},
    {"cp async mbarrier arrive ?noinc ?<shared> b64", "addr", bindCopyArrive, "an mbarrier hears of the copies before"},
    {"mbarrier init ?<shared> b64", "addr u32", [](Binding &b) { return done(b, init); }, "an mbarrier for so many arrivals"},
    {"mbarrier inval ?<shared> b64", "addr", [](Binding &b) { return done(b, inval); }, "no mbarrier any more"},
    {"mbarrier arrive|arrive_drop ?expect_tx ?noComplete" ORDER " b64", "any any? any?", bindArrive, "arrives, and gives the state before"},
    {"mbarrier expect_tx ?relaxed ?cta|cluster ?<shared> b64", "addr u32", [](Binding &b) { return done(b, transact<1>); }, "the phase waits for so many bytes more"},
    {"mbarrier complete_tx ?relaxed ?cta|cluster ?<shared> b64", "addr u32", [](Binding &b) { return done(b, transact<-1>); }, "so many bytes have come"},
    {"mbarrier test_wait|try_wait ?parity ?acquire|relaxed ?cta|cluster ?<shared> b64", "any any any any?", bindTest, "whether a phase has ended; try_wait waits for it"},
    {"mbarrier pending_count b64", "=u32 b64", [](Binding &b) { return done(b, each<PendingCount, uint32_t, uint64_t>); }, "the arrivals that a state waits for"},
};
// clang-format on
#undef ORDER

} // namespace

const RowGroup asyncRows = {"Asynchronous copies and mbarriers", rows};

} // namespace tessera::sim
