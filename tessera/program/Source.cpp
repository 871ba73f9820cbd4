// Files compiled for a device, or found in the cache.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/program/Source.h"

#include "tessera/cache/Folder.h"
#include "tessera/cache/Store.h"
#include "tessera/cuda/Cuda.h"
#include "tessera/cuda_tile/CudaTile.h"
#include "tessera/jit/Parameters.h"
#include "tessera/program/Code.h"
#include "tessera/program/Errors.h"
#include "tessera/program/LaunchOnly.h"
#include "tessera/program/Parameters.h"
#include "tessera/program/ShownErrors.h"
#include "tessera/program/Worker.h"
#include "tessera/ptx_text/Parser.h"
#include "tessera/run/ModuleImage.h"
#include "tessera/tile_bytecode/Reader.h"
#include "tessera/tile_bytecode/Writer.h"
#include "tessera/tile_io/TileIo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace tessera::program {

std::string archOf(const run::DeviceInfo &gpu) {
  return gpu.target() + (gpu.computeMajor >= 9 ? "a" : "");
}

namespace {

constexpr char defaultArch[] = "sm_90a"; // of the simulator, which runs any

/// Keeps the diagnostics of a file, with its lines.
class Handler final : public SourceMgrDiagnosticHandler {
public:
  Handler(llvm::SourceMgr &source, MLIRContext *context, llvm::raw_ostream &to)
      : SourceMgrDiagnosticHandler(source, context, to) {
    setHandler([this, &source, &to](Diagnostic &diagnostic) {
      if (errors.shows(diagnostic) && !printWithoutPlace(source, diagnostic, to, false))
        emitDiagnostic(diagnostic);
    });
  }
  ShownErrors errors;
};

/// A module that is being compiled, and what its diagnostics say.
struct Session {
  Session(const std::string &content, const std::string &name, import::Reading how)
      : stream(said), handler(source, &compiler.context(), stream) {
    source.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(content, name), llvm::SMLoc());
    module = compiler.read(source, how);
  }
  Reason refused() const {
    std::string more;
    if (unsigned left = handler.errors.left())
      more = cat("and ", left, " more errors");
    return fail(Error::CompileFailed, said.empty() ? "the file does not compile" : said + more);
  }

  std::string said;
  llvm::raw_string_ostream stream;
  driver::Compiler compiler;
  llvm::SourceMgr source;
  Handler handler;
  OwningOpRef<ModuleOp> module;
};

Result<import::Reading> readingOf(const LoadOptions &options) {
  import::Reading how{.edited = options.reinfer};
  if (!options.inputVersion.empty() && !(how.version = import::versionNamed(options.inputVersion)))
    return fail(Error::InputVersion, options.inputVersion);
  return how;
}

/// The name of a parameter where the file has one: the location of its value.
std::string nameOf(Value argument) {
  auto name = dyn_cast<NameLoc>(argument.getLoc());
  return name ? name.getName().str() : "";
}

Callable callableOf(FunctionOpInterface function, bool isHost, llvm::StringRef module) {
  Callable callable{.isHost = isHost, .module = module.str(), .name = function.getName().str()};
  for (BlockArgument argument : function.getArguments()) {
    run::Parameter parameter = jit::parameterOf(argument.getType());
    parameter.name = nameOf(argument);
    // Values without content are not parameters of a kernel.
    if (isHost || parameter.kind != run::Parameter::Kind::Nothing)
      callable.parameters.push_back(std::move(parameter));
  }
  return callable;
}

/// Host functions, then kernels, with their types from before lowering.
std::vector<Callable> callablesOf(ModuleOp module) {
  std::vector<Callable> callables;
  for (func::FuncOp function : jit::hostFunctions(module))
    callables.push_back(callableOf(function, true, ""));
  for (auto device : module.getOps<gpu::GPUModuleOp>())
    for (auto kernel : device.getOps<cuda::KernelOp>())
      callables.push_back(callableOf(kernel, false, device.getName()));
  return callables;
}

run::Dim3 extentsOf(Operation *op, llvm::StringRef attribute) {
  auto numbers = op->getAttrOfType<DenseI32ArrayAttr>(attribute);
  if (!numbers || numbers.empty())
    return {0, 0, 0};
  run::Dim3 extents{numbers[0], numbers.size() > 1 ? numbers[1] : 1,
                    numbers.size() > 2 ? numbers[2] : 1};
  return extents;
}

