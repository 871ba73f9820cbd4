// Fuzzes .npy files: any bytes are an array that is written as it was read, or refused.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An array becomes a tensor of each type, or not. Half of the inputs are changed in their header,
// whose length is made right again.
#include "tessera/run/Npy.h"
#include "fuzz/Tokens.h"
#include "tessera/run/Tensor.h"

#include <cstdio>

using namespace tessera;
using namespace tessera::run;

namespace {

[[noreturn]] void wrong(const char *what, std::string_view text) {
  std::fprintf(stderr, "%s: %.*s\n", what, int(text.size()), text.data());
  __builtin_trap();
}

constexpr size_t shortHead = 10, longHead = 12; // magic, version, length

void tensors(const NpyArray &array) {
  for (std::optional<Dtype> type :
       {std::optional<Dtype>(), std::optional(Dtype::bf16), std::optional(Dtype::s4),
        std::optional(Dtype::e2m1), std::optional(Dtype::s64)}) {
    Result<Tensor> tensor = fromNpy(array, type);
    if (!tensor) {
      if (tensor.reason().text.empty())
        wrong("refused without a reason", tensor.reason().id);
      continue;
    }
    Result<NpyArray> again = toNpy(*tensor);
    if (!again)
      wrong("is not written", again.reason().text);
    if (type)
      continue;
    Result<Tensor> same = fromNpy(*again, tensor->dtype());
    if (!same)
      wrong("is not read again", same.reason().text);
    if (same->bytes().size() != tensor->bytes().size() ||
        (same->bytes().size() &&
         std::memcmp(same->bytes().data(), tensor->bytes().data(), same->bytes().size())))
      wrong("is read as another tensor", tensor->str());
  }
}

} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most,
                                          unsigned int seed) {
  if (seed % 2 || size < longHead)
    return LLVMFuzzerMutate(data, size, most);
  std::string file(reinterpret_cast<const char *>(data), size);
  size_t head = file[6] == 1 ? shortHead : longHead;
  size_t length = uint8_t(file[8]) | size_t(uint8_t(file[9])) << 8;
  length = std::min(length, size - head);
  std::string header = fuzz::TokenChange(file.substr(head, length), seed / 2).make();
  std::string data2 = file.substr(head + length);
  if (seed % 8 == 0) // as many elements as the file had, or not
    data2.resize((seed / 8) % 64);
  file.resize(head);
  file[8] = char(header.size());
  file[9] = char(header.size() >> 8);
  file += header + data2;
  if (file.size() > most)
    return LLVMFuzzerMutate(data, size, most);
  std::memcpy(data, file.data(), file.size());
  return file.size();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Result<NpyArray> array = parseNpy(std::as_bytes(std::span(data, size)));
  if (!array) {
    if (array.reason().text.empty())
      wrong("refused without a reason", array.reason().id);
    return 0;
  }
  if (array->data.size() > size)
    wrong("has more bytes than the file", str(array->type));
  std::string file = npyHeader(*array);
  file.append(reinterpret_cast<const char *>(array->data.data()), array->data.size());
  Result<NpyArray> again = parseNpy(bytesOf(file));
  if (!again)
    wrong("does not read back", again.reason().text);
  if (again->type != array->type || again->shape != array->shape ||
      again->data.size() != array->data.size())
    wrong("reads back as another array", file);
  tensors(*array);
  return 0;
}
