// Makes a kernel of every spelling of every row whose operands are values, or one address.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Job.h"
#include "Selectors.h"

#include "tessera/sim/Forms.h"

#include <cmath>
#include <cstring>
#include <map>

namespace tessera::hw {

using sim::Type;

namespace {

constexpr size_t mostSpellings = 4000; // of one row
// Records: sources at multiples of 16 bytes, what lies in memory after them; destinations, a
// predicate, carries, memory.
constexpr uint32_t record = 96, memoryAt = 64, memoryBytes = 32, predicateAt = 32, secondAt = 36,
                   carryAt = 40;

/// What rows need around the instruction, or instead of operands that are drawn.
struct Special {
  std::string_view name, with;    // the name, and a word that must be there
  std::string_view before, after; // PTX
  std::vector<std::string_view>
      literals; // one: instead of the last source; two: of the first u32 ones
};
const Special specials[] = {
    {"add", "cc", "", "addc.u32 carry, 0, 0;", {}},
    {"sub", "cc", "", "subc.u32 carry, 0, 0;", {}},
    {"mad", "cc", "", "addc.u32 carry, 0, 0;", {}},
    {"addc", "", "add.cc.u32 carry, given, given;", "addc.u32 carry, 0, 0;", {}},
    {"subc", "", "sub.cc.u32 carry, 1, given;", "subc.u32 carry, 0, 0;", {}},
    {"madc", "", "add.cc.u32 carry, given, given;", "addc.u32 carry, 0, 0;", {}},
    {"lop3", "", "", "", {"0x96"}},
    {"shfl", "sync", "", "", {"0xffffffff"}},
    {"vote", "sync", "", "", {"0xffffffff"}},
    {"match", "sync", "", "", {"0xffffffff"}},
    {"redux", "sync", "", "", {"0xffffffff"}},
    {"elect", "sync", "", "", {"0xffffffff"}},
    {"bar", "red", "", "", {"0", "256"}},
    {"barrier", "red", "", "", {"0", "256"}},
};
/// What depends on where things lie, or only steers.
constexpr std::string_view leftOut[] = {"cvta",       "isspacep",      "mapa",     "getctarank",
                                        "prefetchu",  "applypriority", "discard",  "nanosleep",
                                        "trap",       "exit",          "ret",      "brkpt",
                                        "activemask", "mbarrier",      "stacksave"};

class RowKernel {
public:
  /// Variants but the first have selectors of operands.
  RowKernel(const sim::InstructionRow &row, const std::string &spelling, size_t variant)
      : row(row), spelling(spelling), modifiers(sim::modifiersOf(this->spelling)),
        selectors(spelling, row.operands, variant) {}

  /// Whether the row has operands that this can make up.
  static bool canMake(const sim::InstructionRow &row) {
    bool hasResult = false;
    int addresses = 0;
    for (const sim::OperandItem &item : sim::operandItems(row.operands)) {
      bool isText =
          item.what == "..." || item.what == "label" || (item.what == "any" && !item.optional);
      if (isText || (item.what == "imm" && row.name() != "lop3"))
        return false;
      addresses += item.what == "addr";
      hasResult |= item.destination || item.what == "addr";
    }
    constexpr std::string_view memory[] = {"ld", "ldu", "st", "atom", "red"};
    bool isMemory = std::find(std::begin(memory), std::end(memory), row.name()) != std::end(memory);
    bool isLeftOut =
        std::find(std::begin(leftOut), std::end(leftOut), row.name()) != std::end(leftOut);
    return hasResult && !isLeftOut && addresses == int(isMemory) &&
           row.form.find("...") == row.form.npos;
  }

