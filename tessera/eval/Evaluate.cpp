// The evaluator: walks the syntax tree, converts arguments and calls the function table's rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/eval/Evaluate.h"

#include "tessera/eval/Chain.h"
#include "tessera/eval/Errors.h"
#include "tessera/eval/Suggest.h"
#include "tessera/eval/Syntax.h"
#include "tessera/layout/Errors.h"
#include "tessera/layout/Text.h"

#include <algorithm>

namespace tessera::eval {

using namespace layout;

namespace {

class Evaluator {
public:
  Evaluator(Evaluation &out, bool checked, std::span<const Binding> bound)
      : out(out), values(out.values), mustHold(checked) {
    for (const Binding &binding : bound)
      names.emplace_back(binding.name, moved(binding.value, binding.values, values));
  }

  /// The value of a node; nothing after a refusal.
  std::optional<Value> operator()(const Node &node) {
    std::optional<Value> value = visit(node);
    if (!value)
      return std::nullopt;
    // A list is not a tree: nothing but its length counts.
    const bool isList = std::holds_alternative<List>(*value);
    size_t weight = eval::weight(*value);
    if (weight > maxWeight && !isList)
      return refuse(fail(Error::TooManyLeaves, maxWeight), node);
    if (depth(*value) > maxDepth)
      return refuse(fail(Error::TooDeep, maxDepth), node);
    out.work += isList ? weight * listCost : callCost + weight * weight;
    if (out.work > maxWork)
      return refuse(fail(Error::TooMuchWork, maxWork), node);
    return value;
  }

private:
  static constexpr size_t callCost = 16, listCost = 64; // in units of Evaluation::work
  using Maybe = std::optional<Value>;

  std::nullopt_t refuse(Reason reason, const Node &node, std::string help = "",
                        std::string detail = "") {
    if (out.refusal.reason.id.empty())
      out.refusal = {std::move(reason), node.span, std::move(detail), std::move(help)};
    return std::nullopt;
  }

  Maybe visit(const Node &node) {
    switch (node.kind) {
    case NodeKind::Number: return basis(node, Int(node.numbers[0]), 1);
    case NodeKind::Dynamic: return dynamic(node);
    case NodeKind::Any: return Tree(Leaf::underscore());
    case NodeKind::Swizzle: return swizzle(node);
    case NodeKind::Modes: return list(node, List::Form::Modes);
    case NodeKind::Bits: return list(node, List::Form::Bits);
    case NodeKind::Name: return named(node);
    case NodeKind::Tuple: return tuple(node);
    case NodeKind::Tile: return isOneNumber(node) ? valueList(node) : tile(node);
    case NodeKind::List: return valueList(node);
    case NodeKind::Layout: return layoutPair(node);
    case NodeKind::Chain: return chain(node);
    case NodeKind::Call: return call(node);
    case NodeKind::Let: return let(node);
    }
    return std::nullopt;
  }

  //===--- Literals ---------------------------------------------------------------------------===//

  Maybe basis(const Node &node, Int value, size_t firstIndex) {
    Leaf leaf(value);
    for (size_t i = node.numbers.size(); i-- > firstIndex;)
      if (!leaf.basis.push(node.numbers[i]))
        return refuse(fail(Error::BasisTooDeep, Path::maxDepth, Path::maxIndex), node);
    return Tree(leaf);
  }
  Maybe dynamic(const Node &node) {
    const bool wide = node.numbers[0] == 64, known = node.numbers[2];
    const int64_t div = node.numbers[1], value = node.numbers[3];
    if (known && ((!wide && !fitsI32(value)) || value % div != 0))
      return refuse(fail(Error::DynamicValue, node.numbers[0], div, value), node);
    return basis(node,
                 values.input(known ? std::optional(value) : std::nullopt,
                              wide ? Width::I64 : Width::I32, div),
                 4);
  }
  Maybe swizzle(const Node &node) {
    constexpr int64_t most = 64;
    for (const int64_t &n : node.numbers)
      if (n < -most || n > most || (n < 0 && &n != &node.numbers[2]))
        return refuse(fail(Error::NumberRange, &n == &node.numbers[2] ? -most : 0, most, n), node);
    Result<Swizzle> sound =
        checked(Swizzle{int(node.numbers[0]), int(node.numbers[1]), int(node.numbers[2])});
    if (!sound)
      return refuse(sound.reason(), node);
    return Value(*sound);
  }
  Maybe list(const Node &node, List::Form form) {
    return Value(List{form, {node.numbers.begin(), node.numbers.end()}});
  }
  Maybe valueList(const Node &node) {
    List out = {List::Form::Values, {}};
    for (const Node &child : node.children) {
      Maybe element = (*this)(child);
      const Tree *number = element ? std::get_if<Tree>(&*element) : nullptr;
      if (element && !number)
        return refuse(fail(Error::ListElement, described(*element, values)), child,
                      "a tile has `;` between its modes: [t0;t1]");
      if (!number)
        return std::nullopt;
      out.items.push_back(*number);
    }
    return Value(std::move(out));
  }

