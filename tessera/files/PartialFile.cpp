// Making, renaming and removing partial files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/files/PartialFile.h"

#include "tessera/base/Result.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

namespace tessera::files {

/// 64 bits of chance: no other process has them, in whatever container it is.
static bool chance(std::string &digits) {
  unsigned char bytes[8];
  if (::getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
    return false;
  for (unsigned char byte : bytes)
    for (int digit : {byte >> 4, byte & 15})
      digits += "0123456789abcdef"[digit];
  return true;
}

std::unique_ptr<PartialFile> PartialFile::make(int at, mode_t mode) {
  std::string digits;
  if (!chance(digits))
    return nullptr;
  std::unique_ptr<PartialFile> made(new PartialFile(at, cat(".tessera-", digits, partialSuffix)));
  Making guard;
  made->entry = std::make_unique<PathEntry>(at, made->name);
  made->opened = Descriptor(
      ::openat(at, made->name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
  if (!made->opened) {
    made->entry.reset();
    return nullptr;
  }
  return made;
}

PartialFile::~PartialFile() {
  int saved = errno;
  if (entry)
    ::unlinkat(at, name.c_str(), 0);
  errno = saved;
}

bool PartialFile::putAs(const std::string &target) {
  if (!opened.close())
    return false;
  Making guard;
  if (::renameat(at, name.c_str(), at, target.c_str()) != 0)
    return false;
  entry.reset();
  return true;
}

} // namespace tessera::files
