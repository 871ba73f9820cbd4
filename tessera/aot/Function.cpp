// Exported functions as LLVM IR: a struct of 8-byte fields to the values of a host function.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/aot/Function.h"

#include "tessera/run/View.h"

#include "llvm/IR/IRBuilder.h"

namespace tessera::aot {

using run::Parameter;

namespace {

constexpr int64_t word = 8; // bytes of each field of the struct

class Body {
public:
  Body(const Function &function, llvm::Module &module)
      : function(function), callee(module.getFunction(function.host)), b(module.getContext()) {
    auto *type = llvm::FunctionType::get(b.getInt32Ty(), {b.getPtrTy(), b.getPtrTy()}, false);
    wrapper = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage,
                                     "tessera_checked_" + function.name, module);
    b.SetInsertPoint(block());
  }

  void write() {
    check(b.CreateIsNotNull(wrapper->getArg(0)), Code::NULL_ARGUMENT);
    std::vector<llvm::Value *> values;
    for (size_t i = 0; i < function.parameters.size(); ++i) {
      const Parameter &parameter = function.parameters[i];
      if (parameter.kind == Parameter::Kind::Nothing)
        continue;
      llvm::Type *type = callee->getArg(unsigned(values.size()))->getType();
      std::optional<size_t> dimension = function.gridDimension(i);
      std::vector<llvm::Value *> leaves =
          dimension ? std::vector<llvm::Value *>{tileBlocks(mostTileBlocks[*dimension])}
                    : leavesOf(parameter);
      llvm::ArrayRef<llvm::Value *> left = leaves;
      values.push_back(built(type, left));
    }
    llvm::Value *result = b.CreateCall(callee, values);
    b.CreateRet(result->getType()->isVoidTy() ? b.getInt32(0) : result);
    guard();
  }

private:
  /// The function that C sees, which leaves where an assertion does not hold.
  void guard() {
    llvm::Module &module = *wrapper->getParent();
    llvm::Type *pointer = b.getPtrTy();
    auto *entry = llvm::Function::Create(wrapper->getFunctionType(),
                                         llvm::GlobalValue::ExternalLinkage, function.name, module);
    b.SetInsertPoint(llvm::BasicBlock::Create(b.getContext(), "", entry));
    auto *type = llvm::FunctionType::get(b.getInt32Ty(), {pointer, pointer, pointer}, false);
    b.CreateRet(b.CreateCall(module.getOrInsertFunction("tessera_aot_guarded", type),
                             {wrapper, entry->getArg(0), entry->getArg(1)}));
  }

  llvm::BasicBlock *block() { return llvm::BasicBlock::Create(b.getContext(), "", wrapper); }

  /// Returns the code unless the condition holds.
  void check(llvm::Value *holds, Code code) {
    llvm::BasicBlock *good = block(), *bad = block();
    b.CreateCondBr(holds, good, bad);
    b.SetInsertPoint(bad);
    b.CreateRet(b.getInt32(uint32_t(code)));
    b.SetInsertPoint(good);
  }

  /// The next field.
  llvm::Value *field(llvm::Type *type) {
    llvm::Value *place = b.CreateConstGEP1_64(b.getInt8Ty(), wrapper->getArg(0), uint64_t(offset));
    offset += word;
    return b.CreateLoad(type, place);
  }
  std::vector<llvm::Value *> fields(size_t count) {
    std::vector<llvm::Value *> out;
    for (size_t i = 0; i < count; ++i)
      out.push_back(field(b.getInt64Ty()));
    return out;
  }

  llvm::Value *isMultiple(llvm::Value *number, int64_t of) {
    return b.CreateICmpEQ(b.CreateSRem(number, b.getInt64(uint64_t(of))), b.getInt64(0));
  }
  /// Whether a leaf of a layout takes the number.
  llvm::Value *fits(const layout::Int &leaf, llvm::Value *number) {
    if (leaf.isStatic())
      return b.CreateICmpEQ(number, b.getInt64(uint64_t(leaf.value)));
    const unsigned bits = layout::bitsOf(leaf.width);
    int64_t most = bits == 1 ? 1 : INT64_MAX >> (64 - bits);
    llvm::Value *within = b.CreateICmpULE(number, b.getInt64(uint64_t(most)));
    return leaf.div == 1 ? within : b.CreateAnd(within, isMultiple(number, leaf.div));
  }

