// The public interface of observers: each kind of event, what an observer may wish, and that it can
// end a launch. The observers here are small ones that a user could write.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Harness.h"

#include <atomic>

namespace tessera::sim::test {

namespace {

/// Everything that the warps of a launch are told, as text, and what the host did.
class Trace : public Observer {
public:
  explicit Trace(Wishes wished = {}, std::string endsAt = "")
      : wished(wished), endsAt(std::move(endsAt)) {}

  Wishes wishes() const override { return wished; }
  void onHost(const HostMemory &e) override {
    constexpr const char *names[] = {"allocated", "written", "freed"};
    host += cat(names[e.what], " ", e.bytes, "; ");
  }
  void onLaunch(const Grid &grid) override { launched = grid.kernel.name; }
  std::unique_ptr<WarpObserver> watch(const Warp &w) override {
    return w.index ? nullptr : std::make_unique<OfWarp>(*this); // the first of each block
  }
  Status onReturn(const Grid &, Status ended) override {
    ++returned;
    return ended;
  }

  std::string said, host, launched;
  int returned = 0;

private:
  struct OfWarp : WarpObserver {
    explicit OfWarp(Trace &all) : all(all) {}
    ~OfWarp() override { all.said += "gone"; }

    bool onAccess(const MemoryAccess &a) override {
      bool isGlobal = a.space == Space::Global;
      EXPECT_EQ(a.allocation != nullptr, isGlobal);
      EXPECT_EQ(a.owner != nullptr, a.space == Space::Shared);
      if (isGlobal) {
        EXPECT_EQ(a.host, a.allocation->host + (a.address - a.allocation->start));
      }
      return a.lane ? true : say(cat(nameOf(a.how), " of ", a.bytes, isGlobal ? " global" : ""));
    }
    bool onSynchronize(const Synchronize &s) override {
      constexpr const char *names[] = {"arrive",        "pass",  "end",   "cluster arrive",
                                       "cluster pass",  "meet",  "init",  "mbarrier arrive",
                                       "mbarrier pass", "phase", "commit"};
      return say(cat(names[s.what], " ", hex(s.lanes)));
    }
    bool onFence(const Fence &f) override { return say(cat("fence ", int(f.what))); }
    bool onWork(const AsyncWork &work) override {
      return say(cat(work.what == AsyncWork::Begin ? "begin " : "end ", int(work.by), " number ",
                     work.number));
    }
    bool onEnd(const End &e) override {
      constexpr const char *names[] = {"threads exit", "block ends", "stuck"};
      return say(names[e.what]);
    }
    bool say(const std::string &what) {
      all.said += what + "; ";
      return what != all.endsAt;
    }
    Trace &all;
  };

