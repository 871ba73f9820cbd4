// tessera atoms
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/atom/Registry.h"
#include "tessera/cli/Cli.h"
#include "tessera/cli/CommandLine.h"
#include "tessera/cli/Pictures.h"
#include "tessera/layout/Text.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <CLI/CLI.hpp>

using namespace tessera;
using namespace tessera::cli;

namespace {

struct Options {
  std::string name, arch;
  PictureOptions picture;
  bool json = false, markdown = false;
  int64_t m = 0, n = 0, amount = 0, bits = 0;
};

/// What is said about a row.
struct Column {
  std::string_view title;
  std::string text;
};

/// An MMA or a copy, whichever is there.
struct Row {
  const atom::MmaRow *mma = nullptr;
  const atom::CopyRow *copy = nullptr;

  const std::string &name() const { return mma ? mma->name : copy->name; }
  const std::string &alias() const { return mma ? mma->alias : copy->alias; }
  const atom::Requirement &needs() const { return mma ? mma->needs : copy->needs; }
};

std::vector<Row> allRows() {
  std::vector<Row> rows;
  for (const atom::MmaRow &row : atom::mmaRows())
    rows.push_back({.mma = &row});
  for (const atom::CopyRow &row : atom::copyRows())
    rows.push_back({.copy = &row});
  return rows;
}

std::string typesOf(const atom::MmaRow &row) {
  return cat(atom::name(row.a.element), " ", atom::name(row.b.element), " ",
             atom::name(row.c.element));
}

/// "8x8 x4" matrices, "16x256 bits x (1 to 64)" of tensor memory, or how many bits.
std::string shapeOf(const atom::CopyRow &row) {
  if (row.key.matrices)
    return cat(row.key.rows, "x", row.key.columns, " x", row.key.matrices);
  std::string block =
      row.key.rows ? cat(row.key.rows, "x", row.key.columns, " bits") : row.amounts.str();
  if (row.amounts.unit == atom::Amounts::Bits)
    return block;
  return cat(block, " x (", row.amounts.first, " to ", row.amounts.last, ")");
}

/// "smem -> rmem".
std::string wayOf(const atom::CopyRow &row) { return cat(name(row.from), " -> ", name(row.to)); }

std::vector<Column> columnsOf(const Row &row) {
  if (row.mma)
    return {{"name", row.mma->name},
            {"atom", std::string(mnemonic(row.mma->family))},
            {"shape", shapeText(*row.mma)},
            {"types", typesOf(*row.mma)},
            {"needs", row.mma->needs.sentence()},
            {"route", std::string(name(row.mma->route))},
            {"ptx", row.mma->mnemonic}};
  return {{"name", row.copy->name},
          {"atom", std::string(mnemonic(row.copy->key.family))},
          {"shape", shapeOf(*row.copy)},
          {"moves", wayOf(*row.copy)},
          {"needs", row.copy->needs.sentence()},
          {"route", std::string(name(row.copy->route))},
          {"ptx", row.copy->mnemonic}};
}

/// An operand of an MMA or a side of a copy: where it lives and who holds it.
struct Operand {
  std::string_view title;
  std::string element, where, registers, layout;
  std::string_view fragment;
};

/// "4 x b32", or nothing.
std::string registersText(int count, std::string_view type) {
  return count ? cat(count, " x ", type) : "";
}

struct Facts {
  std::vector<Column> columns;
  std::vector<Operand> operands;
};

Result<std::vector<Operand>> operandsOf(const atom::MmaRow &row, const Options &options) {
  int64_t m = options.m ? options.m : row.m.first, n = options.n ? options.n : render::usualN(row);
  TESSERA_TRY(layout::MmaAtomLayouts atom, layouts(row, m, n));
  auto made = [&](std::string_view title, const atom::Operand &operand,
                  const layout::Layout &layout) {
    return Operand{title,
                   std::string(atom::name(operand.element)),
                   std::string(name(operand.where)),
                   registersText(operand.registers.at(n), ptxName(operand.registers.type)),
                   str(layout),
                   atom::row(operand.fragment).name};
  };
  return std::vector{made("A", row.a, atom.a), made("B", row.b, atom.b), made("C", row.c, atom.c)};
}

/// Layouts in values of --bits, or in bits.
Result<std::vector<Operand>> operandsOf(const atom::CopyRow &row, const Options &options) {
  int64_t amount = options.amount ? options.amount : render::usualAmount(row), bits = options.bits;
  TESSERA_TRY(layout::CopyAtomLayouts atom,
              bits ? layouts(row, amount, bits) : bitLayouts(row, amount));
  auto made = [&](std::string_view title, atom::AddressSpace space, atom::Fragment fragment,
                  const layout::Layout &layout) {
    int registers = space == atom::AddressSpace::Rmem ? row.registersFor(amount) : 0;
    return Operand{title,
                   bits ? cat("b", bits) : "b1",
                   std::string(name(space)),
                   registersText(registers, "b32"),
                   str(layout),
                   atom::row(fragment).name};
  };
  return std::vector{made("source", row.from, row.src, atom.src),
                     made("destination", row.to, row.dst, atom.dst)};
}

Result<Facts> factsOf(const Row &row, const Options &options) {
  Facts facts{columnsOf(row), {}};
  auto add = [&](std::string_view title, std::string text) {
    if (!text.empty())
      facts.columns.push_back({title, std::move(text)});
  };
  int ptx = row.mma ? row.mma->ptx : row.copy->ptx;
  add("version", ptx ? cat("PTX ", ptx / 10, ".", ptx % 10) : "");
  add("alias", row.alias());
  add("threads", std::string(row.mma ? row.mma->threads : row.copy->threads));
  add("origin", std::string(row.mma ? row.mma->source : row.copy->source));
  TESSERA_TRY(facts.operands,
              row.mma ? operandsOf(*row.mma, options) : operandsOf(*row.copy, options));
  return facts;
}

bool contains(llvm::StringRef text, llvm::StringRef part) {
  return text.contains_insensitive(part);
}

/// The rows that have `part` in their name, or are called so; N may stand in a name as a number,
/// which is then `n`.
std::vector<Row> matching(const std::vector<Row> &rows, const std::string &part, int64_t &n) {
  std::vector<Row> found;
  for (const Row &row : rows) {
    if (row.name() == part || row.alias() == part)
      return {row};
    if (row.mma && !row.mma->n.isFixed() && !n)
      for (int value : row.mma->n.values())
        if (nameFor(*row.mma, value) == part) {
          n = value;
          return {row};
        }
    if (contains(row.name(), part) || contains(row.alias(), part))
      found.push_back(row);
  }
  return found;
}

std::vector<std::string> namesOf(const std::vector<Row> &rows) {
  std::vector<std::string> names;
  for (const Row &row : rows)
    names.push_back(row.name());
  return names;
}

llvm::json::Object jsonOf(const Row &row, const std::vector<Column> &columns) {
  llvm::json::Object object;
  for (const Column &column : columns)
    object[llvm::StringRef(column.title)] = column.text;
  llvm::json::Array targets;
  for (atom::Target target : row.needs().targets())
    targets.push_back(target.str());
  object["targets"] = std::move(targets);
  return object;
}

llvm::json::Object jsonOf(const Row &row, const Facts &facts) {
  llvm::json::Object object = jsonOf(row, facts.columns);
  for (const Operand &operand : facts.operands)
    object[llvm::StringRef(operand.title)] =
        llvm::json::Object{{"element", operand.element},
                           {"where", operand.where},
                           {"registers", operand.registers},
                           {"fragment", llvm::StringRef(operand.fragment)},
                           {"layout", operand.layout}};
  return object;
}

void printJson(llvm::json::Value value) { llvm::outs() << llvm::formatv("{0:2}", value) << "\n"; }

/// Columns as wide as their widest text, two blanks apart.
void printAligned(const std::vector<std::vector<std::string>> &lines) {
  std::vector<size_t> widths;
  for (const std::vector<std::string> &line : lines)
    for (size_t c = 0; c < line.size(); ++c) {
      widths.resize(std::max(widths.size(), line.size()));
      widths[c] = std::max(widths[c], line[c].size());
    }
  for (const std::vector<std::string> &line : lines) {
    std::string out;
    for (size_t c = 0; c < line.size(); ++c)
      out += line[c] + std::string(widths[c] - line[c].size() + 2, ' ');
    llvm::outs() << llvm::StringRef(out).rtrim() << "\n";
  }
}

void printTable(const std::vector<Row> &rows) {
  std::vector<std::vector<std::string>> lines(1);
  for (const Column &column : columnsOf(rows.front()))
    lines.front().emplace_back(column.title);
  for (const Row &row : rows) {
    lines.emplace_back();
    for (Column &column : columnsOf(row))
      lines.back().push_back(std::move(column.text));
  }
  printAligned(lines);
  llvm::outs() << "\n" << rows.size() << " atoms\n";
}

/// One table for all MMAs and one for all copies.
void printMarkdown(const std::vector<Row> &rows) {
  for (bool mma : {true, false}) {
    auto isThis = [&](const Row &row) { return (row.mma != nullptr) == mma; };
    if (llvm::none_of(rows, isThis))
      continue;
    llvm::outs() << (mma ? "## MMA\n\n" : "\n## Copy\n\n");
    std::string titles, rule;
    for (const Column &column : columnsOf(*llvm::find_if(rows, isThis))) {
      titles += cat("| ", column.title, " ");
      rule += "|---";
    }
    llvm::outs() << titles << "|\n" << rule << "|\n";
    for (const Row &row : rows)
      if (isThis(row)) {
        for (const Column &column : columnsOf(row)) {
          bool code = column.title == "name" || column.title == "ptx"; // <f64> is not a tag
          llvm::outs() << "| "
                       << (code && !column.text.empty() ? cat("`", column.text, "`") : column.text)
                       << " ";
        }
        llvm::outs() << "|\n";
      }
  }
}

void printFacts(const Facts &facts) {
  std::vector<std::vector<std::string>> columns, operands;
  for (const Column &column : facts.columns)
    columns.push_back({std::string(column.title), column.text});
  for (const Operand &operand : facts.operands)
    operands.push_back({std::string(operand.title), operand.element, operand.where,
                        operand.registers, std::string(operand.fragment), operand.layout});
  printAligned(columns);
  llvm::outs() << "\n";
  printAligned(operands);
}

int list(const std::vector<Row> &rows, const Options &options) {
  if (options.picture.any())
    return fail(options.name.empty() ? std::string("a picture shows one atom: give its full name")
                                     : cat("'", options.name, "' is part of ", rows.size(),
                                           " names, and a picture shows one atom"));
  if (options.markdown || !options.json) {
    options.markdown ? printMarkdown(rows) : printTable(rows);
    return Right;
  }
  llvm::json::Array array;
  for (const Row &row : rows)
    array.push_back(jsonOf(row, columnsOf(row)));
  printJson(std::move(array));
  return Right;
}

int describe(const Row &row, Options options) {
  Result<Facts> facts = factsOf(row, options);
  if (!facts)
    return fail(facts.reason().text);
  if (options.json)
    printJson(jsonOf(row, *facts));
  // A file on stdout, or JSON, is all that a program wants there.
  bool quiet = options.json || options.picture.svg == "-" || options.picture.latex == "-";
  if (!quiet)
    printFacts(*facts);
  if (!quiet && !options.picture.any())
    options.picture.draw = true;
  if (!options.picture.any())
    return Right;
  Result<render::Picture> picture = row.mma
                                        ? render::drawMma(*row.mma, options.m, options.n)
                                        : render::drawCopy(*row.copy, options.amount, options.bits);
  if (!picture)
    return fail(picture.reason().text);
  if (options.picture.draw && !quiet)
    llvm::outs() << "\n";
  return show(*picture, options.picture);
}

int atoms(Options options) {
  std::vector<Row> rows = allRows();
  std::vector<Row> found = options.name.empty() ? rows : matching(rows, options.name, options.n);
  if (found.empty())
    return fail(cat("no atom has '", options.name, "' in its name; the nearest are ",
                    nearest(options.name, namesOf(rows))));
  if (!options.arch.empty()) {
    Result<atom::Target> target = atom::Target::parse(options.arch);
    if (!target)
      return fail(target.reason().text);
    if (found.size() == 1)
      if (std::optional<Reason> lacks =
              atom::refusal(found.front().name(), found.front().needs(), *target))
        return fail(lacks->text);
    llvm::erase_if(found, [&](const Row &row) { return !row.needs().metBy(*target); });
    if (found.empty())
      return fail(cat(options.arch, " has no atom with '", options.name, "' in its name"));
  }
  return found.size() == 1 && !options.markdown ? describe(found.front(), options)
                                                : list(found, options);
}
} // namespace

