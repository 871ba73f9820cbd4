// One instruction with given registers gives given registers: the lines of cases/*.txt.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   r1=5 r2=-3 : add.s32 r0, r1, r2; : r0=2
//
// Left what goes in, right what must come out, between them PTX. A register's letter gives its
// size: p, c (8 bits), h (16), r (32), d (64), q (128; in halves, q0=LOW/HIGH). Numbers are
// integers of any base, or decimals with a letter for their format: 1.5f f32, 1.5g f64, 1.5h
// f16, 1.5b bf16; inf and nan take the letter too. `r0~0.5f` allows 2^-20 of it. Every case runs in
// all 32 lanes, and again in a few of them, where the others must keep what they had.
#include "Harness.h"

#include <cmath>
#include <fstream>
#include <sstream>

namespace tessera::sim::test {

namespace {

struct Value {
  std::string name;
  char relation = '=';
  uint64_t low = 0, high = 0;
  double real = 0;
};

/// The f16 or bf16 nearest to a number, by the host's own conversion or by dropping bits of what is
/// exact.
uint64_t codeOf(double value, char format) {
  switch (format) {
  case 'f': return std::bit_cast<uint32_t>(float(value));
  case 'g': return std::bit_cast<uint64_t>(value);
  case 'h': return std::bit_cast<uint16_t>(_Float16(value));
  default: return std::bit_cast<uint32_t>(float(value)) >> 16;
  }
}

void number(const std::string &text, Value &to) {
  char last = text.back();
  bool isHex = text.find("0x") != text.npos;
  if (!isHex && (last == 'f' || last == 'g' || last == 'h' || last == 'b')) {
    to.real = std::strtod(text.substr(0, text.size() - 1).c_str(), nullptr);
    to.low = codeOf(to.real, last);
    return;
  }
  size_t slash = text.find('/');
  to.low = text[0] == '-' ? uint64_t(std::strtoll(text.c_str(), nullptr, 0))
                          : std::strtoull(text.c_str(), nullptr, 0);
  to.high = slash == text.npos ? 0 : std::strtoull(text.c_str() + slash + 1, nullptr, 0);
}

std::vector<Value> values(const std::string &text) {
  std::vector<Value> out;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    size_t at = word.find_first_of("=~");
    Value v{word.substr(0, at), word[at], 0, 0, 0};
    number(word.substr(at + 1), v);
    out.push_back(v);
  }
  return out;
}

int sizeOf(char letter) {
  return letter == 'p'   ? 1
         : letter == 'c' ? 8
         : letter == 'h' ? 16
         : letter == 'r' ? 32
         : letter == 'd' ? 64
                         : 128;
}

std::string put(const Value &v) {
  std::string bits = hex(v.low), n = v.name;
  switch (n[0]) {
  case 'p': return cat("  setp.ne.u32 ", n, ", ", v.low, ", 0;\n");
  case 'c': return cat("  mov.b16 {", n, ", c63}, ", v.low & 255, ";\n");
  case 'h': return cat("  mov.b16 ", n, ", ", v.low & 0xffff, ";\n");
  case 'r': return cat("  mov.b32 ", n, ", ", hex(v.low & 0xffffffff), ";\n");
  case 'd': return cat("  mov.b64 ", n, ", ", bits, ";\n");
  default:
    return cat("  mov.b64 d62, ", bits, ";\n  mov.b64 d63, ", hex(v.high), ";\n  mov.b128 ", n,
               ", {d62, d63};\n");
  }
}
/// Stores a register in 16 bytes at [out_ + 512 * index + 16 * lane].
std::string get(const Value &v, size_t index) {
  std::string n = v.name, at = cat("[d61+", 512 * index, "]");
  switch (n[0]) {
  case 'p': return cat("  selp.b32 r62, 1, 0, ", n, ";\n  st.global.b32 ", at, ", r62;\n");
  case 'c': return cat("  st.global.b8 ", at, ", ", n, ";\n");
  case 'q':
    return cat("  mov.b128 {d62, d63}, ", n, ";\n  st.global.v2.b64 ", at, ", {d62, d63};\n");
  default: return cat("  st.global.b", sizeOf(n[0]), " ", at, ", ", n, ";\n");
  }
}

struct Case {
  std::string where, code;
  std::vector<Value> in, out;
};

std::vector<Case> cases(const std::string &name) {
  std::vector<Case> all;
  std::ifstream file(std::string(TESSERA_SIM_TESTS) + "/cases/" + name + ".txt");
  int line = 0;
  for (std::string text; std::getline(file, text);) {
    ++line;
    text = text.substr(0, text.find('#'));
    size_t first = text.find(" : "), second = text.rfind(" : ");
    if (text.starts_with(": "))
      first = 0;
    if (first == text.npos || second == text.npos || second <= first)
      continue;
    all.push_back({cat(name, ".txt:", line, ": ", text), text.substr(first + 2, second - first - 2),
                   values(text.substr(0, first)), values(text.substr(second + 3))});
  }
  EXPECT_FALSE(all.empty()) << name;
  return all;
}

void run(const Case &c, uint32_t lanes) {
  std::string body =
      "  mov.u32 r61, %laneid;\n  mad.wide.u32 d61, r61, 16, out_;\n  shr.u32 r60, " + cat(lanes) +
      ", r61;\n  and.b32 r60, r60, 1;\n  setp.eq.u32 p60, r60, 0;\n";
  for (const Value &v : c.in)
    body += put(v);
  body += "  @p60 bra skipped;\n  " + c.code + "\nskipped:\n";
  for (size_t i = 0; i < c.out.size(); ++i)
    body += get(c.out[i], i);
  std::vector<uint32_t> got = results(body, 128 * c.out.size());
  for (size_t i = 0; i < c.out.size(); ++i)
    for (size_t lane = 0; lane < 32; ++lane) {
      const Value &want = c.out[i];
      const uint32_t *words = &got[128 * i + 4 * lane];
      int size = sizeOf(want.name[0]);
      uint64_t mask = size >= 64 ? ~uint64_t(0) : size == 1 ? 1 : (uint64_t(1) << size) - 1;
      uint64_t low = (uint64_t(words[1]) << 32 | words[0]) & mask,
               high = uint64_t(words[3]) << 32 | words[2];
      if (!(lanes >> lane &
            1)) { // nothing was computed here: what went in, or the zero of an unwritten register
        uint64_t before = 0;
        for (const Value &v : c.in)
          before = v.name == want.name ? v.low & mask : before;
        ASSERT_EQ(low, before) << c.where << "\n  in lane " << lane << ", which is not active";
      } else if (want.relation == '~') {
        double real =
            size == 64 ? std::bit_cast<double>(low) : double(std::bit_cast<float>(uint32_t(low)));
        ASSERT_NEAR(real, want.real, std::fabs(want.real) * 0x1p-20) << c.where;
      } else {
        ASSERT_EQ(hex(low), hex(want.low & mask))
            << c.where << "\n  " << want.name << " in lane " << lane;
        if (size == 128)
          ASSERT_EQ(high, want.high) << c.where;
      }
    }
}

class Cases : public testing::TestWithParam<const char *> {};
TEST_P(Cases, GiveWhatIsStated) {
  for (const Case &c : cases(GetParam()))
    for (uint32_t lanes : {0xffffffffu, 0x00108001u}) {
      run(c, lanes);
      if (HasFatalFailure())
        break;
    }
}
INSTANTIATE_TEST_SUITE_P(Files, Cases,
                         testing::Values("integer", "logic", "float", "compare", "convert", "move",
                                         "lanes", "video", "h200"),
                         [](const auto &info) { return std::string(info.param); });

} // namespace

} // namespace tessera::sim::test
