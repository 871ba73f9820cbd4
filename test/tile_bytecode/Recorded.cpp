// The programs unpacked, where they are in archives.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Recorded.h"

#include "tessera/base/Result.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>

#include <unistd.h>

namespace tessera::tile_bytecode::test {

namespace {

/// A folder of this process with the programs unpacked, which is removed at its end.
class Unpacked {
public:
  explicit Unpacked(const std::filesystem::path &from)
      : folder(std::filesystem::temp_directory_path() / cat("tessera-tile-", ::getpid())) {
    std::filesystem::create_directories(folder);
    for (const char *archive : {"programs-13.3.tar.xz", "samples.tar.xz"})
      if (std::filesystem::exists(from / archive))
        isWhole &=
            std::system(cat("tar -xf '", (from / archive).string(), "' -C '", folder.string(), "'")
                            .c_str()) == 0;
  }
  ~Unpacked() {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }
  std::filesystem::path folder;
  bool isWhole = true;
};

} // namespace

std::vector<std::filesystem::path> recordedPrograms() {
  std::vector<std::filesystem::path> out;
  const char *folder = std::getenv("TESSERA_TILE_PROGRAMS"),
             *packed = std::getenv("TESSERA_CUTILE");
  if (!folder && !packed)
    return out;
  static const std::unique_ptr<Unpacked> unpacked =
      folder ? nullptr : std::make_unique<Unpacked>(packed);
  for (const auto &entry : std::filesystem::recursive_directory_iterator(
           folder ? std::filesystem::path(folder) : unpacked->folder))
    if (entry.path().extension() == ".tilebc")
      out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}
std::string contentOf(const std::filesystem::path &path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

} // namespace tessera::tile_bytecode::test
