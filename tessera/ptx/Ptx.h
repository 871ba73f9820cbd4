// Ptx: from the LLVM dialect to PTX, and to machine code with NVIDIA's assembler.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Status.h"
#include "tessera/ptx/PtxasLog.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mlir {
class Operation;
}

namespace tessera::cache {
class Store;
}

namespace tessera::ptx {

struct Options {
  std::string chip = "sm_90a"; // with its suffix
  int ptxVersion = 80;         // major * 10 + minor; not below what the chip needs
  int optLevel = 3;
  bool lines = true;                   // .file and .loc, and tables of lines in a cubin
  std::string ptxas = {};              // for Until::Cubin: its path
  std::string libdevice = {};          // NVIDIA's library of functions, if the module calls it
  const cache::Store *store = nullptr; // where cubins are kept, if they are
};

/// The time of a part, in seconds.
struct Part {
  std::string name;
  double seconds;
};

/// Machine code of a module, and the log of ptxas.
struct Cubin {
  std::vector<char> bytes;
  std::string log;                  // the output of ptxas
  std::vector<PtxasReport> reports; // the log's registers and spills of each kernel

  /// Bytes per thread, stores and loads of all kernels.
  int64_t spilledBytes() const {
    int64_t total = 0;
    for (const PtxasReport &report : reports)
      total += report.spillStoreBytes + report.spillLoadBytes;
    return total;
  }
};

struct Translation {
  std::string llvm; // LLVM IR after optimisation, if asked for
  std::string ptx;  // for Until::Ptx
  Cubin cubin;      // for Until::Cubin
  std::vector<Part> parts;
};

enum class Until : uint8_t {
  Llvm,
  Ptx,
  Cubin
};

/// Translates a module of LLVM-dialect functions (a `gpu.module`): data layout and triple set,
/// inline asm marked convergent, optimised, compiled. Diagnostics of the translation go to the
/// context's handlers. A cubin is taken from the store if it is there, and put into it otherwise:
/// under a hash of the optimised LLVM IR, the options and ptxas.
Result<Translation> translate(mlir::Operation *module, const Options &, Until);

//===--- ptxas --------------------------------------------------------------------------------===//

/// The path of ptxas: $TESSERA_PTXAS, $PATH, /usr/local/cuda/bin; empty if there is none.
std::string findPtxas();
/// The bitcode of NVIDIA's library of functions: $TESSERA_LIBDEVICE, which may be set to nothing,
/// then the toolkit of ptxas, then /usr/local/cuda; empty if there is none.
std::string findLibdevice();
/// Identifies a ptxas, or another file of NVIDIA's toolkit, by its path and a hash of its content.
/// The store keeps the hash for the file's state (its inode, size and times). So another file of
/// the same size and time is another ptxas, and the same content in a new image of a container is
/// the same. The printed version would add nothing, since it is in the content. A script that calls
/// another ptxas is identified only by its own content.
std::string identityOf(const std::string &ptxas, const cache::Store *store);
/// Checks that this is a whole cubin with the code of each of these kernels.
Status checkCubin(std::span<const char> bytes, const std::vector<std::string> &kernels);
/// The output of a compiler for PTX and its log, if the output is a whole cubin with all kernels of
/// the PTX.
Result<Cubin> wholeCubin(const std::string &ptx, std::string_view bytes, std::string log);

/// Assembles PTX for a chip, at -O3 or, if that spills more registers, at -O2. Fails with ptxas'
/// own message; also if ptxas reports success but its cubin is not whole or lacks a kernel.
Result<Cubin> assemble(const std::string &ptxas, const std::string &ptx, const std::string &chip);

} // namespace tessera::ptx
