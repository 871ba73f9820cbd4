// Owners and modes from a folder up to the root.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/files/Trust.h"

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tessera::files {

namespace {

constexpr mode_t byOthers = S_IWGRP | S_IWOTH;

std::string octal(mode_t mode) {
  std::string digits;
  for (int shift = 9; shift >= 0; shift -= 3)
    digits += char('0' + ((mode >> shift) & 7));
  return digits;
}

/// The folders from `place`, which has no links, up to the root.
Status checkUpFrom(std::string place, const std::string &path) {
  for (;;) {
    struct stat status;
    if (::stat(place.c_str(), &status) != 0)
      return fail(Error::FileRead, place, systemReason());
    if (status.st_uid != 0 && status.st_uid != ::geteuid())
      return fail(Error::ParentOwner, path, place, status.st_uid);
    if ((status.st_mode & byOthers) && !(status.st_mode & S_ISVTX))
      return fail(Error::ParentMode, path, place, octal(status.st_mode));
    if (place == "/")
      return Done{};
    size_t slash = place.rfind('/');
    place = slash == 0 ? "/" : place.substr(0, slash);
  }
}

} // namespace

Status onlyOurs(const Descriptor &folder, const std::string &path) {
  struct stat status;
  char place[PATH_MAX];
  if (::fstat(folder.get(), &status) != 0)
    return fail(Error::FileRead, path, systemReason());
  if (status.st_uid != ::geteuid())
    return fail(Error::FolderOwner, path, status.st_uid, ::geteuid());
  if (status.st_mode & byOthers)
    return fail(Error::FolderMode, path, octal(status.st_mode));
  if (!::realpath(path.c_str(), place))
    return fail(Error::FileRead, path, systemReason());
  return checkUpFrom(place, path);
}

Status onlyOursAbove(const std::string &path) {
  std::string above = path;
  char place[PATH_MAX];
  while (!::realpath(above.c_str(), place)) {
    if (errno != ENOENT && errno != ENOTDIR)
      return fail(Error::FileRead, above, systemReason());
    size_t end = above.find_last_not_of('/');
    size_t slash = end == above.npos ? above.npos : above.rfind('/', end);
    if (slash == above.npos)
      above = ".";
    else
      above = slash == 0 ? "/" : above.substr(0, slash);
  }
  return checkUpFrom(place, path);
}

} // namespace tessera::files
