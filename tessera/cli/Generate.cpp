// tessera generate: the IR of ready kernels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cli/Cli.h"

#include "tessera/cli/CommandLine.h"
#include "tessera/cli/Kernels.h"
#include "tessera/import/Input.h"
#include "tessera/kernels/choice/GemmModel.h"
#include "tessera/kernels/rows/Rows.h"
#include "tessera/kernels/sm80/Gemm.h"
#include "tessera/program/Generated.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <CLI/CLI.hpp>

using namespace tessera;
using namespace tessera::cli;
using kernels::GemmConfig;

void cli::addGemmTypes(CLI::App &command, GemmConfig &c) {
  command
      .add_option_function<std::string>(
          "--ab", [&c](const std::string &type) { c.a = c.b = type; },
          "element type of A and B: f16, bf16, tf32 (f32 in memory), f8E4M3FN, f8E5M2, i8, u8; "
          "with "
          "--block-scales also f4E2M1FN (two in a byte of u8)")
      ->default_str(c.a);
  command.add_option("--a", c.a, "element type of A, if B has another 8-bit type")
      ->capture_default_str();
  command.add_option("--b", c.b, "element type of B, if A has another 8-bit type")
      ->capture_default_str();
  command.add_option("--d", c.d, "element type of D: f16, bf16 or f32; i32 for sums of integers")
      ->capture_default_str();
  command
      .add_option(
          "--major", c.major,
          "contiguous mode of A and of B: k, or m for M (of A) or N (of B), for 16-bit types")
      ->capture_default_str();
}

Result<kernels::GemmTable> cli::readGemmTable(const std::string &file) {
  if (file.empty())
    return kernels::GemmTable::builtIn();
  Result<std::unique_ptr<llvm::MemoryBuffer>> buffer = import::readFile(file);
  if (!buffer)
    return Reason{"Unreadable", cat("cannot read ", file, ": ", buffer.reason().text)};
  Result<kernels::GemmTable> table = kernels::GemmTable::parse((*buffer)->getBuffer());
  if (!table)
    return Reason{table.reason().id, cat(file, ": ", table.reason().text)};
  return table;
}

Result<kernels::GpuRates> cli::gemmRates(const std::string &file, const std::string &gpu) {
  if (file.empty())
    return kernels::ratesOf(gpu);
  Result<std::unique_ptr<llvm::MemoryBuffer>> buffer = import::readFile(file);
  if (!buffer)
    return Reason{"Unreadable", cat("cannot read ", file, ": ", buffer.reason().text)};
  Result<kernels::GpuRates> rates = kernels::GpuRates::parse((*buffer)->getBuffer());
  if (!rates)
    return Reason{rates.reason().id, cat(file, ": ", rates.reason().text)};
  return rates;
}

Result<std::string> cli::gemmText(const GemmConfig &config) {
  return program::textOf(config, kernels::buildGemm);
}

