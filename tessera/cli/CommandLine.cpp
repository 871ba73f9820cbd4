// Command lines, and what was probably meant.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cli/CommandLine.h"

#include "tessera/cli/Cli.h"
#include "tessera/process/Deadline.h"
#include "tessera/process/Process.h"
#include "tessera/ptx/Fatal.h"

#include "llvm/ADT/StringRef.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <filesystem>
#include <map>
#include <sstream>

using namespace tessera;
using namespace tessera::cli;

namespace {

/// "generate gemm", without the program's name.
std::string pathOf(const CLI::App &command) {
  const CLI::App *parent = command.get_parent();
  if (!parent)
    return "";
  std::string before = pathOf(*parent);
  return before.empty() ? command.get_name() : cat(before, " ", command.get_name());
}

/// The command that was named last; the program if none was.
const CLI::App *chosen(const CLI::App *app) {
  std::vector<CLI::App *> named = const_cast<CLI::App *>(app)->get_subcommands();
  return named.empty() ? app : chosen(named.back());
}

std::string orNearest(const std::string &word, const std::vector<std::string> &names) {
  std::string near = nearest(word, names, word.size() / 2);
  return near.empty() ? "" : cat("; did you mean ", near, "?");
}

/// What is wrong with the words of a command line, for a person.
std::string refusalOf(const CLI::App &app, const CLI::ParseError &error) {
  const CLI::App &command = *chosen(&app);
  std::string path = pathOf(command), help = path.empty() ? "--help" : path + " --help";
  std::vector<std::string> left = app.remaining(/*recurse=*/true);
  auto option = std::find_if(left.begin(), left.end(), [](const std::string &word) {
    return word.size() > 1 && word[0] == '-' && !std::isdigit(static_cast<unsigned char>(word[1]));
  });
  if (option != left.end()) {
    std::string name = option->substr(0, option->find('='));
    std::vector<std::string> known;
    for (const CLI::Option *one : command.get_options())
      for (const std::string &longName : one->get_lnames())
        known.push_back("--" + longName);
    return cat("unknown option '", name, "'", path.empty() ? "" : cat(" of ", path),
               orNearest(name, known), " (see ", help, ")");
  }
  std::vector<std::string> commands;
  for (const CLI::App *one : command.get_subcommands([](const CLI::App *) { return true; }))
    commands.push_back(one->get_name());
  if (!left.empty() && !commands.empty())
    return cat("there is no command '", path.empty() ? "" : path + " ", left.front(), "'",
               orNearest(left.front(), commands), " (see ", help, ")");
  return cat(error.what(), "; see ", help);
}

CLI::Option *addLimit(CLI::App &command, const char *option, const char *what,
                      std::function<void(double)> asked) {
  return command.add_option_function<double>(option, std::move(asked), what)
      ->check(secondsCheck())
      ->default_str("0");
}

std::string limited(const CLI::App &command) {
  std::string path = pathOf(command);
  return path.empty() ? "the compilation" : path;
}

} // namespace

int tessera::cli::withinMemory(int argc, char **argv, int (*program)(int argc, char **argv)) {
  int code = Right;
  std::optional<Reason> exhausted = ptx::exhaustionOf([&] { code = program(argc, argv); });
  return exhausted ? process::fail(exhausted->text, process::codeOf(*exhausted)) : code;
}

bool tessera::cli::read(CLI::App &app, std::vector<std::string> words, int &exit) {
  try {
    app.name(words.front());
    // CLI11 takes words from the back.
    app.parse(std::vector<std::string>(words.rbegin(), words.rend() - 1));
    return true;
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() != 0) {
      exit = fail(refusalOf(app, error));
      return false;
    }
    // --help, --version. std::cout would lose why it cannot be written.
    std::ostringstream text;
    exit = app.exit(error, text, text);
    std::fputs(text.str().c_str(), stdout);
    return false;
  }
}

CLI::Validator tessera::cli::secondsCheck() {
  auto check = [](std::string &text) {
    double seconds = 0;
    bool isLimit = CLI::detail::lexical_cast(text, seconds) && process::isLimit(seconds);
    return isLimit ? "" : cat("expects seconds from 0 (no limit) to 1e6, but got ", text);
  };
  return {check, CLI::Range(0.0, process::mostSeconds).get_description()};
}

CLI::Validator tessera::cli::numberFrom(int least) {
  auto check = [least](std::string &text) {
    double number = 0;
    bool isRight = CLI::detail::lexical_cast(text, number) && number >= least;
    return isRight ? "" : cat("expects a number from ", least, " on, but got ", text);
  };
  return {check, least ? "POSITIVE" : "NONNEGATIVE"};
}

CLI::Option *tessera::cli::addTimeout(CLI::App &command, double *seconds, double grace) {
  return addLimit(command, "--timeout", "limit in seconds for the whole command; 0: no limit",
                  [&command, seconds, grace](double limit) {
                    if (seconds)
                      *seconds = limit;
                    process::endWithin(limit, limited(command), "--timeout", grace);
                  });
}

CLI::Option *tessera::cli::addTotalTimeout(CLI::App &command) {
  return addLimit(
      command, "--total-timeout", "limit in seconds for the whole command; 0: no limit",
      [&command](double limit) { process::endWithin(limit, limited(command), "--total-timeout"); });
}

Status tessera::cli::differ(const std::vector<Output> &outputs) {
  namespace fs = std::filesystem;
  std::map<std::string, const Output *> known;
  for (const Output &output : outputs) {
    std::error_code ignored; // a place that cannot be examined fails when the file is written
    if (output.file.empty() || output.file == "-" ||
        (fs::exists(output.file, ignored) && !fs::is_regular_file(output.file, ignored)))
      continue;
    fs::path place = fs::absolute(output.file, ignored);
    constexpr int mostLinks = 40; // as Linux follows; to where nothing is yet, too
    for (int i = 0; i < mostLinks && fs::is_symlink(place, ignored); ++i)
      place = place.parent_path() / fs::read_symlink(place, ignored);
    place = fs::weakly_canonical(place, ignored);
    auto [earlier, isNew] = known.try_emplace(place.string(), &output);
    if (!isNew)
      return Reason{"OneFile",
                    cat(earlier->second->option, " and ", output.option, " both write to ",
                        output.file, ": give one of them another file")};
  }
  return Done{};
}

std::string tessera::cli::nearest(const std::string &name, const std::vector<std::string> &names,
                                  size_t most) {
  std::vector<std::pair<unsigned, std::string>> ranked;
  for (const std::string &known : names)
    ranked.emplace_back(llvm::StringRef(known).edit_distance_insensitive(name), known);
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](auto &a, auto &b) { return a.first < b.first; });
  std::erase_if(ranked, [&](auto &one) { return one.first > most; });
  std::string out;
  size_t count = std::min<size_t>(3, ranked.size());
  for (size_t i = 0; i < count; ++i)
    out += cat(i == 0 ? "" : i + 1 == count ? " or " : ", ", ranked[i].second);
  return out;
}
