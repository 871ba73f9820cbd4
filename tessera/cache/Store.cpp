// Files of the store: written beside and renamed, checked when read, removed by age.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cache/Store.h"

#include "tessera/cache/Errors.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace tessera::cache {

namespace {

constexpr std::string_view kept = ".entry", partial = ".part";

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

class File {
public:
  File(const std::string &path, int flags)
      : descriptor(::open(path.c_str(), flags | O_CLOEXEC, 0600)) {}
  File(const File &) = delete;
  ~File() { close(); }

  explicit operator bool() const { return descriptor >= 0; }

  /// All bytes up to the end; nothing on an error, or if there are more than `most`. Not mapped:
  /// another process may truncate the file meanwhile.
  std::optional<std::string> read(uint64_t most) {
    struct stat status;
    if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode) ||
        uint64_t(status.st_size) > most)
      return std::nullopt;
    std::string bytes(size_t(status.st_size), '\0');
    size_t got = 0;
    while (got < bytes.size()) {
      ssize_t count = ::read(descriptor, bytes.data() + got, bytes.size() - got);
      if (count < 0 && errno == EINTR)
        continue;
      if (count <= 0)
        return std::nullopt;
      got += size_t(count);
    }
    return bytes;
  }

  bool write(std::string_view bytes) {
    while (!bytes.empty()) {
      ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
      if (count < 0 && errno != EINTR)
        return false;
      bytes.remove_prefix(size_t(std::max<ssize_t>(count, 0)));
    }
    return true;
  }

  /// Sets the file's time. Not UTIME_NOW, which is a few milliseconds coarse.
  void markUsed() {
    timespec times[2];
    ::clock_gettime(CLOCK_REALTIME, &times[0]);
    times[1] = times[0];
    ::futimens(descriptor, times); // a folder that we may only read keeps its order
  }

  /// False where the last bytes did not reach the disk (NFS says so only here).
  bool close() {
    int given = std::exchange(descriptor, -1);
    return given < 0 || ::close(given) == 0;
  }

private:
  int descriptor;
};

bool intact(const Key &key, std::string_view file) {
  if (file.size() < sizeof(Header))
    return false;
  std::string_view content = file.substr(sizeof(Header));
  Header expected = headerOf(key, content);
  return std::memcmp(&expected, file.data(), sizeof(Header)) == 0;
}

std::string errnoText() { return std::strerror(errno); }

/// A name that no other writer has, in this process or another; containers have the same process
/// ids.
std::string partialName() {
  static std::atomic<uint64_t> count = 0;
  timespec now;
  ::clock_gettime(CLOCK_REALTIME, &now);
  return cat(::getpid(), "-", now.tv_sec, "-", now.tv_nsec, "-", ++count, partial);
}

struct Entry {
  std::string path;
  uint64_t size;
  int64_t used; // nanoseconds since 1970
};

/// The files of the store, without what crashed writers left, which is removed.
std::vector<Entry> entriesIn(const std::string &folder) {
  constexpr int64_t hour = 3'600'000'000'000;
  timespec now;
  ::clock_gettime(CLOCK_REALTIME, &now);
  std::vector<Entry> entries;
  std::error_code error;
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    std::string path = it->path().string();
    struct stat status;
    if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode))
      continue;
    int64_t used = status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec;
    if (path.ends_with(kept))
      entries.push_back({std::move(path), uint64_t(status.st_size), used});
    else if (path.ends_with(partial) && used < now.tv_sec * 1'000'000'000 - hour)
      ::unlink(path.c_str());
  }
  return entries;
}

} // namespace

std::string Store::pathOf(const Key &key) const { return cat(folder, "/", key.hex(), kept); }

std::optional<std::string> Store::find(const Key &key) const {
  std::string path = pathOf(key);
  File file(path, O_RDONLY);
  if (!file)
    return std::nullopt;
  std::optional<std::string> bytes = file.read(limit);
  if (!bytes || !intact(key, *bytes)) {
    ::unlink(path.c_str());
    return std::nullopt;
  }
  file.markUsed();
  bytes->erase(0, sizeof(Header));
  return bytes;
}

Status Store::makeFolder() const {
  std::error_code error;
  std::filesystem::path path(folder);
  if (path.has_parent_path())
    std::filesystem::create_directories(path.parent_path(), error);
  // What was compiled may be secret, and what is found is executed.
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    return fail(Error::CacheFolder, folder, errnoText());
  return Done{};
}

Status Store::put(const Key &key, std::string_view content) const {
  if (sizeof(Header) + content.size() > limit)
    return fail(Error::CacheTooLarge, sizeof(Header) + content.size(), limit);
  if (Status made = makeFolder(); !made)
    return made;
  std::string path = cat(folder, "/", partialName());
  File file(path, O_WRONLY | O_CREAT | O_EXCL);
  if (!file)
    return fail(Error::CacheWrite, path, errnoText());
  Header header = headerOf(key, content);
  std::string_view first(reinterpret_cast<const char *>(&header), sizeof(header));
  bool written = file.write(first) && file.write(content);
  file.markUsed();
  written = written && file.close() && ::rename(path.c_str(), pathOf(key).c_str()) == 0;
  if (!written) {
    Reason reason = fail(Error::CacheWrite, path, errnoText());
    ::unlink(path.c_str());
    return reason;
  }
  trim();
  return Done{};
}

void Store::trim() const {
  std::vector<Entry> entries = entriesIn(folder);
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
    ::unlink(entry.path.c_str()); // another process may have been faster
    total -= entry.size;
  }
}

} // namespace tessera::cache