  Maybe tuple(const Node &node) {
    std::vector<Tree> modes;
    for (const Node &child : node.children) {
      Maybe element = (*this)(child);
      if (!element)
        return std::nullopt;
      Tree *tree = std::get_if<Tree>(&*element);
      if (!tree && node.children.size() == 1)
        return element; // parentheses around a layout
      if (!tree)
        return refuse(fail(Error::TupleElement, described(*element, values)), child,
                      std::holds_alternative<AnyLayout>(*element)
                          ? "make_layout_concat(A, B) puts layouts side by side, [A;B] is a tile"
                          : "");
      modes.push_back(std::move(*tree));
    }
    return Tree(std::move(modes));
  }

  /// A mode of a tile: extents are a compact layout there, as in the notation.
  Maybe tileMode(const Node &node) {
    Maybe element = (*this)(node);
    if (!element)
      return std::nullopt;
    const Tree *tree = std::get_if<Tree>(&*element);
    if (tree && tree->isLeaf() && tree->leaf().any)
      return Value(Tile());
    if (std::holds_alternative<Tile>(*element))
      return element;
    if (std::holds_alternative<List>(*element)) {
      Result<Value> inner = converted(*element, Kind::Tile, values);
      if (inner)
        return *std::move(inner);
    }
    Result<Value> l = converted(*element, Kind::Layout, values);
    if (l)
      return Value(Tile(*std::get<AnyLayout>(*l).affine()));
    bool other = l.reason().text.empty();
    return refuse(other ? fail(Error::TileElement, described(*element, values)) : l.reason(), node);
  }
  /// `[8]` is a list of one number or a tile of one mode: the parameter that takes it decides.
  static bool isOneNumber(const Node &node) {
    return node.children.size() == 1 && node.children[0].kind == NodeKind::Number &&
           node.children[0].numbers.size() == 1;
  }
  Maybe tile(const Node &node) {
    std::vector<Tile> modes;
    for (const Node &child : node.children) {
      Maybe mode = tileMode(child);
      if (!mode)
        return std::nullopt;
      modes.push_back(std::get<Tile>(*std::move(mode)));
    }
    return Value(Tile(std::move(modes)));
  }

  Maybe layoutPair(const Node &node) {
    Maybe shape = (*this)(node.children[0]),
          stride = shape ? (*this)(node.children[1]) : std::nullopt;
    if (!stride)
      return std::nullopt;
    Tree *left = std::get_if<Tree>(&*shape), *right = std::get_if<Tree>(&*stride);
    if (!left || !right || left->hasUnderscore() || right->hasUnderscore() || left->hasBasis() ||
        hasTruth(*left) || hasTruth(*right))
      return refuse(
          fail(Error::ShapeAndStride, described(*shape, values), described(*stride, values)), node);
    Result<Layout> sound = checked(Layout{*left, std::move(*right)});
    if (!sound)
      return refuse(sound.reason(), node, adviseOn(sound.reason(), *left).help);
    return Value(AnyLayout(*std::move(sound)));
  }

  //===--- Names ------------------------------------------------------------------------------===//

