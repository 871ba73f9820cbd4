// tessera layout
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cli/Cli.h"
#include "tessera/cli/CommandLine.h"
#include "tessera/cli/FileValues.h"
#include "tessera/cli/LayoutPictures.h"

#include "tessera/base/Printable.h"
#include "tessera/eval/Laws.h"
#include "tessera/eval/Report.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

#include <CLI/CLI.hpp>

#include <fstream>
#include <iostream>

using namespace tessera;
using namespace tessera::cli;

namespace {

struct Options {
  std::string expression, batch, law;
  std::string from, operand = "C"; // --from
  import::Reading reading;
  std::vector<std::string> equal;
  bool explain = false, values = false, json = false, functions = false;
  int64_t limit = 4096;
  LayoutPictureOptions picture;
};

/// The refusal of an expression, on stderr; with --json as an object on stdout.
int refused(const eval::Evaluation &done, const Options &options) {
  if (options.json) {
    llvm::outs() << eval::json(done);
    return BadInput;
  }
  if (options.explain)
    llvm::errs() << printable(eval::explanation(done));
  fail(done.refusal.reason.text);
  // Below the sentence: the place, and what to do.
  std::string text = printable(eval::str(done.refusal, done.text));
  llvm::StringRef rest = llvm::StringRef(text).drop_front(text.find("\n  ") + 1);
  auto [place, help] = rest.split("help: ");
  llvm::errs() << place;
  if (!done.refusal.help.empty())
    llvm::WithColor(llvm::errs(), llvm::HighlightColor::Remark) << "help: ";
  llvm::errs() << help;
  return BadInput;
}

int show(const Result<eval::Verdict> &verdict) {
  if (!verdict)
    return fail(verdict.reason().text);
  llvm::WithColor(llvm::outs(), verdict->holds ? llvm::raw_ostream::GREEN : llvm::raw_ostream::RED)
      << (verdict->holds ? "holds: " : "fails: ");
  llvm::outs() << verdict->text << "\n";
  return verdict->holds ? Right : Differs;
}

/// The result in bold where that is possible, then its properties.
void printSummary(const eval::Evaluation &done) {
  std::string summary = eval::summary(done);
  auto [result, rest] = llvm::StringRef(summary).split('\n');
  llvm::WithColor(llvm::outs(), llvm::raw_ostream::SAVEDCOLOR, true) << result;
  llvm::outs() << "\n" << rest;
}

/// Whether something is assumed that no run-time value proves.
bool assumes(const eval::Evaluation &done) {
  return llvm::any_of(done.values.assumptions(),
                      [](const eval::Assumption &assumption) { return !assumption.holds; });
}

/// What was asked for of one expression.
int evaluate(const Options &options) {
  eval::Evaluation done = eval::evaluate(options.expression);
  if (!done.ok())
    return refused(done, options);
  PictureOptions output = options.picture.output;
  // A file on stdout, or JSON, is all that a program wants there.
  const bool toStdout = output.svg == "-" || output.latex == "-", quiet = options.json || toStdout;
  output.draw = !quiet && (output.draw || !output.any());
  // A picture says what a summary does, except for assumptions.
  const bool summed = !output.draw || !options.picture.any() || assumes(done);
  LayoutPicture drawn;
  if (options.picture.any()) {
    Result<layout::AnyLayout> l = eval::knownLayout(done, "a picture");
    Result<LayoutPicture> made = l ? draw(*l, options.picture) : std::move(l).reason();
    if (!made)
      return fail(made.reason().text);
    drawn = *std::move(made);
  }
  if (options.json)
    llvm::outs() << eval::json(done, drawn.json);
  if (!quiet) {
    llvm::outs() << (options.explain ? eval::explanation(done) + "\n" : "");
    if (summed)
      printSummary(done);
    llvm::outs() << drawn.verdict;
  }
  if (options.values && !quiet) {
    Status written = eval::functionTable(done, options.limit,
                                         [](std::string_view line) { llvm::outs() << line; });
    if (!written)
      return fail(written.reason().text);
  }
  if (options.picture.any()) {
    llvm::outs() << (output.draw && (summed || !drawn.verdict.empty()) ? "\n" : "");
    if (int code = cli::show(drawn.picture, output))
      return code;
  }
  return options.law.empty() || quiet ? int(Right) : show(eval::check(options.law, done));
}

/// A value of a file, as its expression. What has leaves that are known only at run time is not
/// drawn.
int evaluateFrom(Options options) {
  using enum layout::MmaOperand;
  const layout::MmaOperand operand = options.operand == "A" ? A : options.operand == "B" ? B : C;
  Result<FileValue> value = valueAt(options.from, operand, options.reading);
  if (!value)
    return fail(value.reason());
  options.expression = value->expression;
  if (!options.json)
    llvm::outs() << value->name << " : " << value->type << "\n";
  bool chosen = options.picture.any();
  eval::Evaluation done = eval::evaluate(options.expression);
  if (!chosen && done.ok() && eval::knownLayout(done, "a picture")) {
    options.picture.output.draw = true;
    options.picture.tile = value->tile;
  }
  return evaluate(options);
}

int compare(const Options &options) {
  eval::Evaluation sides[] = {eval::evaluate(options.equal[0]), eval::evaluate(options.equal[1])};
  for (const eval::Evaluation &side : sides)
    if (!side.ok())
      return refused(side, options);
  return show(eval::equal(sides[0], sides[1]));
}

int batch(const std::string &path) {
  std::ifstream file;
  if (path != "-")
    file.open(path);
  std::istream &in = path == "-" ? std::cin : file;
  if (!in)
    return fail(cat("cannot read ", path));
  bool right = true;
  for (std::string line; std::getline(in, line);) {
    eval::Line out = eval::evaluateLine(std::move(line));
    right &= out.ok;
    llvm::outs() << (llvm::outs().is_displayed() ? printable(out.text) : out.text) << "\n";
  }
  return right ? Right : Differs;
}

int answer(const Options &options) {
  if (options.functions) {
    llvm::outs() << eval::functionList();
    return Right;
  }
  if (!options.batch.empty())
    return batch(options.batch);
  if (!options.equal.empty())
    return compare(options);
  if (!options.from.empty())
    return evaluateFrom(options);
  if (options.expression.empty())
    return fail("expects an expression, such as 'logical_divide((128,128):(1,128), [64:1;64:1])'; "
                "--functions lists "
                "what there is");
  return evaluate(options);
}
} // namespace

