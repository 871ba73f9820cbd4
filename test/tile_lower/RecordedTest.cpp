// Recorded programs compiled, simulated, and compared with the interpreter.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arguments of a program are made from the name of its entry (../tile_eval/Arguments.h). What
// the interpreter and the simulator leave in the arrays has to be equal bit by bit, NaNs as NaNs;
// of programs with functions or products, whose precision the dialect leaves open, within a
// tolerance. What is unspecified is what the interpreter gives differently with another seed.
//
// A seeded sample of 60; all with TESSERA_LONG set, one in n from TESSERA_TILE_EVERY on. With
// TESSERA_TILE_CHECK the simulator's sanitizer looks on. Of fused_moe it reports races then: the
// rows that the program scatters to are arguments, which are not distinct as arrays are made here.
#include "../tile_bytecode/Recorded.h"
#include "../tile_eval/Arguments.h"
#include "Comparison.h"

#include "tessera/sanitize/Sanitizer.h"
#include "tessera/sim/Machine.h"
#include "tessera/sim/Program.h"
#include "tessera/tile_bytecode/Reader.h"
#include "tessera/tile_eval/Element.h"
#include "tessera/tile_eval/Interpreter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>

using namespace tessera;
using namespace tessera::tile_eval;
using tile_bytecode::Op;
using tile_lower::test::compareCodes;
using tile_lower::test::Compiled;
using tile_lower::test::Match;

