// Opens libcuda at run time; the functions used here have had these signatures since CUDA 4.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Device.h"

#include <dlfcn.h>

namespace tessera::atom::test {

namespace {
using Status = int;
using Pointer = unsigned long long;
} // namespace

struct Device::Driver {
  Status (*init)(unsigned);
  Status (*deviceGet)(int *, int);
  Status (*deviceGetName)(char *, int, int);
  Status (*deviceGetAttribute)(int *, int, int);
  Status (*retainContext)(void **, int);
  Status (*setContext)(void *);
  Status (*moduleLoad)(void **, const void *, unsigned, int *, void **);
  Status (*getFunction)(void **, void *, const char *);
  Status (*allocate)(Pointer *, size_t);
  Status (*release)(Pointer);
  Status (*copyIn)(Pointer, const void *, size_t);
  Status (*copyOut)(void *, Pointer, size_t);
  Status (*fill)(Pointer, unsigned char, size_t);
  Status (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                   void *, void **, void **);
  Status (*synchronize)();
  Status (*errorName)(Status, const char **);

  bool open() {
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library)
      return false;
    auto bind = [&](auto &function, const char *symbol) {
      function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(library, symbol));
      return function != nullptr;
    };
    return bind(init, "cuInit") && bind(deviceGet, "cuDeviceGet") &&
           bind(deviceGetName, "cuDeviceGetName") &&
           bind(deviceGetAttribute, "cuDeviceGetAttribute") &&
           bind(retainContext, "cuDevicePrimaryCtxRetain") && bind(setContext, "cuCtxSetCurrent") &&
           bind(moduleLoad, "cuModuleLoadDataEx") && bind(getFunction, "cuModuleGetFunction") &&
           bind(allocate, "cuMemAlloc_v2") && bind(release, "cuMemFree_v2") &&
           bind(copyIn, "cuMemcpyHtoD_v2") && bind(copyOut, "cuMemcpyDtoH_v2") &&
           bind(fill, "cuMemsetD8_v2") && bind(launch, "cuLaunchKernel") &&
           bind(synchronize, "cuCtxSynchronize") && bind(errorName, "cuGetErrorName");
  }
  std::string text(Status status) const {
    const char *name = nullptr;
    errorName(status, &name);
    return name ? name : std::to_string(status);
  }
};

Device::Device(std::unique_ptr<Driver> opened)
    : driver(std::move(opened)), gpuTarget(Target::all()[0]) {}
Device::~Device() = default;

Device *Device::first() {
  static std::unique_ptr<Device> device = []() -> std::unique_ptr<Device> {
    auto driver = std::make_unique<Driver>();
    int ordinal = 0, major = 0, minor = 0;
    void *context = nullptr;
    char name[256] = "";
    constexpr int majorAttribute = 75, minorAttribute = 76;
    if (!driver->open() || driver->init(0) || driver->deviceGet(&ordinal, 0) ||
        driver->deviceGetAttribute(&major, majorAttribute, ordinal) ||
        driver->deviceGetAttribute(&minor, minorAttribute, ordinal) ||
        driver->deviceGetName(name, sizeof(name), ordinal) ||
        driver->retainContext(&context, ordinal) || driver->setContext(context))
      return nullptr;
    std::unique_ptr<Device> opened(new Device(std::move(driver)));
    opened->gpuDescription = cat(name, ", compute capability ", major, ".", minor);
    for (std::string_view suffix : {"", "a"})
      if (Result<Target> target = Target::parse(cat("sm_", major, minor, suffix)))
        opened->gpuTarget = *target;
    return opened;
  }();
  return device.get();
}

Result<void *> Device::load(const std::string &ptx) {
  std::vector<char> log(16384);
  constexpr int errorLogBuffer = 5, errorLogBytes = 6;
  int options[] = {errorLogBuffer, errorLogBytes};
  void *values[] = {log.data(), reinterpret_cast<void *>(log.size())};
  void *module = nullptr;
  if (Status status = driver->moduleLoad(&module, ptx.c_str(), 2, options, values))
    return Reason{"Driver", cat(driver->text(status), ": ", log.data())};
  return module;
}

Result<std::vector<uint32_t>> Device::run(void *module, const std::string &name, int threads,
                                          const std::vector<uint32_t> &input, size_t outputWords,
                                          const Launch &launch) {
  void *function = nullptr;
  Pointer in = 0, out = 0;
  std::vector<uint32_t> output(outputWords);
  size_t bytesIn = input.size() * 4, bytesOut = outputWords * 4;
  std::vector<TensorMapImage> images(launch.maps.size());
  std::vector<void *> arguments = {&in, &out};
  Status status = driver->getFunction(&function, module, name.c_str());
  status = status ? status : driver->allocate(&in, bytesIn);
  status = status ? status : driver->allocate(&out, bytesOut);
  status = status ? status : driver->copyIn(in, input.data(), bytesIn);
  status = status ? status : driver->fill(out, 0, bytesOut);
  for (size_t i = 0; i < images.size(); ++i) {
    TensorMap map = launch.maps[i].map;
    map.address += launch.maps[i].ofOutput ? out : in;
    TESSERA_TRY(images[i], encode(map));
    arguments.push_back(&images[i]);
  }
  status = status ? status
                  : driver->launch(function, unsigned(launch.blocks), 1, 1, unsigned(threads), 1, 1,
                                   launch.sharedBytes, nullptr, arguments.data(), nullptr);
  status = status ? status : driver->synchronize();
  status = status ? status : driver->copyOut(output.data(), out, bytesOut);
  if (status)
    return Reason{"Driver", driver->text(status)};
  driver->release(in);
  driver->release(out);
  return output;
}

} // namespace tessera::atom::test
