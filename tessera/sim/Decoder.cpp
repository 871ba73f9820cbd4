// Makes a program of a module's tree: lays out variables and frames, binds every instruction.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/base/Guarded.h"
#include "tessera/ptx_text/Lexer.h"
#include "tessera/ptx_text/Parser.h"
#include "tessera/sim/Binder.h"
#include "tessera/sim/Calls.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <set>

namespace tessera::sim {

namespace {

constexpr uint64_t maxFrameBytes = 1 << 24;

uint64_t alignUp(uint64_t value, uint64_t align) { return (value + align - 1) / align * align; }

class Decoder {
public:
  Decoder(const ptx_text::Module &ast, Program &program, Missing missing)
      : ast(ast), names{program, {}, {}}, program(program), missing(missing) {}

  Status run() {
    for (const ptx_text::Function &f : ast.functions)
      for (const Statement &s : f.body)
        if (s.kind == Statement::Declaration && s.variable.space == Space::Param)
          longestArgument = std::max(longestArgument, s.variable.bytes());
    for (const ptx_text::Function &f : ast.functions)
      TESSERA_CHECK(located(f.line, announce(f)));
    for (const Variable &v : ast.variables)
      TESSERA_CHECK(located(v.line, place(v)));
    for (const Variable &v : ast.variables)
      TESSERA_CHECK(located(v.line, initialise(v)));
    // Device functions first: an entry's shared variables lie after all of theirs.
    for (bool entries : {false, true})
      for (const ptx_text::Function &f : ast.functions)
        if (f.hasBody && f.isEntry == entries)
          TESSERA_CHECK(decode(f));
    for (auto &f : program.functions)
      if (f->isEntry)
        f->sharedBytes =
            uint32_t(alignUp(std::max<uint64_t>(f->sharedBytes, sharedBytes), dynamicAlign));
    noteDeviceRuntime();
    return Done{};
  }

private:
  Status located(int line, Status status) {
    return status ? std::move(status)
                  : Status(ptx_text::atLine(ast.text, line, std::move(status).reason()));
  }

  //===--- Variables of the module ------------------------------------------------------------===//

  /// Shared variables get an offset after `used`.
  Result<Symbol> shared(const Variable &v, uint64_t &used) {
    if (v.isOpen || (v.isExtern && v.bytes() == 0)) {
      dynamicAlign = std::max<uint64_t>(dynamicAlign, v.align);
      return Symbol{Symbol::DynamicShared, noSlot, v.type};
    }
    uint64_t offset = alignUp(used, v.align);
    used = offset + v.bytes();
    sharedVariables.push_back({std::string(v.name), uint32_t(offset), uint32_t(v.bytes())});
    if (used > maxFrameBytes)
      return fail(Error::TooLarge, "shared memory", used, maxFrameBytes);
    return Symbol{Symbol::Shared, noSlot, v.type, offset, v.bytes()};
  }

  Status place(const Variable &v) {
    // With a gap in between, so that an access past the end of one does not reach the next.
    constexpr uint64_t gap = 32;
    const uint64_t used = program.globalBytes ? program.globalBytes + gap : 0;
    Symbol symbol{Symbol::Global, noSlot, v.type, alignUp(used, v.align), v.bytes()};
    if (v.space == Space::Shared) {
      TESSERA_TRY(symbol, shared(v, sharedBytes));
    } else if (v.space == Space::Global || v.space == Space::Const) {
      program.globalBytes = symbol.offset + symbol.size;
      program.globals.push_back({std::string(v.name),
                                 symbol.offset,
                                 symbol.size,
                                 {},
                                 {},
                                 v.isManaged,
                                 v.space == Space::Const});
    } else
      return Done{}; // textures and the like: an error where they are used
    auto [found, isNew] = names.symbols.emplace(v.name, symbol);
    return isNew || v.isExtern ? Status(Done{}) : Status(fail(Error::Redefined, v.name));
  }

  Status initialise(const Variable &v) {
    auto variable = std::find_if(program.globals.begin(), program.globals.end(),
                                 [&](const GlobalVariable &g) { return g.name == v.name; });
    if (variable == program.globals.end())
      return Done{};
    size_t step = bytes(v.type);
    for (size_t i = 0; i < v.init.size() && i < v.elements * v.vector; ++i) {
      const Operand &init = v.init[i];
      uint64_t code = init.bits;
      variable->init.resize((i + 1) * step);
      if (init.kind == Operand::Name) {
        auto target = names.symbols.find(init.name);
        if (target == names.symbols.end())
          return fail(Error::Undefined, init.name);
        GlobalVariable::Relocation place{i * step, target->second.offset + uint64_t(init.offset),
                                         init.mask ? init.mask : ~uint64_t(0),
                                         uint32_t(std::min<size_t>(step, 8))};
        code = place.of(window::functions + target->second.offset);
        if (target->second.kind == Symbol::Global)
          variable->relocations.push_back(place);
      } else if (init.kind == Operand::Double && v.type == Type::f32)
        code = std::bit_cast<uint32_t>(float(std::bit_cast<double>(init.bits)));
      else if (init.kind == Operand::Integer && v.type == Type::f32)
        code = std::bit_cast<uint32_t>(float(int64_t(init.bits)));
      else if (init.kind == Operand::Integer && v.type == Type::f64)
        code = std::bit_cast<uint64_t>(double(int64_t(init.bits)));
      std::memcpy(&variable->init[i * step], &code, std::min<size_t>(step, 8));
    }
    return Done{};
  }

