// Runs PTX for tests, and checks at the end that every row of the table has been run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Harness.h"

#include "tessera/sanitize/Sanitizer.h"

#include <fstream>
#include <sstream>

namespace tessera::sim::test {

std::string kernelOf(const std::string &body, const std::string &module) {
  return ".version 8.8\n.target sm_100a\n.address_size 64\n" + module +
         ".visible .entry k(.param .u64 in, .param .u64 out) {\n"
         "  .reg .pred p<64>;\n  .reg .b8 c<64>;\n  .reg .b16 h<64>;\n  .reg .b32 r<64>;\n  .reg "
         ".b64 d<64>;\n  .reg .b128 q<64>;\n"
         "  .reg .b64 in_, out_;\n  ld.param.u64 in_, [in];\n  ld.param.u64 out_, [out];\n" +
         body + "\n  ret;\n}\n";
}

LastingSanitizer lastingSanitizer() {
  auto sanitizer = std::make_shared<sanitize::Sanitizer>(1000, false);
  return {sanitizer, [sanitizer]() -> const auto & { return sanitizer->reports(); }};
}

std::set<const InstructionRow *> &coveredRows() {
  static std::set<const InstructionRow *> rows;
  return rows;
}

std::string kernelFile(const std::string &name) {
  std::ifstream in(std::string(TESSERA_SIM_TESTS) + "/kernels/" + name);
  std::stringstream text;
  text << in.rdbuf();
  EXPECT_FALSE(text.str().empty()) << name;
  return text.str();
}

std::shared_ptr<const Program> parsed(const std::string &text) {
  Result<Program> program = Program::parse(text);
  EXPECT_TRUE(program) << program.reason().text;
  if (!program)
    return nullptr;
  for (const auto &[row, uses] : program->rowUses)
    coveredRows().insert(row);
  return std::make_shared<const Program>(*std::move(program));
}

Reason refused(const std::string &text) {
  Result<Program> program = Program::parse(text);
  EXPECT_FALSE(program) << text;
  return program ? Reason{} : program.reason();
}

namespace {
std::shared_ptr<sanitize::Sanitizer> sanitizerOf(const Limits &limits) {
  if (!limits.sanitize)
    return nullptr;
  return std::make_shared<sanitize::Sanitizer>(
      limits.maxReports.value_or(sanitize::defaultReports));
}
} // namespace

Bench::Bench(Limits limits) : sanitizer(sanitizerOf(limits)), machine(limits, sanitizer) {}

const std::vector<sanitize::Report> &Bench::reports() const { return sanitizer->reports(); }

Status Bench::launch(const std::string &text, const std::string &kernel, LaunchConfig config,
                     const std::vector<uint64_t> &parameters) {
  std::shared_ptr<const Program> program = parsed(text);
  if (!program)
    return Reason{"Test", "the program does not parse"};
  TESSERA_TRY(LoadedProgram loaded, machine.load(program));
  return machine.launch(loaded, kernel, config, std::as_bytes(std::span(parameters)));
}

std::vector<uint32_t> results(const std::string &body, size_t words, uint32_t threads,
                              const std::vector<uint32_t> &input, const std::string &module) {
  Bench bench;
  uint64_t in = bench.buffer(input), out = bench.buffer(std::vector<uint32_t>(words, 0xdeadbeef));
  Status status =
      bench.launch(kernelOf(body, module), "k", {.grid = {}, .block = {threads}}, {in, out});
  EXPECT_TRUE(status) << status.reason().text << "\n" << body;
  return bench.read<uint32_t>(out, words);
}

Reason failure(const std::string &body, uint32_t threads, Limits limits,
               const std::string &module) {
  Bench bench(limits);
  uint64_t buffer = bench.buffer(std::vector<uint32_t>(256));
  Status status =
      bench.launch(kernelOf(body, module), "k", {.grid = {}, .block = {threads}}, {buffer, buffer});
  EXPECT_FALSE(status) << body;
  return status ? Reason{} : status.reason();
}

void expectFails(const std::string &body, std::string_view id, const std::string &words,
                 uint32_t threads, Limits limits, const std::string &module) {
  Reason reason = failure(body, threads, limits, module);
  EXPECT_EQ(reason.id, id) << reason.text;
  EXPECT_NE(reason.text.find(words), std::string::npos) << reason.text;
}

namespace {
/// "Every instruction has a test" means that each row is bound by the program of some test.
class Coverage : public testing::Environment {
  void TearDown() override {
    if (testing::GTEST_FLAG(filter) != "*")
      return;
    for (const RowGroup &group : rowGroups())
      for (const InstructionRow &row : group.rows)
        EXPECT_TRUE(coveredRows().count(&row))
            << "no test runs the row '" << row.form << "' with operands '" << row.operands << "'";
  }
};
[[maybe_unused]] auto *coverage = testing::AddGlobalTestEnvironment(new Coverage);
} // namespace

} // namespace tessera::sim::test
