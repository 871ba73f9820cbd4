// Both sides of a request.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/program/Worker.h"

#include "tessera/base/Guarded.h"
#include "tessera/cache/BuildId.h"
#include "tessera/files/Program.h"
#include "tessera/process/Process.h"
#include "tessera/program/Errors.h"
#include "tessera/ptx/Fatal.h"

#include <algorithm>
#include <chrono>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <mutex>
#include <set>
#include <unistd.h>

namespace tessera::program {

namespace {

constexpr char requestName[] = "request", answerName[] = "answer";

/// Beside the file that this code is in.
std::string workerPath() {
  Dl_info info = {};
  char path[PATH_MAX];
  if (!::dladdr(reinterpret_cast<const void *>(&workerPath), &info) || !info.dli_fname ||
      !::realpath(info.dli_fname, path))
    return "tessera-worker";
  return std::filesystem::path(path).replace_filename("tessera-worker");
}

/// The id that every text of this build begins with.
std::string ownMark() { return cache::buildId() + "\n"; }

/// An id that lives as long as the process, as Reason keeps only a view of it: elsewhere ids are
/// literals. There are no more of them than error messages.
std::string_view lasting(const std::string &id) {
  static std::mutex mutex;
  static auto *ids = new std::set<std::string>;
  std::lock_guard lock(mutex);
  return *ids->insert(id).first;
}

std::string shown(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", number);
  return text;
}

/// Why there is no answer.
Reason reasonOf(const files::Ended &ended, const Request &request, double seconds) {
  if (ended.late)
    return fail(Error::CompileTime, request.name, shown(seconds));
  if (!ended.signal && ended.exitCode == process::Exhausted)
    return {outOfMemoryId, "memory ran out"};
  return fail(Error::WorkerEnded, request.name, ended.how(),
              ended.said.empty() ? "" : cat(":\n", ended.said));
}

Answer answerTo(Request request) {
  request.options.cacheFolder = request.cacheFolder;
  Result<Source> source = ptx::withinMemory([&] {
    return sourceOf(request.content, request.name, request.where,
                    request.devices.empty() ? nullptr : &request.devices.front(), request.options);
  });
  if (source)
    return {.compiled = std::move(source->compiled)};
  return {.id = std::string(source.reason().id), .text = source.reason().text};
}

} // namespace

Result<Compiled> compiledByWorker(Request request, double seconds) {
  using Clock = std::chrono::steady_clock;
  constexpr double most = 1e9; // 30 years
  const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                           std::chrono::duration<double>(std::min(seconds, most)));
  std::error_code none; // a folder that is gone has nothing in it either
  request.folder = std::filesystem::current_path(none);
  TESSERA_TRY(files::ScratchFolder folder, files::ScratchFolder::make());
  TESSERA_CHECK(folder.write(requestName, ownMark() + pack(request)));
  const std::string worker = workerPath();
  Result<files::Ended> ended = files::runProgram(worker, {}, folder, deadline);
  if (!ended && ended.reason().id == files::errors[size_t(files::Error::ProgramStart)].id)
    return fail(Error::NoWorker, ended.reason().text);
  if (!ended)
    return ended.reason();
  Result<std::string> text = folder.read(answerName);
  bool isOurs = text && text->starts_with(ownMark());
  if (text && !isOurs && ended->succeeded())
    return fail(Error::OtherWorker, worker);
  std::optional<Answer> answer =
      isOurs ? unpackAnswer(std::string_view(*text).substr(ownMark().size())) : std::nullopt;
  if (!answer)
    return reasonOf(*ended, request, seconds);
  if (!answer->id.empty())
    return Reason{lasting(answer->id), answer->text};
  answer->compiled.said += ended->said;
  return std::move(answer->compiled);
}

int work() {
  files::Descriptor folder(::open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  files::Descriptor file(::open(requestName, O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  std::optional<std::string> text = file ? file.read() : std::nullopt;
  if (!folder || !text)
    return process::fail("tessera-worker compiles for libtessera.so, which starts it: there is no "
                         "request in the current folder");
  std::string answer = ownMark();
  if (text->starts_with(answer)) {
    std::optional<Request> request = unpackRequest(std::string_view(*text).substr(answer.size()));
    if (!request)
      return process::fail("the request is incomplete");
    // Where that folder is gone, relative paths name nothing, as they did there.
    [[maybe_unused]] int gone = ::chdir(request->folder.c_str());
    answer += pack(answerTo(*std::move(request)));
  }
  files::Descriptor to(::openat(folder.get(), answerName,
                                O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!to || !to.write(answer) || !to.close())
    return process::fail(cat("cannot write the answer: ", files::systemReason()),
                         process::CannotWrite);
  return process::Right;
}

} // namespace tessera::program
