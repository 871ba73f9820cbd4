// What the programs share: checks that end them with a line, and numbers to compute with.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

/// Ends the program unless a call of the runtime succeeds.
#define CHECK(call)                                                                                \
  do {                                                                                             \
    cudaError_t code = (call);                                                                     \
    if (code != cudaSuccess) {                                                                     \
      std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(code));           \
      std::exit(1);                                                                                \
    }                                                                                              \
  } while (false)

/// Ends the program unless something holds.
#define REQUIRE(what)                                                                              \
  do {                                                                                             \
    if (!(what)) {                                                                                 \
      std::printf("%s:%d: %s does not hold\n", __FILE__, __LINE__, #what);                         \
      std::exit(1);                                                                                \
    }                                                                                              \
  } while (false)

/// Numbers from -8 to 8 that follow from their place: sums of their products are exact.
inline float number(size_t i) { return float(int(i * 2654435761u >> 20 & 15) - 8); }
inline std::vector<float> numbers(size_t count, size_t from = 0) {
  std::vector<float> out(count);
  for (size_t i = 0; i < count; ++i)
    out[i] = number(from + i);
  return out;
}

/// Memory of the device that holds values.
template <class T> T *upload(const std::vector<T> &values) {
  T *out = nullptr;
  CHECK(cudaMalloc(&out, values.size() * sizeof(T)));
  CHECK(cudaMemcpy(out, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return out;
}
template <class T> std::vector<T> download(const T *from, size_t count) {
  std::vector<T> out(count);
  CHECK(cudaMemcpy(out.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost));
  return out;
}

/// The last line of a program that found nothing wrong.
inline int passed() {
  CHECK(cudaDeviceSynchronize());
  std::puts("passed");
  return 0;
}
