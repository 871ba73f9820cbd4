// tessera-reduce: mlir-reduce with Tessera's dialects and passes, which also reads what CuTe DSL
// prints.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/driver/Input.h"
#include "tessera/driver/Registration.h"
#include "tessera/files/Cleanup.h"
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
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

using namespace tessera;

/// Whether the word after an option is its value.
static bool takesNext(llvm::StringRef word) {
  llvm::StringRef name = word.ltrim('-');
  if (!word.starts_with("-") || name.empty() || name.contains('='))
    return false;
  if (name == "o" || name == "test") // which mlirReduceMain registers
    return true;
  auto &known = llvm::cl::getRegisteredOptions();
  auto found = known.find(name);
  return found != known.end() && found->second->getValueExpectedFlag() == llvm::cl::ValueRequired;
}

/// The number of the word that names the file; none where it is stdin without a name.
static std::optional<size_t> inputAmong(const std::vector<std::string> &words) {
  for (size_t i = 1; i < words.size(); ++i)
    if ((words[i] == "-" || !words[i].starts_with("-")) && !takesNext(words[i - 1]))
      return i;
  return std::nullopt;
}

/// Whether the command line asks for nothing but a text.
static bool asksForHelp(const std::vector<std::string> &words) {
  return std::any_of(words.begin() + 1, words.end(), [](llvm::StringRef word) {
    llvm::StringRef name = word.ltrim('-');
    return word.starts_with("-") && (name == "h" || name == "version" || name.starts_with("help"));
  });
}

/// A copy in the private folder of the file that is named, or of stdin, in our spelling: MLIR would
/// map the file, and end by a signal where it is cut meanwhile. An empty reason went to stderr.
static Result<std::string> copyOf(const std::string &path, const files::ScratchFolder &folder,
                                  const mlir::DialectRegistry &registry) {
  constexpr const char *name = "input.mlir";
  const Reason said{"Said", ""};
  std::unique_ptr<llvm::MemoryBuffer> file = readFile(path);
  if (!file)
    return said;
  if (mlir::isBytecode(*file))
    return Reason{"Bytecode", cat(path, ": expects a text of MLIR, but got bytecode; write it as "
                                        "text with tessera-opt first")};
  if (!import::asText(*file, registry) || !(file = driver::inOurSpelling(std::move(file))))
    return said;
  TESSERA_CHECK(folder.write(name, file->getBuffer()));
  return folder.path() + "/" + name;
}

/// What LLVM says where it would end the process: mlir-reduce knows no other way where it cannot
/// write the file of a step, or start the script.
static void onFatalError(void *folder, const char *reason, bool) {
  {
    files::Making ended;
  } // if the script was killed, as the time is over, this waits for the end
  if (llvm::StringRef(reason).starts_with("Error running"))
    process::leave(process::fail(reason, EXIT_FAILURE));
  process::leave(process::fail(cat("cannot write the file of a step to ",
                                   static_cast<const files::ScratchFolder *>(folder)->path(), ": ",
                                   reason, "; is there room?"),
                               process::CannotWrite));
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
/// has succeeded, what it wrote goes to the file that was named. An exit code. LLVM's handlers of
/// signals read the program's name as long as the process lives.
static int withWholeOutput(char *program, std::vector<std::string> words,
                           const files::ScratchFolder &folder,
                           llvm::function_ref<int(int argc, char **argv)> main) {
  constexpr const char *file = "output";
  const std::string output = replaceOutput(words, folder.path() + "/" + file);
  std::vector<char *> pointers{program};
  for (size_t i = 1; i < words.size(); ++i)
    pointers.push_back(words[i].data());
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
  // What LLVM does with a signal makes files, too, and may come after this folder is gone.
  const char *given = std::getenv("TMPDIR");
  llvm::scope_exit again([given = given ? std::optional<std::string>(given) : std::nullopt] {
    given ? ::setenv("TMPDIR", given->c_str(), 1) : ::unsetenv("TMPDIR");
  });
  ::setenv("TMPDIR", folder->path().c_str(), 1);
  std::vector<std::string> words(argv, argv + argc);

  mlir::DialectRegistry registry;
  driver::registerAllDialects(registry);
  driver::registerAllPasses();
  const std::optional<size_t> named = inputAmong(words);
  const std::string input = named ? words[*named] : "-";
  std::string copy;
  // Without a name it is a terminal by mistake: MLIR looks at the options before it reads.
  if (!asksForHelp(words) && (named || !::isatty(STDIN_FILENO))) {
    Result<std::string> made = copyOf(input, *folder, registry);
    if (!made)
      return made.reason().text.empty()
                 ? EXIT_FAILURE
                 : process::fail(made.reason().text, process::codeOf(made.reason(), EXIT_FAILURE));
    copy = *made;
    if (named)
      words[*named] = copy;
    else
      words.push_back(copy);
  }
  llvm::ScopedFatalErrorHandler ends(onFatalError, &*folder);
  return withWholeOutput(argv[0], words, *folder, [&](int argc, char **argv) {
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
        text << (place.getFilename() == copy ? input : place.getFilename().str()) << ":"
             << place.getLine() << ":" << place.getColumn() << ": ";
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
