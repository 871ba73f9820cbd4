// Kernels that are written, compiled and run on the simulator with its sanitizer: their numbers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/dsl/Bulk.h"
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

/// Fibonacci's numbers, of a vector that each iteration assigns.
TEST(For, HandsOnAVectorThatIsAssigned) {
  constexpr int threads = 32;
  std::string ptx = ptxOf([&] {
    mlir::Type vector = tensor_type(f32, make_layout(threads));
    kernel("fibonacci", threads, {vector, vector}, [&](Arguments arguments) {
      Num thread = thread_idx();
      std::vector<Num> last =
          For(0, thread, 1, std::vector<Num>{i32(0), i32(1)}, [](Num, std::vector<Num> &now) {
            std::vector<Num> next = {now[1], now[0] + now[1]};
            now = std::move(next);
          });
      store(convert(last[0], f32), arguments.tensor(1), thread);
    });
  });
  std::vector<float> output = simulate(ptx, "fibonacci", 1, threads, 0, counting(threads), threads);
  for (float before = 0, now = 1; float found : output) {
    EXPECT_EQ(found, before);
    std::tie(before, now) = std::pair(now, before + now);
  }
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

/// Thread t copies four numbers, of which t mod 5 are there: zeros follow these.
TEST(Bulk, CopiesWhatIsThereAsync) {
  constexpr int threads = 32, numbers = 4 * threads;
  SharedMemory memory;
  Region copied = memory.allocate(4 * numbers);
  std::string ptx = ptxOf([&] {
    mlir::Type vector = tensor_type(f32, make_layout(numbers), AddressSpace::Gmem, 16);
    kernel("copies", threads, {vector, vector}, [&](Arguments arguments) {
      memory.open();
      Num thread = thread_idx(), place = (thread * 4).promised(4);
      Pointer to = memory.pointer(copied, f32);
      copy_async(offset(get_iter(arguments.tensor(0)), place), offset(to, place), 16,
                 thread % 5 * 4);
      cp_async_commit();
      cp_async_wait(0);
      for (int i = 0; i < 4; ++i)
        store(load(make_tensor(to, make_layout(numbers)), place + i), arguments.tensor(1),
              place + i);
    });
  });
  std::vector<float> output =
      simulate(ptx, "copies", 1, threads, uint32_t(memory.bytes()), counting(numbers), numbers);
  ASSERT_EQ(output.size(), size_t(numbers));
  for (int i = 0; i < numbers; ++i)
    EXPECT_EQ(output[size_t(i)], i % 4 < i / 4 % 5 ? float(i + 1) : 0.f) << i;
}

/// Two warps, of which the second has the number 40: all its lanes learn of it, none of the first.
TEST(Lanes, LearnOfAny) {
  constexpr int threads = 64;
  std::string ptx = ptxOf([&] {
    mlir::Type vector = tensor_type(f32, make_layout(threads));
    kernel("any", threads, {vector, vector}, [&](Arguments arguments) {
      Num thread = thread_idx();
      Num found = any_lane(load(arguments.tensor(0), thread) == f32(40));
      store(select(found, f32(1), f32(0)), arguments.tensor(1), thread);
    });
  });
  std::vector<float> output = simulate(ptx, "any", 1, threads, 0, counting(threads), threads);
  ASSERT_EQ(output.size(), size_t(threads));
  for (int i = 0; i < threads; ++i)
    EXPECT_EQ(output[size_t(i)], float(i >= 32)) << i;
}

/// Thread t reads byte t of 0x04030201 and, from 4 on, of 0x08070605, with zeros above it.
TEST(Bytes, AreChosen) {
  constexpr int threads = 8;
  std::string ptx = ptxOf([&] {
    mlir::Type vector = tensor_type(f32, make_layout(threads));
    kernel("bytes", threads, {vector, vector}, [&](Arguments arguments) {
      Num byte = byte_perm(i32(0x04030201), i32(0x08070605), thread_idx() & 7);
      Num alone = byte_perm(byte, i32(0), i32(0x4440));
      store(convert(alone, f32), arguments.tensor(1), thread_idx());
    });
  });
  std::vector<float> output = simulate(ptx, "bytes", 1, threads, 0, counting(threads), threads);
  EXPECT_EQ(output, counting(threads));
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

/// Where a row of five numbers begins says whether four of them may be read at once.
TEST(Pointers, SayWhereTheyPoint) {
  std::string ptx = ptxOf([] {
    mlir::Type in = tensor_type(f32, make_layout(make_shape(5, 4))),
               out = tensor_type(f32, make_layout(4));
    kernel("sums", 1, {in, out}, [](Arguments arguments) {
      auto add = [](Num x, Num y) { return x + y; };
      For(0, 4, 1, [&](Num row) {
        Pointer start = get_iter(arguments.tensor(0)(_, row));
        If((address(start) & i64(15)) == i64(0),
           [&] {
             Tensor whole = make_tensor(aligned_ptr(start, 16), make_layout(4));
             store(reduce(load_vec(whole), add), arguments.tensor(1), row);
           },
           [&] { store(f32(-2), arguments.tensor(1), row); });
      });
    });
  });
  EXPECT_NE(ptx.find("ld.global.v4.b32"), std::string::npos);
  EXPECT_EQ(simulate(ptx, "sums", 1, 1, 0, counting(20), 4), (std::vector<float>{10, -2, -2, -2}));
}

/// OCP's OFP8 (1.0, table 1): E4M3 has 3 digits after the point and 448 as its largest number; ties
/// go to the even one. A lone number is converted as one of a pair.
TEST(Numbers, OfEightBitsAreTheNearest) {
  std::string ptx = ptxOf([] {
    mlir::Type in = tensor_type(f32, make_layout(4)), out = tensor_type(f32, make_layout(5));
    kernel("codes", 1, {in, out}, [](Arguments arguments) {
      Tensor codes = make_rmem_tensor(f8E4M3FN, make_layout(4)), x = arguments.tensor(0);
      store_vec(convert(load_vec(x), f8E4M3FN), codes);
      Tensor bytes = make_tensor(recast_ptr(get_iter(codes), i8), make_layout(4));
      for (int i = 0; i < 4; ++i)
        store(convert(load(bytes, i), f32), arguments.tensor(1), i);
      store(convert(load(x, 1), f8E4M3FN), codes, 0);
      store(convert(load(bytes, 0), f32), arguments.tensor(1), 4);
    });
  });
  // 1: 0 0111 000; 1.0625 is halfway to 1.125 and goes to 1; 1000 becomes 448: 0 1111 110; 0.5.
  EXPECT_EQ(simulate(ptx, "codes", 1, 1, 0, {1, 1.0625f, 1000, 0.5f}, 5),
            (std::vector<float>{0x38, 0x38, 0x7e, 0x30, 0x38}));
}
