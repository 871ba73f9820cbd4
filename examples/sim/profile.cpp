// A profiler in forty lines: an observer that counts the bytes which a kernel moves, and how often
// the lanes of a warp ask the same bank of shared memory for different words.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/Machine.h"

#include <atomic>
#include <cstdio>
#include <set>
#include <vector>

using namespace tessera;

namespace {

// A warp writes a column of a matrix of 32 x 32 words in shared memory: all lanes meet in one bank.
const char *text = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry column(.param .u64 data) {
  .reg .b32 %r<4>;
  .reg .b64 %d<2>;
  .shared .align 4 .b8 tile[4096];
  ld.param.u64 %d1, [data];
  mov.u32 %r1, %tid.x;
  mad.wide.u32 %d1, %r1, 4, %d1;
  ld.global.u32 %r2, [%d1];
  mov.u32 %r3, tile;
  mad.lo.u32 %r3, %r1, 128, %r3;
  st.shared.u32 [%r3], %r2;
  ret;
}
)";

class Profile : public sim::Observer {
public:
  std::unique_ptr<sim::WarpObserver> watch(const sim::Warp &) override {
    return std::make_unique<OfWarp>(*this);
  }
  std::atomic<uint64_t> global = 0, shared = 0, conflicts = 0; // clusters run on several threads

private:
  struct OfWarp : sim::WarpObserver {
    explicit OfWarp(Profile &all) : all(all) {}
    ~OfWarp() override { count(); }

    bool onExecute(const sim::Execute &) override { return count(); }
    bool onAccess(const sim::MemoryAccess &a) override {
      all.global += a.space == sim::Space::Global ? a.bytes : 0;
      all.shared += a.space == sim::Space::Shared ? a.bytes : 0;
      if (a.space == sim::Space::Shared)
        words.insert(a.address / 4); // of up to 4 bytes a lane
      return true;
    }
    /// The words of the instruction before: those of one bank come one after the other.
    bool count() {
      uint64_t wanted[32] = {}, most = 1;
      for (uint64_t word : words)
        most = std::max(most, ++wanted[word % 32]);
      all.conflicts += most - 1;
      words.clear();
      return true;
    }
    Profile &all;
    std::set<uint64_t> words;
  };
};

Result<int> run() {
  TESSERA_TRY(sim::Program program, sim::Program::parse(text));
  auto profile = std::make_shared<Profile>();
  sim::Machine machine({}, profile);
  TESSERA_TRY(sim::LoadedProgram loaded,
              machine.load(std::make_shared<const sim::Program>(std::move(program))));
  std::vector<uint32_t> values(32);
  TESSERA_TRY(uint64_t data, machine.memory().allocate(values.size() * 4));
  TESSERA_CHECK(machine.memory().write(data, std::as_bytes(std::span(values))));
  TESSERA_CHECK(machine.launch(loaded, "column", {.grid = {4}, .block = {32}},
                               std::as_bytes(std::span(&data, 1))));
  std::printf("%llu bytes of global memory, %llu of shared memory, %llu bank conflicts\n",
              (unsigned long long)profile->global, (unsigned long long)profile->shared,
              (unsigned long long)profile->conflicts);
  return 0;
}

} // namespace

int main() {
  if (Result<int> ran = run(); !ran)
    std::printf("%s\n", ran.reason().text.c_str());
}
