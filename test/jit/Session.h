// What the tests of the jit room share: a context, types from text, modules through the pipeline.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Result.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace tessera::jit::test {

class Session {
public:
  Session();

  mlir::Type type(const std::string &text);
  /// Parses and verifies; null after a failure, which goes to stderr.
  mlir::OwningOpRef<mlir::ModuleOp> parse(const std::string &text);
  /// The same and the whole pipeline for sm_90a.
  mlir::OwningOpRef<mlir::ModuleOp> lower(const std::string &text, bool checkAssumptions = false);

  mlir::MLIRContext context;
};

/// The sentence of a refusal; a note that there was none otherwise.
template <class T> std::string refusal(const Result<T> &result) {
  return result ? "(accepted)" : result.reason().text;
}

/// Bytes as hexadecimal digits, two for each, a blank between groups of 8.
std::string hexOf(std::span<const std::byte>);

} // namespace tessera::jit::test