  //===--- Functions --------------------------------------------------------------------------===//

  /// A prototype and its definition are one function. The parameters get their places here, as
  /// calls need them.
  Status announce(const ptx_text::Function &f) {
    auto known = names.symbols.find(f.name);
    if (known != names.symbols.end() && !known->second.function)
      return fail(Error::Redefined, f.name);
    if (known != names.symbols.end()) {
      Function &function = *program.functions[known->second.offset / functionStep];
      if (f.hasBody && !defined.insert(f.name).second)
        return fail(Error::Redefined, f.name);
      return f.hasBody ? signature(f, function) : Status(Done{});
    }
    if (f.hasBody)
      defined.insert(f.name);
    auto &function = program.functions.emplace_back(std::make_unique<Function>());
    function->name = f.name;
    function->isEntry = f.isEntry;
    names.symbols[f.name] = {
        Symbol::Callable, noSlot, Type::b64, (program.functions.size() - 1) * functionStep, 0,
        function.get()};
    return signature(f, *function);
  }

  Status signature(const ptx_text::Function &f, Function &function) {
    function.line = f.line;
    function.required = f.required;
    function.atMost = f.atMost;
    function.cluster = f.cluster;
    function.registers = f.registers;
    function.blocks = f.blocks;
    function.registerBytes = FrameSlots::first;
    function.localBytes = function.parameterBytes = 0;
    function.parameters.clear();
    function.results.clear();
    for (auto [from, to] :
         {std::pair{&f.results, &function.results}, {&f.parameters, &function.parameters}})
      for (const Variable &v : *from) {
        // A call may pass any number of bytes of further arguments.
        bool isOpen = v.isOpen && !f.isEntry && from == &f.parameters;
        function.isVariadic |= isOpen;
        uint64_t size = isOpen ? longestArgument : v.bytes();
        if (size > maxFrameBytes)
          return fail(Error::TooLarge, cat("parameter '", v.name, "'"), size, maxFrameBytes);
        Parameter p{std::string(v.name), 0, uint32_t(size), noSlot, v.type};
        uint32_t &used = f.isEntry ? function.parameterBytes : function.localBytes;
        if (v.space == Space::Reg) {
          p.slot = (function.registerBytes + 63) / 64 * 64;
          function.registerBytes = p.slot + std::max(4u, bytes(v.type) * warpSize);
        } else {
          p.offset = uint32_t(alignUp(used, v.align));
          used = p.offset + p.size;
        }
        if (used > maxFrameBytes)
          return fail(Error::TooLarge, "the parameters", used, maxFrameBytes);
        to->push_back(p);
      }
    return Done{};
  }

  Status decode(const ptx_text::Function &f) {
    Function &function = *program.functions[names.symbols[f.name].offset / functionStep];
    Binder binder(names, function);
    binder.open();
    for (auto [from, to] :
         {std::pair{&f.results, &function.results}, {&f.parameters, &function.parameters}})
      for (size_t i = 0; i < from->size(); ++i) {
        const Parameter &p = (*to)[i];
        Symbol::Kind kind = p.slot != noSlot ? Symbol::Register
                            : f.isEntry      ? Symbol::EntryParameter
                                             : Symbol::Frame;
        TESSERA_CHECK(
            located(f.line, binder.declare((*from)[i], {kind, p.slot, p.type, p.offset, p.size})));
      }
    noteLabels(f, binder);
    entryShared = sharedBytes;
    const size_t sharedByAll = sharedVariables.size();
    for (const Statement &s : f.body) {
      Status done = located(s.line, statement(s, f, function, binder));
      if (!done && !keepsMissing(done.reason(), function))
        return done;
      TESSERA_CHECK(located(s.line, checkSlots(function)));
    }
    Instruction end;
    end.run = returnExecutor();
    end.line = f.body.empty() ? f.line : f.body.back().line;
    function.code.push_back(end);
    binder.patch();
    function.sharedBytes = uint32_t(entryShared);
    if (!f.isEntry) {
      sharedBytes = entryShared;
    } else {
      function.shared = sharedVariables;
      sharedVariables.resize(sharedByAll);
    }
    return Done{};
  }

  /// Functions of CUDA's runtime for devices that DeviceLaunches.cpp does not have: a kernel that
  /// calls them is refused at its launch.
  void noteDeviceRuntime() {
    for (auto &function : program.functions)
      if (function->code.empty() && isOfDeviceRuntime(function->name) && !isBuiltin(function->name))
        function->missing =
            fail(Error::MissingInstruction, function->name,
                 "of CUDA's runtime, kernels can launch, copy, fill and allocate; let the host do "
                 "the rest");
  }

