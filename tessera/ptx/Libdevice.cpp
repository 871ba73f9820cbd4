// Linking what a module needs of a library.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/ptx/Libdevice.h"

#include "tessera/ptx/Ptx.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Transforms/IPO/Internalize.h"

#include <cstdlib>

using namespace tessera;

std::string tessera::ptx::findLibdevice() {
  if (const char *named = std::getenv("TESSERA_LIBDEVICE"))
    return named;
  constexpr llvm::StringLiteral inToolkit = "nvvm/libdevice/libdevice.10.bc";
  llvm::SmallString<128> ptxas;
  llvm::SmallVector<std::string> toolkits;
  if (!llvm::sys::fs::real_path(findPtxas(), ptxas)) // bin/ptxas
    toolkits.push_back(llvm::sys::path::parent_path(llvm::sys::path::parent_path(ptxas)).str());
  toolkits.push_back("/usr/local/cuda");
  for (const std::string &toolkit : toolkits) {
    llvm::SmallString<128> path(toolkit);
    llvm::sys::path::append(path, inToolkit);
    if (llvm::sys::fs::exists(path))
      return path.str().str();
  }
  return {};
}

namespace {

/// The first function of the library that is called and not defined.
const llvm::Function *missing(const llvm::Module &module) {
  for (const llvm::Function &function : module)
    if (function.isDeclaration() && function.getName().starts_with("__nv_"))
      return &function;
  return nullptr;
}

} // namespace

Status tessera::ptx::linkLibdevice(llvm::Module &module, const std::string &given) {
  const llvm::Function *wanted = missing(module);
  if (!wanted)
    return Done{};
  const std::string path = given.empty() ? findLibdevice() : given;
  if (path.empty())
    return Reason{
        "Libdevice",
        cat("the module calls ", std::string_view(wanted->getName()),
            " of NVIDIA's libdevice, which is not on this machine; expects a CUDA toolkit, "
            "or the path of libdevice.10.bc in TESSERA_LIBDEVICE")};
  auto refused = [&](const std::string &why) {
    return Reason{"Libdevice",
                  cat(path, ": ", why, "; expects NVIDIA's libdevice as bitcode that LLVM 22 reads",
                      given.empty() ? "" : ", and --libdevice none compiles without it")};
  };
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file)
    return refused(file.getError().message());
  auto library = llvm::getOwningLazyBitcodeModule(std::move(*file), module.getContext());
  if (!library)
    return refused(llvm::toString(library.takeError()));
  // The library does not depend on the target, so it may take the module's: the linker warns where
  // they differ.
  (*library)->setTargetTriple(module.getTargetTriple());
  (*library)->setDataLayout(module.getDataLayout());
  auto internalize = [](llvm::Module &linked, const llvm::StringSet<> &names) {
    llvm::internalizeModule(linked, [&](const llvm::GlobalValue &value) {
      return !value.hasName() || names.count(value.getName()) == 0;
    });
  };
  if (llvm::Linker::linkModules(module, std::move(*library), llvm::Linker::LinkOnlyNeeded,
                                internalize))
    return refused("it cannot be linked");
  if (const llvm::Function *function = missing(module))
    return refused(cat("it has no function ", std::string_view(function->getName())));
  return Done{};
}