  /// The numbers and addresses that the parameter's value holds.
  std::vector<llvm::Value *> leavesOf(const Parameter &parameter) {
    switch (parameter.kind) {
    case Parameter::Kind::Stream: return {wrapper->getArg(1)};
    case Parameter::Kind::Number: return {number(parameter)};
    case Parameter::Kind::Pointer: return {address(parameter)};
    default: return tensor(parameter);
    }
  }
  llvm::Value *address(const Parameter &parameter) {
    llvm::Value *at = field(b.getInt64Ty());
    if (parameter.alignment > 1)
      check(isMultiple(at, parameter.alignment), Code::BAD_ALIGNMENT);
    return at;
  }
  std::vector<llvm::Value *> tensor(const Parameter &parameter) {
    const run::Modes &modes = parameter.modes;
    std::vector<llvm::Value *> leaves = {address(parameter)};
    std::vector<llvm::Value *> shape = fields(modes.count()), strides = fields(modes.count());
    for (size_t i = 0; i < modes.count(); ++i) {
      check(fits(modes.extents[i], shape[i]), Code::BAD_SHAPE);
      if (!modes.extents[i].isStatic())
        leaves.push_back(shape[i]);
    }
    llvm::Value *isThere = b.CreateICmpNE(leaves[0], b.getInt64(0));
    for (llvm::Value *extent : shape) // without elements there is nothing to point to
      isThere = b.CreateOr(isThere, b.CreateICmpEQ(extent, b.getInt64(0)));
    check(isThere, Code::NULL_ARGUMENT);
    for (size_t i = 0; i < modes.count(); ++i) {
      check(fits(modes.steps[i], strides[i]), Code::BAD_STRIDE);
      if (!modes.steps[i].isStatic())
        leaves.push_back(strides[i]);
    }
    return leaves;
  }
  llvm::Value *tileBlocks(int64_t most) {
    llvm::Value *given = field(b.getInt64Ty());
    check(b.CreateICmpULT(b.CreateSub(given, b.getInt64(1)), b.getInt64(uint64_t(most))),
          Code::BAD_GRID);
    return given;
  }
  /// A double as a number of a type: the nearest one, as hardware rounds. Types that processors do
  /// not round to have a function of the runtime, as LLVM would call one of the C compiler; of 16
  /// bits their code is returned.
  llvm::Value *rounded(llvm::Value *given, run::Dtype type) {
    using run::Dtype;
    if (type != Dtype::f16 && type != Dtype::bf16 && type != Dtype::tf32)
      return given;
    int exponent = type == Dtype::f16 ? 5 : 8, mantissa = type == Dtype::bf16 ? 7 : 10;
    auto *shape = llvm::FunctionType::get(b.getInt32Ty(),
                                          {b.getDoubleTy(), b.getInt32Ty(), b.getInt32Ty()}, false);
    llvm::Value *code =
        b.CreateCall(wrapper->getParent()->getOrInsertFunction("tessera_aot_rounded", shape),
                     {given, b.getInt32(uint32_t(exponent)), b.getInt32(uint32_t(mantissa))});
    if (type == Dtype::tf32) // the upper bits of an f32
      return b.CreateBitCast(b.CreateShl(code, 13), b.getFloatTy());
    return b.CreateZExt(code, b.getInt64Ty());
  }
  llvm::Value *number(const Parameter &parameter) {
    run::Dtype type = parameter.element.dtypes[0];
    if (run::isFloat(type))
      return rounded(field(b.getDoubleTy()), type);
    llvm::Value *given = field(b.getInt64Ty());
    if (parameter.divisor > 1)
      check(isMultiple(given, parameter.divisor), Code::BAD_NUMBER);
    int bits = run::valueBits(type);
    if (bits < 64) { // as a signed or an unsigned number
      llvm::Value *low = b.getInt64(uint64_t(int64_t(-1) << (bits - 1)));
      llvm::Value *high = b.getInt64((uint64_t(1) << bits) - 1);
      check(b.CreateAnd(b.CreateICmpSGE(given, low), b.CreateICmpSLE(given, high)),
            Code::BAD_NUMBER);
    }
    return given;
  }

  /// A value of the host function's type from its leaves, depth first.
  llvm::Value *built(llvm::Type *type, llvm::ArrayRef<llvm::Value *> &leaves) {
    if (auto *fields = llvm::dyn_cast<llvm::StructType>(type)) {
      llvm::Value *value = llvm::PoisonValue::get(type);
      for (unsigned i = 0; i < fields->getNumElements(); ++i)
        value = b.CreateInsertValue(value, built(fields->getElementType(i), leaves), i);
      return value;
    }
    llvm::Value *leaf = leaves.front();
    leaves = leaves.drop_front();
    if (type->isPointerTy())
      return leaf->getType()->isPointerTy() ? b.CreateAddrSpaceCast(leaf, type)
                                            : b.CreateIntToPtr(leaf, type);
    if (type->isIntegerTy())
      return b.CreateTrunc(leaf, type);
    if (leaf->getType()->isIntegerTy())
      return b.CreateBitCast(b.CreateTrunc(leaf, b.getInt16Ty()), type);
    return b.CreateFPTrunc(leaf, type);
  }

