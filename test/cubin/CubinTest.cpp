// Cubins by their symbols: what ptxas may leave when it could not write all.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cubin/Cubin.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <random>

namespace tessera::cubin {
namespace {

void put(std::string &to, size_t at, uint64_t value, size_t bytes) {
  std::memcpy(to.data() + at, &value, bytes);
}

/// Two kernels, one of whose code is zeros, and a symbol of data. Offsets of the fields: ELF-64
/// Object File Format 1.5, figures 2, 8 and 16.
std::string sample() {
  using namespace std::string_literals;
  const std::string code = "code"s + std::string(4, '\0');
  const std::string names = "\0busy\0zeros\0data\0"s;
  std::string symbols(24, '\0');
  auto add = [&](std::string_view name, uint64_t info, uint64_t value) {
    std::string symbol(24, '\0');
    put(symbol, 0, names.find(name), 4);
    put(symbol, 4, info, 1);
    put(symbol, 6, 0, 2); // the section of the code
    put(symbol, 8, value, 8);
    put(symbol, 16, 4, 8);
    symbols += symbol;
  };
  add("busy", 0x12, 0); // a global function
  add("zeros", 0x12, 4);
  add("data", 0x11, 0); // a global object
  std::string out = "\x7f"s + "ELF\x02\x01\x01";
  out.resize(64);
  struct Section {
    uint64_t type, offset, size, link;
  };
  std::vector<Section> sections;
  for (const auto &[type, content, link] :
       {std::tuple(1, code, 0), {2, symbols, 2}, {3, names, 0}}) {
    sections.push_back({uint64_t(type), out.size(), content.size(), uint64_t(link)});
    out += content;
  }
  put(out, 18, 190, 2);
  put(out, 32, out.size(), 8);
  put(out, 40, out.size(), 8);
  put(out, 54, 56, 2);
  put(out, 58, 64, 2);
  put(out, 60, sections.size(), 2);
  put(out, 62, 2, 2);
  for (const Section &section : sections) {
    std::string header(64, '\0');
    put(header, 4, section.type, 4);
    put(header, 24, section.offset, 8);
    put(header, 32, section.size, 8);
    put(header, 40, section.link, 4);
    out += header;
  }
  return out;
}

Status check(const std::string &image, std::vector<std::string> kernels) {
  return checkKernels(std::as_bytes(std::span(image)), kernels);
}
std::string refusal(const Status &status) { return status ? "" : status.reason().text; }

TEST(Cubin, KernelsAreFunctionsWithCode) {
  EXPECT_EQ(refusal(check(sample(), {"busy"})), "");
  EXPECT_EQ(refusal(check(sample(), {})), "");
  for (const char *name : {"zeros", "data", "bus", "another", ""}) {
    Status status = check(sample(), {"busy", name});
    EXPECT_EQ(refusal(status), cat("expects the cubin to have the code of the kernel '", name,
                                   "', but it has 'busy'"));
    EXPECT_EQ(status.reason().id, "CubinEntry");
  }
}

TEST(Cubin, EveryPrefixIsRefused) {
  const std::string whole = sample();
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(check(whole.substr(0, size), {"busy"})) << size;
  EXPECT_EQ(check("", {}).reason().id, "CubinEmpty");
  EXPECT_EQ(check(whole.substr(0, 100), {}).reason().id, "CubinTruncated");
  EXPECT_EQ(check(std::string(100, 'x'), {}).reason().id, "NotACubin");
}

TEST(Cubin, DamagedOnesNeverCrash) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::string image = sample();
    for (int change = 0; change < 4; ++change)
      image[4 + random() % (image.size() - 4)] = char(random());
    (void)check(image, {"busy", "zeros"});
  }
}

} // namespace
} // namespace tessera::cubin
