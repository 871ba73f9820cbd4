/* tessera-worker: the process in which libtessera.so compiles where a limit of time is given.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tessera-c/Tessera.h"

int main(int argc, char **argv) { return tesseraWorker(argc, argv); }
