// Parameters: the parameters of kernels, from the types of tile programs and of PTX.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/program/Parameters.h"

#include "tessera/jit/TileParameters.h"
#include "tessera/ptx_text/Parser.h"

namespace tessera::program {

using run::Parameter;
using Kind = Parameter::Kind;

namespace {

constexpr size_t pointerBytes = 8;

Parameter ofSize(Parameter parameter, size_t bytes) {
  parameter.packing = {bytes, {{0, unsigned(std::min<size_t>(bytes, pointerBytes) * 8)}}};
  return parameter;
}

/// A number of a type that PTX names, such as s32 or f16; of b32 and b64 anything of that size.
Parameter ptxParameter(const ptx_text::Variable &variable) {
  size_t bytes = variable.bytes();
  Parameter parameter{.kind = Kind::Refused,
                      .name = std::string(variable.name),
                      .type = cat(".", ptx_text::name(variable.type))};
  if (variable.elements > 1 || variable.vector > 1) {
    parameter.type += cat("[", variable.elements * variable.vector, "]");
    parameter.packing.size = bytes;
    return parameter;
  }
  number::Format format = ptx_text::row(variable.type).element;
  if (bytes == pointerBytes && !run::isFloat(format)) {
    parameter.kind = Kind::Pointer;
  } else {
    std::string digits = std::to_string(bytes * 8);
    bool isBits = number::kindOf(format) == number::Kind::Bits;
    parameter.kind = Kind::Number;
    parameter.element =
        run::elementsOf(isBits || run::isInteger(format) ? "i" + digits
                                                         : std::string(run::name(format)))
            .value_or(run::ElementTypes{"i" + digits, {}});
    if (isBits && bytes == 4) // as LLVM writes floats
      parameter.element.dtypes.push_back(run::Dtype::f32);
    if (isBits && bytes == 2)
      parameter.element.dtypes.push_back(run::Dtype::f16);
  }
  return ofSize(std::move(parameter), bytes);
}

run::Dim3 extents(const ptx_text::Extent3 &extent) { return {extent[0], extent[1], extent[2]}; }

} // namespace

std::vector<Callable> kernelsOf(const tile_bytecode::Program &program) {
  std::vector<Callable> kernels;
  for (const tile_bytecode::Function &function : program.functions) {
    Callable kernel{.name = std::string(program.text(function.name)),
                    .parameters = jit::parametersOf(program, function)};
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

Result<std::vector<Callable>> kernelsOf(const std::string &ptx) {
  TESSERA_TRY(std::unique_ptr<ptx_text::Module> module, ptx_text::parseModule(ptx));
  std::vector<Callable> kernels;
  for (const ptx_text::Function &function : module->functions) {
    if (!function.isEntry)
      continue;
    Callable kernel{.name = std::string(function.name),
                    .block = extents(function.required),
                    .cluster = extents(function.cluster)};
    for (const ptx_text::Variable &variable : function.parameters)
      kernel.parameters.push_back(ptxParameter(variable));
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

std::vector<Parameter> parametersOf(const run::KernelInfo &info) {
  std::vector<Parameter> parameters;
  for (const run::ParameterInfo &known :
       info.parameters.value_or(std::vector<run::ParameterInfo>())) {
    Parameter parameter{.kind = Kind::Refused, .type = cat(known.size, " bytes")};
    parameter.packing.size = known.size;
    if (known.size == pointerBytes) {
      parameter.kind = Kind::Pointer;
      parameter = ofSize(std::move(parameter), known.size);
    }
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

} // namespace tessera::program
