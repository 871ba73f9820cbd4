// Exported functions as C declares them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/aot/Function.h"

#include <algorithm>
#include <cctype>

namespace tessera::aot {

using run::Parameter;

namespace {

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return char(std::toupper(c)); });
  return text;
}

std::string nameOf(const Parameter &parameter, size_t number) {
  return parameter.name.empty() ? cat("arg", number) : parameter.name;
}

std::string fieldOf(const Parameter &parameter, const std::string &name) {
  switch (parameter.kind) {
  case Parameter::Kind::Tensor: {
    std::string rank = std::to_string(parameter.modes.count());
    if (parameter.modes.count() == 0)
      return cat("struct { void *data; } ", name);
    return cat("struct { void *data; int64_t shape[", rank, "], strides[", rank, "]; } ", name);
  }
  case Parameter::Kind::Pointer: return "void *" + name;
  default: return (run::isFloat(parameter.element.dtypes[0]) ? "double " : "int64_t ") + name;
  }
}

} // namespace

std::string declarationOf(const Function &function) {
  std::string out = cat("typedef struct ", function.name, "_arguments {\n");
  size_t number = 0;
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    const Parameter &parameter = function.parameters[i];
    if (!parameter.takesArgument())
      continue;
    std::optional<size_t> dimension = function.gridDimension(i);
    out += cat("  /* ",
               dimension ? cat("tile blocks, 1 to ", mostTileBlocks[*dimension])
                         : constraintOf(parameter),
               " */\n");
    out += cat("  ", fieldOf(parameter, nameOf(parameter, number++)), ";\n");
  }
  if (number == 0)
    out += "  int64_t unused;\n";
  return cat(out, "} ", function.name, "_arguments;\n", "int32_t ", function.name, "(const ",
             function.name, "_arguments *arguments, void *stream);\n");
}

std::string headerOf(const std::vector<Function> &functions, const std::string &name,
                     const std::string &file) {
  std::string guard = cat("TESSERA_", upper(name), "_H");
  const char *tiles = "";
  if (std::any_of(functions.begin(), functions.end(),
                  [](const Function &function) { return function.tiles.has_value(); }))
    tiles =
        "\n *\n"
        " * Tile programs take what their entry takes, in its order: pointers to memory of the\n"
        " * GPU, and numbers. Most pass an array as its pointer, then its extents, then its\n"
        " * strides in elements.";
  std::string out = cat(
      "/* Kernels of ", file, ", exported by Tessera.\n *\n",
      " * A function checks its arguments, queues its launches on the stream (a CUstream or\n"
      " * cudaStream_t; NULL is the default one) of the current context, and returns. Without a\n"
      " * current context it takes the primary one of device 0. libcuda.so.1 is opened by the "
      "first\n"
      " * call. Any thread may call.\n *\n"
      " * Tensors: `data` is the address of element 0 in memory of the GPU unless the comment "
      "says\n"
      " * otherwise; shape and strides have a number for each mode of the layout in the comment, "
      "in\n"
      " * order, strides in elements. A number in the layout has to be given as it is; ? is any, "
      "and\n"
      " * {div=8} a multiple of 8.",
      tiles, " */\n", "#ifndef ", guard, "\n#define ", guard, "\n\n#include <stdint.h>\n\n",
      "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n",
      "/* What the functions return; a number above 0 is the CUresult of the driver. */\n",
      "#ifndef TESSERA_CODES\n#define TESSERA_CODES\nenum {\n");
#define CODE(name, number, meaning)                                                                \
  out += cat("  TESSERA_" #name " = ", number, ", /* ", meaning, " */\n");
#include "tessera/aot/Codes.def"
#undef CODE
  out += "};\n#endif\n\n";
  out += cat("/* The check that failed when a function last returned TESSERA_FAILED_CHECK to this "
             "thread.\n",
             " * Beside each function there is __tvm_ffi_ and its name, for TVM FFI. */\n",
             "const char *", name, "_message(void);\n\n");
  for (const Function &function : functions)
    out += declarationOf(function) + "\n";
  return out + "#ifdef __cplusplus\n}\n#endif\n#endif\n";
}

} // namespace tessera::aot