  /// Whether an instruction that is not simulated may be in a function. Something stands in its
  /// place, so that labels keep theirs; it is never run.
  bool keepsMissing(const Reason &reason, Function &function) const {
    if (missing == Missing::Refuses || reason.id != errors[size_t(Error::MissingInstruction)].id)
      return false;
    if (!function.missing)
      function.missing = reason;
    Instruction nobodys;
    nobodys.run = returnExecutor();
    function.code.push_back(nobodys);
    return true;
  }

  /// Slots are numbers of 32 bits.
  Status checkSlots(const Function &function) const {
    constexpr uint64_t most = 1 << 30;
    if (function.registerBytes > most)
      return fail(Error::TooLarge, "the registers", function.registerBytes, most);
    if (program.constants.size() > most)
      return fail(Error::TooLarge, "the constants", program.constants.size(), most);
    return Done{};
  }

  /// A branch may name a label that comes later, so all are known before.
  static void noteLabels(const ptx_text::Function &f, Binder &binder) {
    std::vector<uint32_t> open{0};
    uint32_t next = 1;
    for (const Statement &s : f.body) {
      if (s.kind == Statement::Open)
        open.push_back(next++);
      if (s.kind == Statement::Close)
        open.pop_back();
      if (s.kind == Statement::Label)
        binder.noteLabel(open.back(), s.name);
      if (s.kind == Statement::Table)
        binder.noteTable(s.name, s.operands);
    }
  }

  Status statement(const Statement &s, const ptx_text::Function &f, Function &function,
                   Binder &binder) {
    switch (s.kind) {
    case Statement::Open: binder.open(); return Done{};
    case Statement::Close: binder.close(); return Done{};
    case Statement::Label: binder.placeLabel(s.name); return Done{};
    case Statement::Table: return Done{};
    case Statement::Instruction: return binder.bind(s);
    case Statement::Declaration: break;
    }
    const Variable &v = s.variable;
    switch (v.space) {
    case Space::Reg: return binder.declareRegisters(v);
    case Space::Shared: {
      TESSERA_TRY(Symbol symbol, shared(v, entryShared));
      return binder.declare(v, symbol);
    }
    case Space::Local:
    case Space::Param: {
      Symbol symbol{Symbol::Frame, noSlot, v.type, alignUp(function.localBytes, v.align),
                    v.bytes()};
      if (symbol.offset + symbol.size > maxFrameBytes)
        return fail(Error::TooLarge, "local memory", symbol.offset + symbol.size, maxFrameBytes);
      function.localBytes = uint32_t(symbol.offset + symbol.size);
      return binder.declare(v, symbol);
    }
    default: TESSERA_CHECK(place(v)); return initialise(v);
    }
  }

  static constexpr uint64_t functionStep = 16; // bytes between the addresses of functions

  const ptx_text::Module &ast;
  ModuleNames names;
  Program &program;
  const Missing missing;
  std::set<std::string_view> defined;
  uint64_t sharedBytes = 0, entryShared = 0, dynamicAlign = 16;
  std::vector<Parameter> sharedVariables; // so far, without those of other entries
  uint64_t longestArgument = 0;           // the largest variable that a call may give
};

} // namespace

Result<Program> Program::parse(std::string text, Missing missing) {
  return guarded([&]() -> Result<Program> {
    TESSERA_TRY(std::unique_ptr<ptx_text::Module> ast, ptx_text::parseModule(std::move(text)));
    Program program;
    TESSERA_CHECK(Decoder(*ast, program, missing).run());
    program.target = ast->target; // before the text that it points into moves
    program.text = std::move(ast->text);
    return program;
  });
}

int Program::targetVersion() const {
  int version = 0;
  size_t digits = target.find_first_of("0123456789");
  if (digits != target.npos)
    std::from_chars(target.data() + digits, target.data() + target.size(), version);
  return version;
}

const Function *Program::findKernel(std::string_view name) const {
  for (const auto &f : functions)
    if (f->isEntry && f->name == name && !f->code.empty())
      return f.get();
  return nullptr;
}

Status Program::isSimulated(const Function &kernel) const {
  auto lacks = [](const auto &f) { return f->missing.has_value(); };
  if (std::none_of(functions.begin(), functions.end(), lacks))
    return Done{};
  std::set<const Function *> met{&kernel};
  for (std::vector<const Function *> left{&kernel}; !left.empty();) {
    const Function &f = *left.back();
    left.pop_back();
    if (f.missing)
      return *f.missing;
    auto mayCall = [&](const Function *callee) {
      if (met.insert(callee).second)
        left.push_back(callee);
    };
    for (const Instruction &i : f.code)
      if (auto *call = dynamic_cast<const CallPlan *>(i.plan); call && call->callee)
        mayCall(call->callee);
      else if (call) // through an address, which may be that of any
        for (const auto &other : functions)
          if (!other->isEntry)
            mayCall(other.get());
  }
  return Done{};
}

std::vector<std::string_view> Program::kernels() const {
  std::vector<std::string_view> out;
  for (const auto &f : functions)
    if (f->isEntry)
      out.push_back(f->name);
  return out;
}

} // namespace tessera::sim
