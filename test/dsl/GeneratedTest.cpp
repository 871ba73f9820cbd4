// Kernels that a seeded generator writes, on the simulator with its sanitizer: each gives what its
// description says.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All compute y = f(x) for each element of a matrix, with f a chain of steps. What differs is the
// way there: matrices and their strides, tiles that divide nothing, threads, who loads and who
// stores, through registers, shared memory or a ring of stages that one warp fills and another
// empties, loops of the program and of the writer, blocks that take several tiles.
// TESSERA_GENERATED names a folder for the kernels as files; utils/quality.py looks at their code.
#include "test/dsl/Simulate.h"

#include "tessera/dsl/Dsl.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <random>

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::dsl::test;

namespace {

/// One step of f, for the kernel and for the host. All numbers stay whole and far below 2^24, so
/// that f32 is exact.
struct Step {
  const char *text;
  Num (*device)(Num);
  float (*host)(float);
};
constexpr Step steps[] = {
    {"x + 3", [](Num x) { return x + 3; }, [](float x) { return x + 3; }},
    {"x * 2", [](Num x) { return x * 2; }, [](float x) { return x * 2; }},
    {"5 - x", [](Num x) { return 5 - x; }, [](float x) { return 5 - x; }},
    {"max(x, 0)", [](Num x) { return max(x, 0); }, [](float x) { return std::max(x, 0.f); }},
    {"min(x, 40)", [](Num x) { return min(x, 40); }, [](float x) { return std::min(x, 40.f); }},
    {"x * x", [](Num x) { return x * x; }, [](float x) { return x * x; }},
};

enum class Way {
  Registers, // a thread loads an element and stores it
  Vectors,   // four at a time, as one vector
  Shared,    // what one thread loaded another stores
  Ring       // one warp loads, another stores
};
constexpr const char *ways[] = {"registers", "vectors", "shared", "ring"};

struct Description {
  int m, n, tileM, tileN, threads, pitch;
  bool rowMajor, written, persistent;
  Way way;
  int swizzle;               // bits of it, of shared memory
  std::vector<int> function; // steps

  int tiles() const { return (m + tileM - 1) / tileM * ((n + tileN - 1) / tileN); }
  int blocks() const { return persistent ? (tiles() + 2) / 3 : tiles(); }
  int elements() const { return tileM * tileN; }
  int offset(int i, int j) const { return rowMajor ? i * pitch + j : i + j * pitch; }
  int cosize() const { return offset(m - 1, n - 1) + 1; }
  std::string str() const {
    std::string f;
    for (int step : function)
      f += cat(f.empty() ? "" : ", ", steps[step].text);
    return cat(m, "x", n, rowMajor ? " by rows" : " by columns", " of ", pitch, ", tiles ", tileM,
               "x", tileN, ", ", threads, " threads, ", ways[int(way)], ", swizzle ", swizzle,
               written ? ", written out" : ", a loop", persistent ? ", persistent" : "", ": ", f);
  }
};

Description describe(unsigned seed) {
  std::mt19937 chance(seed);
  auto one = [&](std::initializer_list<int> of) { return of.begin()[chance() % of.size()]; };
  Description d;
  d.m = one({1, 7, 24, 33, 64, 100});
  d.n = one({1, 5, 16, 40, 63, 96});
  d.tileM = one({4, 8, 16, 32});
  d.tileN = one({4, 8, 16});
  d.way = Way(chance() % 4);
  d.threads = d.way == Way::Ring ? 64 : one({32, 64, 128});
  d.rowMajor = chance() % 2;
  d.pitch = (d.rowMajor ? d.n : d.m) + one({0, 0, 1, 3, 8});
  d.written = chance() % 2;
  d.persistent = chance() % 3 == 0;
  d.swizzle = d.way == Way::Shared ? one({0, 1, 2}) : 0;
  for (int count = 1 + int(chance() % 3); count > 0; --count)
    d.function.push_back(int(chance() % std::size(steps)));
  return d;
}

constexpr int lanes = 32, stages = 3;

/// The kernel's part for one tile.
class Writer {
public:
  Writer(const Description &d, const Arguments &arguments)
      : d(d), x(arguments.tensor(0)), y(arguments.tensor(1)) {}

