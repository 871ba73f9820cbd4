// cuGetExportTable, which NVIDIA's own runtime asks for tables without a documentation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One of them is a check by which that runtime tells NVIDIA's driver from others. It is not
// answered: programs run on the runtime of tessera/cuda_runtime instead.
#include "tessera/cuda_driver/Api.h"
#include "tessera/cuda_driver/Driver.h"

using namespace tessera::cuda_driver;

CUDA_API(cuGetExportTable)(const void **table, const Uuid *) {
  if (!table)
    return Code::InvalidValue;
  *table = nullptr;
  return call(Needs::Nothing, [](Driver &) {
    static bool isSaid = false;
    if (!isSaid)
      say(fail(Error::ForeignRuntime));
    isSaid = true;
    return Code::NotFound;
  });
}
