// The sections of bytecode, written from the tables of a program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_bytecode/Writer.h"

#include "tessera/tile_bytecode/Sections.h"
#include "tessera/tile_bytecode/WriteFunctions.h"

#include <algorithm>

namespace tessera::tile_bytecode {

namespace {

class FileWriter {
public:
  FileWriter(const Program &program, Version version, WriteFault &fault)
      : program(program), version(version), fault(fault) {}

  Result<std::string> write() {
    file.append(magic);
    file.byte(version.major);
    file.byte(version.minor);
    file.fixed(program.tag);
    for (const Layout::Entry &entry : order()) {
      Output section;
      TESSERA_CHECK(content(entry.section, section));
      file.byte(unsigned(entry.section) | (entry.alignment > 1 ? 0x80 : 0));
      file.varint(section.bytes.size());
      if (entry.alignment > 1) {
        file.varint(entry.alignment);
        file.pad(entry.alignment);
      }
      file.append(section.bytes);
    }
    file.byte(0);
    return std::move(file.bytes);
  }

private:
  bool isNeeded(Section section) const {
    switch (section) {
    case Section::Debug:
      return !program.debug.empty() ||
             std::any_of(program.functions.begin(), program.functions.end(),
                         [](const Function &f) { return f.hasLocations; });
    case Section::Constant: return !program.constants.empty();
    case Section::Type: return !program.types.empty();
    case Section::Global: return !program.globals.empty();
    case Section::Producer: return program.producer != noIndex && version >= Version{13, 3};
    default: return !sectionRows[size_t(section)].required.empty();
    }
  }
  /// The sections in the order of the file that the program was read from; then those that it does
  /// not have.
  std::vector<Layout::Entry> order() const {
    std::vector<Layout::Entry> out;
    for (const Layout::Entry &entry : program.layout.sections)
      if (entry.section != Section::Producer || isNeeded(entry.section))
        out.push_back(entry);
    for (Section section : {Section::Global, Section::Func, Section::Constant, Section::Debug,
                            Section::Type, Section::Producer, Section::String}) {
      bool isThere = std::any_of(out.begin(), out.end(), [&](const Layout::Entry &entry) {
        return entry.section == section;
      });
      if (!isThere && isNeeded(section))
        out.push_back({section, sectionRows[size_t(section)].written});
    }
    return out;
  }

  Status content(Section section, Output &out) {
    switch (section) {
    case Section::String:
      return table(program.strings, 4, out, [](auto &text, Output &o) {
        o.append(text);
        return Status(Done{});
      });
    case Section::Constant:
      return table(program.constants, 8, out, [](auto &bytes, Output &o) {
        o.varint(bytes.size());
        o.append(bytes);
        return Status(Done{});
      });
    case Section::Type:
      return table(program.types, 4, out,
                   [&](auto &type, Output &o) { return this->type(type, o); });
    case Section::Func: return functions(out);
    case Section::Debug: return debug(out);
    case Section::Global: return globals(out);
    case Section::Producer: out.varint(program.producer); return Done{};
    case Section::End: break;
    }
    return Done{};
  }

  /// Sections with tables are aligned, so padding is the same in the section as in the file.
  template <class Entry, class Write>
  Status table(const std::vector<Entry> &entries, unsigned width, Output &out, Write write) {
    out.varint(entries.size());
    out.pad(width);
    Output data;
    for (const Entry &entry : entries) {
      if (width == 4)
        out.fixed(uint32_t(data.bytes.size()));
      else
        out.fixed(uint64_t(data.bytes.size()));
      TESSERA_CHECK(write(entry, data));
    }
    out.append(data.bytes);
    return Done{};
  }

  //===--- Types

