// Values that nobody wrote, as they come from memory and go there.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sanitize/UnsetValues.h"

#include "tessera/sim/Atomic.h"

namespace tessera::sanitize {

bool UnsetValues::pass(const Instruction &i, Mask active, Mask fragment) {
  auto use = registers.run(i, active, fragment);
  return !use || reports.addUnset(*use);
}

/// The value that an exchange reads is not used as a number.
bool UnsetValues::isWritten(const Site &site, const Written &written, uint64_t first, Access access,
                            int lane) {
  const Instruction &i = self.w.instruction();
  if (!row(access).reads || (access == Access::Atomic && i.modes.choice == sim::Exch))
    return true;
  uint64_t end = first + site.bytes, missing = written.firstMissing(first, site.bytes);
  bool isLoad = access == Access::Read || access == Access::StrongRead;
  auto isUnused = [&] { return missing - first < 32 && !(i.usedBytes >> (missing - first) & 1); };
  while (isLoad && missing < end && isUnused())
    missing = written.firstMissing(missing + 1, end - missing - 1);
  return missing == end ||
         reports.add(lane, Error::Unwritten, access, nullptr, site, missing - first);
}

/// Registers of up to 64 bits are followed.
bool UnsetValues::load(const Site &site, const Written &from, uint64_t first,
                       const sim::MemoryAccess &a) {
  const Instruction &i = self.w.instruction();
  auto origin = [&](uint64_t missing) -> UnsetOrigin {
    return {site.space, a.address,     a.address + missing - first,
            a.bytes,    self.w.line(), self.strength(a.how)};
  };
  if (movesOf(i) != sim::Moves::Load || !i.listSize || i.width > 8) {
    if (loadsMatrices(i)) {
      uint32_t unset = 0;
      for (uint32_t byte = 0; byte < a.bytes; ++byte)
        unset |= uint32_t(!from.has(first + byte, 1)) << byte;
      if (unset)
        registers.loadRow(i, a.lane, unset, origin(first + uint64_t(std::countr_zero(unset))));
      return true;
    }
    if (!movesFragment(i))
      return isWritten(site, from, first, self.strength(a.how), a.lane);
    const size_t e = element++;
    if (uint64_t missing = from.firstMissing(first, a.bytes); missing != first + a.bytes)
      registers.loadElement(i, e, origin(missing));
    return true;
  }
  if (from.firstMissing(first, a.bytes) == first + a.bytes)
    return true;
  const uint32_t bytes = a.bytes / i.listSize;
  for (uint32_t k = 0; k < i.listSize; ++k) {
    UnsetBits bits;
    for (uint32_t byte = 0; byte < bytes; ++byte) {
      uint32_t at = k * bytes + byte;
      // nvcc notes which bytes of a load are not used.
      if ((at < 32 && !(i.usedBytes >> at & 1)) || from.firstMissing(first + at, 1) != first + at)
        continue;
      if (!bits.bits)
        bits.origin = origin(first + at);
      bits.bits |= uint64_t(255) << 8 * byte;
    }
    // The bits by which it is extended are set, or copies of the sign.
    if (bits.bits && i.width > bytes && sim::isSigned(i.modes.from) &&
        bits.bits >> (8 * bytes - 1) & 1)
      bits.bits |= ~uint64_t(0) << 8 * bytes;
    registers.load(i.list[k], a.lane, bits);
  }
  return true;
}

void UnsetValues::endCopy(const Written &from, uint64_t first, uint32_t bytes) {
  for (uint64_t byte = 0; byte < bytes; ++byte)
    if (from.firstMissing(first + byte, 1) == first + byte)
      copy.written->remove(copy.offset + byte, 1);
  copy = {};
}

bool UnsetValues::store(const sim::MemoryAccess &a, Written &to, uint64_t first) {
  const Instruction &i = self.w.instruction();
  if (registers.isIdle(i) || !row(a.how).writes)
    return true;
  if (movesFragment(i))
    return store(a, to, first, 0, a.bytes, registers.elementAt(i, element++));
  if (movesOf(i) != sim::Moves::Store || i.modes.choice)
    return true;
  const uint32_t bytes = a.bytes / i.listSize;
  for (uint32_t k = 0; k < i.listSize && bytes <= 8; ++k)
    if (!store(a, to, first, k * bytes, bytes, registers.at(i.list[k], a.lane)))
      return false;
  return true;
}

bool UnsetValues::store(const sim::MemoryAccess &a, Written &to, uint64_t first, uint32_t at,
                        uint32_t bytes, UnsetBits from) {
  const uint64_t stored = bytes == 8 ? ~uint64_t(0) : (uint64_t(1) << 8 * bytes) - 1;
  if (!(from.bits &= stored))
    return true;
  if (a.space != sim::Space::Local && a.space != sim::Space::Shared) {
    if (from.isComputed)
      return reports.addUnset({a.lane, from.origin});
    Suspects &suspects = self.launch.suspects;
    if (from.bits == stored && from.origin.name.empty() &&
        suspects.wants(from.origin.line, self.line()))
      suspects.add({a.address + at, bytes, self.base + self.index, a.lane, self.w.cta.index.str(),
                    self.w.threadName(a.lane), from.origin});
  }
  for (uint32_t byte = 0; byte < bytes; ++byte)
    if ((from.bits >> 8 * byte & 255) == 255)
      to.remove(first + at + byte, 1);
  return true;
}

} // namespace tessera::sanitize
