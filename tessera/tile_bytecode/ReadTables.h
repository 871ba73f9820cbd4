// ReadTables: the parts of the reader that fill the tables of a program: strings, types, constants,
// attributes, locations, globals.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/tile_bytecode/Cursor.h"
#include "tessera/tile_bytecode/Program.h"

namespace tessera::tile_bytecode {

/// Entries of a table: the beginning of each, and the end of the last.
struct Entries {
  std::vector<size_t> begins;
  size_t end = 0;

  size_t size() const { return begins.size(); }
  size_t endOf(size_t i) const { return i + 1 < begins.size() ? begins[i + 1] : end; }
};
/// Reads the head of a table, whose offsets have `width` bytes; `cursor` is after it then. With
/// `late`, a wrong offset is noted there, and its entry begins where the one before it does.
Entries readEntries(Cursor &cursor, unsigned width, Failure *late = nullptr);

/// `late` is what is wrong with the places of strings; NVIDIA's reader looks only at those that are
/// used, so that any other sentence comes before it.
void readStrings(Cursor, Program &, Failure &late);
void readConstants(Cursor, Program &);
void readGlobals(Cursor, Program &);
void readProducer(Cursor, Program &);
/// `file` and `failure` are for cursors of the entries.
void readTypes(Cursor, Program &, std::span<const std::byte> file, Failure &failure);

/// An attribute with its tag.
Attribute readAttribute(Cursor &, const Program &, unsigned depth = 0);
/// The entries of a dictionary, whose keys do not repeat.
Attribute readDictionary(Cursor &, const Program &, Attribute::Kind, unsigned depth);

/// The section Debug. Its lists of locations are assigned to the functions in order.
struct DebugLists {
  std::vector<uint32_t> offsets; // of each function's first in `locations`
  std::vector<uint32_t> locations;
};
DebugLists readDebug(Cursor, Program &, std::span<const std::byte> file, Failure &failure);

/// Nothing if a constant has the number of bytes of a tile, or of one element for all; otherwise
/// what it should have. Only checks the size.
std::optional<std::string> checkConstant(const Program &, Index constant, const Type &tile);

} // namespace tessera::tile_bytecode
