// Runners without a compiler: what they say, and what they do with PTX that a test wrote.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_run/Runners.h"
#include "tessera/run/SimDevice.h"

#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>

using namespace tessera::tile;

namespace {

std::string idsOf(const Outcome &outcome) {
  std::string out;
  for (const Diagnostic &d : outcome.diagnostics)
    out += (out.empty() ? "" : " ") + d.id;
  return outcome ? "ok" : out;
}

void twice(In<f32, 1> x, Out<f32, 8> y) { y.store(x.load<8>(bid().x) * 2.0f); }

/// Sets a variable of the environment as long as it lives.
class Variable {
public:
  Variable(const char *name, const char *value) : name(name) {
    if (const char *old = std::getenv(name))
      before = old;
    ::setenv(name, value, 1);
  }
  ~Variable() { before ? ::setenv(name, before->c_str(), 1) : ::unsetenv(name); }

private:
  const char *name;
  std::optional<std::string> before;
};

TEST(Compiler, IsMissing) {
  std::vector<f32> x(16), y(16);
  {
    Variable named("TESSERA_TILEIRAS", "/does/not/exist");
    Outcome done = run_on(simulator("sm_80"), twice, x, y);
    EXPECT_EQ(idsOf(done), "NoCompiler");
    EXPECT_NE(done.text().find("/does/not/exist, is not a program"), std::string::npos);
  }
  Variable path("PATH", "/does:./not::/exist");
  if (!std::getenv("TESSERA_TILEIRAS"))
    EXPECT_EQ(idsOf(run_on(simulator("sm_80"), twice, x, y)), "NoCompiler");
}
TEST(Compiler, Refuses) {
  std::vector<f32> x(16), y(16);
  // A program that ends with code 1 and says nothing.
  Variable named("TESSERA_TILEIRAS", "/bin/false");
  Outcome done = run_on(simulator("sm_80"), twice, x, y);
  EXPECT_EQ(idsOf(done), "Refused");
  EXPECT_NE(done.text().find("exit code 1"), std::string::npos) << done.text();
}

/// y[i] = x[i] with i = 128 * block + thread, in the order of the entry's parameters.
constexpr const char *copies = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry kernel(.param .u64 x, .param .u32 n, .param .u32 s, .param .u64 y, .param .u32 m, .param .u32 t)
.reqntid 128, 1, 1
{
  .reg .b32 %r<8>;
  .reg .b64 %d<8>;
  .reg .pred %p;
  ld.param.u64 %d1, [x];
  ld.param.u64 %d2, [y];
  ld.param.u32 %r4, [n];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mad.lo.s32 %r3, %r2, 128, %r1;
  setp.ge.s32 %p, %r3, %r4;
  @%p ret;
  mul.wide.s32 %d3, %r3, 4;
  add.s64 %d4, %d1, %d3;
  add.s64 %d5, %d2, %d3;
  ld.global.b32 %r5, [%d4];
  st.global.b32 [%d5], %r5;
  ret;
}
)";
TEST(Memory, ArraysGoToTheDeviceAndBack) {
  int calls = 0;
  DeviceRunner target(std::make_unique<tessera::run::SimDevice>(), "sm_80",
                      [&](const std::string &bytecode, const std::string &arch) {
                        ++calls;
                        EXPECT_EQ(bytecode.substr(1, 6), "TileIR");
                        EXPECT_EQ(arch, "sm_80");
                        return tessera::Result<std::string>(copies);
                      });
  auto copy = kernel([](In<f32, 1> x, Out<f32, 128> y) { y.store(x.load<128>(bid().x)); });
  std::vector<f32> all(600, 5.0f);
  for (size_t i = 0; i < 200; ++i)
    all[i] = float(i);
  // Two parts of one array, and one that shares memory with nothing.
  for (int round = 0; round < 2; ++round) {
    Outcome done = copy.on(target, std::nullopt, std::span<f32>(all).first(200),
                           std::span<f32>(all).subspan(300, 200));
    EXPECT_EQ(idsOf(done), "ok") << done.text();
  }
  EXPECT_EQ(all[300], 0.0f);
  EXPECT_EQ(all[499], 199.0f);
  EXPECT_EQ(all[500], 5.0f);
  // Two halves, side by side: the second begins where the first ends.
  Outcome halves = copy.on(target, std::nullopt, std::span<f32>(all).first(200),
                           std::span<f32>(all).subspan(200, 200));
  EXPECT_EQ(idsOf(halves), "ok") << halves.text();
  EXPECT_EQ(all[200], 0.0f);
  EXPECT_EQ(all[399], 199.0f);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(target.compiled(), 1u);
  // A pointer without a size.
  auto fill = kernel([](Tile<f32 *> p) { store(p + iota<i32, 8>(), 1.0f); });
  EXPECT_EQ(idsOf(fill.on(target, Grid{1}, all.data())), "NoSize");
}
/// Arguments are counted as the author does, not as the entry has them: an In is three parameters.
TEST(Memory, SentencesNameTheArgument) {
  std::string text = copies;
  text.replace(text.find(", .param .u32 m, .param .u32 t"), 30, "");
  DeviceRunner target(
      std::make_unique<tessera::run::SimDevice>(), "sm_80",
      [&](const std::string &, const std::string &) { return tessera::Result<std::string>(text); });
  auto fill = kernel([](In<f32, 1>, Tile<f32 *> p) { store(p + iota<i32, 8>(), 1.0f); });
  std::vector<f32> x(8, 1.0f), y(8);
  const std::vector<f32> fixed(8);
  EXPECT_EQ(idsOf(fill.on(target, Grid{1}, x, y)), "ok");
  EXPECT_EQ(y[7], 1.0f);
  Outcome written = fill.on(target, Grid{1}, x, fixed);
  EXPECT_EQ(idsOf(written), "ReadOnly");
  EXPECT_NE(written.text().find("argument 2: the kernel writes its byte 2, but it is constant"),
            std::string::npos)
      << written.text();
  EXPECT_EQ(fixed[0], 0.0f);
  Outcome sizeless = fill.on(target, Grid{1}, x, y.data());
  EXPECT_EQ(idsOf(sizeless), "NoSize");
  EXPECT_NE(sizeless.text().find("argument 2: "), std::string::npos) << sizeless.text();
}
/// Memory that nobody can write is only read.
TEST(Memory, ConstantArraysStayAsTheyAre) {
  static constexpr std::array<f32, 128> table{1, 2, 3};
  DeviceRunner target(std::make_unique<tessera::run::SimDevice>(), "sm_80",
                      [](const std::string &, const std::string &) {
                        return tessera::Result<std::string>(copies);
                      });
  std::vector<f32> y(128);
  auto copy = kernel([](In<f32, 1> x, Out<f32, 128> y) { y.store(x.load<128>(bid().x)); });
  Outcome done = copy.on(target, std::nullopt, table, y);
  EXPECT_EQ(idsOf(done), "ok") << done.text();
  EXPECT_EQ(y[2], 3.0f);
}
tessera::Result<std::string> copying(const std::string &, const std::string &) {
  return std::string(copies);
}
void copy(In<f32, 1> x, Out<f32, 128> y) { y.store(x.load<128>(bid().x)); }

