// Host functions from MLIR to LLVM IR.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/jit/HostModule.h"

#include "tessera/base/Printable.h"
#include "tessera/jit/Errors.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"

using namespace tessera;

namespace {

/// The module's host part, which is small, for a target.
mlir::OwningOpRef<mlir::ModuleOp> hostPart(mlir::ModuleOp module, const llvm::DataLayout &layout,
                                           const llvm::Triple &triple) {
  mlir::OwningOpRef<mlir::ModuleOp> host = mlir::ModuleOp::create(module.getLoc());
  mlir::OpBuilder b(host->getBodyRegion());
  for (mlir::Operation &op : *module.getBody())
    if (!llvm::isa<mlir::gpu::GPUModuleOp>(op))
      b.clone(op);
  (*host)->setAttr(mlir::LLVM::LLVMDialect::getDataLayoutAttrName(),
                   b.getStringAttr(layout.getStringRepresentation()));
  (*host)->setAttr(mlir::LLVM::LLVMDialect::getTargetTripleAttrName(),
                   b.getStringAttr(triple.str()));
  return host;
}

/// Whether a host part has inline assembly, which is reported at its place.
bool hasAssembly(mlir::ModuleOp host) {
  return host
      .walk([](mlir::LLVM::InlineAsmOp text) {
        text.emitError() << fail(jit::Error::HostAssembly).text;
        return mlir::WalkResult::interrupt();
      })
      .wasInterrupted();
}

/// The reserved prefix of a name; empty if it has none. LLVM removes a leading byte 1.
llvm::StringRef reservedPrefix(llvm::StringRef name) {
  name.consume_front("\1");
  for (llvm::StringRef prefix : {jit::wrapperPrefix, jit::runtimePrefix})
    if (name.starts_with(prefix))
      return prefix;
  return "";
}

/// Whether a host part defines a function that would be called in place of a wrapper or of the
/// runtime, which is reported at its place.
bool takesOurNames(mlir::ModuleOp host) {
  return host
      .walk([](mlir::SymbolOpInterface op) {
        llvm::StringRef prefix = op.getNameAttr() ? reservedPrefix(op.getName()) : "";
        auto function = llvm::dyn_cast<mlir::LLVM::LLVMFuncOp>(*op);
        bool isDeclared = function && function.isExternal();
        if (prefix.empty() || (prefix == jit::runtimePrefix && isDeclared))
          return mlir::WalkResult::advance();
        op.emitError()
            << fail(jit::Error::HostReserved, printable(op.getName().str()), prefix.str()).text;
        return mlir::WalkResult::interrupt();
      })
      .wasInterrupted();
}

void registerTranslations(mlir::MLIRContext &context) {
  mlir::DialectRegistry registry;
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerGPUDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  context.appendDialectRegistry(registry);
}

} // namespace

std::unique_ptr<llvm::Module> jit::hostModule(mlir::ModuleOp lowered,
                                              const llvm::DataLayout &layout,
                                              const llvm::Triple &triple,
                                              llvm::LLVMContext &context) {
  registerTranslations(*lowered.getContext());
  mlir::OwningOpRef<mlir::ModuleOp> host = hostPart(lowered, layout, triple);
  if (hasAssembly(*host) || takesOurNames(*host))
    return nullptr;
  return mlir::translateModuleToLLVMIR(*host, context, "host");
}

void jit::keepErrors(llvm::LLVMContext &context, std::string &reports) {
  context.setDiagnosticHandlerCallBack(
      [](const llvm::DiagnosticInfo *info, void *kept) {
        if (info->getSeverity() != llvm::DS_Error)
          return;
        llvm::raw_string_ostream text(*static_cast<std::string *>(kept));
        llvm::DiagnosticPrinterRawOStream printer(text);
        info->print(printer);
        text << "; ";
      },
      &reports);
}
