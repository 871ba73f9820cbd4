// ptxas as a subprocess.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/ptx/Ptx.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <cstdlib>

using namespace tessera;

std::string tessera::ptx::findPtxas() {
  if (const char *named = std::getenv("TESSERA_PTXAS"))
    return llvm::sys::fs::can_execute(named) ? named : "";
  if (llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName("ptxas"))
    return *found;
  llvm::StringRef usual = "/usr/local/cuda/bin/ptxas";
  return llvm::sys::fs::can_execute(usual) ? usual.str() : "";
}

std::string tessera::ptx::identityOf(const std::string &ptxas) {
  llvm::SmallString<128> real;
  llvm::sys::fs::file_status status;
  if (llvm::sys::fs::real_path(ptxas, real) || llvm::sys::fs::status(real, status))
    return ptxas;
  auto changed = status.getLastModificationTime().time_since_epoch();
  return cat(std::string(real), " ", status.getSize(), " ",
             std::chrono::nanoseconds(changed).count());
}

static std::string readAll(llvm::StringRef path) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> file = llvm::MemoryBuffer::getFile(path);
  return file ? (*file)->getBuffer().str() : std::string();
}

static Result<ptx::Cubin> assembleAt(const std::string &level, const std::string &ptxas,
                                     const std::string &ptx, const std::string &chip) {
  llvm::SmallString<64> source, object, log;
  if (llvm::sys::fs::createTemporaryFile("tessera", "ptx", source) ||
      llvm::sys::fs::createTemporaryFile("tessera", "cubin", object) ||
      llvm::sys::fs::createTemporaryFile("tessera", "log", log))
    return Reason{"TemporaryFile", "cannot make a temporary file for ptxas"};
  auto clean = llvm::make_scope_exit([&] {
    for (llvm::StringRef path :
         {llvm::StringRef(source), llvm::StringRef(object), llvm::StringRef(log)})
      llvm::sys::fs::remove(path);
  });
  {
    std::error_code error;
    llvm::raw_fd_ostream out(source, error);
    out << ptx;
    out.close();
    if (error || out.has_error()) {
      out.clear_error();
      return Reason{"TemporaryFile", cat("cannot write ", std::string(source))};
    }
  }
  std::string target = "-arch=" + chip;
  llvm::SmallVector<llvm::StringRef> arguments = {ptxas, target, level, "-v", "-o", object, source};
  if (ptx.find(".loc") != ptx.npos) // tables for ncu, cuda-gdb and nvdisasm; the code is the same
    arguments.push_back("-lineinfo");
  std::optional<llvm::StringRef> streams[] = {llvm::StringRef(""), llvm::StringRef(log),
                                              llvm::StringRef(log)};
  std::string error;
  int status = llvm::sys::ExecuteAndWait(ptxas, arguments, std::nullopt, streams, 0, 0, &error);
  std::string said = readAll(log);
  if (status != 0)
    return Reason{"Ptxas",
                  cat("ptxas refuses the code for ", chip, ":\n", said.empty() ? error : said)};
  std::string bytes = readAll(object);
  std::vector<ptx::PtxasReport> reports = ptx::parsePtxasLog(said);
  return ptx::Cubin{std::vector<char>(bytes.begin(), bytes.end()), std::move(said),
                    std::move(reports)};
}

Result<ptx::Cubin> tessera::ptx::assemble(const std::string &ptxas, const std::string &ptx,
                                          const std::string &chip) {
  TESSERA_TRY(Cubin best, assembleAt("-O3", ptxas, ptx, chip));
  // -O3 moves instructions further, which may need more registers than there are. Where it spills,
  // -O2 may not.
  if (best.spilledBytes()) {
    TESSERA_TRY(Cubin calmer, assembleAt("-O2", ptxas, ptx, chip));
    if (calmer.spilledBytes() < best.spilledBytes())
      return calmer;
  }
  return best;
}
