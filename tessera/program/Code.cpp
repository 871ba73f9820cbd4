// Device and host code of a module.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/program/Code.h"

namespace tessera::program {

Result<Code> codeOf(driver::Compiler &compiler, mlir::ModuleOp module,
                    const driver::CompileOptions &options) {
  if (!compiler.lower(module, options))
    return Reason{"Said", ""};
  ptx::Until until = options.ptxas.empty() ? ptx::Until::Ptx : ptx::Until::Cubin;
  TESSERA_TRY(std::vector<driver::DeviceCode> codes, compiler.translate(module, options, until));
  std::vector<DeviceImage> images;
  for (driver::DeviceCode &code : codes) {
    std::string cubin(code.cubin.bytes.begin(), code.cubin.bytes.end());
    bool assembled = until == ptx::Until::Cubin;
    images.push_back({std::move(code.module), assembled ? std::move(cubin) : std::move(code.ptx),
                      code.cubin.log});
  }
  TESSERA_TRY(jit::HostCode host, jit::HostCode::compile(module));
  return Code{std::move(images), std::move(host)};
}

Result<driver::CompileOptions> compileFor(const run::DeviceInfo *device, bool simulated,
                                          const std::string &arch) {
  driver::CompileOptions compile;
  compile.arch = arch;
  if (!device || simulated) // the simulator takes PTX of any target
    return compile;
  TESSERA_CHECK(run::checkTarget(*device, compile.arch));
  // ptxas where there is one, as it chooses by spills and says what it did; else the driver's
  // compiler, which also takes code of older generations.
  if (run::runsCubin(*device, compile.arch))
    compile.ptxas = ptx::findPtxas();
  return compile;
}

} // namespace tessera::program
