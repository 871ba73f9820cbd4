// Worker: compiling in a separate process, which can be stopped.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM cannot be stopped inside a process. A fork without a program would do, but in a process with
// threads its child may wait forever for the lock of a thread that it does not have. So the program
// tessera-worker, which is beside libtessera.so and uses its code, gets a request in a private
// folder and leaves an answer there.
#pragma once

#include "tessera/program/Source.h"

namespace tessera::program {

struct Request {
  std::string folder{}; // base of relative paths
  std::string content, name;
  Where where = Where::Simulator;
  std::vector<run::DeviceInfo> devices{}; // one, or none
  std::string cacheFolder;                // which `options` have as theirs
  LoadOptions options;                    // without a limit of time
};

/// A reason if there is an id, else the compiled file.
struct Answer {
  std::string id{}, text{};
  Compiled compiled{};
};

/// As one text, and back in the same build; none for a text that is not a whole one from pack().
std::string pack(const Request &);
std::string pack(const Answer &);
std::optional<Request> unpackRequest(std::string_view);
std::optional<Answer> unpackAnswer(std::string_view);

/// The answer of a worker, whose files are removed afterwards. After `seconds` it is stopped, with
/// everything that it started.
Result<Compiled> compiledByWorker(Request, double seconds);

/// The whole work of tessera-worker, in the current folder, which has the request. Returns the
/// program's exit code; an error in the file is an answer.
int work();

} // namespace tessera::program
