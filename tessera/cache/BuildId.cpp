// The ids of loaded ELF files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cache/BuildId.h"

#include "tessera/cache/Key.h"

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <link.h>

namespace tessera::cache {

namespace {

size_t padded(size_t size) { return (size + 3) & ~size_t(3); }

/// What is linked in changes what is compiled; other libraries do not.
bool compiles(std::string_view path) {
  return path.find("libLLVM") != path.npos || path.find("libMLIR") != path.npos;
}

/// What was found so far.
struct Ids {
  std::string program, libraries;
  std::string path = "/proc/self/exe"; // of what holds this code
};

int visit(dl_phdr_info *info, size_t, void *data);

/// Whether this code is in the file: a program, or a library that others load.
bool holdsThis(const dl_phdr_info &info) {
  auto here = reinterpret_cast<uintptr_t>(&visit);
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr) &segment = info.dlpi_phdr[i];
    uintptr_t begin = info.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && here >= begin && here - begin < segment.p_memsz)
      return true;
  }
  return false;
}

int visit(dl_phdr_info *info, size_t, void *data) {
  auto &ids = *static_cast<Ids *>(data);
  bool program = holdsThis(*info);
  if (program && *info->dlpi_name)
    ids.path = info->dlpi_name;
  if (!program && !compiles(info->dlpi_name))
    return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) &segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE)
      continue;
    auto *notes = reinterpret_cast<const char *>(info->dlpi_addr + segment.p_vaddr);
    (program ? ids.program : ids.libraries) += buildIdInNotes({notes, segment.p_memsz});
  }
  return 0;
}

std::string contentOf(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::string content(std::istreambuf_iterator<char>(file), {});
  return Key{digestOf(content)}.hex();
}

std::string readBuildId() {
  Ids ids;
  dl_iterate_phdr(visit, &ids);
  return (ids.program.empty() ? contentOf(ids.path) : ids.program) + ids.libraries;
}

} // namespace

std::string_view buildIdInNotes(std::string_view notes) {
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) header;
    std::memcpy(&header, notes.data(), sizeof(header));
    notes.remove_prefix(sizeof(header));
    size_t name = padded(header.n_namesz), content = padded(header.n_descsz);
    if (name > notes.size() || content > notes.size() - name)
      return {};
    if (header.n_type == NT_GNU_BUILD_ID &&
        notes.substr(0, header.n_namesz) == std::string_view("GNU\0", 4))
      return notes.substr(name, header.n_descsz);
    notes.remove_prefix(name + content);
  }
  return {};
}

const std::string &buildId() {
  static const std::string id = readBuildId();
  return id;
}

} // namespace tessera::cache
