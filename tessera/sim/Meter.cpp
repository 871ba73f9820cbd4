// Counts instructions, bytes, passes of banks and products.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/Meter.h"

#include "tessera/base/Guarded.h"
#include "tessera/base/Printable.h"
#include "tessera/ptx_text/CodePlaces.h"
#include "tessera/sim/Banks.h"
#include "tessera/sim/Rows.h"
#include "tessera/sim/TensorMma.h"

#include <cmath>
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

void TensorWork::add(const TensorWork &other) {
  join(issued, other.issued, [](uint64_t &a, uint64_t b) { a += b; });
  products += other.products;
  clocks += other.clocks;
}

std::string TensorWork::str(uint64_t blocks) const {
  constexpr size_t schedulers = 4; // of a multiprocessor; each issues an instruction a clock
  if (!products)
    return "";
  auto each = [&](double all) { return std::llround(all / double(blocks)); };
  std::string out = cat("products of tcgen05: ", products, ", ", each(clocks),
                        " clocks of each block's tensor core at its peak rates\n");
  std::array<double, schedulers> busy{};
  for (auto [warp, count] : issued) {
    busy[warp % schedulers] += double(count);
    out += cat("  warp ", warp, " issues ", each(double(count)), " instructions\n");
  }
  size_t most = size_t(std::ranges::max_element(busy) - busy.begin());
  if (busy[most] <= clocks)
    return out + cat("  the warps wait for the tensor core: no scheduler issues more than ",
                     each(busy[most]), " instructions\n");
  std::string names;
  for (auto [warp, count] : issued)
    if (warp % schedulers == most)
      names += cat(names.empty() ? "" : ", ", warp);
  bool several = names.find(',') != names.npos;
  return out + cat("  the tensor core waits for the scheduler of warp", several ? "s " : " ", names,
                   ", which issues ", each(busy[most]), " instructions\n");
}

namespace {

/// Clocks of the tensor cores of all its blocks. A B200 has 2.25 PFLOP/s of f16 on 148
/// multiprocessors at 1.85 GHz, which is 4096 multiplications with additions a clock for each, half
/// as many of tf32, twice as many of 8 bits and four times as many of 4 bits; 64 rows take as long
/// as 128, and a sparse K as one of half the length. A B300 has the same rates, and 1.5 times that
/// of dense 4 bits (14 and 9 PFLOP/s): its K of 96 takes as long as one of 64.
double clocksOf(const TensorMmaPlan &plan, const atom::InstructionDescriptor &d) {
  using enum atom::MmaKind;
  double k = plan.kind == Tf32                            ? 8
             : plan.kind == F16                           ? 16
             : plan.kind == Mxf4 || plan.kind == Mxf4nvf4 ? 64
                                                          : 32;
  double rate = plan.kind == Tf32                            ? 2048
                : plan.kind == F16                           ? 4096
                : plan.kind == Mxf4 || plan.kind == Mxf4nvf4 ? 16384
                                                             : 8192;
  double rows = std::max(128, d.m / plan.ctas);
  return plan.ctas * rows * d.n * k / rate;
}

class WarpMeter : public WarpObserver {
public:
  WarpMeter(Meter &all, const Warp &w, bool traces) : all(all), w(w) {
    if (traces)
      places.emplace(w.grid.program.text);
  }
  ~WarpMeter() override {
    if (!guarded([&]() -> Status {
          countBanks();
          work.issued[size_t(w.index)] = issued;
          all.add(counted, work);
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
  void countProducts(const TensorMmaPlan &, Mask active);

  Meter &all;
  const Warp &w;
  std::optional<ptx_text::CodePlaces> places; // of a warp that is traced
  Statistics counted;
  TensorWork work;
  uint64_t issued = 0; // instructions
  BankUse accessed;    // by the instruction that runs
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
  ++issued;
  if (auto *product = dynamic_cast<const TensorMmaPlan *>(i.plan))
    countProducts(*product, e.active);
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

void WarpMeter::countProducts(const TensorMmaPlan &plan, Mask active) {
  for (Mask left = active; left; left &= left - 1) {
    uint32_t word = w.in<uint32_t>(plan.descriptor)[std::countr_zero(left)];
    if (Result<atom::InstructionDescriptor> d = atom::decode(plan.kind, word)) {
      ++work.products;
      work.clocks += clocksOf(plan, *d);
    }
  }
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

void Meter::add(const Statistics &of, const TensorWork &tensor) {
  std::lock_guard lock(mutex);
  counted.add(of);
  work.add(tensor);
}

} // namespace tessera::sim