  Maybe named(const Node &node) {
    for (auto bound = names.rbegin(); bound != names.rend(); ++bound)
      if (bound->first == node.text)
        return bound->second;
    if (node.text == "X") // what a projection leaves out
      return Tree(Leaf::underscore());
    if (const Function *function = findFunction(node.text))
      return refuse(fail(Error::FunctionAsValue, node.text), node,
                    cat("write ", signature(*function)));
    std::string_view near = nearestFunction(node.text);
    return refuse(fail(Error::UnknownName, node.text.substr(0, 80)), node,
                  near.empty() ? "give it a value in front: let NAME = VALUE; ..."
                               : cat("did you mean ", near, "(...)?"));
  }

  Maybe let(const Node &node) {
    for (size_t i = 0; i < node.names.size(); ++i) {
      Maybe value = (*this)(node.children[i]);
      if (!value)
        return std::nullopt;
      names.emplace_back(node.names[i], *std::move(value));
    }
    return (*this)(node.children.back());
  }

  //===--- Calls ------------------------------------------------------------------------------===//

  /// `A o offset o R` with everything after it in R, as the notation of composed layouts is read.
  struct Waiting {
    Value inner;
    Tree offset;
    size_t begin; // of the text
  };

  /// `A o B o C` from the left, but a tuple between two layouts is the offset of a composed layout.
  Maybe chain(const Node &node) {
    static const Function &composition = *findFunction("composition");
    std::vector<Value> operands;
    for (const Node &child : node.children) {
      Maybe value = (*this)(child);
      if (!value)
        return std::nullopt;
      operands.push_back(*std::move(value));
    }
    std::vector<Waiting> waiting;
    Maybe left = operands[0];
    size_t begin = node.span.begin;
    for (size_t i = 1; i < operands.size() && left; ++i) {
      if (isOffset(*left, std::span(operands).subspan(i))) {
        waiting.push_back({*left, std::get<Tree>(operands[i]), begin});
        left = operands[++i];
        begin = node.children[i].span.begin;
        continue;
      }
      Node part = {NodeKind::Chain, {begin, node.children[i].span.end}, {}, {}, {}, {}};
      left = run(composition, {*left, operands[i]}, part, nullptr);
    }
    for (; left && !waiting.empty(); waiting.pop_back()) {
      Node part = {NodeKind::Chain, {waiting.back().begin, node.span.end}, {}, {}, {}, {}};
      left = composed(waiting.back(), *left, composition, part);
    }
    return left;
  }
  /// `inner o offset o right`: a literal if `right` is a plain layout. A composed one comes through
  /// a layout that changes nothing, as far as the algebra can put two swizzles together.
  Maybe composed(const Waiting &front, const Value &right, const Function &composition,
                 const Node &node) {
    Result<Value> made = converted(right, Kind::AnyLayout, values);
    if (!made)
      return refuse(fail(Error::ArgumentKind, composition.name, name(Kind::AnyLayout), 2,
                         described(right, values)),
                    node);
    const AnyLayout *outer = layoutOf(*made);
    if (outer->affine()) {
      Result<AnyLayout> sound = checked(after(front.inner, front.offset, *outer->affine()));
      out.endsInCall = false;
      return sound ? Maybe(*std::move(sound)) : refuse(sound.reason(), node);
    }
    if (!std::holds_alternative<Swizzle>(front.inner) && front.offset == Tree(0))
      return run(composition, {front.inner, *made}, node, nullptr);
    Result<Int> end = cosize(values, AnyLayout(outer->outer()));
    if (!end)
      return refuse(end.reason(), node);
    AnyLayout left = after(front.inner, front.offset, Layout{Tree(*end), Tree(1)});
    return run(composition, {std::move(left), *made}, node, nullptr);
  }

