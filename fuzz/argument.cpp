// Fuzzes what --arg takes: any text is an argument or refused with a reason.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines are the arguments of one command. Of those that are small, tensors are made.
#include "fuzz/Tokens.h"
#include "tessera/run/KernelArgument.h"

#include <cstdio>

using namespace tessera;
using namespace tessera::run;

TESSERA_FUZZ_TEXT()

namespace {

[[noreturn]] void wrong(const char *what, const std::string &text) {
  std::fprintf(stderr, "%s: %s\n", what, text.c_str());
  __builtin_trap();
}
template <class T> bool refused(const Result<T> &result, const std::string &text) {
  if (result)
    return false;
  if (result.reason().text.empty())
    wrong("refused without a reason", text);
  return true;
}

/// Its tensor, where it is in no file and so small that making it costs no more than reading its
/// text.
void make(const Argument &argument) {
  if (argument.kind == ArgumentKind::Scalar || argument.kind == ArgumentKind::File)
    return;
  int64_t count = 1;
  for (int64_t extent : argument.shape)
    if (extent > 256 || (count *= extent) > 256)
      return;
  if (argument.strides)
    for (int64_t step : *argument.strides)
      if (step > 256)
        return;
  Result<Tensor> tensor = makeTensor(argument, 1);
  if (!refused(tensor, argument.text) && tensor->size() != count)
    wrong("has another size", tensor->str());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view all(reinterpret_cast<const char *>(data), size);
  std::vector<std::string> lines;
  for (size_t at = 0; at < all.size() && lines.size() < 8;) {
    size_t end = std::min(all.find('\n', at), all.size());
    lines.emplace_back(all.substr(at, end - at));
    at = end + 1;
  }
  for (const std::string &line : lines) {
    Result<Argument> argument = parseArgument(line);
    if (!refused(argument, line))
      make(*argument);
    (void)refused(parseDtype(line), line);
  }
  Result<KernelArguments> arguments = parseKernelArguments(lines);
  if (refused(arguments, std::string(all)))
    return 0;
  std::vector<uint64_t> addresses(arguments->buffers.size(), 0x10000);
  for (const KernelArgument &argument : arguments->arguments) {
    Result<std::vector<std::byte>> bytes = bytesOf(argument, addresses);
    if (!refused(bytes, std::string(all)) && bytes->size() != argument.size)
      wrong("has another size", std::string(all));
  }
  return 0;
}
