// Entries of tile programs as exported functions, and the host functions that launch them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/aot/Errors.h"
#include "tessera/aot/Function.h"

#include "tessera/jit/TileParameters.h"

#include "llvm/IR/IRBuilder.h"

namespace tessera::aot {

using run::Parameter;

namespace {

constexpr int64_t configBytes = 128; // struct Config of runtime.c has room in it

/// A type with the bits of a parameter's value. Floats of 16 bits are integers here, as LLVM would
/// pass them as floats. Null for a format that C has no numbers of.
llvm::Type *typeOf(const Parameter &parameter, llvm::IRBuilder<> &b) {
  if (parameter.kind != Parameter::Kind::Number)
    return b.getPtrTy();
  switch (parameter.element.dtypes[0]) {
  case run::Dtype::f64: return b.getDoubleTy();
  case run::Dtype::f32:
  case run::Dtype::tf32: return b.getFloatTy();
  case run::Dtype::f16:
  case run::Dtype::bf16: return b.getInt16Ty();
  default: break;
  }
  if (run::isFloat(parameter.element.dtypes[0]))
    return nullptr;
  return b.getIntNTy(unsigned(parameter.packing.size * 8));
}

} // namespace

Result<Function> functionOf(const tile_bytecode::Program &program,
                            const tile_bytecode::Function &entry) {
  llvm::LLVMContext context;
  llvm::IRBuilder<> b(context);
  std::string name(program.text(entry.name));
  Function function{.host = name, .name = "", .parameters = jit::parametersOf(program, entry)};
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    const Parameter &parameter = function.parameters[i];
    if (parameter.kind == Parameter::Kind::Refused || !typeOf(parameter, b))
      return fail(Error::ExportTile, i, name, parameter.type);
  }
  function.tiles = Function::Tiles{"", std::move(name)};
  for (const char *dimension : {"grid_x", "grid_y", "grid_z"})
    function.parameters.push_back({.kind = Parameter::Kind::Number,
                                   .name = dimension,
                                   .packing = {4, {{0, 32}}},
                                   .element = *run::elementsOf("i32")});
  function.parameters.push_back({.kind = Parameter::Kind::Stream});
  return function;
}

void defineHost(const Function &function, llvm::Module &module) {
  llvm::IRBuilder<> b(module.getContext());
  llvm::Type *number = b.getInt32Ty(), *pointer = b.getPtrTy(), *wide = b.getInt64Ty();
  std::vector<llvm::Type *> types;
  for (const Parameter &parameter : function.parameters)
    types.push_back(typeOf(parameter, b));
  auto *host = llvm::Function::Create(llvm::FunctionType::get(number, types, false),
                                      llvm::GlobalValue::InternalLinkage, function.host, module);
  b.SetInsertPoint(llvm::BasicBlock::Create(b.getContext(), "", host));
  llvm::AllocaInst *config = b.CreateAlloca(llvm::ArrayType::get(b.getInt8Ty(), configBytes));
  config->setAlignment(llvm::Align(16));
  const unsigned count = unsigned(types.size()) - 4; // without grid and stream
  llvm::Value *arguments = b.CreateAlloca(llvm::ArrayType::get(pointer, std::max(1U, count)));
  for (unsigned i = 0; i < count; ++i) {
    llvm::Value *place = b.CreateAlloca(types[i]);
    b.CreateStore(host->getArg(i), place);
    b.CreateStore(place, b.CreateConstGEP1_32(pointer, arguments, i));
  }
  auto call = [&](const char *name, llvm::Type *result, llvm::ArrayRef<llvm::Value *> values) {
    std::vector<llvm::Type *> of;
    for (llvm::Value *value : values)
      of.push_back(value->getType());
    return b.CreateCall(
        module.getOrInsertFunction(name, llvm::FunctionType::get(result, of, false)), values);
  };
  // A block of no threads is the one that the code for the GPU was compiled for.
  call("tessera_rt_launch_config", b.getVoidTy(),
       {config, b.getInt32(0), b.getInt32(0), b.getInt32(0), llvm::ConstantInt::get(wide, 0),
        host->getArg(count), host->getArg(count + 1), host->getArg(count + 2),
        host->getArg(count + 3), b.getInt32(0)});
  b.CreateRet(
      call("tessera_rt_launch", number,
           {b.CreateGlobalString(function.tiles->module),
            b.CreateGlobalString(function.tiles->kernel), config, arguments, b.getInt32(count)}));
}

} // namespace tessera::aot
