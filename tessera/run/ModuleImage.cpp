// Inspects PTX text and cubins.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/run/ModuleImage.h"

#include "tessera/base/Printable.h"
#include "tessera/ptx_text/Lexer.h"
#include "tessera/ptx_text/Parser.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace tessera::run {

namespace {

constexpr std::string_view elfMagic = "\x7f"
                                      "ELF";
// Where ptxas puts the parameters of a kernel; functions that are not kernels have none.
constexpr std::string_view kernelSection = ".nv.constant0.";
constexpr uint16_t machineCuda = 190;
constexpr uint32_t sectionWithoutBytes = 8; // SHT_NOBITS

/// The fields that we read of Elf64_Ehdr and Elf64_Shdr, at their offsets.
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
  if (offset >= names.size)
    return {};
  const char *begin = reinterpret_cast<const char *>(image.data()) + names.offset + offset;
  return std::string(begin, strnlen(begin, names.size - offset));
}

Result<ModuleImage> inspectCubin(Image image) {
  std::optional<ElfHeader> header = readAt<ElfHeader>(image, 0);
  if (!header)
    return fail(Error::CubinTruncated, image.size(), sizeof(ElfHeader));
  constexpr uint8_t class64 = 2;
  if (header->ident[4] != class64 || header->machine != machineCuda ||
      header->sectionHeaderSize != sizeof(ElfSection))
    return fail(Error::NotACubin, header->machine);
  std::vector<ElfSection> sections;
  for (uint64_t i = 0; i < header->sectionHeaderCount; ++i) {
    uint64_t at = header->sectionHeaders + i * sizeof(ElfSection);
    std::optional<ElfSection> section = readAt<ElfSection>(image, at);
    if (!section)
      return fail(Error::CubinTruncated, image.size(), at + sizeof(ElfSection));
    if (section->type != sectionWithoutBytes && !contains(image, section->offset, section->size))
      return fail(Error::CubinTruncated, image.size(), section->offset + section->size);
    sections.push_back(*section);
  }
  uint64_t programs = uint64_t(header->programHeaderCount) * header->programHeaderSize;
  if (!contains(image, header->programHeaders, programs))
    return fail(Error::CubinTruncated, image.size(), header->programHeaders + programs);
  ModuleImage out{ImageKind::Cubin, {}};
  if (header->nameSection >= sections.size() ||
      sections[header->nameSection].type == sectionWithoutBytes)
    return out;
  for (const ElfSection &section : sections)
    if (std::string name = nameAt(image, sections[header->nameSection], section.name);
        name.starts_with(kernelSection))
      out.kernels.push_back(name.substr(kernelSection.size()));
  return out;
}

Result<ModuleImage> inspectPtx(std::string_view text) {
  size_t nul = text.find('\0');
  // A terminating NUL is common in embedded text and harmless.
  if (nul != std::string_view::npos && text.find_first_not_of('\0', nul) != std::string_view::npos)
    return fail(Error::PtxNul, nul);
  text = text.substr(0, nul);
  ModuleImage out{ImageKind::Ptx, {}};
  ptx_text::Lexer lexer(text);
  Result<ptx_text::Token> first = lexer.next();
  if (!first || !first->is(".version"))
    return fail(Error::NotCode, printable(text.substr(0, std::min<size_t>(text.find('\n'), 40))));
  TESSERA_TRY(ptx_text::Outline outline, ptx_text::outlineOf(text));
  out.kernels.assign(outline.kernels.begin(), outline.kernels.end());
  return out;
}

} // namespace

Result<ModuleImage> inspectImage(std::span<const std::byte> image) {
  std::string_view text(reinterpret_cast<const char *>(image.data()), image.size());
  return text.starts_with(elfMagic) ? inspectCubin(image) : inspectPtx(text);
}

} // namespace tessera::run
