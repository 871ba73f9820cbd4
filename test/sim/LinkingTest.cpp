// Several modules of PTX as one: what nvcc -rdc=true leaves to the driver.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/ptx_text/Linking.h"
#include "Harness.h"
#include "tessera/ptx_text/CodePlace.h"

namespace tessera::sim::test {

namespace {

constexpr const char *header = ".version 8.0\n.target sm_80\n.address_size 64\n";

// out[0] = twice(bias) + own(), where `bias` and `twice` are the other module's, and `own` is not.
std::string user() {
  return std::string(header) + R"(.file 1 "/src/user.cu"
.extern .global .align 4 .u32 bias;
.extern .func (.param .b32 r) twice(.param .b32 a);
.weak .func (.param .b32 r) same(.param .b32 a);
.weak .func (.param .b32 r) same(.param .b32 a) { .reg .b32 %r; ld.param.b32 %r, [a]; st.param.b32 [r], %r; ret; }
.func (.param .b32 r) own() ;
.global .align 8 .u64 table[2] = {own, twice};
.func (.param .b32 r) own() { .reg .b32 %r; mov.b32 %r, 100; st.param.b32 [r], %r; ret; }
.visible .entry go(.param .u64 out) {
  .reg .b32 %a, %b; .reg .b64 %p;
  .loc 1 7 3
  ld.global.u32 %a, [bias];
  { .param .b32 x; .param .b32 y; st.param.b32 [x], %a; call (y), twice, (x); ld.param.b32 %a, [y]; }
  { .param .b32 y; call (y), own, (); ld.param.b32 %b, [y]; }
  add.u32 %a, %a, %b;
  { .param .b32 x; .param .b32 y; st.param.b32 [x], %a; call (y), same, (x); ld.param.b32 %a, [y]; }
  ld.param.u64 %p, [out];
  st.global.u32 [%p], %a;
  ret;
}
)";
}
std::string definer() {
  return R"(.version 8.7
.target sm_90
.address_size 64
.file 1 "/src/definer.cu"
.visible .global .align 4 .u32 bias = 21;
.global .align 4 .b8 table[16] = {1, 2};
.weak .func (.param .b32 r) same(.param .b32 a) { .reg .b32 %r; ld.param.b32 %r, [a]; st.param.b32 [r], %r; ret; }
.func (.param .b32 r) own(.param .b32 a) { .reg .b32 %r;
  .loc 1 3 9, function_name $L__info_string0, inlined_at 1 5 2
  ld.param.b32 %r, [a]; add.u32 %r, %r, %r; st.param.b32 [r], %r; ret; }
.visible .func (.param .b32 r) twice(.param .b32 a) {
  .reg .b32 %a; .param .b32 x; .param .b32 y;
  ld.param.b32 %a, [a]; st.param.b32 [x], %a; call (y), own, (x); ld.param.b32 %a, [y]; st.param.b32 [r], %a; ret;
}
.section .debug_str { $L__info_string0: .b8 111,119,110,0 }
)";
}

TEST(Linking, ModulesUseWhatOthersDefine) {
  for (bool definerFirst : {false, true}) {
    std::vector<std::string> modules{user(), definer()};
    if (definerFirst)
      std::swap(modules[0], modules[1]);
    Result<std::string> linked = ptx_text::link(modules);
    ASSERT_TRUE(linked) << linked.reason().text;
    Result<Program> program = Program::parse(*linked);
    ASSERT_TRUE(program) << program.reason().text << "\n" << *linked;
    EXPECT_EQ(program->target, "sm_90"); // the newest of both
    Bench bench;
    uint64_t out = bench.buffer(std::vector<uint32_t>(1));
    Status ran = bench.launch(*linked, "go", {}, {out});
    ASSERT_TRUE(ran) << ran.reason().text;
    EXPECT_EQ(bench.read<uint32_t>(out, 1)[0], 142u);
  }
}

/// A line of code keeps the place that its module states.
TEST(Linking, PlacesOfTheSourceStay) {
  std::string linked = *ptx_text::link({user(), definer()});
  auto placeOfLineWith = [&](std::string_view text) {
    size_t at = linked.find(text);
    EXPECT_NE(at, linked.npos);
    return ptx_text::placeOf(
               linked, 1 + int(std::count(linked.begin(), linked.begin() + ptrdiff_t(at), '\n')))
        .source;
  };
  EXPECT_EQ(placeOfLineWith("ld.global.u32 %a, [bias]"), "/src/user.cu:7:3");
  EXPECT_EQ(placeOfLineWith("add.u32 %r, %r, %r"),
            "/src/definer.cu:3:9 (from /src/definer.cu:5:2)");
}

TEST(Linking, RefusesTwoDefinitions) {
  std::string one = std::string(header) + ".visible .global .u32 x;\n";
  EXPECT_EQ(ptx_text::link({one, one}).reason().text,
            "line 4: 'x' is defined in another module too; one definition may be .visible, and the "
            "others "
            ".weak\n  .visible .global .u32 x;");
  std::string weak = std::string(header) + ".weak .global .u32 x = 5;\n";
  for (auto &modules : {std::vector{one, weak}, {weak, one}})
    EXPECT_EQ(ptx_text::link(modules)->find("= 5"), std::string::npos); // the visible one is taken
  EXPECT_EQ(ptx_text::link({one, std::string(header) + ".global .u32 y /* "}).reason().id,
            "Unterminated");
}

} // namespace

} // namespace tessera::sim::test
