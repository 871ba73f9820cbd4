// Memory: of the device, managed, pinned, registered, in pools and in stream order.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cuda_driver/Api.h"
#include "tessera/cuda_driver/Captures.h"
#include "tessera/cuda_driver/Driver.h"

#include <algorithm>

using namespace tessera::cuda_driver;
using tessera::sim::Allocation;
using tessera::sim::Residence;

namespace {

/// CU_MEMPOOL_ATTR_RELEASE_THRESHOLD .. CU_MEMPOOL_ATTR_USED_MEM_HIGH.
enum PoolAttribute : int {
  ReservedNow = 5,
  ReservedMost = 6,
  UsedNow = 7,
  UsedMost = 8,
  LastPoolAttribute = 8
};

bool isRegistered(const Allocation &a) {
  return a.residence == Residence::Borrowed && !Driver::get().addresses().at(a.start);
}
bool isHostMemory(const Allocation &a) {
  return isRegistered(a) || Driver::get().pinned.contains(a.start);
}
bool isManaged(const Allocation &a) { return a.residence == Residence::Both && !isHostMemory(a); }
bool isOfDevice(const Allocation &a) { return !isHostMemory(a) && !isManaged(a); }

/// A module that has managed variables keeps all of its variables where the host may use them.
bool isVariableOfDevice(const Driver &driver, const Allocation &a, DevicePointer address) {
  bool isOne = false;
  driver.modules.forEach([&](const Module &module) {
    if (module.loaded.globals == a.start)
      isOne = std::ranges::none_of(module.loaded.program->globals, [&](const auto &variable) {
        return variable.isManaged && address - a.start - variable.offset < variable.size;
      });
  });
  return isOne;
}

/// For functions that captures forbid, and that may wait for the device.
template <class Body> Code callUnsafe(Body &&body) {
  return call([&](Driver &driver) {
    if (Code code = forbiddenAsUnsafe(driver); code != Code::Success)
      return code;
    driver.hostWaits();
    return body(driver);
  });
}

Code allocate(Driver &driver, size_t bytes, Residence residence, DevicePointer *out) {
  if (!out)
    return Code::InvalidValue;
  tessera::Result<uint64_t> address = driver.machine->memory().allocate(bytes, residence);
  if (!address)
    return Code::OutOfMemory;
  driver.given.insert(*address);
  *out = *address;
  return Code::Success;
}
template <class T> Code allocate(Driver &driver, size_t bytes, Residence residence, T **out) {
  if (!out)
    return Code::InvalidValue;
  DevicePointer address = 0;
  Code ended = bytes ? allocate(driver, bytes, residence, &address) : Code::InvalidValue;
  *out = reinterpret_cast<T *>(address);
  return ended;
}

/// Frees what begins at an address; 0 is nothing.
Code release(Driver &driver, DevicePointer address) {
  if (!address)
    return Code::Success;
  const Allocation *found = driver.allocationOf(address);
  if (!found || found->start != address || found->residence == Residence::Borrowed)
    return Code::InvalidValue;
  driver.drop(*found);
  driver.given.erase(address);
  driver.graphMemory.giveBack(address);
  driver.defaultPool.allocations.erase(address);
  return driver.machine->memory().free(address) ? Code::Success : Code::InvalidValue;
}

Pool *poolOf(Driver &driver, Pool *pool) {
  return pool == &driver.defaultPool || driver.pools.has(pool) ? pool : nullptr;
}

uint64_t bytesOf(Driver &driver, const Pool &pool) {
  uint64_t sum = 0;
  for (uint64_t start : pool.allocations)
    if (const Allocation *found = driver.allocationOf(start))
      sum += found->size;
  return sum;
}

void note(Driver &driver, Pool &pool) {
  for (auto [now, most] : {std::pair{ReservedNow, ReservedMost}, {UsedNow, UsedMost}}) {
    pool.attributes[now] = bytesOf(driver, pool);
    pool.attributes[most] = std::max(pool.attributes[most], pool.attributes[now]);
  }
}

Code allocateInOrder(DevicePointer *out, size_t bytes, Pool *pool, Stream *handle) {
  return call([&](Driver &driver) {
    Stream *stream = driver.find(handle);
    if (!stream || !poolOf(driver, pool))
      return Code::InvalidHandle;
    if (!bytes)
      return Code::InvalidValue;
    if (Code code = stream->capture ? Code::Success : forbiddenAsUnsafe(driver);
        code != Code::Success)
      return code;
    if (Code ended = allocate(driver, bytes, Residence::Device, out); ended != Code::Success)
      return ended;
    pool->allocations.insert(*out);
    note(driver, *pool);
    if (!stream->capture) {
      StreamOrder::Turn turn(driver.order, *stream);
      driver.tell("an allocation in stream order", {{*out, bytes, true}});
      return Code::Success;
    }
    AllocateWork work{};
    work.call.bytes = bytes;
    work.call.pointer = *out;
    return submit(handle, work);
  });
}

/// What is known about an address. Handles such as CUmemRangeHandle are not supported.
Code pointerAttribute(Driver &driver, void *out, PointerAttribute which, DevicePointer address,
                      bool quiet) {
  const Allocation *a = driver.allocationOf(address);
  bool isKnown = a != nullptr;
  auto put = [&](auto value) {
    *static_cast<decltype(value) *>(out) = value;
    return Code::Success;
  };
  if (!isKnown && !quiet && which != PointerAttribute::Mapped)
    return Code::InvalidValue;
  bool isBoth = isKnown && !isOfDevice(*a) && !isVariableOfDevice(driver, *a, address);
  switch (which) {
  case PointerAttribute::Context: return put(isKnown ? driver.current() : nullptr);
  case PointerAttribute::MemoryType:
    return put(!isKnown ? MemoryType{} : isHostMemory(*a) ? MemoryType::Host : MemoryType::Device);
  case PointerAttribute::DevicePointer: return put(isKnown ? address : DevicePointer(0));
  case PointerAttribute::HostPointer:
    if (!isBoth && !quiet)
      return Code::InvalidValue;
    return put(isBoth ? reinterpret_cast<void *>(address) : nullptr);
  case PointerAttribute::SyncMemops: return put(1u);
  case PointerAttribute::BufferId:
    return put(static_cast<unsigned long long>(isKnown ? a->start : 0));
  case PointerAttribute::IsManaged: return put(unsigned(isBoth && isManaged(*a)));
  case PointerAttribute::DeviceOrdinal: return put(isKnown ? 0 : -2);
  case PointerAttribute::RangeStart:
  case PointerAttribute::MappingBase: return put(DevicePointer(isKnown ? a->start : 0));
  case PointerAttribute::RangeSize:
  case PointerAttribute::MappingSize: return put(size_t(isKnown ? a->size : 0));
  case PointerAttribute::Mapped: return put(unsigned(isKnown));
  case PointerAttribute::HandleTypes: return put(static_cast<unsigned long long>(0));
  case PointerAttribute::AccessFlags: return put(3); // read and write
  case PointerAttribute::Pool:
    return put(isKnown && driver.defaultPool.allocations.contains(a->start) ? &driver.defaultPool
                                                                            : nullptr);
  case PointerAttribute::LegacyIpc:
  case PointerAttribute::DirectRdma:
  case PointerAttribute::BlockId:
  case PointerAttribute::HardwareDecompress: return put(0u);
  }
  return Code::InvalidValue;
}

Code allocatePinned(void **out, size_t bytes, unsigned flags = 0) {
  return callUnsafe([&](Driver &driver) {
    constexpr unsigned known = 7; // CU_MEMHOSTALLOC_PORTABLE, _DEVICEMAP and _WRITECOMBINED
    if (!out || flags & ~known)
      return Code::InvalidValue;
    if (!bytes) {
      *out = nullptr;
      return Code::Success;
    }
    Code ended = allocate(driver, bytes, Residence::Both, out);
    if (ended == Code::Success)
      driver.pinned.insert(reinterpret_cast<DevicePointer>(*out));
    return ended;
  });
}

Code success() {
  return call([](Driver &) { return Code::Success; });
}

} // namespace

