// A context with the dialect, which keeps what was reported in it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cuda_tile/CudaTile.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

#include <string>
#include <vector>

namespace tessera::cuda_tile::test {

class Reports {
public:
  Reports()
      : handler(&context, [this](mlir::Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
            texts.push_back(diagnostic.str());
          return mlir::success();
        }) {
    context.loadDialect<CudaTileDialect>();
    context.printOpOnDiagnostic(false);
  }
  /// The `cuda_tile.module` of a text; null where it is wrong.
  mlir::OwningOpRef<TileModuleOp> parse(const std::string &text, bool verify = true) {
    auto outer =
        mlir::parseSourceString<mlir::ModuleOp>(text, mlir::ParserConfig(&context, verify));
    if (!outer || outer->getBody()->empty())
      return {};
    auto inner = llvm::dyn_cast<TileModuleOp>(outer->getBody()->front());
    if (inner)
      inner->remove();
    return inner;
  }
  std::string all() const {
    std::string out;
    for (const std::string &text : texts)
      out += text + '\n';
    return out;
  }

  mlir::MLIRContext context;
  std::vector<std::string> texts;

private:
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace tessera::cuda_tile::test
