// Reader and writer of .npy: the Python dict in the header, by hand.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/run/Npy.h"

#include "tessera/base/Printable.h"
#include "tessera/base/Scanner.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace tessera::run {

namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr size_t alignment = 64;    // numpy.lib.format.ARRAY_ALIGN
constexpr size_t growthDigits = 21; // numpy.lib.format.GROWTH_AXIS_MAX_DIGITS

constexpr NpyType knownTypes[] = {
    {NpyKind::Float, 2},    {NpyKind::Float, 4},    {NpyKind::Float, 8},    {NpyKind::Int, 1},
    {NpyKind::Int, 2},      {NpyKind::Int, 4},      {NpyKind::Int, 8},      {NpyKind::Unsigned, 1},
    {NpyKind::Unsigned, 2}, {NpyKind::Unsigned, 4}, {NpyKind::Unsigned, 8}, {NpyKind::Bool, 1},
    {NpyKind::Raw, 1},      {NpyKind::Raw, 2},
};

/// A version of the format: how many bytes its header length has.
struct Version {
  uint8_t major, minor, lengthBytes;
};
constexpr Version versions[] = {{1, 0, 2}, {2, 0, 4}, {3, 0, 4}};

/// The contents of the dict, each key at most once.
struct Header {
  std::optional<std::string> descr;
  std::optional<bool> fortranOrder;
  std::optional<std::vector<int64_t>> shape;
};

/// Reads the dict. Every reason says at which byte of the header it stopped.
class HeaderReader {
public:
  explicit HeaderReader(std::string_view text) : scanner(text) {}

  Result<Header> read() {
    if (!scanner.take("{"))
      return malformed("a dict, which begins with {");
    while (!scanner.take("}")) {
      TESSERA_CHECK(readEntry());
      if (!scanner.take(",") && scanner.peek() != '}')
        return malformed(", or }");
    }
    if (!scanner.atEnd())
      return malformed("nothing after the closing }");
    return header;
  }

private:
  Status readEntry() {
    TESSERA_TRY(std::string key, readString("a key in quotes"));
    if (!scanner.take(":"))
      return malformed(":");
    if (key == "descr" && !header.descr)
      return readDescr();
    if (key == "fortran_order" && !header.fortranOrder)
      return readOrder();
    if (key == "shape" && !header.shape)
      return readShape();
    return fail(Error::NpyKey, printable(key));
  }

  Result<std::string> readString(std::string_view expected) {
    char quote = scanner.peek();
    size_t end = quote == '\'' || quote == '"' ? scanner.rest().find(quote, 1) : std::string::npos;
    if (end == std::string::npos)
      return malformed(expected);
    std::string content(scanner.rest().substr(1, end - 1));
    scanner.take(scanner.rest().substr(0, end + 1));
    return content;
  }

  Status readDescr() {
    if (scanner.peek() == '[')
      return fail(Error::NpyStructured,
                  printable(scanner.rest().substr(0, scanner.rest().find(']') + 1)));
    TESSERA_TRY(header.descr, readString("a type in quotes, such as '<f4'"));
    return Done{};
  }

  Status readOrder() {
    header.fortranOrder = scanner.take("True");
    if (!*header.fortranOrder && !scanner.take("False"))
      return malformed("True or False");
    return Done{};
  }

  Status readShape() {
    if (!scanner.take("("))
      return malformed("a tuple of extents, such as (2, 3)");
    std::vector<int64_t> shape;
    bool comma = true;
    while (!scanner.take(")")) {
      if (!comma)
        return malformed(", or )");
      bool number = scanner.peek() == '-' || (scanner.peek() >= '0' && scanner.peek() <= '9');
      std::optional<int64_t> extent = scanner.takeInteger();
      if (!extent && number)
        return fail(Error::NpyExtent, "does not fit 64 bits");
      if (!extent)
        return malformed("an extent");
      if (*extent < 0)
        return fail(Error::NpyExtent, cat("is ", *extent));
      scanner.take("L"); // Python 2 wrote long integers so
      shape.push_back(*extent);
      comma = scanner.take(",");
    }
    if (shape.size() == 1 && !comma)
      return malformed("a tuple: one extent is written with a comma, such as (3,)");
    header.shape = std::move(shape);
    return Done{};
  }

  Reason malformed(std::string_view expected) {
    scanner.peek(); // to the next token
    std::string_view rest = scanner.rest();
    return fail(Error::NpyMalformed, expected, scanner.position(),
                rest.empty() ? "the end" : cat("\"", printable(rest.substr(0, 20)), "\""));
  }

  Scanner scanner;
  Header header;
};

/// "<f4" and the like. ml_dtypes before 0.5 wrote f8E5M2 as <f1: one raw byte.
Result<NpyType> parseDescr(const std::string &descr) {
  std::string_view text = descr;
  if (text == "|O" || text == "O")
    return fail(Error::NpyObject, descr);
  if (text == "<f1")
    return NpyType{NpyKind::Raw, 1};
  bool marked = !text.empty() && std::string_view("<>=|").find(text[0]) != std::string::npos;
  std::string_view type = text.substr(marked ? 1 : 0);
  for (NpyType known : knownTypes) {
    if (str(known) != type)
      continue;
    // One byte has no order; of more, numpy writes < on little-endian machines and > on the others.
    if (text[0] == '>' && known.bytes > 1 && known.kind != NpyKind::Raw)
      return fail(Error::NpyBigEndian, descr);
    return known;
  }
  std::string expected;
  for (NpyType known : knownTypes)
    expected += cat(expected.empty() ? "" : " ", str(known));
  return fail(Error::NpyType, printable(descr), expected);
}