  /// The job, except for its input; nothing where a spelling needs what this does not have (a cache
  /// policy, another space).
  std::optional<Job> make() {
    if (modifiers.has("L2::cache_hint") || modifiers.has("const") || modifiers.has("param") ||
        modifiers.has("param::entry") || modifiers.has("param::func") ||
        modifiers.type() == Type::b128 || crashes())
      return std::nullopt;
    special = std::find_if(std::begin(specials), std::end(specials), [&](const Special &s) {
      return s.name == modifiers.words[0] && (s.with.empty() || modifiers.has(s.with));
    });
    bool combines = modifiers.has("and") || modifiers.has("or") || modifiers.has("xor");
    std::vector<sim::OperandItem> items = sim::operandItems(row.operands);
    size_t sources = 0;
    for (const sim::OperandItem &item : items)
      sources += !item.destination && !item.optional;
    bool hasImmediate = std::any_of(items.begin(), items.end(), [](const sim::OperandItem &item) {
      return item.what == "imm";
    });
    std::span<const std::string_view> literals;
    if (special != std::end(specials))
      literals = special->literals;
    size_t source = 0, used = 0;
    auto isLiteral = [&](const sim::OperandItem &item) {
      if (literals.size() == 1)
        return hasImmediate ? item.what == "imm" : source == sources;
      return item.what == "u32" && used < literals.size();
    };
    for (const sim::OperandItem &item : items) {
      if (item.optional && !(item.what == "pred" && combines))
        continue;
      if (item.destination)
        destination(item);
      else if (item.what == "addr")
        address();
      else if (++source; isLiteral(item))
        operand(std::string(literals[used++]));
      else
        this->source(item);
    }
    if (types.size() > memoryAt / 16)
      return std::nullopt;
    Job job;
    job.name = cat(spelling, selectors.text());
    job.row = &row;
    job.kernel = text();
    job.inputRecord = job.outputRecord = record;
    job.fields = fields;
    job.bound = boundOf(modifiers);
    job.isDefined = definedness();
    return job;
  }
  const std::vector<Type> &sourceTypes() const { return types; }

private:
  /// ptxas of CUDA 13.0 crashes at vectors of eight short elements, which the ISA does not have.
  bool crashes() const {
    bool moves =
        modifiers.words[0] == "ld" || modifiers.words[0] == "st" || modifiers.words[0] == "ldu";
    return moves && modifiers.has("v8") && sim::bits(modifiers.type()) != 32;
  }
  Type typeOf(const sim::OperandItem &item) const { return sim::typeOf(item.what, modifiers); }
  /// Loose operands have wider registers, where the ISA allows it.
  static int widthOf(const sim::OperandItem &item, Type type) {
    return item.loose && !sim::isFloat(type) && sim::bits(type) < 32 ? 32 : sim::bits(type);
  }
  int count() const {
    return modifiers.has("v2") ? 2 : modifiers.has("v4") ? 4 : modifiers.has("v8") ? 8 : 1;
  }
  void operand(const std::string &text) { operands += cat(operands.empty() ? "" : ", ", text); }
  void declare(const std::string &name, int bits) {
    declarations += cat("  .reg .", bits == 1 ? "pred" : cat("b", bits), " ", name, ";\n");
  }