  const Function &function;
  llvm::Function *callee, *wrapper = nullptr;
  llvm::IRBuilder<> b;
  int64_t offset = 0;
};

/// What tvm_ffi.h knows of a function: a row for each parameter that takes an argument.
class TvmRows {
public:
  explicit TvmRows(llvm::Module &module) : module(module), b(module.getContext()) {}

  void add(const Parameter &parameter) {
    enum : uint32_t {
      Tensor,
      Pointer,
      Whole,
      Real
    };
    bool isTensor = parameter.kind == Parameter::Kind::Tensor;
    uint32_t kind = isTensor                                     ? Tensor
                    : parameter.kind == Parameter::Kind::Pointer ? Pointer
                    : run::isFloat(parameter.element.dtypes[0])  ? Real
                                                                 : Whole;
    std::vector<uint8_t> formats;
    if (isTensor)
      for (run::DlType type : run::dlTypesOf(parameter.element))
        formats.push_back(type.code), formats.push_back(type.bits);
    std::vector<int64_t> steps;
    size_t rank = isTensor ? parameter.modes.count() : 0;
    for (size_t i = 0; i < rank; ++i) {
      const layout::Int &step = parameter.modes.steps[i];
      steps.push_back(step.isStatic());
      steps.push_back(step.isStatic() ? step.value : step.div);
    }
    std::string what = parameter.name.empty() ? "" : cat(" '", parameter.name, "'");
    std::string expected = cat(isTensor          ? "a tensor of "
                               : kind == Pointer ? "a pointer to "
                                                 : "a number of ",
                               constraintOf(parameter));
    rows.push_back(llvm::ConstantStruct::get(
        type(), {b.getInt32(kind), b.getInt32(uint32_t(rank)), b.getInt32(parameter.onDevice),
                 b.getInt32(uint32_t(formats.size() / 2)),
                 data(llvm::ConstantDataArray::get(b.getContext(), formats)),
                 data(llvm::ConstantDataArray::get(b.getContext(), steps)),
                 text(cat("argument ", rows.size(), what, " expects ", expected))}));
    words += isTensor ? 1 + 2 * rank : 1;
  }

  /// The function that TVM FFI finds by its name.
  void write(const Function &function) {
    llvm::Type *pointer = b.getPtrTy(), *number = b.getInt32Ty();
    auto *shape = llvm::FunctionType::get(number, {pointer, pointer, number, pointer}, false);
    auto *entry = llvm::Function::Create(shape, llvm::GlobalValue::ExternalLinkage,
                                         "__tvm_ffi_" + function.name, module);
    b.SetInsertPoint(llvm::BasicBlock::Create(b.getContext(), "", entry));
    auto *table = llvm::ArrayType::get(type(), rows.size());
    llvm::Value *room = b.CreateAlloca(llvm::ArrayType::get(b.getInt64Ty(), words + 1));
    auto *shared = llvm::FunctionType::get(
        number, {pointer, pointer, number, pointer, number, pointer, pointer, pointer}, false);
    b.CreateRet(b.CreateCall(module.getOrInsertFunction("tessera_tvm_call", shared),
                             {text(function.name), data(llvm::ConstantArray::get(table, rows)),
                              b.getInt32(uint32_t(rows.size())), entry->getArg(1), entry->getArg(2),
                              room, module.getFunction(function.name), entry->getArg(3)}));
  }

private:
  llvm::StructType *type() {
    llvm::Type *number = b.getInt32Ty(), *pointer = b.getPtrTy();
    return llvm::StructType::get(number, number, number, number, pointer, pointer, pointer);
  }
  llvm::Constant *data(llvm::Constant *content) {
    return new llvm::GlobalVariable(module, content->getType(), true,
                                    llvm::GlobalValue::InternalLinkage, content,
                                    "tessera_aot_data");
  }
  llvm::Constant *text(const std::string &characters) {
    return data(llvm::ConstantDataArray::getString(b.getContext(), characters));
  }

  llvm::Module &module;
  llvm::IRBuilder<> b;
  std::vector<llvm::Constant *> rows;
  size_t words = 0;
};

} // namespace

void define(const Function &function, llvm::Module &module) { Body(function, module).write(); }

void defineMessage(const std::string &name, llvm::Module &module) {
  llvm::IRBuilder<> b(module.getContext());
  auto *type = llvm::FunctionType::get(b.getPtrTy(), false);
  auto *entry = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, module);
  b.SetInsertPoint(llvm::BasicBlock::Create(b.getContext(), "", entry));
  b.CreateRet(b.CreateCall(module.getOrInsertFunction("tessera_aot_message", type)));
}

void defineForTvm(const Function &function, llvm::Module &module) {
  TvmRows rows(module);
  for (const Parameter &parameter : function.parameters)
    if (parameter.takesArgument())
      rows.add(parameter);
  rows.write(function);
}

} // namespace tessera::aot
