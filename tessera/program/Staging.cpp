// Copies for the simulator.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/program/Staging.h"

#include "tessera/program/Errors.h"

#include <algorithm>
#include <cstring>

namespace tessera::program {

using run::ByteRange;

namespace {

std::byte *hostBytes(uint64_t address) { return reinterpret_cast<std::byte *>(address); }

/// Whether host code reads what the parameter points to.
bool isForHost(const run::Parameter &parameter) {
  return parameter.isBuffer() && !parameter.onDevice;
}

/// Ranges in order, those that share a byte as one.
std::vector<ByteRange> joined(std::vector<ByteRange> ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const ByteRange &a, const ByteRange &b) { return a.begin < b.begin; });
  std::vector<ByteRange> out;
  for (const ByteRange &range : ranges) {
    if (!out.empty() && range.begin < out.back().end)
      out.back().end = std::max(out.back().end, range.end);
    else
      out.push_back(range);
  }
  return out;
}

} // namespace

Status Staging::take(std::span<const run::CallArgument> arguments,
                     std::span<const run::Parameter *const> parameters) {
  std::vector<ByteRange> ranges;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].kind != run::CallArgument::Kind::Tensor)
      continue;
    const run::DlTensor &tensor = *arguments[i].tensor;
    TESSERA_TRY(ByteRange range, run::rangeOf(tensor));
    bool hostOnly = isForHost(*parameters[i]), onHost = hostOnly || device.where() != Where::Gpu;
    if (onHost && !isOnHost(tensor))
      return fail(Error::TensorOnGpu, i, str(tensor), device.hardware());
    if (!onHost && !isOnGpu(tensor))
      return fail(Error::TensorOnHost, i, str(tensor), device.hardware());
    if (!onHost && !isOnHost(tensor) && tensor.deviceOrdinal != device.ordinal())
      return fail(Error::TensorOnOtherGpu, i, str(tensor), tensor.deviceOrdinal, device.ordinal());
    if (onHost && !hostOnly && range.end > range.begin)
      ranges.push_back(range);
  }
  merged = joined(std::move(ranges));
  return device.where() == Where::Simulator ? copyIn() : Status(Done{});
}

Status Staging::copyIn() {
  for (const ByteRange &range : merged) {
    size_t size = range.end - range.begin;
    TESSERA_TRY(run::DeviceBuffer buffer, run::DeviceBuffer::make(*device.device(), size));
    TESSERA_CHECK(device.device()->copyToDevice(buffer.address(), {hostBytes(range.begin), size}));
    buffers.push_back(std::move(buffer));
  }
  return Done{};
}

run::Address Staging::addressOf(const run::DlTensor &tensor,
                                const run::Parameter &parameter) const {
  uint64_t start = reinterpret_cast<uint64_t>(tensor.data) + tensor.byteOffset;
  if (!isForHost(parameter))
    for (size_t i = 0; i < buffers.size(); ++i)
      if (start >= merged[i].begin && start < merged[i].end)
        return buffers[i].address() + (start - merged[i].begin);
  return start;
}

/// What did not change is not written: it may be memory that nobody may write.
Status Staging::bringBack() {
  for (size_t i = 0; i < buffers.size(); ++i) {
    size_t size = merged[i].end - merged[i].begin;
    TESSERA_TRY(run::Bytes after, run::Bytes::zeros(size));
    TESSERA_CHECK(device.device()->copyToHost(after.span(), buffers[i].address()));
    std::byte *before = hostBytes(merged[i].begin);
    if (std::memcmp(before, after.data(), size) != 0)
      std::memcpy(before, after.data(), size);
  }
  return Done{};
}

} // namespace tessera::program