  Status type(const Type &type, Output &out) {
    const TypeRow &row = rowOf(type.kind);
    if (Version since{13, row.minor}; since > version)
      return fail(Error::WriteTypeVersion, row.name, since.str(), version.str());
    out.varint(row.tag);
    bool hasFlags = version >= Version{13, 3};
    switch (type.kind) {
    case TypeKind::Pointer:
      flags(out);
      out.varint(type.element);
      break;
    case TypeKind::Tile:
      out.varint(type.element);
      out.list<int64_t>(type.shape);
      break;
    case TypeKind::TensorView:
      flags(out);
      out.varint(type.element);
      out.list<int64_t>(type.shape);
      out.list<int64_t>(type.strides);
      break;
    case TypeKind::Function:
      list(type.parameters, out);
      list(type.results, out);
      break;
    case TypeKind::PartitionView:
    case TypeKind::StridedView:
    case TypeKind::GatherScatterView:
      if (hasFlags)
        out.varint(type.padding.has_value());
      out.list<int32_t>(type.shape);
      if (type.kind == TypeKind::StridedView)
        out.list<int32_t>(type.strides);
      out.varint(type.element);
      if (type.kind == TypeKind::GatherScatterView)
        out.varint(type.sparseDim);
      else
        out.list<int32_t>(type.dims);
      if (!hasFlags)
        out.byte(type.padding.has_value());
      if (type.padding)
        out.varint(uint64_t(*type.padding));
      break;
    default: break;
    }
    return Done{};
  }
  void flags(Output &out) const {
    if (version >= Version{13, 4})
      out.varint(0);
  }
  static void list(const std::vector<Index> &indices, Output &out) {
    out.varint(indices.size());
    for (Index i : indices)
      out.varint(i);
  }

  //===--- Functions, locations, globals

  Status functions(Output &out) {
    out.varint(program.functions.size());
    uint32_t withLocations = 0;
    for (const Function &function : program.functions) {
      uint32_t number = function.hasLocations ? ++withLocations : 0;
      fault.function = Index(&function - program.functions.data());
      TESSERA_CHECK(writeFunction(program, version, function, number, out, fault.instruction));
    }
    fault = {};
    if (program.layout.padsFunctions || program.layout.sections.empty())
      out.pad(8);
    return Done{};
  }

  static void collect(const std::vector<Instruction> &body, std::vector<uint64_t> &to) {
    for (const Instruction &instruction : body) {
      to.push_back(instruction.location);
      for (const Region &region : instruction.regions)
        collect(region.body, to);
    }
  }
  Status debug(Output &out) {
    std::vector<uint32_t> offsets;
    std::vector<uint64_t> locations;
    for (const Function &function : program.functions) {
      if (!function.hasLocations)
        continue;
      offsets.push_back(uint32_t(locations.size()));
      locations.push_back(function.location);
      collect(function.body, locations);
    }
    out.varint(offsets.size());
    out.pad(4);
    for (uint32_t offset : offsets)
      out.fixed(offset);
    out.varint(locations.size());
    out.pad(8);
    for (uint64_t location : locations)
      out.fixed(location);
    return table(program.debug, 4, out, [](const DebugEntry &entry, Output &o) {
      o.byte(entry.kind);
      for (size_t i = 0; debugFields[entry.kind][i] != DebugField::None; ++i)
        o.varint(entry.fields[i]);
      return Status(Done{});
    });
  }

  Status globals(Output &out) {
    bool hasVisibility = version >= Version{13, 3};
    out.varint(program.globals.size());
    for (const Global &global : program.globals) {
      std::string_view name = program.text(global.name);
      fault.global = Index(&global - program.globals.data());
      if (!hasVisibility && global.visibility != SymbolVisibility::Public)
        return fail(Error::WriteVisibility, name, version.str());
      if (!hasVisibility && global.isConstant)
        return fail(Error::WriteConstantGlobal, name, version.str());
      out.varint(global.name);
      out.varint(global.type);
      out.varint(global.constant);
      out.varint(global.alignment);
      if (hasVisibility) {
        out.varint(uint64_t(global.visibility));
        out.varint(global.isConstant);
      }
    }
    fault = {};
    return Done{};
  }

  const Program &program;
  Version version;
  WriteFault &fault;
  Output file;
};

} // namespace

Result<std::string> write(const Program &program, Version version, WriteFault *fault) {
  if (!isKnown(version))
    return fail(Error::WriteVersionUnknown, oldestVersion.str(), newestVersion.str(),
                version.str());
  WriteFault ignored;
  return FileWriter(program, version, fault ? *fault : ignored).write();
}
Result<std::string> write(const Program &program) { return write(program, program.version); }

} // namespace tessera::tile_bytecode
