// Reads fat binaries and picks PTX.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cuda_driver/Fatbinary.h"

#include "tessera/ptx_text/Lexer.h"

#include <algorithm>
#include <cstring>
#include <optional>

#ifdef TESSERA_ZSTD
#include <zstd.h>
#endif

namespace tessera::cuda_driver {

namespace {

constexpr uint32_t wrapperMagic = 0x466243b1, headerMagic = 0xba55ed50;
constexpr uint32_t elfMagic = 0x464c457f; // "\177ELF"

struct Wrapper {
  uint32_t magic, version;
  const void *header;         // version 1
  const void *const *headers; // version 2: one for each module of a program that nvcc linked
};
struct Header {
  uint32_t magic;
  uint16_t version, bytes;
  uint64_t filesBytes;
};
enum FileKind : uint16_t {
  Ptx = 1,
  Elf = 2
};
struct File {
  uint16_t kind, version;
  uint32_t bytes; // of this header, with the names that follow it
  uint64_t paddedBytes;
  uint32_t packedBytes, optionsOffset;
  uint16_t minor, major;
  uint32_t architecture, nameOffset, nameBytes;
  uint64_t flags, reserved, unpackedBytes;
};
static_assert(sizeof(File) == 64);
constexpr uint64_t packedByLz4 = 0x2000, packedByZstd = 0x8000;
constexpr uint64_t mostBytes = uint64_t(1) << 30; // of a text

Result<std::string> unpackZstd(std::span<const std::byte> packed, size_t size) {
#ifdef TESSERA_ZSTD
  std::string out(size, '\0');
  size_t got = ZSTD_decompress(out.data(), out.size(), packed.data(), packed.size());
  if (ZSTD_isError(got))
    return fail(Error::Damaged, cat("zstd says ", ZSTD_getErrorName(got)));
  out.resize(got);
  return out;
#else
  return fail(Error::NoZstd);
#endif
}

Result<std::string> textOf(const File &file) {
  auto *start = reinterpret_cast<const std::byte *>(&file) + file.bytes;
  Result<std::string> out(std::in_place);
  if (!(file.flags & (packedByLz4 | packedByZstd))) {
    out->assign(reinterpret_cast<const char *>(start), file.paddedBytes);
  } else {
    if (file.unpackedBytes > mostBytes)
      return fail(Error::Damaged, cat("a text of ", file.unpackedBytes, " bytes"));
    std::span packed(start, file.packedBytes);
    out = file.flags & packedByLz4 ? unpackLz4(packed, file.unpackedBytes)
                                   : unpackZstd(packed, file.unpackedBytes);
    if (!out)
      return out;
  }
  out->resize(std::min(out->find('\0'), out->size())); // padded with zeros
  return out;
}

Status addTexts(const Header &header, std::vector<std::string> &texts) {
  if (header.magic != headerMagic)
    return fail(Error::Damaged, "its header has another magic number");
  auto *at = reinterpret_cast<const std::byte *>(&header) + header.bytes,
       *end = at + header.filesBytes;
  while (size_t(end - at) >= sizeof(File)) {
    const File &file = *reinterpret_cast<const File *>(at);
    if (file.bytes < sizeof(File) || file.paddedBytes > uint64_t(end - at) - file.bytes)
      return fail(Error::Damaged, cat("a file of ", file.paddedBytes, " bytes does not fit"));
    if (file.kind == Ptx) {
      TESSERA_TRY(std::string text, textOf(file));
      texts.push_back(std::move(text));
    }
    at += file.bytes + file.paddedBytes;
  }
  return Done{};
}

/// "sm_90a" of a text, without a `.target` empty.
std::string targetOf(std::string_view text) {
  ptx_text::Lexer lexer(text);
  bool isTarget = false;
  while (true) {
    Result<ptx_text::Token> token = lexer.next();
    if (!token || token->kind == ptx_text::Token::End)
      return "";
    if (isTarget)
      return std::string(token->text);
    isTarget = token->is(".target");
  }
}

/// Whether a GPU runs PTX for a target, and how new the target is. PTX ISA 11.1.2: a suffix `a` is
/// for this architecture only, `f` for those of its family.
std::optional<int> fits(std::string_view target, const Gpu &gpu) {
  size_t digits = target.find_first_of("0123456789");
  if (digits == target.npos)
    return std::nullopt;
  int number = std::atoi(std::string(target.substr(digits)).c_str()),
      own = gpu.major * 10 + gpu.minor;
  bool runs = target.back() == 'a'   ? number == own
              : target.back() == 'f' ? number / 10 == gpu.major && number <= own
                                     : number <= own;
  bool special = target.back() == 'a' || target.back() == 'f';
  return runs ? std::optional(number * 2 + special) : std::nullopt;
}

} // namespace

Result<std::string> unpackLz4(std::span<const std::byte> packed, size_t size) {
  std::string out;
  out.reserve(size);
  size_t at = 0;
  auto byte = [&]() -> size_t {
    return at < packed.size() ? size_t(packed[at++]) : (at = SIZE_MAX, 0);
  };
  auto length = [&](size_t first) {
    size_t sum = first;
    for (size_t more = 255; first == 15 && more == 255 && at <= packed.size(); sum += more)
      more = byte();
    return sum;
  };
  while (at < packed.size()) {
    size_t token = byte(), literals = length(token >> 4);
    if (at > packed.size() || literals > packed.size() - at || literals > size - out.size())
      return fail(Error::Damaged, "LZ4 copies more than there is");
    out.append(reinterpret_cast<const char *>(packed.data()) + at, literals);
    at += literals;
    if (at == packed.size() || out.size() == size)
      return out; // the last sequence has no match
    size_t offset = byte();
    offset |= byte() << 8;
    size_t match = length(token & 15) + 4;
    if (at > packed.size() || offset == 0 || offset > out.size() || match > size - out.size())
      return fail(Error::Damaged, "LZ4 repeats what is not there");
    for (size_t from = out.size() - offset; match; --match)
      out += out[from++];
  }
  return out;
}

Result<std::vector<std::string>> ptxOf(const void *image) {
  Result<std::vector<std::string>> texts(std::in_place);
  uint32_t magic = 0;
  auto *bytes = static_cast<const char *>(image);
  // A text may be shorter than four bytes: its NUL ends it.
  for (size_t i = 0; i < 4 && (i == 0 || bytes[i - 1]); ++i)
    magic |= uint32_t(static_cast<unsigned char>(bytes[i])) << (8 * i);
  if (magic == wrapperMagic) {
    const Wrapper &wrapper = *static_cast<const Wrapper *>(image);
    if (wrapper.version == 1)
      return ptxOf(wrapper.header);
    size_t count = 0;
    for (const void *const *next = wrapper.headers; next && *next; ++next, ++count)
      TESSERA_CHECK(addTexts(*static_cast<const Header *>(*next), *texts));
    if (count > 1 && texts->size() > 1)
      return fail(Error::SeveralModules, count);
    return texts;
  }
  if (magic == headerMagic) {
    TESSERA_CHECK(addTexts(*static_cast<const Header *>(image), *texts));
    return texts;
  }
  if (magic == elfMagic)
    return texts;
  if (targetOf(bytes).empty())
    return fail(Error::NotCode, cat(magic));
  texts->push_back(bytes);
  return texts;
}

Result<std::string> choose(std::vector<std::string> texts, const Gpu &gpu) {
  if (texts.empty())
    return fail(Error::NoPtx);
  int newest = -1;
  std::string *best = nullptr, targets;
  for (std::string &text : texts) {
    std::string target = targetOf(text);
    (targets += targets.empty() ? "" : ", ") += target;
    if (std::optional<int> age = fits(target, gpu); age && *age > newest)
      newest = *age, best = &text;
  }
  if (!best)
    return fail(Error::NoPtxForGpu, targets, gpu.key, gpu.major * 10 + gpu.minor);
  return std::move(*best);
}

} // namespace tessera::cuda_driver
