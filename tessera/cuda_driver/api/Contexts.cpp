// Contexts: the primary one and those that programs make. All share the device's memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cuda_driver/Api.h"
#include "tessera/cuda_driver/Captures.h"
#include "tessera/cuda_driver/Driver.h"

#include <algorithm>

using namespace tessera::cuda_driver;

namespace {

bool isContext(Driver &driver, const Context *context) { return driver.has(context); }

/// What was current before becomes so again.
void pop(Driver &driver) {
  std::vector<Context *> &stack = driver.pushed();
  driver.current() = stack.empty() ? nullptr : stack.back();
  if (!stack.empty())
    stack.pop_back();
}

/// A context that is made is also the current one.
Code create(Context **out, unsigned flags, DeviceOrdinal device) {
  return call(Needs::Initialised, [&](Driver &driver) {
    if (device != 0)
      return Code::InvalidDevice;
    if (!out)
      return Code::InvalidValue;
    Context *made = driver.contexts.make(Context{.flags = flags, .id = driver.nextId()});
    driver.pushed().push_back(driver.current());
    *out = driver.current() = made;
    return Code::Success;
  });
}

Code synchronise() {
  return call(Needs::Initialised, [](Driver &driver) {
    driver.flush();
    if (!driver.current())
      return Code::InvalidContext;
    if (Code code = forbiddenByAny(driver); code != Code::Success)
      return code;
    driver.hostWaits();
    return driver.fault();
  });
}

Code release(DeviceOrdinal device) {
  return call(Needs::Initialised, [&](Driver &driver) {
    if (device != 0)
      return Code::InvalidDevice;
    if (!driver.primaryUses)
      return Code::InvalidContext;
    --driver.primaryUses;
    driver.flush();
    return Code::Success;
  });
}

Code reset(DeviceOrdinal device) {
  return call(Needs::Initialised, [&](Driver &driver) {
    if (device != 0)
      return Code::InvalidDevice;
    driver.reset();
    return driver.fault();
  });
}

Code setFlags(DeviceOrdinal device, unsigned flags) {
  return call(Needs::Initialised, [&](Driver &driver) {
    driver.primaryFlags = flags;
    return device == 0 ? Code::Success : Code::InvalidDevice;
  });
}

} // namespace

CUDA_API(cuDevicePrimaryCtxRetain)(Context **context, DeviceOrdinal device) {
  return call(Needs::Initialised, [&](Driver &driver) {
    if (device != 0)
      return Code::InvalidDevice;
    if (!driver.primary.id)
      driver.primary.id = driver.nextId();
    ++driver.primaryUses;
    if (!context)
      return Code::InvalidValue;
    *context = &driver.primary;
    return Code::Success;
  });
}
CUDA_API(cuDevicePrimaryCtxRelease)(DeviceOrdinal device) { return release(device); }
CUDA_API(cuDevicePrimaryCtxRelease_v2)(DeviceOrdinal device) { return release(device); }
CUDA_API(cuDevicePrimaryCtxReset)(DeviceOrdinal device) { return reset(device); }
CUDA_API(cuDevicePrimaryCtxReset_v2)(DeviceOrdinal device) { return reset(device); }
CUDA_API(cuDevicePrimaryCtxSetFlags)(DeviceOrdinal device, unsigned flags) {
  return setFlags(device, flags);
}
CUDA_API(cuDevicePrimaryCtxSetFlags_v2)(DeviceOrdinal device, unsigned flags) {
  return setFlags(device, flags);
}
CUDA_API(cuDevicePrimaryCtxGetState)(DeviceOrdinal device, unsigned *flags, int *isActive) {
  if (!isActive)
    return Code::InvalidValue;
  return call(Needs::Initialised, [&](Driver &driver) {
    if (!flags)
      return Code::InvalidValue;
    *flags = driver.primaryFlags;
    *isActive = driver.primaryUses > 0;
    return device == 0 ? Code::Success : Code::InvalidDevice;
  });
}

