// Compiles programs and compares elements.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Comparison.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

#include <algorithm>
#include <cmath>

namespace tessera::tile_lower::test {

using namespace tile_eval;

Compiled compile(driver::Compiler &compiler, const std::string &program, const char *arch) {
  Compiled out;
  mlir::ScopedDiagnosticHandler handler(&compiler.context(), [&](mlir::Diagnostic &diagnostic) {
    if (out.error.empty())
      out.error = diagnostic.str();
    return mlir::success();
  });
  llvm::SourceMgr source;
  source.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(program), {});
  mlir::OwningOpRef<mlir::ModuleOp> module = compiler.read(source);
  driver::CompileOptions options;
  options.arch = arch;
  if (!module || !compiler.lower(*module, options))
    return out;
  Result<std::vector<driver::DeviceCode>> code = compiler.translate(*module, options);
  if (code && code->size() == 1)
    out.ptx = code->front().ptx;
  else if (out.error.empty())
    out.error = code ? "no single module" : code.reason().text;
  return out;
}

/// Sums of many numbers are rounded in another order.
static double toleranceOf(TypeKind kind) {
  switch (kind) {
  case TypeKind::F64: return 1e-12;
  case TypeKind::F32: return 4e-5;
  case TypeKind::TF32:
  case TypeKind::F16: return 4e-3;
  case TypeKind::BF16: return 3e-2;
  default: return 0.26; // 2 bits of mantissa
  }
}

Match compareCodes(TypeKind kind, uint64_t a, uint64_t b) {
  if (a == b)
    return Match::Equal;
  if (!isFloat(kind) || bitsOf(kind) < 8)
    return Match::Different;
  double x = decode(kind, a), y = decode(kind, b);
  if (std::isnan(x) || std::isnan(y))
    return std::isnan(x) && std::isnan(y) ? Match::Equal : Match::Different;
  double largest = std::max({1.0, std::fabs(x), std::fabs(y)});
  return std::fabs(x - y) <= toleranceOf(kind) * largest ? Match::Close : Match::Different;
}

} // namespace tessera::tile_lower::test
