// From a C++ function to code for the device and for the host.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_cxx/Programs.h"

#include "tessera/cute_cxx/KernelMemory.h"
#include "tessera/cute_cxx/Node.h"
#include "tessera/jit/Packing.h"
#include "tessera/lower/LoweredTypes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/raw_ostream.h"

#include <numeric>

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
/// "(?,?):(?{i64 div=8},1)": shapes are dynamic, strides as far as they are multiples of 2, 4, ...
/// elements, up to 16 bytes.
std::string layoutText(const detail::Argument &a) {
  int64_t elements = aligned * 8 / std::max(1, elementBits(a.format));
  std::string shape, stride;
  int one = contiguousMode(a);
  for (size_t i = 0; i < a.shape.size(); ++i) {
    shape += cat(i ? "," : "", "?");
    int64_t divisor = std::gcd(a.strides[i], elements);
    stride += cat(i ? "," : "", int(i) == one ? std::string("1")
                                : divisor > 1 ? cat("?{i64 div=", divisor, "}")
                                              : std::string("?{i64}"));
  }
  return a.shape.size() == 1 ? cat(shape, ":", stride) : cat("(", shape, "):(", stride, ")");
}
bool isAligned(const detail::Argument &a) {
  return reinterpret_cast<uintptr_t>(a.data) % aligned == 0;
}
} // namespace

std::vector<Diagnostic> wrongArguments(std::span<const detail::Argument> arguments,
                                       const std::vector<bool> &arrays) {
  std::vector<Diagnostic> out;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const detail::Argument &a = arguments[i];
    auto refuse = [&](const std::string &why) {
      out.push_back({.id = "Argument", .text = cat("argument ", i + 1, ": ", why)});
    };
    if (a.isArray != arrays[i])
      refuse(a.isArray ? "the parameter is a Num and takes a number, but got an array"
                       : "the parameter is a Tensor and takes an array, but got a number");
    if (!a.isArray)
      continue;
    if (a.format == Format::b1) {
      refuse(
          "memory has no booleans of one bit: pass an array of uint8_t, and compare its elements "
          "with 0");
      continue;
    }
    constexpr int64_t mostExtent = (int64_t(1) << 31) - 1, mostBytes = int64_t(1) << 47;
    int64_t last = 0, most = mostBytes * 8 / std::max(1, elementBits(a.format));
    bool isEmpty = false, isWrong = false, isTooLarge = false;
    for (size_t d = 0; d < a.shape.size(); ++d) {
      if (a.shape[d] < 0 || a.shape[d] > mostExtent || a.strides[d] < 0) {
        refuse(cat("expects extents from 0 to ", mostExtent, " and strides from 0, but mode ", d,
                   " has ", a.shape[d], ":", a.strides[d]));
        isWrong = true;
      }
      isEmpty = isEmpty || a.shape[d] == 0;
      int64_t reach = 0;
      isTooLarge = isTooLarge || __builtin_mul_overflow(a.shape[d] - 1, a.strides[d], &reach) ||
                   __builtin_add_overflow(last, reach, &last) || last >= most;
    }
    if (isWrong || isEmpty)
      continue;
    if (isTooLarge)
      refuse(cat("expects at most ", mostBytes, " bytes from the first to the last element"));
    else if (!a.data)
      refuse("expects the address of an array, but got a null pointer");
    else if (!isAligned(a))
      refuse(cat("expects an array at a multiple of ", aligned, " bytes"));
  }
  return out;
}

int bitsOfElement(const detail::Argument &a) { return elementBits(a.format); }
std::string keyOf(std::span<const detail::Argument> arguments) {
  std::string key;
  for (const detail::Argument &a : arguments)
    key += cat(number::ourName(a.format), a.isArray ? layoutText(a) : "", ";");
  return key;
}

//===--- tracing ------------------------------------------------------------------------------===//

