// Compiles programs and compares elements.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Comparison.h"

#include "tessera/sanitize/Report.h"
#include "tessera/sanitize/Sanitizer.h"
#include "tessera/sim/Machine.h"
#include "tessera/sim/Program.h"
#include "tessera/tile_bytecode/Reader.h"
#include "tessera/tile_eval/Interpreter.h"
#include "tessera/tile_io/TileIo.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace tessera::tile_lower::test {

using namespace tile_eval;

uint32_t Compiled::threads() const {
  const std::string word = ".reqntid ";
  size_t at = ptx.find(word);
  return at == ptx.npos ? 0 : uint32_t(std::strtoul(&ptx[at + word.size()], nullptr, 10));
}

Compiled compile(driver::Compiler &compiler, const std::string &program, const char *arch,
                 int level) {
  Compiled out;
  mlir::ScopedDiagnosticHandler handler(&compiler.context(), [&](mlir::Diagnostic &diagnostic) {
    if (out.error.empty())
      out.error = diagnostic.str();
    return mlir::success();
  });
  llvm::SourceMgr source;
  source.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(program), {});
  mlir::OwningOpRef<mlir::ModuleOp> module = compiler.read(source);
  driver::CompileOptions options;
  options.arch = arch;
  options.lowering.tileLevel = level;
  if (!module || !compiler.lower(*module, options))
    return out;
  Result<std::vector<driver::DeviceCode>> code = compiler.translate(*module, options);
  if (code && code->size() == 1)
    out.ptx = code->front().ptx;
  else if (out.error.empty())
    out.error = code ? "no single module" : code.reason().text;
  return out;
}

/// Sums of many numbers are rounded in another order.
static double toleranceOf(TypeKind kind) {
  switch (kind) {
  case TypeKind::F64: return 1e-12;
  case TypeKind::F32: return 4e-5;
  case TypeKind::TF32:
  case TypeKind::F16: return 4e-3;
  case TypeKind::BF16: return 3e-2;
  default: return 0.26; // 2 bits of mantissa
  }
}

Match compareCodes(TypeKind kind, uint64_t a, uint64_t b) {
  if (a == b)
    return Match::Equal;
  if (!isFloat(kind) || bitsOf(kind) < 8)
    return Match::Different;
  double x = decode(kind, a), y = decode(kind, b);
  if (std::isnan(x) || std::isnan(y))
    return std::isnan(x) && std::isnan(y) ? Match::Equal : Match::Different;
  double largest = std::max({1.0, std::fabs(x), std::fabs(y)});
  return std::fabs(x - y) <= toleranceOf(kind) * largest ? Match::Close : Match::Different;
}

//===--- Programs as text

size_t Array::elementBytes() const { return std::max<size_t>(1, rowOf(kind).memoryBits / 8); }
uint64_t Array::code(size_t i) const {
  uint64_t out = 0;
  std::memcpy(&out, &bytes[i * elementBytes()], elementBytes());
  return out;
}
void Array::setCode(size_t i, uint64_t code) {
  std::memcpy(&bytes[i * elementBytes()], &code, elementBytes());
}
Array newArray(TypeKind kind, size_t count) {
  Array out{kind, {}};
  out.bytes.resize(count * out.elementBytes());
  return out;
}
TypeKind kindNamed(std::string_view name) {
  for (size_t k = 0; k < std::size(tile_bytecode::typeRows); ++k)
    if (tile_bytecode::typeRows[k].text == name)
      return TypeKind(k);
  std::abort(); // a slip of the test
}

/// What a launch leaves: its arrays, and what it printed.
struct Outcome {
  std::vector<Array> arrays;
  std::string output;
};

static Result<Outcome> interpreted(driver::Compiler &compiler, const std::string &text,
                                   std::vector<Array> arrays, const Setup &setup) {
  mlir::OwningOpRef<mlir::ModuleOp> parsed =
      mlir::parseSourceString<mlir::ModuleOp>(text, &compiler.context());
  if (!parsed)
    return Reason{"Parse", "is not parsed"};
  auto bytecode = tile_io::writeBytecode(*parsed->getOps<cuda_tile::TileModuleOp>().begin(),
                                         tile_bytecode::newestVersion);
  if (mlir::failed(bytecode))
    return Reason{"Write", "is not written"};
  TESSERA_TRY(tile_bytecode::Program program,
              tile_bytecode::read(std::as_bytes(std::span(*bytecode))));
  Interpreter interpreter(program);
  std::vector<uint64_t> arguments;
  for (Array &array : arrays) {
    interpreter.memory().add(array.bytes.data(), array.bytes.size());
    arguments.push_back(reinterpret_cast<uint64_t>(array.bytes.data()));
  }
  for (const Number &number : setup.numbers)
    arguments.push_back(number.code);
  auto [x, y, z] = setup.grid;
  // Alignment is that of the simulator's memory.
  TESSERA_CHECK(interpreter.launch("k", {x, y, z}, arguments, {.checksAssumptions = false}));
  return Outcome{std::move(arrays), interpreter.takeOutput()};
}

