// Objects of kernels: device code as data, host code, and runtime.c as assembly.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/aot/Export.h"

#include "tessera/aot/Errors.h"
#include "tessera/aot/Function.h"
#include "tessera/atom/Target.h"
#include "tessera/jit/HostModule.h"
#include "tessera/jit/Parameters.h"
#include "tessera/ptx/Fatal.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

#include <mutex>

namespace tessera::aot {

namespace {

constexpr char runtime[] =
#include "tessera/aot/Runtime.inc"
    ;

/// Any x86-64 of the System V ABI.
constexpr char hostTriple[] = "x86_64-unknown-linux-gnu", hostCpu[] = "x86-64";

struct Image {
  std::string module, code;
  int32_t major, minor;
  bool isPtx, isExact;
};

std::unique_ptr<llvm::TargetMachine> hostTarget() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmParser(); // of the runtime
    LLVMInitializeX86AsmPrinter();
  });
  llvm::Triple triple(hostTriple);
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(triple, hostCpu, "", llvm::TargetOptions(), llvm::Reloc::PIC_));
}

bool isName(llvm::StringRef text) {
  return !text.empty() && !llvm::isDigit(text[0]) &&
         llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

/// The images as data that runtime.c reads.
void addImages(const std::vector<Image> &images, llvm::Module &module) {
  llvm::IRBuilder<> b(module.getContext());
  auto data = [&](llvm::StringRef bytes) {
    llvm::Constant *content = llvm::ConstantDataArray::getString(module.getContext(), bytes);
    auto *global =
        new llvm::GlobalVariable(module, content->getType(), true,
                                 llvm::GlobalValue::InternalLinkage, content, "tessera_aot_data");
    global->setAlignment(llvm::Align(64));
    return global;
  };
  auto *row = llvm::StructType::get(b.getPtrTy(), b.getPtrTy(), b.getInt32Ty(), b.getInt32Ty(),
                                    b.getInt32Ty(), b.getInt32Ty());
  std::vector<llvm::Constant *> rows;
  for (const Image &image : images)
    rows.push_back(llvm::ConstantStruct::get(
        row,
        {data(image.module), data(image.code), b.getInt32(uint32_t(image.major)),
         b.getInt32(uint32_t(image.minor)), b.getInt32(image.isPtx), b.getInt32(image.isExact)}));
  auto *table = llvm::ArrayType::get(row, rows.size());
  auto keep = [&](llvm::Constant *content, const char *name) {
    auto *global = new llvm::GlobalVariable(module, content->getType(), true,
                                            llvm::GlobalValue::InternalLinkage, content, name);
    llvm::appendToCompilerUsed(module, {global}); // the assembly's use is not seen
  };
  keep(llvm::ConstantArray::get(table, rows), "tessera_aot_images");
  keep(b.getInt32(uint32_t(rows.size())), "tessera_aot_image_count");
}

Result<std::string> objectOf(llvm::Module &module, llvm::TargetMachine &machine) {
  std::string reports; // as of inline assembly
  jit::keepErrors(module.getContext(), reports);
  llvm::SmallString<0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile))
    return fail(Error::ExportCode, "LLVM has no code generator for this host");
  std::optional<std::string> fatal = ptx::fatalErrorOf([&] { passes.run(module); });
  if (fatal || !reports.empty())
    return fail(Error::ExportCode, reports + fatal.value_or(""));
  return bytes.str().str();
}

} // namespace

struct Exporter::State {
  std::string name, file;
  std::vector<Function> functions;
  std::vector<Image> images;
  std::unique_ptr<llvm::TargetMachine> machine = hostTarget();
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> host;

  Status findFunctions(mlir::ModuleOp);
  Status addCode(driver::Compiler &, mlir::ModuleOp, const driver::CompileOptions &);
};

Exporter::Exporter(std::string name, std::string file) : state(std::make_unique<State>()) {
  state->name = std::move(name);
  state->file = std::move(file);
}
Exporter::~Exporter() = default;

Status Exporter::State::findFunctions(mlir::ModuleOp module) {
  if (!isName(name))
    return fail(Error::ExportName, name);
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    if (function.isExternal())
      continue;
    Function &out = functions.emplace_back();
    out.host = function.getSymName().str();
    out.parameters = jit::parametersOf(function.getArgumentTypes());
    for (size_t i = 0; i < out.parameters.size(); ++i)
      if (out.parameters[i].kind == run::Parameter::Kind::Refused)
        return fail(Error::ExportParameter, i, out.host, out.parameters[i].type);
  }
  if (functions.empty())
    return fail(Error::NoHostFunction, file);
  for (Function &function : functions)
    function.name = functions.size() == 1 ? name : cat(name, "_", function.host);
  for (Function &function : functions)
    if (!isName(function.name) || function.name == name + "_message") // which the object has
      return fail(Error::ExportName, function.name);
  return Done{};
}

Status Exporter::State::addCode(driver::Compiler &compiler, mlir::ModuleOp lowered,
                                const driver::CompileOptions &options) {
  TESSERA_TRY(atom::Target target, atom::Target::parse(options.arch));
  bool isExact = llvm::isAlpha(options.arch.back());
  auto add = [&](ptx::Until until) -> Status {
    TESSERA_TRY(std::vector<driver::DeviceCode> codes, compiler.translate(lowered, options, until));
    for (driver::DeviceCode &code : codes) {
      bool isPtx = until == ptx::Until::Ptx;
      std::string bytes =
          isPtx ? code.ptx : std::string(code.cubin.bytes.begin(), code.cubin.bytes.end());
      images.push_back({code.module, std::move(bytes), target.number() / 10, target.number() % 10,
                        isPtx, isExact});
    }
    return Done{};
  };
  if (!options.ptxas.empty())
    TESSERA_CHECK(add(ptx::Until::Cubin));
  return add(ptx::Until::Ptx);
}

Status Exporter::add(driver::Compiler &compiler, mlir::ModuleOp module,
                     const driver::CompileOptions &options) {
  if (!state->machine)
    return fail(Error::ExportCode, "this build of LLVM has no code for x86-64");
  bool isFirst = !state->host;
  if (isFirst)
    TESSERA_CHECK(state->findFunctions(module));
  if (!compiler.lower(module, options))
    return Reason{"Said", ""};
  if (isFirst) {
    state->host = jit::hostModule(module, state->machine->createDataLayout(),
                                  state->machine->getTargetTriple(), state->context);
    if (!state->host)
      return Reason{"Said", ""};
  }
  return state->addCode(compiler, module, options);
}

Result<Exported> Exporter::finish() {
  llvm::Module &module = *state->host;
  for (llvm::Function &function : module)
    if (!function.isDeclaration()) { // nothing but what is exported has a name outside
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
    }
  for (llvm::StringRef name : {"puts", "abort"}) // of assertions
    if (llvm::Function *called = module.getFunction(name))
      called->setName("tessera_aot_" + name);
  for (Function &function : state->functions) {
    llvm::Function *host = module.getFunction(function.host);
    host->setName("tessera_host_" + function.name);
    function.host = host->getName().str();
    define(function, module);
    defineForTvm(function, module);
  }
  defineMessage(state->name + "_message", module);
  addImages(state->images, module);
  module.appendModuleInlineAsm(runtime);
  TESSERA_TRY(std::string object, objectOf(module, *state->machine));
  return Exported{std::move(object), headerOf(state->functions, state->name, state->file)};
}

} // namespace tessera::aot
