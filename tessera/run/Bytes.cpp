// Host memory and files, with reasons instead of exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/run/Bytes.h"

#include "tessera/files/Descriptor.h"
#include "tessera/files/OutputFile.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

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

Result<Bytes> readFile(const std::string &path, uint64_t most) {
  auto failure = [&] { return fail(Error::FileRead, path, files::systemReason()); };
  // O_NONBLOCK: a FIFO would wait for a writer.
  files::Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  struct stat status;
  if (!file || fstat(file.get(), &status) != 0)
    return failure();
  if (!S_ISREG(status.st_mode))
    return fail(Error::FileRead, path, "it is not a regular file");
  if (uint64_t(status.st_size) > most)
    return fail(Error::FileRead, path,
                cat("it has ", status.st_size, " bytes, but the limit is ", most));
  TESSERA_TRY(Bytes bytes, Bytes::zeros(size_t(status.st_size)));
  for (size_t done = 0; done < bytes.size();) {
    ssize_t got = read(file.get(), bytes.data() + done, bytes.size() - done);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return failure();
    if (got == 0)
      return fail(Error::FileRead, path, "it shrank while it was read");
    done += size_t(got);
  }
  return bytes;
}

Status writeFile(const std::string &path,
                 std::initializer_list<std::span<const std::byte>> pieces) {
  std::vector<std::string_view> texts;
  for (std::span<const std::byte> piece : pieces)
    texts.emplace_back(reinterpret_cast<const char *>(piece.data()), piece.size());
  return files::writeFile(path, texts);
}

} // namespace tessera::run
