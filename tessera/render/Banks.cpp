// Counts wavefronts of accesses to shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/render/Banks.h"

#include "tessera/layout/Algebra.h"
#include "tessera/layout/Domains.h"
#include "tessera/layout/Text.h"
#include "tessera/render/Draw.h"
#include "tessera/render/Errors.h"
#include "tessera/render/Grid.h"

#include <algorithm>
#include <bit>
#include <set>

namespace tessera::render {

using namespace layout;

namespace {
/// Where each value of each thread lies, in elements.
struct Places {
  int64_t threads, values;
  std::vector<int64_t> elements; // thread by thread
  int64_t at(int64_t thread, int64_t value) const {
    return elements[size_t(thread * values + value)];
  }
};

Result<int64_t> numberAt(const Tree &coordinate, const AnyLayout &any, const std::string &whole) {
  Const none;
  TESSERA_TRY(Tree value, crd2idx(none, coordinate, any));
  if (none.overflowed())
    return fail(Error::NumbersTooLarge, whole);
  if (value.isTuple())
    return fail(Error::OffsetNotNumber, whole, str(value));
  if (value.leaf().value.value < 0)
    return fail(Error::NegativeOffset, whole, value.leaf().value.value);
  return value.leaf().value.value;
}

Result<Places> placesOf(const AnyLayout &memory, const ThreadAccess &access) {
  const AnyLayout &tv = access.threads;
  std::string memoryText = str(memory), threadText = str(tv);
  if (!memory.isStatic())
    return fail(Error::NotStatic, memoryText);
  if (!tv.isStatic())
    return fail(Error::NotStatic, threadText);
  if (tv.rank() > 2)
    return fail(Error::NotThreadValue, threadText);
  bool valued = tv.rank() == 2;
  Places places;
  TESSERA_TRY(places.threads, sizeOf(valued ? tv.shape()[0] : tv.shape(), threadText));
  TESSERA_TRY(places.values, sizeOf(valued ? tv.shape()[1] : Tree(int64_t(1)), threadText));
  if (places.threads > mostThreads)
    return fail(Error::TooManyThreads, mostThreads, threadText, places.threads);
  if (places.values > mostOwners / mostThreads)
    return fail(Error::TooManyOwners, mostOwners, threadText,
                cat(places.threads, " x ", places.values));
  for (int64_t t = 0; t < places.threads; ++t)
    for (int64_t v = 0; v < places.values; ++v) {
      Tree point = valued ? Tree::of({Tree(t), Tree(v)}) : Tree(t);
      TESSERA_TRY(int64_t coordinate, numberAt(point, tv, threadText));
      TESSERA_TRY(int64_t element, numberAt(Tree(coordinate), memory, memoryText));
      places.elements.push_back(element);
    }
  return places;
}

/// The first byte of the `index`-th vector of a thread, whose values must lie in a row.
Result<int64_t> vectorStart(const Places &places, const ThreadAccess &access, int64_t thread,
                            int64_t first, int64_t count) {
  int64_t start = places.at(thread, first);
  for (int64_t i = 1; i < count; ++i)
    if (int64_t element = places.at(thread, first + i); element != start + i)
      return fail(Error::VectorNotContiguous, thread, first, first + count - 1, access.vectorBytes,
                  first + i, element, start + i);
  int64_t bit;
  if (__builtin_mul_overflow(start, access.elementBits, &bit))
    return fail(Error::NumbersTooLarge, str(access.threads));
  if (bit % (access.vectorBytes * 8))
    return fail(Error::VectorNotAligned, thread, access.vectorBytes, bit / 8);
  return bit / 8;
}

bool oneOf(int64_t value, int64_t least, int64_t most) {
  return value >= least && value <= most && std::has_single_bit(uint64_t(value));
}

void collect(Conflicts &conflicts) {
  for (size_t i = 0; i < conflicts.phases.size(); ++i) {
    const Phase &phase = conflicts.phases[i];
    int64_t wavefronts = phase.wavefronts();
    conflicts.wavefronts += wavefronts;
    conflicts.ideal += 1;
    conflicts.worst = std::max(conflicts.worst, wavefronts);
    for (int64_t bank = 0; bank < bankCount; ++bank) {
      int64_t words = phase.words(bank);
      if (words < 2)
        continue;
      Collision collision{i, bank, words, {}};
      for (const Touch &touch : phase.banks[bank])
        if (collision.threads.empty() || collision.threads.back() != touch.thread)
          collision.threads.push_back(touch.thread);
      conflicts.collisions.push_back(std::move(collision));
    }
  }
}
} // namespace

int64_t Phase::words(int64_t bank) const {
  std::set<int64_t> distinct;
  for (const Touch &touch : banks[bank])
    distinct.insert(touch.word);
  return int64_t(distinct.size());
}

int64_t Phase::wavefronts() const {
  int64_t most = 0;
  for (int64_t bank = 0; bank < bankCount; ++bank)
    most = std::max(most, words(bank));
  return most;
}

Result<Conflicts> bankConflicts(const AnyLayout &memory, const ThreadAccess &access) {
  if (!oneOf(access.elementBits, 4, 128))
    return fail(Error::ElementBits, access.elementBits);
  if (!oneOf(access.vectorBytes, 1, 16))
    return fail(Error::VectorBytes, access.vectorBytes);
  if (access.vectorBytes * 8 < access.elementBits)
    return fail(Error::VectorNotWhole, access.vectorBytes, access.elementBits);
  TESSERA_TRY(Places places, placesOf(memory, access));
  // Without values a thread starts a vector at its coordinate.
  int64_t perVector = access.threads.rank() == 2 ? access.vectorBytes * 8 / access.elementBits : 1;
  if (places.values % perVector)
    return fail(Error::ValuesNotWhole, perVector, places.values);
  int64_t perPhase = std::min(warpThreads, bankCount * bankBytes / access.vectorBytes);
  Conflicts conflicts;
  for (int64_t instruction = 0; instruction < places.values / perVector; ++instruction)
    for (int64_t first = 0; first < places.threads; first += perPhase) {
      Phase phase;
      phase.warp = first / warpThreads;
      phase.instruction = instruction;
      phase.firstThread = first;
      phase.lastThread = std::min(first + perPhase, places.threads) - 1;
      for (int64_t t = first; t <= phase.lastThread; ++t) {
        TESSERA_TRY(int64_t byte,
                    vectorStart(places, access, t, instruction * perVector, perVector));
        for (int64_t word = byte / bankBytes; word * bankBytes < byte + access.vectorBytes; ++word)
          phase.banks[word % bankCount].push_back({t, word});
      }
      conflicts.phases.push_back(std::move(phase));
    }
  collect(conflicts);
  return conflicts;
}

std::string describe(const Conflicts &conflicts, size_t mostLines) {
  auto wavefronts = [](int64_t count) {
    return cat(count, count == 1 ? " wavefront" : " wavefronts");
  };
  if (conflicts.free())
    return cat("no bank conflicts: ", wavefronts(conflicts.wavefronts), ", the fewest possible\n");
  std::string out = cat(conflicts.worst, "-way bank conflicts: ", wavefronts(conflicts.wavefronts),
                        " where ", conflicts.ideal, " would do\n");
  for (size_t i = 0; i < std::min(mostLines, conflicts.collisions.size()); ++i) {
    const Collision &collision = conflicts.collisions[i];
    const Phase &phase = conflicts.phases[collision.phase];
    std::string threads;
    for (int64_t thread : collision.threads)
      threads += cat(threads.empty() ? "T" : " T", thread);
    out += cat("  ", conflicts.phases.size() > 1 ? cat("phase ", collision.phase, ", ") : "",
               "bank ", collision.bank, ": ", collision.words, " words for ", threads, "\n");
    if (phase.instruction > 0)
      out.insert(out.size() - 1, cat(" (vector ", phase.instruction, ")"));
  }
  if (conflicts.collisions.size() > mostLines)
    out += cat("  and ", conflicts.collisions.size() - mostLines, " more\n");
  return out;
}

} // namespace tessera::render
