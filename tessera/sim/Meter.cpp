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
constexpr std::string_view spaceNames[] = {"register", "special",   "constant", "global",
                                           "local",    "parameter", "shared",   "generic"};

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

private:
  void countBanks();

  Meter &all;
  const Warp &w;
  std::optional<ptx_text::CodePlaces> places; // of a warp that is traced
  Statistics counted;
  BankUse accessed; // by the instruction that runs
  int32_t line = 0;
};

bool WarpMeter::onExecute(const Execute &e) {
  const Instruction &i = e.instruction;
  countBanks();
  line = i.line;
  auto threads = uint64_t(std::popcount(e.active));
  Statistics::Count &count = counted.classes[rowGroups()[i.group].title];
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

bool WarpMeter::onAccess(const MemoryAccess &a) {
  const AccessRow &how = row(a.how);
  Statistics::Traffic &traffic = counted.traffic[spaceNames[size_t(a.space)]];
  traffic.reads += how.reads ? a.bytes : 0;
  traffic.writes += how.writes ? a.bytes : 0;
  accessed.see(a);
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
