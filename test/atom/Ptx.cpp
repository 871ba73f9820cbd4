// Puts operands after mnemonics as the PTX ISA's syntax sections order them, and runs ptxas.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Ptx.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace tessera::atom::test {

namespace {
/// "{%r0, %r1}" of registers of one class, numbered from `first`.
std::string list(const Registers &registers, int64_t n, int first) {
  constexpr std::string_view classes[] = {"", "%h", "%r", "%l", "%f", "%d"};
  std::string out = "{";
  for (int i = 0; i < registers.at(n); ++i)
    out += cat(i ? ", " : "", classes[size_t(registers.type)], first + i);
  return out + "}";
}

// d, a, b, c {, metadata, selector} {, scale-a, {byte-id, thread-id}, scale-b, {byte-id,
// thread-id}}
std::string warpOperands(const MmaRow &row, const Choice &choice) {
  int64_t n = choice.n;
  std::string out = cat(list(row.d.registers, n, 0), ", ", list(row.a.registers, n, 32), ", ",
                        list(row.b.registers, n, 64), ", ", list(row.c.registers, n, 96));
  if (row.sparsity.isSparse())
    out += cat(", %r128, ", choice.selector);
  if (row.scale.isScaled())
    out += ", %r129, {%h0, %h1}, %r130, {%h2, %h3}";
  return out;
}

// d, a, b {, metadata, selector}, scale-d {, imm-scale-a, imm-scale-b {, {imm-trans-a,}
// imm-trans-b}}
std::string groupOperands(const MmaRow &row, const Choice &choice) {
  int64_t n = choice.n;
  bool inMemory = row.a.where == Residency::Smem;
  std::string out = cat(list(row.c.registers, n, 0), ", ",
                        inMemory ? "%l0" : list(row.a.registers, n, 192), ", %l1");
  if (row.sparsity.isSparse())
    out += cat(", %r200, ", choice.selector);
  out += ", %p0";
  if (kindOf(row.a.element) == NumberKind::Float)
    out += ", 1, 1";
  int transposed = choice.mnMajor;
  if (row.a.majors == Major::Any)
    out += cat(", ", transposed);
  if (row.b.majors == Major::Any)
    out += cat(", ", transposed);
  return out;
}

// [d], a, b {, [metadata]}, idesc {, [scale-a], [scale-b]}, enable-input-d
std::string ummaOperands(const MmaRow &row) {
  std::string out = cat("[%r0], ", row.a.where == Residency::Smem ? "%l0" : "[%r1]", ", %l1");
  if (row.sparsity.isSparse())
    out += ", [%r2]";
  out += ", %r3";
  if (row.scale.isScaled())
    out += ", [%r4], [%r5]";
  return out + ", %p0";
}

std::string operands(const MmaRow &row, const Choice &choice) {
  switch (row.recipe) {
  case Recipe::Wgmma: return groupOperands(row, choice);
  case Recipe::Umma: return ummaOperands(row);
  case Recipe::Fma: {
    std::string text = warpOperands(row, choice);
    std::erase(text, '{');
    std::erase(text, '}');
    return text;
  }
  default: return warpOperands(row, choice);
  }
}

std::string coordinates(const CopyRow &row, int rank) {
  bool fourRows = row.key.mode == TmaMode::Gather4 || row.key.mode == TmaMode::Scatter4;
  std::string out = "{";
  for (int i = 0; i < (fourRows ? 5 : rank); ++i)
    out += cat(i ? ", " : "", "%r", i);
  return out + "}";
}

/// im2col loads take offsets: one for each spatial dimension, or two for the w modes.
std::string offsets(const CopyRow &row, int rank) {
  if (row.key.mode == TmaMode::Im2col)
    return rank == 3 ? ", {%h0}" : rank == 4 ? ", {%h0, %h1}" : ", {%h0, %h1, %h2}";
  bool w = row.key.mode == TmaMode::Im2colW || row.key.mode == TmaMode::Im2colW128;
  return w ? ", {%h0, %h1}" : "";
}

std::string operands(const CopyRow &row, int64_t number) {
  Registers lanes{RegisterType::B32, uint8_t(row.registersFor(number))};
  bool split = row.key.rows == 16 && row.key.columns == 32; // 16x32bx2: where the second half is
  std::string mask = row.key.multicast ? ", %h8" : "";
  switch (row.key.family) {
  case CopyFamily::Ldsm: return cat(list(lanes, 1, 0), ", [%l0]");
  case CopyFamily::Stsm: return cat("[%l0], ", list(lanes, 1, 0));
  case CopyFamily::SimtAsyncCopy: return cat("[%l0], [%l1], ", number / 8);
  case CopyFamily::UniversalCopy:
    return row.from == AddressSpace::Gmem ? cat(list(lanes, 1, 0), ", [%l0]")
                                          : cat("[%l0], ", list(lanes, 1, 0));
  case CopyFamily::TmemLoad: return cat(list(lanes, 1, 1), ", [%r0]", split ? ", 4" : "");
  case CopyFamily::TmemLoadRed:
    return cat(list({RegisterType::F32, lanes.count}, 1, 1), ", %f0, [%r0]", split ? ", 4" : "");
  case CopyFamily::TmemStore: return cat("[%r0], ", split ? "4, " : "", list(lanes, 1, 1));
  case CopyFamily::S2TCopy: return "[%r0], %l0";
  case CopyFamily::TmaLoad:
    return cat("[%l0], [%l1, ", coordinates(row, int(number)), "], [%l2]",
               offsets(row, int(number)), mask);
  case CopyFamily::TmaStore:
  case CopyFamily::TmaReduce: return cat("[%l1, ", coordinates(row, int(number)), "], [%l0]");
  case CopyFamily::BulkG2S: return cat("[%l0], [%l1], %r0, [%l2]", mask);
  case CopyFamily::BulkS2G: return "[%l0], [%l1], %r0";
  case CopyFamily::BulkReduceS2G: return "[%l0], [%l1], %r0";
  case CopyFamily::BulkS2S:
  case CopyFamily::BulkReduceS2S: return "[%l0], [%l1], %r0, [%l2]";
  case CopyFamily::DsmemStore: {
    bool one = number == 32;
    return cat("[%l0], ", one ? "%r0" : list(lanes, 1, 0), ", [%l2]");
  }
  }
  return "";
}

std::string run(const std::string &command) {
  std::string out;
  FILE *pipe = popen(command.c_str(), "r");
  if (!pipe)
    return out;
  std::array<char, 4096> buffer;
  while (size_t got = fread(buffer.data(), 1, buffer.size(), pipe))
    out.append(buffer.data(), got);
  pclose(pipe);
  return out;
}

std::string ptxas() {
  const char *set = std::getenv("TESSERA_PTXAS");
  if (set)
    return set;
  std::string found = run("command -v ptxas || ls /usr/local/cuda/bin/ptxas 2>/dev/null");
  return found.substr(0, found.find('\n'));
}

} // namespace