static Result<Outcome> simulated(const Compiled &code, std::vector<Array> arrays,
                                 const Setup &setup) {
  auto sanitizer = setup.sanitizes ? std::make_shared<sanitize::Sanitizer>() : nullptr;
  sim::Machine machine({.hostThreads = 1, .shuffle = setup.shuffle}, sanitizer);
  std::vector<uint64_t> there;
  std::vector<std::byte> parameters;
  auto add = [&](uint64_t code, size_t size) {
    parameters.resize((parameters.size() + size - 1) / size * size + size);
    std::memcpy(&parameters[parameters.size() - size], &code, size);
  };
  for (const Array &array : arrays) {
    TESSERA_TRY(uint64_t address, machine.memory().allocate(array.bytes.size()));
    TESSERA_CHECK(machine.memory().write(address, array.bytes));
    there.push_back(address);
    add(address, sizeof address);
  }
  for (const Number &number : setup.numbers)
    add(number.code, std::max<size_t>(1, rowOf(number.kind).memoryBits / 8));
  TESSERA_TRY(sim::Program program, sim::Program::parse(code.ptx));
  TESSERA_TRY(sim::LoadedProgram loaded,
              machine.load(std::make_shared<const sim::Program>(std::move(program))));
  auto [x, y, z] = setup.grid;
  TESSERA_CHECK(machine.launch(loaded, "k", {.grid = {x, y, z}, .block = {code.threads(), 1, 1}},
                               parameters));
  for (size_t i = 0; i < arrays.size(); ++i)
    TESSERA_CHECK(machine.memory().read(arrays[i].bytes, there[i]));
  return Outcome{std::move(arrays), machine.takeOutput()};
}

/// Where two outcomes differ; empty if nowhere.
static std::string compared(const Outcome &expected, const Outcome &got,
                            const std::vector<Match> &least) {
  for (size_t a = 0; a < expected.arrays.size(); ++a)
    for (size_t i = 0; i < expected.arrays[a].size(); ++i) {
      uint64_t p = expected.arrays[a].code(i), q = got.arrays[a].code(i);
      if (compareCodes(expected.arrays[a].kind, p, q) > least[a]) {
        char numbers[80];
        std::snprintf(numbers, sizeof numbers, "expected 0x%llx, got 0x%llx",
                      static_cast<unsigned long long>(p), static_cast<unsigned long long>(q));
        return cat("element ", i, " of array ", a, ": ", numbers);
      }
    }
  if (expected.output != got.output)
    return cat("expected to print '", expected.output, "', but got '", got.output, "'");
  return {};
}

std::string difference(driver::Compiler &compiler, const std::string &text,
                       const std::vector<Array> &arrays, const Setup &setup, Match least) {
  return difference(compiler, text, arrays, setup, std::vector(arrays.size(), least));
}
std::string difference(driver::Compiler &compiler, const std::string &text,
                       const std::vector<Array> &arrays, const Setup &setup,
                       const std::vector<Match> &least) {
  Compiled code = compile(compiler, text, setup.arch, setup.level);
  if (code.ptx.empty())
    return code.error.empty() ? "no code" : code.error;
  if (code.ptx.find(setup.instruction) == code.ptx.npos)
    return cat("expected ", setup.instruction, " in the PTX");
  auto expected = interpreted(compiler, text, arrays, setup);
  if (!expected)
    return cat("the interpreter: ", expected.reason().text);
  auto got = simulated(code, arrays, setup);
  if (!got)
    return cat("the simulator: ", got.reason().text);
  return compared(*expected, *got, least);
}

std::string differenceAfter(driver::Compiler &compiler, const std::string &passes,
                            const std::string &text, const std::vector<Array> &arrays,
                            const Setup &setup, const std::vector<Match> &least) {
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceString<mlir::ModuleOp>(text, &compiler.context());
  mlir::PassManager manager(&compiler.context());
  if (!module || mlir::failed(mlir::parsePassPipeline(passes, manager)) ||
      mlir::failed(manager.run(*module)))
    return "the passes fail";
  std::string after;
  llvm::raw_string_ostream(after) << *module;
  auto expected = interpreted(compiler, text, arrays, setup),
       got = interpreted(compiler, after, arrays, setup);
  if (!expected)
    return cat("the interpreter: ", expected.reason().text);
  std::string wrong = got ? compared(*expected, *got, least) : got.reason().text;
  return wrong.empty() ? wrong : cat(wrong, "\n", after);
}

} // namespace tessera::tile_lower::test
