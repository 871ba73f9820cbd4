// The table of ops: no op of a dialect is forgotten, and each instruction that a row names exists.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/gate/OpNeeds.h"

#include "tessera/atom/Instructions.h"
#include "tessera/driver/Registration.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"

#include <gtest/gtest.h>

#include <map>

using namespace mlir;

namespace tessera::lower::test {

namespace {
/// Ops that no lowering takes; the gate refuses them by name.
constexpr llvm::StringLiteral unlisted[] = {"arith.scaling_extf", "arith.scaling_truncf"};
} // namespace

TEST(OpNeeds, HaveEveryOpOfADialect) {
  DialectRegistry registry;
  driver::registerAllDialects(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  std::map<std::string, int> ops;
  for (RegisteredOperationName name : context.getRegisteredOperations()) {
    llvm::StringRef dialect = name.getDialectNamespace();
    if (!llvm::is_contained({"nvvm", "arith", "math", "cute_nvgpu"}, dialect))
      continue;
    ++ops[dialect.str()];
    EXPECT_EQ(opRowOf(name).has_value(), !llvm::is_contained(unlisted, name.getStringRef()))
        << name.getStringRef().str();
  }
  EXPECT_GT(ops["nvvm"], 150);
  EXPECT_GT(ops["arith"], 40);
  EXPECT_GT(ops["math"], 40);
  EXPECT_GT(ops["cute_nvgpu"], 40);
  EXPECT_FALSE(opRowOf(OperationName("gpu.subgroup_reduce", &context)));
  EXPECT_FALSE(opRowOf(OperationName("warp.drive", &context)));
}

TEST(OpNeeds, NameInstructionsOfTheTable) {
  struct Row {
    llvm::StringRef op, instructions;
  };
  const Row rows[] = {
#define DIALECT(name, why)
#define OPS(dialect, names)
#define FORM(name, function)
#define OP(name, instructions) {name, instructions},
#include "tessera/lower/gate/OpNeeds.def"
  };
  for (const Row &row : rows)
    for (llvm::StringRef text : llvm::split(row.instructions, ' ')) {
      bool known = text.starts_with("%") ? atom::availabilityOfRegister(text).ok()
                                         : atom::availabilityOf({text}).ok();
      EXPECT_TRUE(known) << row.op.str() << " names " << text.str();
    }
}

} // namespace tessera::lower::test
