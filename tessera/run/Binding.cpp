// Tensors and numbers of the command line as values of parameters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/run/Binding.h"

#include "tessera/run/Npy.h"

#include <algorithm>
#include <cstring>

namespace tessera::run {

namespace {

/// The alignment that Device::allocate promises; more of it takes more memory.
constexpr int64_t deviceAlignment = 256;

Address roundUp(Address address, int64_t alignment) {
  return (address + uint64_t(alignment) - 1) / uint64_t(alignment) * uint64_t(alignment);
}

/// An argument of the command line in sentences.
class Written final : public Whose {
public:
  Written(size_t number, const Argument &argument, const Parameter &parameter)
      : number(number), argument(argument), parameter(parameter) {}
  std::string who() const override {
    return cat("argument ", number, " (", argument.text, ") for ", parameter.type);
  }
  std::string strideAdvice(const std::string &fits) const override {
    return cat("write :stride=", fits);
  }

private:
  size_t number;
  const Argument &argument;
  const Parameter &parameter;
};

} // namespace

/// Binds one argument to one parameter.
class Binder {
public:
  Binder(const Parameter &parameter, const Argument &argument, Device *device, size_t number)
      : parameter(parameter), argument(argument), device(device), number(number),
        whose(number, argument, parameter) {}

  Result<Bound> bind() {
    switch (parameter.kind) {
    case Parameter::Kind::Tensor: return tensor();
    case Parameter::Kind::Pointer: return anyBuffer();
    case Parameter::Kind::Number: {
      TESSERA_TRY(uint64_t code, numberCode(whose.who(), parameter, argument));
      bound.bytes = pack(parameter.packing, {&code, 1});
      return std::move(bound);
    }
    default: return fail(parameter.refusal, whose.who(), parameter.refused);
    }
  }

private:
  Result<Bound> anyBuffer() {
    TESSERA_CHECK(checkBuffer());
    TESSERA_CHECK(take(makeTensor(argument, number)));
    TESSERA_CHECK(place());
    bound.bytes = pack(parameter.packing, {&bound.start, 1});
    return std::move(bound);
  }

  Result<Bound> tensor() {
    TESSERA_CHECK(checkBuffer());
    TESSERA_CHECK(argument.kind == ArgumentKind::File ? readFile() : makeFilled());
    TESSERA_CHECK(checkElement());
    TESSERA_CHECK(place());
    std::vector<uint64_t> leaves = {bound.start};
    eachDynamicLeaf(parameter.modes, bound.content->shape(), bound.content->strides(),
                    [&](int64_t leaf) { leaves.push_back(uint64_t(leaf)); });
    bound.bytes = pack(parameter.packing, leaves);
    return std::move(bound);
  }

  /// The checks that all pointers need.
  Status checkBuffer() {
    if (argument.kind == ArgumentKind::Scalar)
      return fail(Error::BindNotTensor, whose.who(),
                  cat("rand:", parameter.element.text, ":128x64"));
    if (parameter.onDevice && !device)
      return fail(Error::BindNoDevice, whose.who());
    return Done{};
  }

  Status take(Result<Tensor> made) {
    if (!made)
      return fail(Error::BindTensor, whose.who(), made.reason().text);
    bound.content = *std::move(made);
    return Done{};
  }

  /// Strides for a shape: those that were given, else compact ones.
  Result<std::vector<int64_t>> stridesFor(const std::vector<int64_t> &shape) {
    const Modes &modes = parameter.modes;
    TESSERA_CHECK(checkShape(whose, modes, shape));
    std::optional<std::vector<int64_t>> strides =
        argument.strides ? argument.strides : compactStrides(modes, shape);
    if (!strides)
      return fail(Error::BindStrideOverflow, whose.who(), tuple(shape));
    TESSERA_CHECK(checkStrides(whose, modes, shape, *strides));
    return *strides;
  }

  Status readFile() {
    Result<NpyArray> array = readNpy(argument.file);
    if (!array)
      return fail(Error::BindTensor, whose.who(), array.reason().text);
    TESSERA_TRY(std::vector<int64_t> strides, stridesFor(array->shape));
    return take(fromNpy(*array, argument.dtype, std::move(strides)));
  }

  Status makeFilled() {
    Argument placed = argument;
    TESSERA_TRY(placed.strides, stridesFor(argument.shape));
    return take(makeTensor(placed, number));
  }

