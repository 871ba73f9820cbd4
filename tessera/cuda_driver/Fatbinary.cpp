// Reads fat binaries and picks PTX.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cuda_driver/Fatbinary.h"

#include "tessera/ptx_text/Lexer.h"
#include "tessera/ptx_text/Linking.h"

#include <algorithm>
#include <charconv>
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
constexpr uint64_t mostBytes = uint64_t(1) << 30; // of all texts

using Bytes = std::span<const std::byte>;

/// A header at the beginning of bytes that have room for it, aligned or not.
template <class T> T headerAt(const void *from) {
  T out;
  std::memcpy(&out, from, sizeof out);
  return out;
}

Result<std::string> unpackZstd(Bytes packed, size_t size) {
#ifdef TESSERA_ZSTD
  // A block has a header of 3 bytes, at least one more, and stands for at most 128 KiB (RFC 8878,
  // 3.1.1.2), whatever a few bytes state.
  std::string out(std::min(size, (packed.size() / 4 + 1) << 17), '\0');
  size_t got = ZSTD_decompress(out.data(), out.size(), packed.data(), packed.size());
  if (ZSTD_isError(got))
    return fail(Error::Damaged, cat("zstd says ", ZSTD_getErrorName(got)));
  out.resize(got);
  return out;
#else
  return fail(Error::NoZstd);
#endif
}

/// The text of a file, whose content has `paddedBytes`; at most `most` bytes.
Result<std::string> textOf(const File &file, Bytes content, uint64_t most) {
  Result<std::string> out(std::in_place);
  if (file.flags & (packedByLz4 | packedByZstd)) {
    if (file.packedBytes > content.size())
      return fail(Error::Damaged, cat("a file of ", content.size(), " bytes has ", file.packedBytes,
                                      " bytes of a compressed text"));
    if (file.unpackedBytes > most)
      return fail(Error::Damaged, cat("a text of ", file.unpackedBytes, " bytes"));
    Bytes packed = content.first(file.packedBytes);
    out = file.flags & packedByLz4 ? unpackLz4(packed, file.unpackedBytes)
                                   : unpackZstd(packed, file.unpackedBytes);
    if (!out)
      return out;
  } else {
    if (content.size() > most)
      return fail(Error::Damaged, cat("a text of ", content.size(), " bytes"));
    out->assign(reinterpret_cast<const char *>(content.data()), content.size());
  }
  out->resize(std::min(out->find('\0'), out->size())); // padded with zeros
  return out;
}

/// The bytes of a fat binary, as its header states them: in an image of unknown size nothing else
/// says where it ends.
Result<Bytes> statedBytes(const void *image) {
  auto header = headerAt<Header>(image);
  if (header.magic != headerMagic)
    return fail(Error::Damaged, "its header has another magic number");
  uint64_t bytes, end;
  if (__builtin_add_overflow(header.filesBytes, header.bytes, &bytes) ||
      __builtin_add_overflow(reinterpret_cast<uint64_t>(image), bytes, &end))
    return fail(Error::Damaged, cat("its header states ", header.filesBytes, " bytes"));
  return Bytes(static_cast<const std::byte *>(image), bytes);
}

/// The texts of a fat binary that begins an image and lies within it.
Status addTexts(Bytes image, std::vector<std::string> &texts) {
  if (image.size() < sizeof(Header))
    return fail(Error::Damaged, cat("it ends after ", image.size(), " bytes"));
  auto header = headerAt<Header>(image.data());
  if (header.bytes < sizeof(Header) || header.bytes > image.size() ||
      header.filesBytes > image.size() - header.bytes)
    return fail(Error::Damaged, cat("a header of ", header.bytes, " bytes and files of ",
                                    header.filesBytes, " do not fit into ", image.size()));
  Bytes files = image.subspan(header.bytes, header.filesBytes);
  uint64_t most = mostBytes;
  while (files.size() >= sizeof(File)) {
    auto file = headerAt<File>(files.data());
    if (file.bytes < sizeof(File) || file.bytes > files.size() ||
        file.paddedBytes > files.size() - file.bytes)
      return fail(Error::Damaged, cat("a file of ", file.paddedBytes, " bytes does not fit"));
    if (file.kind == Ptx) {
      TESSERA_TRY(std::string text,
                  textOf(file, files.subspan(file.bytes, file.paddedBytes), most));
      most -= text.size();
      texts.push_back(std::move(text));
    }
    files = files.subspan(file.bytes + file.paddedBytes);
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
  int number = 0, own = gpu.major * 10 + gpu.minor;
  std::from_chars_result read =
      std::from_chars(target.data() + digits, target.data() + target.size(), number);
  if (read.ec != std::errc() || number > 9999)
    return std::nullopt;
  bool runs = target.back() == 'a'   ? number == own
              : target.back() == 'f' ? number / 10 == gpu.major && number <= own
                                     : number <= own;
  bool special = target.back() == 'a' || target.back() == 'f';
  return runs ? std::optional(number * 2 + special) : std::nullopt;
}

} // namespace

