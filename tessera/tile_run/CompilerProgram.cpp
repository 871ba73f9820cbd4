// The compiler of tile programs as a child process.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_run/Errors.h"
#include "tessera/tile_run/Runners.h"

#include "tessera/files/Program.h"

#include <cstdlib>
#include <unistd.h>

namespace tessera::tile {

using run_errors::Error;
using run_errors::fail;

namespace {

/// The path of the compiler.
Result<std::string> findCompiler() {
  if (const char *named = std::getenv("TESSERA_TILEIRAS")) {
    if (::access(named, X_OK) == 0)
      return std::string(named);
    return fail(Error::NoCompiler,
                tessera::cat("$TESSERA_TILEIRAS, ", named, ", is not a program"));
  }
  const char *path = std::getenv("PATH");
  for (std::string_view rest = path ? path : ""; !rest.empty();) {
    std::string folder(rest.substr(0, rest.find(':')));
    rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
    // A name relative to the working folder could be anybody's.
    std::string file = folder + "/tessera-tileiras";
    if (folder.starts_with('/') && ::access(file.c_str(), X_OK) == 0)
      return file;
  }
  return fail(Error::NoCompiler, "tessera-tileiras is in no folder of $PATH");
}

} // namespace

Compile compilerProgram() {
  return [](const std::string &bytecode, const std::string &arch) -> Result<std::string> {
    TESSERA_TRY(std::string program, findCompiler());
    TESSERA_TRY(files::ScratchFolder folder, files::ScratchFolder::make());
    TESSERA_CHECK(folder.write("kernel.tilebc", bytecode));
    TESSERA_TRY(files::Ended ended, files::runProgram(program,
                                                      {folder.path() + "/kernel.tilebc", "-o",
                                                       folder.path() + "/kernel.ptx", "--gpu-name",
                                                       arch, "--emit", "ptx", "--lineinfo"},
                                                      folder));
    if (!ended.succeeded())
      return fail(Error::Refused, ended.how(), ended.said);
    return folder.read("kernel.ptx");
  };
}

} // namespace tessera::tile
