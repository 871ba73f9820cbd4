// Orders of tile blocks, chosen by the seed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_eval/Turns.h"

#include "tessera/base/Guarded.h"
#include "tessera/tile_eval/TileBlock.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <numeric>
#include <thread>

namespace tessera::tile_eval {

namespace {

/// The numbers below `count` in a random order, without a list of them: a walk by a step that has
/// no common divisor with `count`, from a random place.
class RandomOrder {
public:
  RandomOrder(uint64_t count, uint64_t seed) : count(count) {
    std::mt19937_64 random(seed);
    at = random() % count;
    step = random() % count | 1;
    while (std::gcd(step, count) != 1)
      ++step;
    step %= count;
  }
  uint64_t next() { return at = uint64_t((unsigned __int128)(at + step) % count); }

private:
  uint64_t count, at = 0, step = 1;
};

uint64_t blocksOf(const Launch &launch) {
  return uint64_t(launch.grid[0]) * launch.grid[1] * launch.grid[2];
}
Status runBlock(Launch &launch, uint64_t number) {
  std::array<uint32_t, 3> id = {uint32_t(number % launch.grid[0]),
                                uint32_t(number / launch.grid[0] % launch.grid[1]),
                                uint32_t(number / launch.grid[0] / launch.grid[1])};
  return guarded([&] { return TileBlock(launch, id, uint32_t(number) + 1).run(); });
}

} // namespace

Status runInOrder(Launch &launch) {
  uint64_t count = blocksOf(launch);
  RandomOrder order(count, launch.options.seed);
  for (uint64_t i = 0; i < count; ++i)
    TESSERA_CHECK(runBlock(launch, order.next()));
  return Done{};
}

namespace {

/// Threads of which one runs at a time.
class Scheduler {
public:
  explicit Scheduler(Launch &launch)
      : launch(launch), count(blocksOf(launch)), order(count, launch.options.seed),
        random(launch.options.seed + 1),
        seats(std::min<uint64_t>(std::max(launch.options.resident, 1u), count)) {}

  Status run() {
    launch.turn = [this] { return turn(); };
    std::vector<std::thread> threads;
    threads.reserve(seats.size());
    std::unique_lock lock(mutex);
    Status all = guarded([&]() -> Status {
      for (size_t seat = 0; seat < seats.size(); ++seat) {
        threads.emplace_back([this, seat] { work(seat); });
        seats[seat].isRunning = true;
      }
      return Done{};
    });
    // Fewer threads than asked for will do.
    if (threads.empty())
      return all;
    choose();
    lock.unlock();
    for (std::thread &thread : threads)
      thread.join();
    launch.turn = nullptr;
    return std::move(status);
  }

private:
  struct Seat {
    std::condition_variable isActive;
    bool isRunning = false; // has a thread that has not ended
  };

  /// A seat runs one tile block after the other.
  void work(size_t seat) {
    std::unique_lock lock(mutex);
    wait(lock, seat);
    while (started < count && status) {
      uint64_t number = order.next();
      ++started;
      lock.unlock();
      self = seat;
      Status done = runBlock(launch, number);
      lock.lock();
      if (!done && status)
        status = std::move(done);
      pass(lock, seat);
    }
    seats[seat].isRunning = false;
    choose();
  }
  void wait(std::unique_lock<std::mutex> &lock, size_t seat) {
    seats[seat].isActive.wait(lock, [&] { return active == seat; });
  }
  /// Lets a random seat go on, which may be the same.
  void pass(std::unique_lock<std::mutex> &lock, size_t seat) {
    choose();
    if (active != seat)
      wait(lock, seat);
  }
  void choose() {
    size_t running = size_t(
        std::count_if(seats.begin(), seats.end(), [](const Seat &seat) { return seat.isRunning; }));
    if (!running)
      return;
    size_t at = random() % running;
    active = 0;
    while (!seats[active].isRunning || at--)
      ++active;
    seats[active].isActive.notify_one();
  }
  /// Called by the tile block that runs.
  Status turn() {
    std::unique_lock lock(mutex);
    pass(lock, self);
    return status;
  }

  static thread_local size_t self; // the seat of this thread
  Launch &launch;
  uint64_t count, started = 0;
  RandomOrder order;
  std::mt19937_64 random;
  std::mutex mutex;
  std::deque<Seat> seats;
  size_t active = ~size_t(0);
  Status status = Done{};
};
thread_local size_t Scheduler::self = 0;

} // namespace

Status runInTurns(Launch &launch) {
  if (blocksOf(launch) == 1)
    return runInOrder(launch);
  return guarded([&] { return Scheduler(launch).run(); });
}

} // namespace tessera::tile_eval