/// The decisions of lowering for kernels.
void addBlocks(ModuleOp lowered, std::vector<Callable> &callables) {
  for (auto device : lowered.getOps<gpu::GPUModuleOp>())
    for (auto function : device.getOps<LLVM::LLVMFuncOp>())
      for (Callable &callable : callables)
        if (!callable.isHost && callable.name == function.getName()) {
          callable.block = extentsOf(function, "nvvm.reqntid");
          callable.cluster = extentsOf(function, "nvvm.cluster_dim");
        }
}

/// The first tile program of a module, as bytecode and kernels; nothing without one.
Result<bool> takeTiles(Session &session, Compiled &out) {
  auto tiles = session.module->getOps<cuda_tile::TileModuleOp>();
  if (tiles.empty())
    return false;
  FailureOr<tile_bytecode::Program> program = tile_io::toProgram(*tiles.begin());
  if (failed(program))
    return session.refused();
  TESSERA_TRY(out.tiles, tile_bytecode::write(*program));
  out.callables = kernelsOf(*program);
  return true;
}

/// Leaves only the kernel of a tile program that `part` names.
Status leaveOnly(const std::string &part, Session &session, Compiled &out) {
  std::vector<std::string> names;
  for (const Callable &callable : out.callables)
    names.push_back(callable.name);
  TESSERA_TRY(size_t index, driver::chooseName(names, part, "kernel", "--entry"));
  for (auto tiles : session.module->getOps<cuda_tile::TileModuleOp>())
    for (auto entry : llvm::make_early_inc_range(tiles.getOps<cuda_tile::EntryOp>()))
      if (entry.getSymName() != names[index])
        entry.erase();
  out.callables = {std::move(out.callables[index])};
  return Done{};
}

class Compilation {
public:
  Compilation(const std::string &content, const std::string &name, Where where,
              const run::DeviceInfo *device, const LoadOptions &options)
      : content(content), name(name), where(where), device(device), options(options) {}

  Result<Source> run() {
    Result<run::ModuleImage> image = run::inspectImage(run::bytesOf(content));
    if (image)
      return ofImage(*image);
    // Bytecode is not text either.
    for (run::Error other : {run::Error::NotCode, run::Error::PtxNul})
      if (image.reason().id == run::errors[size_t(other)].id)
        return ofProgram();
    return image.reason();
  }

private:
  Result<Source> ofProgram() {
    auto bytes = run::bytesOf(content);
    if (where == Where::Interpreter && tile_bytecode::isTileBytecode(bytes)) {
      Result<tile_bytecode::Program> program = tile_bytecode::read(bytes);
      if (!program)
        return Reason{program.reason().id, cat(name, ": ", program.reason().text)};
      Source source;
      source.compiled.tiles = content;
      source.compiled.callables = kernelsOf(*program);
      return source;
    }
    return cached();
  }

  /// PTX and cubins are code already.
  Result<Source> ofImage(const run::ModuleImage &image) {
    if (where == Where::Interpreter)
      return fail(Error::InterpreterInput, name);
    Source source;
    source.compiled.images.push_back({"", content, ""});
    if (image.kind == run::ImageKind::Ptx) {
      TESSERA_TRY(source.compiled.callables, kernelsOf(content.substr(0, content.find('\0'))));
      TESSERA_TRY(ptx_text::Outline outline, ptx_text::outlineOf(content));
      source.compiled.arch = std::string(outline.target);
      return source;
    }
    for (const std::string &kernel : image.kernels)
      source.compiled.callables.push_back(Callable{.name = kernel});
    return source;
  }

  /// The target where neither the caller nor the file names one.
  std::string archOfDevice() const {
    if (where != Where::Gpu || !device)
      return defaultArch;
    return archOf(*device);
  }

  cache::KeyOf keyFor(const cache::Store &store) const {
    cache::KeyOf key("program");
    std::string ptxas = where == Where::Gpu ? ptx::findPtxas() : "";
    key.add("input", content).add("name", name).add("host", jit::hostMachine());
    key.add("arch", options.arch).add("device", archOfDevice()).add("where", int64_t(where));
    key.add("reinfer", options.reinfer).add("version", options.inputVersion);
    key.add("check layout assumptions", options.checkLayoutAssumptions);
    key.add("level", options.optLevel).add("no host code", options.noHostCode);
    key.add("kernel", options.kernel ? "one " + *options.kernel : "all");
    return key.add("ptxas", ptxas.empty() ? "" : ptx::identityOf(ptxas, &store));
  }