//===--- Of the device -----------------------------------------------------------------------===//

CUDA_API(cuMemGetInfo_v2)(size_t *free, size_t *total) {
  return call([&](Driver &driver) {
    auto &budget = driver.machine->memory().budget();
    if (total)
      *total = driver.gpu->bytes();
    if (free)
      *free = budget.limit - budget.used();
    return Code::Success;
  });
}
CUDA_API(cuMemAlloc_v2)(DevicePointer *out, size_t bytes) {
  return callUnsafe([&](Driver &driver) {
    return bytes ? allocate(driver, bytes, Residence::Device, out) : Code::InvalidValue;
  });
}
CUDA_API(cuMemAllocPitch_v2)
(DevicePointer *out, size_t *pitch, size_t width, size_t height, unsigned elementBytes) {
  return callUnsafe([&](Driver &driver) {
    constexpr size_t align = 512; // CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT
    if (!pitch || (elementBytes != 4 && elementBytes != 8 && elementBytes != 16))
      return Code::InvalidValue;
    *pitch = (width + align - 1) / align * align;
    if (!width || !height || *pitch < width || height > SIZE_MAX / *pitch)
      return Code::InvalidValue;
    return allocate(driver, *pitch * height, Residence::Device, out);
  });
}
CUDA_API(cuMemFree_v2)(DevicePointer address) {
  return callUnsafe([&](Driver &driver) {
    if (driver.pinned.contains(address))
      return Code::InvalidValue; // cuMemFreeHost frees it
    driver.flush();              // freeing waits for the device
    return release(driver, address);
  });
}
CUDA_API(cuMemGetAddressRange_v2)(DevicePointer *start, size_t *bytes, DevicePointer address) {
  return call([&](Driver &driver) {
    const Allocation *found = driver.allocationOf(address);
    if (!found)
      return Code::NotFound;
    if (start)
      *start = found->start;
    if (bytes)
      *bytes = found->size;
    return Code::Success;
  });
}

