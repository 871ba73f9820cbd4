// Generated: the IR of ready kernels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/driver/Compiler.h"
#include "tessera/dsl/Context.h"
#include "tessera/program/Program.h"

#include "llvm/Support/raw_ostream.h"

namespace tessera::program {

/// The IR of a configuration that is not refused.
template <class Config>
Result<std::string> textOf(const Config &config, void (*build)(const Config &)) {
  driver::Compiler compiler;
  dsl::Context context(&compiler.context(), config.target);
  build(config);
  mlir::OwningOpRef<mlir::ModuleOp> module = context.finish();
  if (!module)
    return Reason{"Said", ""};
  std::string text;
  llvm::raw_string_ostream(text) << *module << "\n";
  return text;
}

} // namespace tessera::program
