// Copies and fills of all shapes: each becomes a Copy3d or a Fill.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cuda_driver/Api.h"
#include "tessera/cuda_driver/Captures.h"
#include "tessera/cuda_driver/Driver.h"

using namespace tessera::cuda_driver;

namespace {

CopySide side(MemoryType type, DevicePointer address, size_t bytes) {
  CopySide out{};
  out.type = type;
  out.host = reinterpret_cast<void *>(address);
  out.device = address;
  out.pitch = bytes;
  out.height = 1;
  return out;
}
CopySide host(const void *pointer, size_t bytes) {
  return side(MemoryType::Host, reinterpret_cast<DevicePointer>(pointer), bytes);
}
CopySide device(DevicePointer address, size_t bytes) {
  return side(MemoryType::Device, address, bytes);
}
CopySide either(DevicePointer address, size_t bytes) {
  return side(MemoryType::Unified, address, bytes);
}
CopySide side(const CopySide2d &s) {
  CopySide out = side(s.type, s.device, s.pitch);
  out.x = s.x;
  out.y = s.y;
  out.host = s.host;
  out.array = s.array;
  return out;
}
Copy3d row(const CopySide &from, const CopySide &to, size_t bytes) {
  return {from, to, bytes, 1, 1};
}
Copy3d plane(const Copy2d &c) { return {side(c.from), side(c.to), c.width, c.height, 1}; }
Copy3d volume(const Copy3d &copy) {
  Copy3d out = copy;
  for (CopySide *s : {&out.from, &out.to}) // the device is the same everywhere
    s->context = nullptr;
  return out;
}

/// Whether the host waits for a copy or a fill that touches this memory. CUDA Runtime API 2: for
/// copies within the device and fills of its memory it does not.
bool isHosts(Driver &driver, const CopySide &side) {
  if (side.type == MemoryType::Host)
    return true;
  const tessera::sim::Allocation *found = driver.allocationOf(side.device);
  return !found || found->residence != tessera::sim::Residence::Device;
}

/// A copy whose end the host waits for: before it all that kernels printed comes out.
Code copyNow(const Copy3d &copy) {
  return call([&](Driver &driver) {
    if (Code code = forbiddenOnLegacy(driver); code != Code::Success)
      return code;
    driver.flush();
    StreamOrder::Turn turn(driver.order, driver.legacy);
    Code code = run(Work(copy));
    if (isHosts(driver, copy.from) || isHosts(driver, copy.to))
      driver.hostWaitsForWork();
    return code;
  });
}
/// If the copy is to pageable memory of the host, the call ends when the copy does.
Code copyInOrder(const Copy3d &copy, Stream *handle) {
  return call([&](Driver &driver) {
    Code code = submit(handle, copy);
    Stream *stream = driver.find(handle);
    if (stream && !stream->capture && copy.to.type != MemoryType::Device &&
        !driver.allocationOf(copy.to.type == MemoryType::Host
                                 ? reinterpret_cast<DevicePointer>(copy.to.host)
                                 : copy.to.device))
      driver.hostWaits(*stream);
    return code;
  });
}
Code fillNow(const Fill &fill) {
  return call([&](Driver &driver) {
    Code code = forbiddenOnLegacy(driver);
    if (code != Code::Success)
      return code;
    StreamOrder::Turn turn(driver.order, driver.legacy);
    code = run(Work(fill));
    if (isHosts(driver, device(fill.to, 0)))
      driver.hostWaitsForWork();
    return code;
  });
}
Code fillInOrder(const Fill &fill, Stream *stream) {
  return call([&](Driver &) { return submit(stream, fill); });
}
Fill row(DevicePointer to, unsigned value, unsigned elementBytes, size_t count) {
  return {to, 0, value, elementBytes, count, 1, nullptr};
}

} // namespace

//===--- Copies ------------------------------------------------------------------------------===//

