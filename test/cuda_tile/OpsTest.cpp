// Every op of `cuda_tile`: its text, and what the verifier says when a part of it is wrong.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Reports.h"
#include "Samples.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Verifier.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace tessera::cuda_tile;
using namespace tessera::cuda_tile::test;

namespace {

/// The op of a sample in its module.
Operation *find(TileModuleOp module, const Sample &sample) {
  Operation *op = module.getBody().front().front().getNextNode(); // after the global
  if (sample.place != Place::Module)
    op = &op->getRegion(0).front().front();
  if (sample.place == Place::Loop || sample.place == Place::Reduction)
    op = &op->getRegion(0).front().front();
  return op;
}
/// The op's text after its results.
std::string textOf(Operation *op, bool generic = false) {
  std::string text;
  llvm::raw_string_ostream out(text);
  op->print(out, OpPrintingFlags().printGenericOpForm(generic));
  return normalized(op->getNumResults() ? std::string_view(text).substr(text.find(" = ") + 3)
                                        : std::string_view(text));
}
std::string textOf(TileModuleOp module, bool generic) {
  std::string text;
  llvm::raw_string_ostream out(text);
  module->print(out, OpPrintingFlags().printGenericOpForm(generic));
  return text;
}

class Ops : public testing::TestWithParam<Sample> {};
INSTANTIATE_TEST_SUITE_P(All, Ops, testing::ValuesIn(samples), [](const auto &info) {
  std::string name(opOf(info.param).substr(10));
  for (char &c : name)
    c = isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name + "_" + std::to_string(info.index);
});

TEST(OpsTable, HasEveryOpOfTheDialect) {
  Reports reports;
  std::set<std::string> shown;
  for (const Sample &sample : samples)
    shown.insert(std::string(opOf(sample)));
  size_t count = 0;
  for (RegisteredOperationName name :
       reports.context.getRegisteredOperationsByDialect("cuda_tile")) {
    EXPECT_TRUE(shown.contains(name.getStringRef().str())) << name.getStringRef().str();
    count += !name.getStringRef().contains("testing$");
  }
  EXPECT_EQ(count, 105u);
}

// Samples are written as the printer has them.
TEST_P(Ops, PrintAsTheyAreWritten) {
  Reports reports;
  OwningOpRef<TileModuleOp> module = reports.parse(moduleWith(GetParam()));
  ASSERT_TRUE(module) << reports.all();
  Operation *op = find(*module, GetParam());
  ASSERT_EQ(op->getName().getStringRef().str(), opOf(GetParam()));
  EXPECT_EQ(textOf(op), normalized(GetParam().text));
}
TEST_P(Ops, ReadTheirOwnText) {
  Reports reports;
  OwningOpRef<TileModuleOp> module = reports.parse(moduleWith(GetParam()));
  ASSERT_TRUE(module) << reports.all();
  for (bool generic : {false, true}) {
    std::string text = textOf(*module, generic);
    OwningOpRef<TileModuleOp> again = reports.parse(text);
    ASSERT_TRUE(again) << text << reports.all();
    EXPECT_EQ(textOf(find(*again, GetParam())), normalized(GetParam().text));
  }
}

/// Verifies what a test made of an op. It may be right; if not, there has to be a sentence. The
/// text, right or wrong, can be printed.
void expectVerdict(Reports &reports, TileModuleOp module, const std::string &what) {
  reports.texts.clear();
  LogicalResult verdict = verify(module);
  EXPECT_EQ(failed(verdict), !reports.texts.empty()) << what;
  for (const std::string &text : reports.texts)
    EXPECT_FALSE(text.empty()) << what;
  std::string text;
  llvm::raw_string_ostream out(text);
  module->print(out);
  EXPECT_FALSE(text.empty());
}

/// Types that stand for every kind that an op may meet, also foreign ones.
SmallVector<Type> manyTypes(MLIRContext &context) {
  SmallVector<Type> types;
  for (auto [name, text] : arguments)
    types.push_back(parseType("!cuda_tile." + std::string(text), &context));
  for (const char *text :
       {"!cuda_tile.tile<i4>", "!cuda_tile.tile<2x2x2x2xf16>", "!cuda_tile.tile<8xtf32>",
        "!cuda_tile.tile<4xf8E5M3FNU>", "!cuda_tile.tile<2x4xptr<i8>>", "!cuda_tile.ptr<f32>",
        "!cuda_tile.tensor_view<f32>", "f32", "i32", "tensor<4xf32>", "index", "() -> ()"})
    types.push_back(parseType(text, &context));
  return types;
}

TEST_P(Ops, SayWhatIsWrongWithTypes) {
  Reports reports;
  OwningOpRef<TileModuleOp> module = reports.parse(moduleWith(GetParam()));
  ASSERT_TRUE(module) << reports.all();
  Operation *op = find(*module, GetParam());
  OpBuilder builder(op);
  for (Type type : manyTypes(reports.context)) {
    Value other =
        UnrealizedConversionCastOp::create(builder, op->getLoc(), type, ValueRange()).getResult(0);
    std::string name;
    llvm::raw_string_ostream(name) << type;
    for (OpOperand &operand : op->getOpOperands()) {
      Value before = operand.get();
      operand.set(other);
      expectVerdict(reports, *module,
                    "operand " + std::to_string(operand.getOperandNumber()) + ": " + name);
      operand.set(before);
    }
    for (OpResult result : op->getResults()) {
      Type before = result.getType();
      result.setType(type);
      expectVerdict(reports, *module,
                    "result " + std::to_string(result.getResultNumber()) + ": " + name);
      result.setType(before);
    }
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments()) {
        Type before = argument.getType();
        argument.setType(type);
        expectVerdict(reports, *module, "argument: " + name);
        argument.setType(before);
      }
    other.getDefiningOp()->erase();
  }
  reports.texts.clear();
  EXPECT_TRUE(succeeded(verify(*module))) << reports.all();
}

