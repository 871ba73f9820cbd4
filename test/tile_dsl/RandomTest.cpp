// Random kernels of loops, branches, loads and stores, beside the same statements on the host.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interpreter reports accesses that no token orders, so these kernels hold the order of memory
// through regions that lie in each other in any way. Two arrays: one that is known to be apart, and
// two views of one memory, which share a set. Compiled with TESSERA_TILE_RUN the kernels go through
// the compiler to the simulator, which has no such reports but other ways to be wrong.
#include "tessera/tile.h"
#ifdef TESSERA_TILE_RUN
#include "tessera/tile_run/Runners.h"
#endif

#include <array>
#include <gtest/gtest.h>
#include <random>

using namespace tessera::tile;

namespace {

#ifdef TESSERA_TILE_RUN
Runner &target() { return simulator("sm_80"); }
constexpr uint32_t seeds = 40;
#else
Runner &target() { return interpreter(); }
constexpr uint32_t seeds = 400;
#endif

constexpr int width = 4, tiles = 3, arrays = 3, registers = 3;

struct Statement {
  enum Kind {
    Add,
    Multiply,
    Load,
    Store,
    For,
    While,
    If,
    Last = If
  } kind;
  int to, from, array, place; // registers, an array, a tile or the number of turns
  bool usesIndex;             // the tile is that of the innermost loop's index
  std::vector<Statement> body, otherwise;
};
using Block = std::vector<Statement>;

class Generator {
public:
  explicit Generator(uint32_t seed) : engine(seed) {}

  Block block(int depth) {
    Block out;
    for (int n = upTo(4) + 1; n > 0; --n) {
      auto kind = Statement::Kind(upTo(depth > 0 ? int(Statement::Last) : int(Statement::Store)));
      Statement s{kind,
                  upTo(registers - 1),
                  upTo(registers - 1),
                  upTo(arrays - 1),
                  upTo(tiles - 1),
                  upTo(1) == 0,
                  {},
                  {}};
      if (kind >= Statement::For)
        s.body = block(depth - 1);
      if (kind == Statement::If && upTo(1))
        s.otherwise = block(depth - 1);
      out.push_back(std::move(s));
    }
    return out;
  }

private:
  int upTo(int most) { return std::uniform_int_distribution<int>(0, most)(engine); }
  std::mt19937 engine;
};

//===--- On the host

struct Host {
  std::array<std::vector<unsigned>, 2> memory; // arrays 1 and 2 are the second one
  std::array<std::array<unsigned, width>, registers> r{};

  unsigned *tile(const Statement &s, int index) {
    int place = s.usesIndex ? index % tiles : s.place;
    return &memory[s.array != 0][size_t(place * width)];
  }
  void run(const Block &block, int n, int index) {
    for (const Statement &s : block) {
      auto &to = r[size_t(s.to)], &from = r[size_t(s.from)];
      switch (s.kind) {
      case Statement::Add:
        for (int i = 0; i < width; ++i)
          to[size_t(i)] += from[size_t(i)] + unsigned(s.place);
        break;
      case Statement::Multiply:
        for (int i = 0; i < width; ++i)
          to[size_t(i)] = to[size_t(i)] * 3 + from[size_t(i)];
        break;
      case Statement::Load: std::copy_n(tile(s, index), width, to.begin()); break;
      case Statement::Store: std::copy_n(from.begin(), width, tile(s, index)); break;
      case Statement::For:
        for (int i = 0; i < s.place; ++i)
          run(s.body, n, i);
        break;
      case Statement::While:
        for (int i = 0; to[0] % 4 != 0 && i < 3; ++i)
          run(s.body, n, i);
        break;
      case Statement::If: run((n + index) % 2 ? s.body : s.otherwise, n, index); break;
      }
    }
  }
};

//===--- As a kernel

using Vector = Tile<u32, width>;
using Registers = std::array<Vector, registers>;

struct Device {
  std::array<PartitionMut<u32, width>, arrays> memory;
  Index n;

  void run(const Block &block, Registers &r, const Index &index) {
    for (const Statement &s : block) {
      auto &to = r[size_t(s.to)], &from = r[size_t(s.from)];
      auto &array = memory[size_t(s.array)];
      Index place = s.usesIndex ? index % tiles : Index(s.place);
      switch (s.kind) {
      case Statement::Add: to += from + u32(s.place); break;
      case Statement::Multiply: to = to * u32(3) + from; break;
      case Statement::Load: to = array.load(place); break;
      case Statement::Store: array.store(from, place); break;
      case Statement::For:
        For(s.place, r[0], r[1], r[2], [&](Index i, auto &a, auto &b, auto &c) {
          Registers inside{a, b, c};
          run(s.body, inside, i);
          a = inside[0], b = inside[1], c = inside[2];
        });
        break;
      case Statement::While: {
        auto [turns, a, b, c] = tessera::tile::While(
            Index(0), r[0], r[1], r[2],
            [&](Index i, auto a, auto b, auto c) {
              const Vector all[] = {a, b, c};
              auto first = reshape<>(extract<1>(all[s.to], {0}));
              return (first % u32(4) != u32(0)) & (i < 3);
            },
            [&](Index i, auto a, auto b, auto c) {
              Registers inside{a, b, c};
              run(s.body, inside, i);
              return std::tuple(i + 1, inside[0], inside[1], inside[2]);
            });
        r = {a, b, c};
        break;
      }
      case Statement::If: {
        auto branch = [&](const Block &block) {
          return [&, before = r] {
            Registers inside = before;
            run(block, inside, index);
            return std::tuple(inside[0], inside[1], inside[2]);
          };
        };
        auto [a, b, c] = If((n + index) % 2 != 0, branch(s.body), branch(s.otherwise));
        r = {a, b, c};
        break;
      }
      }
    }
  }
};

TEST(Random, KernelsDoWhatTheHostDoes) {
  for (uint32_t seed = 0; seed < seeds; ++seed) {
    Block block = Generator(seed).block(3);
    auto k = kernel([&](Tile<i32> n, Tensor<u32, dyn> x, Tensor<u32, dyn> y, Tensor<u32, dyn> z,
                        Out<u32, width> out) {
      Device device{{x.partition<width>(), y.partition<width>(), z.partition<width>()}, n};
      Registers r{Vector(1u), iota<u32, width>(), Vector(5u)};
      device.run(block, r, 0);
      out.store(r[0] + r[1] * u32(7) + r[2] * u32(49));
    });
    for (int n : {0, 1}) {
      Host host;
      for (auto &array : host.memory)
        for (int i = 0; i < tiles * width; ++i)
          array.push_back(unsigned(&array - host.memory.data()) * 100 + unsigned(i));
      auto memory = host.memory;
      host.r = {{{1, 1, 1, 1}, {0, 1, 2, 3}, {5, 5, 5, 5}}};
      host.run(block, n, 0);
      std::vector<unsigned> out(width);
      Outcome done = k.on(target(), std::nullopt, n, memory[0], memory[1], memory[1], out);
      ASSERT_TRUE(done) << "seed " << seed << "\n" << done.text();
      ASSERT_EQ(memory[0], host.memory[0]) << "seed " << seed;
      ASSERT_EQ(memory[1], host.memory[1]) << "seed " << seed;
      for (size_t i = 0; i < width; ++i)
        ASSERT_EQ(out[i], host.r[0][i] + host.r[1][i] * 7 + host.r[2][i] * 49) << "seed " << seed;
    }
  }
}

} // namespace
