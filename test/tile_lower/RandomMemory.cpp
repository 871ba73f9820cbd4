// Random accesses: by pointers, through views, of globals; atomics; what is stored and read again.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Programs.h"
#include "RandomKernel.h"

#include <algorithm>
#include <cmath>

namespace tessera::tile_lower::test {

using namespace tile_eval;

static constexpr double anyNumber = std::numeric_limits<double>::infinity();

std::string KernelMaker::order(bool isLoad) {
  if (chance(75))
    return "weak";
  return cat(isLoad ? word({"relaxed", "acquire"}) : word({"relaxed", "release"}), " ",
             word({"tl_blk", "device", "sys"}));
}
std::string KernelMaker::hints(bool isView) {
  if (chance(85))
    return "";
  return cat(" optimization_hints = <", word({"default", "sm_80", "sm_90", "sm_100"}), " = {",
             isView && chance(50)
                 ? cat("allow_tma = ", word({"true", "false"}), chance(50) ? ", latency = 3" : "")
                 : std::string("latency = 2"),
             "}>");
}
/// The part of an array that is the tile block's.
std::string KernelMaker::ofBlock(const std::string &pointer, const std::string &element,
                                 int64_t count) {
  if (blocks == 1)
    return pointer;
  std::string size = number(count, "i32"), at = fresh(), moved = fresh();
  line(cat(at, " = muli %block, ", size, " : tile<i32>"));
  line(cat(moved, " = offset ", pointer, ", ", at, " : tile<ptr<", element,
           ">>, tile<i32> -> tile<ptr<", element, ">>"));
  return moved;
}

//===--- Pointers

Val KernelMaker::offsets(const Shape &shape, int64_t stride, std::string element) {
  int64_t count = product(shape);
  if (element.empty())
    element = word({"i32", "i64", "i16", "i8"});
  // What the type does not hold as a signed number is not counted in it.
  while (element != "i64" && count * stride > int64_t(lowBits(bitsOf(kindNamed(element)) - 1)))
    element = element == "i8" ? "i16" : element == "i16" ? "i32" : "i64";
  Val numbers = emit({"", element, {count}}, cat("iota : ", typeOf(element, {count})));
  std::string type = typeOf(numbers);
  if (chance(30)) { // backwards
    Val last = splat(element, {count}, count - 1);
    numbers =
        emit({"", element, {count}}, cat("subi ", last.name, ", ", numbers.name, " : ", type));
  } else if (chance(20)) {
    Val mask = splat(element, {count}, int64_t(below(size_t(count))));
    numbers =
        emit({"", element, {count}}, cat("xori ", mask.name, ", ", numbers.name, " : ", type));
  }
  if (stride > 1) {
    Val by = splat(element, {count}, stride);
    numbers = emit({"", element, {count}}, cat("muli ", numbers.name, ", ", by.name, " : ", type));
  }
  if (shape.size() > 1 && chance(30)) { // in another order of dimensions
    std::vector<int64_t> order = permutation(shape.size());
    Shape before(shape.size());
    for (size_t d = 0; d < shape.size(); ++d)
      before[size_t(order[d])] = shape[d];
    Val turned = reshaped(numbers, before), to = turned;
    to.shape = shape;
    return emit(to, cat("permute ", turned.name, " [", listOf(order), "] : ", typeOf(turned),
                        " -> ", typeOf(to)));
  }
  return reshaped(numbers, shape);
}

std::string KernelMaker::pointers(const std::string &base, const std::string &element,
                                  const Shape &shape, const std::string &offsets,
                                  const std::string &offsetElement) {
  std::string pointer = cat("ptr<", element, ">"), from = base, type = typeOf(pointer, shape);
  if (!shape.empty()) {
    std::string one = fresh(), all = fresh();
    Shape ones(shape.size(), 1);
    line(cat(one, " = reshape ", from, " : ", typeOf(pointer, {}), " -> ", typeOf(pointer, ones)));
    line(cat(all, " = broadcast ", one, " : ", typeOf(pointer, ones), " -> ", type));
    from = all;
  }
  std::string moved = fresh();
  line(cat(moved, " = offset ", from, ", ", offsets, " : ", type, ", ",
           typeOf(offsetElement, shape), " -> ", type));
  if (chance(10)) { // as numbers and back
    std::string number = fresh(), back = fresh(), wide = typeOf("i64", shape);
    line(cat(number, " = ptr_to_int ", moved, " : ", type, " -> ", wide));
    line(cat(back, " = int_to_ptr ", number, " : ", wide, " -> ", type));
    return back;
  }
  return moved;
}

Val KernelMaker::loadPointers(const std::string &element, const Shape &shape, double most) {
  int64_t stride = chance(80) ? 1 : int64_t(2 + below(2)), count = product(shape);
  Val places;
  if (count <= 1024 && chance(20)) { // any places, several times the same
    places = value("i32", shape);
    Val mask = splat("i32", shape, count * stride - 1);
    if (stride == 3)
      mask = splat("i32", shape, count - 1);
    places = emit({"", "i32", shape},
                  cat("andi ", places.name, ", ", mask.name, " : ", typeOf("i32", shape)));
  } else {
    places = offsets(shape, stride);
  }
  enum {
    Still,
    Branched,
    Chosen,
    Carried
  };
  size_t moves = chance(80) ? Still : 1 + below(3);
  std::string base =
      array(element, size_t(count * stride) + (moves ? 3 : 0), most, false, Match::Equal);
  if (moves == Branched) { // one of two
    std::string truth = condition(), one = number(1, "i32"), there = fresh(),
                pointer = typeOf(cat("ptr<", element, ">"), {});
    line(cat(there, " = if ", truth, " -> (", pointer, ") {\n      yield ", base, " : ", pointer,
             "\n    } else {\n      ", there, "m = offset ", base, ", ", one, " : ", pointer,
             ", tile<i32> -> ", pointer, "\n      yield ", there, "m : ", pointer, "\n    }"));
    base = there;
  }
  if (chance(10) && !isReal(element) && element != "i1") { // bits of another type
    std::string from = element == "i32"   ? "f32"
                       : element == "i64" ? "f64"
                       : element == "i16" ? "bf16"
                                          : "f8E5M2",
                there = fresh(), back = fresh();
    line(
        cat(there, " = ptr_to_ptr ", base, " : tile<ptr<", element, ">> -> tile<ptr<", from, ">>"));
    line(
        cat(back, " = ptr_to_ptr ", there, " : tile<ptr<", from, ">> -> tile<ptr<", element, ">>"));
    base = back;
  }
  std::string at = pointers(base, element, shape, places.name, places.element);
  Val to{"", element, shape, Trust::Bits, most};
  std::string name = fresh(), token = fresh(), pointer = cat("ptr<", element, ">"),
              type = typeOf(to), pointerType = typeOf(pointer, shape);
  if (moves == Chosen) { // each one of two
    std::string moved = fresh(), chosen = fresh();
    Val truth = value("i1", shape), one = splat("i32", shape, 1);
    line(cat(moved, " = offset ", at, ", ", one.name, " : ", pointerType, ", ", typeOf(one), " -> ",
             pointerType));
    line(cat(chosen, " = select ", truth.name, ", ", at, ", ", moved, " : ", typeOf(truth), ", ",
             pointerType));
    at = chosen;
  } else if (moves == Carried) { // moved in a loop
    std::string low = number(0, "i32"), high = number(int64_t(below(4)), "i32"),
                step = number(1, "i32"), index = fresh(), carried = fresh(), moved = fresh(),
                last = fresh();
    Val one = splat("i64", shape, 1);
    line(cat(last, " = for ", index, " in (", low, " to ", high, ", step ", step,
             ") : tile<i32> iter_values(", carried, " = ", at, ") -> (", pointerType, ") {\n      ",
             moved, " = offset ", carried, ", ", one.name, " : ", pointerType, ", ", typeOf(one),
             " -> ", pointerType, "\n      continue ", moved, " : ", pointerType, "\n    }"));
    at = last;
  }
  if (!chance(35)) {
    line(cat(name, ", ", token, " = load_ptr_tko ", order(true), " ", at, hints(false), " : ",
             pointerType, " -> ", type, ", token"));
    to.name = name;
    pool.push_back(to);
    return to;
  }
  Val mask = value("i1", shape),
      pad = std::isfinite(most) ? small(element, shape, most) : value(element, shape);
  bool hasPad = chance(60);
  line(cat(name, ", ", token, " = load_ptr_tko ", order(true), " ", at, ", ", mask.name,
           hasPad ? ", " + pad.name : "", hints(false), " : ", pointerType, ", ", typeOf(mask),
           hasPad ? ", " + type : "", " -> ", type, ", token"));
  to.name = name;
  to.trust = pad.trust;
  if (hasPad) {
    pool.push_back(to);
    return to;
  }
  // What the mask leaves unspecified is replaced.
  return emit(
      to, cat("select ", mask.name, ", ", name, ", ", pad.name, " : ", typeOf(mask), ", ", type));
}

//===--- Views

/// A view of a new array, and indices of a tile of it, which may reach outside of the tensor. With
/// a loop the index of one dimension is its number.
KernelMaker::View KernelMaker::view(const std::string &element, const Shape &tile, double most,
                                    bool isStore, Match least, const LoopNumber *loop,
                                    std::string padding) {
  View v;
  size_t rank = tile.size();
  enum {
    Partition,
    Strided,
    Gather
  };
  size_t kind = chance(60) ? Partition : chance(50) ? Strided : Gather;
  std::vector<int64_t> dims =
      kind == Gather || chance(60) ? std::vector<int64_t>() : permutation(rank);
  auto tensorDim = [&](size_t d) { return dims.empty() ? d : size_t(dims[d]); };
  size_t sparse = below(rank), moving = below(rank);
  // The number of a narrow loop counts no rows.
  if (loop && kind == Gather && (rank == 1 || bitsOf(kindNamed(loop->element)) < 32))
    kind = Partition;
  while (kind == Gather && loop && moving == sparse)
    moving = below(rank);
  bool mayReachOut = isStore || !padding.empty();
  Shape steps = tile, extents(rank), at(rank);
  int64_t room = 16; // how many times larger than the tile the tensor may be
  for (size_t d = 0; d < rank; ++d) {
    if (kind == Strided)
      steps[d] = between(1, (room > 2 ? 2 : 1) * tile[d]);
    if (kind == Gather) // indices are elements
      steps[d] = 1;
    bool moves = loop && d == moving;
    int64_t last = moves ? loop->high - 1 : int64_t(below(room > 4 ? 3 : room > 2 ? 2 : 1));
    if (kind == Gather && !moves && chance(50))
      last = int64_t(below(size_t(tile[d])));
    at[d] = last;
    int64_t first = last * steps[d];
    int64_t extent = mayReachOut && chance(50) ? between(first + 1, first + 2 * tile[d])
                                               : first + tile[d] * (chance(70) ? 1 : 2);
    if (kind == Gather && d == sparse)
      extent =
          mayReachOut ? between((tile[d] + 1) / 2, 2 * tile[d]) : between(tile[d], 2 * tile[d]);
    room = std::max<int64_t>(1, room * tile[d] / extent);
    extents[tensorDim(d)] = extent;
    bool isInside = kind != Gather || d != sparse ? first + tile[d] <= extent : true;
    v.isInside.push_back(isInside);
    v.isWhole &= isInside;
  }
  // Strides, from the dimension whose elements are neighbours.
  Shape strides(rank);
  int64_t run = chance(85) ? 1 : int64_t(2 + below(2));
  std::vector<int64_t> inner = permutation(rank);
  if (chance(60)) // row-major
    for (size_t d = 0; d < rank; ++d)
      inner[d] = int64_t(rank - 1 - d);
  bool isFour = element == "f4E2M1FN";
  if (isFour) {
    run = 1;
    if (extents[size_t(inner[0])] % 2)
      ++extents[size_t(inner[0])];
  }
  for (int64_t d : inner) {
    strides[size_t(d)] = run;
    run *= extents[size_t(d)];
    if (chance(20))
      run += isFour ? 2 : chance(50) ? 8 - run % 8 : int64_t(1 + below(4));
  }
  int64_t count = run + 1;
  std::string index = word({"i32", "i32", "i64", "i16"});
  if (loop)
    index = loop->element;
  std::string sizes = count > 30000 ? "i32" : word({"i32", "i64", "i16"});
  // Row numbers of a gather, each once where they are stored to.
  Val rows;
  if (kind == Gather) {
    int64_t n = tile[sparse];
    std::string rowIndex = chance(60) ? index : word({"i8", "i16", "i32", "i64"});
    if (isStore || chance(40)) {
      rows = offsets({n}, 1, rowIndex);
    } else {
      Val any = value(rowIndex, {n});
      int64_t mask = 1; // a power of two
      while (mask * 2 <= extents[sparse])
        mask *= 2;
      if (mayReachOut)
        mask *= 2;
      Val masks = splat(rowIndex, {n}, std::min<int64_t>(mask - 1, 100));
      rows =
          emit({"", rowIndex, {n}}, cat("andi ", any.name, ", ", masks.name, " : ", typeOf(any)));
    }
    v.isWhole = false;
  }
  std::string base =
      array(element, size_t(isFour ? (count + 1) / 2 : count) * size_t(isStore ? blocks : 1), most,
            isStore, least);
  if (isStore && !isFour)
    base = ofBlock(base, element, count);
  std::string shapeText, strideText, shapeType, strideType;
  bool anyDynamic = false;
  auto say = [&](int64_t n, std::string &text, std::string &type, const char *times) {
    bool isDynamic = chance(40);
    anyDynamic |= isDynamic;
    text += (text.empty() ? "" : ", ") + (isDynamic ? number(n, sizes) : std::to_string(n));
    type += (type.empty() ? "" : times) + (isDynamic ? std::string("?") : std::to_string(n));
  };
  for (size_t d = 0; d < rank; ++d)
    say(extents[d], shapeText, shapeType, "x");
  for (size_t d = 0; d < rank; ++d)
    say(strides[d], strideText, strideType, ",");
  v.tensorType = cat("tensor_view<", shapeType, "x", element, ", strides=[", strideType, "]>");
  std::string tensor = fresh();
  line(cat(tensor, " = make_tensor_view ", base, ", shape = [", shapeText, "], strides = [",
           strideText, "] : ", anyDynamic ? cat("tile<", sizes, "> -> ") : std::string(),
           v.tensorType));
  std::string padded = padding.empty() ? "" : cat(", padding_value = ", padding),
              map = dims.empty() ? "" : cat(", dim_map=[", listOf(dims), "]");
  std::string shape = listOf(tile, "x");
  const char *make = kind == Partition ? "make_partition_view"
                     : kind == Strided ? "make_strided_view"
                                       : "make_gather_scatter_view";
  v.type = kind == Partition
               ? cat("partition_view<tile=(", shape, ")", padded, ", ", v.tensorType, map, ">")
           : kind == Strided ? cat("strided_view<tile=(", shape, "), traversal_strides=[",
                                   listOf(steps, ","), "]", padded, ", ", v.tensorType, map, ">")
                             : cat("gather_scatter_view<tile=(", shape, ")", padded, ", ",
                                   v.tensorType, ", sparse_dim=", sparse, ">");
  v.name = fresh();
  line(cat(v.name, " = ", make, " ", tensor, " : ", v.type));
  for (size_t d = 0; d < rank; ++d) {
    bool isRows = kind == Gather && d == sparse;
    v.indices.push_back(isRows                ? rows.name
                        : loop && d == moving ? loop->name
                                              : number(at[d], index));
    v.indexTypes.push_back(isRows ? typeOf(rows) : typeOf(index, {}));
  }
  v.indexType = kind == Gather ? "" : v.indexTypes[0];
  // What views say of themselves.
  if (chance(10)) {
    std::vector<Val> counts(rank, Val{"", sizes, {}});
    if (chance(50))
      fewResults(cat("get_tensor_shape ", tensor, " : ", v.tensorType, " -> ", typeOf(sizes, {})),
                 counts);
    else
      fewResults(cat("get_index_space_shape ", v.name, " : ", v.type, " -> ", typeOf(sizes, {})),
                 counts);
  }
  return v;
}

static std::string listOf(const std::vector<std::string> &list) {
  std::string out;
  for (const std::string &one : list)
    out += (out.empty() ? "" : ", ") + one;
  return out;
}

Val KernelMaker::loadView(const std::string &element, const Shape &shape, double most,
                          const LoopNumber *loop) {
  std::string padding;
  if (chance(60)) {
    bool isBase = element == "f16" || element == "bf16" || element == "f32" || element == "f64";
    padding = isBase && !std::isfinite(most)
                  ? word({"zero", "neg_zero", "nan", "pos_inf", "neg_inf"})
                  : "zero";
  }
  View v = view(element, shape, most, false, Match::Equal, loop, padding);
  std::string inbounds;
  if (chance(15) && v.indexType.size() && !loop) {
    for (bool isInside : v.isInside)
      inbounds += cat(inbounds.empty() ? "" : ", ",
                      isInside && (v.isWhole || chance(60)) ? "true" : "false");
    inbounds = cat(" {inbounds = array<i1: ", inbounds, ">}");
  }
  Val to{fresh(), element, shape, Trust::Bits, most};
  if (padding == "nan")
    to.trust = Trust::Numbers;
  std::string types = v.indexType.empty() ? listOf(v.indexTypes) : v.indexType;
  line(cat(to.name, ", ", fresh(), " = load_view_tko ", order(true), " ", v.name, "[",
           listOf(v.indices), "]", hints(true), inbounds, " : ", v.type, ", ", types, " -> ",
           typeOf(to), ", token"));
  pool.push_back(to);
  return to;
}

Val KernelMaker::load(const std::string &element, const Shape &shape, double most) {
  bool isFour = element == "f4E2M1FN";
  if (isFour && (shape.empty() || shape.back() % 2))
    return constant(element, shape, most);
  // A tile of 4-bit elements has its neighbours in a byte.
  if (shape.empty() || (!isFour && chance(40)))
    return loadPointers(element, shape, most);
  return loadView(element, shape, most);
}

Val KernelMaker::loadGlobal() {
  std::string element = word({"f32", "i32", "i8", "f16", "i64", "f8E4M3FN"});
  int64_t count = int64_t(1) << below(5);
  std::string name = cat("@g", next++), value;
  Val to{"", element, {count}};
  size_t before = body.size(), known = pool.size();
  Val numbers = constant(element, {count}, 100); // for its text
  std::string text = body.substr(before);
  body.resize(before);
  pool.resize(known);
  text = text.substr(text.find('<'), text.rfind("> : ") - text.find('<') + 1);
  globals += cat("  global ", word({"", "private ", "constant "}), name, " ",
                 chance(30) ? "alignment = 64 " : "", text, " : ", typeOf(to), "\n");
  std::string base = fresh();
  line(cat(base, " = get_global ", name, " : tile<ptr<", element, ">>"));
  Val places = offsets({count}, 1);
  std::string at = pointers(base, element, {count}, places.name, places.element);
  to.name = fresh();
  line(cat(to.name, ", ", fresh(), " = load_ptr_tko weak ", at, " : ",
           typeOf(cat("ptr<", element, ">"), {count}), " -> ", typeOf(to), ", token"));
  pool.push_back(to);
  return to;
}

//===--- Stores

void KernelMaker::store(const Val &given) {
  Val v = given;
  // What has no memory of its own is stored as a number.
  if (v.element == "i4") {
    Val to{"", "i8", v.shape};
    v = emit(to, cat("exti ", v.name, " ", word({"signed", "unsigned"}), " : ", typeOf(v), " -> ",
                     typeOf(to)));
  }
  if (v.element == "f8E5M3FNU") {
    Val to{"", "f32", v.shape, v.trust};
    v = emit(to, cat("ftof ", v.name, " : ", typeOf(v), " -> ", typeOf(to)));
  }
  Match least = v.trust == Trust::Close ? Match::Close : Match::Equal;
  int64_t count = product(v.shape);
  bool isFour = v.element == "f4E2M1FN";
  if (isFour && (blocks > 1 || v.shape.size() != 1)) // tile blocks would share a byte
    return;
  if (!isFour && (v.shape.empty() || chance(40))) {
    int64_t stride = chance(85) ? 1 : 2;
    Val places = offsets(v.shape, stride);
    std::string base =
        ofBlock(array(v.element, size_t(count * stride * blocks), anyNumber, true, least),
                v.element, count * stride);
    std::string at = pointers(base, v.element, v.shape, places.name, places.element), mask,
                maskType;
    if (chance(30)) {
      Val truth = value("i1", v.shape);
      mask = ", " + truth.name;
      maskType = ", " + typeOf(truth);
    }
    line(cat(fresh(), " = store_ptr_tko ", order(false), " ", at, ", ", v.name, mask, hints(false),
             " : ", typeOf(cat("ptr<", v.element, ">"), v.shape), ", ", typeOf(v), maskType,
             " -> token"));
    return;
  }
  View to = view(v.element, v.shape, anyNumber, true, least, nullptr, chance(20) ? "zero" : "");
  std::string types = to.indexType.empty() ? listOf(to.indexTypes) : to.indexType;
  line(cat(fresh(), " = store_view_tko ", order(false), " ", v.name, ", ", to.name, "[",
           listOf(to.indices), "]", hints(true), " : ", typeOf(v), ", ", to.type, ", ", types,
           " -> token"));
}

/// Something stored, and read again in another order; sometimes several times in a loop.
void KernelMaker::roundTrip() {
  if (repeats) // nothing orders the iterations
    return;
  std::string element = anyElement();
  Shape shape = randomShape(options.mostElements);
  Val v = value(element, shape);
  std::string pointer = cat("ptr<", element, ">"), type = typeOf(v),
              pointerType = typeOf(pointer, shape);
  int64_t count = product(shape);
  Val there = offsets(shape, 1), back = offsets(shape, 1);
  std::string base = ofBlock(array(element, size_t(count * blocks), anyNumber, true, Match::Equal),
                             element, count);
  std::string to = pointers(base, element, shape, there.name, there.element),
              from = pointers(base, element, shape, back.name, back.element);
  std::string token = fresh(), loaded = fresh(), after = fresh();
  Val result{loaded, element, shape, v.trust, v.bound};
  line(cat(token, " = store_ptr_tko ", order(false), " ", to, ", ", v.name, " : ", pointerType,
           ", ", type, " -> token"));
  if (chance(20)) {
    std::string other = fresh(), joined = fresh();
    line(cat(other, " = make_token : token"));
    line(cat(joined, " = join_tokens ", other, ", ", token, " : token"));
    token = joined;
  }
  if (chance(15)) {
    std::string fenced = fresh();
    line(cat(fenced, " = memory_fence_alias_tko token=", token, " -> token"));
    token = fenced;
  }
  if (chance(60)) {
    line(cat(loaded, ", ", after, " = load_ptr_tko ", order(true), " ", from, " token=", token,
             " : ", pointerType, " -> ", type, ", token"));
    pool.push_back(result);
    return;
  }
  // In turns: what one iteration stores, the next one reads elsewhere.
  std::string low = number(0, "i32"), high = number(int64_t(1 + below(4)), "i32"),
              one = number(1, "i32");
  std::string carried = fresh(), before = fresh(), x = fresh(), done = fresh(), index = fresh();
  std::vector<Val> results = {result};
  std::string text =
      cat("for ", index, " in (", low, " to ", high, ", step ", one, ") : tile<i32> iter_values(",
          carried, " = ", token, ", ", x, "0 = ", v.name, ") -> (token, ", type, ") {\n      ", x,
          ", ", before, " = load_ptr_tko weak ", from, " token=", carried, " : ", pointerType,
          " -> ", type, ", token\n      ", done, " = store_ptr_tko weak ", to, ", ", x,
          " token=", before, " : ", pointerType, ", ", type, " -> token\n      continue ", done,
          ", ", x, " : token, ", type, "\n    }");
  std::string name = fresh();
  line(cat(name, ":2 = ", text));
  result.name = name + "#1";
  pool.push_back(result);
}

//===--- Atomics

void KernelMaker::update() {
  std::string mode =
      word({"and", "or", "xor", "add", "max", "min", "umax", "umin", "xchg", "addf", "cas"});
  std::string element = mode == "addf"                    ? word({"f16", "bf16", "f32", "f64"})
                        : mode == "xchg" || mode == "cas" ? word({"i32", "i64", "f32", "f64"})
                                                          : word({"i32", "i64"});
  // Of iterations that nothing orders only the sum is known.
  if (repeats && (mode == "xchg" || mode == "cas"))
    return;
  // Sums of any order are known as far as they are exact.
  const int64_t mostExact = element == "bf16" ? 256 : element == "f16" ? 2048 : 1 << 24;
  if (repeats && mode == "addf" && mostExact < 1 << 24)
    return;
  constexpr int64_t most = 3;
  Shape shape = randomShape(512);
  int64_t count = product(shape);
  Val argument =
      mode == "addf" || mode == "cas" ? small(element, shape) : value(element, shape, Trust::Bits);
  std::string ordering = cat(word({"relaxed", "acquire", "release", "acq_rel"}), " ",
                             word({"tl_blk", "device", "sys"}));
  if (!shape.empty() && mode != "xchg" && mode != "cas" && chance(30)) { // through a view
    View v = view(element, shape, most, true, Match::Equal, nullptr, "");
    if (v.indexType.empty())
      return;
    line(cat(fresh(), " = atomic_red_view_tko relaxed ", word({"tl_blk", "device"}), " ", v.name,
             "[", listOf(v.indices), "], ", mode, ", ", argument.name, " : ", typeOf(argument),
             ", ", v.type, ", ", v.indexType, " -> token"));
    return;
  }
  // Several updates of one element come in any order, and what they find too.
  bool isShared = (mode != "xchg" && mode != "cas") && chance(30);
  if (mode == "addf" && most * (count * blocks + 1) > mostExact)
    isShared = false;
  if (isShared && blocks > 1) // tile blocks see each other's
    ordering = replaced(ordering, "tl_blk", "device");
  Val places = isShared ? value("i32", shape) : offsets(shape, 1);
  if (isShared) {
    Val mask = splat("i32", shape, 7);
    places =
        emit({"", "i32", shape}, cat("andi ", places.name, ", ", mask.name, " : ", typeOf(places)));
  }
  int64_t size = isShared ? 8 : count;
  std::string base =
      array(element, size_t(size * (isShared ? 1 : blocks)), most, true, Match::Equal);
  if (!isShared)
    base = ofBlock(base, element, size);
  std::string at = pointers(base, element, shape, places.name, places.element),
              pointerType = typeOf(cat("ptr<", element, ">"), shape);
  std::string mask, maskType, before = fresh(), token = fresh(), type = typeOf(argument);
  Val truth;
  if (chance(35)) {
    truth = value("i1", shape);
    mask = ", " + truth.name;
    maskType = ", " + typeOf(truth);
  }
  if (mode == "cas") {
    Val compared = small(element, shape);
    line(cat(before, ", ", token, " = atomic_cas_tko ", ordering, " ", at, ", ", compared.name,
             ", ", argument.name, mask, " : ", pointerType, ", ", type, maskType, " -> ", type,
             ", token"));
  } else {
    line(cat(before, ", ", token, " = atomic_rmw_tko ", ordering, " ", at, ", ", mode, ", ",
             argument.name, mask, " : ", pointerType, ", ", type, maskType, " -> ", type,
             ", token"));
  }
  Val old{before, element, shape, Trust::Numbers};
  if (isShared || repeats)
    return;
  if (mask.empty() || mode == "cas") {
    pool.push_back(old);
    return;
  }
  Val other = value(element, shape);
  old.name = "";
  emit(old, cat("select ", truth.name, ", ", before, ", ", other.name, " : ", typeOf(truth), ", ",
                type));
}

} // namespace tessera::tile_lower::test
