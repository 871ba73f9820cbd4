// Virtual memory management: addresses and memory apart.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cuda_driver/VirtualMemory.h"

#include "tessera/cuda_driver/Api.h"
#include "tessera/cuda_driver/Driver.h"

using namespace tessera::cuda_driver;

namespace {

constexpr int pinnedType = 1; // CU_MEM_ALLOCATION_TYPE_PINNED

bool isWhole(size_t bytes) { return bytes && bytes % VirtualMemory::granularity == 0; }

/// Calls the body with the memory of a handle.
template <class Body> Code withMemory(unsigned long long handle, Body &&body) {
  return call(Needs::Sound, [&](Driver &driver) {
    auto found = driver.physical.find(handle);
    return found == driver.physical.end() ? Code::InvalidValue : body(driver, found->second);
  });
}

} // namespace

CUDA_API(cuMemGetAllocationGranularity)(size_t *out, const MemoryProperties *properties, int) {
  if (!properties)
    return Code::InvalidValue;
  return call(Needs::Sound, [&](Driver &) {
    if (properties->allocationType != pinnedType)
      return Code::InvalidValue;
    if (!out)
      return Code::InvalidValue;
    *out = VirtualMemory::granularity;
    return Code::Success;
  });
}
CUDA_API(cuMemAddressReserve)
(DevicePointer *out, size_t bytes, size_t alignment, DevicePointer wished, unsigned long long) {
  return call(Needs::Sound, [&](Driver &driver) {
    if (!isWhole(bytes) || (alignment & (alignment - 1)))
      return Code::InvalidValue;
    if (!out)
      return Code::InvalidValue;
    *out = driver.addresses().reserve(bytes, alignment, wished);
    return *out ? Code::Success : Code::OutOfMemory;
  });
}
CUDA_API(cuMemAddressFree)(DevicePointer start, size_t bytes) {
  return call(Needs::Sound, [&](Driver &driver) {
    return driver.addresses().unreserve(start, bytes) ? Code::Success : Code::InvalidValue;
  });
}
CUDA_API(cuMemCreate)
(unsigned long long *out, size_t bytes, const MemoryProperties *properties, unsigned long long) {
  if (!properties)
    return Code::InvalidValue;
  return call(Needs::Sound, [&](Driver &driver) {
    if (!isWhole(bytes) || properties->allocationType != pinnedType ||
        properties->location.type == Location::nowhere)
      return Code::InvalidValue;
    auto made = PhysicalMemory::make(bytes, *properties, driver.machine->memory().budget());
    if (!made)
      return Code::OutOfMemory;
    if (!out)
      return Code::InvalidValue;
    *out = reinterpret_cast<unsigned long long>(made.get());
    driver.physical[*out] = std::move(made);
    return Code::Success;
  });
}
CUDA_API(cuMemRelease)(unsigned long long handle) {
  return withMemory(handle, [&](Driver &driver, const std::shared_ptr<PhysicalMemory> &memory) {
    if (--memory->handles == 0)
      driver.physical.erase(handle); // what is mapped stays until it is unmapped
    return Code::Success;
  });
}
CUDA_API(cuMemRetainAllocationHandle)(unsigned long long *out, void *address) {
  return call(Needs::Sound, [&](Driver &driver) {
    auto memory = driver.addresses().at(reinterpret_cast<DevicePointer>(address));
    if (!memory)
      return Code::InvalidValue;
    if (!out)
      return Code::InvalidValue;
    *out = reinterpret_cast<unsigned long long>(memory.get());
    if (!driver.physical.contains(*out))
      memory->handles = 0;
    ++memory->handles;
    driver.physical[*out] = memory;
    return Code::Success;
  });
}
CUDA_API(cuMemMap)
(DevicePointer start, size_t bytes, size_t offset, unsigned long long handle, unsigned long long) {
  return withMemory(handle, [&](Driver &driver, const std::shared_ptr<PhysicalMemory> &memory) {
    return driver.addresses().map(start, bytes, offset, memory) ? Code::Success
                                                                : Code::InvalidValue;
  });
}
CUDA_API(cuMemUnmap)(DevicePointer start, size_t bytes) {
  return call(Needs::Sound, [&](Driver &driver) {
    driver.hostWaits();
    return driver.addresses().unmap(start, bytes) ? Code::Success : Code::InvalidValue;
  });
}
CUDA_API(cuMemSetAccess)(DevicePointer start, size_t bytes, const AccessOf *access, size_t count) {
  if (!access)
    return Code::InvalidValue;
  return call(Needs::Sound, [&](Driver &driver) {
    Code ended = Code::Success;
    for (size_t i = 0; i < count; ++i)
      if (!driver.addresses().allow(start, bytes, access[i].flags))
        ended = Code::InvalidValue;
    return ended;
  });
}
CUDA_API(cuMemGetAccess)(unsigned long long *flags, const Location *, DevicePointer address) {
  return call(Needs::Sound, [&](Driver &driver) {
    if (!flags)
      return Code::InvalidValue;
    *flags = static_cast<unsigned long long>(driver.addresses().access(address));
    return driver.addresses().at(address) ? Code::Success : Code::InvalidValue;
  });
}
CUDA_API(cuMemGetAllocationPropertiesFromHandle)
(MemoryProperties *out, unsigned long long handle) {
  return withMemory(handle, [&](Driver &, const std::shared_ptr<PhysicalMemory> &memory) {
    if (!out)
      return Code::InvalidValue;
    *out = memory->properties;
    return Code::Success;
  });
}