/// The host function that is traced: its stream, and the kernels that it launches.
struct HostFunction {
  std::string name;
  dsl::Stream stream;
  std::map<std::string, Place> *launches;
  int kernels = 0;
};
static thread_local HostFunction *hostOfThread = nullptr;
namespace {
/// Sets the host function of the thread, or none, for a scope, also if an exception ends it.
class HostOfThread {
public:
  explicit HostOfThread(HostFunction *host) : before(std::exchange(hostOfThread, host)) {}
  HostOfThread(const HostOfThread &) = delete;
  ~HostOfThread() { hostOfThread = before; }

private:
  HostFunction *before;
};
/// Whether PTX may have a kernel of this name.
bool isName(std::string_view name) {
  auto isLetter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  auto isPart = [&](char c) { return isLetter(c) || (c >= '0' && c <= '9'); };
  return !name.empty() && isLetter(name[0]) && std::all_of(name.begin(), name.end(), isPart);
}
std::string nameSentence(std::string_view name) {
  return cat(
      "expects the name of a kernel to be letters, digits and _, the first one no digit, but "
      "got '",
      name, "'");
}
} // namespace

/// The threads of a block; none after a mistake.
static std::optional<dsl::BlockShape> threadsOf(const Dim3 &block, Place at) {
  int64_t extents[3];
  const IntTuple *axes[] = {&block.x, &block.y, &block.z};
  for (int i = 0; i < 3; ++i) {
    Num extent(*axes[i], at);
    const Static *known = staticOf(extent);
    if (!known) {
      if (!extent.is_poisoned())
        mistake("launch",
                cat("expects a block of threads that C++ knows while it traces, but along ",
                    "xyz"[i],
                    " it is known at the launch only; the grid may follow from the arguments"),
                at);
      return std::nullopt;
    }
    extents[i] = known->number;
    if (extents[i] < 1) {
      mistake("launch", cat("expects at least one thread in a block, but got ", extents[i]), at);
      return std::nullopt;
    }
  }
  return dsl::BlockShape(extents[0], extents[1], extents[2]);
}

void detail::launch(const LaunchConfig &config, const std::vector<Value *> &values,
                    const std::function<void()> &body) {
  Place at = config.at;
  if (!hostOfThread)
    return mistake("launch",
                   "expects a host function that is traced: kernels do not launch kernels", at);
  std::optional<dsl::BlockShape> block = threadsOf(config.block, at);
  if (!block)
    return;
  HostFunction &host = *hostOfThread;
  std::string name =
      config.name ? config.name : cat(host.name, "_kernel", host.kernels ? cat(host.kernels) : "");
  ++host.kernels;
  if (!isName(name))
    return mistake("launch", nameSentence(name), at);
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
  // The values that the host passes, taken before the body changes the handles.
  std::vector<dsl::Handle> given;
  for (dsl::Handle *handle : passed)
    given.push_back(*handle);
  int64_t bytes = 0;
  dsl::kernel(
      name, *block, types,
      [&](dsl::Arguments arguments) {
        HostOfThread none(nullptr);
        KernelMemory memory(dsl::Context::current()->builder().getInsertionBlock(), *block);
        for (size_t i = 0; i < passed.size(); ++i)
          passed[i]->rebind(arguments.pointer(i).ir());
        for (size_t i = 0; i < values.size(); ++i)
          rebind(*values[i], own[i]);
        body();
        bytes = memory.bytes();
      },
      at);
  auto extent = [&](const IntTuple &n) { return number(Num(n, at), at); };
  dsl::LaunchConfig how{.gridX = extent(config.grid.x),
                        .gridY = extent(config.grid.y),
                        .gridZ = extent(config.grid.z),
                        .threads = *block,
                        .smemBytes = bytes,
                        .clusterX = config.cluster_x,
                        .clusterY = config.cluster_y};
  host.launches->emplace(name, at);
  dsl::launch(name, how, host.stream, given, at);
}
void host_check(const Num &condition, const char *otherwise, Place at) {
  dsl::check(number(condition, at), otherwise, at);
}

