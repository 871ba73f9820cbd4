// Making, filling and removing a private folder.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/files/ScratchFolder.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tessera::files {

Result<ScratchFolder> ScratchFolder::make() {
  const char *named = std::getenv("TMPDIR");
  const std::string base = named && *named ? named : "/tmp";
  auto failure = [&] {
    return isOutOfFiles() ? fail(Error::NoOpenFile, cat("a folder in ", base), systemReason())
                          : fail(Error::ScratchFolder, base, systemReason());
  };
  ScratchFolder made;
  made.parent = Descriptor(::open(base.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!made.parent)
    return failure();
  made.own = cat(base, "/tessera-XXXXXX");
  Making guard;
  if (!::mkdtemp(made.own.data()))
    return failure();
  made.name = made.own.substr(base.size() + 1);
  made.entry = std::make_unique<PathEntry>(made.parent.get(), made.name);
  made.opened =
      Descriptor(::open(made.own.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status;
  // The umask may have removed permissions of the user too. An owner other than us has replaced the
  // folder.
  if (!made.opened || ::fstat(made.opened.get(), &status) != 0 ||
      ::fchmod(made.opened.get(), 0700) != 0)
    return failure();
  if (status.st_uid != ::geteuid())
    return fail(Error::ScratchFolder, base, "another user replaced it");
  return made;
}

ScratchFolder::~ScratchFolder() {
  if (!entry)
    return;
  if (opened) // also where the process has no descriptors left
    removeAllIn(opened.get());
  removeAll(parent.get(), name.c_str());
}

Status ScratchFolder::write(const std::string &file, std::string_view content) const {
  Descriptor to(::openat(opened.get(), file.c_str(),
                         O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!to || ::fchmod(to.get(), 0600) != 0 || !to.write(content) || !to.close())
    return isOutOfFiles() ? fail(Error::NoOpenFile, cat(own, "/", file), systemReason())
                          : fail(Error::FileWrite, cat(own, "/", file), "", systemReason());
  return Done{};
}

Result<std::string> ScratchFolder::read(const std::string &file) const {
  Descriptor from(
      ::openat(opened.get(), file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status;
  if (!from || ::fstat(from.get(), &status) != 0)
    return fail(Error::FileRead, cat(own, "/", file), systemReason());
  if (!S_ISREG(status.st_mode))
    return fail(Error::FileRead, cat(own, "/", file), "it is not a regular file");
  std::optional<std::string> bytes = from.read();
  if (!bytes)
    return fail(Error::FileRead, cat(own, "/", file), systemReason());
  return *std::move(bytes);
}

} // namespace tessera::files
