// Launches, occupancy and tensor maps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cuda_driver/Api.h"
#include "tessera/cuda_driver/Driver.h"
#include "tessera/sim/Errors.h"

#include <algorithm>
#include <cstring>

using namespace tessera::cuda_driver;
namespace atom = tessera::atom;

namespace {

Code launch(const LaunchConfig &config, Kernel *kernel, void **arguments, void **extra) {
  return call([&](Driver &driver) {
    if (!driver.find(config.stream))
      return Code::InvalidHandle;
    LaunchWork work;
    Code made = makeLaunch(config, kernel, arguments, extra, work);
    return made == Code::Success ? submit(config.stream, std::move(work)) : made;
  });
}

LaunchAttribute cooperative() {
  LaunchAttribute out{.id = LaunchAttributeId::Cooperative, .padding = {}, .value = {}};
  out.value.flag = 1;
  return out;
}

template <class Body> Code onKernel(const Kernel *kernel, Body &&body) {
  return call([&](Driver &driver) {
    return driver.kernels.has(kernel) ? body(driver) : Code::InvalidHandle;
  });
}

Code blocksOf(int *out, const Kernel *kernel, int threads, size_t sharedBytes) {
  return onKernel(kernel, [&](Driver &) {
    if (threads < 1)
      return Code::InvalidValue;
    if (!out)
      return Code::InvalidValue;
    *out = threads > 1024 ? 0 : activeBlocks(*kernel, threads, sharedBytes);
    return Code::Success;
  });
}

/// The block with which most threads are resident; of several the largest.
Code bestBlock(int *grid, int *block, const Kernel *kernel, SharedOfBlock sharedOf, size_t shared,
               int limit) {
  return onKernel(kernel, [&](Driver &driver) {
    int most = std::min(limit > 0 ? limit : 1024, 1024), best = 0;
    for (int threads = most / 32 * 32; threads > 0; threads -= 32) {
      int blocks = activeBlocks(*kernel, threads, sharedOf ? sharedOf(threads) : shared);
      if (blocks * threads > best) {
        best = blocks * threads;
        if (!block)
          return Code::InvalidValue;
        *block = threads;
        if (!grid)
          return Code::InvalidValue;
        *grid = blocks * driver.gpu->multiprocessors;
      }
    }
    return best ? Code::Success : Code::InvalidValue;
  });
}

/// Whether a map of the program's lies where maps may. cuda.h before 13.0 aligns them to 64 bytes
/// only, so that their bytes are copied.
bool isPlace(const TensorMap *map, const char *function) {
  constexpr uintptr_t alignment = 64;
  const auto address = reinterpret_cast<uintptr_t>(map);
  if (map && address % alignment)
    say(fail(Error::MapPlace, function, tessera::sim::hex(address)));
  return map && address % alignment == 0;
}

/// A tensor map by the limits of the GPU and the table of fields of `atom`.
Code encode(TensorMap *out, const atom::TensorMap &map) {
  return call([&](Driver &driver) {
    bool isSpecial = driver.gpu->major >= 9; // the architecture's own features are what GPUs have
    tessera::Result<atom::Target> target = atom::Target::parse(
        tessera::cat("sm_", driver.gpu->major * 10 + driver.gpu->minor, isSpecial ? "a" : ""));
    std::optional<tessera::Reason> broken = target ? atom::check(map, *target) : target.reason();
    tessera::Result<atom::TensorMapImage> image =
        broken ? tessera::Result<atom::TensorMapImage>(*broken) : atom::encode(map);
    if (!image) {
      say(image.reason());
      return Code::InvalidValue;
    }
    if (!isPlace(out, "cuTensorMapEncode"))
      return Code::InvalidValue;
    std::memcpy(static_cast<void *>(out), &*image, sizeof *image);
    return Code::Success;
  });
}

/// What the three functions share. Ranks above the largest are left to the check.
atom::TensorMap describe(atom::TensorMapKind kind, int type, unsigned rank, const void *address,
                         const uint64_t *dims, const uint64_t *strides, const unsigned *steps,
                         int interleave, int swizzle, int promotion, int fill) {
  atom::TensorMap map{.kind = kind,
                      .type = atom::TensorMapType(type),
                      .rank = rank,
                      .address = reinterpret_cast<uint64_t>(address)};
  size_t modes = std::min<size_t>(rank, atom::TensorMap::maxRank);
  std::copy_n(dims, modes, map.dims.begin());
  std::copy_n(strides, modes ? modes - 1 : 0, map.strides.begin());
  std::copy_n(steps, modes, map.steps.begin());
  map.interleave = atom::TensorMapInterleave(interleave);
  map.swizzle = atom::TensorMapSwizzle(swizzle);
  map.promotion = atom::TensorMapPromotion(promotion);
  map.fill = atom::TensorMapFill(fill);
  return map;
}

} // namespace

