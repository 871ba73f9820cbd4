// Contexts and the pipeline as the programs of this project use them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Session.h"

#include "tessera/driver/Pipeline.h"
#include "tessera/driver/Registration.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace tessera::jit::test {

Session::Session() : context(MLIRContext::Threading::DISABLED) {
  DialectRegistry registry;
  driver::registerAllDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
}

Type Session::type(const std::string &text) { return parseType(text, &context); }

OwningOpRef<ModuleOp> Session::parse(const std::string &text) {
  return parseSourceString<ModuleOp>(text, &context);
}

OwningOpRef<ModuleOp> Session::lower(const std::string &text, bool checkAssumptions) {
  OwningOpRef<ModuleOp> module = parse(text);
  if (!module)
    return module;
  PassManager passes(&context);
  driver::buildPipeline(passes, "sm_90a", {.checkLayoutAssumptions = checkAssumptions});
  return succeeded(passes.run(*module)) ? std::move(module) : nullptr;
}

std::string hexOf(std::span<const std::byte> bytes) {
  std::string text;
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (i && i % 8 == 0)
      text += ' ';
    constexpr char digits[] = "0123456789abcdef";
    text += {digits[size_t(bytes[i]) >> 4], digits[size_t(bytes[i]) & 15]};
  }
  return text;
}

} // namespace tessera::jit::test
