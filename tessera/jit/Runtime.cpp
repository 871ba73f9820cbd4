// The runtime's kernels and the functions that compiled host code calls.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/jit/Runtime.h"

#include "tessera/base/Guarded.h"
#include "tessera/jit/Errors.h"
#include "tessera/run/CudaTypes.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <type_traits>

namespace tessera::jit {

namespace {

// What host code sees of a launch.
constexpr auto success = int32_t(run::cuda::Code::Success),
               invalidValue = int32_t(run::cuda::Code::InvalidValue),
               invalidContext = int32_t(run::cuda::Code::InvalidContext),
               notFound = int32_t(run::cuda::Code::NotFound),
               unknown = int32_t(run::cuda::Code::Unknown);

thread_local Runtime *current = nullptr;

/// The memory that host code reserves for a configuration (lower/CudaHostToLLVM.cpp) holds a
/// run::LaunchConfig, which nobody destroys.
constexpr size_t configBytes = 128, configAlignment = 16;
static_assert(sizeof(run::LaunchConfig) <= configBytes);
static_assert(alignof(run::LaunchConfig) <= configAlignment);
static_assert(std::is_trivially_destructible_v<run::LaunchConfig>);

run::LaunchConfig &configAt(void *memory) {
  return *std::launder(static_cast<run::LaunchConfig *>(memory));
}

template <class F> Symbol symbol(const char *name, F *function) {
  return {name, reinterpret_cast<void *>(function)};
}

} // namespace

void Runtime::add(std::string module, std::string kernel, run::Kernel loaded) {
  kernels.insert_or_assign({std::move(module), std::move(kernel)}, std::move(loaded));
}

const run::Kernel *Runtime::find(std::string_view module, std::string_view kernel) const {
  auto found = kernels.find(Before::Views(module, kernel));
  return found == kernels.end() ? nullptr : &found->second;
}

/// Memory for the first reason is reserved; later ones may be lost where memory runs out.
int32_t Runtime::fail(int32_t code, Reason reason) noexcept {
  try {
    reasons.push_back(std::move(reason));
  } catch (...) {
  }
  return code;
}

int32_t Runtime::launch(const char *module, const char *kernel, const run::LaunchConfig &config,
                        std::span<void *const> arguments) {
  return guarded([&] { return queue(module, kernel, config, arguments); },
                 [&](Reason reason) { return fail(unknown, std::move(reason)); });
}

int32_t Runtime::queue(const char *module, const char *kernel, const run::LaunchConfig &config,
                       std::span<void *const> arguments) {
  const run::Kernel *loaded = find(module, kernel);
  if (!loaded) {
    std::string known;
    for (const auto &[names, unused] : kernels)
      known += cat(known.empty() ? "" : ", ", "@", names.first, "::@", names.second);
    return fail(notFound, jit::fail(Error::LaunchKernelUnknown, module, kernel,
                                    known.empty() ? "none" : known));
  }
  auto refuse = [&] { refused = refused.empty() ? kernel : refused; };
  if (std::exchange(brokenTensorMap, false)) {
    refuse();
    return invalidValue;
  }
  run::Status status = device.launch(loaded->id, config, arguments);
  if (status)
    status = launchLog.note(module, kernel, config);
  if (!status && (status.reason().id == outOfMemoryId || status.reason().id == outOfThreadsId))
    return fail(unknown, status.reason());
  if (!status) {
    refuse();
    bool driver = status.reason().id == run::errors[size_t(run::Error::CudaCall)].id;
    return fail(driver ? unknown : invalidValue,
                jit::fail(Error::LaunchRefused, module, kernel, status.reason().text));
  }
  ++launched;
  return success;
}

void Runtime::tensorMap(const atom::TensorMap &map, void *image) {
  auto refused = [&](Reason reason) {
    brokenTensorMap = true;
    fail(invalidValue, std::move(reason));
  };
  guarded(
      [&] {
        Result<atom::TensorMapImage> encoded = device.encodeTensorMap(map);
        if (encoded)
          std::memcpy(image, encoded->words.data(), sizeof encoded->words);
        else
          refused(jit::fail(Error::TensorMapRefused, encoded.reason().text));
      },
      refused);
}

CurrentRuntime::CurrentRuntime(Runtime &runtime) : before(std::exchange(current, &runtime)) {}
CurrentRuntime::~CurrentRuntime() { current = before; }

std::span<const Symbol> runtimeSymbols() {
  static const Symbol symbols[] = {
      symbol("tessera_rt_launch_config", tessera_rt_launch_config),
      symbol("tessera_rt_launch_cluster", tessera_rt_launch_cluster),
      symbol("tessera_rt_launch_programmatic", tessera_rt_launch_programmatic),
      symbol("tessera_rt_launch_cooperative", tessera_rt_launch_cooperative),
      symbol("tessera_rt_launch", tessera_rt_launch),
      symbol("tessera_rt_tensor_map", tessera_rt_tensor_map),
      symbol("tessera_rt_tensor_map_im2col", tessera_rt_tensor_map_im2col),
      symbol("tessera_rt_tensor_map_im2col_wide", tessera_rt_tensor_map_im2col_wide),
  };
  return symbols;
}

} // namespace tessera::jit

