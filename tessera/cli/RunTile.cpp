// Binding arguments to the parameters of a tile program, and running it on the interpreter.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tensor is an argument for a parameter that is a pointer. Front ends pass an array as its
// pointer, extents and strides; where there are as many parameters as that takes, a tensor stands
// for all of them.
#include "tessera/cli/RunTile.h"

#include "tessera/base/Printable.h"
#include "tessera/cli/Cli.h"
#include "tessera/run/Argument.h"
#include "tessera/tile_bytecode/Reader.h"
#include "tessera/tile_eval/Interpreter.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

using namespace tessera;
using namespace tessera::cli;
using tile_bytecode::Program;
using tile_bytecode::rowOf;
using tile_bytecode::TypeKind;

namespace {

/// A parameter that `--arg` can give a value.
struct Parameter {
  bool isPointer;
  TypeKind element; // of a pointer what it points to
  std::string text; // of the type
};

Result<std::vector<Parameter>> parametersOf(const Program &program,
                                            const tile_bytecode::Function &kernel) {
  std::vector<Parameter> out;
  for (tile_bytecode::Index index : program.type(kernel.type).parameters) {
    const tile_bytecode::Type &type = program.type(index);
    std::string text = typeText(program, index);
    if (type.kind != TypeKind::Tile || !type.shape.empty())
      return tile_eval::fail(tile_eval::Error::ParameterType, program.text(kernel.name), out.size(),
                             text);
    const tile_bytecode::Type &element = program.type(type.element);
    bool isPointer = element.kind == TypeKind::Pointer;
    out.push_back({isPointer, isPointer ? program.type(element.element).kind : element.kind, text});
  }
  return out;
}

/// Whether elements of this type are those of a tile program; its integers have no sign.
bool isElement(TypeKind kind, run::Dtype type) {
  const tile_bytecode::TypeRow &row = rowOf(kind);
  if (row.elements == tile_bytecode::TypeRow::Integer)
    return run::isInteger(type) && run::valueBits(type) == row.bits;
  return row.text == run::name(type);
}

/// What is wrong with a program or with what it is given, before anything of it runs.
bool isBadInput(const Reason &reason) {
  using enum tile_eval::Error;
  for (tile_eval::Error one : {NoKernel, ArgumentCount, ParameterType, Grid, GridSize, Unverified})
    if (reason.id == tile_eval::errors[size_t(one)].id)
      return true;
  return false;
}

class TileProgram {
public:
  TileProgram(Program program, const TileRun &asked)
      : asked(asked), interpreter(std::move(program)) {}

  Status prepare(Checks &checks) {
    const Program &program = interpreter.program();
    std::vector<std::string> names;
    for (const tile_bytecode::Function &function : program.functions)
      names.emplace_back(program.text(function.name));
    TESSERA_TRY(size_t chosen, driver::chooseName(names, asked.kernel, "kernel", "--entry"));
    kernel = names[chosen];
    TESSERA_TRY(parameters, parametersOf(program, program.functions[chosen]));
    for (const std::string &text : asked.arguments) {
      TESSERA_TRY(run::Argument argument, run::parseArgument(text));
      arguments.push_back(std::move(argument));
    }
    TESSERA_CHECK(checks.parse(arguments.size()));
    if (std::string missing = missingFile(checks); !missing.empty())
      return Reason{"Missing", cat("cannot read ", missing, ": there is no such file")};
    tensors.resize(arguments.size());
    size_t whole = 0; // parameters where tensors are pointers, extents and strides
    for (size_t i = 0; i < arguments.size(); ++i) {
      ++whole;
      if (arguments[i].kind == run::ArgumentKind::Scalar)
        continue;
      TESSERA_TRY(tensors[i], run::makeTensor(arguments[i], i));
      whole += 2 * tensors[i]->shape().size();
    }
    if (parameters.size() != arguments.size() && parameters.size() != whole)
      return countRefused(whole);
    return bind(parameters.size() != arguments.size());
  }

  Status launch() {
    std::array<uint32_t, 3> grid = {1, 1, 1};
    std::copy(asked.grid.begin(), asked.grid.end(), grid.begin());
    return interpreter.launch(kernel, grid, codes, asked.limits);
  }

  std::string takeOutput() { return interpreter.takeOutput(); }
  Result<const run::Tensor *> tensor(size_t index) const {
    if (!tensors[index])
      return Reason{"NoTensor", cat("argument ", index, " is a number, not a tensor")};
    return &*tensors[index];
  }

private:
  std::string missingFile(const Checks &checks) const {
    for (const run::Argument &argument : arguments)
      if (!argument.file.empty() && !std::filesystem::exists(argument.file))
        return argument.file;
    return checks.missingFile();
  }

