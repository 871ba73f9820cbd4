// Export: kernels of a file as an object for a linker and a header for C.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The object has a function for each host function of the file and each entry of a tile program,
// its launches, the kernels as cubins and PTX for several architectures, and runtime.c, which opens
// libcuda.so.1 when a kernel first runs. It needs the C library and nothing else. The header
// declares the functions, a struct of arguments for each with what has to hold of them, and the
// codes that they return.
#pragma once

#include "tessera/driver/Compiler.h"
#include "tessera/run/Parameter.h"

#include <memory>

namespace tessera::aot {

struct Exported {
  std::string object; // an ELF file for x86-64
  std::string header; // C99
};

/// One file, for several architectures.
class Exporter {
public:
  /// `name` begins the names that C sees, and is the function's where the file has one host
  /// function. `file` is what the header says that it was made from.
  Exporter(std::string name, std::string file);
  ~Exporter();

  /// Adds the kernels of a module that was read, for an architecture; the first one that is added
  /// gives the host functions. Lowers the module. A reason without text was given to the handlers
  /// of its context.
  Status add(driver::Compiler &, mlir::ModuleOp, const driver::CompileOptions &);
  /// What was added. Fails without any of them, and for one whose parameters nobody can give.
  Result<Exported> finish();

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace tessera::aot