namespace {

//===--- Comparison

/// Whether the dialect leaves the precision of an op open.
bool isApproximate(const tile_bytecode::Function &function,
                   const tile_bytecode::Instruction &instruction, int level) {
  // Level 0 adds neighbours first, as the interpreter does.
  if (instruction.op == Op::Reduce)
    return level > 0;
  switch (instruction.op) {
  case Op::Exp:
  case Op::Exp2:
  case Op::Log:
  case Op::Log2:
  case Op::Rsqrt:
  case Op::Sin:
  case Op::Cos:
  case Op::Tan:
  case Op::SinH:
  case Op::CosH:
  case Op::TanH:
  case Op::FPowF:
  case Op::FPowI:
  case Op::Atan2:
  case Op::MmaF:
  case Op::MmaFScaled:
  case Op::Scan: return true;
  case Op::DivF:
  case Op::Sqrt: {
    constexpr size_t rounding = 1; // the attribute
    return function.attribute(instruction, rounding) >
           uint64_t(tile_bytecode::RoundingMode::PositiveInf);
  }
  default: return false;
  }
}
bool hasApproximate(const tile_bytecode::Function &function,
                    const std::vector<tile_bytecode::Instruction> &body, int level) {
  return std::any_of(body.begin(), body.end(), [&](const auto &instruction) {
    return isApproximate(function, instruction, level) ||
           std::any_of(
               instruction.regions.begin(), instruction.regions.end(),
               [&](const auto &region) { return hasApproximate(function, region.body, level); });
  });
}

//===--- One program

/// The extent of each dimension of all arrays: 64, or that of the largest tile that is read without
/// a padding value, as what is outside of the tensor would be anything.
struct Extent {
  int64_t each = 64;
  bool readsPast = false; // such arrays would be too large, so that tiles do read outside
};
Extent extentFor(const tile_bytecode::Program &program) {
  int64_t extent = 64;
  size_t rank = 1;
  for (const tile_bytecode::Type &type : program.types) {
    rank = std::max(rank, type.kind == TypeKind::TensorView ? type.shape.size() : 0);
    if (tile_bytecode::isView(type.kind) && !type.padding)
      for (int64_t n : type.shape)
        extent = std::max(extent, n);
  }
  constexpr double mostElements = 1 << 21;
  bool fits = std::pow(double(extent), double(rank)) <= mostElements;
  return {fits ? extent : 64, !fits};
}

/// The arrays of a launch, after it.
struct Ran {
  tile_eval::test::Arguments arguments;
  Status status = Done{};
  std::string output;
};

std::string interpret(Ran &ran, const tile_bytecode::Program &program,
                      const tile_bytecode::Function &function, uint64_t seed, bool checks) {
  if (std::string text = ran.arguments.fill(program, function, extentFor(program).each, 3);
      !text.empty())
    return "arguments";
  Interpreter interpreter(program);
  for (auto &array : ran.arguments.arrays)
    interpreter.memory().add(array.data(), array.size());
  ran.status = interpreter.launch(program.text(function.name), {1, 1, 1}, ran.arguments.values,
                                  {.seed = seed, .steps = 1 << 18, .checksAssumptions = checks});
  ran.output = interpreter.takeOutput();
  return ran.status ? "ok" : std::string(ran.status.reason().id);
}

/// Runs PTX on a simulated machine with arguments that are still as they were made, and reads the
/// arrays back.
Status simulate(Ran &ran, const tile_bytecode::Program &program,
                const tile_bytecode::Function &function, const Compiled &code) {
  tile_eval::test::Arguments &arguments = ran.arguments;
  arguments.fill(program, function, extentFor(program).each, 3);
  auto sanitizer = std::getenv("TESSERA_TILE_CHECK") ? std::make_shared<sanitize::Sanitizer>()
                                                     : std::shared_ptr<sanitize::Sanitizer>();
  sim::Machine machine({.instructions = uint64_t(1) << 28, .hostThreads = 1}, sanitizer);
  TESSERA_TRY(sim::Program parsed, sim::Program::parse(code.ptx));
  TESSERA_TRY(sim::LoadedProgram loaded,
              machine.load(std::make_shared<const sim::Program>(std::move(parsed))));
  // Addresses of the host become those of the machine, in parameters and in lists of arrays.
  std::vector<std::pair<uint64_t, uint64_t>> places; // host, machine
  for (auto &array : arguments.arrays) {
    TESSERA_TRY(uint64_t address, machine.memory().allocate(array.size() + 256));
    places.emplace_back(reinterpret_cast<uint64_t>(array.data()), address);
  }
  // Alignment to 256 bytes is kept.
  for (auto &[host, device] : places)
    device += host % 256;
  auto moved = [&](uint64_t number) {
    for (size_t i = 0; i < places.size(); ++i)
      if (number - places[i].first < arguments.arrays[i].size())
        return number - places[i].first + places[i].second;
    return number;
  };
  for (size_t i = 0; i < places.size(); ++i) {
    std::vector<std::byte> bytes = arguments.arrays[i];
    if (bytes.size() < 1024) // rows of a list
      for (size_t at = 0; at + 8 <= bytes.size(); at += 8) {
        uint64_t number;
        std::memcpy(&number, &bytes[at], 8);
        number = moved(number);
        std::memcpy(&bytes[at], &number, 8);
      }
    TESSERA_CHECK(machine.memory().write(places[i].second, bytes));
  }
  std::vector<std::byte> parameters;
  const auto &types = program.type(function.type).parameters;
  for (size_t i = 0; i < types.size(); ++i) {
    const tile_bytecode::Type &element = program.type(program.type(types[i]).element);
    bool isPointer = element.kind == TypeKind::Pointer;
    size_t size = isPointer ? 8 : std::max<size_t>(1, rowOf(element.kind).memoryBits / 8);
    uint64_t value = isPointer ? moved(arguments.values[i]) : arguments.values[i];
    parameters.resize((parameters.size() + size - 1) / size * size + size);
    std::memcpy(&parameters[parameters.size() - size], &value, size);
  }
  ran.status = machine.launch(loaded, program.text(function.name),
                              {.grid = {1, 1, 1}, .block = {code.threads(), 1, 1}}, parameters);
  ran.output = machine.takeOutput();
  for (size_t i = 0; i < places.size(); ++i)
    if (arguments.arrays[i].size() >= 1024)
      TESSERA_CHECK(machine.memory().read(arguments.arrays[i], places[i].second));
  return ran.status;
}

/// The type of the elements of each array; i8 where no parameter says it.
std::vector<TypeKind> kindsOf(const tile_bytecode::Program &program,
                              const tile_bytecode::Function &function,
                              const tile_eval::test::Arguments &arguments) {
  std::vector<TypeKind> out(arguments.arrays.size(), TypeKind::I8);
  const auto &types = program.type(function.type).parameters;
  for (size_t i = 0; i < types.size(); ++i) {
    const tile_bytecode::Type &element = program.type(program.type(types[i]).element);
    if (element.kind != TypeKind::Pointer)
      continue;
    for (size_t a = 0; a < out.size(); ++a)
      if (arguments.values[i] - reinterpret_cast<uint64_t>(arguments.arrays[a].data()) <
          arguments.arrays[a].size())
        out[a] = program.type(element.element).kind;
  }
  return out;
}

/// Where two arrays begin, which are aligned to 256 bytes in memory of their own.
size_t baseOf(const std::vector<std::byte> &array) {
  return (256 - reinterpret_cast<uint64_t>(array.data()) % 256) % 256;
}

/// Compares all arrays; `why` names the first difference.
Match compareArrays(const tile_bytecode::Program &program, const tile_bytecode::Function &function,
                    const Ran &expected, const Ran &other, const Ran &got, std::string &why) {
  std::vector<TypeKind> kinds = kindsOf(program, function, expected.arguments);
  const bool readsPast = extentFor(program).readsPast;
  Match worst = Match::Equal;
  for (size_t a = 0; a < kinds.size(); ++a) {
    const auto &x = expected.arguments.arrays[a], &y = other.arguments.arrays[a],
               &z = got.arguments.arrays[a];
    if (x.size() < 1024)
      continue; // a list, whose rows are addresses
    size_t bytes = std::max<size_t>(1, rowOf(kinds[a]).memoryBits / 8);
    for (size_t at = 0; at + 768 <= x.size(); at += bytes) {
      uint64_t p = 0, q = 0, r = 0;
      std::memcpy(&p, &x[baseOf(x) + at], bytes);
      std::memcpy(&q, &y[baseOf(y) + at], bytes);
      std::memcpy(&r, &z[baseOf(z) + at], bytes);
      // Unspecified; a NaN of what was outside is one with each seed.
      if (p != q ||
          (readsPast && tile_bytecode::isFloat(kinds[a]) && tile_eval::isNan(kinds[a], p)))
        continue;
      Match match = compareCodes(kinds[a], p, r);
      if (match > worst) {
        worst = match;
        char text[160];
        std::snprintf(text, sizeof text,
                      "array %zu of %s, element %zu: expected 0x%llx, got 0x%llx", a,
                      std::string(rowOf(kinds[a]).text).c_str(), at / bytes,
                      static_cast<unsigned long long>(p), static_cast<unsigned long long>(r));
        why = text;
      }
    }
  }
  return worst;
}

struct Outcome {
  std::string id, text;
};

Outcome outcomeOf(driver::Compiler &compiler, const std::string &bytecode, const char *arch,
                  int level) {
  auto program = tile_bytecode::read(std::as_bytes(std::span(bytecode)));
  if (!program)
    return {"unreadable", program.reason().text};
  Compiled compiled = tile_lower::test::compile(compiler, bytecode, arch, level);
  if (compiled.ptx.empty())
    return {"not compiled", compiled.error};
  for (const auto &function : program->functions) {
    Ran expected, other, got;
    std::string end = interpret(expected, *program, function, 1, true);
    bool checks = end != "Assumption";
    if (!checks) {
      expected = Ran();
      end = interpret(expected, *program, function, 1, false);
    }
    if (end != "ok")
      return {"compiled", cat("the interpreter ends with ", end)};
    interpret(other, *program, function, 2, checks);
    if (Status ran = simulate(got, *program, function, compiled); !ran)
      return {"fails", ran.reason().text};
    std::string why;
    Match match = compareArrays(*program, function, expected, other, got, why);
    if (match == Match::Different ||
        (match == Match::Close && !hasApproximate(function, function.body, level)))
      return {"different", why};
    if (expected.output != got.output)
      return {"different", cat("prints '", got.output.substr(0, 60), "' for '",
                               expected.output.substr(0, 60), "'")};
    if (match == Match::Close)
      return {"close", {}};
  }
  return {"equal", {}};
}

/// A reason without its numbers and names, for a histogram.
std::string kindOf(std::string text) {
  text = text.substr(0, text.find('\n'));
  std::string out;
  for (char c : text)
    if (!(c >= '0' && c <= '9'))
      out += c;
  return out.substr(0, 110);
}

size_t numberFrom(const char *variable, size_t otherwise) {
  const char *text = std::getenv(variable);
  return text ? std::strtoul(text, nullptr, 10) : otherwise;
}

void compareAll(int level) {
  auto files = tile_bytecode::test::recordedPrograms();
  if (files.empty())
    GTEST_SKIP() << "TESSERA_CUTILE is not set";
  const char *arch = std::getenv("TESSERA_TILE_ARCH");
  bool isLong = std::getenv("TESSERA_LONG");
  size_t stride = numberFrom("TESSERA_TILE_EVERY", isLong ? 1 : files.size() / 60 + 1);
  std::map<std::string, size_t> outcomes, reasons;
  size_t count = 0;
  auto compiler = std::make_unique<driver::Compiler>();
  for (size_t i = numberFrom("TESSERA_TILE_FIRST", 5); i < files.size(); i += stride) {
    if (++count % 50 == 0) // a context keeps all types that it has seen
      compiler = std::make_unique<driver::Compiler>();
    Outcome outcome = outcomeOf(*compiler, tile_bytecode::test::contentOf(files[i]),
                                arch ? arch : "sm_80", level);
    ++outcomes[outcome.id];
    if (!outcome.text.empty()) {
      ++reasons[cat(outcome.id, ": ", kindOf(outcome.text))];
      if (outcome.id != "compiled")
        std::cout << files[i].stem().string() << ": " << outcome.id << ": " << outcome.text
                  << std::endl;
    }
    EXPECT_NE(outcome.id, "different") << files[i] << ": " << outcome.text;
    EXPECT_NE(outcome.id, "fails") << files[i] << ": " << outcome.text;
  }
  for (auto &[outcome, number] : outcomes)
    std::cout << number << " of " << count << " " << outcome << "\n";
  for (auto &[reason, number] : reasons)
    std::cout << number << "  " << reason << "\n";
  EXPECT_GT((outcomes["equal"] + outcomes["close"]) * 100, count * 85);
}

} // namespace

TEST(Recorded, ProgramsCompileAndAreEqualAtLevel0) { compareAll(0); }
TEST(Recorded, ProgramsCompileAndAreEqualAtLevel1) { compareAll(1); }