Result<std::string> unpackLz4(std::span<const std::byte> packed, size_t size) {
  std::string out;
  out.reserve(std::min(size, packed.size() * 255)); // no byte stands for more
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

namespace {

uint32_t magicOf(std::string_view text) {
  uint32_t magic = 0;
  for (size_t i = 0; i < std::min<size_t>(text.size(), 4); ++i)
    magic |= uint32_t(static_cast<unsigned char>(text[i])) << (8 * i);
  return magic;
}

/// What is not a fat binary: machine code, which has no texts, or a text.
Result<std::vector<Texts>> plain(std::string_view text) {
  if (magicOf(text) == elfMagic)
    return std::vector<Texts>{{}};
  if (targetOf(text).empty())
    return fail(Error::NotCode, magicOf(text));
  return std::vector<Texts>{{std::string(text)}};
}

Result<std::vector<Texts>> oneOf(Bytes whole) {
  Texts texts;
  TESSERA_CHECK(addTexts(whole, texts));
  return std::vector<Texts>{std::move(texts)};
}

} // namespace

Result<std::vector<Texts>> ptxOfFile(std::span<const std::byte> file) {
  std::string_view text(reinterpret_cast<const char *>(file.data()), file.size());
  if (magicOf(text) == wrapperMagic)
    return fail(Error::Damaged, "it is a wrapper, which holds addresses, and a file has none");
  return magicOf(text) == headerMagic ? oneOf(file) : plain(text.substr(0, text.find('\0')));
}

Result<std::vector<Texts>> ptxOf(const void *image) {
  auto *bytes = static_cast<const char *>(image);
  // A text may be shorter than four bytes: its NUL ends it.
  uint32_t magic = magicOf({bytes, strnlen(bytes, 4)});
  if (magic == wrapperMagic) {
    auto wrapper = headerAt<Wrapper>(image);
    if (wrapper.version == 1 && !wrapper.header)
      return fail(Error::Damaged, "its wrapper has a null pointer");
    if (wrapper.version == 1)
      return ptxOf(wrapper.header);
    std::vector<Texts> modules;
    for (const void *const *next = wrapper.headers; next && *next; ++next) {
      TESSERA_TRY(Bytes whole, statedBytes(*next));
      TESSERA_TRY(std::vector<Texts> one, oneOf(whole));
      if (!one.front().empty())
        modules.push_back(std::move(one.front()));
    }
    if (modules.empty())
      modules.emplace_back();
    return modules;
  }
  if (magic != headerMagic)
    return plain(bytes);
  TESSERA_TRY(Bytes whole, statedBytes(image));
  return oneOf(whole);
}

Result<std::string> choose(Texts texts, const Gpu &gpu) {
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

Result<std::string> chooseAndLink(std::vector<Texts> modules, const Gpu &gpu) {
  std::vector<std::string> chosen;
  std::optional<Reason> why;
  for (Texts &texts : modules) {
    Result<std::string> text = choose(std::move(texts), gpu);
    if (text)
      chosen.push_back(std::move(*text));
    else if (!why)
      why = text.reason();
  }
  // nvcc links libcudadevrt too, whose PTX is for the newest GPU.
  if (chosen.empty())
    return *why;
  return chosen.size() == 1 ? Result<std::string>(std::move(chosen.front()))
                            : ptx_text::link(chosen);
}

} // namespace tessera::cuda_driver
