// Function: an exported function, as C declares it and as code.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// It calls a host function of the file. An entry of a tile program has none, so one is made: it
// takes the parameters of the entry and a grid, and launches.
#pragma once

#include "tessera/run/Parameter.h"
#include "tessera/tile_bytecode/Program.h"

#include "llvm/IR/Module.h"

namespace tessera::aot {

struct Function {
  std::string host; // its name in the file
  std::string name; // in C
  std::vector<run::Parameter> parameters;
  /// Of a tile program: the `gpu.module` and the kernel. The last parameters are the three numbers
  /// of the grid, in tile blocks, and the stream.
  struct Tiles {
    std::string module, kernel;
  };
  std::optional<Tiles> tiles{};

  /// The dimension of the grid that this parameter stands for, if any.
  std::optional<size_t> gridDimension(size_t parameter) const {
    size_t first = parameters.size() - 4;
    bool isGrid = tiles && parameter >= first && parameter < first + 3;
    return isGrid ? std::optional(parameter - first) : std::nullopt;
  }
};
/// The most tile blocks of a grid in each dimension: a tile program counts to the first, CUDA to
/// the others.
constexpr int64_t mostTileBlocks[] = {16777215, 65535, 65535};

/// The numbers of Codes.def.
enum class Code : int32_t {
#define CODE(name, number, meaning) name = number,
#include "tessera/aot/Codes.def"
#undef CODE
};

/// An entry of a tile program as such a function, without its name in C. Refuses parameters that C
/// has no number for.
Result<Function> functionOf(const tile_bytecode::Program &, const tile_bytecode::Function &entry);
/// Writes the host function that launches it into a module.
void defineHost(const Function &, llvm::Module &);

/// Writes the function of C into a module that has the host function: it checks its struct of
/// arguments, which lies in memory as declarationOf says, and calls. A cf.assert of the host
/// function that does not hold ends the call with a code.
void define(const Function &, llvm::Module &);
/// Writes the function that returns the message of the last assertion that failed on the thread.
void defineMessage(const std::string &name, llvm::Module &);

/// Writes `__tvm_ffi_NAME` beside it, which TVM FFI calls: it makes the struct of tagged values.
void defineForTvm(const Function &, llvm::Module &);

/// Its struct and its declaration, with what has to hold.
std::string declarationOf(const Function &);
/// The whole header.
std::string headerOf(const std::vector<Function> &, const std::string &name,
                     const std::string &file);

} // namespace tessera::aot
