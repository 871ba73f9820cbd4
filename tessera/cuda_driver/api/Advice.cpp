// Advice of programs about managed memory. All it changes is what they are told about that memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cuda_driver/Api.h"
#include "tessera/cuda_driver/Driver.h"

#include <algorithm>

using namespace tessera::cuda_driver;

namespace {

/// CUmem_advise.
enum class Counsel : int {
  ReadMostly = 1,
  NotReadMostly = 2,
  Prefer = 3,
  NotPrefer = 4,
  Access = 5,
  NotAccess = 6
};

/// CUmem_range_attribute.
enum class RangeAttribute : int {
  ReadMostly = 1,
  PreferredLocation = 2,
  AccessedBy = 3,
  LastPrefetchLocation = 4,
  PreferredLocationType = 5,
  PreferredLocationId = 6,
  LastPrefetchLocationType = 7,
  LastPrefetchLocationId = 8
};

/// CU_MEM_LOCATION_TYPE_HOST.
constexpr int hostType = 2;

/// What functions from before CUmemLocation call the same place.
Location placeOf(DeviceOrdinal device) {
  return device == onHost ? Location{hostType, 0} : Location{Location::device, device};
}
/// The reverse: nowhere, or places that differ, are CU_DEVICE_INVALID.
DeviceOrdinal ordinalOf(Location place) {
  return place.type == Location::device    ? place.id
         : place.type == Location::nowhere ? nowhere
                                           : onHost;
}

Code advise(DevicePointer start, size_t bytes, Counsel counsel, Location place) {
  return call([&](Driver &driver) {
    if (int(counsel) < int(Counsel::ReadMostly) || int(counsel) > int(Counsel::NotAccess))
      return Code::InvalidValue;
    driver.advice.change(start, bytes, [&](Advice &a) {
      switch (counsel) {
      case Counsel::ReadMostly: a.isReadMostly = true; break;
      case Counsel::NotReadMostly: a.isReadMostly = false; break;
      case Counsel::Prefer: a.preferred = place; break;
      case Counsel::NotPrefer: a.preferred = {}; break;
      case Counsel::Access: a.accessedBy.insert(ordinalOf(place)); break;
      case Counsel::NotAccess: a.accessedBy.erase(ordinalOf(place)); break;
      }
    });
    return Code::Success;
  });
}

Code prefetch(DevicePointer start, size_t bytes, Location place) {
  return call([&](Driver &driver) {
    driver.advice.change(start, bytes, [&](Advice &a) { a.prefetched = place; });
    return Code::Success;
  });
}

/// What all bytes of the range have in common.
Code ask(Driver &driver, void *out, size_t size, RangeAttribute which, DevicePointer start,
         size_t bytes) {
  if (!out || !bytes || size < sizeof(int) || size % sizeof(int))
    return Code::InvalidValue;
  const std::vector<Advice> all = driver.advice.of(start, bytes);
  auto *answer = static_cast<int *>(out);
  auto common = [&](Location Advice::*member) {
    Location first = all[0].*member;
    bool agree = std::all_of(all.begin(), all.end(), [&](const Advice &a) {
      return (a.*member).type == first.type && (a.*member).id == first.id;
    });
    return agree ? first : Location{};
  };
  switch (which) {
  case RangeAttribute::ReadMostly:
    if (!answer)
      return Code::InvalidValue;
    *answer = std::all_of(all.begin(), all.end(), [](const Advice &a) { return a.isReadMostly; });
    return Code::Success;
  case RangeAttribute::AccessedBy: {
    std::set<DeviceOrdinal> by = all[0].accessedBy;
    for (const Advice &a : all)
      std::erase_if(by, [&](DeviceOrdinal device) { return !a.accessedBy.contains(device); });
    std::fill_n(answer, size / sizeof(int), nowhere);
    std::copy_n(by.begin(), std::min(by.size(), size / sizeof(int)), answer);
    return Code::Success;
  }
  case RangeAttribute::PreferredLocation: *answer = ordinalOf(common(&Advice::preferred)); break;
  case RangeAttribute::PreferredLocationType: *answer = common(&Advice::preferred).type; break;
  case RangeAttribute::PreferredLocationId: *answer = common(&Advice::preferred).id; break;
  case RangeAttribute::LastPrefetchLocation:
    if (!answer)
      return Code::InvalidValue;
    *answer = ordinalOf(common(&Advice::prefetched));
    break;
  case RangeAttribute::LastPrefetchLocationType: *answer = common(&Advice::prefetched).type; break;
  case RangeAttribute::LastPrefetchLocationId: *answer = common(&Advice::prefetched).id; break;
  default: return Code::InvalidValue;
  }
  return Code::Success;
}

} // namespace

CUDA_API(cuMemAdvise)(DevicePointer start, size_t bytes, int counsel, DeviceOrdinal device) {
  return advise(start, bytes, Counsel(counsel), placeOf(device));
}
CUDA_API(cuMemAdvise_v2)(DevicePointer start, size_t bytes, int counsel, Location place) {
  return advise(start, bytes, Counsel(counsel), place);
}
CUDA_API(cuMemPrefetchAsync)(DevicePointer start, size_t bytes, DeviceOrdinal device, Stream *) {
  return prefetch(start, bytes, placeOf(device));
}
CUDA_API(cuMemPrefetchAsync_v2)
(DevicePointer start, size_t bytes, Location place, unsigned, Stream *) {
  return prefetch(start, bytes, place);
}
CUDA_API(cuMemRangeGetAttribute)
(void *out, size_t size, int which, DevicePointer start, size_t bytes) {
  return call(
      [&](Driver &driver) { return ask(driver, out, size, RangeAttribute(which), start, bytes); });
}
CUDA_API(cuMemRangeGetAttributes)
(void **out, size_t *sizes, int *which, size_t count, DevicePointer start, size_t bytes) {
  if (!out || !sizes || !which)
    return Code::InvalidValue;
  return call([&](Driver &driver) {
    Code ended = count ? Code::Success : Code::InvalidValue;
    for (size_t i = 0; i < count && ended == Code::Success; ++i)
      ended = ask(driver, out[i], sizes[i], RangeAttribute(which[i]), start, bytes);
    return ended;
  });
}
