// Rows of GPUs and attributes, looked up.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cuda_driver/Gpu.h"

#include <algorithm>

namespace tessera::cuda_driver {

namespace {
constexpr Gpu gpus[] = {
#define GPU(...) {__VA_ARGS__},
#include "tessera/cuda_driver/Gpus.def"
#undef GPU
};
} // namespace

const Gpu *findGpu(std::string_view key) {
  auto found = std::find_if(std::begin(gpus), std::end(gpus),
                            [&](const Gpu &gpu) { return gpu.key == key; });
  return found == std::end(gpus) ? nullptr : found;
}

std::string gpuNames() {
  std::string out;
  for (const Gpu &gpu : gpus)
    (out += out.empty() ? "" : ", ") += gpu.key;
  return out;
}

std::optional<int> attribute(const Gpu &gpu, int number) {
  const atom::Multiprocessor &sm = gpu.multiprocessor();
  switch (number) {
#define ATTRIBUTE(number, name, value)                                                             \
  case number: return int(value);
#include "tessera/cuda_driver/Attributes.def"
#undef ATTRIBUTE
  default: return std::nullopt;
  }
}

} // namespace tessera::cuda_driver