CUDA_API(cuMemcpy)(DevicePointer to, DevicePointer from, size_t bytes) {
  return copyNow(row(either(from, bytes), either(to, bytes), bytes));
}
CUDA_API(cuMemcpyAsync)(DevicePointer to, DevicePointer from, size_t bytes, Stream *stream) {
  return copyInOrder(row(either(from, bytes), either(to, bytes), bytes), stream);
}
CUDA_API(cuMemcpyHtoD_v2)(DevicePointer to, const void *from, size_t bytes) {
  return copyNow(row(host(from, bytes), device(to, bytes), bytes));
}
CUDA_API(cuMemcpyDtoH_v2)(void *to, DevicePointer from, size_t bytes) {
  return copyNow(row(device(from, bytes), host(to, bytes), bytes));
}
CUDA_API(cuMemcpyDtoD_v2)(DevicePointer to, DevicePointer from, size_t bytes) {
  return copyNow(row(device(from, bytes), device(to, bytes), bytes));
}
CUDA_API(cuMemcpyHtoDAsync_v2)(DevicePointer to, const void *from, size_t bytes, Stream *stream) {
  return copyInOrder(row(host(from, bytes), device(to, bytes), bytes), stream);
}
CUDA_API(cuMemcpyDtoHAsync_v2)(void *to, DevicePointer from, size_t bytes, Stream *stream) {
  return copyInOrder(row(device(from, bytes), host(to, bytes), bytes), stream);
}
CUDA_API(cuMemcpyDtoDAsync_v2)
(DevicePointer to, DevicePointer from, size_t bytes, Stream *stream) {
  return copyInOrder(row(device(from, bytes), device(to, bytes), bytes), stream);
}
CUDA_API(cuMemcpyPeer)(DevicePointer to, Context *, DevicePointer from, Context *, size_t bytes) {
  return copyNow(row(device(from, bytes), device(to, bytes), bytes));
}
CUDA_API(cuMemcpyPeerAsync)
(DevicePointer to, Context *, DevicePointer from, Context *, size_t bytes, Stream *stream) {
  return copyInOrder(row(device(from, bytes), device(to, bytes), bytes), stream);
}
CUDA_API(cuMemcpy2D_v2)(const Copy2d *copy) {
  if (!copy)
    return Code::InvalidValue;
  return copyNow(plane(*copy));
}
CUDA_API(cuMemcpy2DUnaligned_v2)(const Copy2d *copy) {
  if (!copy)
    return Code::InvalidValue;
  return copyNow(plane(*copy));
}
CUDA_API(cuMemcpy2DAsync_v2)(const Copy2d *copy, Stream *stream) {
  if (!copy)
    return Code::InvalidValue;
  return copyInOrder(plane(*copy), stream);
}
CUDA_API(cuMemcpy3D_v2)(const Copy3d *copy) {
  if (!copy)
    return Code::InvalidValue;
  return copyNow(volume(*copy));
}
CUDA_API(cuMemcpy3DAsync_v2)(const Copy3d *copy, Stream *stream) {
  if (!copy)
    return Code::InvalidValue;
  return copyInOrder(volume(*copy), stream);
}
CUDA_API(cuMemcpy3DPeer)(const Copy3d *copy) {
  if (!copy)
    return Code::InvalidValue;
  return copyNow(volume(*copy));
}
CUDA_API(cuMemcpy3DPeerAsync)(const Copy3d *copy, Stream *stream) {
  if (!copy)
    return Code::InvalidValue;
  return copyInOrder(volume(*copy), stream);
}

//===--- Fills -------------------------------------------------------------------------------===//

CUDA_API(cuMemsetD8_v2)(DevicePointer to, unsigned char value, size_t count) {
  return fillNow(row(to, value, 1, count));
}
CUDA_API(cuMemsetD16_v2)(DevicePointer to, unsigned short value, size_t count) {
  return fillNow(row(to, value, 2, count));
}
CUDA_API(cuMemsetD32_v2)(DevicePointer to, unsigned value, size_t count) {
  return fillNow(row(to, value, 4, count));
}
CUDA_API(cuMemsetD8Async)(DevicePointer to, unsigned char value, size_t count, Stream *stream) {
  return fillInOrder(row(to, value, 1, count), stream);
}
CUDA_API(cuMemsetD16Async)(DevicePointer to, unsigned short value, size_t count, Stream *stream) {
  return fillInOrder(row(to, value, 2, count), stream);
}
CUDA_API(cuMemsetD32Async)(DevicePointer to, unsigned value, size_t count, Stream *stream) {
  return fillInOrder(row(to, value, 4, count), stream);
}
CUDA_API(cuMemsetD2D8_v2)
(DevicePointer to, size_t pitch, unsigned char value, size_t width, size_t height) {
  return fillNow({to, pitch, value, 1, width, height, nullptr});
}
CUDA_API(cuMemsetD2D16_v2)
(DevicePointer to, size_t pitch, unsigned short value, size_t width, size_t height) {
  return fillNow({to, pitch, value, 2, width, height, nullptr});
}
CUDA_API(cuMemsetD2D32_v2)
(DevicePointer to, size_t pitch, unsigned value, size_t width, size_t height) {
  return fillNow({to, pitch, value, 4, width, height, nullptr});
}
CUDA_API(cuMemsetD2D8Async)
(DevicePointer to, size_t pitch, unsigned char value, size_t width, size_t height, Stream *stream) {
  return fillInOrder({to, pitch, value, 1, width, height, nullptr}, stream);
}
CUDA_API(cuMemsetD2D16Async)
(DevicePointer to, size_t pitch, unsigned short value, size_t width, size_t height,
 Stream *stream) {
  return fillInOrder({to, pitch, value, 2, width, height, nullptr}, stream);
}
CUDA_API(cuMemsetD2D32Async)
(DevicePointer to, size_t pitch, unsigned value, size_t width, size_t height, Stream *stream) {
  return fillInOrder({to, pitch, value, 4, width, height, nullptr}, stream);
}