TEST(Memory, ArraysOfTheDevice) {
  DeviceRunner target(std::make_unique<tessera::run::SimDevice>(), "sm_80", copying);
  Array<f32, 1> x(200), back(1);
  x.fill([](int64_t i) { return double(i); });
  DeviceArray<f32, 1> from(target, x), to(target, Array<f32, 1>(200));
  ASSERT_EQ(idsOf(from.outcome()) + idsOf(to.outcome()), "okok");
  Outcome done = run_on(target, copy, from, to);
  EXPECT_EQ(idsOf(done), "ok") << done.text();
  EXPECT_FALSE(done.milliseconds); // it was queued
  EXPECT_EQ(idsOf(target.synchronize()), "ok");
  EXPECT_EQ(idsOf(to.read(back)), "ok");
  ASSERT_EQ(back.size(), 200);
  EXPECT_EQ(back[199], 199.0f);
  // Arrays of the host and of the device side by side.
  std::vector<f32> host(200);
  done = run_on(target, copy, from, host);
  EXPECT_EQ(idsOf(done), "ok") << done.text();
  EXPECT_TRUE(done.milliseconds);
  EXPECT_EQ(host[5], 5.0f);
  EXPECT_EQ(idsOf(run(copy, from, host)), "Elsewhere");
}
TEST(Autotune, TakesTheFastest) {
  // The second kernel is refused by the compiler.
  DeviceRunner target(std::make_unique<tessera::run::SimDevice>(), "sm_80",
                      [](const std::string &bytecode, const std::string &arch) {
                        return bytecode.find("refused") != bytecode.npos
                                   ? tessera::Result<std::string>(tessera::Reason{"Refused", "no"})
                                   : copying(bytecode, arch);
                      });
  std::vector<f32> x(1280, 1.0f), y(1280);
  Tuned tuned = autotune(target, std::tuple(kernel(copy), kernel(copy, "refused")), {}, x, y);
  ASSERT_TRUE(tuned.found);
  EXPECT_EQ(tuned.index, 0u);
  ASSERT_EQ(tuned.milliseconds.size(), 2u);
  EXPECT_GT(tuned.milliseconds[0], 0.0);
  EXPECT_TRUE(std::isinf(tuned.milliseconds[1]));
  EXPECT_EQ(idsOf(tuned.outcome), "Refused");
  Tuned none = autotune(target, std::tuple(kernel(copy, "refused")), {}, x, y);
  EXPECT_FALSE(none.found);
  // The interpreter says how long it took, too: more turns take longer.
  auto turns = [](int n) {
    return kernel([n](Out<f32, 128> y) {
      y.store(For(n, zeros<f32, 128>(), [](Index, auto x) { return x + 1.0f; }));
    });
  };
  Tuned best = autotune(interpreter(), std::tuple(turns(400), turns(1)), {}, y);
  EXPECT_EQ(best.index, 1u);
}
TEST(Devices, WithoutAGpuALaunchSaysSo) {
  std::vector<f32> x(16), y(16);
  Outcome done = run_on(cuda_device(99), twice, x, y);
  ASSERT_FALSE(done);
  EXPECT_NE(done.text().find("CUDA"), std::string::npos) << done.text();
}

} // namespace
