// Programs: the program of a host function for the types of a call. For this room.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cute_cxx/Launch.h"
#include "tessera/driver/Compiler.h"
#include "tessera/jit/HostCode.h"
#include "tessera/run/Parameter.h"

#include <map>

namespace tessera::cute {

/// The result of tracing and compiling a host function for arguments of certain types.
struct TracedProgram {
  explicit TracedProgram(std::string name) : name(std::move(name)) {}

  std::string name;
  std::vector<Diagnostic> diagnostics; // if empty, all members below are set
  std::string ir;                      // as traced
  std::vector<driver::DeviceCode> code;
  std::optional<jit::HostCode> host;
  std::vector<run::Packing> parameters;  // their bytes, without the stream
  std::map<std::string, Place> launches; // by kernel: where the author wrote the launch
  driver::Compiler compiler;
};

/// Bits from one element of an array to the next.
int bitsOfElement(const detail::Argument &);
/// A key of all facts about the arguments that a program depends on.
std::string keyOf(std::span<const detail::Argument>);
/// Errors in the arguments of a call; `arrays`: which parameters are tensors.
std::vector<Diagnostic> wrongArguments(std::span<const detail::Argument>,
                                       const std::vector<bool> &arrays);
/// Traces, lowers and compiles. All errors are in the diagnostics.
std::unique_ptr<TracedProgram> traced(const std::string &name, const std::string &arch,
                                      const detail::KernelCore::Body &,
                                      std::span<const detail::Argument>, Place);

} // namespace tessera::cute
