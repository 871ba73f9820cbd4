// ptxas as a subprocess.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/ptx/Ptx.h"

#include "tessera/cache/Store.h"
#include "tessera/cubin/Cubin.h"
#include "tessera/files/Program.h"
#include "tessera/ptx_text/Parser.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"

#include <csignal>
#include <cstdlib>
#include <sys/stat.h>

using namespace tessera;

std::string tessera::ptx::findPtxas() {
  if (const char *named = std::getenv("TESSERA_PTXAS"))
    return llvm::sys::fs::can_execute(named) ? named : "";
  if (llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName("ptxas"))
    return *found;
  llvm::StringRef usual = "/usr/local/cuda/bin/ptxas";
  return llvm::sys::fs::can_execute(usual) ? usual.str() : "";
}

/// What the system knows of a file and changes with it. Its size and the time of its last change
/// (mtime) can be those of another file; the time when the system noted a change (ctime) cannot.
static std::string stateOf(const std::string &path) {
  struct stat status;
  if (::stat(path.c_str(), &status) != 0)
    return "";
  auto nanoseconds = [](const timespec &time) {
    return time.tv_sec * 1'000'000'000 + time.tv_nsec;
  };
  return cat(status.st_dev, " ", status.st_ino, " ", status.st_size, " ",
             nanoseconds(status.st_mtim), " ", nanoseconds(status.st_ctim));
}

std::string tessera::ptx::identityOf(const std::string &ptxas, const cache::Store *store) {
  llvm::SmallString<128> real;
  if (llvm::sys::fs::real_path(ptxas, real))
    return ptxas;
  const std::string path(real), state = stateOf(path);
  // Reading 40 MB takes longer than finding a cubin, so what the content was in this state is kept.
  const cache::Key key =
      cache::KeyOf("content of ptxas").add("path", path).add("state", state).key();
  if (store)
    if (std::optional<std::string> content = store->find(key))
      return cat(path, " ", *content);
  std::optional<cache::Digest> digest = cache::digestOfFile(path);
  if (!digest)
    return cat(path, " ", state);
  std::string content = cache::Key{*digest}.hex();
  if (store) // what cannot be kept is found again
    (void)store->put(key, content);
  return cat(path, " ", content);
}

/// The names of the kernels of a text that LLVM wrote.
static Result<std::vector<std::string>> kernelsOf(const std::string &ptx) {
  TESSERA_TRY(ptx_text::Outline outline, ptx_text::outlineOf(ptx));
  return std::vector<std::string>(outline.kernels.begin(), outline.kernels.end());
}

Status tessera::ptx::checkCubin(std::span<const char> bytes,
                                const std::vector<std::string> &kernels) {
  return cubin::checkKernels(std::as_bytes(bytes), kernels);
}

Result<ptx::Cubin> tessera::ptx::wholeCubin(const std::string &ptx, std::string_view bytes,
                                            std::string log) {
  TESSERA_TRY(std::vector<std::string> kernels, kernelsOf(ptx));
  TESSERA_CHECK(checkCubin(bytes, kernels));
  std::vector<PtxasReport> reports = parsePtxasLog(log);
  return Cubin{std::vector<char>(bytes.begin(), bytes.end()), std::move(log), std::move(reports)};
}

static Result<ptx::Cubin> assembleAt(const std::string &level, const std::string &ptxas,
                                     const std::string &ptx, const std::string &chip) {
  constexpr std::string_view source = "kernel.ptx", object = "kernel.cubin";
  TESSERA_TRY(files::ScratchFolder folder, files::ScratchFolder::make());
  TESSERA_CHECK(folder.write(std::string(source), ptx));
  std::vector<std::string> arguments = {"-arch=" + chip, level, "-v", "-o", std::string(object)};
  if (ptx.find(".loc") != ptx.npos) // tables for ncu, cuda-gdb and nvdisasm; the code is the same
    arguments.push_back("-lineinfo");
  arguments.push_back(std::string(source));
  TESSERA_TRY(files::Ended ended, files::runProgram(ptxas, arguments, folder));
  if (ended.signal == SIGXFSZ) // not the code's fault: a limit of the size of files
    return Reason{files::errors[size_t(files::Error::FileWrite)].id,
                  cat("cannot write ", folder.path(), "/", object, ": ptxas (", ptxas,
                      ") was ended by ", ended.how())};
  if (ended.signal)
    return Reason{"PtxasEnded",
                  cat("ptxas (", ptxas, ") was ended by ", ended.how(), ":\n", ended.said)};
  if (!ended.succeeded())
    return Reason{"Ptxas", cat("ptxas refuses the code for ", chip, ":\n",
                               ended.said.empty() ? ended.how() : ended.said)};
  // It ends with 0 also where it could not write all of the file, on a full disk.
  auto broken = [&](const Reason &why) {
    return Reason{"PtxasEnded",
                  cat("ptxas (", ptxas, ") said that it was successful, but left no usable cubin: ",
                      why.text, "; is there room in ", folder.path(), "?")};
  };
  Result<std::string> bytes = folder.read(std::string(object));
  if (!bytes)
    return broken(bytes.reason());
  Result<ptx::Cubin> cubin = ptx::wholeCubin(ptx, *bytes, std::move(ended.said));
  return cubin ? std::move(cubin) : broken(cubin.reason());
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