  Reason countRefused(size_t whole) const {
    std::string types;
    for (const Parameter &parameter : parameters)
      types += (types.empty() ? "" : ", ") + parameter.text;
    std::string got = cat(arguments.size());
    if (whole != arguments.size())
      got += cat(", or ", whole, " where a tensor is its pointer, extents and strides");
    return {"TileArguments", cat("kernel '", kernel, "' expects ", parameters.size(),
                                 " arguments (", types, "), but got ", got)};
  }

  /// One value for the next parameter.
  Status add(size_t argument, bool isPointer, uint64_t code, std::string_view what) {
    const Parameter &parameter = parameters[codes.size()];
    if (parameter.isPointer != isPointer)
      return Reason{"TileArgument", cat("argument ", argument, " (", arguments[argument].text,
                                        "): its ", what, " is for parameter ", codes.size(),
                                        " of kernel '", kernel, "', which is ", parameter.text)};
    codes.push_back(code);
    return Done{};
  }
  /// An extent or a stride.
  Status addNumber(size_t argument, int64_t number, std::string_view what) {
    const Parameter &parameter = parameters[codes.size()];
    unsigned bits = rowOf(parameter.element).bits;
    bool fits = isInteger(parameter.element) && (bits == 64 || number >> (bits - 1) == 0);
    if (!parameter.isPointer && !fits)
      return Reason{"TileArgument", cat("argument ", argument, " (", arguments[argument].text,
                                        "): its ", what, " ", number, " does not fit parameter ",
                                        codes.size(), ", which is ", parameter.text)};
    return add(argument, false, uint64_t(number), what);
  }
  Status checkElement(size_t argument, run::Dtype type) const {
    const Parameter &parameter = parameters[codes.size()];
    if (isElement(parameter.element, type))
      return Done{};
    return Reason{"TileArgument",
                  cat("argument ", argument, " (", arguments[argument].text,
                      "): expects elements of type ", rowOf(parameter.element).text,
                      " for parameter ", codes.size(), " of kernel '", kernel, "', which is ",
                      parameter.text, ", but got ", run::name(type))};
  }

  Status bind(bool withShapes) {
    for (size_t i = 0; i < arguments.size(); ++i) {
      const run::Argument &argument = arguments[i];
      if (argument.kind == run::ArgumentKind::Scalar) {
        if (!parameters[codes.size()].isPointer)
          TESSERA_CHECK(checkElement(i, *argument.dtype));
        TESSERA_CHECK(add(i, false, argument.scalar, "number"));
        continue;
      }
      run::Tensor &tensor = *tensors[i];
      if (parameters[codes.size()].isPointer)
        TESSERA_CHECK(checkElement(i, tensor.dtype()));
      if (!tensor.bytes().empty())
        interpreter.memory().add(tensor.bytes().data(), tensor.bytes().size());
      TESSERA_CHECK(add(i, true, reinterpret_cast<uint64_t>(tensor.bytes().data()), "pointer"));
      if (!withShapes)
        continue;
      for (int64_t extent : tensor.shape())
        TESSERA_CHECK(addNumber(i, extent, "extent"));
      for (int64_t stride : tensor.strides())
        TESSERA_CHECK(addNumber(i, stride, "stride"));
    }
    return Done{};
  }

  const TileRun &asked;
  tile_eval::Interpreter interpreter;
  std::string kernel;
  std::vector<Parameter> parameters;
  std::vector<run::Argument> arguments;
  std::vector<std::optional<run::Tensor>> tensors; // by argument; none for numbers
  std::vector<uint64_t> codes;                     // by parameter
};

std::span<const std::byte> bytesOf(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

} // namespace

bool tessera::cli::isTileProgram(std::string_view file) {
  return tile_bytecode::isTileBytecode(bytesOf(file));
}

int tessera::cli::runTile(const TileRun &asked, Checks &checks) {
  std::unique_ptr<llvm::MemoryBuffer> input = readInput(asked.file);
  if (!input)
    return BadInput;
  Result<Program> read = tile_bytecode::read(bytesOf(input->getBuffer()));
  if (!read)
    return fail(Reason{read.reason().id, cat(asked.file, ": ", read.reason().text)});
  TileProgram program(*std::move(read), asked);
  if (Status prepared = program.prepare(checks); !prepared)
    return fail(prepared.reason());
  Status status = program.launch();
  std::string printed = program.takeOutput();
  if (printed.size() > asked.outputBytes) {
    size_t more = printed.size() - asked.outputBytes;
    printed.resize(asked.outputBytes);
    printed += cat("\n[cut off: ", more, " more bytes were printed, and ", asked.outputBytes,
                   " are kept]\n");
  }
  llvm::outs() << (llvm::outs().is_displayed() ? printable(printed) : printed);
  llvm::outs().flush();
  if (!status)
    return fail(status.reason(), isBadInput(status.reason()) ? BadInput : KernelFailed);
  Result<bool> right = checks.run([&](size_t index) { return program.tensor(index); });
  return !right ? fail(right.reason()) : *right ? Right : Differs;
}
