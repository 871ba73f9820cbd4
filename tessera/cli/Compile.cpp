// tessera compile
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cli/Cli.h"

#include "llvm/Support/raw_ostream.h"

#include <CLI/CLI.hpp>

using namespace tessera;
using namespace tessera::cli;

namespace {

struct Options {
  std::string file, arch, emit = "ptx", kernel, output = "-";
  driver::CompileOptions compile;
  bool timing = false;
};

/// The module of one kernel of several, so that what comes out is one file.
Result<const driver::DeviceCode *> single(const std::vector<driver::DeviceCode> &codes) {
  if (codes.size() == 1)
    return &codes.front();
  if (codes.empty())
    return Reason{"NoKernel", "the file has no kernel, so there is no device code to write; --emit mlir shows the rest"};
  return Reason{"ManyModules", cat("the file has ", codes.size(), " gpu.modules; --kernel NAME chooses one")};
}

int emit(Session &session, const Options &options) {
  std::vector<driver::KernelSource> kernels = driver::Compiler::kernels(*session.module);
  if (!options.kernel.empty()) {
    std::vector<std::string> names;
    for (const driver::KernelSource &kernel : kernels)
      names.push_back(kernel.name);
    Result<size_t> chosen = driver::chooseName(names, options.kernel, "kernel", "--kernel");
    if (!chosen)
      return fail(chosen.reason().text);
    driver::Compiler::keepOnly(*session.module, kernels[*chosen]);
  }
  // Before anything takes time.
  std::string ptxas = ptx::findPtxas();
  if (options.emit == "cubin") {
    if (ptxas.empty())
      return fail("--emit cubin needs NVIDIA's ptxas, which is not on $PATH, not at $TESSERA_PTXAS and not in "
                  "/usr/local/cuda/bin; --emit ptx does without");
    if (options.output == "-")
      return fail("--emit cubin writes a binary file: name it with -o");
  }
  if (!session.compiler.lower(*session.module, options.compile))
    return BadInput;
  if (options.emit == "mlir") {
    std::string text;
    llvm::raw_string_ostream(text) << *session.module << "\n";
    return writeFile(options.output, text);
  }
  bool llvmOnly = options.emit == "llvm";
  auto codes = session.compiler.translate(*session.module, options.compile,
                                          llvmOnly ? ptx::Until::Llvm : ptx::Until::Ptx);
  if (!codes)
    return fail(codes.reason().text);
  Result<const driver::DeviceCode *> code = single(*codes);
  if (!code)
    return fail(code.reason().text);
  if (options.emit != "cubin")
    return writeFile(options.output, llvmOnly ? (*code)->llvm : (*code)->ptx);
  Result<ptx::Cubin> cubin = ptx::assemble(ptxas, (*code)->ptx, options.compile.arch);
  if (!cubin)
    return fail(cubin.reason().text);
  warnAbout(session.compiler.context(), kernels, cubin->log);
  return writeFile(options.output, {cubin->bytes.data(), cubin->bytes.size()});
}

int compile(Options options) {
  Session session(options.file);
  if (!session.module)
    return BadInput;
  options.compile.arch = chooseArch(options.arch, *session.module);
  int result = emit(session, options);
  if (options.timing)
    printTiming(session.compiler.parts());
  return result;
}
} // namespace

void tessera::cli::addCompile(CLI::App &app, int &exit) {
  auto options = std::make_shared<Options>();
  CLI::App *command = app.add_subcommand("compile", "Compiles the kernels of a file of CuTe IR");
  command->footer("Example: tessera compile gemm.mlir --arch sm_90a --emit cubin -o gemm.cubin");
  command->add_option("FILE", options->file, "CuTe IR as MLIR text or bytecode; - reads stdin")->required();
  command->add_option("--arch", options->arch, "target such as sm_80 or sm_90a; default: the file's own, else the "
                                               "GPU's, else sm_90a");
  command->add_option("--emit", options->emit, "what to write: mlir (LLVM dialect), llvm, ptx or cubin")
      ->check(CLI::IsMember({"mlir", "llvm", "ptx", "cubin"}))
      ->capture_default_str();
  command->add_option("--kernel", options->kernel, "compile only this kernel; any unique part of its name");
  command->add_option("-o,--output", options->output, "file to write; - is stdout")->capture_default_str();
  command->add_option("-O", options->compile.optLevel, "optimization level of LLVM")
      ->check(CLI::Range(0, 3))
      ->capture_default_str();
  command->add_option("--print-ir-after", options->compile.printAfter,
                      "print the IR after these passes, by name, or after 'all' (to stderr)");
  command->add_flag("--timing", options->timing, "say how long each step took (to stderr)");
  command->add_flag("--check-layout-assumptions", options->compile.checkLayoutAssumptions,
                    "assert at run time what the layout algebra assumes of dynamic sizes (divisibility, no overflow)");
  command->callback([options, &exit] { exit = compile(*options); });
}
