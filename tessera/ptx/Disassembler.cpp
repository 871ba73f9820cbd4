// nvdisasm as a subprocess.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/ptx/Disassembler.h"

#include "tessera/files/Program.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"

#include <cstdlib>

using namespace tessera;

std::string tessera::ptx::findDisassembler() {
  if (const char *named = std::getenv("TESSERA_NVDISASM"))
    return llvm::sys::fs::can_execute(named) ? named : "";
  if (llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName("nvdisasm"))
    return *found;
  llvm::StringRef usual = "/usr/local/cuda/bin/nvdisasm";
  return llvm::sys::fs::can_execute(usual) ? usual.str() : "";
}

Result<std::string> tessera::ptx::disassemble(const std::string &disassembler,
                                              std::span<const char> cubin, bool lines) {
  constexpr std::string_view object = "kernel.cubin";
  TESSERA_TRY(files::ScratchFolder folder, files::ScratchFolder::make());
  TESSERA_CHECK(folder.write(std::string(object), {cubin.data(), cubin.size()}));
  std::vector<std::string> arguments = {"--print-code"};
  if (lines)
    arguments.push_back("--print-line-info");
  arguments.push_back(std::string(object));
  TESSERA_TRY(files::Ended ended, files::runProgram(disassembler, arguments, folder));
  if (ended.signal || !ended.succeeded())
    return Reason{"Nvdisasm",
                  cat("nvdisasm (", disassembler, ") does not read the cubin; it ended with ",
                      ended.how(), ended.said.empty() ? "" : cat(" and said:\n", ended.said))};
  return std::move(ended.said);
}