TEST_P(Ops, SayWhatIsWrongWithAttributes) {
  Reports reports;
  OwningOpRef<TileModuleOp> module = reports.parse(moduleWith(GetParam()));
  ASSERT_TRUE(module) << reports.all();
  Operation *op = find(*module, GetParam());
  SmallVector<Attribute> others;
  for (const char *text : {"unit",
                           "true",
                           "-1 : i64",
                           "-1 : i32",
                           "7 : i64",
                           "9 : i32",
                           "100 : i8",
                           "1.0 : f32",
                           "\"text\"",
                           "[]",
                           "[1 : i32, \"x\", 1.0 : f16]",
                           "{}",
                           "{a = 1}",
                           "array<i32>",
                           "array<i32: 5, -1>",
                           "array<i32: 1, 1, 1>",
                           "array<i64: 3>",
                           "array<i1: true>",
                           "dense<1> : tensor<4xi32>",
                           "dense<> : tensor<0xf32>",
                           "@nothing",
                           "@g::@h",
                           "f32",
                           "(i32) -> f32",
                           "() -> ()",
                           "#cuda_tile.rounding<full>",
                           "#cuda_tile.rounding<nearest_away>",
                           "#cuda_tile.signedness<signed>",
                           "#cuda_tile.overflow<no_wrap>",
                           "#cuda_tile.div_by<3>",
                           "#cuda_tile.same_elements<[9, 9]>",
                           "#cuda_tile.bounded<9, 8>",
                           "#cuda_tile.optimization_hints<sm_100 = {latency = \"x\"}>"})
    others.push_back(parseAttribute(text, &reports.context));
  ASSERT_FALSE(llvm::is_contained(others, Attribute())) << reports.all();
  auto before = dyn_cast_or_null<DictionaryAttr>(op->getPropertiesAsAttribute());
  if (!before)
    return;
  // As the generic form does: what is left out is the default, if there is one.
  auto set = [&](ArrayRef<NamedAttribute> attributes, const std::string &what) {
    reports.texts.clear();
    op->getName().initOpProperties(op->getPropertiesStorage(), OpaqueProperties(nullptr));
    op->getName().populateDefaultProperties(op->getPropertiesStorage());
    LogicalResult taken = op->setPropertiesFromAttribute(
        DictionaryAttr::get(&reports.context, attributes), [&] { return op->emitError(); });
    if (succeeded(taken))
      expectVerdict(reports, *module, what);
    else
      EXPECT_FALSE(reports.texts.empty()) << what;
  };
  for (auto [i, attribute] : llvm::enumerate(before)) {
    SmallVector<NamedAttribute> changed(before.getValue());
    changed.erase(changed.begin() + i);
    set(changed, "without " + attribute.getName().str());
    for (Attribute other : others) {
      changed.assign(before.begin(), before.end());
      changed[i].setValue(other);
      std::string name;
      llvm::raw_string_ostream(name) << other;
      set(changed, attribute.getName().str() + " = " + name);
    }
  }
  set(SmallVector<NamedAttribute>(before.getValue()), "as it was");
  EXPECT_TRUE(reports.texts.empty()) << reports.all();
}