using namespace tessera;

extern "C" {

void tessera_rt_launch_config(void *config, int32_t blockX, int32_t blockY, int32_t blockZ,
                              int64_t dynamicSharedBytes, int32_t gridX, int32_t gridY,
                              int32_t gridZ, void *stream, int32_t /*maxAttributes*/) {
  auto *made = new (config) run::LaunchConfig;
  made->block = {blockX, blockY, blockZ};
  made->grid = {gridX, gridY, gridZ};
  made->dynamicSharedBytes = dynamicSharedBytes;
  made->stream = run::StreamId(reinterpret_cast<uint64_t>(stream));
}

void tessera_rt_launch_cluster(void *config, int32_t x, int32_t y, int32_t z) {
  jit::configAt(config).cluster = run::Dim3{x, y, z};
}

void tessera_rt_launch_programmatic(void *config, int32_t allowed) {
  jit::configAt(config).programmaticStreamSerialization = allowed != 0;
}

void tessera_rt_launch_cooperative(void *config, int32_t cooperative) {
  jit::configAt(config).cooperative = cooperative != 0;
}

static atom::TensorMap tensorOf(uint64_t tensor, int32_t rank, const int64_t *extents,
                                const int64_t *strides, int32_t type, int32_t swizzle) {
  atom::TensorMap map;
  map.type = atom::TensorMapType(type);
  map.rank = uint32_t(rank);
  map.address = tensor;
  for (int32_t i = 0; i < rank; ++i) {
    map.dims[size_t(i)] = uint64_t(extents[i]);
    if (i)
      map.strides[size_t(i) - 1] = uint64_t(strides[i - 1]);
  }
  map.swizzle = atom::TensorMapSwizzle(swizzle);
  map.promotion = atom::TensorMapPromotion::B128; // what CuTe asks for
  return map;
}

void tessera_rt_tensor_map(void *image, uint64_t tensor, int32_t rank, const int64_t *extents,
                           const int64_t *strides, const int32_t *box, int32_t type,
                           int32_t swizzle) {
  if (!jit::current)
    return;
  atom::TensorMap map = tensorOf(tensor, rank, extents, strides, type, swizzle);
  std::copy_n(box, rank, map.box.begin());
  jit::current->tensorMap(map, image);
}

void tessera_rt_tensor_map_im2col(void *image, uint64_t tensor, int32_t rank,
                                  const int64_t *extents, const int64_t *strides,
                                  const int32_t *lower, const int32_t *upper, const int32_t *steps,
                                  int32_t channels, int32_t pixels, int32_t type, int32_t swizzle) {
  if (!jit::current)
    return;
  atom::TensorMap map = tensorOf(tensor, rank, extents, strides, type, swizzle);
  map.kind = atom::TensorMapKind::Im2col;
  std::copy_n(lower, rank - 2, map.lower.begin());
  std::copy_n(upper, rank - 2, map.upper.begin());
  std::copy_n(steps, rank, map.steps.begin());
  map.channels = uint32_t(channels);
  map.pixels = uint32_t(pixels);
  jit::current->tensorMap(map, image);
}

void tessera_rt_tensor_map_im2col_wide(void *image, uint64_t tensor, int32_t rank,
                                       const int64_t *extents, const int64_t *strides,
                                       int32_t lower, int32_t upper, const int32_t *steps,
                                       int32_t channels, int32_t pixels, int32_t type,
                                       int32_t swizzle, int32_t mode) {
  if (!jit::current)
    return;
  atom::TensorMap map = tensorOf(tensor, rank, extents, strides, type, swizzle);
  map.kind = atom::TensorMapKind::Im2colWide;
  map.mode = atom::TensorMapWideMode(mode);
  map.lower[0] = lower;
  map.upper[0] = upper;
  std::copy_n(steps, rank, map.steps.begin());
  map.channels = uint32_t(channels);
  map.pixels = uint32_t(pixels);
  jit::current->tensorMap(map, image);
}

int32_t tessera_rt_launch(const char *module, const char *kernel, void *config, void **arguments,
                          int32_t count) {
  if (!jit::current)
    return jit::invalidContext;
  return jit::current->launch(module, kernel, jit::configAt(config), {arguments, size_t(count)});
}

} // extern "C"