void tessera::cli::addAtoms(CLI::App &app, int &exit) {
  auto options = std::make_shared<Options>();
  CLI::App *command =
      app.add_subcommand("atoms", "Lists the MMA and copy instructions, or shows one of them");
  command->footer("Examples: tessera atoms --arch sm_90a ldsm\n"
                  "          tessera atoms SM80_16x8x16_F32F16F16F32_TN --svg atom.svg\n"
                  "          tessera atoms SM90_64x128x16_F32F16F16_SS");
  command->add_option("NAME", options->name,
                      "part of a name; if it fits one atom only, that is described and drawn");
  command->add_option("--arch", options->arch, "only what this target has, such as sm_90a");
  addPictureOptions(*command, options->picture);
  command->add_flag("--json", options->json, "print the list, or the description, as JSON");
  command->add_flag("--markdown", options->markdown, "print the list as tables in Markdown");
  command->add_option("--m", options->m, "M, for an MMA with several")
      ->check(CLI::Range(int64_t(1), int64_t(1) << 23));
  command->add_option("--n", options->n, "N, for an MMA with several")
      ->check(CLI::Range(int64_t(1), int64_t(1) << 23));
  command->add_option("--amount", options->amount, "bits or repetitions, for a copy with several")
      ->check(CLI::Range(int64_t(1), int64_t(1) << 23));
  command
      ->add_option("--bits", options->bits,
                   "bits of a value, in the layouts and the picture of a copy")
      ->check(CLI::Range(int64_t(1), int64_t(1) << 23));
  addTimeout(*command);
  command->callback([options, &exit] { exit = atoms(*options); });
}