//===--- Of the host -------------------------------------------------------------------------===//

CUDA_API(cuMemAllocManaged)(DevicePointer *out, size_t bytes, unsigned flags) {
  return callUnsafe([&](Driver &driver) {
    constexpr unsigned global = 1, host = 2; // CU_MEM_ATTACH_
    return bytes && (flags == global || flags == host)
               ? allocate(driver, bytes, Residence::Both, out)
               : Code::InvalidValue;
  });
}
CUDA_API(cuMemAllocHost_v2)(void **out, size_t bytes) { return allocatePinned(out, bytes); }
CUDA_API(cuMemHostAlloc)(void **out, size_t bytes, unsigned flags) {
  return allocatePinned(out, bytes, flags);
}
CUDA_API(cuMemFreeHost)(void *pointer) {
  return callUnsafe([&](Driver &driver) {
    auto address = reinterpret_cast<DevicePointer>(pointer);
    if (pointer && !driver.pinned.erase(address))
      return Code::InvalidValue;
    return release(driver, address);
  });
}
CUDA_API(cuMemHostRegister_v2)(void *pointer, size_t bytes, unsigned) {
  return callUnsafe([&](Driver &driver) {
    if (!pointer || !bytes)
      return Code::InvalidValue;
    bool taken = !driver.machine->memory().borrow({static_cast<std::byte *>(pointer), bytes});
    if (taken)
      return Code::HostAlreadyRegistered;
    driver.given.insert(reinterpret_cast<DevicePointer>(pointer));
    return Code::Success;
  });
}
CUDA_API(cuMemHostUnregister)(void *pointer) {
  return callUnsafe([&](Driver &driver) {
    auto address = reinterpret_cast<DevicePointer>(pointer);
    const Allocation *found = driver.allocationOf(address);
    if (!found || found->start != address || !isRegistered(*found))
      return Code::HostNotRegistered;
    driver.given.erase(address);
    return driver.machine->memory().free(address) ? Code::Success : Code::InvalidValue;
  });
}
CUDA_API(cuMemHostGetDevicePointer_v2)(DevicePointer *out, void *pointer, unsigned flags) {
  return call([&](Driver &driver) {
    if (!out || flags)
      return Code::InvalidValue;
    *out = reinterpret_cast<DevicePointer>(pointer);
    const Allocation *found = driver.allocationOf(*out);
    return found && !isOfDevice(*found) ? Code::Success : Code::InvalidValue;
  });
}
CUDA_API(cuMemHostGetFlags)(unsigned *flags, void *pointer) {
  return call([&](Driver &driver) {
    if (!flags)
      return Code::InvalidValue;
    *flags = 2; // CU_MEMHOSTALLOC_DEVICEMAP
    return driver.allocationOf(reinterpret_cast<DevicePointer>(pointer)) ? Code::Success
                                                                         : Code::InvalidValue;
  });
}

