// The header and the sections of bytecode, and in which order their contents are read.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_bytecode/Reader.h"

#include "tessera/tile_bytecode/ReadFunctions.h"
#include "tessera/tile_bytecode/Sections.h"

namespace tessera::tile_bytecode {

namespace {

using File = std::span<const std::byte>;

struct Place {
  size_t begin = 0, end = 0;
  bool isThere = false;
};
struct Sections {
  std::array<Place, sectionCount> places;
  Layout layout;
  size_t end = 0; // after the End byte

  const Place &operator[](Section section) const { return places[size_t(section)]; }
};

/// The header: magic number, version, tag.
void readHeader(Cursor &cursor, Program &program) {
  for (size_t i = 0; i < magic.size(); ++i)
    if (unsigned got = cursor.left() ? cursor.byte("the magic number") : 0;
        got != uint8_t(magic[i]) || cursor.offset() != i + 1)
      return cursor.fail(Error::Magic, 0, i, got, unsigned(uint8_t(magic[i])));
  size_t at = cursor.offset();
  program.version.major = cursor.byte("the major version");
  program.version.minor = cursor.byte("the minor version");
  program.tag = cursor.fixed<uint16_t>("the tag of the version");
  if (!isKnown(program.version))
    return cursor.fail(Error::VersionUnknown, at, cat(program.version.str(), ".", program.tag),
                       oldestVersion.str(), newestVersion.str());
}

/// Where the sections are, up to the End byte.
Sections findSections(Cursor &cursor) {
  Sections out;
  while (!cursor.failed()) {
    size_t at = cursor.offset();
    unsigned first = cursor.byte("a section or the End byte");
    unsigned id = first & 0x7f;
    if (first == 0)
      break;
    if (id == 0 || id >= sectionCount) {
      cursor.failAsExpected(Error::SectionUnknown, at, id, sectionCount - 1);
      break;
    }
    const SectionRow &row = sectionRows[id];
    size_t length = size_t(cursor.varint("the length of a section"));
    uint32_t alignment = 1;
    if (first & 0x80) {
      size_t place = cursor.offset();
      uint64_t got = cursor.varint("the alignment of a section");
      if ((got == 0 || (got & (got - 1)) || got > mostAlignment) && !cursor.failed())
        cursor.expected(place, cat("an alignment that is a power of two up to ", mostAlignment),
                        got);
      alignment = cursor.failed() ? 1 : uint32_t(got);
      cursor.pad(alignment);
    }
    if (alignment % row.alignment)
      cursor.failAsExpected(Error::SectionAlignment, at, id, row.alignment,
                            first & 0x80 ? cat("alignment of ", alignment)
                                         : "no alignment flag set");
    Place &place = out.places[id];
    if (place.isThere)
      cursor.fail(Error::SectionRepeated, at, row.name);
    if (length > cursor.left())
      cursor.failAsExpected(Error::SectionLength, at, length, cursor.left());
    if (cursor.failed())
      break;
    place = {cursor.offset(), cursor.offset() + length, true};
    out.layout.sections.push_back({Section(id), alignment});
    cursor.bytes(length, "a section");
  }
  out.end = cursor.offset();
  return out;
}

class FileReader {
public:
  explicit FileReader(File file) : file(file) {}

  Result<Program> read() {
    if (file.size() > mostBytes)
      return fail(Error::TooLarge, file.size());
    Cursor cursor(file, 0, file.size(), "the file", failure);
    readHeader(cursor, program);
    Sections sections = findSections(cursor);
    if (!cursor.failed() && !cursor.atEnd())
      cursor.fail(Error::TrailingBytes, cursor.offset(), cursor.left());
    for (size_t id = 1; id < sectionCount && !cursor.failed(); ++id)
      if (!sectionRows[id].required.empty() && !sections.places[id].isThere)
        cursor.fail(Error::SectionMissing, sectionRows[id].required);
    if (!cursor.failed())
      contents(sections);
    for (Failure &first : {std::ref(failure), std::ref(strings)})
      if (first.reason)
        return *std::move(first.reason);
    program.layout.sections = std::move(sections.layout.sections);
    return std::move(program);
  }

private:
  /// A cursor over a section; over nothing where the file has none.
  Cursor open(const Sections &sections, Section section) {
    const Place &place = sections[section];
    return Cursor(file, place.begin, place.end, sectionRows[size_t(section)].part, failure);
  }
  /// Sections come in any order; what they refer to is read first.
  void contents(const Sections &sections) {
    auto read = [&](Section section, auto f) {
      if (sections[section].isThere && !failure.reason)
        f(open(sections, section));
    };
    DebugLists debug;
    read(Section::String, [&](Cursor c) { readStrings(c, program, strings); });
    read(Section::Type, [&](Cursor c) { readTypes(c, program, file, failure); });
    read(Section::Constant, [&](Cursor c) { readConstants(c, program); });
    read(Section::Global, [&](Cursor c) { readGlobals(c, program); });
    read(Section::Debug, [&](Cursor c) { debug = readDebug(c, program, file, failure); });
    read(Section::Producer, [&](Cursor c) { readProducer(c, program); });
    read(Section::Func, [&](Cursor c) { readFunctions(c, program, debug); });
  }

  File file;
  Failure failure;
  Failure strings; // what is wrong with them, said if nothing else is wrong
  Program program;
};

} // namespace

bool isTileBytecode(File file) {
  return file.size() >= magic.size() && std::memcmp(file.data(), magic.data(), magic.size()) == 0;
}

Result<Program> read(File file) { return FileReader(file).read(); }

Result<size_t> sizeOf(File buffer) {
  Failure failure;
  Program program;
  Cursor cursor(buffer, 0, buffer.size(), "the buffer", failure);
  readHeader(cursor, program);
  Sections sections = findSections(cursor);
  if (failure.reason)
    return *std::move(failure.reason);
  return sections.end;
}

} // namespace tessera::tile_bytecode