  void predicateOut(const std::string &name, uint32_t at) {
    declare(name, 1);
    stores += cat("  selp.u32 carry, 1, 0, ", name, ";\n  st.global.u32 [o+", at, "], carry;\n");
    fields.push_back({at, 4, Type::b32, name});
  }
  void destination(const sim::OperandItem &item) {
    Type type = typeOf(item);
    int n = item.list ? count() : 1, width = widthOf(item, type);
    std::string names;
    for (int i = 0; i < n; ++i) {
      std::string name = cat("x", i);
      names += cat(i ? ", " : "", name);
      if (type == Type::pred) {
        predicateOut(name, predicateAt);
        continue;
      }
      declare(name, width);
      uint32_t size = uint32_t(width) / 8, at = uint32_t(i) * size;
      stores += cat("  st.global.b", width, " [o+", at, "], ", name, ";\n");
      fields.push_back({at, size, width == sim::bits(type) ? type : sim::bitsOf(width), name});
    }
    if (item.pair) {
      predicateOut("q", type == Type::pred ? secondAt : predicateAt);
      names += "|q";
    }
    operand(n > 1 ? cat("{", names, "}") : cat(names, item.selected ? selectors.next(true) : ""));
  }
  void source(const sim::OperandItem &item) {
    Type type = typeOf(item);
    int n = item.list ? count() : 1, width = widthOf(item, type);
    std::string names;
    for (int i = 0; i < n; ++i) {
      std::string name = cat("s", types.size());
      names += cat(i ? ", " : "", name);
      // The elements of a vector share 16 bytes of the record, and more if they need them.
      size_t at = 16 * types.size();
      declare(name, width);
      if (type == Type::pred)
        loads += cat("  ld.global.u32 carry, [i+", at,
                     "];\n  and.b32 carry, carry, 1;\n  setp.ne.u32 ", name, ", carry, 0;\n");
      else
        loads += cat("  ld.global.b", width, " ", name, ", [i+", at % memoryAt, "];\n");
      types.push_back(type == Type::pred         ? Type::b32
                      : width == sim::bits(type) ? type
                                                 : sim::bitsOf(width));
    }
    if (n > 4) // eight elements come from four places twice
      types.resize(types.size() - 4);
    std::string selector = item.selected ? selectors.next(false) : "";
    operand(n > 1                       ? cat("{", names, "}")
            : selector.starts_with("-") ? cat("-", names)
                                        : cat(names, selector));
  }
  /// 32 bytes that hold what the input has; loads of global memory read the input itself, which
  /// nobody writes.
  void address() {
    bool reads = modifiers.words[0] == "ld" || modifiers.words[0] == "ldu";
    bool isShared =
        modifiers.has("shared") || modifiers.has("shared::cta") || modifiers.has("shared::cluster");
    bool isLocal = modifiers.has("local");
    if (!isShared && !isLocal)
      loads += reads ? cat("  add.u64 a, i, ", memoryAt, ";\n")
                     : cat("  add.u64 a, o, ", memoryAt, ";\n");
    else if (isShared)
      declarations += cat("  .shared .align 32 .b8 area[", 256 * memoryBytes, "];\n"),
          loads += cat("  mov.u64 a, area;\n  mov.u32 carry, %tid.x;\n  mad.wide.u32 a, carry, ",
                       memoryBytes, ", a;\n");
    else
      declarations += cat("  .local .align 32 .b8 area[", memoryBytes, "];\n"),
          loads += "  mov.u64 a, area;\n";
    std::string space = isShared ? "shared" : isLocal ? "local" : "global";
    bool copies = isShared || isLocal || !reads;
    for (uint32_t at = 0; at < memoryBytes && copies; at += 8) {
      loads += cat("  ld.global.b64 w, [i+", memoryAt + at, "];\n  st.", space, ".b64 [a+", at,
                   "], w;\n");
      stores += cat("  ld.", space, ".b64 w, [a+", at, "];\n  st.global.b64 [o+", memoryAt + at,
                    "], w;\n");
      fields.push_back({memoryAt + at, 8, modifiers.type() == Type::f64 ? Type::f64 : Type::b64,
                        cat("memory+", at)});
    }
    operand("[a]");
  }
  std::string text() const {
    std::string out =
        cat("(.param .u64 in, .param .u64 out) {\n  .reg .b32 tid, n, carry, given;\n  .reg .b64 "
            "i, o, a, w;\n",
            declarations,
            "  mov.u32 tid, %tid.x;\n  mov.u32 n, %ctaid.x;\n  mov.u32 carry, %ntid.x;\n  "
            "mad.lo.u32 tid, n, carry, tid;\n"
            "  ld.param.u64 i, [in];\n  ld.param.u64 o, [out];\n  mad.wide.u32 i, tid, ",
            record, ", i;\n  mad.wide.u32 o, tid, ", record, ", o;\n", loads);
    if (special == std::end(specials) || special->after.empty())
      return cat(out, "  ", spelling, " ", operands, ";\n", stores, "  ret;\n}\n");
    return cat(out, "  ld.global.u32 given, [i+", memoryAt, "];\n  ", special->before, "\n  ",
               spelling, " ", operands, ";\n  ", special->after, "\n  st.global.u32 [o+", carryAt,
               "], carry;\n", stores, "  ret;\n}\n");
  }
  /// Where the ISA says nothing: division by zero; approximations beyond the range that their error
  /// is stated for.
  std::function<bool(const std::byte *)> definedness() const {
    std::string_view name = modifiers.words[0];
    Type type = modifiers.type();
    auto real = [](const std::byte *from) {
      float x;
      std::memcpy(&x, from, 4);
      return std::fabs(x);
    };
    if ((name == "div" || name == "rem") && !sim::isFloat(type))
      return [size = sim::bytes(type)](const std::byte *in) {
        uint64_t divisor = 0;
        std::memcpy(&divisor, in + 16, size);
        return divisor != 0;
      };
    if (name == "div" && modifiers.has("approx"))
      return [real](const std::byte *in) {
        return real(in + 16) >= 0x1p-126f && real(in + 16) <= 0x1p126f;
      };
    if (name == "sin" || name == "cos")
      return [real](const std::byte *in) { return !(real(in) > 6.2831853f); };
    auto word = [](const std::byte *from) {
      uint32_t x;
      std::memcpy(&x, from, 4);
      return x;
    };
    if (name == "fns") // a base beyond the word; -2^31 has no absolute value
      return
          [word](const std::byte *in) { return word(in + 16) < 32 && word(in + 32) != 0x80000000; };
    if ((name == "bfe" || name == "bfi") &&
        sim::bits(type) == 64) { // position and length are restricted to a byte
      size_t at = name == "bfe" ? 16 : 32;
      return [word, at](const std::byte *in) {
        return word(in + at) < 256 && word(in + at + 16) < 256;
      };
    }
    return nullptr;
  }

