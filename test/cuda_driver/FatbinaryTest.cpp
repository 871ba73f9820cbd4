// Fat binaries: what is found in them, which text is chosen, and damaged ones.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Harness.h"
#include "TinyFatbinary.h"

#include "tessera/cuda_driver/Fatbinary.h"

#include <random>
#include <sys/mman.h>

namespace tessera::cuda_driver::test {
namespace {

std::span<const std::byte> bytes(const std::string &text) { return std::as_bytes(std::span(text)); }

/// Bytes that end where a page begins that nobody may touch: one byte too far ends the test.
class AtTheEdge {
public:
  static constexpr size_t room = 1 << 16;
  AtTheEdge() {
    void *pages =
        mmap(nullptr, 2 * room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT_NE(pages, MAP_FAILED);
    start = static_cast<std::byte *>(pages);
    EXPECT_EQ(mprotect(start + room, room, PROT_NONE), 0);
  }
  ~AtTheEdge() { munmap(start, 2 * room); }
  std::span<const std::byte> put(const std::string &content) {
    std::byte *at = start + room - content.size();
    std::memcpy(at, content.data(), content.size());
    return {at, content.size()};
  }

private:
  std::byte *start;
};

/// Texts, or a sentence that says why there are none.
void expectAnswer(const Result<std::vector<Texts>> &modules) {
  if (!modules)
    EXPECT_FALSE(modules.reason().text.empty());
  else
    for (const Texts &texts : *modules)
      for (const std::string &text : texts)
        EXPECT_LE(text.size(), size_t(1) << 30);
}

std::string ptx(const std::string &target) {
  return ".version 8.8\n.target " + target + "\n.address_size 64\n";
}

TEST(Fatbinary, HasTextsOfPtx) {
  std::string image = fatbinary({ptx("sm_75"), ptx("sm_90a")});
  Result<std::vector<Texts>> modules = ptxOf(image.data());
  ASSERT_TRUE(modules) << modules.reason().text;
  const std::vector<Texts> both{{ptx("sm_75"), ptx("sm_90a")}};
  EXPECT_EQ(*modules, both);
  EXPECT_EQ(*ptxOf(fatbinary({"machine code"}, 2).data()), (std::vector<Texts>{{}}));
  EXPECT_EQ(*ptxOf(ptx("sm_80").c_str()), (std::vector<Texts>{{ptx("sm_80")}}));
  EXPECT_EQ(ptxOf("").reason().id, "NotCode");
  EXPECT_EQ(ptxOf("no code").reason().id, "NotCode");
  // A wrapper of one, and of several that nvcc would link.
  struct {
    uint32_t magic, version;
    const void *header, *headers;
  } wrapper{0x466243b1, 1, image.data(), nullptr};
  EXPECT_EQ(*ptxOf(&wrapper), both);
  std::string other = fatbinary({ptx("sm_80")}), code = fatbinary({"machine code"}, 2);
  const void *headers[] = {image.data(), code.data(), other.data(), nullptr};
  wrapper.version = 2;
  wrapper.headers = headers;
  EXPECT_EQ(*ptxOf(&wrapper), (std::vector<Texts>{both[0], {ptx("sm_80")}}));
  headers[0] = nullptr;
  EXPECT_EQ(chooseAndLink(*ptxOf(&wrapper), *findGpu("h100")).reason().id, "NoPtx");
  image[20] = 1; // a file header shorter than it can be
  image[21] = 0;
  EXPECT_EQ(ptxOf(image.data()).reason().id, "Damaged");
}

/// Every field of the headers with values near its limits, and every beginning of a file: nothing
/// outside is read. Without a length, what the header states is where an image ends.
TEST(Fatbinary, DamagedOnesAreReadWithinTheirBounds) {
  AtTheEdge edge;
  std::string text = ptx("sm_80");
  std::string images[] = {fatbinary({ptx("sm_75"), ptx("sm_90a")}), fatbinary({"machine code"}, 2),
                          packedFatbinary(zstdFrame(text), text.size(), 0x8000),
                          packedFatbinary(lz4Block(text), text.size(), 0x2000)};
  for (const std::string &image : images) {
    size_t second = 16 + 64 + (ptx("sm_75").size() + 8) / 8 * 8;
    for (size_t width : {1, 2, 4, 8})
      for (size_t at = 0; at + width <= std::min(image.size(), second + 64); ++at)
        for (uint64_t value :
             {uint64_t(0), uint64_t(1), uint64_t(15), uint64_t(63), uint64_t(64), uint64_t(65),
              image.size() - 1, image.size(), image.size() + 1, image.size() - 16 - 64,
              uint64_t(0x7f), uint64_t(0xffff), uint64_t(1) << 31, ~uint64_t(0) - 15,
              ~uint64_t(0) - image.size(), ~uint64_t(0)}) {
          std::string damaged = image;
          std::memcpy(&damaged[at], &value, width);
          expectAnswer(ptxOfFile(edge.put(damaged)));
          if (at >= sizeof(uint64_t) * 2) // the same in memory: its header states the right size
            expectAnswer(ptxOf(edge.put(damaged).data()));
        }
    for (size_t size = 0; size < image.size(); ++size) {
      Result<std::vector<Texts>> modules = ptxOfFile(edge.put(image.substr(0, size)));
      EXPECT_FALSE(modules) << size;
      expectAnswer(modules);
    }
    EXPECT_TRUE(ptxOfFile(edge.put(image)) || ptxOfFile(edge.put(image)).reason().id == "NoZstd");
  }
}

/// A header cannot state more than there are addresses, and a wrapper in a file would be read where
/// the file says.
TEST(Fatbinary, AddressesAreNotTakenFromFiles) {
  std::string image = fatbinary({ptx("sm_80")});
  for (uint64_t size : {~uint64_t(0), ~uint64_t(0) - 16, uint64_t(1) << 63 | uint64_t(1) << 62}) {
    std::memcpy(&image[8], &size, 8);
    uint64_t whole = size + 16, end;
    if (whole < size ||
        __builtin_add_overflow(reinterpret_cast<uint64_t>(image.data()), whole, &end))
      EXPECT_EQ(ptxOf(image.data()).reason().id, "Damaged");
    EXPECT_EQ(ptxOfFile(bytes(image)).reason().id, "Damaged");
  }
  struct {
    uint32_t magic = 0x466243b1, version = 1;
    uint64_t header = 0x1000;
    uint64_t headers = 0x1000;
  } wrapper;
  for (uint32_t version : {0u, 1u, 2u, 3u}) {
    wrapper.version = version;
    std::string file(reinterpret_cast<const char *>(&wrapper), sizeof wrapper);
    EXPECT_EQ(ptxOfFile(bytes(file)).reason().id, "Damaged");
  }
  wrapper = {.version = 1, .header = 0};
  EXPECT_EQ(ptxOf(&wrapper).reason().id, "Damaged");
}

/// A few bytes cannot ask for much memory: LZ4 makes at most 255 bytes of one.
TEST(Fatbinary, TargetsAndSizesThatCannotBe) {
  for (const char *target :
       {"sm_99999999999", "sm_4294967386", "sm_", "sm_a", "sm_00000000000000000090"}) {
    Result<std::string> chosen = choose({ptx(target)}, *findGpu("h100"));
    EXPECT_EQ(bool(chosen), std::string(target).ends_with("0090")) << target;
  }
  std::string image = packedFatbinary(lz4Block("x"), (uint64_t(1) << 30) + 1, 0x2000);
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

TEST(Fatbinary, UnpacksZstd) {
  std::string text = ptx("sm_80"), image = packedFatbinary(zstdFrame(text), text.size(), 0x8000);
  Result<std::vector<Texts>> modules = ptxOf(image.data());
  if (!modules) {
    EXPECT_EQ(modules.reason().id, "NoZstd")
        << modules.reason().text; // a build without the library
    return;
  }
  EXPECT_EQ(*modules, (std::vector<Texts>{{text}}));
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
