// Compares pieces of work with earlier ones that nothing orders before them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sanitize/History.h"

#include "tessera/base/Demangled.h"
#include "tessera/base/ShortName.h"
#include "tessera/sanitize/Launch.h"
#include "tessera/sanitize/Report.h"

#include <algorithm>

namespace tessera::sanitize {

namespace {

constexpr uint32_t wordsOfPage = GlobalShadow::pageBytes / Cell::bytes;
constexpr size_t mostRuns = 16 * wordsOfPage; // of a page

/// As between the lanes of a launch (RaceCheck::visit).
bool conflict(const Mark &mine, const Mark &other) {
  const sim::AccessRow &a = row(mine.how()), &b = row(other.how());
  return mine.bytes & other.bytes && (a.writes || b.writes) && !(a.strong && b.strong) &&
         !isFirstLook(mine, other);
}

/// The bytes of a word, as bits, that lie in a range.
uint32_t bytesIn(const WorkRange &range, uint64_t word) {
  uint32_t bits = 0;
  for (uint32_t i = 0; i < Cell::bytes; ++i)
    bits |= uint32_t(word + i - range.start < range.bytes) << i;
  return bits;
}

std::string threadOf(const Party &party, const std::string &kernel) {
  return cat(party.access, " by thread ", party.thread, " of block ", party.block, " of kernel '",
             shortName(demangled(kernel)), "' at ", party.place.str());
}

} // namespace

Mark History::Run::at(uint32_t word) const {
  Mark out = mark;
  if (rises)
    out.lanes <<= word - first;
  return out;
}

/// Runs of words whose marks in the same place are alike.
History::Runs History::runsOf(const Cell *cells, uint32_t work, uint16_t grid) {
  Runs out;
  for (size_t i = 0; i < std::size(cells->marks); ++i) {
    Run *last = nullptr;
    for (uint32_t word = 0; word < wordsOfPage; ++word) {
      const Mark &m = cells[word].marks[i];
      if (!m.clock) {
        last = nullptr;
        continue;
      }
      if (last && m.agent == last->mark.agent && m.access == last->mark.access &&
          m.line == last->mark.line && m.bytes == last->mark.bytes) {
        const bool rises = last->count == 1 ? m.lanes == last->mark.lanes << 1 : last->rises;
        if (m.lanes == (rises ? last->mark.lanes << last->count : last->mark.lanes)) {
          last->rises = rises;
          ++last->count;
          continue;
        }
      }
      last = &out.emplace_back(uint16_t(word), uint16_t(1), false, grid, work, m);
    }
  }
  return out;
}

void History::replace(Runs &kept, const Runs &by, const WorkStep &step) const {
  uint8_t written[wordsOfPage] = {}, touched[wordsOfPage] = {};
  for (const Run &run : by)
    for (uint32_t word = run.first; word < uint32_t(run.first) + run.count; ++word) {
      touched[word] |= run.mark.bytes;
      if (row(run.mark.how()).writes)
        written[word] |= run.mark.bytes;
    }
  std::erase_if(kept, [&](const Run &run) {
    auto work = works.find(run.work);
    if (work == works.end())
      return true;
    if (run.work != step.point.number && !step.after.covers(work->second.step.point))
      return false;
    const uint8_t *again = row(run.mark.how()).writes ? written : touched;
    for (uint32_t word = run.first; word < uint32_t(run.first) + run.count; ++word)
      if (run.mark.bytes & ~uint32_t(again[word]))
        return false;
    return true;
  });
  if (kept.size() > mostRuns)
    kept.erase(kept.begin(), kept.begin() + long(kept.size() - mostRuns));
}

const History::Work *History::beside(const WorkStep &step, uint32_t work) const {
  auto found = works.find(work);
  return found == works.end() || found->first == step.point.number ||
                 step.after.covers(found->second.step.point)
             ? nullptr
             : &found->second;
}

bool History::hasBeside(const WorkStep &step) const {
  return std::ranges::any_of(last, [&](const auto &entry) {
    return entry.second != step.point.number && !step.after.covers({entry.first, entry.second});
  });
}

std::vector<const History::Work *> History::rangesBeside(const WorkStep &step) const {
  std::vector<const Work *> out;
  for (const auto &[number, work] : works)
    if (!work.ranges.empty() && beside(step, number))
      out.push_back(&work);
  return out;
}

History::Work &History::keep(Work work) {
  const WorkPoint point = work.step.point;
  last[point.chain] = point.number;
  return works[point.number] = std::move(work);
}

std::optional<uint16_t> History::gridOf(const Launch &launch, const WorkStep &step,
                                        std::shared_ptr<const void> keeps) {
  auto found = works.find(step.point.number);
  Work &work = found == works.end() ? keep({.step = step}) : found->second;
  work.step = step; // which may come after more now
  auto isLike = [&](const Grids &g) {
    return g.kernel == launch.grid.kernel.name && g.shape == launch.shape;
  };
  const auto like = std::ranges::find_if(work.grids, isLike);
  const auto place = size_t(like - work.grids.begin());
  if (place > UINT16_MAX)
    return {};
  if (like == work.grids.end())
    work.grids.push_back({.kernel = launch.grid.kernel.name,
                          .shape = launch.shape,
                          .keeps = std::move(keeps),
                          .text = launch.grid.program.text});
  return uint16_t(place);
}

void History::tidy() {
  if (works.size() < tidyAt)
    return;
  std::set<uint32_t> used;
  for (const auto &[page, runs] : pages)
    for (const Run &run : runs)
      used.insert(run.work);
  std::erase_if(works, [&](const auto &entry) {
    return entry.second.ranges.empty() && !used.contains(entry.first);
  });
  tidyAt = 2 * works.size() + 1024;
}

template <class Visit>
void History::eachRun(uint64_t address, uint32_t bytes, const Visit &visit) const {
  for (uint64_t at = address / Cell::bytes * Cell::bytes; at < address + bytes; at += Cell::bytes) {
    auto page = pages.find(at / GlobalShadow::pageBytes);
    if (page == pages.end())
      continue;
    const auto word = uint32_t(at % GlobalShadow::pageBytes / Cell::bytes);
    for (const Run &run : page->second)
      if (run.has(word) && visit(at, run, run.at(word)))
        return;
  }
}

std::set<uint32_t> History::strongWriters(const WorkStep &step, uint64_t address,
                                          uint32_t bytes) const {
  std::set<uint32_t> out;
  eachRun(address, bytes, [&](uint64_t, const Run &run, const Mark &) {
    const sim::AccessRow &how = row(run.mark.how());
    if (how.strong && how.writes && beside(step, run.work))
      out.insert(run.work);
    return false;
  });
  return out;
}

std::string History::conflictWith(uint32_t work, uint64_t address, uint32_t bytes,
                                  Access access) const {
  const sim::AccessRow &mine = row(access);
  std::string out;
  auto other = works.find(work);
  if (other == works.end())
    return out;
  eachRun(address, bytes, [&](uint64_t at, const Run &run, const Mark &mark) {
    const sim::AccessRow &how = row(run.mark.how());
    if (run.work != work || !(mark.bytes & bytesIn({address, bytes}, at)) ||
        !(how.writes || mine.writes) || (how.strong && mine.strong))
      return false;
    const Grids &grid = other->second.grids[run.grid];
    out = threadOf(partyOf(grid, mark), grid.kernel);
    return true;
  });
  return out;
}

Party History::partyOf(const Grids &grid, const Mark &m) const {
  Party out = grid.shape.partyOf(m, m.lanes);
  out.place = ptx_text::placeOf(grid.text, int(m.line));
  return out;
}

void History::compare(Launch &launch, const WorkStep &step, uint64_t page, const Cell *cells,
                      const std::vector<const Work *> &ranges, const Take &take) {
  const std::string &kernel = launch.grid.kernel.name;
  auto report = [&](const Mark &m, uint64_t address, const std::string &with,
                    std::optional<Party> earlier) {
    Party party = launch.shape.partyOf(m, m.lanes);
    party.place = launch.placeOf(int(m.line));
    const auto bytes = uint32_t(std::popcount(uint32_t(m.bytes)));
    address += uint32_t(std::countr_zero(uint32_t(m.bytes)));
    Reason reason = fail(Error::StreamRace, party.access, bytes, "global", sim::hex(address), with);
    Report out{reason.id,          "",         kernel, std::move(party), "global", address, {},
               std::move(earlier), reason.text};
    out.text = launch.located(out.party.block, out.party.thread, int(m.line), std::move(reason));
    if (const sim::Allocation *a = launch.grid.memory.find(address))
      out.buffer = {address - a->start, a->size};
    take(std::move(out));
  };
  const uint64_t start = page * GlobalShadow::pageBytes;
  auto here = pages.find(page);
  for (const Run &run : here == pages.end() ? Runs() : here->second) {
    const Work *other = beside(step, run.work);
    for (uint32_t word = run.first; other && word < uint32_t(run.first) + run.count; ++word)
      for (const Mark &m : cells[word].marks)
        if (const Mark past = run.at(word);
            m.clock && conflict(m, past) &&
            isNew(kernel, int(m.line), other->grids[run.grid].kernel, int(past.line))) {
          const Grids &grid = other->grids[run.grid];
          Party earlier = partyOf(grid, past);
          const std::string with = threadOf(earlier, grid.kernel);
          report(m, start + uint64_t(word) * Cell::bytes, with, std::move(earlier));
        }
  }
  for (const Work *other : ranges)
    for (const WorkRange &range : other->ranges) {
      if (range.start >= start + GlobalShadow::pageBytes || range.end() <= start)
        continue;
      for (uint32_t word = 0; word < wordsOfPage; ++word) {
        const uint64_t address = start + uint64_t(word) * Cell::bytes;
        for (const Mark &m : cells[word].marks)
          if (m.clock && m.bytes & bytesIn(range, address) &&
              (range.writes || row(m.how()).writes) && isNew(kernel, int(m.line), other->what, 0))
            report(m, address, cat(other->what, ", queued earlier"), {});
      }
    }
}

void History::add(Launch &launch, WorkStep &step, std::shared_ptr<const void> keeps,
                  const Take &take) {
  for (uint32_t met : launch.met)
    if (auto work = works.find(met); work != works.end())
      step.after.join(work->second.step.ended());
  const std::optional<uint16_t> grid = gridOf(launch, step, std::move(keeps));
  const bool compares = hasBeside(step);
  const std::vector<const Work *> ranges =
      compares ? rangesBeside(step) : std::vector<const Work *>();
  // malloc may give a launch memory that a concurrent launch has freed; CUDA orders the two.
  const HeapMemory *heap = launch.written.heap();
  const sim::Allocation *ofMalloc = heap ? launch.grid.memory.find(heap->start) : nullptr;
  std::vector<Cell> others; // of a page that malloc has a part of
  launch.shadow.forEachPage([&](uint64_t page, const Cell *cells) {
    const uint64_t first = page * GlobalShadow::pageBytes;
    if (ofMalloc && first < ofMalloc->start + ofMalloc->size &&
        first + GlobalShadow::pageBytes > ofMalloc->start) {
      others.assign(cells, cells + wordsOfPage);
      for (uint32_t word = 0; word < wordsOfPage; ++word)
        if (ofMalloc->contains(first + uint64_t(word) * Cell::bytes, Cell::bytes))
          others[word] = {};
      cells = others.data();
    }
    if (compares)
      compare(launch, step, page, cells, ranges, take);
    if (!grid)
      return;
    Runs now = runsOf(cells, step.point.number, *grid);
    Runs &kept = pages[page];
    replace(kept, now, step);
    kept.insert(kept.end(), now.begin(), now.end());
  });
  tidy();
}

void History::add(const std::string &what, std::span<const WorkRange> ranges, const WorkStep &step,
                  const Take &take) {
  // Between copies and fills there is no line to tell, so one report of each pair is enough.
  auto betweenCopies = [&](const WorkRange &mine, const Work &other) {
    for (const WorkRange &range : other.ranges)
      if (const uint64_t first = std::max(mine.start, range.start);
          first < std::min(mine.end(), range.end()) && (mine.writes || range.writes) &&
          isNew(what, 0, other.what, 0)) {
        Reason reason = fail(Error::StreamRace, what, std::min(mine.end(), range.end()) - first,
                             "global", sim::hex(first), cat(other.what, ", queued earlier"));
        take({reason.id, reason.text, "", {}, "global", first, {}, {}, reason.text});
      }
  };
  auto withKernel = [&](const WorkRange &mine, uint64_t page, const Run &run, const Work &other) {
    for (uint32_t word = run.first; word < uint32_t(run.first) + run.count; ++word) {
      const uint64_t address = page * GlobalShadow::pageBytes + uint64_t(word) * Cell::bytes;
      const Mark past = run.at(word);
      if (!(past.bytes & bytesIn(mine, address)) || !(mine.writes || row(past.how()).writes) ||
          !isNew(other.grids[run.grid].kernel, int(past.line), what, 0))
        continue;
      const Grids &grid = other.grids[run.grid];
      Party party = partyOf(grid, past);
      Reason reason = fail(Error::StreamRace, party.access, std::popcount(uint32_t(past.bytes)),
                           "global", sim::hex(address), cat(what, ", queued later"));
      std::string text = cat("kernel '", shortName(grid.kernel), "', block ", party.block,
                             ", thread ", party.thread, ", ", party.place.str(), ": ", reason.text);
      take({reason.id,
            std::move(text),
            grid.kernel,
            std::move(party),
            "global",
            address,
            {},
            {},
            reason.text});
    }
  };
  const bool compares = hasBeside(step);
  const std::vector<const Work *> others =
      compares ? rangesBeside(step) : std::vector<const Work *>();
  for (const WorkRange &mine : ranges) {
    if (!compares)
      break;
    for (const Work *other : others)
      betweenCopies(mine, *other);
    const uint64_t first = mine.start / GlobalShadow::pageBytes;
    for (auto page = pages.lower_bound(first);
         page != pages.end() && page->first * GlobalShadow::pageBytes < mine.end(); ++page)
      for (const Run &run : page->second)
        if (const Work *other = beside(step, run.work))
          withKernel(mine, page->first, run, *other);
  }
  // Earlier work on the same bytes is not needed once this work, which comes after it, is known.
  std::erase_if(works, [&](const auto &entry) {
    return step.after.covers(entry.second.step.point) && !entry.second.ranges.empty() &&
           entry.second.grids.empty() && std::ranges::equal(entry.second.ranges, ranges);
  });
  auto found = works.find(step.point.number);
  if (found == works.end()) {
    keep({.step = step, .what = what, .ranges = {ranges.begin(), ranges.end()}});
  } else { // a launch, whose kernels may ask for many
    constexpr size_t most = 1024;
    Work &work = found->second;
    work.what = what;
    for (const WorkRange &range : ranges)
      if (work.ranges.size() < most && std::ranges::find(work.ranges, range) == work.ranges.end())
        work.ranges.push_back(range);
  }
  tidy();
}

std::vector<BusyPage> History::busyPages(const WorkRange &of, size_t most) const {
  constexpr uint64_t pageBytes = GlobalShadow::pageBytes;
  static_assert(pageBytes == BusyPage::bytes);
  std::set<uint64_t> numbers; // of pages that are touched at all
  const uint64_t first = of.start / pageBytes, end = (of.end() + pageBytes - 1) / pageBytes;
  for (auto page = pages.lower_bound(first);
       page != pages.end() && page->first < end && numbers.size() < most; ++page)
    numbers.insert(page->first);
  for (const auto &[number, work] : works)
    for (const WorkRange &range : work.ranges)
      for (uint64_t page = std::max(first, range.start / pageBytes);
           page < std::min(end, (range.end() + pageBytes - 1) / pageBytes) && numbers.size() < most;
           ++page)
        numbers.insert(page);
  std::vector<BusyPage> out;
  for (uint64_t number : numbers) {
    const uint64_t start = number * pageBytes;
    std::vector<uint8_t> touched(wordsOfPage), written(wordsOfPage);
    if (auto page = pages.find(number); page != pages.end())
      for (const Run &run : page->second)
        for (uint32_t word = run.first;
             works.contains(run.work) && word < uint32_t(run.first) + run.count; ++word) {
          touched[word] |= run.mark.bytes;
          written[word] |= row(run.mark.how()).writes ? run.mark.bytes : 0;
        }
    for (const auto &[_, work] : works)
      for (const WorkRange &range : work.ranges)
        for (uint32_t word = 0; word < wordsOfPage; ++word) {
          const uint32_t bytes = bytesIn(range, start + uint64_t(word) * Cell::bytes);
          touched[word] |= bytes;
          written[word] |= range.writes ? bytes : 0;
        }
    bool allTouched = true, allWritten = true;
    for (uint32_t word = 0; word < wordsOfPage; ++word) {
      const uint32_t own = bytesIn(of, start + uint64_t(word) * Cell::bytes);
      allTouched &= !(own & ~uint32_t(touched[word]));
      allWritten &= !(own & ~uint32_t(written[word]));
    }
    if (allTouched)
      out.push_back({start, allWritten});
  }
  return out;
}

std::optional<Report> History::conflictWithHost(const std::string &by, uint64_t address,
                                                bool writes) {
  auto report = [&](const std::string &with, std::optional<Party> earlier) {
    Reason reason = fail(Error::HostRace, by, sim::hex(address), with);
    return Report{reason.id, reason.text,        "",         {}, "global", address,
                  {},        std::move(earlier), reason.text};
  };
  std::optional<Report> out;
  eachRun(address, 1, [&](uint64_t at, const Run &run, const Mark &mark) {
    auto other = works.find(run.work);
    if (other == works.end() || !(mark.bytes & bytesIn({address, 1}, at)) ||
        !(writes || row(run.mark.how()).writes))
      return false;
    const Grids &grid = other->second.grids[run.grid];
    Party party = partyOf(grid, mark);
    out = report(threadOf(party, grid.kernel), party);
    return true;
  });
  for (const auto &[_, work] : works)
    for (const WorkRange &range : work.ranges)
      if (!out && address - range.start < range.bytes && (writes || range.writes))
        out = report(work.what, {});
  return out;
}

void History::drop(const WorkRange &gone) {
  constexpr uint64_t bytes = GlobalShadow::pageBytes;
  for (auto page = pages.lower_bound((gone.start + bytes - 1) / bytes);
       page != pages.end() && (page->first + 1) * bytes <= gone.end();)
    page = pages.erase(page);
  for (auto &[number, work] : works)
    std::erase_if(work.ranges, [&](const WorkRange &range) {
      return range.start >= gone.start && range.end() <= gone.end();
    });
}

void History::forget(const WorkClock &known) {
  std::erase_if(works, [&](const auto &work) { return known.covers(work.second.step.point); });
  std::erase_if(last, [&](const auto &entry) { return known.covers({entry.first, entry.second}); });
  if (works.empty())
    pages.clear();
}

} // namespace tessera::sanitize
