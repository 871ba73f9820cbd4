// Follows bits that nobody wrote from register to register.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sanitize/UnsetPassing.h"

#include "tessera/sim/Binder.h"
#include "tessera/sim/Calls.h"
#include "tessera/sim/Shuffle.h"

#include <algorithm>

namespace tessera::sanitize {

using sim::warpSize;

sim::Moves movesOf(const Instruction &i) {
  bool isMemory = sim::rowGroups()[i.group].rows.data() == sim::memoryRows.rows.data();
  return isMemory && i.row ? sim::Moves(i.modes.second) : sim::Moves::Neither;
}

//===--- Registers ---------------------------------------------------------------------------===//

namespace {
uint64_t bitOf(Slot slot) { return slot & 1 ? 0 : uint64_t(1) << (slot * 0x9e3779b1u >> 26); }
} // namespace

const UnsetRegisters::Register *UnsetRegisters::find(Slot slot) const {
  if (!(bitOf(slot) & some)) // a constant, or none
    return nullptr;
  auto found = registers.find({w.frame, slot});
  return found == registers.end() ? nullptr : &found->second;
}

UnsetBits UnsetRegisters::at(Slot slot, int lane) const {
  const Register *r = find(slot);
  return r ? r->lanes[lane] : UnsetBits();
}

void UnsetRegisters::begin(const sim::Frame &frame, Mask lanes) {
  for (const sim::Unwritten &one : frame.function->unwritten) {
    Register &r = registers[{&frame, one.slot}];
    UnsetOrigin origin;
    origin.name = one.name;
    for (Mask left = lanes; left; left &= left - 1)
      r.lanes[std::countr_zero(left)] = {lowest(uint64_t(one.bits)), false, origin};
    r.any |= lanes;
    some |= bitOf(one.slot);
  }
}

void UnsetRegisters::load(Slot slot, int lane, const UnsetBits &bits) {
  if (slot & 1 || !(bits.bits || bitOf(slot) & some))
    return;
  auto found = registers.find({w.frame, slot});
  if (found == registers.end() && !bits.bits)
    return;
  if (found == registers.end())
    found = registers.try_emplace({w.frame, slot}).first;
  some |= bitOf(slot);
  Register &r = found->second;
  r.lanes[lane] = bits;
  r.any = (r.any & ~(Mask(1) << lane)) | Mask(bits.bits != 0) << lane;
  if (!r.any)
    erase(found);
}

void UnsetRegisters::erase(Registers::iterator at) {
  registers.erase(at);
  some = 0;
  for (const auto &[place, _] : registers)
    some |= bitOf(place.second);
}

/// Lanes leave a function: the frame may become that of another call.
void UnsetRegisters::leave(Mask active) {
  for (auto at = registers.lower_bound({w.frame, 0});
       at != registers.end() && at->first.first == w.frame;) {
    auto here = at++;
    here->second.any &= ~active;
    for (Mask left = active; left; left &= left - 1)
      here->second.lanes[std::countr_zero(left)] = {};
    if (!here->second.any)
      erase(here);
  }
}

namespace {
bool isShuffle(const Instruction &i) {
  static const auto warps = size_t(std::find_if(sim::rowGroups().begin(), sim::rowGroups().end(),
                                                [](const sim::RowGroup &g) {
                                                  return g.rows.data() == sim::warpRows.rows.data();
                                                }) -
                                   sim::rowGroups().begin());
  return i.group == warps && i.row && i.row->name() == "shfl";
}
} // namespace

bool UnsetRegisters::isIdle(const Instruction &i) const {
  return registers.empty() && !isShuffle(i);
}

bool UnsetRegisters::touches(const Instruction &i) const {
  uint64_t slots = bitOf(i.guard);
  for (Slot slot : i.operand)
    slots |= bitOf(slot);
  for (size_t k = 0; k < i.listSize; ++k)
    slots |= bitOf(i.list[k]);
  if (bitOf(carrySlot) & some && passingOf(i).carries)
    return true;
  return i.plan || slots & some; // a plan has slots of its own
}

void UnsetRegisters::compute(const Instruction &i, Mask active, Mask guard) {
  const Passing &passing = passingOf(i);
  for (Mask left = active | guard; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const bool decides = guard >> lane & 1; // whether it is done at all
    const UnsetBits why = decides ? UnsetBits{all, true, at(i.guard, lane).origin} : UnsetBits();
    if (passing.unpacks) {
      const UnsetBits whole = at(i.operand[0], lane);
      const uint64_t size = 8u * i.width;
      for (size_t k = 0; k < i.listSize; ++k) {
        UnsetBits part = whole;
        part.bits = k * size < 64 ? whole.bits >> k * size & lowest(size) : whole.bits;
        load(i.list[k], lane, decides ? why : part);
      }
      continue;
    }
    const UnsetBits bits = decides ? why : passing.pass(Operands(*this, w, i, lane));
    load(i.operand[0], lane, bits);
    if (passing.carries && i.modes.choice & WritesCarry)
      load(carrySlot, lane, bits.bits ? UnsetBits{all, true, bits.origin} : bits);
    if (passing.made == 2)
      load(i.operand[1], lane, bits.bits ? UnsetBits{all, true, bits.origin} : bits);
  }
}

std::optional<UnsetUse> UnsetRegisters::usedAt(Slot slot, Mask active) const {
  const Register *r = find(slot);
  if (!r || !(r->any & active))
    return std::nullopt;
  const int lane = std::countr_zero(r->any & active);
  return UnsetUse{lane, r->lanes[lane].origin};
}

std::optional<UnsetUse> UnsetRegisters::used(const Instruction &i, Mask active) const {
  if (movesOf(i) != sim::Moves::Neither)
    return usedAt(i.operand[0], active); // the address; a store's value goes on
  const Passing &passing = passingOf(i);
  for (size_t k = passing.made; k < i.operand.size(); ++k)
    if (auto use = usedAt(i.operand[k], active))
      return use;
  const size_t size = listed(i);
  for (size_t k = passing.makesList ? size / passing.lists : 0; k < size; ++k)
    if (auto use = usedAt(i.list[k], active))
      return use;
  if (auto *call = dynamic_cast<const sim::CallPlan *>(i.plan))
    for (const sim::Place &place : call->arguments)
      if (auto use = usedAt(place.slot, active))
        return use;
  return std::nullopt;
}

/// Registers that an instruction sets.
void UnsetRegisters::clear(const Instruction &i, Mask active) {
  const Passing &passing = passingOf(i);
  for (Mask left = active; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    for (size_t k = 0; k < passing.made; ++k)
      load(i.operand[k], lane, {});
    for (size_t k = 0; passing.makesList && k < i.listSize / passing.lists; ++k)
      load(i.list[k], lane, {});
  }
}

/// Once all members are there. Lanes with other members than the first one come again.
std::optional<UnsetUse> UnsetRegisters::shuffle(const Instruction &i, Mask active) {
  for (size_t k = 3; k < i.operand.size(); ++k)
    if (auto use = usedAt(i.operand[k], active))
      return use;
  if (i.operand[5] != noSlot) {
    const auto *members = w.in<uint32_t>(i.operand[5]);
    const Mask first = members[std::countr_zero(active)];
    for (int lane = 0; lane < warpSize; ++lane)
      active &= ~(Mask(members[lane] != first) << lane);
    if (first & w.live & ~active)
      return std::nullopt;
  }
  const auto *b = w.in<uint32_t>(i.operand[3]), *c = w.in<uint32_t>(i.operand[4]);
  UnsetBits result[warpSize];
  for (int lane = 0; lane < warpSize; ++lane) {
    const int from = sim::shuffleSource(sim::Shuffle(i.modes.choice), lane, b[lane], c[lane]);
    result[lane] = at(i.operand[2], from < 0 ? lane : from);
    // PTX ISA 9.7.9.6: the result is undefined then.
    if (from >= 0 && !(active >> from & 1)) {
      result[lane] = {all, true};
      result[lane].origin.line = i.line;
      result[lane].origin.from = from;
    }
  }
  for (Mask left = active; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    load(i.operand[0], lane, result[lane]);
    load(i.operand[1], lane, {});
  }
  return std::nullopt;
}

std::optional<UnsetUse> UnsetRegisters::run(const Instruction &i, Mask active, Mask fragment) {
  static const sim::Executor returns = sim::returnExecutor();
  if (!touches(i) && i.run != returns && !isShuffle(i))
    return std::nullopt;
  const Register *guards = i.guard == noSlot ? nullptr : find(i.guard);
  const Mask guard = guards ? guards->any & fragment : 0;
  if (passingOf(i).pass && i.run != returns) {
    compute(i, active, guard);
    return std::nullopt;
  }
  if (guard)
    return usedAt(i.guard, guard);
  if (isShuffle(i) && active)
    return shuffle(i, active);
  if (i.plan && active && isOfFragments(i))
    return fragments(i, active);
  std::optional<UnsetUse> use = used(i, active);
  if (i.run == returns)
    leave(active);
  else
    clear(i, active);
  return use;
}

} // namespace tessera::sanitize
