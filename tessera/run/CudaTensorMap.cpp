// Tensor maps by the driver: it is asked although we know the bits, as they are not documented.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/run/CudaDevice.h"

#include <algorithm>
#include <cstdio>

namespace tessera::run {

using atom::TensorMapKind;

namespace {

/// The driver's answer; none if it has no such function, as before CUDA 12.0 (for
/// Im2colWide: 12.8).
std::optional<Status> ask(const cuda::Driver &driver, const atom::TensorMap &m,
                          cuda::TensorMap &image) {
  const cuda::Functions &f = driver.functions();
  auto call = [&](const auto &entry, auto... fields) -> std::optional<Status> {
    if (!entry.pointer)
      return std::nullopt;
    return driver.call(entry, &image, int(m.type), m.rank, reinterpret_cast<void *>(m.address),
                       m.dims.data(), m.strides.data(), fields..., int(m.swizzle), int(m.promotion),
                       int(m.fill));
  };
  const unsigned *steps = m.steps.data();
  int interleave = int(m.interleave);
  switch (m.kind) {
  case TensorMapKind::Tiled: return call(f.encodeTiled, m.box.data(), steps, interleave);
  case TensorMapKind::Im2col:
    return call(f.encodeIm2col, m.lower.data(), m.upper.data(), m.channels, m.pixels, steps,
                interleave);
  case TensorMapKind::Im2colWide:
    return call(f.encodeIm2colWide, m.lower[0], m.upper[0], m.channels, m.pixels, steps, interleave,
                int(m.mode));
  }
  return std::nullopt;
}

} // namespace

Result<atom::TensorMapImage> CudaDevice::encodeTensorMap(const atom::TensorMap &map) {
  auto kept = std::ranges::find(tensorMaps, map, &TensorMapRecord::map);
  if (kept != tensorMaps.end())
    return kept->image;
  TESSERA_TRY(atom::TensorMapImage image, makeTensorMap(map));
  if (tensorMaps.size() < tensorMapsKept)
    tensorMaps.push_back({map, image});
  else
    tensorMaps[oldestTensorMap++ % tensorMapsKept] = {map, image};
  return image;
}

Result<atom::TensorMapImage> CudaDevice::makeTensorMap(const atom::TensorMap &map) {
  // Our limits first: of any broken one the driver says that a value is invalid.
  Result<atom::Target> target = atom::Target::parse(properties.target());
  if (std::optional<Reason> broken = target ? atom::check(map, *target) : std::nullopt)
    return *std::move(broken);
  TESSERA_CHECK(makeCurrent());
  cuda::TensorMap image;
  std::optional<Status> asked = ask(*driver, map, image);
  if (!asked)
    return atom::encode(map);
  TESSERA_CHECK(*asked);
  // We know the driver's encoding only for sm_90.
  bool known = properties.computeMajor == 9;
  if (Result<atom::TensorMapImage> own = atom::encode(map); known && own && *own != image)
    warnOfTensorMaps();
  return image;
}

void CudaDevice::warnOfTensorMaps() {
  if (std::exchange(warnedOfTensorMaps, true))
    return;
  std::fprintf(stderr,
               "warning: the CUDA driver (for CUDA %s) encodes a tensor map otherwise than "
               "tessera/atom/TensorMapFields.def "
               "says; the driver's is used\n",
               properties.driverVersionText().c_str());
}

} // namespace tessera::run
