// Host functions through LLVM's ORC: translation, packed wrappers, compilation, calls.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/jit/HostCode.h"

#include "tessera/jit/Errors.h"
#include "tessera/jit/HostModule.h"
#include "tessera/jit/HostSymbols.h"
#include "tessera/ptx/Fatal.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/ExecutionEngine/Orc/ObjectTransformLayer.h"
#include "llvm/ExecutionEngine/Orc/ThreadSafeModule.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include <cstdio>
#include <mutex>

using namespace tessera;

namespace {

Reason failure(llvm::Error error) {
  return jit::fail(jit::Error::HostJit, llvm::toString(std::move(error)));
}

std::string textOf(llvm::Type *type) {
  std::string text;
  llvm::raw_string_ostream(text) << *type;
  return text;
}

/// `reports` gets what the compiler has to say; it must live as long as something is compiled.
Result<std::unique_ptr<llvm::orc::LLJIT>> makeJit(std::string &reports) {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
  auto machine = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!machine)
    return failure(machine.takeError());
  // No platform: it would look up the C library's start-up functions in the process by name.
  auto made = llvm::orc::LLJITBuilder()
                  .setJITTargetMachineBuilder(std::move(*machine))
                  .setLinkProcessSymbolsByDefault(false)
                  .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
                  .create();
  if (!made)
    return failure(made.takeError());
  (*made)->getExecutionSession().setErrorReporter(
      [&reports](llvm::Error error) { reports += llvm::toString(std::move(error)) + "; "; });
  return std::move(*made);
}

/// void wrapper(void **arguments, i32 *result): loads every parameter, calls, stores the result.
/// Whether the machine can carry it out for any number that comes before it.
bool divides(const llvm::BinaryOperator &op) {
  auto *by = llvm::dyn_cast<llvm::ConstantInt>(op.getOperand(1));
  bool isSigned =
      op.getOpcode() == llvm::Instruction::SDiv || op.getOpcode() == llvm::Instruction::SRem;
  return by && !by->isZero() && !(isSigned && by->isMinusOne());
}

/// Divisions by zero, and of the smallest number by -1, end a process on x86-64. Here they end the
/// call, as an assertion that does not hold.
void guardDivisions(llvm::Module &module) {
  llvm::SmallVector<llvm::BinaryOperator *> divisions;
  for (llvm::Function &function : module)
    for (llvm::Instruction &one : llvm::instructions(function))
      if (auto *op = llvm::dyn_cast<llvm::BinaryOperator>(&one); op && op->isIntDivRem())
        if (!divides(*op))
          divisions.push_back(op);
  for (llvm::BinaryOperator *op : divisions) {
    llvm::IRBuilder<> b(op);
    llvm::Value *number = op->getOperand(0), *by = op->getOperand(1);
    llvm::Type *type = by->getType();
    llvm::Value *wrong = b.CreateICmpEQ(by, llvm::Constant::getNullValue(type));
    if (op->getOpcode() == llvm::Instruction::SDiv || op->getOpcode() == llvm::Instruction::SRem) {
      llvm::APInt least = llvm::APInt::getSignedMinValue(type->getScalarSizeInBits());
      llvm::Value *overflows =
          b.CreateAnd(b.CreateICmpEQ(by, llvm::Constant::getAllOnesValue(type)),
                      b.CreateICmpEQ(number, llvm::ConstantInt::get(type, least)));
      wrong = b.CreateOr(wrong, overflows);
    }
    if (type->isVectorTy())
      wrong = b.CreateOrReduce(wrong);
    b.SetInsertPoint(llvm::SplitBlockAndInsertIfThen(wrong, op, /*Unreachable=*/true));
    b.CreateCall(module.getOrInsertFunction(jit::noQuotient, b.getVoidTy()));
  }
}

