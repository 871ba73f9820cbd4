// A pass that is left out would have changed nothing: LLVM's own pass says so for every case.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/ptx/IdlePasses.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Transforms/Scalar/DeadStoreElimination.h"

#include <gtest/gtest.h>

namespace tessera::ptx {
namespace {

/// The body of a function, and whether LLVM removes or shortens a store of it.
struct Case {
  const char *name, *body;
  bool dead, asked; // what LLVM does, and whether we have it look
};
constexpr Case cases[] = {
    {"one", "store i32 1, ptr addrspace(1) %p", false, false},
    {"others", R"(%q = getelementptr i8, ptr addrspace(1) %p, i64 4
      store i32 1, ptr addrspace(1) %p
      store i32 2, ptr addrspace(1) %q)",
     false, false},
    {"other indices", R"(%q = getelementptr i32, ptr addrspace(1) %p, i64 %i
      %r = getelementptr i32, ptr addrspace(1) %p, i64 %j
      store i32 1, ptr addrspace(1) %q
      store i32 2, ptr addrspace(1) %r)",
     false, false},
    {"other strides", R"(%q = getelementptr i32, ptr addrspace(1) %p, i64 %i
      %r = getelementptr i64, ptr addrspace(1) %p, i64 %i
      store i32 1, ptr addrspace(1) %q
      store i32 2, ptr addrspace(1) %r)",
     false, false},
    {"other pointers", R"(store i32 1, ptr addrspace(1) %p
      store i32 2, ptr addrspace(3) %s)",
     false, false},
    {"twice", R"(store i32 1, ptr addrspace(1) %p
      store i32 2, ptr addrspace(1) %p)",
     true, true},
    {"with a read between", R"(store i32 1, ptr addrspace(1) %p
      %x = load i32, ptr addrspace(1) %p
      store i32 %x, ptr addrspace(3) %s
      store i32 2, ptr addrspace(1) %p)",
     false, true},
    {"twice at an index", R"(%q = getelementptr i32, ptr addrspace(1) %p, i64 %i
      %r = getelementptr i32, ptr addrspace(1) %p, i64 %i
      store i32 1, ptr addrspace(1) %q
      store i32 2, ptr addrspace(1) %r)",
     true, true},
    {"in steps", R"(%q = getelementptr i8, ptr addrspace(1) %p, i64 8
      %r = getelementptr i32, ptr addrspace(1) %q, i64 %i
      %t = getelementptr i32, ptr addrspace(1) %p, i64 %i
      %u = getelementptr i8, ptr addrspace(1) %t, i64 8
      store i32 1, ptr addrspace(1) %r
      store i32 2, ptr addrspace(1) %u)",
     true, true},
    {"a part", R"(%q = getelementptr i8, ptr addrspace(1) %p, i64 4
      store i32 1, ptr addrspace(1) %q
      store i64 2, ptr addrspace(1) %p)",
     true, true},
    {"in a branch", R"(br i1 %c, label %a, label %b
    a:
      %q = getelementptr i32, ptr addrspace(1) %p, i64 %i
      store i32 1, ptr addrspace(1) %q
      br label %b
    b:
      %r = getelementptr i32, ptr addrspace(1) %p, i64 %i
      store i32 2, ptr addrspace(1) %r)",
     true, true},
    {"what is there", R"(%x = load i32, ptr addrspace(1) %p
      store i32 %x, ptr addrspace(1) %p)",
     true, true},
    {"of its own", R"(%own = alloca i32
      store i32 1, ptr %own)",
     true, true},
    {"in a part of its own", R"(%own = alloca [4 x i32]
      %q = getelementptr i32, ptr %own, i64 %i
      store i32 1, ptr %q)",
     true, true},
    {"to a parameter", "store i32 1, ptr %v", true, true},
    {"after a fill", R"(call void @llvm.memset.p1.i64(ptr addrspace(1) %p, i8 0, i64 64, i1 false)
      call void @llvm.memset.p1.i64(ptr addrspace(1) %p, i8 1, i64 64, i1 false))",
     true, true},
};

/// Whether the pass changes the function.
bool changes(llvm::Function &function) {
  llvm::PassBuilder builder;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graphs;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graphs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graphs, modules);
  return !llvm::DSEPass().run(function, functions).areAllPreserved();
}

TEST(IdlePasses, DeadStoresAreLookedForWhereTheyMayBe) {
  for (const Case &one : cases) {
    std::string text = std::string(
                           R"(declare void @llvm.memset.p1.i64(ptr addrspace(1), i8, i64, i1)
    define void @f(ptr addrspace(1) %p, ptr addrspace(3) %s, ptr byval(i32) %v, i64 %i, i64 %j, i1 %c) nounwind {
    )") + one.body + "\n ret void }";
    llvm::LLVMContext context;
    llvm::SMDiagnostic error;
    std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(text, error, context);
    ASSERT_TRUE(module) << one.name << ": " << error.getMessage().str();
    llvm::Function &function = *module->getFunction("f");
    EXPECT_EQ(mayHaveDeadStores(function), one.asked) << one.name;
    EXPECT_EQ(changes(function), one.dead) << one.name;
  }
}

TEST(IdlePasses, CallsThroughPointers) {
  for (bool through : {false, true}) {
    std::string text = std::string(R"(declare void @g()
    define void @f(ptr %to) {
      call void asm sideeffect "bar.sync 0;", ""()
      call void )") + (through ? "%to" : "@g") +
                       "()\n ret void }";
    llvm::LLVMContext context;
    llvm::SMDiagnostic error;
    std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(text, error, context);
    ASSERT_TRUE(module) << error.getMessage().str();
    EXPECT_EQ(callsThroughPointers(*module), through);
  }
}

} // namespace
} // namespace tessera::ptx
