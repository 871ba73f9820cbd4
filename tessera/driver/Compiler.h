// Compiler: a file of CuTe IR to kernels in PTX, as the tools and programs that embed it use it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Result.h"
#include "tessera/cache/Key.h"
#include "tessera/driver/Pipeline.h"
#include "tessera/import/Version.h"
#include "tessera/ptx/Ptx.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <optional>
#include <string>
#include <vector>

namespace llvm {
class SourceMgr;
class ThreadPoolInterface;
} // namespace llvm

namespace tessera::driver {

struct CompileOptions {
  std::string arch = "sm_90a";
  int optLevel = 3;
  /// Passes after which the IR goes to stderr, by their command-line names; "all" for every one.
  std::vector<std::string> printAfter = {};
  LoweringChoices lowering = {};
  /// Number of threads that lower functions; the result is the same for any number.
  unsigned threads = 1;
  /// For cubins: the path of ptxas.
  std::string ptxas = {};
  /// NVIDIA's library of functions as bitcode (ptx::findLibdevice), to get the same bits as its
  /// compilers; empty: our own functions, which are the same on every machine.
  std::string libdevice = {};
  /// Where cubins are kept and found by their LLVM IR; null where nothing is kept.
  const cache::Store *store = nullptr;
};

/// Adds everything that affects the result to a key; ptxas is included if its path is given.
cache::KeyOf &addOptions(cache::KeyOf &, const CompileOptions &);

/// A kernel of a module as its source has it.
struct KernelSource {
  std::string module, name;
  mlir::Location location;
};

/// The code of one `gpu.module`.
struct DeviceCode {
  std::string module;
  std::string llvm; // LLVM IR, where that was asked for
  std::string ptx;  // where that was asked for
  ptx::Cubin cubin; // where that was asked for
};

/// Owns the context. Errors in the input go to the diagnostic handlers of context(); register those
/// first.
///
/// Threads: one thread uses a Compiler, its context and its modules at a time. Any number of them
/// may work side by side, also on the same cache::Store. CompileOptions::threads lets one of them
/// use more threads by itself.
class Compiler {
public:
  Compiler();
  ~Compiler();

  mlir::MLIRContext &context() { return ctx; }

  /// A verified module, whatever the spelling of the file; for an edited file, after
  /// `--cute-reinfer`. Null after errors.
  mlir::OwningOpRef<mlir::ModuleOp> read(llvm::SourceMgr &source, import::Reading how = {});

  /// All kernels in their order.
  static std::vector<KernelSource> kernels(mlir::ModuleOp);
  /// The architecture that a `gpu.module` of the file names as its target; none if none does.
  static std::optional<std::string> targetOf(mlir::ModuleOp);
  /// Removes all kernels but one, and the host code, which may launch the removed ones.
  static void keepOnly(mlir::ModuleOp, const KernelSource &);

  /// Lowers in place to the LLVM dialect. False after errors.
  bool lower(mlir::ModuleOp, const CompileOptions &);
  /// Only tile programs, in place, to kernels of the upstream dialects; lower() does the rest.
  bool lowerTiles(mlir::ModuleOp, const CompileOptions &);
  /// Every `gpu.module` of a lowered module as optimised LLVM IR, PTX or a cubin.
  Result<std::vector<DeviceCode>> translate(mlir::ModuleOp lowered, const CompileOptions &,
                                            ptx::Until = ptx::Until::Ptx);

  /// The time of every step so far, in seconds, in their order; of a pass on functions the sum over
  /// them.
  const std::vector<ptx::Part> &parts() const { return times; }

private:
  std::unique_ptr<llvm::ThreadPoolInterface> pool; // outlives the context, which points to it
  mlir::MLIRContext ctx;
  std::vector<ptx::Part> times;
};

/// The passes that Compiler::lower runs, by the names that CompileOptions::printAfter takes: with
/// "cute-expand-ops", which stands for its steps, and "all".
std::vector<std::string> passNames(const CompileOptions &);

/// The name that equals `part` or has it as a unique piece; without `part`, the only name. Reasons
/// list the names. `what` is "kernel" or "entry".
Result<size_t> chooseName(const std::vector<std::string> &names, const std::string &part,
                          std::string_view what, std::string_view option);

} // namespace tessera::driver
