// Fuzzes fat binaries: any file is refused with a reason, or texts of PTX within it are given.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Half of the inputs are changed in fields of their headers, so that sizes and kinds are near those
// of a whole file. The inputs that begin it all are made by hand.
#include "tessera/cuda_driver/Fatbinary.h"
#include "test/cuda_driver/TinyFatbinary.h"

#include <cstdio>
#include <cstring>
#include <random>

using namespace tessera;
using namespace tessera::cuda_driver;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most,
                                          unsigned int seed) {
  if (seed % 2)
    return LLVMFuzzerMutate(data, size, most);
  std::mt19937_64 random(seed);
  constexpr char magic[] = "\x50\xed\x55\xba";
  if (size < 80 || std::memcmp(data, magic, 4) != 0) {
    std::string text = ".version 8.8\n.target sm_80\n";
    std::string seeds[] = {fatbinary({text, ".version 8.8\n.target sm_90a\n"}),
                           packedFatbinary(zstdFrame(text), text.size(), 0x8000),
                           packedFatbinary(lz4Block(text), text.size(), 0x2000)};
    const std::string &chosen = seeds[random() % std::size(seeds)];
    if (chosen.size() > most)
      return LLVMFuzzerMutate(data, size, most);
    std::memcpy(data, chosen.data(), size = chosen.size());
  }
  for (size_t n = random() % 3; n < 3; ++n) {
    size_t width = size_t(1) << (random() % 4), at = 4 + random() % (16 + 64 - 4) / width * width;
    if (at + width > size)
      continue;
    uint64_t values[] = {0,
                         1,
                         2,
                         16,
                         63,
                         64,
                         65,
                         size,
                         size - 1,
                         size + 1,
                         size - 16,
                         size - 80,
                         0x2000,
                         0x8000,
                         0xffff,
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
  Result<std::vector<Texts>> modules = ptxOfFile(bytes);
  // The same in the memory of a program, where its header states its true size or less.
  uint64_t stated = 0;
  if (size >= 16) {
    uint16_t header = 0;
    std::memcpy(&header, data + 6, 2);
    std::memcpy(&stated, data + 8, 8);
    if (!std::memcmp(data, "\x50\xed\x55\xba", 4) && header <= size && stated <= size - header) {
      Result<std::vector<Texts>> inMemory = ptxOf(bytes.data());
      if (bool(inMemory) != bool(modules) || (modules && *inMemory != *modules)) {
        std::fprintf(stderr, "a file and its image in memory differ\n");
        __builtin_trap();
      }
    }
  }
  auto hasReason = [](const auto &result) {
    if (result || !result.reason().text.empty())
      return;
    std::fprintf(stderr, "refused without a reason\n");
    __builtin_trap();
  };
  hasReason(modules);
  if (modules)
    hasReason(chooseAndLink(*std::move(modules), *findGpu("h100")));
  return 0;
}
