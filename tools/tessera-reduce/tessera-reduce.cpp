// tessera-reduce: mlir-reduce with Tessera's dialects and passes, which also reads what CuTe DSL
// prints.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/driver/Input.h"
#include "tessera/driver/Registration.h"
#include "tessera/files/OutputFile.h"
#include "tessera/files/ScratchFolder.h"
#include "tessera/import/Input.h"
#include "tools/version/Version.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <string_view>

namespace {

/// Whether the file that is named may be given to MLIR's parser. Errors went to stderr.
bool isSafe(int argc, char **argv, const mlir::DialectRegistry &registry) {
  for (int i = 1; i < argc; ++i) {
    if (argv[i][0] == '-')
      continue;
    auto file = llvm::MemoryBuffer::getFile(argv[i]);
    if (!file)
      continue;
    if (mlir::isBytecode(**file)) {
      llvm::errs() << argv[i]
                   << ": expects a text of MLIR, but got bytecode; write it as text "
                      "with tessera-opt first\n";
      return false;
    }
    if (!tessera::import::asText(**file, registry))
      return false;
  }
  return true;
}

int refuse(const tessera::Reason &reason) {
  llvm::WithColor::error() << reason.text << "\n";
  return tessera::files::cannotWrite;
}

/// The file that -o names, in any of its spellings, replaced by another; empty without one.
std::string replaceOutput(std::vector<std::string> &words, const std::string &by) {
  for (size_t i = 1; i < words.size(); ++i)
    for (std::string_view option : {"-o", "--o"}) {
      if (words[i] == option && i + 1 < words.size())
        return std::exchange(words[i + 1], by);
      if (words[i].starts_with(option) && words[i].substr(option.size()).starts_with("="))
        return std::exchange(words[i], std::string(option) + "=" + by).substr(option.size() + 1);
    }
  return "";
}

} // namespace

int main(int argc, char **argv) {
  tessera::files::prepareProcess();
  llvm::cl::SetVersionPrinter(
      [](llvm::raw_ostream &out) { out << tessera::versionText("tessera-reduce"); });
  // mlir-reduce makes a file for each step in $TMPDIR, and writes into -o.
  tessera::Result<tessera::files::ScratchFolder> folder = tessera::files::ScratchFolder::make();
  if (!folder)
    return refuse(folder.reason());
  ::setenv("TMPDIR", folder->path().c_str(), 1);
  std::vector<std::string> words(argv, argv + argc);
  const std::string output = replaceOutput(words, folder->path() + "/reduced.mlir");

  mlir::DialectRegistry registry;
  tessera::driver::registerAllDialects(registry);
  tessera::driver::registerAllPasses();
  mlir::MLIRContext context(registry);
  context.printOpOnDiagnostic(false); // an error about a module would print it whole
  if (!isSafe(argc, argv, registry))
    return EXIT_FAILURE;
  // mlirReduceMain opens its file itself: the word that names it is replaced by one that it can
  // read.
  for (size_t i = 1; i < words.size(); ++i) {
    llvm::StringRef before = llvm::StringRef(words[i - 1]).ltrim('-');
    if (words[i].starts_with("-") || before == "o" || before == "test")
      continue;
    words[i] = tessera::driver::pathInOurSpelling(words[i], folder->path() + "/input.mlirbc");
    if (words[i].empty())
      return EXIT_FAILURE;
  }
  std::vector<char *> pointers;
  for (std::string &word : words)
    pointers.push_back(word.data());
  pointers.push_back(nullptr);
  if (mlir::failed(mlir::mlirReduceMain(argc, pointers.data(), context)))
    return EXIT_FAILURE;
  if (output.empty())
    return EXIT_SUCCESS;
  tessera::Result<std::string> reduced = folder->read("reduced.mlir");
  if (!reduced)
    return refuse(reduced.reason());
  tessera::Status written = tessera::files::writeFile(output, {*reduced});
  return written ? EXIT_SUCCESS : refuse(written.reason());
}