TEST_P(Ops, SayWhatIsWrongWithCounts) {
  // Each part by turns: fewer operands, more, other results, regions without a block, blocks
  // without ops.
  for (int part = 0; part < 6; ++part) {
    Reports reports;
    OwningOpRef<TileModuleOp> module = reports.parse(moduleWith(GetParam()));
    ASSERT_TRUE(module) << reports.all();
    Operation *op = find(*module, GetParam());
    OperationState state(op->getLoc(), op->getName());
    state.operands.assign(op->operand_begin(), op->operand_end());
    state.types.assign(op->result_type_begin(), op->result_type_end());
    state.attributes = op->getAttrDictionary();
    for (unsigned i = 0; i < op->getNumRegions(); ++i)
      state.addRegion();
    bool hasRegions = part != 4;
    switch (part) {
    case 0:
      if (!state.operands.empty())
        state.operands.pop_back();
      break;
    case 1:
      state.operands.push_back(op->getParentRegion()->getNumArguments()
                                   ? op->getParentRegion()->getArgument(0)
                                   : Value());
      if (!state.operands.back())
        state.operands.pop_back();
      break;
    case 2:
      if (!state.types.empty())
        state.types.pop_back();
      break;
    case 3: state.types.push_back(IntegerType::get(&reports.context, 32)); break;
    default: break;
    }
    OpBuilder builder(op);
    Operation *made = builder.create(state);
    if (hasRegions)
      for (auto [from, to] : llvm::zip(op->getRegions(), made->getRegions()))
        to.takeBody(from);
    if (part == 5)
      for (Region &region : made->getRegions())
        for (Block &block : region)
          while (!block.empty()) {
            block.back().dropAllUses();
            block.back().erase();
          }
    op->dropAllUses();
    op->erase();
    expectVerdict(reports, *module, "part " + std::to_string(part));
  }
}

// A text with one word less, twice or exchanged is read, or a sentence says what is wrong.
TEST_P(Ops, SayWhatIsWrongWithText) {
  Reports reports;
  std::string_view text = GetParam().text;
  std::vector<std::string_view> words;
  for (size_t i = 0; i < text.size();) {
    size_t end = i + 1;
    auto isWord = [&](char c) {
      return isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
    };
    if (isWord(text[i]) || text[i] == '%')
      while (end < text.size() && isWord(text[end]))
        ++end;
    words.push_back(text.substr(i, end - i));
    i = end;
  }
  auto joined = [&](size_t skip, std::string_view instead) {
    std::string out;
    for (size_t i = 0; i < words.size(); ++i)
      out += i == skip ? instead : words[i];
    return out;
  };
  for (size_t i = 1; i < words.size(); ++i)
    for (std::string_view instead :
         {std::string_view(), std::string_view("%i"), std::string_view("-1"),
          std::string_view("tile<"), std::string_view("99999999999999999999"),
          std::string_view("?"), std::string_view("nonsense"), words[i - 1]}) {
      Sample changed = GetParam();
      std::string line = joined(i, instead);
      changed.text = line;
      reports.texts.clear();
      OwningOpRef<TileModuleOp> module = reports.parse(moduleWith(changed));
      EXPECT_EQ(!module, !reports.texts.empty()) << line;
    }
}

} // namespace
