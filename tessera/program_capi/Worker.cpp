// The program tessera-worker, whose code is here.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/program/Worker.h"
#include "tessera-c/Tessera.h"
#include "tessera/process/Process.h"

int tesseraWorker(int argc, char **argv) {
  return tessera::process::run(argc, argv, [](int, char **) { return tessera::program::work(); });
}