  void write(const SharedMemory &memory, Region data, Region barriers) {
    if (d.way == Way::Ring)
      return ring(memory, data, barriers);
    Tensor shared;
    if (d.way == Way::Shared) {
      Layout plain = make_layout(make_shape(d.tileM, d.tileN));
      shared = make_tensor(memory.pointer(data, f32),
                           d.swizzle ? make_swizzled({d.swizzle, 0, 3}, plain) : plain);
    }
    For(block_idx(), i32(d.tiles()), i32(d.blocks()), [&](Num which) { tile(which, shared); });
  }

private:
  void choose(Num which) {
    const int down = (d.m + d.tileM - 1) / d.tileM;
    row = which % down * d.tileM;
    column = which / down * d.tileN;
  }
  void tile(Num which, const Tensor &shared) {
    choose(which);
    switch (d.way) {
    case Way::Registers:
      each(d.threads, [&](Num e) { guarded(e, [&](Coord at) { store(f(load(x, at)), y, at); }); });
      break;
    case Way::Vectors: vectors(); break;
    case Way::Shared:
      each(d.threads,
           [&](Num e) { guarded(e, [&](Coord at) { store(f(load(x, at)), shared, place(e)); }); });
      sync_threads();
      each(d.threads, [&](Num e) {
        // Elements in another order, so that others loaded them; 5 divides no tile.
        Num other = (e * 5 + 1) % d.elements();
        guarded(other, [&](Coord at) { store(load(shared, place(other)), y, at); });
      });
      sync_threads(); // before the next tile
      break;
    case Way::Ring: break;
    }
  }

  Num f(Num value) const {
    for (int step : d.function)
      value = steps[step].device(value);
    return value;
  }
  Coord place(Num e) const { return make_coord(e % d.tileM, e / d.tileM); }
  /// `body(e)` for the elements of a tile that this thread of `count` takes.
  void each(int count, const std::function<void(Num)> &body) {
    Num first = thread_idx() % count;
    if (d.written) {
      for (int e = 0; e < d.elements(); e += count)
        within(first + e, d.elements() % count != 0, body);
      return;
    }
    For(first, i32(d.elements()), i32(count), body);
  }
  void within(Num e, bool checked, const std::function<void(Num)> &body) {
    if (checked)
      If(e < d.elements(), [&] { body(e); });
    else
      body(e);
  }
  /// `body` with the coordinate of an element of the tile, if the matrix has it.
  void guarded(Num e, const std::function<void(Coord)> &body) {
    Num i = row + e % d.tileM, j = column + e / d.tileM;
    If((i < d.m) & (j < d.n), [&] { body(make_coord(i, j)); });
  }
  /// Four rows of a column are one vector. Those beyond the edge are zeros, and are not stored.
  void vectors() {
    const int groups = d.elements() / 4;
    For(thread_idx(), i32(groups), i32(d.threads), [&](Num group) {
      Tensor held = make_rmem_tensor(f32, make_layout(4));
      for (int v = 0; v < 4; ++v) {
        store(f32(0), held, i32(v));
        guarded(group * 4 + v, [&](Coord at) { store(load(x, at), held, i32(v)); });
      }
      store_vec(f(load_vec(held)), held);
      for (int v = 0; v < 4; ++v)
        guarded(group * 4 + v, [&](Coord at) { store(load(held, i32(v)), y, at); });
    });
  }
  /// The first warp loads pieces of 32 elements, the second stores them, each what another lane
  /// loaded.
  void ring(const SharedMemory &memory, Region data, Region barriers) {
    Num lane = thread_idx() % lanes, warp = warp_uniform(thread_idx() / lanes);
    Barriers all = memory.at(barriers);
    Pipeline ring(stages, all, all.from(stages));
    Tensor slots = make_tensor(memory.pointer(data, f32), make_layout(make_shape(lanes, stages)));
    If(thread_idx() == 0, [&] {
      for (int i = 0; i < stages; ++i) {
        ring.full(i).init(lanes);
        ring.empty(i).init(lanes);
      }
      mbarrier_init_fence();
    });
    sync_threads();
    const int pieces = (d.elements() + lanes - 1) / lanes;
    Num mine = (i32(d.tiles() + d.blocks() - 1) - block_idx()) / d.blocks();
    // Piece k of a block, and an element of it.
    auto piece = [&](Num k, Num of, const std::function<void(Coord)> &body) {
      choose(block_idx() + k / pieces * d.blocks());
      Num e = k % pieces * lanes + of;
      within(e, d.elements() % lanes != 0, [&](Num inside) { guarded(inside, body); });
    };
    If(
        warp == 0,
        [&] {
          For(0, mine * pieces, 1, Pipeline::producerStart(), [&](Num k, Stage &at) {
            ring.empty(at.index).wait(at.parity);
            piece(k, lane,
                  [&](Coord place) { store(load(x, place), slots, make_coord(lane, at.index)); });
            ring.full(at.index).arrive();
            at = ring.next(at);
          });
        },
        [&] {
          For(0, mine * pieces, 1, Pipeline::consumerStart(), [&](Num k, Stage &at) {
            ring.wait(at);
            Num other = lanes - 1 - lane;
            piece(k, other, [&](Coord place) {
              store(f(load(slots, make_coord(other, at.index))), y, place);
            });
            ring.empty(at.index).arrive();
            at = ring.next(at);
          });
        });
  }

