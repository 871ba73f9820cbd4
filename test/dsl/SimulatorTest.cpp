// Kernels that are written, compiled and run on the simulator with its sanitizer: their numbers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/dsl/Dsl.h"
#include "test/dsl/FirstKernel.h"
#include "test/dsl/Simulate.h"

#include <gtest/gtest.h>

#include <fstream>
#include <numeric>
#include <sstream>

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::dsl::test;

namespace {
std::vector<float> counting(size_t n) {
  std::vector<float> numbers(n);
  std::iota(numbers.begin(), numbers.end(), 1.f);
  return numbers;
}
} // namespace

TEST(FirstKernel, Scales) {
  std::vector<float> input = counting(1024);
  std::vector<float> output = simulate(ptxOf(writeScale), "scale", 8, 128, 0, input, 1024, 2.5f);
  ASSERT_EQ(output.size(), 1024u);
  for (size_t i = 0; i < output.size(); ++i)
    EXPECT_EQ(output[i], 2.5f * input[i]);
}

/// docs/dsl.md shows the file that is tested.
TEST(FirstKernel, IsTheDocumentations) {
  auto text = [](const char *file) {
    std::ifstream in(std::string(TESSERA_SOURCE_DIR) + "/" + file);
    std::stringstream all;
    all << in.rdbuf();
    return all.str();
  };
  std::string code = text("test/dsl/FirstKernel.cpp");
  code = code.substr(code.find("using namespace"));
  EXPECT_NE(text("docs/dsl.md").find(code), std::string::npos);
}

/// Steps of Collatz from each thread's number down to 1: how often the body runs is a thread's own.
TEST(While, EndsWhereTheConditionDoes) {
  constexpr int threads = 64;
  struct State {
    Num number, steps;
    auto members() { return std::tie(number, steps); }
  };
  std::string ptx = ptxOf([&] {
    mlir::Type vector = tensor_type(f32, make_layout(threads));
    kernel("steps", threads, {vector, vector}, [&](Arguments arguments) {
      Num thread = thread_idx();
      Num from = convert(load(arguments.tensor(0), thread), i32);
      State end = While(
          State{from, i32(0)}, [](State &now) { return now.number > 1; },
          [](State &now) {
            Num odd = now.number % 2 == 1;
            now = {select(odd, now.number * 3 + 1, now.number / 2), now.steps + 1};
          });
      store(convert(end.steps, f32), arguments.tensor(1), thread);
    });
  });
  std::vector<float> output = simulate(ptx, "steps", 1, threads, 0, counting(threads), threads);
  ASSERT_EQ(output.size(), size_t(threads));
  for (int i = 0; i < threads; ++i) {
    int number = i + 1, steps = 0;
    for (; number > 1; ++steps)
      number = number % 2 ? 3 * number + 1 : number / 2;
    EXPECT_EQ(output[size_t(i)], float(steps)) << i + 1;
  }
}

/// A warp writes numbers into a ring of three stages, another sums them: ten fills, so that each
/// stage comes round. Wrong phases end in a race, a deadlock or wrong sums.
TEST(Pipeline, HandsStagesFromWarpToWarp) {
  constexpr int stages = 3, fills = 10, lanes = 32;
  SharedMemory memory;
  Region data = memory.allocate(stages * lanes * 4), barriers = memory.barriers(2 * stages);
  std::string ptx = ptxOf([&] {
    mlir::Type in = tensor_type(f32, make_layout(make_shape(lanes, fills))),
               out = tensor_type(f32, make_layout(lanes));
    kernel("ring", 2 * lanes, {in, out}, [&](Arguments arguments) {
      Num lane = thread_idx() % lanes, warp = warp_uniform(thread_idx() / lanes);
      memory.open();
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
      If(
          warp == 0,
          [&] {
            For(0, fills, 1, Pipeline::producerStart(), [&](Num i, Stage &at) {
              ring.empty(at.index).wait(at.parity);
              store(load(arguments.tensor(0), make_coord(lane, i)), slots,
                    make_coord(lane, at.index));
              ring.full(at.index).arrive();
              at = ring.next(at);
            });
          },
          [&] {
            struct State {
              Stage at;
              Num sum;
              auto members() { return std::tie(at, sum); }
            };
            State end =
                For(0, fills, 1, State{Pipeline::consumerStart(), f32(0)}, [&](Num, State &now) {
                  ring.wait(now.at);
                  // What another lane wrote: the barrier orders it.
                  now.sum = now.sum + load(slots, make_coord(lanes - 1 - lane, now.at.index));
                  ring.empty(now.at.index).arrive();
                  now.at = ring.next(now.at);
                });
            store(end.sum, arguments.tensor(1), lane);
          });
    });
  });
  std::vector<float> input = counting(lanes * fills);
  std::vector<float> output =
      simulate(ptx, "ring", 1, 2 * lanes, uint32_t(memory.bytes()), input, lanes);
  ASSERT_EQ(output.size(), size_t(lanes));
  for (size_t lane = 0; lane < lanes; ++lane) {
    float sum = 0;
    for (size_t i = 0; i < fills; ++i)
      sum += input[i * lanes + (lanes - 1 - lane)];
    EXPECT_EQ(output[lane], sum) << lane;
  }
}
