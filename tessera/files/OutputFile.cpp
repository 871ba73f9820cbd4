// Writing beside and renaming; devices, pipes and descriptors directly.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/files/OutputFile.h"

#include "tessera/files/PartialFile.h"

#include <cerrno>
#include <charconv>
#include <climits>
#include <cstdio>
#include <fcntl.h>
#include <linux/limits.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace tessera::files {

namespace {

using Pieces = std::span<const std::string_view>;

Reason failure(const std::string &path, std::string_view what = "") {
  return isOutOfFiles() ? fail(Error::NoOpenFile, path, systemReason())
                        : fail(Error::FileWrite, path, what, systemReason());
}

bool writeAll(const Descriptor &file, Pieces pieces) {
  for (std::string_view piece : pieces)
    if (!file.write(piece))
      return false;
  return true;
}

/// The number of an open file that the path stands for, -1 if it does not. It is not opened again:
/// that would begin at the start of a file to which others append.
int descriptorOf(std::string_view path) {
  if (path == "-" || path == "/dev/stdout")
    return STDOUT_FILENO;
  if (path == "/dev/stderr")
    return STDERR_FILENO;
  for (std::string_view folder : {"/dev/fd/", "/proc/self/fd/"})
    if (path.starts_with(folder)) {
      int number = -1;
      const char *end = path.data() + path.size();
      auto [stop, error] = std::from_chars(path.data() + folder.size(), end, number);
      if (error == std::errc() && stop == end)
        return number;
    }
  return -1;
}

Status writeDirectly(const std::string &path, Descriptor file, Pieces pieces) {
  if (!file || !writeAll(file, pieces) || !file.close())
    return failure(path == "-" ? "the standard output" : path);
  return Done{};
}

/// Where an open file is, without links. Asking the system for the file that it opened means that
/// its rules for links (fs.protected_symlinks) hold.
std::string placeOf(const Descriptor &file, const std::string &path) {
  char place[PATH_MAX];
  ssize_t length = ::readlink(cat("/proc/self/fd/", file.get()).c_str(), place, sizeof(place));
  return length > 0 && length < PATH_MAX ? std::string(place, size_t(length)) : path;
}

/// Gives the new file the access list of the old one, or takes away one that its folder gave it.
bool takeOverList(const Descriptor &file, const Descriptor &old) {
  constexpr const char *name = "system.posix_acl_access";
  std::string list(XATTR_SIZE_MAX, '\0');
  ssize_t length = ::fgetxattr(old.get(), name, list.data(), list.size());
  if (length >= 0)
    return ::fsetxattr(file.get(), name, list.data(), size_t(length), 0) == 0;
  // Without lists, or on a file system that has none, there is nothing to take away.
  return ::fremovexattr(file.get(), name) == 0 || errno == ENODATA || errno == EOPNOTSUPP;
}

/// Gives the new file the owner, group, access list and mode of the old one. Whoever may not change
/// the owner becomes the owner; a group that cannot stay leaves nobody with more than before.
bool takeOver(const Descriptor &file, const Descriptor &from, const struct stat &old) {
  if (::fchown(file.get(), old.st_uid, old.st_gid) != 0)
    (void)!::fchown(file.get(), uid_t(-1), old.st_gid);
  struct stat now;
  if (::fstat(file.get(), &now) != 0)
    return false;
  mode_t mode = old.st_mode & 0777;
  // The mode of a file with a list shows the list's mask in the place of the group's rights.
  if (now.st_gid != old.st_gid || !takeOverList(file, from)) {
    mode_t both = (mode >> 3) & mode & 07;
    mode = (mode & 0700) | (both << 3) | both;
  }
  return ::fchmod(file.get(), mode) == 0;
}

/// Where a link leads that leads to no file yet. The system makes that file, so that its rules for
/// links hold, and it goes at once: the whole one is made beside its place. An empty path where
/// that fails: errno says why.
std::string placeBehind(const std::string &link) {
  Making guard;
  Descriptor made(::open(link.c_str(), O_WRONLY | O_CREAT | O_NOCTTY | O_CLOEXEC, 0600));
  if (!made)
    return "";
  std::string place = placeOf(made, link);
  struct stat status;
  if (::fstat(made.get(), &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 0)
    ::unlink(place.c_str());
  return place;
}

} // namespace

Status writeFile(const std::string &path, Pieces pieces) {
  if (int number = descriptorOf(path); number >= 0)
    return writeDirectly(path, Descriptor(::fcntl(number, F_DUPFD_CLOEXEC, 0)), pieces);

  // No O_CREAT: a file that cannot be written whole must not be there.
  Descriptor old(::open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC));
  if (!old && errno != ENOENT)
    return failure(path);
  struct stat status = {};
  if (old && ::fstat(old.get(), &status) != 0)
    return failure(path);
  if (old && !S_ISREG(status.st_mode))
    return writeDirectly(path, std::move(old), pieces);

  std::string place = old ? placeOf(old, path) : path;
  if (struct stat link; !old && ::lstat(path.c_str(), &link) == 0)
    place = placeBehind(path);
  if (place.empty() && !path.empty())
    return failure(path);
  const size_t slash = place.rfind('/');
  const std::string name = slash == place.npos ? place : place.substr(slash + 1);
  const std::string folder = slash == place.npos ? "." : place.substr(0, slash + 1);
  Descriptor at(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!at)
    return failure(path);
  if (name.empty()) {
    errno = EISDIR;
    return failure(path);
  }
  // Until it has the old one's permissions nobody else may read it.
  std::unique_ptr<PartialFile> made = PartialFile::make(at.get(), old ? 0600 : 0666);
  if (!made)
    return failure(path, "cannot make a new file beside it: ");
  const Descriptor &file = made->file();
  // A disk that fills up late, and a quota, may say so only when the bytes go to the disk. Not all
  // file systems have fsync.
  bool written = writeAll(file, pieces) && (::fsync(file.get()) == 0 || errno == EINVAL) &&
                 (!old || takeOver(file, old, status)) && made->putAs(name);
  if (!written)
    return failure(path);
  return Done{};
}

Status finishStdout() {
  errno = 0;
  if (std::fflush(stdout) == 0 && !std::ferror(stdout))
    return Done{};
  // Of an earlier print that failed only the fact is known: errno is gone.
  return fail(Error::FileWrite, "the standard output", "",
              errno ? systemReason() : "what was printed before did not reach it");
}

} // namespace tessera::files
