// Pictures of shared memory: where elements lie, and which threads collide in a bank.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/layout/Algebra.h"
#include "tessera/layout/Text.h"
#include "tessera/render/Draw.h"
#include "tessera/render/Errors.h"
#include "tessera/render/Grid.h"

#include <algorithm>
#include <bit>
#include <map>

namespace tessera::render {

using namespace layout;

Result<Picture> drawBanks(const AnyLayout &memory, int64_t elementBits) {
  if (elementBits < 4 || elementBits > 128 || !std::has_single_bit(uint64_t(elementBits)))
    return fail(Error::ElementBits, elementBits);
  TESSERA_TRY(Table table, tabulate(memory));
  Panel panel = blank(axisOf(table.rowShape, table.rows), axisOf(table.columnShape, table.columns));
  constexpr int64_t wordBits = bankBytes * 8;
  for (size_t i = 0; i < table.values.size(); ++i) {
    const Tree &value = table.values[i];
    if (value.isTuple())
      return fail(Error::OffsetNotNumber, str(memory), str(value));
    int64_t offset = value.leaf().value.value;
    if (offset < 0)
      return fail(Error::NegativeOffset, str(memory), offset);
    // Offsets repeat their banks every 128 bytes, before which the product does not overflow.
    int64_t bit = offset % (bankCount * wordBits) * elementBits;
    int64_t bank = bit / wordBits % bankCount;
    panel.cells[i] = {std::to_string(offset), cat("b", bank), Colour::group(bank)};
  }
  Picture picture;
  picture.title = str(memory);
  picture.subtitle = cat("offsets of ", elementBits,
                         "-bit elements in shared memory, and their banks (32 of 4 bytes; "
                         "a hue is 16 bytes)");
  picture.panels.push_back(std::move(panel));
  picture.legends.push_back(groupLegend("bank", numbers(bankCount)));
  return picture;
}

namespace {
constexpr int64_t mostLines = 32, mostPhases = 32;

/// "T5", or "T5 +3" in a cell that several threads touch.
void enter(Cell &cell, const Touch &touch, std::map<int64_t, int> &seen) {
  int others = seen[touch.word]++;
  if (others == 0)
    cell.text = cat("T", touch.thread);
  else
    cell.detail = cat("+", others);
  if (others == 0)
    cell.colour = Colour::group(touch.thread);
}

/// The 128-byte lines that are touched, bank by bank, with the threads.
Panel linesOf(const Conflicts &conflicts, bool &elided) {
  std::map<int64_t, int64_t> rows; // line -> row
  for (const Phase &phase : conflicts.phases)
    for (const auto &bank : phase.banks)
      for (const Touch &touch : bank)
        rows[touch.word / bankCount];
  int64_t count = 0;
  for (auto &[line, row] : rows)
    row = count++;
  elided |= count > mostLines;
  Panel panel = blank(Axis::plain(std::min(count, mostLines)), Axis::numbered(bankCount));
  for (auto [line, row] : rows)
    if (row < panel.rows.extent)
      panel.rows.labels.push_back(std::to_string(line * bankCount * bankBytes));
  std::map<int64_t, int> seen;
  for (const Phase &phase : conflicts.phases)
    for (int64_t bank = 0; bank < bankCount; ++bank)
      for (const Touch &touch : phase.banks[bank])
        if (int64_t row = rows[touch.word / bankCount]; row < panel.rows.extent)
          enter(panel.at(row, bank), touch, seen);
  return panel;
}

/// How many words each bank gives in each phase.
Panel countsOf(const Conflicts &conflicts) {
  int64_t count = std::min(int64_t(conflicts.phases.size()), mostPhases);
  Panel panel = blank(Axis::plain(count), Axis::numbered(bankCount));
  for (int64_t i = 0; i < count; ++i) {
    const Phase &phase = conflicts.phases[size_t(i)];
    panel.rows.labels.push_back(cat("T", phase.firstThread, "–", phase.lastThread));
    for (int64_t bank = 0; bank < bankCount; ++bank)
      if (int64_t words = phase.words(bank)) {
        Cell &cell = panel.at(i, bank);
        cell.text = std::to_string(words);
        cell.colour = {words > 1 ? Colour::Bad : Colour::Good, 0};
      }
  }
  panel.detail =
      "words that each bank gives in each phase; the most of them is the number of wavefronts";
  return panel;
}
} // namespace

Result<Picture> drawConflicts(std::span<const DrawnAccess> accesses) {
  if (accesses.empty())
    return fail(Error::NothingToCompare);
  Picture picture;
  picture.title = "Bank conflicts";
  bool elided = false;
  for (const DrawnAccess &access : accesses) {
    TESSERA_TRY(Conflicts conflicts, bankConflicts(access.memory, access.access));
    Panel lines = linesOf(conflicts, elided), counts = countsOf(conflicts);
    elided |= int64_t(conflicts.phases.size()) > mostPhases;
    std::string verdict = describe(conflicts, 0);
    verdict.resize(verdict.find('\n'));
    lines.caption = str(access.memory);
    lines.detail = verdict;
    lines.placeRow = int(picture.panels.size());
    counts.placeRow = lines.placeRow + 1;
    picture.panels.push_back(std::move(lines));
    picture.panels.push_back(std::move(counts));
  }
  const ThreadAccess &first = accesses.front().access;
  picture.subtitle = cat(first.vectorBytes, " bytes for each thread of ", str(first.threads),
                         "; columns are banks, rows the byte addresses of lines of 128 bytes");
  picture.legends.push_back(
      {"words", {{"1", "", {Colour::Good, 0}}, {"more", "", {Colour::Bad, 0}}}});
  if (elided)
    picture.notes.push_back(
        cat("At most the first ", mostLines, " lines and ", mostPhases, " phases are shown."));
  return picture;
}

} // namespace tessera::render
