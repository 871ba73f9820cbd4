// Memory, copies, fills and symbols.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cuda_runtime/Runtime.h"

#include <algorithm>
#include <cstring>

namespace tessera::cuda_runtime {

namespace {
constexpr MemoryType typeOf(CopyKind kind, bool isFrom) {
  switch (kind) {
  case CopyKind::HostToHost: return MemoryType::Host;
  case CopyKind::HostToDevice: return isFrom ? MemoryType::Host : MemoryType::Device;
  case CopyKind::DeviceToHost: return isFrom ? MemoryType::Device : MemoryType::Host;
  case CopyKind::DeviceToDevice: return MemoryType::Device;
  case CopyKind::Default: return MemoryType::Unified;
  }
  return MemoryType::Unified;
}
CopySide sideOf(const void *pointer, MemoryType type, size_t pitch, size_t height) {
  CopySide out{};
  out.type = type;
  out.host = const_cast<void *>(pointer);
  out.device = address(pointer);
  out.pitch = pitch;
  out.height = height;
  return out;
}
CopySide sideOf(const VolumeSide &side, MemoryType type) {
  CopySide out = sideOf(side.pointer.pointer, side.array ? MemoryType::Array : type,
                        side.pointer.pitch, side.pointer.height);
  out.x = side.at.x;
  out.y = side.at.y;
  out.z = side.at.z;
  out.array = side.array;
  return out;
}
bool isKind(CopyKind kind) { return kind >= CopyKind::HostToHost && kind <= CopyKind::Default; }
} // namespace

Copy3d rowOf(const void *to, const void *from, size_t bytes, CopyKind kind) {
  return {sideOf(from, typeOf(kind, true), bytes, 1), sideOf(to, typeOf(kind, false), bytes, 1),
          bytes, 1, 1};
}
Copy3d copyOf(const VolumeCopy &c) {
  return {sideOf(c.from, typeOf(c.kind, true)), sideOf(c.to, typeOf(c.kind, false)), c.extent.width,
          c.extent.height, c.extent.depth};
}
Code copyRow(void *to, const void *from, size_t bytes, CopyKind kind) {
  if (!isKind(kind))
    return error::cudaErrorInvalidMemcpyDirection;
  Copy3d copy = rowOf(to, from, bytes, kind);
  return cuMemcpy3D_v2(&copy);
}
Code copyRow(void *to, const void *from, size_t bytes, CopyKind kind, Stream *stream) {
  if (!isKind(kind))
    return error::cudaErrorInvalidMemcpyDirection;
  Copy3d copy = rowOf(to, from, bytes, kind);
  return cuMemcpy3DAsync_v2(&copy, stream);
}

namespace {

Copy3d planeOf(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width,
               size_t height, CopyKind kind) {
  return {sideOf(from, typeOf(kind, true), fromPitch, height),
          sideOf(to, typeOf(kind, false), toPitch, height), width, height, 1};
}

/// Whether pitches are at least the width of a copy. As on an H200 with CUDA 13.0, the code for one
/// row differs from that for several, and a copy of no rows is never wrong.
Code pitchesOf(const Copy3d &c) {
  if (!c.height || c.width <= std::min(c.from.pitch, c.to.pitch))
    return Code::Success;
  return c.height == 1 ? Code::InvalidValue : error::cudaErrorInvalidPitchValue;
}

/// An address within a variable, if so many bytes of it are there.
Code within(const void *symbol, size_t bytes, size_t offset, void **out) {
  DevicePointer at = 0;
  size_t size = 0;
  if (Code code = variableOf(symbol, &at, &size); code != Code::Success)
    return code;
  *out = reinterpret_cast<void *>(at + offset);
  return offset <= size && bytes <= size - offset ? Code::Success : Code::InvalidValue;
}

Code allocate(void **out, size_t bytes) {
  if (!out)
    return Code::InvalidValue;
  DevicePointer at = 0;
  Code code = bytes ? cuMemAlloc_v2(&at, bytes) : Code::Success;
  *out = reinterpret_cast<void *>(at);
  return code;
}

} // namespace
} // namespace tessera::cuda_runtime

using namespace tessera::cuda_runtime;

//===--- Allocation --------------------------------------------------------------------------===//