//===--- Launches ----------------------------------------------------------------------------===//

CUDA_API(cuLaunchKernel)
(Kernel *kernel, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX, unsigned blockY,
 unsigned blockZ, unsigned sharedBytes, Stream *stream, void **arguments, void **extra) {
  return launch({.grid = {gridX, gridY, gridZ},
                 .block = {blockX, blockY, blockZ},
                 .sharedBytes = sharedBytes,
                 .stream = stream},
                kernel, arguments, extra);
}
CUDA_API(cuLaunchKernelEx)
(const LaunchConfig *config, Kernel *kernel, void **arguments, void **extra) {
  if (!config)
    return Code::InvalidValue;
  return launch(*config, kernel, arguments, extra);
}
CUDA_API(cuLaunchCooperativeKernel)
(Kernel *kernel, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX, unsigned blockY,
 unsigned blockZ, unsigned sharedBytes, Stream *stream, void **arguments) {
  LaunchAttribute together = cooperative();
  return launch({.grid = {gridX, gridY, gridZ},
                 .block = {blockX, blockY, blockZ},
                 .sharedBytes = sharedBytes,
                 .stream = stream,
                 .attributes = &together,
                 .attributeCount = 1},
                kernel, arguments, nullptr);
}

//===--- Occupancy ---------------------------------------------------------------------------===//

CUDA_API(cuOccupancyMaxActiveBlocksPerMultiprocessor)
(int *out, Kernel *kernel, int threads, size_t sharedBytes) {
  return blocksOf(out, kernel, threads, sharedBytes);
}
CUDA_API(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)
(int *out, Kernel *kernel, int threads, size_t sharedBytes, unsigned) {
  return blocksOf(out, kernel, threads, sharedBytes);
}
CUDA_API(cuOccupancyMaxPotentialBlockSize)
(int *grid, int *block, Kernel *kernel, SharedOfBlock sharedOf, size_t shared, int limit) {
  return bestBlock(grid, block, kernel, sharedOf, shared, limit);
}
CUDA_API(cuOccupancyMaxPotentialBlockSizeWithFlags)
(int *grid, int *block, Kernel *kernel, SharedOfBlock sharedOf, size_t shared, int limit,
 unsigned) {
  return bestBlock(grid, block, kernel, sharedOf, shared, limit);
}
CUDA_API(cuOccupancyAvailableDynamicSMemPerBlock)
(size_t *out, Kernel *kernel, int blocks, int threads) {
  return onKernel(kernel, [&](Driver &driver) {
    const atom::Multiprocessor &sm = driver.gpu->multiprocessor();
    if (blocks < 1 || threads < 1 || activeBlocks(*kernel, threads, 0) < blocks)
      return Code::InvalidValue;
    auto each = size_t(sm.sharedBytes() / blocks - sm.reservedBytes());
    if (!out)
      return Code::InvalidValue;
    *out = std::min(each, size_t(sm.sharedOfBlock())) - kernel->function->sharedBytes;
    return Code::Success;
  });
}
CUDA_API(cuOccupancyMaxPotentialClusterSize)(int *out, Kernel *kernel, const LaunchConfig *) {
  return onKernel(kernel, [&](Driver &driver) {
    auto asked = kernel->chosen.find(FunctionAttribute::NonPortableClusterAllowed);
    bool large = asked != kernel->chosen.end() && asked->second;
    if (!out)
      return Code::InvalidValue;
    *out = !driver.gpu->hasClusters() ? 1 : large ? 16 : 8;
    return Code::Success;
  });
}
CUDA_API(cuOccupancyMaxActiveClusters)(int *out, Kernel *kernel, const LaunchConfig *config) {
  if (!config)
    return Code::InvalidValue;
  return onKernel(kernel, [&](Driver &driver) {
    LaunchWork work;
    std::vector<std::byte> nothing(kernel->function->parameterBytes);
    std::vector<void *> arguments(kernel->function->parameters.size(), nothing.data());
    if (Code made = makeLaunch(*config, kernel, arguments.data(), nullptr, work);
        made != Code::Success)
      return made;
    Extents e = work.cluster.value_or(Extents{});
    int blocks = activeBlocks(*kernel, int(blockOf(work).x * blockOf(work).y * blockOf(work).z),
                              work.sharedBytes);
    if (!out)
      return Code::InvalidValue;
    *out = blocks * driver.gpu->multiprocessors / int(e.x * e.y * e.z);
    return Code::Success;
  });
}

