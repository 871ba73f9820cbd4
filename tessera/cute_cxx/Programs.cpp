// From a C++ function to code for the device and for the host.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_cxx/Programs.h"

#include "tessera/cute_cxx/KernelMemory.h"
#include "tessera/cute_cxx/Node.h"
#include "tessera/jit/Packing.h"
#include "tessera/lower/LoweredTypes.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/raw_ostream.h"

using namespace tessera;

namespace tessera::cute {

//===--- what a program depends on ------------------------------------------------------------===//

namespace {
constexpr int64_t aligned = 16; // bytes: what the widest copies of a thread need

/// The mode whose stride is 1 in all programs of a key: the last of several.
int contiguousMode(const detail::Argument &a) {
  for (size_t i = a.strides.size(); i-- > 0;)
    if (a.strides[i] == 1)
      return int(i);
  return -1;
}
/// "(?,?):(?{i64 div=8},1)": shapes are dynamic, strides as far as they are multiples of 16 bytes.
std::string layoutText(const detail::Argument &a) {
  int64_t bytes = std::max(1, number::bufferBits(a.format) / 8), elements = aligned / bytes;
  std::string shape, stride;
  int one = contiguousMode(a);
  for (size_t i = 0; i < a.shape.size(); ++i) {
    shape += cat(i ? "," : "", "?");
    bool divides = elements > 1 && a.strides[i] % elements == 0;
    stride += cat(i ? "," : "", int(i) == one ? std::string("1")
                                : divides     ? cat("?{i64 div=", elements, "}")
                                              : std::string("?{i64}"));
  }
  return a.shape.size() == 1 ? cat(shape, ":", stride) : cat("(", shape, "):(", stride, ")");
}
bool isAligned(const detail::Argument &a) {
  return reinterpret_cast<uintptr_t>(a.data) % aligned == 0;
}
} // namespace

std::string keyOf(std::span<const detail::Argument> arguments) {
  std::string key;
  for (const detail::Argument &a : arguments)
    key += cat(number::ourName(a.format), a.data ? layoutText(a) : "", ";");
  return key;
}

//===--- tracing ------------------------------------------------------------------------------===//

/// The host function that is traced: its stream, and the kernels that it launches.
struct HostFunction {
  std::string name;
  dsl::Stream stream;
  int kernels = 0;
};
static thread_local HostFunction *hostOfThread = nullptr;

void detail::launch(const LaunchConfig &config, const std::vector<Value *> &values,
                    const std::function<void()> &body) {
  Place at = config.at;
  if (!hostOfThread)
    return mistake("launch",
                   "expects a host function that is traced: kernels do not launch kernels", at);
  if (config.block < 1)
    return mistake("launch", cat("expects at least one thread in a block, but got ", config.block),
                   at);
  HostFunction &host = *hostOfThread;
  std::string name =
      config.name ? config.name : cat(host.name, "_kernel", host.kernels ? cat(host.kernels) : "");
  ++host.kernels;
  std::vector<std::vector<dsl::Handle>> own;
  std::vector<dsl::Handle *> passed;
  for (Value *value : values) {
    own.push_back(value->is_set() ? handlesOf(*value) : std::vector<dsl::Handle>());
    if (!value->is_set())
      mistake("launch", "expects values that are set, but got one that was declared only", at);
  }
  std::vector<mlir::Type> types;
  for (std::vector<dsl::Handle> &handles : own)
    for (dsl::Handle &handle : handles)
      if (handle.ir()) {
        passed.push_back(&handle);
        types.push_back(handle.ir().getType());
      }
  // What the host passes, before the body makes other values of the handles.
  std::vector<dsl::Handle> given;
  for (dsl::Handle *handle : passed)
    given.push_back(*handle);
  int64_t bytes = 0;
  hostOfThread = nullptr;
  dsl::kernel(
      name, config.block, types,
      [&](dsl::Arguments arguments) {
        KernelMemory memory(dsl::Context::current()->builder().getInsertionBlock());
        for (size_t i = 0; i < passed.size(); ++i)
          passed[i]->rebind(arguments.pointer(i).ir());
        for (size_t i = 0; i < values.size(); ++i)
          rebind(*values[i], own[i]);
        body();
        bytes = memory.bytes();
      },
      at);
  hostOfThread = &host;
  auto extent = [&](const IntTuple &n) { return number(Num(n, at), at); };
  dsl::LaunchConfig how{.gridX = extent(config.grid.x),
                        .gridY = extent(config.grid.y),
                        .gridZ = extent(config.grid.z),
                        .threads = config.block,
                        .smemBytes = bytes,
                        .clusterX = config.cluster_x,
                        .clusterY = config.cluster_y};
  dsl::launch(name, how, host.stream, given, at);
}
void host_check(const Num &condition, const char *otherwise, Place at) {
  dsl::check(number(condition, at), otherwise, at);
}

namespace {
mlir::Type parameterType(const detail::Argument &a, mlir::MLIRContext *context) {
  dsl::Element element(a.format);
  return a.data ? dsl::tensor_type(element, dsl::Layout(layoutText(a)), dsl::Space::Global, aligned)
                : element.type(context);
}
/// A diagnostic of MLIR with the author's line, which is the first that its location has.
Diagnostic diagnosticOf(mlir::Diagnostic &said) {
  Diagnostic out{.id = "Kernel", .text = said.str()};
  for (mlir::Diagnostic &note : said.getNotes())
    out.text += "; " + note.str();
  said.getLocation()->walk([&](mlir::Location part) {
    auto file = mlir::dyn_cast<mlir::FileLineColLoc>(part);
    if (!file)
      return mlir::WalkResult::advance();
    out.file = file.getFilename().str();
    out.line = file.getLine();
    out.column = file.getColumn();
    return mlir::WalkResult::interrupt();
  });
  return out;
}
} // namespace

/// The module of a host function; null after mistakes, which are diagnostics of the context.
static mlir::OwningOpRef<mlir::ModuleOp> trace(TracedProgram &program, const atom::Target &target,
                                               const detail::KernelCore::Body &body,
                                               std::span<const detail::Argument> arguments) {
  dsl::Context context(&program.compiler.context(), target);
  std::vector<mlir::Type> types;
  for (const detail::Argument &a : arguments)
    types.push_back(parameterType(a, &program.compiler.context()));
  dsl::host(program.name, types, [&](dsl::Arguments given, dsl::Stream stream) {
    std::vector<Value> values;
    for (size_t i = 0; i < arguments.size(); ++i)
      values.push_back(arguments[i].data ? Value(tensorFrom(given.tensor(i))) : num(given.num(i)));
    HostFunction host{program.name, stream};
    HostFunction *before = std::exchange(hostOfThread, &host);
    body(values);
    hostOfThread = before;
    if (!host.kernels && context.mistakes().empty())
      context.mistake(Place::current(),
                      cat("host function '", program.name, "' launches no kernel"));
  });
  lower::LoweredTypes lowered(&program.compiler.context());
  for (mlir::Type type : types)
    program.parameters.push_back(
        type ? jit::packingOf(lowered.convertType(type)).value_or(run::Packing()) : run::Packing());
  return context.finish();
}

std::unique_ptr<TracedProgram> traced(const std::string &name, const std::string &arch,
                                      const detail::KernelCore::Body &body,
                                      std::span<const detail::Argument> arguments) {
  auto program = std::make_unique<TracedProgram>(name);
  auto wrong = [&](std::string text) {
    program->diagnostics.push_back({.id = "Kernel", .text = std::move(text)});
    return std::move(program);
  };
  Result<atom::Target> target = atom::Target::parse(arch);
  if (!target)
    return wrong(target.reason().text);
  for (const detail::Argument &a : arguments)
    if (a.data && !isAligned(a))
      return wrong(cat("expects arrays at multiples of ", aligned, " bytes"));
  mlir::ScopedDiagnosticHandler handler(&program->compiler.context(), [&](mlir::Diagnostic &said) {
    if (said.getSeverity() == mlir::DiagnosticSeverity::Error)
      program->diagnostics.push_back(diagnosticOf(said));
    return mlir::success();
  });
  mlir::OwningOpRef<mlir::ModuleOp> module = trace(*program, *target, body, arguments);
  if (!module)
    return program->diagnostics.empty() ? wrong("the program is refused") : std::move(program);
  mlir::OpPrintingFlags flags;
  flags.useLocalScope().printNameLocAsPrefix();
  llvm::raw_string_ostream text(program->ir);
  module->print(text, flags);
  driver::CompileOptions options{.arch = arch};
  if (!program->compiler.lower(*module, options))
    return program->diagnostics.empty() ? wrong("the program is refused") : std::move(program);
  Result<std::vector<driver::DeviceCode>> code = program->compiler.translate(*module, options);
  if (!code)
    return wrong(code.reason().text);
  Result<jit::HostCode> host = jit::HostCode::compile(*module);
  if (!host)
    return wrong(host.reason().text);
  program->code = *std::move(code);
  program->host.emplace(*std::move(host));
  return program;
}

} // namespace tessera::cute
