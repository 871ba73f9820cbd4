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
  /// Names in C begin with `name`, which is the function's name if the file has one host function.
  /// The header names `file` as its source.
  Exporter(std::string name, std::string file);
  ~Exporter();

  /// Adds the kernels of a module that was read, for an architecture; the first module added gives
  /// the host functions. Lowers the module. The handlers of its context got the error if a reason
  /// has no text.
  Status add(driver::Compiler &, mlir::ModuleOp, const driver::CompileOptions &);
  /// The export of everything that was added. Fails if there is nothing, and for a function with a
  /// parameter that cannot be passed.
  Result<Exported> finish();

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace tessera::aot