std::string registerDeclarations(int ptx) {
  return cat("  .reg .b8 %b<8>;\n  .reg .b16 %h<128>;\n  .reg .b32 %r<256>;\n  .reg .b64 %l<16>;\n "
             " .reg .f32 %f<256>;\n"
             "  .reg .f64 %d<128>;\n  .reg .pred %p<4>;\n",
             ptx >= 83 ? "  .reg .b128 %q<4>;\n" : "");
}

std::string instruction(const MmaRow &row, const Choice &choice) {
  return cat("  ", mnemonicFor(row, choice.n), " ", operands(row, choice), ";\n");
}

std::string instruction(const CopyRow &row, int64_t number) {
  return cat("  ", mnemonicFor(row, number), " ", operands(row, number), ";\n");
}

bool Kernel::metBy(Target target) const {
  return std::all_of(needs.begin(), needs.end(),
                     [&](const Requirement &one) { return one.metBy(target); });
}

std::vector<Target> Kernel::targets() const {
  std::vector<Target> met;
  std::copy_if(Target::all().begin(), Target::all().end(), std::back_inserter(met),
               [&](Target target) { return metBy(target); });
  return met;
}

std::string Kernel::sentence() const {
  std::string out;
  for (const Requirement &one : needs)
    out += cat(out.empty() ? "" : ", and ", one.sentence());
  return out;
}

bool havePtxas() {
  static const bool have = !ptxas().empty();
  return have;
}