//===--- Where memory lies, which changes no result ------------------------------------------===//

CUDA_API(cuStreamAttachMemAsync)(Stream *, DevicePointer, size_t, unsigned) { return success(); }

//===--- What is known about addresses -------------------------------------------------------===//

CUDA_API(cuPointerGetAttribute)(void *out, PointerAttribute which, DevicePointer address) {
  return call([&](Driver &driver) { return pointerAttribute(driver, out, which, address, false); });
}
CUDA_API(cuPointerGetAttributes)
(unsigned count, PointerAttribute *which, void **out, DevicePointer address) {
  if (!which || !out)
    return Code::InvalidValue;
  return call([&](Driver &driver) {
    for (unsigned i = 0; i < count; ++i)
      if (Code ended = pointerAttribute(driver, out[i], which[i], address, true);
          ended != Code::Success)
        return ended;
    return Code::Success;
  });
}
CUDA_API(cuPointerSetAttribute)(const void *, PointerAttribute, DevicePointer) { return success(); }

//===--- Pools -------------------------------------------------------------------------------===//

CUDA_API(cuDeviceGetDefaultMemPool)(Pool **pool, DeviceOrdinal) {
  return call(Needs::Sound, [&](Driver &driver) {
    if (!pool)
      return Code::InvalidValue;
    *pool = &driver.defaultPool;
    return Code::Success;
  });
}
CUDA_API(cuDeviceGetMemPool)(Pool **pool, DeviceOrdinal) {
  return call(Needs::Sound, [&](Driver &driver) {
    if (!pool)
      return Code::InvalidValue;
    *pool = driver.pool;
    return Code::Success;
  });
}
CUDA_API(cuDeviceSetMemPool)(DeviceOrdinal, Pool *pool) {
  return call(Needs::Sound, [&](Driver &driver) {
    if (!poolOf(driver, pool))
      return Code::InvalidHandle;
    driver.pool = pool;
    return Code::Success;
  });
}
CUDA_API(cuMemPoolCreate)(Pool **pool, const PoolProperties *) {
  return call(Needs::Sound, [&](Driver &driver) {
    if (!pool)
      return Code::InvalidValue;
    *pool = driver.pools.make();
    return Code::Success;
  });
}
CUDA_API(cuMemPoolDestroy)(Pool *pool) {
  return call(Needs::Sound, [&](Driver &driver) {
    if (driver.pool == pool)
      driver.pool = &driver.defaultPool;
    return driver.pools.remove(pool) ? Code::Success : Code::InvalidHandle;
  });
}
CUDA_API(cuMemPoolTrimTo)(Pool *pool, size_t) {
  return call(
      [&](Driver &driver) { return poolOf(driver, pool) ? Code::Success : Code::InvalidHandle; });
}
CUDA_API(cuMemPoolSetAttribute)(Pool *pool, int which, void *value) {
  return call(Needs::Sound, [&](Driver &driver) {
    if (!poolOf(driver, pool))
      return Code::InvalidHandle;
    if (which < 1 || which > LastPoolAttribute)
      return Code::InvalidValue;
    pool->attributes[which] =
        which < 4 ? uint64_t(*static_cast<int *>(value)) : *static_cast<uint64_t *>(value);
    return Code::Success;
  });
}
CUDA_API(cuMemPoolGetAttribute)(Pool *pool, int which, void *value) {
  return call(Needs::Sound, [&](Driver &driver) {
    if (!poolOf(driver, pool))
      return Code::InvalidHandle;
    if (which < 1 || which > LastPoolAttribute)
      return Code::InvalidValue;
    note(driver, *pool);
    if (which < 4)
      *static_cast<int *>(value) = int(pool->attributes[which]);
    else
      *static_cast<uint64_t *>(value) = pool->attributes[which];
    return Code::Success;
  });
}
CUDA_API(cuMemPoolSetAccess)(Pool *, const void *, size_t) { return success(); }
CUDA_API(cuMemPoolGetAccess)(int *flags, Pool *, Location *) {
  return call(Needs::Sound, [&](Driver &) {
    if (!flags)
      return Code::InvalidValue;
    *flags = 3; // read and write
    return Code::Success;
  });
}
CUDA_API(cuMemAllocAsync)(DevicePointer *out, size_t bytes, Stream *stream) {
  return call(Needs::Sound,
              [&](Driver &driver) { return allocateInOrder(out, bytes, driver.pool, stream); });
}
CUDA_API(cuMemAllocFromPoolAsync)
(DevicePointer *out, size_t bytes, Pool *pool, Stream *stream) {
  return allocateInOrder(out, bytes, pool, stream);
}
CUDA_API(cuMemFreeAsync)(DevicePointer address, Stream *handle) {
  return call(Needs::Sound, [&](Driver &driver) {
    Stream *stream = driver.find(handle);
    if (!stream)
      return Code::InvalidHandle;
    if (stream->capture)
      return submit(handle, FreeWork{address});
    StreamOrder::Turn turn(driver.order, *stream);
    if (const Allocation *found = driver.allocationOf(address))
      driver.tell("a free in stream order", {{found->start, found->size, true}});
    return release(driver, address);
  });
}