CUDA_RUNTIME(cudaMalloc)(void **out, size_t bytes) {
  return enter([&] { return allocate(out, bytes); });
}
CUDA_RUNTIME(cudaFree)(void *pointer) {
  return enter([&] { return cuMemFree_v2(address(pointer)); });
}
CUDA_RUNTIME(cudaMallocHost)(void **out, size_t bytes) {
  return enter([&] { return cuMemAllocHost_v2(out, bytes); });
}
CUDA_RUNTIME(cudaHostAlloc)(void **out, size_t bytes, unsigned flags) {
  return enter([&] { return cuMemHostAlloc(out, bytes, flags); });
}
CUDA_RUNTIME(cudaFreeHost)(void *pointer) {
  return enter([&] { return cuMemFreeHost(pointer); });
}
CUDA_RUNTIME(cudaMallocManaged)(DevicePointer *out, size_t bytes, unsigned flags) {
  return enter([&] {
    if (out && !bytes) {
      *out = 0;
      return Code::Success;
    }
    return cuMemAllocManaged(out, bytes, flags);
  });
}
CUDA_RUNTIME(cudaMallocPitch)(DevicePointer *out, size_t *pitch, size_t width, size_t height) {
  return enter([&] {
    if (out && pitch && (!width || !height)) {
      *out = *pitch = 0;
      return Code::Success;
    }
    return cuMemAllocPitch_v2(out, pitch, width, height, 4);
  });
}
CUDA_RUNTIME(cudaMalloc3D)(Pitched *out, Extent extent) {
  if (!out)
    return keep(Code::InvalidValue);
  return enter([&] {
    DevicePointer at = 0;
    Code code = cuMemAllocPitch_v2(&at, &out->pitch, extent.width, extent.height * extent.depth, 4);
    out->pointer = reinterpret_cast<void *>(at);
    out->width = extent.width;
    out->height = extent.height;
    return code;
  });
}
CUDA_RUNTIME(cudaPointerGetAttributes)(PointerAttributes *out, const void *pointer) {
  return enter([&] {
    if (!out)
      return Code::InvalidValue;
    unsigned isManaged = 0;
    MemoryType type{};
    *out = {};
    out->device = -2; // cudaInvalidDeviceId
    PointerAttribute which[] = {PointerAttribute::MemoryType, PointerAttribute::IsManaged,
                                PointerAttribute::DevicePointer, PointerAttribute::HostPointer,
                                PointerAttribute::DeviceOrdinal};
    void *places[] = {&type, &isManaged, &out->devicePointer, &out->hostPointer, &out->device};
    Code code = cuPointerGetAttributes(5, which, places, address(pointer));
    out->type = isManaged ? 3 : int(type);
    if (out->type == 0)
      out->hostPointer = const_cast<void *>(pointer);
    return code;
  });
}

//===--- Copies ------------------------------------------------------------------------------===//

CUDA_RUNTIME(cudaMemcpy)(void *to, const void *from, size_t bytes, CopyKind kind) {
  return enter([&] { return copyRow(to, from, bytes, kind); });
}
CUDA_RUNTIME(cudaMemcpyAsync)
(void *to, const void *from, size_t bytes, CopyKind kind, Stream *stream) {
  return enter([&] { return copyRow(to, from, bytes, kind, stream); });
}
CUDA_RUNTIME(cudaMemcpyPeer)(void *to, int, const void *from, int, size_t bytes) {
  return enter([&] { return copyRow(to, from, bytes, CopyKind::DeviceToDevice); });
}
CUDA_RUNTIME(cudaMemcpyPeerAsync)
(void *to, int, const void *from, int, size_t bytes, Stream *stream) {
  return enter([&] { return copyRow(to, from, bytes, CopyKind::DeviceToDevice, stream); });
}
CUDA_RUNTIME(cudaMemcpy2D)
(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width, size_t height,
 CopyKind kind) {
  return enter([&] {
    Copy3d copy = planeOf(to, toPitch, from, fromPitch, width, height, kind);
    Code code = pitchesOf(copy);
    return code == Code::Success ? cuMemcpy3D_v2(&copy) : code;
  });
}
CUDA_RUNTIME(cudaMemcpy2DAsync)
(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width, size_t height,
 CopyKind kind, Stream *stream) {
  return enter([&] {
    Copy3d copy = planeOf(to, toPitch, from, fromPitch, width, height, kind);
    Code code = pitchesOf(copy);
    return code == Code::Success ? cuMemcpy3DAsync_v2(&copy, stream) : code;
  });
}
CUDA_RUNTIME(cudaMemcpy3D)(const VolumeCopy *volume) {
  if (!volume)
    return keep(Code::InvalidValue);
  return enter([&] {
    Copy3d copy = copyOf(*volume);
    return cuMemcpy3D_v2(&copy);
  });
}
CUDA_RUNTIME(cudaMemcpy3DAsync)(const VolumeCopy *volume, Stream *stream) {
  if (!volume)
    return keep(Code::InvalidValue);
  return enter([&] {
    Copy3d copy = copyOf(*volume);
    return cuMemcpy3DAsync_v2(&copy, stream);
  });
}

