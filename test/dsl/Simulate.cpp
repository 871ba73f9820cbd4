// From a writer to numbers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/dsl/Simulate.h"

#include "tessera/driver/Compiler.h"
#include "tessera/dsl/Dsl.h"
#include "tessera/sanitize/Sanitizer.h"
#include "tessera/sim/Machine.h"

#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

#include <cstring>

namespace tessera::dsl::test {

std::string ptxOf(const std::function<void()> &write) {
  driver::Compiler compiler;
  Context context(&compiler.context());
  write();
  for (const Mistake &mistake : context.mistakes())
    ADD_FAILURE() << mistake.str();
  mlir::OwningOpRef<mlir::ModuleOp> module = context.finish();
  driver::CompileOptions options;
  if (!module || !compiler.lower(*module, options))
    return "";
  auto codes = compiler.translate(*module, options);
  return codes.ok() ? codes->front().ptx : "";
}

std::string moduleOf(const std::function<void()> &write) {
  driver::Compiler compiler;
  Context context(&compiler.context());
  write();
  mlir::OwningOpRef<mlir::ModuleOp> module = context.finish();
  EXPECT_TRUE(module);
  std::string text;
  if (module)
    llvm::raw_string_ostream(text) << *module << "\n";
  return text;
}

std::vector<float> simulate(const std::string &ptx, const char *name, uint32_t blocks,
                            uint32_t threads, uint32_t sharedBytes, const std::vector<float> &input,
                            size_t outputs, std::optional<float> number) {
  sim::Machine machine({.hostThreads = 1}, std::make_shared<sanitize::Sanitizer>());
  auto allocate = [&](size_t bytes) { return *machine.memory().allocate(bytes); };
  std::vector<float> output(outputs, -1);
  uint64_t pointers[] = {allocate(input.size() * 4), allocate(outputs * 4)};
  EXPECT_TRUE(machine.memory().write(pointers[0], std::as_bytes(std::span(input))));
  EXPECT_TRUE(machine.memory().write(pointers[1], std::as_bytes(std::span(output))));
  std::vector<std::byte> parameters(16 + (number ? 4 : 0));
  std::memcpy(parameters.data(), pointers, 16);
  if (number)
    std::memcpy(parameters.data() + 16, &*number, 4);
  Result<sim::Program> program = sim::Program::parse(ptx);
  EXPECT_TRUE(program.ok()) << program.reason().text;
  if (!program)
    return {};
  auto loaded = machine.load(std::make_shared<const sim::Program>(*std::move(program)));
  sim::LaunchConfig config{.grid = {blocks}, .block = {threads}, .dynamicShared = sharedBytes};
  sim::Status status = machine.launch(*loaded, name, config, parameters);
  EXPECT_TRUE(status) << status.reason().text;
  EXPECT_TRUE(machine.memory().read(std::as_writable_bytes(std::span(output)), pointers[1]));
  return output;
}

} // namespace tessera::dsl::test
