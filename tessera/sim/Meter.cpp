// Counts instructions, bytes, passes of banks and products.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/Meter.h"

#include "tessera/base/Guarded.h"
#include "tessera/base/Printable.h"
#include "tessera/ptx_text/CodePlaces.h"
#include "tessera/sim/Banks.h"
#include "tessera/sim/Rows.h"

#include <optional>

namespace tessera::sim {

namespace {
template <class K, class V, class F>
void join(std::map<K, V> &to, const std::map<K, V> &from, F f) {
  for (const auto &[key, value] : from)
    f(to[key], value);
}
} // namespace

void Statistics::add(const Statistics &other) {
  warpInstructions += other.warpInstructions;
  threadInstructions += other.threadInstructions;
  products += other.products;
  join(classes, other.classes,
       [](Count &a, const Count &b) { a.warps += b.warps, a.threads += b.threads; });
  join(traffic, other.traffic,
       [](Traffic &a, const Traffic &b) { a.reads += b.reads, a.writes += b.writes; });
  join(banks, other.banks, [](Banks &a, const Banks &b) { a.add(b); });
}

std::string Statistics::str() const {
  std::string out =
      cat(warpInstructions, " warp instructions, ", threadInstructions, " thread instructions\n");
  for (const auto &[title, count] : classes)
    out += cat("  ", title, ": ", count.warps, " and ", count.threads, "\n");
  for (const auto &[space, bytes] : traffic)
    out += cat(space, " memory: ", bytes.reads, " bytes read, ", bytes.writes, " written\n");
  for (const auto &[line, bank] : banks)
    if (bank.passes > bank.needed)
      out += cat("bank conflicts at line ", line, ": ", bank.passes, " passes, where ", bank.needed,
                 " would do\n");
  if (products)
    out += cat("tensor cores: ", products, " multiplications and additions\n");
  return out;
}

namespace {

class WarpMeter : public WarpObserver {
public:
  WarpMeter(Meter &all, const Warp &w, bool traces) : all(all), w(w) {
    if (traces)
      places.emplace(w.grid.program.text);
  }
  ~WarpMeter() override {
    if (!guarded([&]() -> Status {
          countBanks();
          all.add(counted);
          return Done{};
        }))
      all.lost();
  }

  bool onExecute(const Execute &) override;
  bool onAccess(const MemoryAccess &) override;
  bool onWarpAccess(const WarpAccess &) override;

private:
  void countBanks();
  void countTraffic(Space, Access, uint64_t bytes);

  Meter &all;
  const Warp &w;
  std::optional<ptx_text::CodePlaces> places; // of a warp that is traced
  Statistics counted;
  BankUse accessed; // by the instruction that runs
  std::vector<Statistics::Count *> classes = std::vector<Statistics::Count *>(rowGroups().size());
  Statistics::Traffic *traffic[ptx_text::spaceCount] = {};
  int32_t line = 0;
};

bool WarpMeter::onExecute(const Execute &e) {
  const Instruction &i = e.instruction;
  countBanks();
  line = i.line;
  auto threads = uint64_t(std::popcount(e.active));
  if (!classes[i.group])
    classes[i.group] = &counted.classes[rowGroups()[i.group].title];
  Statistics::Count &count = *classes[i.group];
  ++count.warps;
  count.threads += threads;
  if (auto *plan = dynamic_cast<const MmaPlan *>(i.plan)) {
    uint64_t one = 2 * plan->m * plan->n * plan->k * uint64_t(plan->products);
    counted.products += dynamic_cast<const GroupPlan *>(i.plan) ? one / WarpGroup::size
                                                                : one; // a warp has a quarter
  }
  if (places) {
    ptx_text::CodePlace place = places->of(i.line);
    std::string source = place.source.empty() ? "" : cat("  // ", place.source);
    w.cta.grid.print(
        printable(cat("line ", i.line, ", lanes ", hex(e.active), ": ", place.text, source, "\n")));
  }
  return true;
}

void WarpMeter::countTraffic(Space space, Access how, uint64_t bytes) {
  Statistics::Traffic *&of = traffic[size_t(space)];
  if (!of)
    of = &counted.traffic[name(space)];
  of->reads += row(how).reads ? bytes : 0;
  of->writes += row(how).writes ? bytes : 0;
}

bool WarpMeter::onAccess(const MemoryAccess &a) {
  countTraffic(a.space, a.how, a.bytes);
  accessed.see(a);
  return true;
}

bool WarpMeter::onWarpAccess(const WarpAccess &a) {
  countTraffic(a.space, a.how, uint64_t(a.bytes) * uint64_t(std::popcount(a.lanes)));
  for (Mask left = a.space == Space::Shared ? a.lanes : 0; left; left &= left - 1)
    accessed.see(a.of(std::countr_zero(left)));
  return true;
}

void WarpMeter::countBanks() {
  Statistics::Banks asked = accessed.take();
  if (asked.passes)
    counted.banks[line].add(asked);
}

} // namespace

std::unique_ptr<WarpObserver> Meter::watch(const Warp &w) {
  bool traces = limits.trace == TracedWarp{w.cta.index, w.index};
  if (!limits.counts && !traces)
    return nullptr;
  return std::make_unique<WarpMeter>(*this, w, traces);
}

void Meter::add(const Statistics &of) {
  std::lock_guard lock(mutex);
  counted.add(of);
}

} // namespace tessera::sim