void addWrapper(llvm::Function &callee) {
  llvm::Module &module = *callee.getParent();
  llvm::LLVMContext &context = module.getContext();
  llvm::Type *pointer = llvm::PointerType::getUnqual(context);
  llvm::IRBuilder<> b(context);
  auto *type = llvm::FunctionType::get(b.getVoidTy(), {pointer, pointer}, /*isVarArg=*/false);
  auto *wrapper = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage,
                                         jit::wrapperPrefix + callee.getName(), module);
  b.SetInsertPoint(llvm::BasicBlock::Create(context, "", wrapper));
  llvm::SmallVector<llvm::Value *> values;
  for (llvm::Argument &parameter : callee.args()) {
    llvm::Value *slot =
        b.CreateConstInBoundsGEP1_64(pointer, wrapper->getArg(0), parameter.getArgNo());
    values.push_back(b.CreateLoad(parameter.getType(), b.CreateLoad(pointer, slot)));
  }
  llvm::Value *result = b.CreateCall(&callee, values);
  b.CreateStore(result->getType()->isVoidTy() ? b.getInt32(0) : result, wrapper->getArg(1));
  b.CreateRetVoid();
}

/// The functions with a body, each with its wrapper where it can be called.
std::vector<jit::HostFunction> addWrappers(llvm::Module &module) {
  std::vector<jit::HostFunction> functions;
  std::vector<llvm::Function *> callees;
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      callees.push_back(&function);
  for (llvm::Function *callee : callees) {
    functions.push_back(
        {callee->getName().str(), callee->arg_size(), textOf(callee->getReturnType())});
    if (functions.back().returnsStatus())
      addWrapper(*callee);
  }
  return functions;
}

/// In a library of their own, so that a host function may have the name of one of them.
llvm::Error defineSymbols(llvm::orc::LLJIT &jit) {
  llvm::orc::SymbolMap symbols;
  for (std::span<const jit::Symbol> list : {jit::runtimeSymbols(), jit::hostSymbols()})
    for (const jit::Symbol &symbol : list)
      symbols[jit.mangleAndIntern(symbol.name)] = {llvm::orc::ExecutorAddr::fromPtr(symbol.address),
                                                   llvm::JITSymbolFlags::Exported |
                                                       llvm::JITSymbolFlags::Callable};
  llvm::orc::JITDylib &library = jit.getExecutionSession().createBareJITDylib("runtime");
  jit.getMainJITDylib().addToLinkOrder(library);
  return library.define(llvm::orc::absoluteSymbols(std::move(symbols)));
}

} // namespace

struct jit::HostCode::State {
  std::string reports;
  std::unique_ptr<llvm::orc::LLJIT> jit;
  HostImage image;
  std::vector<PackedFunction> calls; // one for each function; null where it returns no status
};

jit::HostCode::HostCode(std::unique_ptr<State> state) : state(std::move(state)) {}
jit::HostCode::HostCode(HostCode &&) noexcept = default;
jit::HostCode &jit::HostCode::operator=(HostCode &&) noexcept = default;
jit::HostCode::~HostCode() = default;

/// The addresses of the wrappers; this is what compiles the module.
static Result<std::vector<jit::PackedFunction>>
findWrappers(llvm::orc::LLJIT &jit, const std::vector<jit::HostFunction> &functions,
             const std::string &reports) {
  std::vector<jit::PackedFunction> calls(functions.size());
  for (size_t i = 0; i < functions.size(); ++i) {
    if (!functions[i].returnsStatus())
      continue;
    auto address = jit.lookup(jit::wrapperPrefix + functions[i].name);
    if (!address)
      return jit::fail(jit::Error::HostJit, reports + llvm::toString(address.takeError()));
    calls[i] = address->toPtr<jit::PackedFunction>();
  }
  if (!reports.empty())
    return jit::fail(jit::Error::HostJit, reports);
  return calls;
}

/// Runs work that compiles. Where LLVM would end the process, its message becomes the reason, and
/// `state` is not destroyed: LLVM left it half done.
template <class Work>
static Result<jit::HostCode> guardedByFatal(std::unique_ptr<jit::HostCode::State> &state,
                                            Work work) {
  std::optional<Result<jit::HostCode>> made;
  std::optional<std::string> fatal = ptx::fatalErrorOf([&] { made.emplace(work()); });
  if (!fatal)
    return *std::move(made);
  std::string said = state ? state->reports : "";
  [[maybe_unused]] auto *left = state.release();
  return jit::fail(jit::Error::HostJit, said + *fatal);
}

