// Headers, sections and symbols of ELF files, read with their bounds.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cubin/Cubin.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>

namespace tessera::cubin {

namespace {

constexpr std::string_view elfMagic = "\x7f"
                                      "ELF";
// Where ptxas puts the parameters of a kernel; functions that are not kernels have none.
constexpr std::string_view kernelSection = ".nv.constant0.";
constexpr uint16_t machineCuda = 190;
constexpr uint32_t symbolTable = 2, sectionWithoutBytes = 8; // SHT_SYMTAB, SHT_NOBITS
constexpr uint8_t globalFunction = 0x12;                     // STB_GLOBAL, STT_FUNC

/// The fields that we read of Elf64_Ehdr, Elf64_Shdr and Elf64_Sym, at their offsets.
struct ElfHeader {
  uint8_t ident[16];
  uint16_t type, machine;
  uint32_t version;
  uint64_t entry, programHeaders, sectionHeaders;
  uint32_t flags;
  uint16_t headerSize, programHeaderSize, programHeaderCount, sectionHeaderSize, sectionHeaderCount,
      nameSection;
};
static_assert(sizeof(ElfHeader) == 64);
struct ElfSection {
  uint32_t name, type;
  uint64_t flags, address, offset, size;
  uint32_t link, info;
  uint64_t alignment, entrySize;
};
static_assert(sizeof(ElfSection) == 64);
struct ElfSymbol {
  uint32_t name;
  uint8_t info, other;
  uint16_t section;
  uint64_t value, size;
};
static_assert(sizeof(ElfSymbol) == 24);

using Image = std::span<const std::byte>;

bool contains(Image image, uint64_t offset, uint64_t size) {
  return offset <= image.size() && size <= image.size() - offset;
}
template <class T> std::optional<T> readAt(Image image, uint64_t offset) {
  if (!contains(image, offset, sizeof(T)))
    return std::nullopt;
  T value;
  std::memcpy(&value, image.data() + offset, sizeof(T));
  return value;
}

/// A zero-terminated name inside a section of names.
std::string nameAt(Image image, const ElfSection &names, uint64_t offset) {
  if (names.type == sectionWithoutBytes || offset >= names.size)
    return {};
  const char *begin = reinterpret_cast<const char *>(image.data()) + names.offset + offset;
  return std::string(begin, strnlen(begin, names.size - offset));
}

struct Whole {
  std::vector<ElfSection> sections; // each inside the file
  size_t names = 0;                 // which of them has their names; may be none
};

Result<Whole> read(Image image) {
  if (image.empty())
    return fail(Error::CubinEmpty);
  std::optional<ElfHeader> header = readAt<ElfHeader>(image, 0);
  if (!header)
    return fail(Error::CubinTruncated, image.size(), sizeof(ElfHeader));
  constexpr uint8_t class64 = 2;
  if (!isElf(image) || header->ident[4] != class64 || header->machine != machineCuda ||
      header->sectionHeaderSize != sizeof(ElfSection))
    return fail(Error::NotACubin, header->machine);
  Whole out;
  out.names = header->nameSection;
  for (uint64_t i = 0; i < header->sectionHeaderCount; ++i) {
    uint64_t at = header->sectionHeaders + i * sizeof(ElfSection);
    std::optional<ElfSection> section = readAt<ElfSection>(image, at);
    if (!section)
      return fail(Error::CubinTruncated, image.size(), at + sizeof(ElfSection));
    if (section->type != sectionWithoutBytes && !contains(image, section->offset, section->size))
      return fail(Error::CubinTruncated, image.size(), section->offset + section->size);
    out.sections.push_back(*section);
  }
  uint64_t programs = uint64_t(header->programHeaderCount) * header->programHeaderSize;
  if (!contains(image, header->programHeaders, programs))
    return fail(Error::CubinTruncated, image.size(), header->programHeaders + programs);
  return out;
}

/// Whether a symbol stands for code that is in the file.
bool hasCode(Image image, const Whole &whole, const ElfSymbol &symbol) {
  if (symbol.section >= whole.sections.size())
    return false;
  const ElfSection &section = whole.sections[symbol.section];
  if (section.type == sectionWithoutBytes || symbol.value > section.size ||
      symbol.size > section.size - symbol.value)
    return false;
  Image code = image.subspan(section.offset + symbol.value, symbol.size);
  return std::any_of(code.begin(), code.end(), [](std::byte byte) { return byte != std::byte(); });
}

/// The functions of all tables of symbols.
std::vector<std::string> functionsOf(Image image, const Whole &whole) {
  std::vector<std::string> found;
  for (const ElfSection &table : whole.sections) {
    if (table.type != symbolTable || table.link >= whole.sections.size())
      continue;
    for (uint64_t at = 0; at + sizeof(ElfSymbol) <= table.size; at += sizeof(ElfSymbol)) {
      std::optional<ElfSymbol> symbol = readAt<ElfSymbol>(image, table.offset + at);
      if (symbol && symbol->info == globalFunction && hasCode(image, whole, *symbol))
        found.push_back(nameAt(image, whole.sections[table.link], symbol->name));
    }
  }
  return found;
}

} // namespace

bool isElf(Image image) {
  return image.size() >= elfMagic.size() &&
         std::memcmp(image.data(), elfMagic.data(), elfMagic.size()) == 0;
}

Result<std::vector<std::string>> kernelsOf(Image image) {
  TESSERA_TRY(Whole whole, read(image));
  std::vector<std::string> kernels;
  if (whole.names >= whole.sections.size())
    return kernels;
  for (const ElfSection &section : whole.sections)
    if (std::string name = nameAt(image, whole.sections[whole.names], section.name);
        name.starts_with(kernelSection))
      kernels.push_back(name.substr(kernelSection.size()));
  return kernels;
}

Status checkKernels(Image image, std::span<const std::string> kernels) {
  TESSERA_TRY(Whole whole, read(image));
  std::vector<std::string> functions = functionsOf(image, whole);
  for (const std::string &kernel : kernels)
    if (std::find(functions.begin(), functions.end(), kernel) == functions.end()) {
      std::string there;
      for (const std::string &function : functions)
        there += cat(there.empty() ? "'" : ", '", function, "'");
      return fail(Error::CubinEntry, kernel, there.empty() ? "none" : there);
    }
  return Done{};
}

} // namespace tessera::cubin