//===--- Of graphs ---------------------------------------------------------------------------===//

namespace {

uint64_t *attributeOf(GraphMemory &memory, GraphMemoryAttribute which) {
  switch (which) {
  case GraphMemoryAttribute::Used: return &memory.used;
  case GraphMemoryAttribute::MostUsed: return &memory.mostUsed;
  case GraphMemoryAttribute::Kept: return &memory.kept;
  case GraphMemoryAttribute::MostKept: return &memory.mostKept;
  }
  return nullptr;
}

template <class Body>
Code onGraphMemory(DeviceOrdinal device, GraphMemoryAttribute which, void *value, Body &&body) {
  return call(Needs::Sound, [&](Driver &driver) {
    if (device)
      return Code::InvalidDevice;
    uint64_t *attribute = attributeOf(driver.graphMemory, which);
    if (!attribute || !value)
      return Code::InvalidValue;
    return body(*attribute, *static_cast<uint64_t *>(value));
  });
}

} // namespace

CUDA_API(cuDeviceGraphMemTrim)(DeviceOrdinal device) {
  return call(Needs::Sound, [&](Driver &driver) {
    if (device)
      return Code::InvalidDevice;
    driver.graphMemory.trim();
    return Code::Success;
  });
}
CUDA_API(cuDeviceGetGraphMemAttribute)
(DeviceOrdinal device, GraphMemoryAttribute which, void *value) {
  return onGraphMemory(device, which, value, [](uint64_t &attribute, uint64_t &out) {
    out = attribute;
    return Code::Success;
  });
}
/// Only the largest amounts can be set, and only to zero.
CUDA_API(cuDeviceSetGraphMemAttribute)
(DeviceOrdinal device, GraphMemoryAttribute which, void *value) {
  return onGraphMemory(device, which, value, [&](uint64_t &attribute, uint64_t &in) {
    const bool isMost =
        which == GraphMemoryAttribute::MostUsed || which == GraphMemoryAttribute::MostKept;
    if (!isMost || in)
      return Code::InvalidValue;
    attribute = 0;
    return Code::Success;
  });
}