int newestPtx() {
  // "Cuda compilation tools, release 13.0": CUDA 12.n has PTX 8.n, CUDA 13.n has 9.n.
  static const int newest = [] {
    std::string text = run(ptxas() + " --version");
    size_t at = text.find("release ");
    int major = 0, minor = 0;
    if (at == std::string::npos ||
        std::sscanf(text.c_str() + at, "release %d.%d", &major, &minor) != 2)
      return 0;
    return (major - 4) * 10 + minor;
  }();
  return newest;
}

std::string assembleText(const std::string &ptx, Target target) {
  static const struct Folder {
    char path[25] = "/tmp/tessera-atom-XXXXXX";
    Folder() { mkdtemp(path); }
    ~Folder() { std::filesystem::remove_all(path); }
  } scratch;
  const std::string folder = scratch.path;
  // ptxas 13.0 has no code generator before sm_75, but reads `.target sm_70`.
  std::string arch = target.number() < 75 ? "sm_75" : target.str();
  std::string file = folder + "/k.ptx";
  std::ofstream(file) << ptx;
  // Syntax and targets are what matters here: no optimisation.
  std::istringstream log(
      run(ptxas() + " -O0 -arch=" + arch + " " + file + " -o " + folder + "/k.cubin 2>&1"));
  std::string complaints, line;
  while (std::getline(log, line))
    if (line.find(" error ") != line.npos || line.find(" fatal ") != line.npos)
      complaints += line + "\n";
  return complaints;
}

std::map<size_t, std::string> assemble(const std::vector<const Kernel *> &kernels, Target target,
                                       int ptx) {
  int version = std::max(ptx, target.minimumPtx());
  std::ostringstream text;
  text << ".version " << version / 10 << "." << version % 10 << "\n.target " << target.str()
       << "\n.address_size 64\n";
  std::map<int, size_t> kernelOfLine;
  int line = 4;
  for (size_t i = 0; i < kernels.size(); ++i) {
    std::string kernel = cat(".visible .entry k", i, "() {\n", registerDeclarations(version),
                             kernels[i]->body, "  ret;\n}\n");
    int lines = int(std::count(kernel.begin(), kernel.end(), '\n'));
    for (int l = line; l < line + lines; ++l)
      kernelOfLine[l] = i;
    line += lines;
    text << kernel;
  }
  std::string log = assembleText(text.str(), target);

  std::map<size_t, std::string> refused;
  std::istringstream lines(log);
  std::string message;
  while (std::getline(lines, message)) {
    size_t at = message.find(", line ");
    if (at == std::string::npos)
      continue;
    auto found = kernelOfLine.find(std::atoi(message.c_str() + at + 7));
    if (found != kernelOfLine.end())
      refused.emplace(found->second, message.substr(at + 2));
  }
  // A complaint without a line is about all of them.
  if (refused.empty() && !log.empty())
    for (size_t i = 0; i < kernels.size(); ++i)
      refused.emplace(i, log);
  if (refused.empty() || refused.size() == kernels.size())
    return refused;
  // After an error of syntax ptxas does not look for others: those without a complaint go again.
  std::vector<const Kernel *> rest;
  std::vector<size_t> numbers;
  for (size_t i = 0; i < kernels.size(); ++i)
    if (!refused.count(i)) {
      rest.push_back(kernels[i]);
      numbers.push_back(i);
    }
  for (auto &[i, complaint] : assemble(rest, target, ptx))
    refused.emplace(numbers[i], complaint);
  return refused;
}

Kernel kernelOf(const MmaRow &row) {
  int64_t n = row.n.isFixed() ? row.n.first : row.n.contains(16) ? 16 : 32;
  Choice choice{.n = n, .selector = std::max(0, row.sparsity.selectors - 1), .mnMajor = true};
  return {row.name, instruction(row, choice), {row.needs}, row.ptx};
}

Kernel kernelOf(const CopyRow &row) {
  if (row.name == "UniversalCopy")
    return {row.name,
            "  ld.v4.b32 {%r0, %r1, %r2, %r3}, [%l0];\n  st.v4.b32 [%l1], {%r0, %r1, %r2, %r3};\n",
            {row.needs},
            row.ptx};
  int64_t number = row.rank.last                          ? row.rank.first
                   : row.amounts.unit == Amounts::Repeats ? 2
                                                          : row.amounts.first;
  return {row.name, instruction(row, number), {row.needs}, row.ptx};
}

} // namespace tessera::atom::test