void tessera::cli::addLayout(CLI::App &app, int &exit) {
  auto options = std::make_shared<Options>();
  CLI::App *command =
      app.add_subcommand("layout", "Computes with layouts: operations, checks, tables of values");
  command->footer(
      "Examples: tessera layout 'logical_divide((128,128):(1,128), [64:1;64:1])' --explain\n"
      "          tessera layout 'let A = (4,8):(8,1); A o (2,4)' --values\n"
      "          tessera layout 'complement((2,2):(1,6), 24)' --check complement\n"
      "          tessera layout --equal '(4,8):(8,1)' 'make_layout_right((4,8))'\n"
      "          tessera layout '((4,2),(2,4)):((2,8),(1,16))' --draw --svg layout.svg\n"
      "          tessera layout '((4,8),2):((16,1),8)' --tv 8x8\n"
      "          tessera layout 'S<3,3,3> o 0 o (8,64):(64,1)' --banks 16\n"
      "          tessera layout '(8,64):(64,1)' --conflicts '(8,8):(1,8)' --vector 16\n"
      "          tessera layout '(8,64):(64,1)' --versus 'S<3,3,3> o 0 o (8,64):(64,1)' "
      "--conflicts '(8,8):(1,8)' --vector 16\n"
      "          tessera layout --from kernel.mlir:120");
  CLI::Option *expression = command->add_option(
      "EXPRESSION", options->expression,
      "layouts in CuTe notation, calls of --functions, `A o B`, let NAME = VALUE; ...");
  CLI::Option *from =
      command
          ->add_option("--from", options->from,
                       "FILE:LINE or FILE:LINE:COLUMN: the layout, tensor, tiled copy or tiled MMA "
                       "that this line of a kernel defines")
          ->excludes(expression);
  command->add_option("--operand", options->operand, "which operand of a tiled MMA --from draws")
      ->check(CLI::IsMember({"A", "B", "C"}))
      ->needs(from)
      ->capture_default_str();
  addInputVersion(*command, options->reading);
  command->add_flag("--explain", options->explain,
                    "print each step: the rule, what it assumes, its result");
  command->add_flag("--values", options->values, "list coordinate and index, one pair a line");
  command->add_option("--limit", options->limit, "lines of --values")
      ->check(numberFrom(1))
      ->capture_default_str();
  command
      ->add_option("--equal", options->equal,
                   "compare two expressions as functions over their domain")
      ->expected(2);
  command->add_option("--check", options->law,
                      "check a law of the expression by brute force; --functions lists the laws");
  command->add_option("--batch", options->batch,
                      "evaluate each line OP(ARG | ARG ...) of a file; - reads stdin");
  addLayoutPictureOptions(*command, options->picture);
  command->add_flag("--json", options->json, "one JSON object instead of text");
  command->add_flag("--functions", options->functions, "list the functions and the laws");
  addTimeout(*command);
  command->callback([options, &exit] { exit = answer(*options); });
}
