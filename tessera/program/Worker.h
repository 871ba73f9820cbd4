// Worker: compiling in a process of its own, which can be ended.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM cannot be stopped inside a process. A fork would do without a program, but in a process with
// threads its child may wait forever for a lock of a thread that it does not have. So the
// program tessera-worker, which lies beside libtessera.so and has its code from there, is given a
// request in a private folder, and leaves an answer there.
#pragma once

#include "tessera/program/Source.h"

namespace tessera::program {

struct Request {
  std::string folder{}; // where relative paths begin
  std::string content, name;
  Where where = Where::Simulator;
  std::vector<run::DeviceInfo> devices{}; // one, or none
  std::string cacheFolder;                // which `options` have as theirs
  LoadOptions options;                    // without a limit of time
};

/// A reason where there is an id, else what was compiled.
struct Answer {
  std::string id{}, text{};
  Compiled compiled{};
};

/// As one text, and back in the same build; none for a text that is not from pack() whole.
std::string pack(const Request &);
std::string pack(const Answer &);
std::optional<Request> unpackRequest(std::string_view);
std::optional<Answer> unpackAnswer(std::string_view);

/// What a worker answers, of which nothing is left afterwards. After `seconds` it is ended, with
/// all that it started.
Result<Compiled> compiledByWorker(Request, double seconds);

/// All that tessera-worker does, in the current folder, which has the request. The program's exit
/// code: an error of the file is an answer.
int work();

} // namespace tessera::program
