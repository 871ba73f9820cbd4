// Cubins and PTX onto devices.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/program/Loading.h"

#include "tessera/run/ModuleImage.h"

namespace tessera::program {

namespace {

struct Attempt {
  Loaded loaded;
  int64_t localBytes = 0; // per thread: stack and spills
};

Result<Attempt> loadWith(run::Device &device, std::span<const std::byte> image,
                         const std::vector<std::string> &names, const run::ModuleOptions &how) {
  Attempt attempt;
  TESSERA_TRY(attempt.loaded.module, device.loadModule(image, how));
  for (const std::string &name : names) {
    TESSERA_TRY(run::Kernel kernel, device.kernel(attempt.loaded.module.id, name));
    attempt.localBytes += kernel.info.localBytes;
    attempt.loaded.kernels.push_back(std::move(kernel));
  }
  return attempt;
}

/// Like ptx::assemble with the driver's compiler, whose log may not mention spills.
Result<Attempt> loadBest(run::Device &device, std::span<const std::byte> image,
                         const std::vector<std::string> &names) {
  TESSERA_TRY(Attempt best, loadWith(device, image, names, {}));
  if (best.localBytes == 0)
    return best;
  TESSERA_TRY(Attempt calmer, loadWith(device, image, names, {.optimizationLevel = 2}));
  if (calmer.localBytes < best.localBytes)
    std::swap(best, calmer);
  TESSERA_CHECK(device.unloadModule(calmer.loaded.module.id));
  return best;
}

} // namespace

Result<Loaded> load(run::Device &device, const DeviceImage &image) {
  std::span<const std::byte> bytes = run::bytesOf(image.code);
  TESSERA_TRY(run::ModuleImage inspected, run::inspectImage(bytes));
  if (inspected.kernels.empty())
    return Loaded{};
  bool isPtx = inspected.kind == run::ImageKind::Ptx;
  TESSERA_TRY(Attempt done, isPtx ? loadBest(device, bytes, inspected.kernels)
                                  : loadWith(device, bytes, inspected.kernels, {}));
  done.loaded.wasCompiled = isPtx;
  return std::move(done.loaded);
}

} // namespace tessera::program
