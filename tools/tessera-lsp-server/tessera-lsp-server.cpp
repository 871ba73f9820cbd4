// tessera-lsp-server: what an editor asks about CuTe IR: diagnostics, completion, definitions, and
// hovers that know layouts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/driver/Registration.h"
#include "tessera/import/Definitions.h"
#include "tessera/import/OwnProcess.h"
#include "tessera/lsp/Server.h"
#include "tessera/process/Process.h"
#include "tools/version/Version.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace tessera;

/// The names of a text that CuTe DSL wrote in another spelling, a line each: line, begin, end,
/// name, type. None of one in our spelling, which MLIR's server reads.
static Result<std::string> foreignNames(const std::string &text) {
  mlir::DialectRegistry all, own;
  driver::registerAllDialects(all);
  driver::registerOwnDialects(own);
  mlir::MLIRContext context(all, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  mlir::ScopedDiagnosticHandler quiet(&context, [](mlir::Diagnostic &) {});
  llvm::SourceMgr source;
  source.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(text, "document"), {});
  std::string out = "read\n";
  llvm::raw_string_ostream stream(out);
  llvm::DenseMap<mlir::Type, std::string> texts; // types print slowly, and are few
  auto version = import::definitions(source, context, own, {}, [&](const import::Definition &one) {
    std::string &type = texts[one.type];
    if (type.empty())
      llvm::raw_string_ostream(type) << one.type;
    llvm::StringRef name = one.name.take_until([](char c) { return c == '#' || c == ':'; });
    stream << one.line - 1 << " " << one.column - 1 << " " << one.column - 1 + name.size() << " "
           << name << " " << type << "\n";
  });
  if (failed(version) || !*version)
    return Reason{"NotForeign", "no other release wrote this"};
  return out;
}

static lsp::Reading readForeign(const std::string &text) {
  lsp::Reading reading;
  Result<std::string> names = import::inOwnProcess([&] { return foreignNames(text); });
  if (!names)
    return reading;
  reading.read = true;
  llvm::StringRef rest = llvm::StringRef(*names).split('\n').second;
  while (!rest.empty()) {
    llvm::StringRef line;
    std::tie(line, rest) = rest.split('\n');
    lsp::Name name{};
    for (size_t *number : {&name.line, &name.begin, &name.end}) {
      if (line.consumeInteger(10, *number))
        break;
      line = line.ltrim(' ');
    }
    auto [word, type] = line.split(' ');
    name.text = word.str();
    name.type = type.str();
    reading.names.push_back(std::move(name));
  }
  return reading;
}

static int program(int argc, char **argv) {
  if (saidVersion(argc, argv, "tessera-lsp-server"))
    return 0;
  auto server = [&] {
    mlir::DialectRegistry registry;
    driver::registerAllDialects(registry);
    return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry)) ? 1 : 0;
  };
  return lsp::serve(server, readForeign, process::leave);
}

int main(int argc, char **argv) { return process::run(argc, argv, program); }