  Result<Source> cached() {
    const std::string folder = options.cacheFolder.value_or(cache::defaultFolder());
    cache::Store store(folder, options.cacheBytes);
    bool keeps = options.cacheFolder != "";
    Status trust = keeps ? store.trusted() : Status(Done{});
    keeps &= trust.ok();
    std::optional<cache::KeyOf> key;
    if (keeps) {
      key = keyFor(store);
      std::optional<std::string> record = store.find(key->key());
      if (std::optional<Compiled> known = record ? unpack(*record) : std::nullopt)
        if (Result<Source> source = withHost(*std::move(known)))
          return source;
    }
    if (options.compileTimeout > 0) // the process that compiles keeps it too
      return byWorker(folder);
    TESSERA_TRY(Source source, compiled(keeps ? &store : nullptr));
    if (!trust)
      source.compiled.said +=
          cat("warning: compiling without the cache: ", trust.reason().text, "\n");
    if (keeps) // what cannot be kept is compiled again
      (void)store.put(key->key(), pack(source.compiled));
    return source;
  }

  /// With the code of its host functions, which this process can call.
  static Result<Source> withHost(Compiled compiled) {
    Source source{std::move(compiled), std::nullopt};
    if (source.compiled.host.empty())
      return source;
    std::optional<jit::HostImage> image = jit::HostImage::from(source.compiled.host);
    if (!image)
      return Reason{"Image", "host code that is not from this build"};
    TESSERA_TRY(source.host, jit::HostCode::load(*image));
    return source;
  }

  Result<Source> byWorker(const std::string &cacheFolder) const {
    Request request{.content = content,
                    .name = name,
                    .where = where,
                    .cacheFolder = cacheFolder,
                    .options = options};
    if (device)
      request.devices.push_back(*device);
    TESSERA_TRY(Compiled compiled, compiledByWorker(request, options.compileTimeout));
    return withHost(std::move(compiled));
  }

  Result<Source> compiled(const cache::Store *store) {
    TESSERA_TRY(import::Reading how, readingOf(options));
    Session session(content, name, how);
    if (!session.module)
      return session.refused();
    Source source;
    Compiled &out = source.compiled;
    TESSERA_TRY(bool isTiles, takeTiles(session, out));
    if (isTiles && options.kernel)
      TESSERA_CHECK(leaveOnly(*options.kernel, session, out));
    if (where == Where::Interpreter)
      return isTiles ? Result<Source>(std::move(source)) : fail(Error::InterpreterInput, name);
    if (!isTiles) {
      out.callables = callablesOf(*session.module);
      if (options.noHostCode)
        if (std::optional<Reason> more = moreThanLaunches(*session.module))
          return *std::move(more);
    }
    out.arch = options.arch;
    if (out.arch.empty())
      out.arch = driver::Compiler::targetOf(*session.module).value_or(archOfDevice());
    TESSERA_TRY(driver::CompileOptions compile,
                compileFor(device, where == Where::Simulator, out.arch));
    compile.lowering.checkLayoutAssumptions = options.checkLayoutAssumptions;
    compile.optLevel = options.optLevel;
    compile.store = store;
    Result<Code> code = codeOf(session.compiler, *session.module, compile);
    // Errors of LLVM were reported with their places, like all of the compiler's errors.
    if (!code)
      return code.reason().text.empty() || code.reason().id == "Llvm" ? session.refused()
                                                                      : code.reason();
    addBlocks(*session.module, out.callables);
    out.images = std::move(code->images);
    out.said = session.said;
    if (llvm::any_of(out.callables, [](const Callable &c) { return c.isHost; })) {
      out.host = code->host.image().parts();
      source.host = std::move(code->host);
    }
    return source;
  }

  const std::string &content, &name;
  Where where;
  const run::DeviceInfo *device;
  const LoadOptions &options;
};

} // namespace

Result<Source> sourceOf(const std::string &content, const std::string &name, Where where,
                        const run::DeviceInfo *device, const LoadOptions &options) {
  if (!(options.compileTimeout >= 0))
    return fail(Error::CompileTimeout, options.compileTimeout);
  TESSERA_TRY(Source source, Compilation(content, name, where, device, options).run());
  if (source.compiled.callables.empty())
    return fail(Error::NothingToCall, name);
  return source;
}

Result<std::string> printedIr(const std::string &content, const std::string &name,
                              const LoadOptions &options) {
  if (run::inspectImage(run::bytesOf(content)))
    return fail(Error::CodeIsNoIr, name);
  TESSERA_TRY(import::Reading how, readingOf(options));
  Session session(content, name, how);
  if (!session.module)
    return session.refused();
  std::string text;
  llvm::raw_string_ostream stream(text);
  session.module->print(stream);
  stream << "\n";
  return text;
}

} // namespace tessera::program
