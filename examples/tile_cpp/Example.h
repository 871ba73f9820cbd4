// Example: what the examples share: the device that the command line names, and a look at results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/tile.h>
#ifdef TESSERA_TILE_RUN
#include <tessera/tile_run/Runners.h>
#endif

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <random>

using namespace tessera::tile;

class Example {
public:
  /// Without arguments on the interpreter, else on `sim` or `cuda`.
  Example([[maybe_unused]] int argc, char **argv) : name(argv[0]), target(&interpreter()) {
    name = std::strrchr(name, '/') ? std::strrchr(name, '/') + 1 : name;
#ifdef TESSERA_TILE_RUN
    if (argc > 1)
      target = std::strcmp(argv[1], "cuda") ? &simulator("sm_80") : &cuda_device(0);
#endif
  }

  /// Runs a kernel: run(kernel, arguments...) or run(kernel, Grid{...}, arguments...).
  template <class... A> void run(A &&...arguments) {
    Outcome done = run_on(*target, arguments...);
    std::fputs(done.text().c_str(), stderr);
    isRight = isRight && done.ok();
  }
  /// Compares with wanted(i) for each element in row-major order, relative to numbers of
  /// magnitude 1.
  template <class A, class F> void expect(const A &array, F wanted, double tolerance) {
    for (int64_t i = 0; i < array.size(); ++i) {
      double should = wanted(i), error = std::fabs(double(array[i]) - should);
      worst =
          std::max(worst, std::isnan(error) ? INFINITY : error / std::max(1.0, std::fabs(should)));
    }
    isRight = isRight && worst <= tolerance;
  }
  int finish() const {
    std::printf("%s: %s, largest error %.2g\n", name, isRight ? "right" : "WRONG", worst);
    return isRight ? 0 : 1;
  }

  /// Numbers from -1 to 1 that are the same in each run.
  double random() { return uniform(engine); }
  template <class A> void fill(A &array) {
    array.fill([&](int64_t) { return random(); });
  }

private:
  const char *name;
  Runner *target;
  bool isRight = true;
  double worst = 0;
  std::mt19937 engine{1};
  std::uniform_real_distribution<double> uniform{-1, 1};
};
