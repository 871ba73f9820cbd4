// A file compiled for each architecture, and written as one object.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cli/ExportFile.h"

#include "tessera/aot/Export.h"

#include "llvm/Support/Path.h"

#include <cctype>

using namespace tessera;
using namespace tessera::cli;

namespace {

/// gemm-v2.mlir as gemm_v2.
std::string nameOf(const std::string &file) {
  std::string name = llvm::sys::path::stem(file).str();
  for (char &c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)))
      c = '_';
  return name;
}

} // namespace

int tessera::cli::exportFile(const ExportOptions &options) {
  if (options.output == "-")
    return fail("--emit object writes a binary file: name it with -o");
  std::unique_ptr<llvm::MemoryBuffer> input = readInput(options.file);
  if (!input)
    return BadInput;
  std::string name = options.name.empty() ? nameOf(options.file) : options.name;
  aot::Exporter exporter(name, llvm::sys::path::filename(options.file).str());
  std::vector<std::string> archs = options.archs;
  for (size_t i = 0; i == 0 || i < archs.size(); ++i) {
    Session session(llvm::MemoryBuffer::getMemBuffer(*input), options.reading);
    if (!session.module)
      return BadInput;
    if (archs.empty())
      archs.push_back(chooseArch("", driver::Compiler::targetOf(*session.module)));
    driver::CompileOptions compile = options.compile;
    compile.arch = archs[i];
    compile.ptxas = ptx::findPtxas();
    if (Status added = exporter.add(session.compiler, *session.module, compile); !added)
      return fail(added.reason());
  }
  Result<aot::Exported> made = exporter.finish();
  if (!made)
    return fail(made.reason());
  if (!options.header.empty())
    if (int code = writeFile(options.header, made->header))
      return code;
  return writeFile(options.output, made->object);
}
