// Binding arguments to the parameters of a tile program, and running it on the interpreter.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tensor is an argument for a parameter that is a pointer, or for all that front ends pass of an
// array (run/Spread.h).
#include "tessera/cli/RunTile.h"

#include "tessera/base/Printable.h"
#include "tessera/cli/Cli.h"
#include "tessera/jit/TileParameters.h"
#include "tessera/run/Argument.h"
#include "tessera/run/Spread.h"
#include "tessera/tile_bytecode/Reader.h"
#include "tessera/tile_eval/Interpreter.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

using namespace tessera;
using namespace tessera::cli;
using run::Parameter;
using tile_bytecode::Program;

namespace {

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
    parameters = jit::parametersOf(program, program.functions[chosen]);
    for (size_t i = 0; i < parameters.size(); ++i)
      if (parameters[i].kind == Parameter::Kind::Refused)
        return tile_eval::fail(tile_eval::Error::ParameterType, kernel, i, parameters[i].type);
    for (const std::string &text : asked.arguments) {
      TESSERA_TRY(run::Argument argument, run::parseArgument(text));
      arguments.push_back(std::move(argument));
    }
    TESSERA_CHECK(checks.parse(arguments.size()));
    if (std::string missing = missingFile(checks); !missing.empty())
      return Reason{"Missing", cat("cannot read ", missing, ": there is no such file")};
    tensors.resize(arguments.size());
    std::vector<run::Given> given(arguments.size());
    for (size_t i = 0; i < arguments.size(); ++i)
      if (arguments[i].kind != run::ArgumentKind::Scalar) {
        TESSERA_TRY(tensors[i], run::makeTensor(arguments[i], i));
        given[i] = {run::Given::Kind::Tensor, tensors[i]->shape().size()};
      }
    std::vector<bool> isPointer;
    for (const Parameter &parameter : parameters)
      isPointer.push_back(parameter.kind == Parameter::Kind::Pointer);
    std::vector<bool> whole = run::wholeTensors(given, isPointer);
    size_t count = 0; // of parameters that these are
    for (size_t i = 0; i < arguments.size(); ++i)
      count += whole[i] ? 1 + 2 * given[i].rank : 1;
    if (parameters.size() != count)
      return countRefused(count);
    return bind(whole);
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
      types += (types.empty() ? "" : ", ") + parameter.type;
    std::string got = cat(arguments.size());
    if (whole != arguments.size())
      got += cat(", or ", whole, " where a tensor is its pointer, extents and strides");
    return {"TileArguments", cat("kernel '", kernel, "' expects ", parameters.size(),
                                 " arguments (", types, "), but got ", got)};
  }

  /// One value for the next parameter.
  Status add(size_t argument, bool isPointer, uint64_t code, std::string_view what) {
    const Parameter &parameter = parameters[codes.size()];
    if ((parameter.kind == Parameter::Kind::Pointer) != isPointer)
      return Reason{"TileArgument", cat("argument ", argument, " (", arguments[argument].text,
                                        "): its ", what, " is for parameter ", codes.size(),
                                        " of kernel '", kernel, "', which is ", parameter.type)};
    codes.push_back(code);
    return Done{};
  }
  /// An extent or a stride.
  Status addNumber(size_t argument, int64_t number, std::string_view what) {
    const Parameter &parameter = parameters[codes.size()];
    const run::Dtype type = parameter.element.dtypes[0];
    const int bits = run::valueBits(type);
    bool fits = run::isInteger(type) && (bits == 64 || number >> (bits - 1) == 0);
    if (parameter.kind == Parameter::Kind::Number && !fits)
      return Reason{"TileArgument", cat("argument ", argument, " (", arguments[argument].text,
                                        "): its ", what, " ", number, " does not fit parameter ",
                                        codes.size(), ", which is ", parameter.type)};
    return add(argument, false, uint64_t(number), what);
  }
  Status checkElement(size_t argument, run::Dtype type) const {
    const Parameter &parameter = parameters[codes.size()];
    if (parameter.element.takes(type))
      return Done{};
    return Reason{"TileArgument",
                  cat("argument ", argument, " (", arguments[argument].text,
                      "): expects elements of type ", parameter.element.text, " for parameter ",
                      codes.size(), " of kernel '", kernel, "', which is ", parameter.type,
                      ", but got ", run::name(type))};
  }

  Status bind(const std::vector<bool> &whole) {
    for (size_t i = 0; i < arguments.size(); ++i) {
      const run::Argument &argument = arguments[i];
      if (argument.kind == run::ArgumentKind::Scalar) {
        if (parameters[codes.size()].kind == Parameter::Kind::Number)
          TESSERA_CHECK(checkElement(i, *argument.dtype));
        TESSERA_CHECK(add(i, false, argument.scalar, "number"));
        continue;
      }
      run::Tensor &tensor = *tensors[i];
      if (parameters[codes.size()].kind == Parameter::Kind::Pointer)
        TESSERA_CHECK(checkElement(i, tensor.dtype()));
      if (!tensor.bytes().empty())
        interpreter.memory().add(tensor.bytes().data(), tensor.bytes().size());
      TESSERA_CHECK(add(i, true, reinterpret_cast<uint64_t>(tensor.bytes().data()), "pointer"));
      if (!whole[i])
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
