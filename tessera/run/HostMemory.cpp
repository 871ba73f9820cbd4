// HostMemory: copies of arrays.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/run/HostMemory.h"

#include "tessera/run/Bytes.h"
#include "tessera/run/Errors.h"

#include <algorithm>
#include <cstring>

namespace tessera::run {

namespace {

std::vector<ByteRange> rangesOf(const std::vector<HostMemory::Array> &arrays, bool constToo) {
  std::vector<ByteRange> out;
  for (const HostMemory::Array &array : arrays)
    if (constToo || !array.isConst)
      out.push_back(array.range);
  return out;
}
/// An empty array may lie at the end of the memory of another one.
bool isIn(const ByteRange &array, const ByteRange &memory) {
  return array.begin >= memory.begin && array.end <= memory.end;
}

} // namespace

Result<HostMemory> HostMemory::copy(Device &device, std::vector<Array> arrays) {
  HostMemory memory(device, std::move(arrays));
  TESSERA_CHECK(memory.copyIn());
  return memory;
}

Status HostMemory::copyIn() {
  const std::vector<ByteRange> all = rangesOf(arrays, true);
  for (const ByteRange &range : joined(all)) {
    Piece piece{.range = range, .before = placeOf(range, all)};
    TESSERA_TRY(piece.buffer, DeviceBuffer::make(*device, piece.before + range.size()));
    TESSERA_CHECK(device->copyToDevice(piece.address(), {piece.host(), range.size()}));
    pieces.push_back(std::move(piece));
  }
  return Done{};
}

Address HostMemory::onDevice(const ByteRange &array) const {
  // From the end, as an array may begin where another one ends.
  for (size_t i = pieces.size(); i-- > 0;)
    if (isIn(array, pieces[i].range))
      return pieces[i].address() + (array.begin - pieces[i].range.begin);
  return 0;
}

Status HostMemory::checkConst(const std::vector<ByteRange> &parts, const Piece &piece,
                              const std::byte *now) const {
  for (const ByteRange &part : parts) {
    const std::byte *begin = piece.host() + (part.begin - piece.range.begin),
                    *end = begin + part.size(),
                    *changed =
                        std::mismatch(begin, end, now + (part.begin - piece.range.begin)).first;
    if (changed == end)
      continue;
    auto at = reinterpret_cast<uint64_t>(changed);
    for (const Array &array : arrays)
      if (at >= array.range.begin && at < array.range.end)
        return fail(Error::ReadOnly, array.argument, at - array.range.begin);
  }
  return Done{};
}

Status HostMemory::copyBack() {
  const std::vector<ByteRange> writable = joined(rangesOf(arrays, false));
  std::vector<Bytes> read(pieces.size()); // of memory that is not writable as a whole
  for (size_t i = 0; i < pieces.size(); ++i) {
    const Piece &piece = pieces[i];
    std::vector<ByteRange> parts = without(piece.range, writable);
    if (parts.empty())
      continue;
    TESSERA_TRY(read[i], Bytes::zeros(piece.range.size()));
    TESSERA_CHECK(device->copyToHost(read[i].span(), piece.address()));
    TESSERA_CHECK(checkConst(parts, piece, read[i].data()));
  }
  for (size_t i = 0; i < pieces.size(); ++i) {
    const Piece &piece = pieces[i];
    if (!read[i].size()) {
      TESSERA_CHECK(device->copyToHost({piece.host(), piece.range.size()}, piece.address()));
      continue;
    }
    for (const ByteRange &part : writable)
      if (part.size() && isIn(part, piece.range)) {
        uint64_t at = part.begin - piece.range.begin;
        std::memcpy(piece.host() + at, read[i].data() + at, part.size());
      }
  }
  return Done{};
}

} // namespace tessera::run
