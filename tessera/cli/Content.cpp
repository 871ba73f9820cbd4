// The kinds of files that our commands read, as a table.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cli/Content.h"

#include "tessera/base/Result.h"

#include <algorithm>
#include <cctype>

namespace tessera::cli {

namespace {

/// From the first word of a text on, after blanks and comments.
std::string_view afterComments(std::string_view text) {
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    std::string_view end = text.starts_with("//") ? "\n" : text.starts_with("/*") ? "*/" : "";
    if (end.empty())
      return text;
    size_t at = text.find(end, 2);
    text.remove_prefix(at == text.npos ? text.size() : at + end.size());
  }
}

bool isPtx(std::string_view content) {
  std::string_view text = afterComments(content);
  return text.starts_with(".version") || text.starts_with(".target") ||
         text.starts_with(".address_size");
}

/// `module`, an alias, or an op with its dialect, with quotes or without.
bool isMlirText(std::string_view content) {
  std::string_view text = afterComments(content);
  if (text.starts_with("!") || text.starts_with("#"))
    return true;
  if (text.starts_with("\""))
    text.remove_prefix(1);
  auto end = std::find_if(text.begin(), text.end(), [](char c) {
    return !std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '.' && c != '$';
  });
  std::string_view word = text.substr(0, size_t(end - text.begin()));
  return word == "module" || (word.find('.') != word.npos && !word.starts_with("."));
}

/// A program or library of the host: ELF whose machine (e_machine, two bytes from 18 on) is not
/// EM_CUDA, as ptxas writes it.
bool isHostProgram(std::string_view content) {
  return content.starts_with("\x7f"
                             "ELF") &&
         content.size() > 19 && !(content[18] == char(190) && content[19] == 0);
}

/// What a kind is called, and what to do with it.
struct Kind {
  bool (*is)(std::string_view);
  bool isMlir, isPtx; // whether commands that read MLIR, and PTX, read it
  std::string_view text;
};
constexpr Kind kinds[] = {
    {[](std::string_view s) { return s.starts_with("\x7fTileIR"); }, true, false,
     "bytecode of a tile program: `tessera compile` makes PTX of it, and `tessera run --device "
     "interp` runs it"},
    {[](std::string_view s) { return s.starts_with("ML\xefR"); }, true, false,
     "bytecode of MLIR: `tessera compile` makes PTX of it, and `tessera run` runs it"},
    {isHostProgram, false, false,
     "a program of this machine (ELF): start it as it is, with the folder lib/cuda of Tessera's "
     "build in LD_LIBRARY_PATH, where a program of nvcc -cudart=shared finds the simulator in "
     "the place of CUDA (docs/simulator.md, Whole programs)"},
    {[](std::string_view s) {
       return s.starts_with("\x7f"
                            "ELF");
     },
     false, false,
     "machine code (ELF), which is made of MLIR with `tessera compile --emit cubin` or of PTX with "
     "ptxas"},
    {[](std::string_view s) { return s.starts_with("\x93NUMPY"); }, false, false,
     "an array of numpy, which --arg and --check take"},
    {isPtx, false, true, "PTX, which `tessera sim` runs"},
    {isMlirText, true, false,
     "MLIR: `tessera compile` makes PTX of it, and `tessera run` runs it"}};

std::string refusal(std::string_view content, bool Kind::*reads, std::string_view expected) {
  for (const Kind &kind : kinds)
    if (kind.is(content))
      return kind.*reads ? "" : cat("expects ", expected, ", but this is ", kind.text);
  return "";
}

} // namespace

std::string notMlir(std::string_view content) {
  return refusal(content, &Kind::isMlir, "CuTe IR or a tile program");
}
std::string notPtx(std::string_view content) { return refusal(content, &Kind::isPtx, "PTX"); }

} // namespace tessera::cli
