// Reading and writing until all is done.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/files/Descriptor.h"

#include "tessera/files/Errors.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

namespace tessera::files {

std::string systemReason() { return std::strerror(errno); }

bool isOutOfFiles() { return errno == EMFILE || errno == ENFILE; }

std::optional<std::string> Descriptor::read(uint64_t most) const {
  std::string bytes;
  struct stat status;
  if (::fstat(number, &status) == 0 && S_ISREG(status.st_mode)) {
    if (uint64_t(status.st_size) > most) {
      errno = EFBIG;
      return std::nullopt;
    }
    bytes.reserve(size_t(status.st_size) + 1);
  }
  constexpr size_t piece = size_t(1) << 16;
  for (size_t got = 0;;) {
    size_t room = std::max(bytes.capacity(), got + piece);
    if (most < bytes.max_size()) // what has no end takes no more than that
      room = std::min(room, size_t(most) + 1);
    bytes.resize(room);
    ssize_t count = ::read(number, bytes.data() + got, bytes.size() - got);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return std::nullopt;
    got += size_t(count);
    if (got > most) {
      errno = EFBIG;
      return std::nullopt;
    }
    if (count == 0) {
      bytes.resize(got);
      return bytes;
    }
  }
}

bool Descriptor::write(std::string_view bytes) const {
  while (!bytes.empty()) {
    ssize_t count = ::write(number, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR)
      return false;
    bytes.remove_prefix(size_t(std::max<ssize_t>(count, 0)));
  }
  return true;
}

bool Descriptor::close() {
  int given = std::exchange(number, -1);
  return given < 0 || ::close(given) == 0;
}

} // namespace tessera::files
