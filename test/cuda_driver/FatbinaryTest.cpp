// Fat binaries: what is found in them, which text is chosen, and damaged ones.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Harness.h"

#include "tessera/cuda_driver/Fatbinary.h"

#include <random>

namespace tessera::cuda_driver::test {
namespace {

std::span<const std::byte> bytes(const std::string &text) { return std::as_bytes(std::span(text)); }

std::string ptx(const std::string &target) {
  return ".version 8.8\n.target " + target + "\n.address_size 64\n";
}

/// A fat binary as nvcc writes it without compression: a header, and a file for each text.
std::string fatbinary(const std::vector<std::string> &texts, uint16_t kind = 1) {
  std::string files;
  auto put = [](std::string &out, uint64_t value, size_t size) {
    out.append(reinterpret_cast<const char *>(&value), size);
  };
  for (std::string text : texts) {
    text.resize((text.size() + 8) / 8 * 8); // padded with zeros
    put(files, kind, 2), put(files, 0x101, 2), put(files, 64, 4), put(files, text.size(), 8);
    files.append(48, '\0');
    files += text;
  }
  std::string out;
  put(out, 0xba55ed50, 4), put(out, 1, 2), put(out, 16, 2), put(out, files.size(), 8);
  return out + files;
}

TEST(Fatbinary, HasTextsOfPtx) {
  std::string image = fatbinary({ptx("sm_75"), ptx("sm_90a")});
  Result<std::vector<std::string>> texts = ptxOf(image.data());
  ASSERT_TRUE(texts) << texts.reason().text;
  EXPECT_EQ(*texts, (std::vector<std::string>{ptx("sm_75"), ptx("sm_90a")}));
  EXPECT_TRUE(ptxOf(fatbinary({"machine code"}, 2).data())->empty());
  EXPECT_EQ(ptxOf(ptx("sm_80").c_str())->size(), 1u);
  EXPECT_EQ(ptxOf("").reason().id, "NotCode");
  EXPECT_EQ(ptxOf("no code").reason().id, "NotCode");
  // A wrapper of one, and of several that nvcc would link.
  struct {
    uint32_t magic, version;
    const void *header, *headers;
  } wrapper{0x466243b1, 1, image.data(), nullptr};
  EXPECT_EQ(ptxOf(&wrapper)->size(), 2u);
  std::string other = fatbinary({ptx("sm_80")});
  const void *modules[] = {image.data(), other.data(), nullptr};
  wrapper.version = 2;
  wrapper.headers = modules;
  EXPECT_EQ(ptxOf(&wrapper).reason().id, "SeveralModules");
  image[20] = 1; // a file header shorter than it can be
  image[21] = 0;
  EXPECT_EQ(ptxOf(image.data()).reason().id, "Damaged");
}

/// PTX ISA 11.1.2: older targets run on newer GPUs; `a` is for one, `f` for a family.
TEST(Fatbinary, TheNewestTextThatRunsIsChosen) {
  struct {
    const char *gpu;
    std::vector<std::string> targets;
    const char *chosen;
  } cases[] = {
      {"h100", {"sm_52", "sm_80", "sm_75"}, "sm_80"},
      {"h100", {"sm_90", "sm_90a", "sm_100"}, "sm_90a"},
      {"b200", {"sm_80", "sm_90a"}, "sm_80"},
      {"b300", {"sm_100f", "sm_100a", "sm_90"}, "sm_100f"},
      {"a100", {"sm_86", "sm_80"}, "sm_80"},
  };
  for (const auto &c : cases) {
    std::vector<std::string> texts;
    for (const std::string &target : c.targets)
      texts.push_back(ptx(target));
    EXPECT_EQ(*choose(texts, *findGpu(c.gpu)), ptx(c.chosen)) << c.gpu;
  }
  Result<std::string> none = choose({ptx("sm_90a")}, *findGpu("b200"));
  EXPECT_EQ(none.reason().id, "NoPtxForGpu");
  EXPECT_EQ(none.reason().text,
            "the code has PTX for sm_90a, but TESSERA_GPU is b200 (sm_100); choose a GPU that runs "
            "it, or compile for this one");
  EXPECT_EQ(choose({}, *findGpu("b200")).reason().id, "NoPtx");
}

/// A frame of one raw block, written down by RFC 8878.
TEST(Fatbinary, UnpacksZstd) {
  std::string text = ptx("sm_80"), frame = "\x28\xb5\x2f\xfd\x20";
  frame += char(text.size());
  frame += char(text.size() << 3 | 1);
  frame += char(text.size() >> 5);
  frame += '\0';
  frame += text;
  std::string image = fatbinary({frame});
  uint64_t flags = 0x8000, packed = frame.size(), unpacked = text.size();
  std::memcpy(&image[16 + 16], &packed, 4);
  std::memcpy(&image[16 + 40], &flags, 8);
  std::memcpy(&image[16 + 56], &unpacked, 8);
  Result<std::vector<std::string>> texts = ptxOf(image.data());
  if (!texts) {
    EXPECT_EQ(texts.reason().id, "NoZstd") << texts.reason().text; // a build without the library
    return;
  }
  EXPECT_EQ(*texts, (std::vector<std::string>{text}));
  image[16 + 64] = 'X'; // another magic number
  EXPECT_EQ(ptxOf(image.data()).reason().id, "Damaged");
}

/// Sequences written down by the block format: a token of two lengths, literals, an offset.
TEST(Fatbinary, UnpacksLz4) {
  auto unpacked = [](const std::string &packed, size_t size) {
    Result<std::string> out = unpackLz4(bytes(packed), size);
    return out ? *out : std::string(out.reason().id);
  };
  using namespace std::string_literals;
  EXPECT_EQ(unpacked("\x50hello"s, 5), "hello");
  EXPECT_EQ(unpacked("\x35"
                     "abc\x03\x00\x10!"s,
                     13),
            "abcabcabcabc!"); // a match of 9 that overlaps
  std::string longer = "\xf0\x05" + std::string(20, 'x');
  EXPECT_EQ(unpacked(longer, 20), std::string(20, 'x')); // 15 + 5 literals
  EXPECT_EQ(unpacked("\x1f"
                     "a\x01\x00\x03\x00"s,
                     23),
            std::string(23, 'a')); // 1, then 15 + 3 + 4
  EXPECT_EQ(unpacked("\x35"
                     "abc\x04\x00"s,
                     13),
            "Damaged"); // before the beginning
  EXPECT_EQ(unpacked("\x35"
                     "abc\x00\x00"s,
                     13),
            "Damaged");
  EXPECT_EQ(unpacked("\x50hell"s, 5), "Damaged");
  EXPECT_EQ(unpacked("\x50hello"s, 4), "Damaged");
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) { // nothing crashes
    std::string damaged(random() % 40, '\0');
    for (char &c : damaged)
      c = char(random());
    (void)unpackLz4(bytes(damaged), random() % 100);
  }
}

} // namespace
} // namespace tessera::cuda_driver::test
