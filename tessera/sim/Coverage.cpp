// Counts who comes to instructions, by their numbers in the program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/Coverage.h"

#include "tessera/base/Guarded.h"
#include "tessera/sim/Banks.h"
#include "tessera/sim/Binder.h"
#include "tessera/sim/Calls.h"
#include "tessera/sim/Grid.h"
#include "tessera/sim/Rows.h"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace tessera::sim {

/// The instructions of a program, counted from its first function on. Those that the text does not
/// have get no line: what prepares an operand (OperandPlan), and the last one of each function,
/// which returns where the text ends without.
struct Coverage::Launch {
  explicit Launch(const Grid &);

  /// Whether a lane that comes to it twice in a row has run it twice: a jump to itself, a return to
  /// a return. At all others the lane has waited, or goes another way than the lane before it.
  std::vector<bool> comesAnew;
  std::unordered_map<const Function *, uint32_t> firsts;
  std::vector<InstructionCoverage> instructions;
  std::vector<bool> isOfKernel;
  std::mutex mutex; // of the counts, and of what follows
  bool isIncomplete = false;
};

Coverage::Launch::Launch(const Grid &grid) {
  std::set<const Function *> called{&grid.kernel};
  for (std::vector<const Function *> left{&grid.kernel}; !left.empty();) {
    const Function *f = left.back();
    left.pop_back();
    for (const Instruction &i : f->code)
      if (auto *call = dynamic_cast<const CallPlan *>(i.plan))
        if (call->callee && called.insert(call->callee).second)
          left.push_back(call->callee);
  }
  for (const auto &f : grid.program.functions) {
    firsts[f.get()] = uint32_t(instructions.size());
    for (const Instruction &i : f->code) {
      const bool isFlow = rowGroups()[i.group].title == controlRows.title;
      const bool isOfText = !dynamic_cast<const OperandPlan *>(i.plan);
      instructions.push_back({.line = isOfText ? i.line : 0,
                              .kind = i.guard == noSlot ? InstructionCoverage::Always
                                      : isFlow          ? InstructionCoverage::Branch
                                                        : InstructionCoverage::Predicated});
      comesAnew.push_back(isFlow && !i.plan);
      isOfKernel.push_back(called.contains(f.get()));
    }
    if (!f->code.empty())
      instructions.back().line = 0;
  }
}

class Coverage::OfWarp : public WarpObserver {
public:
  OfWarp(Launch &launch, const Warp &w) : launch(launch), w(w), counts(launch.instructions.size()) {
    std::fill_n(last, warpSize, none);
  }
  ~OfWarp() override {
    const bool all = bool(guarded([&]() -> Status {
      countBanks();
      return Done{};
    }));
    std::lock_guard lock(launch.mutex);
    launch.isIncomplete |= !all;
    for (size_t i = 0; i < counts.size(); ++i) {
      InstructionCoverage &to = launch.instructions[i];
      to.warps += counts[i].warps;
      to.threads += counts[i].threads;
      to.skipped += counts[i].skipped;
      to.banks.add(counts[i].banks);
    }
  }

  bool onExecute(const Execute &e) override { return come(e.instruction, e.active, e.fragment); }
  bool onSkip(const Skip &e) override { return come(e.instruction, 0, e.fragment); }
  bool onAccess(const MemoryAccess &a) override {
    accessed.see(a);
    return true;
  }

private:
  static constexpr uint32_t none = ~uint32_t(0);
  struct Counts {
    uint64_t warps = 0, threads = 0, skipped = 0;
    Statistics::Banks banks{};
  };

  bool come(const Instruction &i, Mask active, Mask fragment) {
    countBanks();
    const Function *f = w.frame->function;
    if (f != function) {
      function = f;
      first = launch.firsts.at(f);
    }
    at = first + uint32_t(&i - f->code.data());
    Mask again = 0;
    for (int lane = 0; lane < warpSize; ++lane) {
      again |= Mask(last[lane] == at) << lane;
      last[lane] = fragment >> lane & 1 ? at : last[lane];
    }
    const Mask came = launch.comesAnew[at] ? fragment : fragment & ~again;
    Counts &count = counts[at];
    count.warps += came != 0;
    count.threads += uint64_t(std::popcount(came & active));
    count.skipped += uint64_t(std::popcount(came & ~active));
    return true;
  }
  /// Those of the instruction that has run.
  void countBanks() {
    if (at != none)
      counts[at].banks.add(accessed.take());
  }

  Launch &launch;
  const Warp &w;
  std::vector<Counts> counts;
  BankUse accessed;
  uint32_t last[warpSize];
  uint32_t at = none, first = 0;
  const Function *function = nullptr;
};

Coverage::Coverage() = default;
Coverage::~Coverage() = default;

void Coverage::onLaunch(const Grid &grid) { launch = std::make_unique<Launch>(grid); }

std::unique_ptr<WarpObserver> Coverage::watch(const Warp &w) {
  return std::make_unique<OfWarp>(*launch, w);
}

KernelCoverage &Coverage::kernelOf(const Grid &grid) {
  std::shared_ptr<const std::string> text;
  for (KernelCoverage &one : all)
    if (*one.text == grid.program.text) {
      text = one.text;
      if (one.name == grid.kernel.name)
        return one;
    }
  if (!text)
    text = std::make_shared<const std::string>(grid.program.text);
  all.push_back({.name = grid.kernel.name,
                 .text = std::move(text),
                 .line = grid.kernel.line,
                 .launches = 0,
                 .instructions = {}});
  return all.back();
}

Status Coverage::onReturn(const Grid &grid, Status ended) {
  const std::unique_ptr<Launch> over = std::move(launch);
  KernelCoverage &kernel = kernelOf(grid);
  ++kernel.launches;
  std::vector<bool> isShown = over->isOfKernel;
  for (const auto &[function, first] : over->firsts) {
    auto begin = over->instructions.begin() + first;
    if (std::any_of(begin, begin + ptrdiff_t(function->code.size()),
                    [](const InstructionCoverage &i) { return i.warps > 0; }))
      std::fill_n(isShown.begin() + first, function->code.size(), true);
  }
  for (uint32_t number = 0; number < over->instructions.size(); ++number) {
    const InstructionCoverage &from = over->instructions[number];
    if (!from.line || !isShown[number])
      continue;
    InstructionCoverage &to = kernel.instructions[number];
    to.line = from.line;
    to.kind = from.kind;
    to.warps += from.warps;
    to.threads += from.threads;
    to.skipped += from.skipped;
    to.banks.add(from.banks);
  }
  if (over->isIncomplete && ended)
    return Reason{outOfMemoryId, "memory ran out"};
  return ended;
}

} // namespace tessera::sim