uint64_t littleEndian(std::span<const std::byte> bytes) {
  uint64_t value = 0;
  for (size_t i = bytes.size(); i-- > 0;)
    value = value << 8 | uint64_t(bytes[i]);
  return value;
}

/// Where the header's text lies in a file.
struct HeaderPlace {
  size_t begin, size;
};
Result<HeaderPlace> findHeader(std::span<const std::byte> file) {
  size_t versionAt = magic.size(), lengthAt = versionAt + 2;
  size_t compared = std::min(file.size(), magic.size());
  if (file.empty() || std::memcmp(file.data(), magic.data(), compared) != 0)
    return fail(Error::NpyMagic);
  if (file.size() < lengthAt)
    return fail(Error::NpyTruncated, lengthAt, file.size());
  unsigned major = unsigned(file[versionAt]), minor = unsigned(file[versionAt + 1]);
  const Version *version = std::find_if(std::begin(versions), std::end(versions), [&](Version v) {
    return v.major == major && v.minor == minor;
  });
  if (version == std::end(versions))
    return fail(Error::NpyVersion, major, minor);
  size_t begin = lengthAt + version->lengthBytes;
  if (file.size() < begin)
    return fail(Error::NpyTruncated, begin, file.size());
  size_t size = littleEndian(file.subspan(lengthAt, version->lengthBytes));
  if (file.size() - begin < size)
    return fail(Error::NpyTruncated, begin + size, file.size());
  return HeaderPlace{begin, size};
}

std::string_view withoutTrailingSpace(std::string_view text) {
  size_t last = text.find_last_not_of(" \t\r\n");
  return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

} // namespace

std::string str(NpyType type) { return cat(char(type.kind), type.bytes); }

Result<int64_t> elementCount(std::span<const int64_t> shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    if (extent == 0)
      return int64_t(0);
  for (int64_t extent : shape)
    if (__builtin_mul_overflow(count, extent, &count))
      return fail(Error::ShapeOverflow, tuple(shape));
  return count;
}

Result<NpyArray> parseNpy(std::span<const std::byte> file) {
  TESSERA_TRY(HeaderPlace place, findHeader(file));
  std::string_view text(reinterpret_cast<const char *>(file.data()) + place.begin, place.size);
  TESSERA_TRY(Header header, HeaderReader(withoutTrailingSpace(text)).read());
  for (auto [present, key] : {std::pair(header.descr.has_value(), "descr"),
                              std::pair(header.fortranOrder.has_value(), "fortran_order"),
                              std::pair(header.shape.has_value(), "shape")})
    if (!present)
      return fail(Error::NpyMissing, key);

  NpyArray array;
  TESSERA_TRY(array.type, parseDescr(*header.descr));
  array.shape = *std::move(header.shape);
  array.fortranOrder = *header.fortranOrder;
  TESSERA_TRY(int64_t count, elementCount(array.shape));
  int64_t size;
  if (__builtin_mul_overflow(count, int64_t(array.type.bytes), &size))
    return fail(Error::ShapeOverflow, tuple(array.shape));
  std::span<const std::byte> data = file.subspan(place.begin + place.size);
  if (uint64_t(size) > data.size())
    return fail(Error::NpyShort, tuple(array.shape), str(array.type), size, data.size());
  TESSERA_TRY(array.data, Bytes::zeros(size_t(size)));
  std::copy_n(data.data(), size, array.data.data());
  return array;
}

Result<NpyArray> readNpy(const std::string &path) {
  TESSERA_TRY(Bytes file, readFile(path, mostArrayBytes));
  Result<NpyArray> array = parseNpy(file.span());
  if (!array)
    return prefixed(cat(path, ": "), std::move(array).reason());
  return array;
}

std::string npyHeader(const NpyArray &array) {
  std::string shape = tuple(array.shape);
  if (array.shape.size() == 1)
    shape.insert(shape.size() - 1, ",");
  char order = array.type.bytes == 1 && array.type.kind != NpyKind::Raw ? '|' : '<';
  std::string text = cat("{'descr': '", order, str(array.type),
                         "', 'fortran_order': ", array.fortranOrder ? "True" : "False",
                         ", 'shape': ", shape, ", }");
  // Room for the growing extent, so that others may append to the file in place.
  if (!array.shape.empty()) {
    int64_t growing = array.fortranOrder ? array.shape.back() : array.shape.front();
    text += std::string(growthDigits - std::to_string(growing).size(), ' ');
  }
  for (const Version &version : {versions[0], versions[1]}) {
    size_t begin = magic.size() + 2 + version.lengthBytes;
    size_t total = (begin + text.size() + 1 + alignment - 1) / alignment * alignment;
    uint64_t length = total - begin;
    if (length >> (8 * version.lengthBytes))
      continue;
    std::string out = cat(magic, char(version.major), char(version.minor));
    for (int i = 0; i < version.lengthBytes; ++i)
      out += char(length >> (8 * i));
    return cat(out, text, std::string(total - begin - text.size() - 1, ' '), "\n");
  }
  return {}; // a header of 4 GiB: 200 million extents, which no tensor here has
}

Status writeNpy(const std::string &path, const NpyArray &array) {
  std::string header = npyHeader(array);
  return writeFile(path, {bytesOf(header), array.data.span()});
}

} // namespace tessera::run
