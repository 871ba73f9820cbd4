// Fuzzes tensors of callers (DLPack) and the parameters that take them: any numbers give a range of
// bytes that holds every element, and a value, or a reason.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An input is read field by field; where it ends, zeros follow.
#include "tessera/run/View.h"
#include "tessera/layout/Text.h"

#include <cstdio>
#include <cstring>

using namespace tessera;
using namespace tessera::run;

namespace {

[[noreturn]] void wrong(const char *what, const std::string &text) {
  std::fprintf(stderr, "%s: %s\n", what, text.c_str());
  __builtin_trap();
}

class Input {
public:
  Input(const uint8_t *data, size_t size) : data(data), size(size) {}
  template <class T> T take() {
    T out{};
    size_t count = std::min(sizeof(T), size);
    std::memcpy(&out, data, count);
    data += count;
    size -= count;
    return out;
  }
  /// Half of the numbers are small, so that they come through the checks.
  int64_t number() { return take<uint8_t>() % 2 ? take<int8_t>() : take<int64_t>(); }
  std::string text() {
    size_t count = std::min<size_t>(take<uint8_t>() % 64, size);
    std::string out(reinterpret_cast<const char *>(data), count);
    data += count;
    size -= count;
    return out;
  }

private:
  const uint8_t *data;
  size_t size;
};

/// Every element lies in the range, in numbers that do not overflow.
void checkRange(const DlTensor &t, const ByteRange &range) {
  std::vector<int64_t> shape = shapeOf(t), strides = stridesOf(t);
  __int128 last = 0;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0) {
      if (range.begin != range.end)
        wrong("has bytes, but no element", str(t));
      return;
    }
    if (shape[i] > 1)
      last += __int128(shape[i] - 1) * strides[i];
  }
  __int128 bytes = ((last + 1) * t.bits + 7) / 8;
  if (__int128(range.begin) + bytes != __int128(range.end))
    wrong("has another range", str(t));
}

Parameter parameter(Input &in) {
  Parameter out;
  out.kind = Parameter::Kind(in.take<uint8_t>() % 6);
  out.type = "t";
  static const char *const types[] = {"f32", "f16", "i1",   "i8",      "i32",
                                      "i64", "f64", "bf16", "f8E4M3FN"};
  out.element = *elementsOf(types[in.take<uint8_t>() % std::size(types)]);
  out.onDevice = in.take<uint8_t>() % 2;
  out.alignment = int64_t(1) << in.take<uint8_t>() % 8;
  out.divisor = 1 + in.take<uint8_t>() % 16;
  if (Result<layout::Layout> l = layout::parseLayout(in.text()); l)
    out.modes = Modes(*l);
  size_t leaves = 1;
  if (out.kind == Parameter::Kind::Tensor)
    for (size_t i = 0; i < out.modes.count(); ++i)
      leaves += !out.modes.extents[i].isStatic() + !out.modes.steps[i].isStatic();
  for (size_t i = 0; i < leaves; ++i)
    out.packing.leaves.push_back({i * 8, 64});
  out.packing.size = leaves * 8;
  return out;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Input in(data, size);
  Parameter taking = parameter(in);
  int64_t numbers[2 * maxRank];
  DlTensor t{};
  t.data = reinterpret_cast<void *>(in.take<uint64_t>());
  t.deviceType = in.take<int8_t>();
  t.rank = in.take<int8_t>() % 40;
  t.code = in.take<uint8_t>() % 16;
  t.bits = uint8_t(1 << in.take<uint8_t>() % 8);
  t.lanes = in.take<uint8_t>() % 4 ? 1 : in.take<uint16_t>();
  t.byteOffset = uint64_t(in.number());
  for (int64_t &number : numbers)
    number = in.number();
  t.shape = in.take<uint8_t>() % 16 ? numbers : nullptr;
  t.strides = in.take<uint8_t>() % 2 ? numbers + maxRank : nullptr;

  Result<ByteRange> range = rangeOf(t);
  if (!range) {
    if (range.reason().text.empty())
      wrong("refused without a reason", cat("rank ", t.rank));
  } else {
    checkRange(t, *range);
  }
  std::vector<std::byte> bytes(in.take<uint8_t>() % 32), out(taking.packing.size);
  CallArgument argument;
  argument.kind = CallArgument::Kind(in.take<uint8_t>() % 5);
  argument.tensor = &t;
  argument.integer = in.number();
  argument.real = in.take<double>();
  argument.address = in.take<uint64_t>();
  argument.bytes = bytes;
  // As callers do: a tensor has a range before it is bound.
  if (argument.kind == CallArgument::Kind::Tensor && !range)
    return 0;
  if (!taking.takesArgument())
    return 0;
  Status bound = bindCall(taking, argument, 0, in.take<uint64_t>(), out.data());
  if (!bound && bound.reason().text.empty())
    wrong("refused without a reason", str(argument));
  return 0;
}