//===--- Tensor maps -------------------------------------------------------------------------===//

CUDA_API(cuTensorMapEncodeTiled)
(TensorMap *out, int type, unsigned rank, void *address, const uint64_t *dims,
 const uint64_t *strides, const unsigned *box, const unsigned *steps, int interleave, int swizzle,
 int promotion, int fill) {
  atom::TensorMap map = describe(atom::TensorMapKind::Tiled, type, rank, address, dims, strides,
                                 steps, interleave, swizzle, promotion, fill);
  std::copy_n(box, std::min<size_t>(rank, atom::TensorMap::maxRank), map.box.begin());
  return encode(out, map);
}
CUDA_API(cuTensorMapEncodeIm2col)
(TensorMap *out, int type, unsigned rank, void *address, const uint64_t *dims,
 const uint64_t *strides, const int *lower, const int *upper, unsigned channels, unsigned pixels,
 const unsigned *steps, int interleave, int swizzle, int promotion, int fill) {
  if (!lower || !upper)
    return Code::InvalidValue;
  atom::TensorMap map = describe(atom::TensorMapKind::Im2col, type, rank, address, dims, strides,
                                 steps, interleave, swizzle, promotion, fill);
  map.channels = channels;
  map.pixels = pixels;
  size_t modes = rank <= atom::TensorMap::maxRank ? atom::boundedModes(map) : 0;
  std::copy_n(lower, modes, map.lower.begin());
  std::copy_n(upper, modes, map.upper.begin());
  return encode(out, map);
}
CUDA_API(cuTensorMapEncodeIm2colWide)
(TensorMap *out, int type, unsigned rank, void *address, const uint64_t *dims,
 const uint64_t *strides, int lower, int upper, unsigned channels, unsigned pixels,
 const unsigned *steps, int interleave, int mode, int swizzle, int promotion, int fill) {
  atom::TensorMap map = describe(atom::TensorMapKind::Im2colWide, type, rank, address, dims,
                                 strides, steps, interleave, swizzle, promotion, fill);
  map.channels = channels;
  map.pixels = pixels;
  map.lower[0] = lower;
  map.upper[0] = upper;
  map.mode = atom::TensorMapWideMode(mode);
  return encode(out, map);
}
CUDA_API(cuTensorMapReplaceAddress)(TensorMap *map, void *address) {
  return call(Needs::Nothing, [&](Driver &) {
    if (!isPlace(map, "cuTensorMapReplaceAddress"))
      return Code::InvalidValue;
    TensorMap changed;
    std::memcpy(&changed, static_cast<const void *>(map), sizeof changed);
    if (atom::replace(changed, atom::TensorMapField::GlobalAddress, 0,
                      reinterpret_cast<uint64_t>(address)))
      return Code::InvalidValue;
    std::memcpy(static_cast<void *>(map), &changed, sizeof changed);
    return Code::Success;
  });
}