namespace {
mlir::Type parameterType(const detail::Argument &a, mlir::MLIRContext *context) {
  dsl::Element element(a.format);
  return a.isArray ? dsl::tensor_type(element, dsl::Layout(layoutText(a)), dsl::AddressSpace::Gmem,
                                      aligned)
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

/// A mistake that a C++ loop repeats is reported once.
static void addOnce(std::vector<Diagnostic> &diagnostics, Diagnostic d) {
  if (std::none_of(diagnostics.begin(), diagnostics.end(),
                   [&](const Diagnostic &other) { return other.str() == d.str(); }))
    diagnostics.push_back(std::move(d));
}

/// Whether a host function does nothing that only a kernel can: touch memory of the device, or ask
/// for its threads. Each operation that does is an error at its line.
static bool staysOnTheHost(mlir::ModuleOp module) {
  bool stays = true;
  for (auto function : module.getOps<mlir::func::FuncOp>())
    function.walk([&](mlir::Operation *op) {
      llvm::StringRef name = op->getName().getStringRef(),
                      dialect = op->getDialect()->getNamespace();
      bool isCute = (dialect == "cute" || dialect == "cute_nvgpu") && !name.contains("print");
      if (dialect != "nvvm" && (!isCute || mlir::isMemoryEffectFree(op)))
        return;
      stays = false;
      op->emitError() << "host function: '" << name
                      << "' is for kernels: a host function computes with numbers and layouts, and "
                         "launches; elements of tensors and threads are on the device";
    });
  return stays;
}

/// The module of a host function; null after mistakes, which are diagnostics of the context.
static mlir::OwningOpRef<mlir::ModuleOp> trace(TracedProgram &program, const atom::Target &target,
                                               const detail::KernelCore::Body &body,
                                               std::span<const detail::Argument> arguments,
                                               Place at) {
  dsl::Context context(&program.compiler.context(), target);
  std::vector<mlir::Type> types;
  for (const detail::Argument &a : arguments)
    types.push_back(parameterType(a, &program.compiler.context()));
  dsl::host(program.name, types, [&](dsl::Arguments given, dsl::Stream stream) {
    std::vector<Value> values;
    for (size_t i = 0; i < arguments.size(); ++i)
      values.push_back(arguments[i].isArray ? Value(tensorFrom(given.tensor(i)))
                                            : num(given.num(i)));
    HostFunction host{program.name, stream, &program.launches};
    HostOfThread traced(&host);
    body(values);
    if (!host.kernels && context.mistakes().empty())
      context.mistake(at, cat("host function '", program.name, "' launches no kernel"));
  });
  lower::LoweredTypes lowered(&program.compiler.context());
  for (mlir::Type type : types)
    program.parameters.push_back(
        type ? jit::packingOf(lowered.convertType(type)).value_or(run::Packing()) : run::Packing());
  return context.finish();
}

std::unique_ptr<TracedProgram> traced(const std::string &name, const std::string &arch,
                                      const detail::KernelCore::Body &body,
                                      std::span<const detail::Argument> arguments, Place at) {
  auto program = std::make_unique<TracedProgram>(name);
  auto wrong = [&](std::string text) {
    program->diagnostics.push_back({.id = "Kernel", .text = std::move(text)});
    return std::move(program);
  };
  if (!isName(name)) {
    program->diagnostics.push_back(
        {"KernelName", nameSentence(name), at.file_name(), at.line(), at.column()});
    return program;
  }
  Result<atom::Target> target = atom::Target::parse(arch);
  if (!target)
    return wrong(target.reason().text);
  mlir::ScopedDiagnosticHandler handler(&program->compiler.context(), [&](mlir::Diagnostic &said) {
    if (said.getSeverity() == mlir::DiagnosticSeverity::Error)
      addOnce(program->diagnostics, diagnosticOf(said));
    return mlir::success();
  });
  mlir::OwningOpRef<mlir::ModuleOp> module = trace(*program, *target, body, arguments, at);
  if (!module || !staysOnTheHost(*module))
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
