// tessera layout
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cli/Cli.h"

#include "tessera/eval/Laws.h"
#include "tessera/eval/Report.h"

#include <CLI/CLI.hpp>

#include <fstream>
#include <iostream>

using namespace tessera;
using namespace tessera::cli;

namespace {

struct Options {
  std::string expression, batch, law;
  std::vector<std::string> equal;
  bool explain = false, values = false, json = false, functions = false;
  int64_t limit = 4096;
};

/// The refusal of an expression, on stderr; with --json as an object on stdout.
int refused(const eval::Evaluation &done, const Options &options) {
  if (options.json)
    std::cout << eval::json(done);
  else
    std::cerr << (options.explain ? eval::explanation(done) : "")
              << eval::str(done.refusal, done.text);
  return BadInput;
}

int show(const Result<eval::Verdict> &verdict) {
  if (!verdict)
    return fail(verdict.reason().text);
  std::cout << (verdict->holds ? "holds: " : "fails: ") << verdict->text << "\n";
  return verdict->holds ? Right : Differs;
}

/// What was asked for of one expression. Pictures of a result (eval::layoutOf) are drawn from here,
/// each as an option of its own beside --explain and --values.
int evaluate(const Options &options) {
  eval::Evaluation done = eval::evaluate(options.expression);
  if (!done.ok())
    return refused(done, options);
  if (options.json) {
    std::cout << eval::json(done);
    return Right;
  }
  std::cout << (options.explain ? eval::explanation(done) + "\n" : "") << eval::summary(done);
  if (options.values) {
    Result<std::string> table = eval::functionTable(done, options.limit);
    if (!table)
      return fail(table.reason().text);
    std::cout << *table;
  }
  return options.law.empty() ? int(Right) : show(eval::check(options.law, done));
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
    std::cout << out.text << "\n";
  }
  return right ? Right : Differs;
}

int answer(const Options &options) {
  if (options.functions) {
    std::cout << eval::functionList();
    return Right;
  }
  if (!options.batch.empty())
    return batch(options.batch);
  if (!options.equal.empty())
    return compare(options);
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
      "          tessera layout --equal '(4,8):(8,1)' 'make_layout_right((4,8))'");
  command->add_option(
      "EXPRESSION", options->expression,
      "layouts in CuTe notation, calls of --functions, `A o B`, let NAME = VALUE; ...");
  command->add_flag("--explain", options->explain,
                    "say step by step which rule did what, and what it assumes");
  command->add_flag("--values", options->values, "list coordinate and index, one a line");
  command->add_option("--limit", options->limit, "lines of --values")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command
      ->add_option("--equal", options->equal,
                   "compare two expressions as functions over their domain")
      ->expected(2);
  command->add_option("--check", options->law,
                      "check a law of the expression by brute force; --functions lists the laws");
  command->add_option("--batch", options->batch,
                      "evaluate each line OP(ARG | ARG ...) of a file; - is stdin");
  command->add_flag("--json", options->json, "one JSON object instead of text");
  command->add_flag("--functions", options->functions, "list the functions and the laws");
  command->callback([options, &exit] { exit = answer(*options); });
}
