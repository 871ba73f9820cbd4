// Host memory and files, with reasons instead of exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/run/Bytes.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tessera::run {

void Bytes::Free::operator()(std::byte *pointer) const { std::free(pointer); }

Result<Bytes> Bytes::zeros(size_t size) {
  Bytes bytes;
  // One byte more than asked: calloc(0) may return null without a failure.
  bytes.memory.reset(static_cast<std::byte *>(size + 1 ? std::calloc(size + 1, 1) : nullptr));
  if (!bytes.memory)
    return fail(Error::HostMemory, size);
  bytes.count = size;
  return bytes;
}

namespace {

/// A file descriptor that closes itself.
class File {
public:
  File(const std::string &path, int flags) : descriptor(open(path.c_str(), flags, 0666)) {}
  ~File() {
    if (isOpen())
      close(descriptor);
  }
  File(const File &) = delete;

  bool isOpen() const { return descriptor >= 0; }
  int get() const { return descriptor; }
  /// Closes now; false if the system reports a write that failed late.
  bool finish() { return close(std::exchange(descriptor, -1)) == 0; }

private:
  int descriptor;
};

Reason systemFailure(Error error, const std::string &path) {
  return fail(error, path, std::strerror(errno));
}

} // namespace

Result<Bytes> readFile(const std::string &path) {
  File file(path, O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (!file.isOpen() || fstat(file.get(), &status) != 0)
    return systemFailure(Error::FileRead, path);
  if (!S_ISREG(status.st_mode))
    return fail(Error::FileRead, path, "it is not a regular file");
  TESSERA_TRY(Bytes bytes, Bytes::zeros(size_t(status.st_size)));
  for (size_t done = 0; done < bytes.size();) {
    ssize_t got = read(file.get(), bytes.data() + done, bytes.size() - done);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return systemFailure(Error::FileRead, path);
    if (got == 0)
      return fail(Error::FileRead, path, "it shrank while it was read");
    done += size_t(got);
  }
  return bytes;
}

Status writeFile(const std::string &path,
                 std::initializer_list<std::span<const std::byte>> pieces) {
  File file(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC);
  if (!file.isOpen())
    return systemFailure(Error::FileWrite, path);
  for (std::span<const std::byte> piece : pieces)
    while (!piece.empty()) {
      ssize_t put = write(file.get(), piece.data(), piece.size());
      if (put < 0 && errno == EINTR)
        continue;
      if (put < 0)
        return systemFailure(Error::FileWrite, path);
      piece = piece.subspan(size_t(put));
    }
  if (!file.finish())
    return systemFailure(Error::FileWrite, path);
  return Done{};
}

} // namespace tessera::run