CUDA_API(cuCtxCreate_v2)(Context **context, unsigned flags, DeviceOrdinal device) {
  return create(context, flags, device);
}
CUDA_API(cuCtxCreate_v3)(Context **context, void *, int, unsigned flags, DeviceOrdinal device) {
  return create(context, flags, device);
}
CUDA_API(cuCtxCreate_v4)(Context **context, void *, unsigned flags, DeviceOrdinal device) {
  return create(context, flags, device);
}
CUDA_API(cuCtxDestroy_v2)(Context *context) {
  return call(Needs::Initialised, [&](Driver &driver) {
    driver.flush();
    if (context == &driver.primary || !isContext(driver, context))
      return Code::InvalidContext;
    if (driver.current() == context)
      pop(driver); // CUDA Driver API, cuCtxDestroy
    driver.contexts.remove(context);
    return Code::Success;
  });
}
CUDA_API(cuCtxSetCurrent)(Context *context) {
  return call(Needs::Initialised, [&](Driver &driver) {
    if (context && !isContext(driver, context))
      return Code::InvalidContext;
    driver.current() = context;
    return Code::Success;
  });
}
CUDA_API(cuCtxGetCurrent)(Context **context) {
  return call(Needs::Initialised, [&](Driver &driver) {
    if (!context)
      return Code::InvalidValue;
    *context = driver.current();
    return Code::Success;
  });
}
CUDA_API(cuCtxPushCurrent_v2)(Context *context) {
  return call(Needs::Initialised, [&](Driver &driver) {
    if (!isContext(driver, context))
      return context ? Code::InvalidContext : Code::InvalidValue;
    driver.pushed().push_back(driver.current());
    driver.current() = context;
    return Code::Success;
  });
}
CUDA_API(cuCtxPopCurrent_v2)(Context **context) {
  return call(Needs::Initialised, [&](Driver &driver) {
    if (!driver.current())
      return Code::InvalidContext;
    if (context)
      *context = driver.current();
    pop(driver);
    return Code::Success;
  });
}
CUDA_API(cuCtxGetDevice)(DeviceOrdinal *device) {
  return call(Needs::Initialised, [&](Driver &driver) {
    if (!device)
      return Code::InvalidValue;
    *device = 0;
    return driver.current() ? Code::Success : Code::InvalidContext;
  });
}
CUDA_API(cuCtxGetDevice_v2)(DeviceOrdinal *device, Context *) {
  return call(Needs::Initialised, [&](Driver &) {
    if (!device)
      return Code::InvalidValue;
    *device = 0;
    return Code::Success;
  });
}
CUDA_API(cuCtxGetFlags)(unsigned *flags) {
  return call(Needs::Initialised, [&](Driver &driver) {
    Context *context = driver.current();
    if (!context)
      return Code::InvalidContext;
    if (!flags)
      return Code::InvalidValue;
    *flags = context->isPrimary ? driver.primaryFlags : context->flags;
    return Code::Success;
  });
}
CUDA_API(cuCtxSetFlags)(unsigned flags) {
  return call(Needs::Initialised, [&](Driver &driver) {
    Context *context = driver.current();
    if (!context)
      return Code::InvalidContext;
    (context->isPrimary ? driver.primaryFlags : context->flags) = flags;
    return Code::Success;
  });
}
CUDA_API(cuCtxGetId)(Context *context, unsigned long long *id) {
  return call(Needs::Initialised, [&](Driver &driver) {
    context = context ? context : driver.current();
    if (!context || !isContext(driver, context))
      return Code::InvalidContext;
    if (!id)
      return Code::InvalidValue;
    *id = context->id;
    return Code::Success;
  });
}
CUDA_API(cuCtxSynchronize)() { return synchronise(); }
CUDA_API(cuCtxSynchronize_v2)(Context *) { return synchronise(); }

CUDA_API(cuCtxGetApiVersion)(Context *, unsigned *version) {
  return call(Needs::Initialised, [&](Driver &) {
    if (!version)
      return Code::InvalidValue;
    *version = 3020; // as it is since then
    return Code::Success;
  });
}
CUDA_API(cuCtxGetStreamPriorityRange)(int *least, int *greatest) {
  return call(Needs::Initialised, [&](Driver &) {
    if (least)
      *least = 0;
    if (greatest)
      *greatest = -5;
    return Code::Success;
  });
}
CUDA_API(cuCtxGetLimit)(size_t *value, int limit) {
  return call(Needs::Initialised, [&](Driver &driver) {
    auto found = driver.limits.find(limit);
    if (found == driver.limits.end())
      return Code::UnsupportedLimit;
    if (!value)
      return Code::InvalidValue;
    *value = found->second;
    return Code::Success;
  });
}
CUDA_API(cuCtxSetLimit)(int limit, size_t value) {
  return call(Needs::Initialised, [&](Driver &driver) {
    if (!driver.limits.contains(limit))
      return Code::UnsupportedLimit;
    if (Code code = forbiddenAsUnsafe(driver); code != Code::Success)
      return code;
    constexpr int stack = 0; // CU_LIMIT_STACK_SIZE: at most the local memory of a thread
    if (limit == stack && value > 512 * 1024)
      return Code::InvalidValue;
    constexpr int heap = 2; // CU_LIMIT_MALLOC_HEAP_SIZE, which a kernel that called malloc fixes
    if (limit == heap && !driver.machine->setHeapBytes(value))
      return Code::InvalidValue;
    driver.limits[limit] = value;
    return Code::Success;
  });
}
CUDA_API(cuCtxGetCacheConfig)(int *config) {
  return call(Needs::Initialised, [&](Driver &) {
    if (!config)
      return Code::InvalidValue;
    *config = 0; // no preference
    return Code::Success;
  });
}
CUDA_API(cuCtxSetCacheConfig)(int) {
  return call(Needs::Initialised, [](Driver &) { return Code::Success; });
}
CUDA_API(cuCtxGetSharedMemConfig)(int *config) {
  return call(Needs::Initialised, [&](Driver &) {
    if (!config)
      return Code::InvalidValue;
    *config = 1; // banks of four bytes
    return Code::Success;
  });
}
CUDA_API(cuCtxSetSharedMemConfig)(int) {
  return call(Needs::Initialised, [](Driver &) { return Code::Success; });
}
CUDA_API(cuCtxResetPersistingL2Cache)() {
  return call(Needs::Initialised, [](Driver &) { return Code::Success; });
}
