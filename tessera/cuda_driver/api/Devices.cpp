// cuInit, versions, errors' names, and the one device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cuda_driver/Api.h"
#include "tessera/cuda_driver/Driver.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

using namespace tessera::cuda_driver;

namespace {

constexpr int driverVersion = 13000; // the interface of CUDA 13.0
constexpr DeviceOrdinal theDevice = 0;
constexpr const char *busId = "0000:01:00.0";

/// A code with its sentence: "invalid value" of CUDA_ERROR_INVALID_VALUE. Made at compile time, as
/// a caller who asks for it may have no memory left.
struct ResultRow {
  int number;
  const char *name;
  std::array<char, 64> text{};

  constexpr ResultRow(int number, const char *name) : number(number), name(name) {
    std::string_view words = name;
    words.remove_prefix(words.starts_with("CUDA_ERROR_") ? 11 : 5);
    for (size_t i = 0; i < words.size(); ++i)
      text[i] = words[i] == '_' ? ' ' : char(words[i] - 'A' + 'a');
  }
};
constexpr ResultRow results[] = {
#define RESULT(number, name, enumerator) ResultRow(number, #name),
#include "tessera/run/CudaResults.def"
#undef RESULT
};

const ResultRow *findResult(Code code) {
  auto found = std::find_if(std::begin(results), std::end(results),
                            [&](const ResultRow &row) { return row.number == int(code); });
  return found == std::end(results) ? nullptr : found;
}

/// For functions that take a device.
template <class Body> Code onDevice(DeviceOrdinal device, Body &&body) {
  return call(Needs::Initialised, [&](Driver &driver) {
    return device == theDevice ? body(driver) : Code::InvalidDevice;
  });
}

Code getUuid(Uuid *out, DeviceOrdinal device) {
  return onDevice(device, [&](Driver &driver) {
    std::memset(out->bytes, 0, sizeof out->bytes);
    std::memcpy(out->bytes, "tessera", 7);
    std::strncpy(out->bytes + 8, std::string(driver.gpu->key).c_str(), 8);
    return Code::Success;
  });
}

} // namespace

CUDA_API(cuInit)(unsigned flags) {
  return call(Needs::Nothing,
              [&](Driver &driver) { return flags ? Code::InvalidValue : driver.initialise(); });
}

CUDA_API(cuDriverGetVersion)(int *version) {
  if (!version)
    return Code::InvalidValue;
  *version = driverVersion;
  return Code::Success;
}

CUDA_API(cuGetErrorName)(Code code, const char **name) {
  if (!name)
    return Code::InvalidValue;
  const ResultRow *row = findResult(code);
  *name = row ? row->name : nullptr;
  return row ? Code::Success : Code::InvalidValue;
}

CUDA_API(cuGetErrorString)(Code code, const char **text) {
  if (!text)
    return Code::InvalidValue;
  const ResultRow *row = findResult(code);
  *text = row ? row->text.data() : nullptr;
  return row ? Code::Success : Code::InvalidValue;
}

CUDA_API(cuDeviceGetCount)(int *count) {
  return call(Needs::Initialised, [&](Driver &) {
    if (!count)
      return Code::InvalidValue;
    *count = 1;
    return Code::Success;
  });
}

CUDA_API(cuDeviceGet)(DeviceOrdinal *device, int ordinal) {
  return onDevice(ordinal, [&](Driver &) {
    if (!device)
      return Code::InvalidValue;
    *device = theDevice;
    return Code::Success;
  });
}

CUDA_API(cuDeviceGetName)(char *name, int length, DeviceOrdinal device) {
  return onDevice(device, [&](Driver &driver) {
    if (length <= 0)
      return Code::InvalidValue;
    std::string text = tessera::cat(driver.gpu->name, " (Tessera)");
    text.resize(std::min(text.size(), size_t(length) - 1));
    std::memcpy(name, text.c_str(), text.size() + 1);
    return Code::Success;
  });
}

CUDA_API(cuDeviceGetUuid)(Uuid *uuid, DeviceOrdinal device) {
  if (!uuid)
    return Code::InvalidValue;
  return getUuid(uuid, device);
}
CUDA_API(cuDeviceGetUuid_v2)(Uuid *uuid, DeviceOrdinal device) {
  if (!uuid)
    return Code::InvalidValue;
  return getUuid(uuid, device);
}

CUDA_API(cuDeviceTotalMem_v2)(size_t *bytes, DeviceOrdinal device) {
  return onDevice(device, [&](Driver &driver) {
    if (!bytes)
      return Code::InvalidValue;
    *bytes = driver.gpu->bytes();
    return Code::Success;
  });
}

CUDA_API(cuDeviceGetAttribute)(int *value, int number, DeviceOrdinal device) {
  return onDevice(device, [&](Driver &driver) {
    std::optional<int> found = attribute(*driver.gpu, number);
    if (!value)
      return Code::InvalidValue;
    if (found)
      *value = *found;
    return found ? Code::Success : Code::InvalidValue;
  });
}

CUDA_API(cuDeviceGetProperties)(DeviceProperties *out, DeviceOrdinal device) {
  return onDevice(device, [&](Driver &driver) {
    auto get = [&](int number) { return attribute(*driver.gpu, number).value_or(0); };
    if (!out)
      return Code::InvalidValue;
    *out = {get(1),
            {get(2), get(3), get(4)},
            {get(5), get(6), get(7)},
            get(8),
            get(9),
            get(10),
            get(11),
            get(12),
            get(13),
            get(14)};
    return Code::Success;
  });
}

CUDA_API(cuDeviceComputeCapability)(int *major, int *minor, DeviceOrdinal device) {
  if (!minor)
    return Code::InvalidValue;
  return onDevice(device, [&](Driver &driver) {
    if (!major)
      return Code::InvalidValue;
    *major = driver.gpu->major;
    *minor = driver.gpu->minor;
    return Code::Success;
  });
}

CUDA_API(cuDeviceGetPCIBusId)(char *text, int length, DeviceOrdinal device) {
  return onDevice(device, [&](Driver &) {
    if (length <= int(std::strlen(busId)))
      return Code::InvalidValue;
    std::strcpy(text, busId);
    return Code::Success;
  });
}

CUDA_API(cuDeviceGetByPCIBusId)(DeviceOrdinal *device, const char *text) {
  if (!text)
    return Code::InvalidValue;
  return call(Needs::Initialised, [&](Driver &) {
    if (!device)
      return Code::InvalidValue;
    *device = theDevice;
    return std::strcmp(text, busId) ? Code::InvalidDevice : Code::Success;
  });
}

CUDA_API(cuDeviceCanAccessPeer)(int *can, DeviceOrdinal device, DeviceOrdinal peer) {
  return onDevice(device, [&](Driver &) {
    if (!can)
      return Code::InvalidValue;
    if (peer != theDevice)
      return Code::InvalidDevice;
    *can = 0; // there is one device
    return Code::Success;
  });
}

CUDA_API(cuDeviceGetExecAffinitySupport)(int *has, int, DeviceOrdinal device) {
  return onDevice(device, [&](Driver &) {
    if (!has)
      return Code::InvalidValue;
    *has = 0;
    return Code::Success;
  });
}

CUDA_API(cuProfilerStart)() {
  return call(Needs::Initialised, [](Driver &) { return Code::Success; });
}
CUDA_API(cuProfilerStop)() {
  return call(Needs::Initialised, [](Driver &) { return Code::Success; });
}
