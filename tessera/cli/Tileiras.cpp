// tileiras
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cli/Tileiras.h"

#include "tessera/cli/Cli.h"
#include "tessera/cli/CommandLine.h"
#include "tessera/cli/TileReport.h"
#include "tessera/run/CudaDevice.h"
#include "tessera/tile_bytecode/Reader.h"
#include "tessera/tile_bytecode/Version.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <CLI/CLI.hpp>

using namespace tessera;
using namespace tessera::cli;

namespace {

/// What callers call a GPU, and the target that has all its instructions; without one, programs
/// cannot be compiled, but a caller may ask whether the GPU is known. LLVM 22 does not know sm_88:
/// it gets the instructions of sm_86, and a cubin that ptxas makes of them for sm_88.
struct Gpu {
  std::string_view name, target, assembledFor = target;
};
constexpr Gpu gpus[] = {{"sm_80", "sm_80"},          {"sm_86", "sm_86"},    {"sm_87", "sm_87"},
                        {"sm_88", "sm_86", "sm_88"}, {"sm_89", "sm_89"},    {"sm_90", "sm_90a"},
                        {"sm_100", "sm_100a"},       {"sm_103", "sm_103a"}, {"sm_107", ""},
                        {"sm_110", "sm_110a"},       {"sm_120", "sm_120a"}, {"sm_121", "sm_121a"}};

struct Options {
  std::string input, output, gpu, emit = "cubin", remarks;
  std::string remarkFormat, remarkFilter; // accepted: there is one format, and few remarks
  std::string libdevice = ptx::findLibdevice();
  CacheOptions cache;
  int level = 3;
  bool lineInfo = false, deviceDebug = false;
};

/// "13.1" to the newest version, one a line.
std::string versionsText() {
  std::string out;
  for (unsigned minor = 1; minor <= tile_bytecode::newestVersion.minor; ++minor)
    out += cat(unsigned(tile_bytecode::newestVersion.major), ".", minor, "\n");
  return out;
}
/// Callers search for "release 13.4" and "V13.4.0".
std::string versionText(const char *project) {
  std::string number = cat(unsigned(tile_bytecode::newestVersion.major), ".",
                           unsigned(tile_bytecode::newestVersion.minor));
  return cat("Tessera's compiler of tile programs\nTile IR tools, release ", number, ", V", number,
             ".0\n", project);
}

/// Which driver of NVIDIA the system has; empty if it has none, or does not say so. Asking the
/// driver itself takes longer than finding a file that was compiled before.
std::string driverText() {
  auto text = llvm::MemoryBuffer::getFileAsStream("/proc/driver/nvidia/version");
  return text ? (*text)->getBuffer().str() : "";
}

/// The file that is asked for, and remarks.
struct Made {
  std::string content, remarks;
};

class Compilation {
public:
  Compilation(const Options &options, const Gpu &gpu, std::unique_ptr<llvm::MemoryBuffer> input)
      : options(options), gpu(gpu), cache(options.cache, *input), input(std::move(input)) {
    compile.arch = gpu.target;
    compile.optLevel = options.level;
    compile.lowering.lineInfo = options.lineInfo || options.deviceDebug;
    compile.libdevice = options.libdevice == "none" ? "" : options.libdevice;
    compile.store = cache.store();
  }