  Status checkElement() {
    Dtype got = bound.content->dtype();
    if (parameter.element.takes(got))
      return Done{};
    std::string_view wanted = name(parameter.element.dtypes[0]);
    std::string advice = argument.kind == ArgumentKind::File ? fileOf(wanted) : fillOf(wanted);
    return fail(Error::BindElement, whose.who(), parameter.element.text, name(got),
                cat("write ", advice));
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
  Status place() {
    int64_t alignment = parameter.alignment;
    size_t size = bound.content->bytes().size();
    size_t slack = alignment > deviceAlignment ? size_t(alignment) : 0;
    Address first;
    if (parameter.onDevice) {
      bound.device = device;
      TESSERA_TRY(bound.memory, DeviceBuffer::make(*device, size + slack));
      first = bound.memory.address();
    } else {
      slack = size_t(alignment);
      TESSERA_TRY(bound.hostMemory, Bytes::zeros(size + slack));
      first = reinterpret_cast<Address>(bound.hostMemory.data());
    }
    bound.start = roundUp(first, alignment);
    if (bound.start - first > slack)
      return fail(Error::BindAlignment, whose.who(), alignment, hex(first));
    return bound.upload();
  }

  const Parameter &parameter;
  const Argument &argument;
  Device *device;
  size_t number;
  Written whose;
  Bound bound;
};

//===--- Bound --------------------------------------------------------------------------------===//

Status Bound::upload() {
  if (!content || content->bytes().empty())
    return Done{};
  if (device)
    return device->copyToDevice(start, std::as_const(*content).bytes());
  std::memcpy(reinterpret_cast<void *>(start), content->bytes().data(), content->bytes().size());
  return Done{};
}

Status Bound::download() {
  if (!content || content->bytes().empty())
    return Done{};
  if (device)
    return device->copyToHost(content->bytes(), start);
  std::memcpy(content->bytes().data(), reinterpret_cast<void *>(start), content->bytes().size());
  return Done{};
}

//===--- numbers ------------------------------------------------------------------------------===//

/// The argument as one of the parameter's type, if it was written without.
static Result<Argument> typed(const std::string &who, const ElementTypes &types,
                              const Argument &argument) {
  if (argument.text.find(':') != std::string::npos)
    return argument;
  // Read again, so that 5 becomes 5.0 and what does not fit gets its sentence.
  Result<Argument> read = parseArgument(cat(name(types.dtypes[0]), ":", argument.text));
  if (!read)
    return fail(Error::BindScalarValue, who, read.reason().text);
  return read;
}

/// The argument with another type, or an example where that type has no such number.
static std::string withType(std::string_view type, const Argument &argument) {
  std::string text = cat(type, ":", argument.text.substr(argument.text.find(':') + 1));
  return parseArgument(text) ? text : cat(type, ":1");
}

Result<uint64_t> numberCode(const std::string &who, const Parameter &number,
                            const Argument &argument) {
  const ElementTypes &types = number.element;
  std::string_view wanted = name(types.dtypes[0]);
  if (argument.kind != ArgumentKind::Scalar)
    return fail(Error::BindNotScalar, who,
                cat(wanted, ":", isFloat(types.dtypes[0]) ? "0.5" : "1"));
  TESSERA_TRY(Argument given, typed(who, types, argument));
  if (!types.takes(*given.dtype))
    return fail(Error::BindScalarType, who, types.text, name(*given.dtype),
                withType(wanted, argument));
  int64_t value = number.divisor > 1 ? toInteger(*given.dtype, given.scalar) : 0;
  TESSERA_CHECK(checkDivisor(who, number.divisor, value));
  return given.scalar;
}

Status checkDivisor(const std::string &who, int64_t divisor, int64_t value) {
  if (value % divisor == 0)
    return Done{};
  int64_t below = value - ((value % divisor) + divisor) % divisor;
  return fail(Error::BindScalarDivisor, who, divisor, value, below, below + divisor);
}

//===--- all parameters -----------------------------------------------------------------------===//

Result<Bound> bind(const Parameter &parameter, const Argument &argument, Device *device,
                   size_t number) {
  return Binder(parameter, argument, device, number).bind();
}

Bound Bound::stream(StreamId stream) {
  Bound bound;
  bound.bytes.resize(sizeof(stream));
  std::memcpy(bound.bytes.data(), &stream, sizeof(stream));
  return bound;
}

Status checkCount(std::span<const Parameter> parameters, size_t given) {
  std::string list;
  size_t expected = 0;
  for (const Parameter &parameter : parameters)
    expected += parameter.takesArgument();
  if (expected == given)
    return Done{};
  for (const Parameter &parameter : parameters)
    if (parameter.takesArgument())
      list += cat(list.empty() ? "" : ", ", parameter.type);
  return fail(Error::BindCount, expected, given, expected ? list : "none");
}

Result<Arguments> bindAll(std::span<const Parameter> parameters, std::span<const Argument> given,
                          Device *device, StreamId stream) {
  TESSERA_CHECK(checkCount(parameters, given.size()));
  Arguments arguments;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Parameter &parameter = parameters[i];
    if (parameter.kind == Parameter::Kind::Stream) {
      arguments.parameters.push_back(Bound::stream(stream));
    } else if (!parameter.takesArgument()) {
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

} // namespace tessera::run
