// What the handles of tessera-c/Tessera.h hold.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera-c/Tessera.h"

#include "tessera/capi/Handles.h"
#include "tessera/program/Program.h"
#include "tessera/program_capi/Errors.h"

struct TesseraDevice {
  std::shared_ptr<tessera::program::Device> device;
  std::string hardware;
};

struct TesseraProgram {
  std::shared_ptr<tessera::program::Program> program;
  /// Of each callable the constraints of its parameters, which are made once.
  std::vector<std::vector<std::string>> constraints;
};

namespace tessera::program_capi {

/// A copy for a caller, who gives it back with tesseraTextDestroy.
char *textOf(const std::string &);

} // namespace tessera::program_capi
