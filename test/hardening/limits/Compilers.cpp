// driver::Compiler and jit::HostCode, one of each on eight threads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "EightThreads.h"

#include "tessera/driver/Compiler.h"
#include "tessera/jit/HostCode.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

#include <string>

using namespace tessera;
using tessera::test::expect;
using tessera::test::onEightThreads;

namespace {

/// A kernel, and a host function that adds a number of its thread.
std::string moduleOf(int number) {
  return "module attributes {gpu.container_module} {\n"
         "  gpu.module @kernels {\n"
         "    cuda.kernel @k(%p: !llvm.ptr<1>, %x: i32) attributes {cute.kernel} {\n"
         "      llvm.store %x, %p : i32, !llvm.ptr<1>\n"
         "      return\n    }\n  }\n"
         "  func.func @add(%x: i32) -> i32 {\n"
         "    %c = arith.constant " +
         std::to_string(number) +
         " : i32\n"
         "    %y = arith.addi %x, %c : i32\n"
         "    return %y : i32\n  }\n}\n";
}

void compileAndCall(int number) {
  driver::Compiler compiler;
  mlir::ScopedDiagnosticHandler quiet(&compiler.context(),
                                      [](mlir::Diagnostic &) { return mlir::success(); });
  llvm::SourceMgr source;
  source.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(moduleOf(number), "a.mlir"),
                            llvm::SMLoc());
  mlir::OwningOpRef<mlir::ModuleOp> module = compiler.read(source);
  expect(bool(module), "a module");
  driver::CompileOptions options{.arch = "sm_80", .threads = number % 2 ? 2u : 1u};
  expect(compiler.lower(*module, options), "a lowering");
  auto codes = compiler.translate(*module, options);
  expect(codes.ok() && codes->size() == 1 &&
             codes->front().ptx.find(".entry k") != std::string::npos,
         "PTX");
  Result<jit::HostCode> host = jit::HostCode::compile(*module);
  expect(host.ok(), "host code");
  int32_t x = 1000;
  void *arguments[] = {&x};
  Result<int32_t> sum = host->call("add", arguments);
  expect(sum.ok() && *sum == 1000 + number, "a sum");
  Result<jit::HostCode> loaded = jit::HostCode::load(host->image());
  expect(loaded.ok() && *loaded->call("add", arguments) == 1000 + number,
         "the same from its image");
}

/// What ends LLVM on one thread is a reason there, and nothing on the others.
void failHere() {
  driver::Compiler compiler;
  std::string said;
  mlir::ScopedDiagnosticHandler handler(&compiler.context(), [&](mlir::Diagnostic &d) {
    said += d.str();
    return mlir::success();
  });
  llvm::SourceMgr source;
  source.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(
          "gpu.module @m attributes {tessera.allow_unlisted_ptx} { cuda.kernel @k(%p: "
          "!llvm.ptr<1>, %x: f128) attributes {cute.kernel} {\n"
          "%0 = llvm.fadd %x, %x : f128\nllvm.store %0, %p : f128, !llvm.ptr<1>\nreturn } "
          "}",
          "b.mlir"),
      llvm::SMLoc());
  mlir::OwningOpRef<mlir::ModuleOp> module = compiler.read(source);
  driver::CompileOptions options{.arch = "sm_90a"};
  expect(module && compiler.lower(*module, options), "a lowering");
  expect(!compiler.translate(*module, options).ok(), "a refusal");
  expect(said.find("unsupported library call") != std::string::npos, "LLVM's words");
}

} // namespace

int main() {
  for (int round = 0; round < 3; ++round)
    onEightThreads([](int number) { number == 7 ? failHere() : compileAndCall(number); });
}
