// The C API of tile programs: each function checks its arguments, calls the C++ one, and turns
// reasons into errors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera-c/Tile.h"

#include "tessera/base/ApiError.h"
#include "tessera/tile_bytecode/Reader.h"
#include "tessera/tile_bytecode/Writer.h"
#include "tessera/tile_capi/Errors.h"
#include "tessera/tile_eval/Interpreter.h"

#include <deque>

using namespace tessera;
using tile_bytecode::Function;
using tile_bytecode::Type;
using tile_bytecode::TypeKind;

struct TesseraTileError {
  std::string id, text;
};
struct TesseraTileProgram {
  tile_bytecode::Program program;
  std::vector<std::string> names, types; // of kernels; of all types
  std::string written;
};
struct TesseraTileInterpreter {
  tile_eval::Interpreter interpreter;
  std::string output;
};

namespace {

/// Whether nothing is missing of what a function expects.
bool has(TesseraTileError **error, const char *function,
         std::initializer_list<std::pair<const void *, const char *>> arguments) {
  for (auto [pointer, what] : arguments)
    if (!pointer)
      return refuse(error, tile_capi::fail(tile_capi::Error::NullArgument, function, what)), false;
  return true;
}
std::span<const std::byte> bytesOf(const void *data, size_t length) {
  return {static_cast<const std::byte *>(data), length};
}

} // namespace

//===--- Errors

const char *tesseraTileErrorId(const TesseraTileError *error) { return idOf(error); }
const char *tesseraTileErrorText(const TesseraTileError *error) { return textOf(error); }
void tesseraTileErrorDestroy(TesseraTileError *error) { destroyError(error); }

//===--- Programs

TesseraTileProgram *tesseraTileProgramRead(const void *bytes, size_t length,
                                           TesseraTileError **error) {
  return guarded(error, [&]() -> TesseraTileProgram * {
    if (!has(error, "tesseraTileProgramRead", {{bytes, "bytecode"}}))
      return nullptr;
    Result<tile_bytecode::Program> read = tile_bytecode::read(bytesOf(bytes, length));
    if (!read)
      return refuse(error, read.reason()), nullptr;
    auto out = std::make_unique<TesseraTileProgram>();
    out->program = *std::move(read);
    for (const Function &function : out->program.functions)
      out->names.emplace_back(out->program.text(function.name));
    for (size_t i = 0; i < out->program.types.size(); ++i)
      out->types.push_back(typeText(out->program, tile_bytecode::Index(i)));
    return out.release();
  });
}
void tesseraTileProgramDestroy(TesseraTileProgram *program) { delete program; }

bool tesseraTileBytecodeSize(const void *buffer, size_t length, size_t *size,
                             TesseraTileError **error) {
  return guarded(error, [&] {
    if (!has(error, "tesseraTileBytecodeSize",
             {{buffer, "bytecode"}, {size, "a place for the size"}}))
      return false;
    Result<size_t> found = tile_bytecode::sizeOf(bytesOf(buffer, length));
    if (!found)
      return refuse(error, found.reason()), false;
    *size = *found;
    return true;
  });
}
unsigned tesseraTileProgramMinor(const TesseraTileProgram *program) {
  return program ? program->program.version.minor : 0;
}
bool tesseraTileProgramWrite(TesseraTileProgram *program, unsigned minor, const void **bytes,
                             size_t *length, TesseraTileError **error) {
  return guarded(error, [&] {
    if (!has(error, "tesseraTileProgramWrite",
             {{program, "a program"},
              {bytes, "a place for the bytes"},
              {length, "a place for their number"}}))
      return false;
    tile_bytecode::Version version{13, uint8_t(minor < 256 ? minor : 255)};
    Result<std::string> written = write(program->program, version);
    if (!written)
      return refuse(error, written.reason()), false;
    program->written = *std::move(written);
    *bytes = program->written.data();
    *length = program->written.size();
    return true;
  });
}

