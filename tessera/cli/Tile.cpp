// tessera tile
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cli/Cli.h"

#include "tessera/cli/CommandLine.h"
#include "tessera/cli/Pictures.h"
#include "tessera/cli/TileReport.h"
#include "tessera/cuda_tile/CudaTile.h"

#include "llvm/Support/raw_ostream.h"

#include <CLI/CLI.hpp>

using namespace tessera;
using namespace tessera::cli;
using tile_lower::ExplainedTile;
using tile_lower::Explanation;

namespace {

struct Options {
  std::string file, arch = "sm_90a", value;
  int level = 1;
  bool verifies = false, explains = false;
  PictureOptions picture;
};

class TileFile {
public:
  TileFile(Options &options, std::unique_ptr<llvm::MemoryBuffer> input)
      : options(options), session(std::move(input)) {
    compile.arch = options.arch;
    compile.optLevel = 3;
    compile.lowering.tileLevel = options.level;
    compile.lowering.explanations = &kernels;
  }

  int run() {
    if (!session.module) // said
      return BadInput;
    auto programs = session.module->getOps<cuda_tile::TileModuleOp>();
    if (programs.empty())
      return fail(cat(options.file, ": expects a tile program, which is bytecode or text with a "
                                    "cuda_tile.module, but got another module"));
    if (options.verifies)
      return tellVerified();
    if (options.explains)
      return explain();
    if (options.picture.any() || !options.value.empty())
      return draw();
    for (cuda_tile::TileModuleOp program : programs)
      llvm::outs() << program << "\n";
    return Right;
  }

private:
  int tellVerified() {
    size_t entries = 0, ops = 0;
    session.module->walk([&](mlir::Operation *op) {
      entries += mlir::isa<cuda_tile::EntryOp>(op);
      ++ops;
    });
    constexpr size_t around = 2; // the module, and that of the program
    llvm::outs() << options.file << ": " << entries << (entries == 1 ? " kernel, " : " kernels, ")
                 << ops - around - entries << " ops, all valid\n";
    return Right;
  }

  int explain() {
    const Compiling compiling(options.file);
    if (!session.compiler.lower(*session.module, compile))
      return BadInput;
    std::vector<ptx::PtxasReport> reports;
    compile.ptxas = ptx::findPtxas();
    if (compile.ptxas.empty())
      note("only ptxas knows the number of registers, and it is not on $PATH, not at "
           "$TESSERA_PTXAS and not in /usr/local/cuda/bin");
    else {
      Result<std::vector<driver::DeviceCode>> codes =
          session.compiler.translate(*session.module, compile, ptx::Until::Cubin);
      if (!codes)
        return fail(codes.reason());
      for (const driver::DeviceCode &code : *codes)
        reports.insert(reports.end(), code.cubin.reports.begin(), code.cubin.reports.end());
    }
    llvm::outs() << reportText(kernels, reports, options.arch);
    return Right;
  }

  /// One tile: which thread holds which element.
  int draw() {
    if (!session.compiler.lowerTiles(*session.module, compile))
      return BadInput;
    std::string known;
    for (const Explanation &kernel : kernels)
      for (const ExplainedTile &tile : kernel.tiles) {
        if (tile.name == options.value)
          return draw(tile);
        known += cat(known.empty() ? "" : ", ", tile.name);
      }
    return fail(cat("--value: expects a tile in registers",
                    known.empty() ? ", of which the program has none" : " out of ", known,
                    ", but got '", options.value, "'"));
  }
  int draw(const ExplainedTile &tile) {
    Result<render::Picture> picture =
        render::drawThreadValues(tile.layout, tile.rows, tile.columns);
    if (!picture)
      return fail(picture.reason());
    picture->subtitle = cat(tile.name, ", ", tile.type, ": ", picture->subtitle);
    if (!options.picture.any())
      options.picture.draw = true;
    return show(*picture, options.picture);
  }

  Options &options;
  Session session;
  driver::CompileOptions compile;
  std::vector<Explanation> kernels;
};

int tile(Options &options) {
  if (Result<atom::Target> target = atom::Target::parse(options.arch); !target)
    return fail(target.reason());
  std::unique_ptr<llvm::MemoryBuffer> input = readInput(options.file);
  return input ? TileFile(options, std::move(input)).run() : int(BadInput);
}

} // namespace

void tessera::cli::addTile(CLI::App &app, int &exit) {
  auto options = std::make_shared<Options>();
  CLI::App *command = app.add_subcommand(
      "tile", "Prints a tile program, and says how it is compiled (docs/tile.md)");
  command->footer("Example: tessera tile matmul.tilebc --explain --arch sm_90a\n"
                  "Exit code: 0 done; 2 bad input; 4 not finished in time; 6 this machine has no "
                  "more memory, threads or open files; 7 a file could not be written");
  command->add_option("FILE", options->file, "bytecode or text of a tile program; - reads stdin")
      ->required();
  command->add_flag("--verify", options->verifies, "only say whether it is a valid program");
  command->add_flag("--explain", options->explains,
                    "say what each load, product, loop and tile of it becomes, and, where there is "
                    "a ptxas, how many registers that takes");
  command->add_option("--arch", options->arch, "target such as sm_80 or sm_90a")
      ->capture_default_str();
  command->add_option("--level", options->level, "0 for simple code, 1 for fast code")
      ->check(CLI::Range(0, 1))
      ->capture_default_str();
  command->add_option("--value", options->value,
                      "a tile such as %12, as the program is printed: draw which thread holds "
                      "which element");
  addPictureOptions(*command, options->picture);
  addTimeout(*command);
  command->callback([options, &exit] { exit = tile(*options); });
}