  Wishes wished;
  std::string endsAt;
};

struct Traced {
  std::shared_ptr<Trace> trace;
  Status status;
};
Traced run(const std::string &body, uint32_t threads, std::shared_ptr<Trace> trace,
           const std::string &module = "") {
  Machine machine({.hostThreads = 1}, trace);
  uint64_t buffer = *machine.memory().allocate(256);
  std::shared_ptr<const Program> program = parsed(kernelOf(body, module));
  LoadedProgram loaded = *machine.load(program);
  std::vector<uint64_t> parameters{buffer, buffer};
  Status status = machine.launch(loaded, "k", {.grid = {}, .block = {threads}},
                                 std::as_bytes(std::span(parameters)));
  return {trace, status};
}

TEST(Observer, IsToldOfAccessesInTheirOrder) {
  auto [trace, status] =
      run("ld.global.u32 r1, [in_];\nst.shared.u32 [tile], r1;\n"
          "atom.shared.add.u32 r2, [tile], 1;\nst.global.v2.u32 [out_], {r1, r2};",
          32, std::make_shared<Trace>(), ".shared .align 4 .b8 tile[64];\n");
  ASSERT_TRUE(status) << status.reason().text;
  EXPECT_EQ(trace->said, "a read of 8; a read of 8; a read of 4 global; a write of 4; an atomic "
                         "access of 4; a write of 8 global; threads exit; block ends; gone");
  EXPECT_EQ(trace->launched, "k");
  EXPECT_EQ(trace->returned, 1);
  EXPECT_EQ(trace->host, "allocated 256; allocated 0; written 0; ");
}

TEST(Observer, IsToldWhoWaitsForWhom) {
  auto [trace, status] =
      run("bar.sync 0;\nbar.warp.sync -1;\nfence.acq_rel.gpu;", 64, std::make_shared<Trace>());
  ASSERT_TRUE(status) << status.reason().text;
  // Who is told of the barrier's end was the last to go on, and so the last of the block.
  EXPECT_EQ(trace->said, "a read of 8; a read of 8; arrive 0xffffffff; pass 0xffffffff; end 0x0; "
                         "meet 0xffffffff; fence 0; threads exit; block ends; gone");
}

TEST(Observer, IsToldOfWorkThatGoesOn) {
  const std::string body =
      "mov.u32 r1, tile;\ncp.async.ca.shared.global [r1], [in_], 16;\n"
      "cp.async.commit_group;\ncp.async.wait_group 0;\nld.shared.u32 r2, [r1];";
  const std::string tile = ".shared .align 16 .b8 tile[64];\n",
                    head =
                        "a read of 8; a read of 8; begin 3 number 1; a write by cp.async of 16; a "
                        "read of 16 global; ",
                    tail = "a read of 4; threads exit; block ends; gone";
  auto [atOnce, first] = run(body, 1, std::make_shared<Trace>(), tile);
  ASSERT_TRUE(first) << first.reason().text;
  EXPECT_EQ(atOnce->said, head + "end 3 number 1; " + tail);
  // Who wishes for late work sees its end at the wait; with one lane the order is the same.
  auto [late, second] = run(body, 1, std::make_shared<Trace>(Wishes{.lateWork = true}), tile);
  ASSERT_TRUE(second) << second.reason().text;
  EXPECT_EQ(late->said, head + "end 3 number 1; " + tail);
}

TEST(Observer, MayEndTheLaunch) {
  auto [trace, status] = run("st.global.u32 [out_], 1;\nbar.sync 0;\nst.global.u32 [out_], 2;", 32,
                             std::make_shared<Trace>(Wishes{}, "a write of 4 global"));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.reason().id, "ObserverEnded");
  EXPECT_EQ(status.reason().text,
            "an observer ended the launch of kernel 'k' at an event of warp 0 of block (0, 0, 0)");
  EXPECT_EQ(trace->said, "a read of 8; a read of 8; a write of 4 global; gone");
  EXPECT_EQ(trace->returned, 1);
}

/// The profiler of Observer.h's page: with the counts of --stats at once, both see everything.
TEST(Observer, LooksOnBesideTheMeter) {
  struct Bytes : Observer {
    struct OfWarp : WarpObserver {
      explicit OfWarp(Bytes &all) : all(all) {}
      bool onAccess(const MemoryAccess &a) override {
        if (a.space == Space::Global && row(a.how).reads)
          all.read += a.bytes;
        return true;
      }
      Bytes &all;
    };
    std::unique_ptr<WarpObserver> watch(const Warp &) override {
      return std::make_unique<OfWarp>(*this);
    }
    std::atomic<uint64_t> read = 0;
  };
  auto bytes = std::make_shared<Bytes>();
  Machine machine({.counts = true}, bytes);
  uint64_t buffer = *machine.memory().allocate(256);
  LoadedProgram loaded = *machine.load(parsed(kernelOf("ld.global.v2.u32 {r1, r2}, [in_];")));
  std::vector<uint64_t> parameters{buffer, buffer};
  ASSERT_TRUE(machine.launch(loaded, "k", {.grid = {3}, .block = {40}},
                             std::as_bytes(std::span(parameters))));
  EXPECT_EQ(bytes->read, 3u * 40 * 8);
  EXPECT_EQ(machine.statistics().traffic.at("global").reads, 3u * 40 * 8);
}

} // namespace

} // namespace tessera::sim::test
