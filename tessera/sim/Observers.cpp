// Tells several observers of the same events.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/Observers.h"

#include <vector>

namespace tessera::sim {

namespace {

class Several : public WarpObserver {
public:
  explicit Several(std::vector<std::unique_ptr<WarpObserver>> all) : all(std::move(all)) {}

  bool onExecute(const Execute &e) override { return tellAll(e); }
  bool onSkip(const Skip &e) override { return tellAll(e); }
  bool onAccess(const MemoryAccess &e) override { return tellAll(e); }
  bool onWarpAccess(const WarpAccess &e) override { return tellAll(e); }
  bool onSwap(const Swap &e) override { return tellAll(e); }
  bool onProductRead(const ProductRead &e) override { return tellAll(e); }
  bool onTensorAccess(const TensorAccess &e) override { return tellAll(e); }
  bool onChange(const MemoryChange &e) override { return tellAll(e); }
  bool onSynchronize(const Synchronize &e) override { return tellAll(e); }
  bool onFence(const Fence &e) override { return tellAll(e); }
  bool onWork(const AsyncWork &e) override { return tellAll(e); }
  bool onEnd(const End &e) override { return tellAll(e); }

private:
  template <class Event> bool tellAll(const Event &e) {
    bool goesOn = true;
    for (const auto &one : all)
      goesOn &= tell(*one, e);
    return goesOn;
  }
  std::vector<std::unique_ptr<WarpObserver>> all;
};

} // namespace

std::unique_ptr<WarpObserver> observerOf(std::span<Observer *const> observers, const Warp &w) {
  std::vector<std::unique_ptr<WarpObserver>> all;
  for (Observer *observer : observers)
    if (std::unique_ptr<WarpObserver> one = observer->watch(w))
      all.push_back(std::move(one));
  if (all.size() < 2)
    return all.empty() ? nullptr : std::move(all.front());
  return std::make_unique<Several>(std::move(all));
}

} // namespace tessera::sim
