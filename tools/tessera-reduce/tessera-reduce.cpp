// tessera-reduce: mlir-reduce with Tessera's dialects and passes, which also reads what CuTe DSL
// prints.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/driver/Input.h"
#include "tessera/driver/Registration.h"
#include "tessera/files/OutputFile.h"
#include "tessera/files/ScratchFolder.h"
#include "tessera/import/Input.h"
#include "tessera/process/Process.h"
#include "tools/mlir/MlirProgram.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

using namespace tessera;

/// Whether the file that is named may be given to MLIR's parser. Errors went to stderr.
static bool isSafe(const std::vector<std::string> &words, const mlir::DialectRegistry &registry) {
  for (size_t i = 1; i < words.size(); ++i) {
    if (words[i].starts_with("-"))
      continue;
    auto file = llvm::MemoryBuffer::getFile(words[i]);
    if (!file)
      continue;
    if (mlir::isBytecode(**file)) {
      process::fail(cat(words[i], ": expects a text of MLIR, but got bytecode; write it as text "
                                  "with tessera-opt first"));
      return false;
    }
    if (!import::asText(**file, registry))
      return false;
  }
  return true;
}

/// The file that -o names, in any of its spellings, replaced by another; empty without one.
static std::string replaceOutput(std::vector<std::string> &words, const std::string &by) {
  for (size_t i = 1; i < words.size(); ++i)
    for (std::string_view option : {"-o", "--o"}) {
      if (words[i] == option && i + 1 < words.size())
        return std::exchange(words[i + 1], by);
      if (words[i].starts_with(option) && words[i].substr(option.size()).starts_with("="))
        return std::exchange(words[i], std::string(option) + "=" + by).substr(option.size() + 1);
    }
  return "";
}

/// Calls mlir-reduce, which writes -o in place, with a file of the private folder there. When it
/// has succeeded, what it wrote goes to the file that was named. An exit code.
static int withWholeOutput(std::vector<std::string> words, const files::ScratchFolder &folder,
                           llvm::function_ref<int(int argc, char **argv)> main) {
  constexpr const char *file = "output";
  const std::string output = replaceOutput(words, folder.path() + "/" + file);
  std::vector<char *> pointers;
  for (std::string &word : words)
    pointers.push_back(word.data());
  pointers.push_back(nullptr);
  int code = main(int(words.size()), pointers.data());
  if (code || output.empty())
    return code;
  Result<std::string> content = folder.read(file);
  if (!content)
    return process::fail(content.reason().text, process::CannotWrite);
  llvm::outs().flush();
  Status written = files::writeFile(output, {*content});
  return written ? EXIT_SUCCESS : process::fail(written.reason().text, process::CannotWrite);
}

static int program(int argc, char **argv) {
  // mlir-reduce makes a file for each step in $TMPDIR.
  Result<files::ScratchFolder> folder = files::ScratchFolder::make();
  if (!folder)
    return process::fail(folder.reason().text, process::codeOf(folder.reason()));
  ::setenv("TMPDIR", folder->path().c_str(), 1);
  std::vector<std::string> words(argv, argv + argc);

  mlir::DialectRegistry registry;
  driver::registerAllDialects(registry);
  driver::registerAllPasses();
  if (!isSafe(words, registry))
    return EXIT_FAILURE;
  // mlirReduceMain opens its file itself: the word that names it is replaced by one that it can
  // read.
  for (size_t i = 1; i < words.size(); ++i) {
    llvm::StringRef before = llvm::StringRef(words[i - 1]).ltrim('-');
    if (words[i].starts_with("-") || before == "o" || before == "test")
      continue;
    words[i] = driver::pathInOurSpelling(words[i], folder->path() + "/input.mlirbc");
    if (words[i].empty())
      return EXIT_FAILURE;
  }
  return withWholeOutput(words, *folder, [&](int argc, char **argv) {
    mlir::MLIRContext context(registry);
    context.printOpOnDiagnostic(false); // an error about a module would print it whole
    // Most candidates are wrong in some way, which says nothing. Where it ends with an error, what
    // is said last is the reason: what is wrong, and perhaps that a pass failed by it.
    std::string last, before;
    mlir::ScopedDiagnosticHandler keep(&context, [&](mlir::Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error)
        return;
      before = std::exchange(last, "");
      llvm::raw_string_ostream text(last);
      if (auto place = diagnostic.getLocation()->findInstanceOf<mlir::FileLineColLoc>())
        text << place.getFilename().getValue() << ":" << place.getLine() << ":" << place.getColumn()
             << ": ";
      text << llvm::StringRef(diagnostic.str()).trim();
    });
    if (mlir::succeeded(mlir::mlirReduceMain(argc, argv, context)))
      return EXIT_SUCCESS;
    for (const std::string &text : {before, last})
      if (!text.empty())
        process::fail(text);
    return EXIT_FAILURE;
  });
}

int main(int argc, char **argv) { return runMlirProgram(argc, argv, "tessera-reduce", program); }
