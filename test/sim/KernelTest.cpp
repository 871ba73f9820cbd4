// Whole kernels: what the compiler makes of examples/ gives the numbers of a plain reference.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Harness.h"

#include <random>

namespace tessera::sim::test {

namespace {

/// How the examples pass a matrix: where it begins, rows and columns, elements from row to row.
struct Matrix {
  uint64_t data;
  int32_t rows, columns;
  int64_t pitch;
};
template <size_t n>
Status run(Bench &bench, const std::string &name, const Matrix (&matrices)[n],
           LaunchConfig config) {
  std::shared_ptr<const Program> program = parsed(kernelFile(name + ".ptx"));
  TESSERA_TRY(LoadedProgram loaded, bench.machine.load(program));
  return bench.machine.launch(loaded, name + "_kernel", config, std::as_bytes(std::span(matrices)));
}

std::vector<_Float16> small(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<_Float16> out(count);
  for (_Float16 &x : out)
    x = _Float16(int(random() % 5) - 2);
  return out;
}

TEST(Kernels, AddsMatricesOfAnySize) {
  constexpr int rows = 37, columns = 200, pitch = 213;
  Bench bench;
  std::vector<float> a(rows * pitch), b(rows * pitch);
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = float(i) * 0.5f, b[i] = float(i % 17) - 8;
  uint64_t pa = bench.buffer(a), pb = bench.buffer(b),
           pc = bench.buffer(std::vector<float>(a.size(), -1));
  Status status =
      run(bench, "add",
          {{pa, rows, columns, pitch}, {pb, rows, columns, pitch}, {pc, rows, columns, pitch}},
          {.grid = {2, 3}, .block = {128}});
  ASSERT_TRUE(status) << status.reason().text;
  std::vector<float> c = bench.read<float>(pc, a.size());
  for (int r = 0; r < rows; ++r)
    for (int k = 0; k < pitch; ++k)
      ASSERT_EQ(c[size_t(r * pitch + k)],
                k < columns ? a[size_t(r * pitch + k)] + b[size_t(r * pitch + k)] : -1)
          << r << "," << k;
}

void checkGemm(int m, int n, int k, Limits limits = {}) {
  Bench bench(limits);
  std::vector<_Float16> a = small(size_t(m) * size_t(k), 1), b = small(size_t(n) * size_t(k), 2);
  uint64_t pa = bench.buffer(a), pb = bench.buffer(b),
           pc = bench.buffer(std::vector<_Float16>(size_t(m) * size_t(n), _Float16(-999)));
  Status status = run(bench, "gemm", {{pa, m, k, k}, {pb, n, k, k}, {pc, m, n, n}},
                      {.grid = {uint32_t(m + 127) / 128, uint32_t(n + 127) / 128},
                       .block = {128},
                       .cluster = {},
                       .dynamicShared = 49152});
  ASSERT_TRUE(status) << status.reason().text;
  std::vector<_Float16> c = bench.read<_Float16>(pc, size_t(m) * size_t(n));
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      int sum = 0;
      for (int l = 0; l < k; ++l)
        sum += int(a[size_t(i * k + l)]) * int(b[size_t(j * k + l)]);
      ASSERT_EQ(float(c[size_t(i * n + j)]), float(sum)) << i << "," << j;
    }
}

TEST(Kernels, MultipliesMatricesWithTensorCores) { checkGemm(128, 128, 64); }
TEST(Kernels, MultipliesMatricesWithRaggedEdges) { checkGemm(200, 136, 72); }
// Copies of cp.async that are made when they are waited for: the kernel waits for all that it
// reads.
TEST(Kernels, MultipliesMatricesWithLateCopies) { checkGemm(130, 129, 96, {.lateCopies = true}); }
TEST(Kernels, MultiplyingHasNoRaces) { checkGemm(130, 129, 96, {.sanitize = true}); }

} // namespace

} // namespace tessera::sim::test
