// Tensors and numbers as parameters of host functions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/jit/Binding.h"

#include "tessera/jit/Errors.h"
#include "tessera/jit/Numbers.h"
#include "tessera/jit/Packing.h"
#include "tessera/jit/Strides.h"
#include "tessera/run/Npy.h"

#include "tessera/cuda/Cuda.h"
#include "tessera/lower/LoweredTypes.h"

#include <cstring>

using namespace mlir;

namespace tessera::jit {

namespace {

/// What Device::allocate promises; more is had by asking for more memory.
constexpr int64_t deviceAlignment = 256;

std::string textOf(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// Null if the type has no form in LLVM.
Type loweredType(Type parameter) {
  return lower::LoweredTypes(parameter.getContext()).convertType(parameter);
}

run::Address roundUp(run::Address address, int64_t alignment) {
  return llvm::alignTo(address, uint64_t(alignment));
}

} // namespace

/// Binds one argument to one parameter.
class Binder {
public:
  Binder(Type parameter, const run::Argument &argument, run::Device *device, size_t number)
      : parameter(parameter), argument(argument), device(device), number(number),
        who(cat("argument ", number, " (", argument.text, ") for ", textOf(parameter))) {}

  Result<Bound> bind() {
    lowered = loweredType(parameter);
    std::optional<size_t> count = lowered ? leafCount(lowered) : std::nullopt;
    if (!count || *count == 0)
      return fail(Error::BindType, who);
    if (auto memref = dyn_cast<cute::CuteMemRefType>(parameter))
      return tensor(memref);
    if (auto pointer = dyn_cast<cute::PtrType>(parameter))
      return anyBuffer(pointer);
    std::optional<NumberType> type = numberType(parameter);
    if (!type)
      return fail(Error::BindType, who);
    TESSERA_TRY(uint64_t code, numberCode(who, *type, argument));
    bound.bytes = pack(lowered, code);
    return std::move(bound);
  }

private:
  Result<Bound> anyBuffer(cute::PtrType pointer) {
    TESSERA_CHECK(checkBuffer(pointer));
    TESSERA_CHECK(take(run::makeTensor(argument, number)));
    TESSERA_CHECK(place(pointer));
    bound.bytes = pack(lowered, bound.start);
    return std::move(bound);
  }

  Result<Bound> tensor(cute::CuteMemRefType memref) {
    cute::PtrType pointer = memref.getPtrType();
    TESSERA_CHECK(checkBuffer(pointer));
    if (!memref.getLayout().affine() || memref.getLayout().shape().hasBasis())
      return fail(Error::BindLayout, who, layout::str(memref.getLayout()));
    if (pointer.hasSwizzle())
      return fail(Error::BindLayout, who, layout::str(pointer.getSwizzle()));
    Modes modes(*memref.getLayout().affine());
    TESSERA_CHECK(argument.kind == run::ArgumentKind::File ? readFile(modes) : makeFilled(modes));
    TESSERA_CHECK(checkElement(memref.getElementType()));
    TESSERA_CHECK(place(pointer));
    SmallVector<uint64_t> leaves = {bound.start};
    llvm::append_range(leaves,
                       dynamicLeaves(modes, bound.content->shape(), bound.content->strides()));
    bound.bytes = pack(lowered, leaves);
    return std::move(bound);
  }

  /// What all pointers need.
  run::Status checkBuffer(cute::PtrType pointer) {
    if (argument.kind == run::ArgumentKind::Scalar)
      return fail(Error::BindNotTensor, who,
                  cat("rand:", textOf(pointer.getElementType()), ":128x64"));
    bool onDevice = pointer.getAddressSpace() == cute::AddressSpace::gmem;
    if (!onDevice && pointer.getAddressSpace() != cute::AddressSpace::generic)
      return fail(Error::BindSpace, who,
                  cute::stringifyAddressSpace(pointer.getAddressSpace()).str());
    if (onDevice && !device)
      return fail(Error::BindNoDevice, who);
    return run::Done{};
  }

  run::Status take(Result<run::Tensor> made) {
    if (!made)
      return fail(Error::BindTensor, who, made.reason().text);
    bound.content = *std::move(made);
    return run::Done{};
  }

  /// Strides for a shape: those that were given, else compact ones.
  Result<std::vector<int64_t>> stridesFor(const Modes &modes, const std::vector<int64_t> &shape) {
    TESSERA_CHECK(checkShape(who, modes, shape));
    std::optional<std::vector<int64_t>> strides =
        argument.strides ? argument.strides : compactStrides(modes, shape);
    if (!strides)
      return fail(Error::BindStrideOverflow, who, run::tuple(shape));
    TESSERA_CHECK(checkStrides(who, modes, shape, *strides));
    return *strides;
  }

  run::Status readFile(const Modes &modes) {
    Result<run::NpyArray> array = run::readNpy(argument.file);
    if (!array)
      return fail(Error::BindTensor, who, array.reason().text);
    TESSERA_TRY(std::vector<int64_t> strides, stridesFor(modes, array->shape));
    return take(run::fromNpy(*array, argument.dtype, std::move(strides)));
  }