size_t tesseraTileKernelCount(const TesseraTileProgram *program) {
  return program ? program->names.size() : 0;
}
const char *tesseraTileKernelName(const TesseraTileProgram *program, size_t kernel) {
  return program && kernel < program->names.size() ? program->names[kernel].c_str() : nullptr;
}
size_t tesseraTileParameterCount(const TesseraTileProgram *program, const char *name) {
  const Function *function = program && name ? program->program.find(name) : nullptr;
  return function ? program->program.type(function->type).parameters.size() : 0;
}
bool tesseraTileParameter(const TesseraTileProgram *program, const char *name, size_t index,
                          TesseraTileParameter *to, TesseraTileError **error) {
  return guarded(error, [&] {
    if (!has(error, "tesseraTileParameter",
             {{program, "a program"},
              {name, "the name of a kernel"},
              {to, "a place for the parameter"}}))
      return false;
    const tile_bytecode::Program &p = program->program;
    Result<const Function *> function = tile_eval::findKernel(p, name);
    if (!function)
      return refuse(error, function.reason()), false;
    const auto &parameters = p.type((*function)->type).parameters;
    if (index >= parameters.size())
      return refuse(error,
                    tile_capi::fail(tile_capi::Error::NoParameter, name, parameters.size(), index)),
             false;
    const Type *element = &p.type(parameters[index]);
    if (element->kind == TypeKind::Tile)
      element = &p.type(element->element);
    bool isPointer = element->kind == TypeKind::Pointer;
    if (isPointer)
      element = &p.type(element->element);
    const tile_bytecode::TypeRow &row = rowOf(element->kind);
    *to = {program->types[parameters[index]].c_str(), row.text.data(), row.bits, isPointer};
    return true;
  });
}

//===--- Running

TesseraTileInterpreter *tesseraTileInterpreterCreate(const TesseraTileProgram *program,
                                                     TesseraTileError **error) {
  return guarded(error, [&]() -> TesseraTileInterpreter * {
    if (!has(error, "tesseraTileInterpreterCreate", {{program, "a program"}}))
      return nullptr;
    return new TesseraTileInterpreter{tile_eval::Interpreter(program->program), ""};
  });
}
void tesseraTileInterpreterDestroy(TesseraTileInterpreter *interpreter) { delete interpreter; }

bool tesseraTileArrayAdd(TesseraTileInterpreter *interpreter, void *data, size_t bytes,
                         TesseraTileError **error) {
  return guarded(error, [&] {
    if (!has(error, "tesseraTileArrayAdd", {{interpreter, "an interpreter"}, {data, "an array"}}))
      return false;
    interpreter->interpreter.memory().add(data, bytes);
    return true;
  });
}
void tesseraTileArrayRemove(TesseraTileInterpreter *interpreter, void *data) {
  if (interpreter)
    interpreter->interpreter.memory().remove(reinterpret_cast<uint64_t>(data));
}
bool tesseraTileGlobal(TesseraTileInterpreter *interpreter, const char *name, uint64_t *address,
                       TesseraTileError **error) {
  return guarded(error, [&] {
    if (!has(error, "tesseraTileGlobal",
             {{interpreter, "an interpreter"},
              {name, "a name"},
              {address, "a place for the address"}}))
      return false;
    Result<uint64_t> found = interpreter->interpreter.global(name);
    if (!found)
      return refuse(error, found.reason()), false;
    *address = *found;
    return true;
  });
}

TesseraTileOptions tesseraTileDefaultOptions(void) {
  tile_eval::Options o;
  return {o.seed, o.steps, o.bytes, o.resident, o.checksRaces, o.checksAssumptions};
}
bool tesseraTileLaunch(TesseraTileInterpreter *interpreter, const char *kernel,
                       const uint32_t grid[3], const uint64_t *arguments, size_t count,
                       const TesseraTileOptions *options, TesseraTileError **error) {
  return guarded(error, [&] {
    if (!has(error, "tesseraTileLaunch",
             {{interpreter, "an interpreter"},
              {kernel, "the name of a kernel"},
              {grid, "a grid"},
              {count ? (const void *)arguments : "", "arguments"}}))
      return false;
    TesseraTileOptions given = options ? *options : tesseraTileDefaultOptions();
    tile_eval::Options o{.seed = given.seed,
                         .steps = given.steps,
                         .bytes = given.bytes,
                         .checksRaces = given.checks_races,
                         .checksAssumptions = given.checks_assumptions,
                         .resident = given.resident};
    Status done =
        interpreter->interpreter.launch(kernel, {grid[0], grid[1], grid[2]}, {arguments, count}, o);
    if (!done)
      refuse(error, done.reason());
    return bool(done);
  });
}
uint64_t tesseraTileSteps(const TesseraTileInterpreter *interpreter) {
  return interpreter ? interpreter->interpreter.steps() : 0;
}
const char *tesseraTileTakeOutput(TesseraTileInterpreter *interpreter) {
  if (!interpreter)
    return "";
  interpreter->output.clear();
  guarded(nullptr, [&] {
    interpreter->output = interpreter->interpreter.takeOutput();
    return true;
  });
  return interpreter->output.c_str();
}
