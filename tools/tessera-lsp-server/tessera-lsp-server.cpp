// tessera-lsp-server: what an editor asks about CuTe IR: diagnostics, completion, definitions, and
// hovers that know layouts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/driver/Registration.h"
#include "tessera/import/Definitions.h"
#include "tessera/import/Input.h"
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

/// All dialects, loaded once: each reading gets a copy with its process.
static mlir::MLIRContext &contextOfReadings() {
  static mlir::MLIRContext &context = []() -> mlir::MLIRContext & {
    mlir::DialectRegistry all;
    driver::registerAllDialects(all);
    // Never taken apart, as its process ends without.
    auto *made = new mlir::MLIRContext(all, mlir::MLIRContext::Threading::DISABLED);
    made->loadAllAvailableDialects();
    return *made;
  }();
  return context;
}

/// The names of a text that MLIR's server does not read, as CuTe DSL wrote it in another spelling
/// or left types to their uses, a line each: line, begin, end, 1 for a use, name, number of the
/// type. A type has a line where it comes first, after an equals sign: they are few and long.
static Result<std::string> foreignNames(const std::string &text) {
  mlir::DialectRegistry own;
  driver::registerOwnDialects(own);
  mlir::MLIRContext &context = contextOfReadings();
  mlir::ScopedDiagnosticHandler quiet(&context, [](mlir::Diagnostic &) {});
  llvm::SourceMgr source;
  source.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(text, "document"), {});
  std::string out = "read\n";
  llvm::raw_string_ostream stream(out);
  llvm::DenseMap<mlir::Type, size_t> types;
  auto read = import::definitions(
      source, context, own, {},
      [&](const import::Definition &one) {
        auto [type, isNew] = types.try_emplace(one.type, types.size());
        if (isNew)
          stream << "=" << one.type << "\n";
        llvm::StringRef name = one.name.take_until([](char c) { return c == '#' || c == ':'; });
        stream << one.line - 1 << " " << one.column - 1 << " " << one.column - 1 + name.size()
               << " " << one.isUse << " " << name << " " << type->second << "\n";
      },
      import::Inside::OwnProcess);
  if (failed(read) || read->readsMlir)
    return Reason{"NotForeign", "MLIR's server reads this, or nobody does"};
  return out;
}

static lsp::Reading readForeign(const std::string &text) {
  contextOfReadings();
  lsp::Reading reading;
  if (text.empty())
    return reading;
  Result<std::string> names = import::inOwnProcess([&] { return foreignNames(text); });
  if (!names)
    return reading;
  reading.read = true;
  llvm::StringRef rest = llvm::StringRef(*names).split('\n').second;
  reading.names.reserve(rest.count('\n'));
  while (!rest.empty()) {
    llvm::StringRef line;
    std::tie(line, rest) = rest.split('\n');
    if (line.consume_front("=")) {
      reading.types.push_back(line.str());
      continue;
    }
    lsp::Name name{};
    size_t isUse = 0;
    for (size_t *number : {&name.line, &name.begin, &name.end, &isUse}) {
      if (line.consumeInteger(10, *number))
        break;
      line = line.ltrim(' ');
    }
    auto [word, type] = line.split(' ');
    name.text = word.str();
    name.isUse = isUse != 0;
    if (type.getAsInteger(10, name.type) || name.type >= reading.types.size())
      return {}; // not what foreignNames writes
    reading.names.push_back(std::move(name));
  }
  return reading;
}

static std::optional<lsp::Refusal> refused(const std::string &text) {
  std::optional<import::Deadly> found = import::findDeadly(text);
  if (!found)
    return std::nullopt;
  return lsp::Refusal{found->line, found->column, found->why};
}

static int program(int argc, char **argv) {
  if (saidVersion(argc, argv, "tessera-lsp-server"))
    return 0;
  auto server = [&] {
    mlir::DialectRegistry registry;
    driver::registerAllDialects(registry);
    return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry)) ? 1 : 0;
  };
  return lsp::serve(server, readForeign, refused, process::leave);
}

int main(int argc, char **argv) { return process::run(argc, argv, program); }
