// Every function of tessera/mlir_capi/Dialects.h where memory runs out.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What types say is our code: it gives false. Registration calls MLIR for each dialect, whose
// containers know no exceptions: as the header says, the process may end there, by abort() as LLVM
// ends it, and not in another way; where it goes on the registry can be used.
#include "Faults.h"
#include "tessera/mlir_capi/Dialects.h"

#include <array>
#include <csignal>
#include <fcntl.h>
#include <iterator>
#include <sys/wait.h>
#include <unistd.h>

using namespace tessera::test;

namespace {

void expect(bool good, const char *what, const char *of) {
  if (!good)
    wrong(what, of);
}

/// What a callback got, without memory.
struct Kept {
  std::array<char, 256> text{};
  size_t size = 0;
};
void keep(MlirStringRef piece, void *to) {
  auto *kept = static_cast<Kept *>(to);
  if (kept->size + piece.length < kept->text.size())
    std::memcpy(kept->text.data() + kept->size, piece.data, piece.length);
  kept->size += piece.length;
}

struct Row {
  const char *type, *value; // null: none
  bool isLayout, isTuple, isTensor, isCopyAtom, isMmaAtom;
  bool isStatic; // of those with a value
};
constexpr Row rows[] = {
    {"!cute.layout<\"((4,2),(8,4)):((1,4),(8,64))\">", "((4,2),(8,4)):((1,4),(8,64))", true, false,
     false, false, false, true},
    {"!cute.composed_layout<\"S<3,4,3> o 0 o (8,?):(?,1)\">", "S<3,4,3> o 0 o (8,?):(?,1)", true,
     false, false, false, false, false},
    {"!cute.shape<\"(((((1,2),3),4),5),(6,7),?)\">", "(((((1,2),3),4),5),(6,7),?)", false, true,
     false, false, false, false},
    {"!cute.memref<f16, gmem, \"(8,4):(4,1)\">", nullptr, false, false, true, false, false, false},
    {"i32", nullptr, false, false, false, false, false, false},
};

void types(MlirContext context) {
  for (const Row &row : rows) {
    MlirType type = mlirTypeParseGet(context, mlirStringRefCreateFromCString(row.type));
    expect(!mlirTypeIsNull(type), "a type", row.type);
    for (long n = 1;; ++n) {
      Kept kept;
      failAllocation(n);
      bool has = tesseraTypeValue(type, keep, &kept);
      bool failed = allocationFailed();
      failAllocation(0);
      if (has || !failed)
        expect(has == bool(row.value) && (!has || !std::strcmp(kept.text.data(), row.value)),
               "the value of a type", row.type);
      else
        expect(kept.size == 0, "a part of a value", row.type);
      if (!failed)
        break;
    }
    failAllocation(1);
    expect(tesseraTypeIsALayout(type) == row.isLayout, "a layout", row.type);
    expect(tesseraTypeIsATuple(type) == row.isTuple, "a tuple", row.type);
    expect(tesseraTypeIsATensor(type) == row.isTensor, "a tensor", row.type);
    expect(tesseraTypeIsACopyAtom(type) == row.isCopyAtom, "a copy atom", row.type);
    expect(tesseraTypeIsAnMmaAtom(type) == row.isMmaAtom, "an MMA atom", row.type);
    for (long n = 1;; ++n) {
      failAllocation(n);
      bool isStatic = tesseraTypeIsStatic(type);
      bool failed = allocationFailed();
      failAllocation(0);
      expect(!row.value || isStatic == (row.isStatic && !failed), "a static type", row.type);
      if (!failed)
        break;
    }
  }
}

/// f() in a process of its own with each allocation of it failing once; how often that ended it.
template <class F> int inChildren(const char *what, F f) {
  int ended = 0;
  for (long n = 1;; ++n) {
    pid_t child = fork();
    if (child == 0) {
      if (int nowhere = open("/dev/null", O_WRONLY); nowhere >= 0)
        dup2(nowhere, STDERR_FILENO); // LLVM's stack dumps
      alarm(60);
      failAllocation(n);
      f();
      _exit(allocationFailed() ? 1 : 0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
      return ended;
    bool aborted = WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
    if (!aborted && !(WIFEXITED(status) && WEXITSTATUS(status) == 1))
      wrong(what, WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "another exit code");
    ended += aborted;
  }
}

} // namespace

int main() {
  // In children first: what is registered for passes stays for the process.
  int dialects = inChildren("tesseraRegisterDialects", [] {
    MlirDialectRegistry registry = mlirDialectRegistryCreate();
    tesseraRegisterDialects(registry);
    bool failed = allocationFailed();
    failAllocation(0);
    mlirContextDestroy(mlirContextCreateWithRegistry(registry, false));
    mlirDialectRegistryDestroy(registry);
    _exit(failed ? 1 : 0);
  });
  int passes = inChildren("tesseraRegisterPasses", tesseraRegisterPasses);
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  tesseraRegisterDialects(registry);
  MlirContext context = mlirContextCreateWithRegistry(registry, false);
  mlirContextLoadAllAvailableDialects(context);
  types(context);
  mlirContextDestroy(context);
  mlirDialectRegistryDestroy(registry);
  std::printf("the C API of the dialects survives what runs out; MLIR ended the process %d times "
              "while dialects were registered, %d times while passes were\n",
              dialects, passes);
}
