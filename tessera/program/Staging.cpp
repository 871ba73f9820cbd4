// Copies for the simulator.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/program/Staging.h"

#include "tessera/program/Errors.h"

#include <algorithm>
#include <cstring>

namespace tessera::program {

using run::ByteRange;
using run::joined;
using run::without;

namespace {

std::byte *hostBytes(uint64_t address) { return reinterpret_cast<std::byte *>(address); }

/// Whether host code reads what the parameter points to.
bool isForHost(const run::Parameter &parameter) {
  return parameter.isBuffer() && !parameter.onDevice;
}

} // namespace

run::Address Staging::Block::address() const {
  return onDevice        ? onDevice->address() + place
         : onHost.size() ? reinterpret_cast<uint64_t>(onHost.data())
                         : range.begin;
}

Status Staging::take(std::span<const run::CallArgument> arguments,
                     std::span<const run::Parameter> parameters) {
  auto parameter = parameters.begin();
  for (size_t i = 0; i < arguments.size(); ++i, ++parameter) {
    while (!parameter->takesArgument())
      ++parameter;
    if (arguments[i].kind != run::CallArgument::Kind::Tensor)
      continue;
    const run::DlTensor &tensor = *arguments[i].tensor;
    TESSERA_TRY(ByteRange range, run::rangeOf(tensor));
    bool hostOnly = isForHost(*parameter), onHost = hostOnly || device.where() != Where::Gpu;
    if (onHost && !isOnHost(tensor))
      return fail(Error::TensorOnGpu, i, str(tensor), device.hardware());
    if (!onHost && !isOnGpu(tensor))
      return fail(Error::TensorOnHost, i, str(tensor), device.hardware());
    if (!onHost && !isOnHost(tensor) && tensor.deviceOrdinal != device.ordinal())
      return fail(Error::TensorOnOtherGpu, i, str(tensor), tensor.deviceOrdinal, device.ordinal());
    if (!onHost || range.end == range.begin)
      continue;
    Seen &seen = hostOnly ? hostCode : kernel;
    seen.all.push_back(range);
    if (arguments[i].isReadOnly)
      seen.readOnly.push_back({i, &tensor, range});
    else
      seen.writable.push_back(range);
  }
  if (device.where() == Where::Gpu) // which may work on them when the call has returned
    return Done{};
  TESSERA_CHECK(copyIn(kernel, device.where() == Where::Simulator));
  return copyIn(hostCode, false);
}

Status Staging::copyIn(Seen &seen, bool toSimulator) {
  seen.writable = joined(std::move(seen.writable));
  for (const ByteRange &range : joined(seen.all)) {
    Block block{.range = range, .place = run::placeOf(range, seen.all)};
    std::span<const std::byte> bytes{hostBytes(range.begin), range.end - range.begin};
    if (toSimulator) {
      TESSERA_TRY(block.onDevice,
                  run::DeviceBuffer::make(*device.device(), block.place + bytes.size()));
      TESSERA_CHECK(device.device()->copyToDevice(block.address(), bytes));
    } else if (!without(range, seen.writable).empty()) {
      TESSERA_TRY(block.onHost, run::Bytes::zeros(bytes.size()));
      std::memcpy(block.onHost.data(), bytes.data(), bytes.size());
    }
    seen.blocks.push_back(std::move(block));
  }
  return Done{};
}

run::Address Staging::addressOf(const run::DlTensor &tensor,
                                const run::Parameter &parameter) const {
  uint64_t start = reinterpret_cast<uint64_t>(tensor.data) + tensor.byteOffset;
  for (const Block &block : (isForHost(parameter) ? hostCode : kernel).blocks)
    if (start >= block.range.begin && start < block.range.end)
      return block.address() + (start - block.range.begin);
  return start;
}

std::vector<ByteRange> Staging::ranges() const {
  std::vector<ByteRange> out;
  for (const Block &block : kernel.blocks)
    out.push_back({block.address(), block.address() + (block.range.end - block.range.begin)});
  return out;
}

Status Staging::Seen::checkReadOnly(const Block &block) const {
  for (const ByteRange &part : without(block.range, writable)) {
    const std::byte *before = hostBytes(part.begin), *end = hostBytes(part.end);
    const std::byte *changed =
        std::mismatch(before, end, block.onHost.data() + (part.begin - block.range.begin)).first;
    if (changed == end)
      continue;
    auto at = reinterpret_cast<uint64_t>(changed);
    for (const ReadOnly &one : readOnly)
      if (at >= one.range.begin && at < one.range.end)
        return fail(Error::TensorReadOnly, one.argument, str(*one.tensor), at - one.range.begin);
  }
  return Done{};
}

/// Unchanged bytes are not written: the memory may be read-only.
Status Staging::bringBack() {
  for (Seen *seen : {&kernel, &hostCode})
    for (Block &block : seen->blocks) {
      if (block.onDevice) {
        TESSERA_TRY(block.onHost, run::Bytes::zeros(block.range.end - block.range.begin));
        TESSERA_CHECK(device.device()->copyToHost(block.onHost.span(), block.address()));
      }
      if (block.onHost.size())
        TESSERA_CHECK(seen->checkReadOnly(block));
    }
  for (Seen *seen : {&kernel, &hostCode})
    for (const Block &block : seen->blocks) {
      const run::Bytes &after = block.onHost;
      std::byte *before = hostBytes(block.range.begin);
      if (after.size() && std::memcmp(before, after.data(), after.size()) != 0)
        std::memcpy(before, after.data(), after.size());
    }
  return Done{};
}

} // namespace tessera::program