  const sim::InstructionRow &row;
  const std::string spelling;
  sim::Modifiers modifiers;
  Selectors selectors;
  const Special *special = std::end(specials);
  std::string declarations, loads, operands, stores;
  std::vector<Field> fields;
  std::vector<Type> types; // of the sources, as they are drawn
};

std::shared_ptr<const Bytes> inputFor(const std::vector<Type> &types, const Options &options) {
  std::mt19937_64 random(options.seed);
  auto out = std::make_shared<Bytes>(size_t(options.threads) * record);
  for (uint32_t t = 0; t < options.threads; ++t) {
    std::byte *at = out->data() + size_t(t) * record;
    for (size_t k = 0; k < types.size() && k < memoryAt / 16; ++k) {
      randomValue(random, types[k], at + 16 * k);
      // Now and then an operand is the one before it with its sign or last bit changed, so that
      // sums cancel and values are equal.
      if (k && types[k] == types[k - 1] && random() % 8 == 0) {
        std::memcpy(at + 16 * k, at + 16 * (k - 1), 16);
        size_t last = std::max<size_t>(sim::bytes(types[k]), 1) - 1;
        at[16 * k + last] ^= std::byte(random() % 2 << 7);
        at[16 * k] ^= std::byte(random() % 3 == 0);
      }
    }
    // Memory: values of the last operand's type, side by side.
    Type type = types.empty() ? Type::b32 : types.back();
    uint32_t size = std::max(1u, sim::bytes(type));
    for (uint32_t b = 0; b < memoryBytes; b += size) {
      std::byte value[16];
      randomValue(random, type, value);
      std::memcpy(at + memoryAt + b, value, size);
    }
  }
  return out;
}

} // namespace

std::vector<Job> jobsOfRows(const Options &options,
                            std::vector<const sim::InstructionRow *> &without) {
  std::vector<Job> jobs;
  std::map<std::vector<Type>, std::shared_ptr<const Bytes>> inputs;
  for (const sim::RowGroup &group : sim::rowGroups())
    for (const sim::InstructionRow &row : group.rows) {
      if (!RowKernel::canMake(row)) {
        without.push_back(&row);
        continue;
      }
      for (const std::string &spelling : spellings(row, mostSpellings)) {
        if (spelling.find(options.only) == spelling.npos)
          continue;
        for (size_t variant = 0; variant < Selectors::variants(row.operands); ++variant) {
          RowKernel kernel(row, spelling, variant);
          std::optional<Job> job = kernel.make();
          if (!job)
            continue;
          auto &input = inputs[kernel.sourceTypes()];
          if (!input)
            input = inputFor(kernel.sourceTypes(), options);
          job->group = group.title;
          job->input = input;
          job->threads = options.threads;
          jobs.push_back(std::move(*job));
        }
      }
    }
  return jobs;
}

} // namespace tessera::hw