  /// What was compiled before is found without MLIR. A reason without text was said.
  Result<Made> made() {
    bool isCubin = options.emit == "cubin", isReport = options.emit == "report";
    if (isCubin || isReport)
      compile.ptxas = ptx::findPtxas();
    cache::KeyOf key = cache.keyOf(cat("tileiras ", options.emit));
    key.add("GPU", gpu.assembledFor);
    driver::addOptions(key, compile);
    if (isCubin && compile.ptxas.empty())
      key.add("driver", driverText());
    if (std::optional<std::vector<std::string>> kept = cache.find(key); kept && kept->size() == 2)
      return Made{std::move(kept->front()), std::move(kept->back())};
    TESSERA_TRY(Made out, compiled());
    cache.put(key, {out.content, out.remarks});
    return out;
  }

private:
  Result<Made> compiled() {
    const Reason said = {"Said", ""};
    std::vector<tile_lower::Explanation> kernels;
    compile.lowering.explanations = &kernels;
    const Compiling compiling(options.input);
    Session session(llvm::MemoryBuffer::getMemBuffer(*input));
    if (!session.module)
      return said;
    if (options.emit == "cute") {
      if (!session.compiler.lowerTiles(*session.module, compile))
        return said;
      Made out{"", remarksText(kernels)};
      llvm::raw_string_ostream(out.content) << *session.module << "\n";
      return out;
    }
    if (!session.compiler.lower(*session.module, compile))
      return said;
    const bool isOther = gpu.assembledFor != gpu.target;
    TESSERA_TRY(std::vector<driver::DeviceCode> codes,
                session.compiler.translate(*session.module, compile,
                                           compile.ptxas.empty() || isOther ? ptx::Until::Ptx
                                                                            : ptx::Until::Cubin));
    if (codes.size() != 1)
      return Reason{"OneModule", cat("expects one module of kernels, but got ", codes.size())};
    driver::DeviceCode &code = codes.front();
    if (!compile.ptxas.empty() && isOther) {
      TESSERA_TRY(code.cubin,
                  ptx::assemble(compile.ptxas, code.ptx, std::string(gpu.assembledFor)));
    } else if (options.emit == "cubin" && compile.ptxas.empty()) {
      TESSERA_TRY(code.cubin, byDriver(code.ptx));
    }
    Made out{options.emit == "ptx" ? std::move(code.ptx)
             : options.emit == "report"
                 ? reportText(kernels, code.cubin.reports, compile.arch)
                 : std::string(code.cubin.bytes.begin(), code.cubin.bytes.end()),
             remarksText(kernels)};
    return out;
  }

  /// By the compiler in the GPU's driver, which makes code for this GPU only.
  Result<ptx::Cubin> byDriver(const std::string &ptx) {
    constexpr std::string_view needs =
        "a cubin needs NVIDIA's ptxas, which is not on $PATH, not at $TESSERA_PTXAS and not in "
        "/usr/local/cuda/bin, or a GPU whose driver compiles; --emit ptx does not need it. ";
    auto without = [&](const Reason &reason) { return Reason{"NoPtxas", cat(needs, reason.text)}; };
    Result<std::shared_ptr<const run::cuda::Driver>> driver = run::cuda::Driver::instance();
    if (!driver)
      return without(driver.reason());
    Result<std::unique_ptr<run::CudaDevice>> device = run::CudaDevice::open(*driver, 0);
    if (!device)
      return without(device.reason());
    if ((*device)->info().target() != options.gpu)
      return without({"Gpu", cat("GPU 0 is ", (*device)->info().target(), ", but the code is for ",
                                 options.gpu)});
    Result<run::CudaDevice::Assembled> made = (*device)->assemble(
        ptx, {.optimizationLevel = options.level, .lineInfo = compile.lowering.lineInfo});
    if (!made)
      return Reason{
          "Ptxas", cat("the driver refuses the code for ", compile.arch, ": ", made.reason().text)};
    Result<ptx::Cubin> cubin = ptx::wholeCubin(ptx, made->cubin, made->log);
    if (!cubin)
      return Reason{"PtxasEnded",
                    cat("the driver said that it was successful, but gave no usable cubin: ",
                        cubin.reason().text)};
    return cubin;
  }

