// Files of the store: written beside and renamed, checked when read, removed by age.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cache/Store.h"

#include "tessera/cache/Errors.h"
#include "tessera/files/PartialFile.h"
#include "tessera/files/Trust.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace tessera::cache {

namespace {

constexpr std::string_view kept = ".entry";

/// What comes before the content. Host byte order: a cache belongs to a machine.
struct Header {
  char magic[8];
  uint32_t version;
  uint32_t reserved;
  Digest key;
  uint64_t length; // of the content, in bytes
  Digest checksum; // of all before it and the content
};
static_assert(sizeof(Header) == 88);
constexpr Header blank = {{'T', 'E', 'S', 'S', 'E', 'R', 'A', '\n'}, 1, 0, {}, 0, {}};

Digest checksumOf(const Header &header, std::string_view content) {
  llvm::BLAKE3 hasher;
  hasher.update(
      llvm::StringRef(reinterpret_cast<const char *>(&header), offsetof(Header, checksum)));
  hasher.update(llvm::StringRef(content));
  return hasher.final();
}

Header headerOf(const Key &key, std::string_view content) {
  Header header = blank;
  header.key = key.bytes;
  header.length = content.size();
  header.checksum = checksumOf(header, content);
  return header;
}

/// Sets a file's time. Not UTIME_NOW, which is a few milliseconds coarse.
void markUsed(const files::Descriptor &file) {
  timespec times[2];
  ::clock_gettime(CLOCK_REALTIME, &times[0]);
  times[1] = times[0];
  ::futimens(file.get(), times); // a folder that we may only read keeps its order
}

bool intact(const Key &key, std::string_view file) {
  if (file.size() < sizeof(Header))
    return false;
  std::string_view content = file.substr(sizeof(Header));
  Header expected = headerOf(key, content);
  return std::memcmp(&expected, file.data(), sizeof(Header)) == 0;
}

struct Entry {
  std::string name;
  uint64_t size;
  int64_t used; // nanoseconds since 1970
};

struct CloseFolder {
  void operator()(DIR *folder) const { ::closedir(folder); }
};

/// The files of the store, without what crashed writers left, which is removed.
std::vector<Entry> entriesIn(const files::Descriptor &at) {
  constexpr int64_t hour = 3'600'000'000'000;
  timespec now;
  ::clock_gettime(CLOCK_REALTIME, &now);
  std::vector<Entry> entries;
  files::Descriptor again(::openat(at.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  std::unique_ptr<DIR, CloseFolder> folder(again ? ::fdopendir(again.get()) : nullptr);
  if (!folder)
    return entries;
  again.release();
  while (dirent *one = ::readdir(folder.get())) {
    std::string name = one->d_name;
    struct stat status;
    if (::fstatat(at.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(status.st_mode))
      continue;
    int64_t used = status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec;
    if (name.ends_with(kept))
      entries.push_back({std::move(name), uint64_t(status.st_size), used});
    else if (name.ends_with(files::partialSuffix) && used < now.tv_sec * 1'000'000'000 - hour)
      ::unlinkat(at.get(), name.c_str(), 0);
  }
  return entries;
}

std::string nameOf(const Key &key) { return cat(key.hex(), kept); }

/// The content of an entry that nobody but the user could have written.
std::optional<std::string> read(const files::Descriptor &file, uint64_t most) {
  struct stat status;
  if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
      status.st_uid != ::geteuid() || (status.st_mode & (S_IWGRP | S_IWOTH)))
    return std::nullopt;
  return file.read(most);
}

} // namespace

std::string Store::pathOf(const Key &key) const { return cat(folder, "/", nameOf(key)); }

Result<files::Descriptor> Store::open() const {
  files::Descriptor at(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!at)
    return fail(Error::CacheWrite, folder, files::systemReason());
  if (Status trust = files::onlyOurs(at, folder); !trust)
    return trust.reason();
  return at;
}

Status Store::trusted() const {
  struct stat status;
  if (::stat(folder.c_str(), &status) != 0)
    return errno == ENOENT ? files::onlyOursAbove(folder) : Done{};
  files::Descriptor at(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  return at ? files::onlyOurs(at, folder) : Done{};
}

std::optional<std::string> Store::find(const Key &key) const {
  Result<files::Descriptor> at = open();
  if (!at)
    return std::nullopt;
  const std::string name = nameOf(key);
  // O_NONBLOCK: a FIFO of that name would wait for a writer.
  files::Descriptor file(
      ::openat(at->get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file && errno == ENOENT)
    return std::nullopt;
  std::optional<std::string> bytes = file ? read(file, limit) : std::nullopt;
  if (!bytes || !intact(key, *bytes)) {
    ::unlinkat(at->get(), name.c_str(), 0);
    return std::nullopt;
  }
  markUsed(file);
  bytes->erase(0, sizeof(Header));
  return bytes;
}

Status Store::makeFolder() const {
  // What was compiled may be secret, and what is found is executed: 0700, also for the folders
  // above that are made here. chmod, as the umask may remove permissions of the user.
  for (size_t end = folder.find('/', 1);; end = folder.find('/', end + 1)) {
    std::string part = folder.substr(0, end);
    bool made = ::mkdir(part.c_str(), 0700) == 0;
    if (made ? ::chmod(part.c_str(), 0700) != 0 : errno != EEXIST && errno != EROFS)
      return fail(Error::CacheFolder, folder, files::systemReason());
    if (end == folder.npos)
      return Done{};
  }
}

Status Store::put(const Key &key, std::string_view content) const {
  if (sizeof(Header) + content.size() > limit)
    return fail(Error::CacheTooLarge, sizeof(Header) + content.size(), limit);
  TESSERA_CHECK(trusted());
  TESSERA_CHECK(makeFolder());
  TESSERA_TRY(files::Descriptor at, open());
  auto failure = [&] { return fail(Error::CacheWrite, folder, files::systemReason()); };
  std::unique_ptr<files::PartialFile> part = files::PartialFile::make(at.get(), 0600);
  if (!part)
    return failure();
  Header header = headerOf(key, content);
  std::string_view first(reinterpret_cast<const char *>(&header), sizeof(header));
  bool written = ::fchmod(part->file().get(), 0600) == 0 && part->file().write(first) &&
                 part->file().write(content);
  markUsed(part->file());
  // Not brought to the disk first: what a crash of the machine leaves fails its checksum.
  if (!written || !part->putAs(nameOf(key)))
    return failure();
  trim(at);
  return Done{};
}

void Store::trim(const files::Descriptor &at) const {
  std::vector<Entry> entries = entriesIn(at);
  uint64_t total = 0;
  for (const Entry &entry : entries)
    total += entry.size;
  if (total <= limit)
    return;
  std::sort(entries.begin(), entries.end(),
            [](const Entry &a, const Entry &b) { return a.used < b.used; });
  for (const Entry &entry : entries) {
    if (total <= limit)
      break;
    ::unlinkat(at.get(), entry.name.c_str(), 0); // another process may have been faster
    total -= entry.size;
  }
}

} // namespace tessera::cache