namespace {
struct GemmOptions {
  GemmConfig config;
  std::string shape, table, gpu, rates, output = "-";
  bool explain = false;
  // What the table may choose, with the option that chooses otherwise.
  struct Choice {
    CLI::Option *option;
    int GemmConfig::*field;
  };
  std::vector<Choice> choices;
  CLI::Option *swap = nullptr;     // chooses GemmConfig::swap
  CLI::Option *schedule = nullptr; // chooses GemmConfig::pingpong
  CLI::Option *sms = nullptr;      // chooses GemmConfig::sms
};

/// Whether it is the schedule that was asked for, if one was.
bool agreeOnSchedule(const kernels::GemmSchedule &schedule, const GemmOptions &options) {
  return options.schedule->count() == 0 ||
         (!schedule.swap && schedule.pingpong == options.config.pingpong);
}

/// The fastest plan that agrees with all options that were given; else one of the same kind, whose
/// other parts they then replace.
const kernels::GemmEstimate &fitting(llvm::ArrayRef<kernels::GemmEstimate> estimates,
                                     const GemmOptions &options) {
  auto sameKind = [&](const kernels::GemmEstimate &e) {
    return e.schedule.swap == options.config.swap && agreeOnSchedule(e.schedule, options);
  };
  auto agrees = [&](const kernels::GemmEstimate &e) {
    GemmConfig with = options.config;
    e.schedule.applyTo(with);
    return llvm::all_of(options.choices,
                        [&](const GemmOptions::Choice &choice) {
                          return choice.option->count() == 0 ||
                                 with.*choice.field == options.config.*choice.field;
                        }) &&
           (options.swap->count() == 0 || e.schedule.swap == options.config.swap) &&
           agreeOnSchedule(e.schedule, options);
  };
  auto found = llvm::find_if(estimates, agrees);
  if (found == estimates.end())
    found = llvm::find_if(estimates, sameKind);
  return found == estimates.end() ? estimates.front() : *found;
}

/// The candidates as a table on stderr, the fastest first.
void explain(llvm::ArrayRef<kernels::GemmEstimate> estimates, const kernels::GpuRates &rates,
             const kernels::GemmRow *row) {
  llvm::errs() << "estimates for " << rates.name << ", microseconds:\n"
               << "   total  tensor   cache  memory  stages   edges  launch  blocks  limit         "
                  "options\n";
  constexpr size_t shown = 12;
  for (const kernels::GemmEstimate &e : estimates.take_front(shown))
    llvm::errs() << llvm::format("%8.1f%8.1f%8.1f%8.1f%8.1f%8.1f%8.1f%8lld  ", e.total,
                                 e.tensorCores, e.cache, e.memory, e.waits, e.edges, e.fixed,
                                 (long long)e.blocks)
                 << llvm::left_justify(llvm::StringRef(e.limit()), 14) << e.schedule.str() << "\n";
  if (estimates.size() > shown)
    llvm::errs() << "and " << estimates.size() - shown << " slower ones\n";
  if (row)
    llvm::errs() << "taken: the table's row, as it was measured: " << row->comment << "\n";
}

/// What slices of K need of the caller.
void noteWorkspace(const GemmConfig &c, const kernels::GemmShape &shape) {
  if (auto [sums, counters] = kernels::workspaceOf(c, shape); sums)
    note(cat("the workspace is ", sums, " numbers, and ", counters, " counters that are 0"));
}
/// The option of slices of K, if there are some.
std::string sliced(const GemmConfig &c) { return c.splitK > 1 ? cat(" --split-k ", c.splitK) : ""; }

/// The candidates of a target where warps multiply, as a table on stderr.
void explain(llvm::ArrayRef<kernels::sm80::GemmEstimate> estimates, const GemmConfig &c) {
  llvm::errs() << "estimates for " << c.target.str() << " with " << c.sms
               << " multiprocessors, thousands of cycles:\n"
               << "   total  tensor   loads   fixed  blocks  at once  rounds  options\n";
  for (const kernels::sm80::GemmEstimate &e : estimates.take_front(12)) {
    GemmConfig with = c;
    e.applyTo(with);
    llvm::errs() << llvm::format("%8.1f%8.1f%8.1f%8.1f%8lld%9lld%8lld  ", e.total / 1000,
                                 e.tensorCores / 1000, e.loads / 1000, e.fixed / 1000,
                                 (long long)e.blocks, (long long)e.together, (long long)e.rounds)
                 << cat("--tile-m ", with.tileM, " --tile-n ", with.tileN, " --stages ",
                        with.stages, sliced(with))
                 << "\n";
  }
}

/// Takes the tile that is estimated to be the fastest for the shape, or without one for a large
/// product, of those that agree with the options that were given.
std::optional<Reason> chooseOfWarps(GemmOptions &options) {
  if (!options.table.empty() || !options.gpu.empty() || !options.rates.empty())
    return Reason{"NoRates", cat("expects sm_90a for --table, --gpu and --rates, as these were "
                                 "measured on Hopper, but got ",
                                 options.config.target.str(), "; leave them out")};
  GemmConfig &c = options.config;
  c.swap = options.swap->as<bool>(); // which Hopper's --group-scales sets
  if (options.sms->count() == 0)
    c.sms = kernels::sm80::multiprocessors(c.target);
  kernels::GemmShape shape{8192, 8192, 8192};
  if (!options.shape.empty()) {
    Result<kernels::GemmShape> given = kernels::GemmShape::parse(options.shape);
    if (!given)
      return given.reason();
    shape = *given;
  }
  std::vector<kernels::sm80::GemmEstimate> estimates = kernels::sm80::plans(c, shape);
  if (estimates.empty())
    return std::nullopt; // what is wrong is said where configurations are refused
  auto with = [&](const kernels::sm80::GemmEstimate &e) {
    GemmConfig chosen = c;
    e.applyTo(chosen);
    return chosen;
  };
  auto agrees = [&](const kernels::sm80::GemmEstimate &e) {
    return llvm::all_of(options.choices, [&](const GemmOptions::Choice &choice) {
      return choice.option->count() == 0 || with(e).*choice.field == c.*choice.field;
    });
  };
  auto found = llvm::find_if(estimates, agrees);
  GemmConfig chosen = with(found == estimates.end() ? estimates.front() : *found);
  for (auto [option, field] : options.choices)
    if (option->count() == 0)
      c.*field = chosen.*field;
  if (!options.shape.empty())
    note(cat("for ", shape.str(), ": --tile-m ", c.tileM, " --tile-n ", c.tileN, " --stages ",
             c.stages, sliced(c)));
  if (options.explain)
    explain(estimates, c);
  if (!options.shape.empty())
    noteWorkspace(c, shape);
  return std::nullopt;
}

/// Takes what the table has for the shape, and says so.
std::optional<Reason> choose(GemmOptions &options) {
  Result<kernels::GemmShape> shape = kernels::GemmShape::parse(options.shape);
  if (!shape)
    return shape.reason();
  Result<kernels::GemmTable> table = readGemmTable(options.table);
  if (!table)
    return table.reason();
  GemmConfig &c = options.config;
  if (c.hasTensorMemory())
    return Reason{"NoRates", cat("expects sm_90a for --shape, as what it plans by was measured on "
                                 "Hopper, but got ",
                                 c.target.str())};
  Result<kernels::GpuRates> known = gemmRates(options.rates, options.gpu);
  if (!known)
    return known.reason();
  const kernels::GpuRates &rates = *known;
  if (!options.gpu.empty() && rates.name != options.gpu)
    return Reason{"NoRates", cat("expects a GPU that the model has numbers of, ",
                                 kernels::knownGpus(), ", but got '", options.gpu, "'")};
  // A table that was asked for decides. The built-in one has exceptions from the model.
  bool given = !options.table.empty();
  const kernels::GemmRow *row = given                   ? table->nearest(c, *shape)
                                : options.rates.empty() ? table->exact(c, *shape)
                                                        : nullptr;
  if (given && !row)
    return Reason{"NoRow", "found nothing in the table that can be built with these options"};
  if (row && !given && !agreeOnSchedule(row->schedule, options))
    row = nullptr;
  std::vector<kernels::GemmEstimate> estimates;
  if (!row || options.explain)
    estimates = kernels::plans(c, *shape, rates);
  if (!row && estimates.empty())
    return Reason{"NoPlan", "found no configuration that can be built with these options"};
  GemmConfig chosen = c;
  (row ? row->schedule : fitting(estimates, options).schedule).applyTo(chosen);
  for (auto [option, field] : options.choices)
    if (option->count() == 0)
      c.*field = chosen.*field;
  if (options.swap->count() == 0)
    c.swap = chosen.swap;
  if (options.schedule->count() == 0)
    c.pingpong = chosen.pingpong;
  note(cat("for ", shape->str(), ": ", kernels::GemmSchedule::of(c).str(),
           row ? cat(" (the table has ", row->shape.str(), " of ", row->a, ")") : ""));
  if (options.explain)
    explain(estimates, rates, row);
  noteWorkspace(c, *shape);
  return std::nullopt;
}

int generateGemm(GemmOptions &options) {
  // The types first: the table is looked up by them.
  std::optional<Reason> why = kernels::refusedTypes(options.config);
  if (!why && options.config.multipliesByWarps())
    why = chooseOfWarps(options);
  else if (!why && !options.shape.empty())
    why = choose(options);
  if (!why)
    why = kernels::refused(options.config);
  if (why)
    return fail("generate gemm " + why->text);
  Result<std::string> text = gemmText(options.config);
  return text ? writeFile(options.output, *text) : BadInput;
}

struct RowOptions {
  kernels::RowConfig config;
  std::string output = "-";
};

int generateRows(const RowOptions &options) {
  std::string command = "generate " + options.config.kernel;
  if (std::optional<Reason> why = kernels::refused(options.config))
    return fail(cat(command, " ", why->text));
  Result<std::string> text = program::textOf(options.config, kernels::buildRows);
  return text ? writeFile(options.output, *text) : BadInput;
}
} // namespace