  const Description &d;
  Tensor x, y;
  Num row, column;
};

/// One of the kernels; whether its numbers are right.
void check(unsigned seed) {
  Description d = describe(seed);
  SCOPED_TRACE(cat("seed ", seed, ": ", d.str()));
  SharedMemory memory;
  Region data = memory.allocate(std::max(d.elements(), stages * lanes) * 4),
         barriers = memory.barriers(2 * stages);
  auto write = [&] {
    Layout all = make_layout(make_shape(d.m, d.n),
                             d.rowMajor ? make_stride(d.pitch, 1) : make_stride(1, d.pitch));
    mlir::Type matrix = tensor_type(f32, all);
    kernel("generated", d.threads, {matrix, matrix}, [&](Arguments arguments) {
      if (d.way == Way::Shared || d.way == Way::Ring)
        memory.open();
      Writer(d, arguments).write(memory, data, barriers);
    });
  };
  if (const char *folder = std::getenv("TESSERA_GENERATED"))
    std::ofstream(cat(folder, "/", seed < 10 ? "0" : "", seed, ".mlir")) << moduleOf(write);
  std::string ptx = ptxOf(write);
  std::vector<float> input(size_t(d.cosize())), expected(size_t(d.cosize()), -1);
  std::mt19937 numbers(seed);
  for (float &x : input)
    x = float(int(numbers() % 41) - 20);
  for (int i = 0; i < d.m; ++i)
    for (int j = 0; j < d.n; ++j) {
      float value = input[size_t(d.offset(i, j))];
      for (int step : d.function)
        value = steps[step].host(value);
      expected[size_t(d.offset(i, j))] = value;
    }
  // Also what is between rows is as it was.
  EXPECT_EQ(simulate(ptx, "generated", uint32_t(d.blocks()), uint32_t(d.threads),
                     uint32_t(memory.bytes()), input, input.size()),
            expected);
}

class Generated : public testing::TestWithParam<unsigned> {};
TEST_P(Generated, GivesWhatItsDescriptionSays) {
  for (unsigned seed = GetParam(); seed < GetParam() + 10 && !HasFailure(); ++seed)
    check(seed);
}
INSTANTIATE_TEST_SUITE_P(Seeds, Generated, testing::Range(0u, 100u, 10u));

} // namespace