//===--- Batches -----------------------------------------------------------------------------===//

namespace {

/// Copies of a batch have no order among each other on a GPU; here they run in that of the list.
Code submitBatch(Stream *handle, const std::vector<Copy3d> &copies) {
  return call([&](Driver &driver) {
    Stream *stream = driver.find(handle);
    if (!stream)
      return Code::InvalidHandle;
    if (stream == &driver.legacy)
      return Code::InvalidValue;
    for (const Copy3d &copy : copies)
      if (Code ended = copyInOrder(copy, handle); ended != Code::Success)
        return ended;
    return Code::Success;
  });
}

constexpr unsigned overlaps = 1; // CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE
constexpr bool isOrder(int order) { return order >= 1 && order <= 3; }

Code copyBatch(const DevicePointer *to, const DevicePointer *from, const size_t *bytes,
               size_t count, const CopyAttributes *attributes, const size_t *begins,
               size_t attributeCount, Stream *stream) {
  if (!to || !from || !bytes || !count || !attributes || !begins || !attributeCount ||
      attributeCount > count || begins[0])
    return Code::InvalidValue;
  for (size_t i = 0; i < attributeCount; ++i)
    if (!isOrder(attributes[i].order) || attributes[i].flags & ~overlaps || begins[i] >= count ||
        (i && begins[i] <= begins[i - 1]))
      return Code::InvalidValue;
  std::vector<Copy3d> copies;
  for (size_t i = 0; i < count; ++i) {
    if (!to[i] || !from[i] || !bytes[i])
      return Code::InvalidValue;
    copies.push_back(row(either(from[i], bytes[i]), either(to[i], bytes[i]), bytes[i]));
  }
  return submitBatch(stream, copies);
}

Code copyVolumes(size_t count, const CopyOfBatch *copies, unsigned long long flags,
                 Stream *stream) {
  if (!count || !copies || flags)
    return Code::InvalidValue;
  std::vector<Copy3d> out;
  for (size_t i = 0; i < count; ++i) {
    const CopyOfBatch &c = copies[i];
    if (!isOrder(c.order) || c.flags & ~overlaps || !c.width || !c.height || !c.depth)
      return Code::InvalidValue;
    Copy3d copy{{}, {}, c.width, c.height, c.depth};
    for (auto [operand, side] : {std::pair(&c.from, &copy.from), std::pair(&c.to, &copy.to)}) {
      if (operand->type == CopyOperand::array)
        return refuse("a copy of a CUDA array", "there are no textures and surfaces");
      const auto &m = operand->memory;
      if (operand->type != CopyOperand::pointer || !m.address ||
          (m.rowLength && m.rowLength < c.width) || (m.layerHeight && m.layerHeight < c.height))
        return Code::InvalidValue;
      *side = either(m.address, m.rowLength ? m.rowLength : c.width);
      side->height = m.layerHeight ? m.layerHeight : c.height;
    }
    out.push_back(copy);
  }
  return submitBatch(stream, out);
}

} // namespace

CUDA_API(cuMemcpyBatchAsync)
(DevicePointer *to, DevicePointer *from, size_t *bytes, size_t count, CopyAttributes *attributes,
 size_t *begins, size_t attributeCount, size_t *failed, Stream *stream) {
  if (failed)
    *failed = SIZE_MAX; // no copy is to blame
  return copyBatch(to, from, bytes, count, attributes, begins, attributeCount, stream);
}
CUDA_API(cuMemcpyBatchAsync_v2)
(const DevicePointer *to, const DevicePointer *from, const size_t *bytes, size_t count,
 const CopyAttributes *attributes, const size_t *begins, size_t attributeCount, Stream *stream) {
  return copyBatch(to, from, bytes, count, attributes, begins, attributeCount, stream);
}
CUDA_API(cuMemcpy3DBatchAsync)
(size_t count, CopyOfBatch *copies, size_t *failed, unsigned long long flags, Stream *stream) {
  if (failed)
    *failed = SIZE_MAX;
  return copyVolumes(count, copies, flags, stream);
}
CUDA_API(cuMemcpy3DBatchAsync_v2)
(size_t count, const CopyOfBatch *copies, unsigned long long flags, Stream *stream) {
  return copyVolumes(count, copies, flags, stream);
}