Result<jit::HostCode> jit::HostCode::compile(mlir::ModuleOp lowered) {
  auto state = std::make_unique<State>();
  return guardedByFatal(state, [&] { return compileUnguarded(lowered, state); });
}

Result<jit::HostCode> jit::HostCode::compileUnguarded(mlir::ModuleOp lowered,
                                                      std::unique_ptr<State> &state) {
  TESSERA_TRY(state->jit, makeJit(state->reports));
  auto context = std::make_unique<llvm::LLVMContext>();
  jit::keepErrors(*context, state->reports);
  std::unique_ptr<llvm::Module> module =
      hostModule(lowered, state->jit->getDataLayout(), state->jit->getTargetTriple(), *context);
  if (!module)
    return fail(Error::HostTranslation);
  guardDivisions(*module);
  state->image.functions = addWrappers(*module);
  if (llvm::Error error = defineSymbols(*state->jit))
    return failure(std::move(error));
  std::string &object = state->image.object;
  state->jit->getObjTransformLayer().setTransform(
      [&object](std::unique_ptr<llvm::MemoryBuffer> made) {
        object = made->getBuffer().str();
        return llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>(std::move(made));
      });
  llvm::orc::ThreadSafeModule shared(std::move(module), std::move(context));
  if (llvm::Error error = state->jit->addIRModule(std::move(shared)))
    return failure(std::move(error));
  TESSERA_TRY(state->calls, findWrappers(*state->jit, state->image.functions, state->reports));
  return HostCode(std::move(state));
}

Result<jit::HostCode> jit::HostCode::load(const HostImage &image) {
  auto state = std::make_unique<State>();
  return guardedByFatal(state, [&] { return loadUnguarded(image, state); });
}

Result<jit::HostCode> jit::HostCode::loadUnguarded(const HostImage &image,
                                                   std::unique_ptr<State> &state) {
  state->image = image;
  TESSERA_TRY(state->jit, makeJit(state->reports));
  if (llvm::Error error = defineSymbols(*state->jit))
    return failure(std::move(error));
  if (!image.object.empty()) // a module without functions has no code
    if (llvm::Error error =
            state->jit->addObjectFile(llvm::MemoryBuffer::getMemBufferCopy(image.object, "host")))
      return failure(std::move(error));
  TESSERA_TRY(state->calls, findWrappers(*state->jit, state->image.functions, state->reports));
  return HostCode(std::move(state));
}

const jit::HostImage &jit::HostCode::image() const { return state->image; }

std::vector<std::string> jit::HostCode::functions() const {
  std::vector<std::string> names;
  for (const HostFunction &function : state->image.functions)
    names.push_back(function.name);
  return names;
}

Result<int32_t> jit::HostCode::call(std::string_view name, std::span<void *const> arguments) {
  const std::vector<HostFunction> &known = state->image.functions;
  auto function = llvm::find_if(known, [&](const HostFunction &f) { return f.name == name; });
  if (function == known.end()) {
    std::string names = llvm::join(functions(), ", ");
    return fail(Error::HostMissing, name, names.empty() ? "is none" : "are " + names);
  }
  PackedFunction packedCall = state->calls[size_t(function - known.begin())];
  if (!packedCall)
    return fail(Error::HostResult, name, function->result);
  if (arguments.size() != function->parameters)
    return fail(Error::HostArgumentCount, name, function->parameters, arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i)
    if (!arguments[i])
      return fail(Error::HostArgumentNull, name, i);
  llvm::SmallVector<void *, 16> packed(arguments.begin(), arguments.end());
  int32_t result = 0;
  const char *assertion = callGuarded(packedCall, packed.data(), &result);
  std::fflush(stdout); // what printf of the compiled code wrote comes before what the caller writes
  if (assertion)
    return fail(Error::HostAssert, name, assertion);
  return result;
}