  Maybe call(const Node &node) {
    const Function *function = findFunction(node.text);
    if (!function) {
      std::string_view near = nearestFunction(node.text);
      return refuse(fail(Error::UnknownFunction, node.text.substr(0, 80)), node,
                    near.empty() ? "tessera layout --functions lists them"
                                 : cat("did you mean ", near, "?"));
    }
    std::vector<Value> arguments;
    for (const Node &child : node.children) {
      Maybe value = (*this)(child);
      if (!value)
        return std::nullopt;
      arguments.push_back(*std::move(value));
    }
    if (!node.names.empty()) // f<1>(L, x): the numbers belong to the parameter that takes numbers
      moveNumbers(*function, arguments);
    return run(*function, std::move(arguments), node, &node.children);
  }
  void moveNumbers(const Function &function, std::vector<Value> &arguments) {
    std::span<const Parameter> parameters = function.parameters.all();
    auto takesNumbers = [](const Parameter &p) {
      return p.kind == Kind::Count || p.kind == Kind::Range || p.kind == Kind::Modes;
    };
    auto place = std::find_if(parameters.begin(), parameters.end(), takesNumbers);
    size_t index = size_t(place - parameters.begin());
    if (place != parameters.end() && index < arguments.size())
      std::rotate(arguments.begin() + index, arguments.end() - 1, arguments.end());
  }

  /// Calls a row on values. `nodes` are those of the arguments, for carets; null where they have
  /// none.
  Maybe run(const Function &function, std::vector<Value> arguments, const Node &node,
            const std::vector<Node> *nodes) {
    const Parameters &parameters = function.parameters;
    if (arguments.size() < parameters.least() || arguments.size() > parameters.most())
      return refuse(fail(Error::ArgumentCount, function.name, function.parameters.countText(),
                         arguments.size()),
                    node, cat("write ", signature(function)));
    for (size_t i = 0; i < arguments.size(); ++i) {
      Result<Value> made = converted(arguments[i], parameters.of(i).kind, values);
      const Node &at = nodes && i < nodes->size() && node.names.empty() ? (*nodes)[i] : node;
      if (!made && made.reason().text.empty())
        return refuse(fail(Error::ArgumentKind, function.name, name(parameters.of(i).kind), i + 1,
                           described(arguments[i], values)),
                      at, cat("write ", signature(function)));
      if (!made)
        return refuse(made.reason(), at);
      if (std::optional<int64_t> empty = emptyExtent(*made, values, parameters.of(i).kind))
        return refuse(layout::fail(layout::Error::ShapeNotPositive, *empty), at);
      arguments[i] = *std::move(made);
    }
    return apply(function, Arguments(std::move(arguments)), node);
  }

  Maybe apply(const Function &function, Arguments arguments, const Node &node) {
    size_t before = values.assumptions().size();
    Result<Value> result = function.run(values, arguments);
    Step step = {&function, std::move(arguments),       std::nullopt, node.span,
                 before,    values.assumptions().size()};
    if (result)
      step.result = *result;
    out.steps.push_back(std::move(step));
    out.endsInCall = true;
    const Arguments &in = out.steps.back().arguments;
    if (!result) {
      Advice advice = adviseOn(result.reason(), function, in, values);
      return refuse(result.reason(), node, advice.help, advice.detail);
    }
    if (values.tooLarge())
      return refuse(fail(Error::ResultTooLarge, function.name), node);
    if (const Assumption *broken = mustHold ? values.broken() : nullptr)
      return refuse(fail(Error::AssumptionFails, function.name, broken->text), node);
    return *std::move(result);
  }

  Evaluation &out;
  RunTime &values;
  bool mustHold;
  std::vector<std::pair<std::string, Value>> names;
};

} // namespace

Evaluation evaluate(std::string text, bool checked, std::span<const Binding> bound) {
  Evaluation out;
  out.text = std::move(text);
  std::variant<Node, Refusal> parsed = parse(out.text);
  if (Refusal *refusal = std::get_if<Refusal>(&parsed)) {
    out.refusal = std::move(*refusal);
    return out;
  }
  const Node &node = std::get<Node>(parsed);
  const Node &last = node.kind == NodeKind::Let ? node.children.back() : node;
  out.result = Evaluator(out, checked, bound)(node);
  out.endsInCall &= last.kind == NodeKind::Call || last.kind == NodeKind::Chain;
  return out;
}

Line evaluateLine(std::string text) {
  if (text.find_first_not_of(" \t\r") == std::string::npos)
    return {"", true};
  Evaluation done = evaluate(std::move(text));
  if (!done.ok())
    return {cat("error: ", done.refusal.reason.text), false};
  return {str(*done.result, done.values), true};
}

} // namespace tessera::eval
