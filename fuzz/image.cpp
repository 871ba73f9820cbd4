// Fuzzes cubins and what a device is given: any bytes are refused with a reason, or names inside
// them are given.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Half of the inputs are changed in fields of their ELF headers, so that offsets, sizes and counts
// are near those of a whole file. The one input that begins it all is a cubin made by hand.
#include "tessera/cubin/Cubin.h"
#include "tessera/run/ModuleImage.h"
#include "test/run/TinyCubin.h"

#include <cstdio>
#include <cstring>
#include <random>

using namespace tessera;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

namespace {

[[noreturn]] void wrong(const char *what, const std::string &text) {
  std::fprintf(stderr, "%s: %s\n", what, text.c_str());
  __builtin_trap();
}

} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most,
                                          unsigned int seed) {
  if (seed % 2)
    return LLVMFuzzerMutate(data, size, most);
  std::mt19937_64 random(seed);
  if (size < 64 || !cubin::isElf(std::as_bytes(std::span(data, size)))) {
    std::string tiny = run::tinyCubin();
    if (tiny.size() > most)
      return LLVMFuzzerMutate(data, size, most);
    std::memcpy(data, tiny.data(), size = tiny.size());
  }
  for (size_t n = random() % 3; n < 3; ++n) {
    size_t width = size_t(1) << (1 + random() % 3), at = random() % (size / width) * width;
    if (random() % 2 && size >= 128) // in the last headers
      at = (size - 1 - random() % std::min<size_t>(size, 320)) / width * width;
    if (at + width > size)
      continue;
    uint64_t values[] = {0,
                         1,
                         size,
                         size - 1,
                         size + 1,
                         64,
                         56,
                         190,
                         3,
                         8,
                         2,
                         0xffff,
                         0xff00,
                         0xffffffff,
                         ~uint64_t(0),
                         ~uint64_t(63),
                         uint64_t(1) << 63,
                         random() % (size + 1)};
    uint64_t value = values[random() % std::size(values)];
    std::memcpy(data + at, &value, width);
  }
  return size;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // In memory of its own, so that one byte too far is seen.
  std::vector<std::byte> bytes(size);
  if (size)
    std::memcpy(bytes.data(), data, size);
  Result<run::ModuleImage> image = run::inspectImage(bytes);
  if (!image && image.reason().text.empty())
    wrong("refused without a reason", std::string(image.reason().id));
  Result<std::vector<std::string>> names = cubin::kernelsOf(bytes);
  if (!names)
    return 0;
  for (const std::string &name : *names)
    if (name.size() > size)
      wrong("a name is longer than the file", name);
  names->push_back("gemm");
  Status whole = cubin::checkKernels(bytes, *names);
  if (!whole && whole.reason().text.empty())
    wrong("refused without a reason", std::string(whole.reason().id));
  return 0;
}