void cli::addArch(CLI::App &command, atom::Target &target, const char *targets) {
  auto set = [&target](const std::string &name) {
    Result<atom::Target> parsed = atom::Target::parse(name);
    if (!parsed)
      throw CLI::ValidationError("--arch", parsed.reason().text);
    target = *parsed;
  };
  command.add_option_function<std::string>("--arch", set, targets)->default_str(target.str());
}

static void addGemm(CLI::App &parent, int &exit) {
  CLI::App *gemm = parent.add_subcommand(
      "gemm", "D = activation(alpha A B^T + beta C + bias), from Turing to Blackwell");
  auto options = std::make_shared<GemmOptions>();
  GemmConfig &c = options->config;
  addGemmTypes(*gemm, c);
  auto choice = [&](const char *name, int GemmConfig::*field, const char *what) {
    options->choices.push_back(
        {gemm->add_option(name, c.*field, what)->capture_default_str(), field});
  };
  CLI::Option *shape =
      gemm->add_option("--shape", options->shape,
                       "MxNxK: takes from the table the options below that are not given");
  gemm->add_option("--table", options->table,
                   "a table that `tessera tune gemm -o` wrote; default: the built-in one");
  gemm->add_option("--gpu", options->gpu,
                   "the GPU that --shape plans for, as its driver names it; default: NVIDIA H200")
      ->needs(shape);
  gemm->add_option("--rates", options->rates,
                   "a file of `tessera calibrate` for the GPU that --shape plans for")
      ->needs(shape);
  gemm->add_flag("--explain", options->explain,
                 "with --shape: print the candidates, how long each may take and why")
      ->needs(shape);
  options->swap =
      gemm->add_flag("--swap,!--no-swap", c.swap,
                     "for D of few rows: B takes the place of A in wgmma, and the slices "
                     "of K of a tile are a cluster");
  options->schedule =
      gemm->add_option_function<std::string>(
              "--schedule", [&c](const std::string &name) { c.pingpong = name == "pingpong"; },
              "cooperative: two warpgroups share a tile; pingpong: each has a tile of its own, and "
              "one multiplies while the other stores")
          ->check(CLI::IsMember({"cooperative", "pingpong"}))
          ->default_str("cooperative");
  choice("--tile-m", &GemmConfig::tileM,
         "rows of a tile: 128, of pingpong 64 or 128, of a swapped product 8 to 256; where warps "
         "multiply 32 to 256");
  choice("--tile-n", &GemmConfig::tileN,
         "columns of a tile: 16, 32 ... 256, of a swapped product 64 or 128");
  choice("--stages", &GemmConfig::stages, "tiles of K in flight");
  choice("--cluster", &GemmConfig::cluster, "blocks that share a tile of B by multicast");
  choice("--group", &GemmConfig::group, "rows of tiles that are visited together");
  choice("--split-k", &GemmConfig::splitK, "slices of K, each summed by a block of its own");
  addArch(*gemm, c.target,
          "sm_90a, sm_100a, sm_103a or sm_110a; sm_75, sm_80, sm_86, sm_87, sm_89, sm_120a or "
          "sm_121a, where warps multiply");
  gemm->add_option("--groups", c.groups,
                   "many products in one launch: batches, masked (batches of which some rows "
                   "count), contiguous (groups of A's rows, each with its B)")
      ->capture_default_str();
  gemm->add_flag("--pair", c.pair,
                 "sm_100a: two blocks multiply 256 rows together, each with half of B");
  gemm->add_flag("--dynamic", c.dynamic,
                 "sm_100a: blocks take over tiles of blocks that have not begun");
  gemm->add_flag("--block-scales", c.factors,
                 "elements share factors: 128 of a row of A and 128 x 128 of B (as DeepSeek-V3 has "
                 "them), or on sm_100a those of a row of A and of B (mxf8, mxf4, nvf4)");
  gemm->add_option("--factor", c.factor,
                   "of --block-scales: f32; on sm_100a f8E8M0FNU for 32 elements, or f8E4M3FN "
                   "for 16 of f4E2M1FN");
  gemm->add_option_function<int>(
      "--group-scales", [&c](int elements) { c.groupScales = elements, c.swap = true; },
      "of B: 32, 64 or 128 elements of a row share a scale (of A's type); B is i4, f8E4M3FN or "
      "f8E5M2 and is widened to A's f16 or bf16; on sm_90a the product is swapped");
  options->sms =
      gemm->add_option("--sms", c.sms, "multiprocessors of the device")->capture_default_str();
  gemm->add_flag("--scales", c.scales,
                 "multiply by a scale of A and one of B (f32, in device memory)");
  gemm->add_flag("--alpha", c.alpha, "multiply by alpha (f32, an argument of the call)");
  gemm->add_flag("--c", c.c, "add beta * C (beta f32, an argument of the call; C like D)");
  gemm->add_option("--bias", c.bias, "add a number for each column: none, f32, or D's type")
      ->capture_default_str();
  gemm->add_option("--activation", c.activation, "none, relu, gelu (tanh form) or silu")
      ->capture_default_str();
  gemm->add_option("-o", options->output, "where to; - is stdout")->capture_default_str();
  addTimeout(*gemm);
  gemm->callback([options, &exit] { exit = generateGemm(*options); });
}