  run::Status makeFilled(const Modes &modes) {
    run::Argument placed = argument;
    TESSERA_TRY(placed.strides, stridesFor(modes, argument.shape));
    return take(run::makeTensor(placed, number));
  }

  run::Status checkElement(Type element) {
    std::optional<DtypeRow> row = dtypesOf(element);
    run::Dtype got = bound.content->dtype();
    // Predicates, i1 in the IR, are packed bits that no file has.
    if (!row || cute::bitsOf(element) != run::storageBits(row->dtypes[0]))
      return fail(Error::BindType, who);
    if (row->takes(got))
      return run::Done{};
    std::string_view wanted = run::name(row->dtypes[0]);
    std::string advice = argument.kind == run::ArgumentKind::File ? fileOf(wanted) : fillOf(wanted);
    return fail(Error::BindElement, who, row->type, run::name(got), advice);
  }

  /// The argument with another type: bf16:A.npy, zeros:bf16:8x4.
  std::string fileOf(std::string_view type) const {
    size_t head = argument.dtype ? argument.text.find(':') + 1 : 0;
    return cat(type, ":", argument.text.substr(head));
  }
  std::string fillOf(std::string_view type) const {
    size_t word = argument.text.find(':') + 1, shape = argument.text.find(':', word);
    return cat(argument.text.substr(0, word), type, argument.text.substr(shape));
  }

  /// Memory for the tensor, and its elements there.
  run::Status place(cute::PtrType pointer) {
    int64_t alignment = pointer.getAlignment();
    size_t size = bound.content->bytes().size();
    size_t slack = alignment > deviceAlignment ? size_t(alignment) : 0;
    run::Address first;
    if (pointer.getAddressSpace() == cute::AddressSpace::gmem) {
      bound.device = device;
      TESSERA_TRY(bound.memory, run::DeviceBuffer::make(*device, size + slack));
      first = bound.memory.address();
    } else {
      slack = size_t(alignment);
      TESSERA_TRY(bound.hostMemory, run::Bytes::zeros(size + slack));
      first = reinterpret_cast<run::Address>(bound.hostMemory.data());
    }
    bound.start = roundUp(first, alignment);
    if (bound.start - first > slack)
      return fail(Error::BindAlignment, who, alignment, run::hex(first));
    return bound.upload();
  }

  Type parameter, lowered;
  const run::Argument &argument;
  run::Device *device;
  size_t number;
  std::string who;
  Bound bound;
};

//===--- Bound --------------------------------------------------------------------------------===//

run::Status Bound::upload() {
  if (!content || content->bytes().empty())
    return run::Done{};
  if (device)
    return device->copyToDevice(start, std::as_const(*content).bytes());
  std::memcpy(reinterpret_cast<void *>(start), content->bytes().data(), content->bytes().size());
  return run::Done{};
}

run::Status Bound::download() {
  if (!content || content->bytes().empty())
    return run::Done{};
  if (device)
    return device->copyToHost(content->bytes(), start);
  std::memcpy(content->bytes().data(), reinterpret_cast<void *>(start), content->bytes().size());
  return run::Done{};
}

//===--- all parameters -----------------------------------------------------------------------===//

bool takesArgument(Type parameter) {
  if (isa<cuda::StreamType>(parameter))
    return false;
  Type lowered = loweredType(parameter);
  return !lowered || lower::LoweredTypes::hasContent(lowered);
}

Result<Bound> bind(Type parameter, const run::Argument &argument, run::Device *device,
                   size_t number) {
  return Binder(parameter, argument, device, number).bind();
}

Bound Bound::stream(run::StreamId stream) {
  Bound bound;
  bound.bytes.resize(sizeof(stream));
  std::memcpy(bound.bytes.data(), &stream, sizeof(stream));
  return bound;
}

static Reason wrongCount(TypeRange parameters, size_t got) {
  std::string list;
  size_t expected = 0;
  for (Type parameter : parameters)
    if (takesArgument(parameter))
      list += cat(expected++ ? ", " : "", textOf(parameter));
  return fail(Error::BindCount, expected, got, expected ? list : "none");
}

Result<Arguments> bindAll(TypeRange parameters, std::span<const run::Argument> given,
                          run::Device *device, run::StreamId stream) {
  if (size_t(llvm::count_if(parameters, takesArgument)) != given.size())
    return wrongCount(parameters, given.size());
  Arguments arguments;
  for (auto [i, parameter] : llvm::enumerate(parameters)) {
    if (isa<cuda::StreamType>(parameter)) {
      arguments.parameters.push_back(Bound::stream(stream));
    } else if (!takesArgument(parameter)) {
      arguments.parameters.emplace_back();
    } else {
      size_t number = arguments.numbers.size();
      TESSERA_TRY(Bound bound, bind(parameter, given[number], device, number));
      arguments.numbers.push_back(i);
      arguments.parameters.push_back(std::move(bound));
    }
  }
  return arguments;
}

std::vector<void *> Arguments::values() {
  std::vector<void *> values;
  for (Bound &parameter : parameters)
    if (void *value = parameter.value())
      values.push_back(value);
  return values;
}

} // namespace tessera::jit
