// The table of ops: no op of a dialect is forgotten, and each instruction that a row names exists.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/gate/OpNeeds.h"

#include "tessera/atom/Instructions.h"
#include "tessera/driver/Registration.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Intrinsics.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

using namespace mlir;

namespace tessera::lower::test {

namespace {
/// Dialects of others of which every op has a row, except for those named: nothing lowers them, and
/// the gate refuses them. Of the other dialects of others UpstreamOpsTest.cpp says which ops
/// compute.
struct Complete {
  llvm::StringLiteral dialect;
  std::vector<llvm::StringRef> refused;
};
const Complete complete[] = {
    {"nvvm", {}},      {"arith", {"arith.scaling_extf", "arith.scaling_truncf"}},
    {"math", {}},      {"cf", {}},
    {"scf", {}},       {"ub", {}},
    {"cute_nvgpu", {}}};

/// Names of the rows that are of one op, not of a dialect.
std::set<std::string> rowsOfOps() {
  std::set<std::string> names;
  auto addAll = [&](llvm::StringRef dialect, llvm::StringRef ops) {
    for (llvm::StringRef op : llvm::split(ops, ' '))
      names.insert((dialect + "." + op).str());
  };
#define OPS(dialect, names) addAll(dialect, names);
#define OP(name, instructions) names.insert(name);
#define FORM(name, function) names.insert(name);
#include "tessera/lower/gate/OpNeeds.def"
  return names;
}
/// Dialects of which all ops pass.
std::set<std::string> rowsOfDialects() {
  std::set<std::string> names;
#define DIALECT(name, why) names.insert(name);
#include "tessera/lower/gate/OpNeeds.def"
  return names;
}

bool isIntrinsic(const std::string &name) {
  return llvm::Intrinsic::lookupIntrinsicID(name) != llvm::Intrinsic::not_intrinsic;
}

/// A context with all ops that a program may have.
struct OpNeeds : testing::Test {
  OpNeeds() : context(registry()) {
    context.loadAllAvailableDialects();
    DialectRegistry own;
    driver::registerOwnDialects(own);
    for (llvm::StringRef name : own.getDialectNames())
      ours.insert(name.str());
    ours.erase("builtin"); // which every registry has
  }
  static DialectRegistry registry() {
    DialectRegistry all;
    driver::registerAllDialects(all);
    return all;
  }
  MLIRContext context;
  std::set<std::string> ours;
};
} // namespace

/// An op of others passes only by a row of its own: one that a later MLIR adds is refused.
TEST_F(OpNeeds, ListOrRefuseEveryOpOfOthers) {
  const std::set<std::string> rows = rowsOfOps();
  std::map<std::string, int> listed, refused;
  for (RegisteredOperationName name : context.getRegisteredOperations()) {
    std::string op = name.getStringRef().str(), dialect = name.getDialectNamespace().str();
    if (ours.contains(dialect))
      continue;
    bool isRegister = op.starts_with("nvvm.read.ptx.sreg.");
    EXPECT_EQ(opRowOf(name).has_value(), rows.contains(op) || isRegister) << op;
    ++(opRowOf(name) ? listed : refused)[dialect];
  }
  for (const char *dialect :
       {"arith", "builtin", "cf", "func", "gpu", "llvm", "math", "nvvm", "scf", "ub", "vector"})
    EXPECT_GT(listed[dialect], 0) << dialect;
  for (const char *dialect : {"arith", "gpu", "llvm", "vector"})
    EXPECT_GT(refused[dialect], 0) << dialect;
  EXPECT_GT(listed["nvvm"], 150);
}

TEST_F(OpNeeds, HaveARowForEveryOpOfCompleteDialects) {
  for (const Complete &row : complete) {
    int ops = 0;
    for (RegisteredOperationName name : context.getRegisteredOperations())
      if (name.getDialectNamespace() == row.dialect) {
        ++ops;
        EXPECT_EQ(opRowOf(name).has_value(), !llvm::is_contained(row.refused, name.getStringRef()))
            << name.getStringRef().str();
      }
    EXPECT_GT(ops, 1) << row.dialect.str();
  }
}

TEST_F(OpNeeds, NameOpsThatExist) {
  for (const std::string &name : rowsOfOps())
    EXPECT_TRUE(OperationName(name, &context).isRegistered()) << name;
}

TEST_F(OpNeeds, LetWholeDialectsPassThatAreOurs) {
  for (const std::string &dialect : rowsOfDialects())
    EXPECT_TRUE(ours.contains(dialect)) << dialect;
  EXPECT_FALSE(opRowOf(OperationName("vector.drive", &context)));
  EXPECT_FALSE(opRowOf(OperationName("warp.drive", &context)));
}

/// What names a function may name an intrinsic, so its row looks at the name.
TEST_F(OpNeeds, LookAtWhatOpsReferTo) {
  int found = 0;
  for (RegisteredOperationName name : context.getRegisteredOperations()) {
    std::optional<OpRow> row = opRowOf(name);
    if (!name.hasInterface<SymbolUserOpInterface>() || !row ||
        ours.contains(name.getDialectNamespace().str()))
      continue;
    ++found;
    EXPECT_EQ(row->kind, OpRow::Form) << name.getStringRef().str();
  }
  EXPECT_GT(found, 3);
}

/// Each name is one of LLVM's intrinsics.
TEST_F(OpNeeds, NameIntrinsicsThatExist) {
#define INTRINSICS(names)                                                                          \
  for (llvm::StringRef name : llvm::split(names, ' '))                                             \
    EXPECT_TRUE(isIntrinsic("llvm." + name.str())) << name.str();
#include "tessera/lower/gate/OpNeeds.def"
}

TEST_F(OpNeeds, NameInstructionsOfTheTable) {
  struct Row {
    llvm::StringRef op, instructions;
  };
  const Row rows[] = {
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
