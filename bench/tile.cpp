// Benchmarks of tile programs: reading and writing bytecode, and elements a second of the
// interpreter.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading is measured on one large program, made of random ones, and on the recorded ones that
// TESSERA_TILE_PROGRAMS or TESSERA_CUTILE name (test/tile_bytecode/Recorded.h).
#include "tessera/tile_bytecode/Reader.h"
#include "tessera/tile_bytecode/Writer.h"
#include "test/tile_bytecode/Random.h"
#include "test/tile_bytecode/Recorded.h"
#include "test/tile_eval/Kernel.h"

#include <benchmark/benchmark.h>

using namespace tessera;
using namespace tessera::tile_bytecode;

namespace {

std::span<const std::byte> spanOf(const std::string &text) {
  return std::as_bytes(std::span(text));
}

/// Files that are read again and again, of a megabyte and more together.
const std::vector<std::string> &files(bool isRecorded) {
  static const std::vector<std::string> random = [] {
    std::vector<std::string> out;
    for (uint64_t seed = 0; seed < 500; ++seed)
      out.push_back(*write(test::RandomProgram(seed, newestVersion).make()));
    return out;
  }();
  static const std::vector<std::string> recorded = [] {
    std::vector<std::string> out;
    for (const auto &path : test::recordedPrograms())
      out.push_back(test::contentOf(path));
    return out;
  }();
  return isRecorded ? recorded : random;
}

void BM_Read(benchmark::State &state) {
  size_t bytes = 0;
  for (auto _ : state)
    for (const std::string &file : files(state.range(0))) {
      auto program = read(spanOf(file));
      benchmark::DoNotOptimize(program);
      bytes += file.size();
    }
  state.SetBytesProcessed(int64_t(bytes));
}
void BM_Write(benchmark::State &state) {
  std::vector<Program> programs;
  for (const std::string &file : files(state.range(0)))
    programs.push_back(*read(spanOf(file)));
  size_t bytes = 0;
  for (auto _ : state)
    for (const Program &program : programs)
      bytes += write(program)->size();
  state.SetBytesProcessed(int64_t(bytes));
}
BENCHMARK(BM_Read)->ArgName("recorded")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_Write)->ArgName("recorded")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

/// One op on a tile of 4096 elements; items are elements.
void elementwise(benchmark::State &state, Op op, const char *type,
                 const tile_eval::test::Attributes &attributes, size_t operands) {
  std::string tile = cat("4096x", type);
  std::vector<std::vector<tile_eval::test::Tile>> values(operands, {{tile, {0x3c003f80}}});
  size_t elements = 0;
  tile_eval::test::One one;
  for (auto _ : state) {
    auto result = one.run(op, {tile}, attributes, values);
    if (!result)
      state.SkipWithError(result.reason().text.c_str());
    elements += 4096;
  }
  state.SetItemsProcessed(int64_t(elements));
}
void BM_AddF32(benchmark::State &state) {
  elementwise(state, Op::AddF, "f32", {std::nullopt, 0}, 2);
}
void BM_AddF16(benchmark::State &state) {
  elementwise(state, Op::AddF, "f16", {std::nullopt, 0}, 2);
}
void BM_AddI32(benchmark::State &state) { elementwise(state, Op::AddI, "i32", {0}, 2); }
BENCHMARK(BM_AddF32);
BENCHMARK(BM_AddF16);
BENCHMARK(BM_AddI32);

/// A product of f16, 128x128x64; items are multiplications with an addition.
void BM_Product(benchmark::State &state) {
  tile_eval::test::One one;
  size_t items = 0;
  for (auto _ : state) {
    auto result =
        one.run(Op::MmaF, {"128x128xf32"}, {std::nullopt},
                {{{"128x64xf16", {0x3c00}}}, {{"64x128xf16", {0x3c00}}}, {{"128x128xf32", {0}}}});
    if (!result)
      state.SkipWithError(result.reason().text.c_str());
    items += 128 * 128 * 64;
  }
  state.SetItemsProcessed(int64_t(items));
}
BENCHMARK(BM_Product);

} // namespace

BENCHMARK_MAIN();