//===--- Fills -------------------------------------------------------------------------------===//

CUDA_RUNTIME(cudaMemset)(void *to, int value, size_t bytes) {
  return enter(
      [&] { return cuMemsetD8_v2(address(to), static_cast<unsigned char>(value), bytes); });
}
CUDA_RUNTIME(cudaMemsetAsync)(void *to, int value, size_t bytes, Stream *stream) {
  return enter([&] {
    return cuMemsetD8Async(address(to), static_cast<unsigned char>(value), bytes, stream);
  });
}
CUDA_RUNTIME(cudaMemset2DAsync)
(void *to, size_t pitch, int value, size_t width, size_t height, Stream *stream) {
  return enter([&] {
    return cuMemsetD2D8Async(address(to), pitch, static_cast<unsigned char>(value), width, height,
                             stream);
  });
}
CUDA_RUNTIME(cudaMemset2D)(void *to, size_t pitch, int value, size_t width, size_t height) {
  return enter([&] {
    return cuMemsetD2D8_v2(address(to), pitch, static_cast<unsigned char>(value), width, height);
  });
}
CUDA_RUNTIME(cudaMemset3DAsync)(Pitched to, int value, Extent extent, Stream *stream) {
  return enter([&] {
    if (!extent.width || !extent.height)
      return Code::Success;
    for (size_t z = 0; z < extent.depth; ++z)
      if (Code code = cuMemsetD2D8Async(address(to.pointer) + z * to.height * to.pitch, to.pitch,
                                        static_cast<unsigned char>(value), extent.width,
                                        extent.height, stream);
          code != Code::Success)
        return code;
    return Code::Success;
  });
}
CUDA_RUNTIME(cudaMemset3D)(Pitched to, int value, Extent extent) {
  return cudaMemset3DAsync(to, value, extent, nullptr);
}

//===--- Symbols -----------------------------------------------------------------------------===//

CUDA_RUNTIME(cudaGetSymbolAddress)(DevicePointer *out, const void *symbol) {
  return enter([&] { return variableOf(symbol, out, nullptr); });
}
CUDA_RUNTIME(cudaGetSymbolSize)(size_t *bytes, const void *symbol) {
  return enter([&] { return variableOf(symbol, nullptr, bytes); });
}
CUDA_RUNTIME(cudaMemcpyToSymbol)
(const void *symbol, const void *from, size_t bytes, size_t offset, CopyKind kind) {
  return enter([&] {
    void *to = nullptr;
    Code code = within(symbol, bytes, offset, &to);
    return code == Code::Success ? copyRow(to, from, bytes, kind) : code;
  });
}
CUDA_RUNTIME(cudaMemcpyFromSymbol)
(void *to, const void *symbol, size_t bytes, size_t offset, CopyKind kind) {
  return enter([&] {
    void *from = nullptr;
    Code code = within(symbol, bytes, offset, &from);
    return code == Code::Success ? copyRow(to, from, bytes, kind) : code;
  });
}
CUDA_RUNTIME(cudaMemcpyToSymbolAsync)
(const void *symbol, const void *from, size_t bytes, size_t offset, CopyKind kind, Stream *stream) {
  return enter([&] {
    void *to = nullptr;
    Code code = within(symbol, bytes, offset, &to);
    return code == Code::Success ? copyRow(to, from, bytes, kind, stream) : code;
  });
}
CUDA_RUNTIME(cudaMemcpyFromSymbolAsync)
(void *to, const void *symbol, size_t bytes, size_t offset, CopyKind kind, Stream *stream) {
  return enter([&] {
    void *from = nullptr;
    Code code = within(symbol, bytes, offset, &from);
    return code == Code::Success ? copyRow(to, from, bytes, kind, stream) : code;
  });
}
