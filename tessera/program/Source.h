// Source: the result of compiling a file for a device, compiled now or from the cache.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file is CuTe IR (text or bytecode of MLIR, in any spelling that the compiler reads), a tile
// program (text or bytecode), PTX, or a cubin.
#pragma once

#include "tessera/jit/HostCode.h"
#include "tessera/program/Compiled.h"

namespace tessera::program {

struct LoadOptions {
  std::string arch;                        // such as sm_90a; "": the file's own, else the device's
  bool reinfer = false;                    // types were changed by hand (import::Reading)
  std::string inputVersion;                // release of CuTe DSL; "": recognised
  bool checkLayoutAssumptions = false;     // at run time, assumptions about sizes
  int optLevel = 3;                        // of LLVM, 0 to 3; 0: level 0 of tile programs, too
  std::optional<std::string> cacheFolder;  // "": nothing is kept; none: cache::defaultFolder()
  uint64_t cacheBytes = uint64_t(1) << 30; // the most that all files of the cache take
  /// Of a tile program only this kernel is compiled, named by any unique part of its name, so that
  /// others may be impossible there; "" if it has only one; none: all are.
  std::optional<std::string> kernel;
  bool noHostCode = false;   // host functions that do more than launch are refused (LaunchOnly.h)
  double compileTimeout = 0; // seconds, after which compiling fails (Worker.h); 0: no limit
};

/// What runs the compiled code.
enum class Where : uint8_t {
  Gpu,
  Simulator,
  Interpreter // tile programs only
};

struct Source {
  Compiled compiled;
  std::optional<jit::HostCode> host; // if there are host functions
};

/// The target of a GPU, with all that it alone has.
std::string archOf(const run::DeviceInfo &);

/// Messages use `name` for the file. The device is null for the interpreter. A reason has the
/// errors of the compiler, each with file, line and column.
Result<Source> sourceOf(const std::string &content, const std::string &name, Where,
                        const run::DeviceInfo *, const LoadOptions &);

/// The IR of a file as Tessera prints it, after it was verified. Of the options only those for
/// reading matter.
Result<std::string> printedIr(const std::string &content, const std::string &name,
                              const LoadOptions &);

} // namespace tessera::program
