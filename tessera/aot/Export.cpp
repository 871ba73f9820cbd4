// Objects of kernels: device code as data, host code, and runtime.c as assembly.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/aot/Export.h"

#include "tessera/aot/Errors.h"
#include "tessera/aot/Function.h"
#include "tessera/atom/Target.h"
#include "tessera/jit/HostModule.h"
#include "tessera/jit/Parameters.h"
#include "tessera/ptx/Fatal.h"
#include "tessera/tile_io/TileIo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

#include <array>
#include <list>
#include <mutex>

namespace tessera::aot {

namespace {

constexpr char runtime[] =
#include "tessera/aot/Runtime.inc"
    ;

/// Any x86-64 of the System V ABI.
constexpr char hostTriple[] = "x86_64-unknown-linux-gnu", hostCpu[] = "x86-64";

/// By the kernel's name, what it is compiled for.
using Blocks = std::vector<std::pair<std::string, std::array<uint32_t, 3>>>;

struct Image {
  std::string module, code;
  int32_t major, minor;
  bool isPtx, isExact;
  const Blocks *blocks; // of its kernels
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

Blocks blocksOf(mlir::ModuleOp lowered) {
  Blocks blocks;
  for (auto device : lowered.getOps<mlir::gpu::GPUModuleOp>())
    for (auto function : device.getOps<mlir::LLVM::LLVMFuncOp>())
      if (auto block = function->getAttrOfType<mlir::DenseI32ArrayAttr>("nvvm.reqntid")) {
        auto &[name, extents] =
            blocks.emplace_back(function.getSymName().str(), std::array<uint32_t, 3>{1, 1, 1});
        llvm::copy(block.asArrayRef(), extents.begin());
      }
  return blocks;
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
  llvm::Type *pointer = b.getPtrTy(), *number = b.getInt32Ty();
  auto *block = llvm::StructType::get(pointer, llvm::ArrayType::get(number, 3));
  auto blocksOf = [&](const Blocks &blocks) -> llvm::Constant * {
    std::vector<llvm::Constant *> rows;
    for (const auto &[kernel, extents] : blocks)
      rows.push_back(llvm::ConstantStruct::get(
          block, {data(kernel), llvm::ConstantDataArray::get(b.getContext(), extents)}));
    llvm::Constant *content =
        llvm::ConstantArray::get(llvm::ArrayType::get(block, rows.size()), rows);
    return new llvm::GlobalVariable(module, content->getType(), true,
                                    llvm::GlobalValue::InternalLinkage, content,
                                    "tessera_aot_data");
  };
  auto *row = llvm::StructType::get(
      b.getContext(), {pointer, pointer, number, number, number, number, number, pointer});
  std::vector<llvm::Constant *> rows;
  for (const Image &image : images)
    rows.push_back(llvm::ConstantStruct::get(
        row, {data(image.module), data(image.code), b.getInt32(uint32_t(image.major)),
              b.getInt32(uint32_t(image.minor)), b.getInt32(image.isPtx), b.getInt32(image.isExact),
              b.getInt32(uint32_t(image.blocks->size())), blocksOf(*image.blocks)}));
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
  std::list<Blocks> blocks; // one for each architecture
  std::unique_ptr<llvm::TargetMachine> machine = hostTarget();
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> host;

  Status findFunctions(mlir::ModuleOp);
  Status addEntries(cuda_tile::TileModuleOp);
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
  for (mlir::func::FuncOp function : jit::hostFunctions(module)) {
    Function &out = functions.emplace_back();
    out.host = function.getSymName().str();
    out.parameters = jit::parametersOf(function.getArgumentTypes());
    for (size_t i = 0; i < out.parameters.size(); ++i)
      if (out.parameters[i].kind == run::Parameter::Kind::Refused)
        return fail(Error::ExportParameter, i, out.host, out.parameters[i].type);
  }
  for (auto tiles : module.getOps<cuda_tile::TileModuleOp>())
    TESSERA_CHECK(addEntries(tiles));
  if (functions.empty())
    return fail(Error::NoHostFunction, file);
  for (Function &function : functions)
    function.name = functions.size() == 1 ? name : cat(name, "_", function.host);
  for (Function &function : functions)
    if (!isName(function.name) || function.name == name + "_message") // which the object has
      return fail(Error::ExportName, function.name);
  return Done{};
}

/// A function for each entry of a tile program, whose name has `_` where C takes nothing else.
Status Exporter::State::addEntries(cuda_tile::TileModuleOp tiles) {
  mlir::FailureOr<tile_bytecode::Program> program = tile_io::toProgram(tiles);
  if (mlir::failed(program))
    return Reason{"Said", ""};
  for (const tile_bytecode::Function &entry : program->functions) {
    if (!entry.isEntry)
      continue;
    TESSERA_TRY(Function function, functionOf(*program, entry));
    for (char &c : function.host)
      if (!isName(cat("_", std::string(1, c))))
        c = '_';
    const std::string wanted = function.host;
    auto isTaken = [&](const Function &other) { return other.host == function.host; };
    for (int i = 2; llvm::any_of(functions, isTaken); ++i)
      function.host = cat(wanted, "_", i);
    functions.push_back(std::move(function));
  }
  return Done{};
}

Status Exporter::State::addCode(driver::Compiler &compiler, mlir::ModuleOp lowered,
                                const driver::CompileOptions &options) {
  TESSERA_TRY(atom::Target target, atom::Target::parse(options.arch));
  bool isExact = llvm::isAlpha(options.arch.back());
  const Blocks *known = &blocks.emplace_back(blocksOf(lowered));
  auto add = [&](ptx::Until until) -> Status {
    TESSERA_TRY(std::vector<driver::DeviceCode> codes, compiler.translate(lowered, options, until));
    for (driver::DeviceCode &code : codes) {
      bool isPtx = until == ptx::Until::Ptx;
      std::string bytes =
          isPtx ? code.ptx : std::string(code.cubin.bytes.begin(), code.cubin.bytes.end());
      images.push_back({code.module, std::move(bytes), target.number() / 10, target.number() % 10,
                        isPtx, isExact, known});
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
    auto device = module.getOps<mlir::gpu::GPUModuleOp>();
    for (Function &function : state->functions)
      if (function.tiles) {
        function.tiles->module = (*device.begin()).getName().str();
        defineHost(function, *state->host);
      }
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
