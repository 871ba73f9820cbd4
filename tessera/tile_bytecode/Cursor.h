// Cursor: reads numbers of bytecode within bounds; the first error ends all reading.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// After a failure every read returns 0 and nothing moves, so that a reader checks `failed` only
// before it takes memory for what it read, and once at its end.
#pragma once

#include "tessera/tile_bytecode/Errors.h"

#include <cstring>
#include <optional>
#include <span>

namespace tessera::tile_bytecode {

/// The first failure of all cursors of one file.
struct Failure {
  std::optional<Reason> reason;
};

class Cursor {
public:
  /// Bytes `begin` to `end` of a file; `part` is their name in messages.
  Cursor(std::span<const std::byte> file, size_t begin, size_t end, const char *part,
         Failure &failure)
      : base(reinterpret_cast<const uint8_t *>(file.data())), at(begin), end(end), part(part),
        failure(failure) {}

  size_t offset() const { return at; }
  size_t left() const { return end - at; }
  bool atEnd() const { return at == end; }
  bool failed() const { return failure.reason.has_value(); }

  template <class... Pieces> void fail(Error error, const Pieces &...pieces) {
    if (!failed())
      failure.reason = tile_bytecode::fail(error, pieces...);
    at = end;
  }
  /// The same with the message of a row, and with the id of the first release.
  template <class... Pieces> void failAsExpected(Error error, const Pieces &...pieces) {
    bool first = !failed();
    fail(error, pieces...);
    if (first)
      failure.reason->id = "Expected";
  }
  /// Fails because something else was expected at an offset.
  template <class Got> void expected(size_t offset, std::string_view what, const Got &got) {
    fail(Error::Expected, offset, what, got);
  }

  uint8_t byte(const char *what) {
    if (at == end)
      return ended(what), 0;
    return base[at++];
  }
  /// LEB128 of at most 64 bits.
  uint64_t varint(const char *what) {
    if (at < end && base[at] < 0x80)
      return base[at++];
    return longVarint(what);
  }
  /// A varint below `limit`, the number of entries of a table.
  uint32_t index(size_t limit, const char *what) {
    size_t from = at;
    uint64_t value = varint(what);
    if (value < limit)
      return uint32_t(value);
    if (!failed())
      expected(from, cat(what, " below ", limit), value);
    return 0;
  }
  /// Zigzag: -1 is 1, 1 is 2.
  int64_t signedVarint(const char *what) {
    uint64_t value = varint(what);
    return int64_t(value >> 1) ^ -int64_t(value & 1);
  }
  /// 64 bits in zigzag form, as a signed number or as one without sign, whose form has up to 65
  /// bits.
  uint64_t zigzagBits(const char *what) {
    bool above = false; // bit 64
    uint64_t value = at < end && base[at] < 0x80 ? base[at++] : longVarint(what, &above);
    uint64_t half = value >> 1 | uint64_t(above) << 63;
    return value & 1 ? ~half : half;
  }
  /// The number of following items of at least `bytes` bytes each; they must fit into the rest.
  size_t count(size_t bytes, const char *what) {
    size_t from = at;
    uint64_t value = varint(what);
    if (value <= left() / bytes)
      return size_t(value);
    if (!failed())
      expected(from, cat(what, " of at most ", left() / bytes, ", which the bytes left can hold"),
               value);
    return 0;
  }
  template <class N> N fixed(const char *what) {
    if (left() < sizeof(N))
      return ended(what), N(0);
    N value; // bytes of the file and of the host are little-endian
    std::memcpy(&value, base + at, sizeof(N));
    at += sizeof(N);
    return value;
  }
  std::string_view bytes(size_t size, const char *what) {
    if (size > left())
      return ended(what), std::string_view();
    std::string_view out(reinterpret_cast<const char *>(base) + at, size);
    at += size;
    return out;
  }
  /// Skips to the next multiple of `alignment` in the file.
  void pad(size_t alignment) {
    while (at % alignment && !failed()) {
      uint8_t got = byte("padding");
      if (got != paddingByte && !failed())
        fail(Error::Padding, at - 1, unsigned(got));
    }
  }
  /// Checks that everything was read.
  void finish(const char *what) {
    if (at != end && !failed())
      fail(Error::Unfinished, at, what, end);
  }

  static constexpr uint8_t paddingByte = 0xcb;

private:
  void ended(const char *what) { fail(Error::Ended, at, what, part, end); }
  /// `above` takes bit 64, if it is not null.
  uint64_t longVarint(const char *what, bool *above = nullptr) {
    size_t from = at;
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      if (at == end)
        return ended(what), 0;
      uint8_t next = base[at++];
      if (shift == 63 && above) {
        *above = next & 2;
        next &= ~2;
      }
      if (shift > 63 || (shift == 63 && next > 1)) {
        expected(from, cat(what, " of at most 64 bits"), "more");
        return 0;
      }
      value |= uint64_t(next & 0x7f) << shift;
      if (next < 0x80)
        return value;
    }
  }

  const uint8_t *base;
  size_t at, end;
  const char *part;
  Failure &failure;
};

} // namespace tessera::tile_bytecode