  const Options &options;
  const Gpu &gpu;
  driver::CompileOptions compile;
  CompileCache cache;
  std::unique_ptr<llvm::MemoryBuffer> input;
};

/// Callers also write `-gpu-name sm_90` and `-o=FILE`, as LLVM's programs take them.
std::vector<std::string> wordsOf(const CLI::App &app, llvm::ArrayRef<char *> arguments) {
  std::vector<std::string> out(arguments.begin(), arguments.end());
  for (std::string &word : llvm::drop_begin(out)) {
    llvm::StringRef name = llvm::StringRef(word).split('=').first;
    if (name.size() > 2 && name[0] == '-' && name[1] != '-') {
      if (app.get_option_no_throw(cat("-", name.str())))
        word.insert(0, "-");
    } else if (name.size() == 2 && name != "--" && word.size() > 3 &&
               app.get_option_no_throw(name.str())) {
      word.erase(2, 1);
    }
  }
  return out;
}

int answer(const Options &options) {
  const Gpu *gpu = std::find_if(std::begin(gpus), std::end(gpus),
                                [&](const Gpu &row) { return row.name == options.gpu; });
  if (gpu == std::end(gpus)) {
    std::string known;
    for (const Gpu &row : gpus)
      known += cat(known.empty() ? "" : ", ", row.name);
    return fail(cat("expects --gpu-name to be one of ", known, ", but got '", options.gpu, "'"));
  }
  if (Status written = differ({{"-o", options.output}, {"--remarks-output-file", options.remarks}});
      !written)
    return fail(written.reason());
  std::unique_ptr<llvm::MemoryBuffer> input = readInput(options.input);
  if (!input)
    return BadInput;
  llvm::StringRef file = input->getBuffer();
  auto program = tile_bytecode::read(std::as_bytes(std::span(file.data(), file.size())));
  if (!program)
    return fail(program.reason());
  // A caller that asks whether a version of bytecode is read sends a program without kernels.
  bool isProbe = program->functions.empty();
  if (!isProbe && gpu->target.empty())
    return fail(cat("cannot compile for ", gpu->name, ", as LLVM 22 does not know it"));
  Made made;
  if (!isProbe) {
    Result<Made> compiled = Compilation(options, *gpu, std::move(input)).made();
    if (!compiled)
      return fail(compiled.reason());
    made = *std::move(compiled);
  }
  if (!options.remarks.empty())
    if (int code = writeFile(options.remarks, made.remarks))
      return code;
  return writeFile(options.output, made.content);
}

} // namespace

int tessera::cli::tileiras(int argc, char **argv, const char *version) {
  Options options;
  CLI::App app("Compiles a tile program to a cubin.");
  app.set_version_flag("--version", versionText(version), "print the version, and exit");
  app.add_flag_callback(
      "--list-versions",
      [] {
        llvm::outs() << versionsText();
        throw CLI::Success();
      },
      "print the versions of bytecode that are read, one a line, and exit");
  app.add_option("FILE", options.input, "bytecode of a tile program")->required();
  app.add_option("-o", options.output, "file to write")->required();
  app.add_option("--gpu-name", options.gpu, "the GPU, such as sm_90")->required();
  app.add_option("-O,--opt-level", options.level, "optimisation level of LLVM")
      ->check(CLI::Range(0, 3))
      ->capture_default_str();
  app.add_flag("--lineinfo", options.lineInfo, "say which lines of the source the code comes from");
  app.add_flag("--device-debug", options.deviceDebug, "the same");
  app.add_option("--remark-format", options.remarkFormat, "the format of remarks")
      ->check(CLI::IsMember({"yaml"}));
  app.add_option("--remarks", options.remarkFilter, "which remarks are written");
  app.add_option("--remarks-output-file", options.remarks, "where remarks are written");
  app.add_option(
         "--emit", options.emit,
         "what to write: cubin, ptx, cute (the kernels as MLIR before they are lowered), or "
         "report (what each load, product and tile became)")
      ->check(CLI::IsMember({"cubin", "ptx", "cute", "report"}))
      ->capture_default_str();
  app.add_option(
      "--libdevice", options.libdevice,
      "NVIDIA's functions (sin, log, ...) as bitcode, for the bits that torch has too, or "
      "none; default: $TESSERA_LIBDEVICE, else the toolkit's that ptxas is of, if any");
  addTimeout(app);
  addCacheOptions(app, options.cache);
  int exit = Right;
  return read(app, wordsOf(app, {argv, size_t(argc)}), exit) ? answer(options) : exit;
}
