// Benchmarks of the simulator: thread-instructions a second on one core, and a product on the
// tensor cores' path.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sanitize/Sanitizer.h"
#include "tessera/sim/Machine.h"

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

using namespace tessera;
using namespace tessera::sim;

namespace {

/// A kernel of one loop of 1000 turns over `body`, in which r0 and up, f0 and up, d0 and `memory`
/// may be used.
std::string loop(const std::string &body) {
  return ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"
         ".reg .b16 h<8>;\n.reg .b32 r<32>;\n.reg .f32 f<32>;\n.reg .b64 d<8>;\n.reg .b64 "
         "memory;\n.reg .pred "
         "p<4>;\n.reg .b32 turn, t;\n"
         "ld.param.u64 memory, [p];\nmov.u32 t, %tid.x;\nmad.wide.u32 memory, t, 16, "
         "memory;\nmov.u32 turn, 0;\nagain:\n" +
         body + "\nadd.u32 turn, turn, 1;\nsetp.lt.u32 p0, turn, 1000;\n@p0 bra again;\nret;\n}\n";
}

const std::pair<const char *, std::string> loops[] = {
    {"integer", loop("add.s32 r1, r2, r3;\nmul.lo.s32 r4, r1, r5;\nxor.b32 r2, r4, r1;\nshl.b32 "
                     "r3, r2, 3;\nmad.lo.s32 r5, r1, r2, r3;\nsub.s32 r6, r5, r1;")},
    {"float", loop("fma.rn.f32 f1, f2, f3, f4;\nadd.f32 f2, f1, f3;\nmul.f32 f4, f2, "
                   "f1;\nfma.rn.f32 f3, f1, f2, f4;")},
    {"half", loop("fma.rn.f16x2 r1, r2, r3, r4;\nadd.rn.f16x2 r2, r1, r3;\nmul.rn.f16x2 r4, r2, "
                  "r1;\nfma.rn.bf16x2 r3, r1, r2, r4;")},
    {"double", loop("fma.rn.f64 d1, d2, d3, d4;\nadd.f64 d2, d1, d3;\nmul.f64 d4, d2, "
                    "d1;\nfma.rn.f64 d3, d1, d2, d4;")},
    {"functions", loop("ex2.approx.f32 f1, f2;\nrcp.approx.f32 f2, f3;\nsqrt.rn.f32 f3, "
                       "f4;\ndiv.rn.f32 f4, f1, f3;\nmax.f32 f5, f1, f4;\ncvt.rn.f16.f32 h1, "
                       "f5;\nsin.approx.f32 f6, f1;")},
    {"predicates", loop("setp.lt.s32 p1, r1, turn;\n@p1 add.s32 r1, r1, 2;\nselp.b32 r2, r1, turn, "
                        "p1;\n@!p1 mov.b32 r3, r2;")},
    {"memory",
     loop("ld.global.v4.u32 {r1, r2, r3, r4}, [memory];\nadd.u32 r1, r1, 1;\nst.global.v4.u32 "
          "[memory], {r1, r2, r3, r4};\nld.global.u32 r5, [memory];")},
    {"divergent",
     loop(
         "and.b32 r1, turn, 31;\nsetp.lt.u32 p1, t, r1;\n@p1 bra low;\nadd.u32 r2, r2, 1;\nadd.u32 "
         "r3, r3, r2;\nbra join;\nlow:\nadd.u32 r2, r2, 3;\njoin:\nadd.u32 r4, r4, r2;")},
};

/// One warp on one core; items are thread-instructions.
void run(benchmark::State &state, const std::string &text, uint32_t threads) {
  Machine machine({.hostThreads = 1});
  LoadedProgram program = *machine.load(std::make_shared<const Program>(*Program::parse(text)));
  uint64_t memory = *machine.memory().allocate(threads * 16);
  uint64_t instructions = 0;
  for (auto _ : state) {
    Status status = machine.launch(program, "k", {.grid = {}, .block = {threads}},
                                   std::as_bytes(std::span(&memory, 1)));
    if (!status)
      state.SkipWithError(status.reason().text.c_str());
    instructions += machine.statistics().threadInstructions;
  }
  state.SetItemsProcessed(int64_t(instructions));
}

LoadedProgram loadFile(Machine &machine, const char *path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return *machine.load(std::make_shared<const Program>(*Program::parse(text.str())));
}

std::shared_ptr<Observer> lookingOn(bool sanitized) {
  return sanitized ? std::make_shared<sanitize::Sanitizer>() : nullptr;
}

/// A product by tiles in shared memory, square, with or without the sanitizer; items are
/// thread-instructions.
void tiledProduct(benchmark::State &state, bool sanitized) {
  Machine machine({.hostThreads = 1}, lookingOn(sanitized));
  LoadedProgram program = loadFile(machine, TESSERA_BENCH_DATA "/tiled_product.ptx");
  struct {
    uint64_t a, b, c;
    uint32_t n;
  } parameters{0, 0, 0, uint32_t(state.range(0))};
  const size_t count = size_t(parameters.n) * parameters.n;
  const std::vector<float> ones(count, 1);
  for (uint64_t *matrix : {&parameters.a, &parameters.b, &parameters.c}) {
    *matrix = *machine.memory().allocate(count * sizeof(float));
    (void)machine.memory().write(*matrix, std::as_bytes(std::span(ones)));
  }
  uint64_t instructions = 0;
  for (auto _ : state) {
    Status status = machine.launch(
        program, "mm", {.grid = {parameters.n / 16, parameters.n / 16}, .block = {16, 16}},
        std::as_bytes(std::span(&parameters, 1)).first(28));
    if (!status)
      state.SkipWithError(status.reason().text.c_str());
    instructions += machine.statistics().threadInstructions;
  }
  state.SetItemsProcessed(int64_t(instructions));
}

/// examples/gemm.mlir as PTX, square; items are multiplications with an addition.
void gemm(benchmark::State &state, bool sanitized) {
  Machine machine({.hostThreads = 1}, lookingOn(sanitized));
  LoadedProgram program = loadFile(machine, TESSERA_SIM_KERNELS "/gemm.ptx");
  struct Matrix {
    uint64_t data;
    int32_t rows, columns;
    int64_t pitch;
  } matrices[3];
  uint32_t n = uint32_t(state.range(0));
  for (Matrix &m : matrices)
    m = {*machine.memory().allocate(uint64_t(n) * n * 2), int32_t(n), int32_t(n), int64_t(n)};
  const std::vector<std::byte> zeros(size_t(n) * n * 2);
  for (Matrix &m : matrices)
    (void)machine.memory().write(m.data, zeros);
  for (auto _ : state) {
    Status status = machine.launch(
        program, "gemm_kernel",
        {.grid = {n / 128, n / 128}, .block = {128}, .cluster = {}, .dynamicShared = 49152},
        std::as_bytes(std::span(matrices)));
    if (!status)
      state.SkipWithError(status.reason().text.c_str());
  }
  state.SetItemsProcessed(int64_t(state.iterations()) * n * n * n);
}

} // namespace

int main(int count, char **arguments) {
  // Who counts instructions states how many iterations (bench/layout_count.py).
  const char *iterations = std::getenv("TESSERA_ITERATIONS");
  auto stated = [&](benchmark::internal::Benchmark *made) {
    if (iterations)
      made->Iterations(std::atoi(iterations));
  };
  for (const auto &[name, text] : loops)
    stated(benchmark::RegisterBenchmark(name, run, text, 32));
  for (bool sanitized : {false, true}) {
    const std::string end = sanitized ? "/sanitized" : "";
    stated(benchmark::RegisterBenchmark(("tiled_product" + end).c_str(), tiledProduct, sanitized)
               ->Arg(128)
               ->Arg(512)
               ->Unit(benchmark::kMillisecond));
    stated(benchmark::RegisterBenchmark(("gemm" + end).c_str(), gemm, sanitized)
               ->Arg(256)
               ->Arg(1024)
               ->Unit(benchmark::kMillisecond));
  }
  benchmark::Initialize(&count, arguments);
  benchmark::RunSpecifiedBenchmarks();
}