static void addRows(CLI::App &parent, int &exit) {
  for (const kernels::RowKernelInfo &info : kernels::rowKernels()) {
    CLI::App *rows = parent.add_subcommand(std::string(info.name), std::string(info.formula));
    rows->footer("It is called with " + info.call + ".");
    auto options = std::make_shared<RowOptions>();
    kernels::RowConfig &c = options->config;
    c.kernel = info.name;
    rows->add_option("--element", c.element, "type of what is read: f16, bf16, f32")
        ->capture_default_str();
    bool quantizes = info.name == "quantize";
    rows->add_option("--result", c.result,
                     quantizes ? "type of the codes: f8E4M3FN (the default), f8E5M2, i8"
                               : "type of what is written; default: of what is read");
    if (!info.anyLength) {
      rows->add_option("--columns", c.columns,
                       "the most columns that a row has; rows may be shorter")
          ->capture_default_str();
      rows->add_option("--vectors", c.vectors,
                       "vectors of 16 bytes that a thread has at most, 1 to 8; default: 4");
    }
    if (info.name.ends_with("-weights-backward"))
      rows->add_option("--columns", c.columns,
                       "the number of columns that it is made for; it works for others, too")
          ->capture_default_str();
    rows->add_flag("--overlap", c.overlaps,
                   "begin before earlier kernels of the stream have ended (sm_90 and later)");
    if (info.name == "act-mul")
      rows->add_option("--activation", c.activation, "none, relu, gelu (tanh form) or silu")
          ->capture_default_str();
    if (quantizes)
      rows->add_option("--segment", c.segment,
                       "columns that have a scale: 32, 64, 128 or 256; default: the row");
    rows->add_option("-o", options->output, "where to; - is stdout")->capture_default_str();
    addTimeout(*rows);
    rows->callback([options, &exit] { exit = generateRows(*options); });
  }
}

/// What there is, a line each.
static void listKernels(const CLI::App &command) {
  for (const CLI::App *kernel : command.get_subcommands([](const CLI::App *) { return true; }))
    llvm::outs() << llvm::left_justify(kernel->get_name(), 24) << kernel->get_description() << "\n";
}

void cli::addGenerate(CLI::App &app, int &exit) {
  CLI::App *command = app.add_subcommand("generate", "Writes the IR of a ready kernel");
  auto list = std::make_shared<bool>(false);
  command->add_flag("--list", *list, "list the kernels");
  command->require_subcommand(0, 1);
  command->callback([command, list] {
    if (*list)
      listKernels(*command);
    else if (command->get_subcommands().empty())
      throw CLI::RequiredError::Subcommand(1);
  });
  addGemm(*command, exit);
  addAttentions(*command, exit);
  addRows(*command, exit);
}
