// Reads the table of ops, and what attributes and types say of the instructions that an op becomes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes of NVVM ops are read by their names and as text: their dialect's header costs 22
// seconds in each file that includes it.
#include "tessera/lower/gate/OpNeeds.h"

#include "tessera/atom/AddressSpace.h"
#include "tessera/atom/Instructions.h"
#include "tessera/atom/Registry.h"
#include "tessera/cute_nvgpu/CuteNvgpu.h"
#include "tessera/cute_nvgpu/families/warp/Warp.h"
#include "tessera/lower/TargetOf.h"
#include "tessera/ptx_text/InlineAssembly.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/Intrinsics.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute_nvgpu;

namespace tessera::lower {

namespace {

//===--- Attributes as text ------------------------------------------------------------------===//

/// The value of an attribute without its dialect: `cluster` of #nvvm.mem_scope<cluster>, `fmin` of
/// #nvvm<redux_kind fmin>, `true`; empty if the op has none.
std::string textOf(Operation *op, StringRef name) {
  Attribute attribute = op->getAttr(name);
  if (!attribute)
    return "";
  std::string text;
  llvm::raw_string_ostream out(text);
  attribute.print(out, /*elideType=*/true);
  auto [before, inside] = StringRef(text).split('<');
  if (inside.empty())
    return text;
  inside = inside.take_front(inside.rfind('>'));
  if (before.starts_with("#") && !before.contains('.'))
    inside = inside.split(' ').second;
  return inside.trim().str();
}
bool isSet(Operation *op, StringRef name) {
  std::string text = textOf(op, name);
  return !text.empty() && text != "false";
}
bool isCluster(Operation *op) {
  return textOf(op, "scope") == "cluster" ||
         textOf(op, "syncscope").find("cluster") != std::string::npos;
}
/// Whether a pointer of the op is into the shared memory of the cluster.
bool isRemote(Operation *op) {
  return llvm::any_of(op->getOperandTypes(), [](Type type) {
    auto pointer = dyn_cast<LLVM::LLVMPointerType>(type);
    return pointer && pointer.getAddressSpace() == unsigned(atom::AddressSpace::Dsmem);
  });
}
/// m16n8k16 of an attribute `shape`, or of the integers m, n and k.
std::string shapeOf(Operation *op) {
  std::string shape = textOf(op, "shape"), out;
  if (shape.empty())
    return "m" + textOf(op, "m") + "n" + textOf(op, "n") + "k" + textOf(op, "k");
  for (char c : shape)
    if (llvm::isAlnum(c))
      out += c;
  return out;
}
NeededInstructions one(std::string text, int operands = 0) {
  NeededInstructions needed;
  needed.push_back({std::move(text), operands});
  return needed;
}

//===--- Forms: what OpNeeds.def names -------------------------------------------------------===//

/// The PTX instruction between f32 or f16 and a number format, where the lowering takes it
/// (FloatsToLLVM.cpp); elsewhere it builds the conversion, as LLVM does for f16 and bf16.
Result<NeededInstructions> widening(Operation *op) {
  return convertsInPairs(op, op->getOperand(0).getType()) ? one("cvt.rn.f16x2.e4m3x2")
                                                          : NeededInstructions();
}
Result<NeededInstructions> narrowing(Operation *op) {
  Type type = getElementTypeOrSelf(op->getResult(0).getType());
  if (!isa<Float16Type, BFloat16Type, FloatTF32Type, Float32Type, Float64Type, Float8E4M3FNType,
           Float8E5M2Type, Float6E2M3FNType, Float6E3M2FNType, Float4E2M1FNType, Float8E8M0FNUType>(
          type)) {
    std::string name;
    llvm::raw_string_ostream(name) << type;
    return Reason{"NoConversion", cat("converts '", name,
                                      "', which no PTX instruction does; expects f64, f32, tf32, "
                                      "f16, bf16, e4m3, e5m2, e2m3, e3m2, e2m1 or ue8m0")};
  }
  return convertsInPairs(op, type) ? one("cvt.rn.satfinite.e4m3x2.f32") : NeededInstructions();
}

/// Whether the flags of an op, in the attribute of this name, allow approximations.
bool mayApproximate(Operation *op, StringRef attribute) {
  std::string flags = textOf(op, attribute);
  return flags.find("afn") != std::string::npos || flags == "fast";
}
Result<NeededInstructions> tanh(Operation *op) {
  return mayApproximate(op, "fastmath") ? one("tanh.approx.f32") : NeededInstructions();
}

/// Functions of LLVM that its back end selects of f32 and narrower types alone. GPUs have no
/// library for others.
Result<NeededInstructions> exponential(Operation *op) {
  auto type = dyn_cast<FloatType>(getElementTypeOrSelf(op->getResult(0).getType()));
  if (!type || type.getWidth() > 32)
    return Reason{"NoWideFunction", "has no instruction of more than 32 bits; write it as an op of "
                                    "math, for which this compiler has code"};
  return NeededInstructions();
}
/// Of these only approximations.
Result<NeededInstructions> approximated(Operation *op) {
  TESSERA_CHECK(exponential(op));
  if (!mayApproximate(op, "fastmathFlags"))
    return Reason{"NoPreciseFunction", "has an instruction that approximates, and no other; allow "
                                       "it with the flag afn, or write it as an op of math"};
  return op->getName().getStringRef().ends_with("tanh") ? one("tanh.approx.f32")
                                                        : NeededInstructions();
}

/// Fails for an address that no load or store of PTX takes. LLVM would write a generic one.
Status isReached(Value address) {
  constexpr unsigned constant = 4,
                     parameters = 101; // NVVM's numbers; our dialects do not have these
  auto pointer = dyn_cast<LLVM::LLVMPointerType>(address.getType());
  unsigned space = pointer ? pointer.getAddressSpace() : 0;
  if (space == unsigned(atom::AddressSpace::Tmem))
    return Reason{"TensorMemoryAccess",
                  "has an address of tensor memory, which only tcgen05.ld and "
                  "tcgen05.st read and write"};
  if (space != constant && space != parameters &&
      !llvm::any_of(atom::addressSpaces,
                    [&](const auto &row) { return unsigned(row.value) == space; }))
    return Reason{"UnknownSpace",
                  cat("has an address of space ", space, ", which PTX does not have")};
  return Done{};
}

Result<NeededInstructions> access(Operation *op) {
  TESSERA_CHECK(isReached(op->getOperand(isa<LLVM::StoreOp>(op) ? 1 : 0)));
  NeededInstructions needed;
  if (isRemote(op))
    needed.push_back({"ld.shared::cluster.b32"});
  if (isCluster(op))
    needed.push_back({"ld.relaxed.cluster.b32"});
  return needed;
}

Result<NeededInstructions> atomic(Operation *op) {
  TESSERA_CHECK(isReached(op->getOperand(0)));
  NeededInstructions needed;
  if (isRemote(op))
    needed.push_back({"atom.shared::cluster.add.u32"});
  if (isCluster(op))
    needed.push_back({"atom.relaxed.cluster.add.u32"});
  if (op->getOperand(1).getType().isInteger(128))
    needed.push_back({"atom.cas.b128"});
  return needed;
}

Result<NeededInstructions> fence(Operation *op) {
  return isCluster(op) ? one("fence.acq_rel.cluster") : NeededInstructions();
}

/// nvvm.read.ptx.sreg.cluster.ctaid.x reads %cluster_ctaid.x.
std::string specialRegister(StringRef name) {
  std::string out = "%" + name.str();
  size_t mode = name.size() > 1 && name[name.size() - 2] == '.' ? out.size() - 2 : out.size();
  std::replace(out.begin(), out.begin() + long(mode), '.', '_');
  return out;
}

/// The mnemonic that an intrinsic spells, if it does: fmax.ftz.nan.f is max.ftz.NaN.f32.
std::string mnemonicOf(StringRef name) {
  constexpr std::pair<StringLiteral, StringLiteral> words[] = {
      {"fmax", "max"}, {"fmin", "min"}, {"fabs", "abs"}, {"nan", "NaN"},
      {"f", "f32"},    {"d", "f64"},    {"i", "s32"},    {"ui", "u32"},
      {"ll", "s64"},   {"ull", "u64"},  {"i32", "b32"}};
  std::string out;
  for (StringRef word : llvm::split(name, '.')) {
    for (auto [llvmWord, ptxWord] : words)
      if (word == llvmWord) {
        word = ptxWord;
        break;
      }
    out += cat(out.empty() ? "" : ".", std::string_view(word));
  }
  return out;
}

const llvm::StringMap<OpRow> &table();
bool isOnEveryTarget(StringRef intrinsic);

/// What an intrinsic needs, by the instruction that its name spells, the op of NVVM that has its
/// name, or the list of LLVM's own.
Result<NeededInstructions> intrinsicNeeds(StringRef name) {
  using namespace llvm::Intrinsic;
  ID id = name.starts_with("llvm.") ? lookupIntrinsicID(name) : ID(not_intrinsic);
  if (id == not_intrinsic)
    return Reason{
        noIntrinsicId,
        cat("names '", std::string_view(name),
            "', an intrinsic that LLVM " LLVM_VERSION_STRING
            " does not have; names with 'llvm.' are LLVM's own: use an op of NVVM or inline PTX, "
            "or give the function another name")};
  StringRef rest = name;
  if (rest.consume_front("llvm.nvvm.")) {
    StringRef read = rest;
    if (read.consume_front("read.ptx.sreg."))
      return read == "warpsize" ? NeededInstructions() : one(specialRegister(read));
    if (std::string mnemonic = mnemonicOf(rest); atom::availabilityOf({mnemonic}))
      return one(mnemonic);
    if (rest.starts_with("mma."))
      for (const atom::MmaRow &row : atom::mmaRows())
        if (StringRef(atom::intrinsicName(row)) == name)
          return one(atom::mnemonicFor(row, row.n.first));
    StringRef replace = rest;
    if (replace.consume_front("tensormap.replace."))
      return one(replace.starts_with("swizzle.atomicity")
                     ? "tensormap.replace.tile.swizzle_atomicity.b1024.b32"
                     : "tensormap.replace.tile.global_address.b1024.b64");
    auto found = table().find(("nvvm." + rest).str());
    if (found != table().end() && found->second.kind == OpRow::Instructions)
      return neededInstructions(found->second, nullptr);
  } else if (isOnEveryTarget(getBaseName(id).drop_front(StringRef("llvm.").size()))) {
    return NeededInstructions();
  }
  return Reason{
      "UnknownIntrinsic",
      cat("the intrinsic '", std::string_view(name),
          "' is in no row of the table of ops, so what it needs of a target is not known; "
          "use an op of NVVM or inline PTX, or let it pass with the attribute "
          "tessera.allow_unlisted_ptx")};
}
Result<NeededInstructions> intrinsic(Operation *op) {
  return intrinsicNeeds(cast<LLVM::CallIntrinsicOp>(op).getIntrin());
}
/// A call, or an address that is taken: LLVM makes an intrinsic of every function with its name.
Result<NeededInstructions> symbols(Operation *op) {
  NeededInstructions needed;
  std::optional<Reason> wrong;
  op->getAttrDictionary().walk<WalkOrder::PreOrder>([&](SymbolRefAttr symbol) {
    StringRef name = symbol.getLeafReference().getValue();
    if (!name.starts_with("llvm."))
      return WalkResult::skip();
    Result<NeededInstructions> more = intrinsicNeeds(name);
    if (!more) {
      wrong = more.reason();
      return WalkResult::interrupt();
    }
    needed.append(more->begin(), more->end());
    return WalkResult::skip();
  });
  return wrong ? Result<NeededInstructions>(*wrong) : Result<NeededInstructions>(needed);
}

Result<NeededInstructions> inlineAssembly(Operation *op) {
  StringAttr text = op->getAttrOfType<StringAttr>("asm_string");
  if (!text)
    text = op->getAttrOfType<StringAttr>("ptxCode");
  if (!text)
    return Reason{"NoText", "expects PTX in its text"};
  TESSERA_TRY(std::vector<ptx_text::Instruction> instructions,
              ptx_text::parseInlineAssembly(text.getValue()));
  NeededInstructions needed;
  for (const ptx_text::Instruction &instruction : instructions) {
    needed.push_back({std::string(instruction.text), instruction.operands, instruction.hasSink});
    for (std::string_view name : instruction.registers)
      needed.push_back({std::string(name)});
  }
  return needed;
}

Result<NeededInstructions> tryCancel(Operation *op) {
  return one(cat("clusterlaunchcontrol.try_cancel.async",
                 isSet(op, "multicast") ? ".multicast::cluster::all" : "", ".b128"));
}

Result<NeededInstructions> rounded(Operation *op) {
  std::string pair =
      op->getName().getStringRef().ends_with("bf16x2") ? ".bf16x2.f32" : ".f16x2.f32";
  return one((textOf(op, "rnd") == "rs" ? "cvt.rs" : "cvt.rn") + pair);
}

Result<NeededInstructions> toFp8(Operation *op) {
  bool exponent = textOf(op, "dstTy").find("E8M0") != std::string::npos;
  return one(exponent ? "cvt.rz.satfinite.ue8m0x2.f32" : "cvt.rn.satfinite.e4m3x2.f32");
}

Result<NeededInstructions> toTf32(Operation *op) {
  std::string rounding = textOf(op, "rnd");
  return one(cat("cvt.", rounding == "none" || rounding.empty() ? "rna" : rounding,
                 textOf(op, "sat") == "satfinite" ? ".satfinite" : "", ".tf32.f32"));
}

Result<NeededInstructions> bulkLoad(Operation *op) {
  auto pointer = dyn_cast<LLVM::LLVMPointerType>(op->getOperand(0).getType());
  bool toCta = pointer && pointer.getAddressSpace() == unsigned(atom::AddressSpace::Smem);
  return one(cat("cp.async.bulk.shared::", toCta ? "cta" : "cluster",
                 ".global.mbarrier::complete_tx::bytes"));
}

Result<NeededInstructions> bulkStore(Operation *op) {
  bool masked = llvm::any_of(op->getOperandTypes(), [](Type type) { return type.isInteger(16); });
  return one(cat("cp.async.bulk.global.shared::cta.bulk_group", masked ? ".cp_mask" : ""));
}

/// The modes of TMA as both dialects call them, and as PTX does.
constexpr std::pair<StringLiteral, StringLiteral> tmaModes[] = {
    {"tiled", "tile"},
    {"tile", "tile"},
    {"im2col", "im2col"},
    {"w", "im2col::w"},
    {"im2col_w", "im2col::w"},
    {"w128", "im2col::w::128"},
    {"im2col_w_128", "im2col::w::128"},
    {"gather4", "tile::gather4"},
    {"tile_gather4", "tile::gather4"},
    {"scatter4", "tile::scatter4"},
    {"tile_scatter4", "tile::scatter4"}};

/// `before` with the mode of a TMA op after it.
Result<NeededInstructions> withMode(Operation *op, std::string before, StringRef after = "") {
  std::string mode = textOf(op, "mode");
  for (auto [known, ptx] : tmaModes)
    if (mode == known)
      return one(cat(before, ".", std::string_view(ptx), std::string_view(after)));
  if (mode.empty())
    return one(cat(before, ".tile", std::string_view(after)));
  return Reason{"UnknownMode", cat("has the mode '", mode,
                                   "', which is in no row of the table of ops; expects tile, "
                                   "im2col, im2col_w, im2col_w_128, gather4 or scatter4")};
}
Result<NeededInstructions> tensorLoad(Operation *op) {
  return withMode(op,
                  cat("cp.async.bulk.tensor.2d.shared::",
                      isSet(op, "isCTAOnly") ? "cta" : "cluster", ".global"),
                  op->getAttr("group") ? ".cta_group::1" : "");
}
Result<NeededInstructions> tensorPrefetch(Operation *op) {
  return withMode(op, "cp.async.bulk.prefetch.tensor.2d.L2.global");
}
Result<NeededInstructions> tensorStore(Operation *op) {
  if (textOf(op, "mode") == "im2col")
    return one("cp.async.bulk.tensor.2d.global.shared::cta.im2col_no_offs");
  return withMode(op, "cp.async.bulk.tensor.2d.global.shared::cta");
}
Result<NeededInstructions> archTensorLoad(Operation *op) {
  return withMode(op, "cp.async.bulk.tensor.2d.shared::cluster.global",
                  textOf(op, "num_cta") == "2" ? ".cta_group::2" : "");
}
Result<NeededInstructions> archTensorStore(Operation *op) { return tensorStore(op); }
Result<NeededInstructions> archTensorPrefetch(Operation *op) { return tensorPrefetch(op); }

Result<NeededInstructions> proxyFence(Operation *op) {
  return one(textOf(op, "kind") == "alias" ? "fence.proxy.alias" : "fence.proxy.async");
}

Result<NeededInstructions> matrices(Operation *op) {
  std::string element = textOf(op, "eltType");
  StringRef name = op->getName().getStringRef();
  return one(cat(name.ends_with("ldmatrix") ? "ldmatrix" : "stmatrix", ".sync.aligned.",
                 element.empty() || element == "b16" ? "b16" : "b8"));
}

/// "mbarrier.arrive" of "nvvm.mbarrier.arrive", with what its attributes add.
std::string mbarrier(Operation *op, StringRef name, StringRef order) {
  std::string text = name.str();
  bool relaxed = isSet(op, "relaxed");
  if (relaxed || isCluster(op))
    text +=
        cat(relaxed ? ".relaxed" : std::string_view(order), isCluster(op) ? ".cluster" : ".cta");
  return text + (isRemote(op) ? ".shared::cluster.b64" : ".b64");
}
Result<NeededInstructions> mbarrierArrive(Operation *op) {
  StringRef name = op->getName().getStringRef();
  name.consume_front("nvvm.");
  // The state, the address, and a count or bytes.
  int operands = 1 + int(op->getNumOperands());
  return one(mbarrier(op, name, ".release"), name.ends_with("expect_tx") ? 0 : operands);
}
Result<NeededInstructions> mbarrierWait(Operation *op) {
  bool tests = op->getName().getStringRef().ends_with("test.wait");
  bool parity = op->getNumOperands() > 1 && op->getOperand(1).getType().isInteger(32);
  return one(
      mbarrier(op, cat(tests ? "mbarrier.test_wait" : "mbarrier.try_wait", parity ? ".parity" : ""),
               ".acquire"));
}

Result<NeededInstructions> memoryBarrier(Operation *op) {
  return one(isCluster(op) ? "fence.sc.cluster" : "membar.gl");
}

Result<NeededInstructions> prefetch(Operation *op) {
  if (isSet(op, "tensormap"))
    return one("prefetch.tensormap");
  return one(op->getAttr("evictPriority") ? "prefetch.global.L2::evict_last" : "prefetch.L2");
}

Result<NeededInstructions> redux(Operation *op) {
  return one(textOf(op, "kind").starts_with("f") ? "redux.sync.min.f32" : "redux.sync.min.s32");
}

Result<NeededInstructions> tensorMma(Operation *op) {
  StringRef name = op->getName().getStringRef();
  bool scaled = name.consume_back(".block_scale");
  name.consume_front("nvvm.");
  std::string kind = textOf(op, "kind");
  int operands = name.ends_with(".sp") ? 6 : 5;
  // In a product that is not scaled, the 64-bit number after the predicate is scale-input-d.
  for (size_t i = size_t(operands); !scaled && i < op->getNumOperands(); ++i)
    operands += op->getOperand(unsigned(i)).getType().isInteger(64) && !name.contains(".ws");
  return one(
      cat(std::string_view(name), ".cta_group::1.kind::", kind, scaled ? ".block_scale" : ""),
      operands);
}

/// For our ops: those that need a later PTX than tensor memory does. The ladder reports other lacks
/// of a target.
Result<NeededInstructions> umma(Operation *op) {
  atom::UmmaForm form = *cute_nvgpu::ummaFormOf(op);
  bool stated = form.scaleVec != atom::ScaleVec::None;
  return one(cat("tcgen05.mma", form.sparse ? ".sp" : "",
                 form.blockScale && !stated ? ".block_scale" : ""));
}

std::string typeName(Operation *op, StringRef attribute, unsigned operand) {
  std::string text = textOf(op, attribute);
  if (!text.empty() || operand >= op->getNumOperands())
    return text;
  Type element = getElementTypeOrSelf(op->getOperand(operand).getType());
  return element.isF16() ? "f16" : element.isF64() ? "f64" : "";
}
Result<NeededInstructions> warpMma(Operation *op) {
  StringRef name = op->getName().getStringRef();
  bool sparse = name.contains(".sp"), scaled = name.ends_with("block_scale");
  bool ordered = isSet(op, "orderedMetadata");
  std::string text = cat(sparse ? ordered || scaled ? "mma.sp::ordered_metadata" : "mma.sp" : "mma",
                         ".sync.aligned.", shapeOf(op));
  if (scaled)
    text += cat(".kind::", textOf(op, "kind"), ".block_scale");
  for (const std::string &type :
       {typeName(op, "multiplicandAPtxType", 0), typeName(op, "multiplicandBPtxType", ~0u)})
    if (!type.empty())
      text += "." + type;
  if (textOf(op, "b1Op").find("and") != std::string::npos)
    text += ".and.popc";
  return one(text);
}
Result<NeededInstructions> groupMma(Operation *op) {
  return one(cat("wgmma.mma_async.sync.aligned.", shapeOf(op), ".", textOf(op, "typeA"), ".",
                 textOf(op, "typeB")));
}
Result<NeededInstructions> wmma(Operation *op) {
  StringRef name = op->getName().getStringRef();
  name.consume_front("nvvm.");
  std::string element = textOf(op, "eltype");
  if (element.empty())
    element = textOf(op, "eltypeA");
  return one(cat(std::string_view(name), ".sync.aligned.", shapeOf(op), ".", element));
}

Result<NeededInstructions> archMatrices(Operation *op) {
  atom::CopyKey key = isa<ArchLdsmOp>(op) ? ldsmKey(cast<ArchLdsmOp>(op).getMatrixShape(),
                                                    cast<ArchLdsmOp>(op).getSzPattern(),
                                                    int32_t(cast<ArchLdsmOp>(op).getNumMatrices()),
                                                    cast<ArchLdsmOp>(op).getTranspose())
                                          : stsmKey(cast<ArchStsmOp>(op).getMatrixShape(),
                                                    int32_t(cast<ArchStsmOp>(op).getNumMatrices()),
                                                    cast<ArchStsmOp>(op).getTranspose());
  TESSERA_TRY(const atom::CopyRow *row, atom::find(key));
  return one(atom::mnemonicFor(*row, row->amounts.first));
}

/// A product that stands in the tables of atom: its row names the instruction.
Result<NeededInstructions> tableMma(Operation *op) {
  TESSERA_TRY(const atom::MmaRow *row, cast<TableMmaOp>(op).getRow());
  return one(atom::mnemonicFor(*row, row->n.first));
}

//===--- The table -------------------------------------------------------------------------===//

const llvm::StringMap<OpRow> &table() {
  static const llvm::StringMap<OpRow> rows = [] {
    llvm::StringMap<OpRow> read;
    auto add = [&](const Twine &name, OpRow row) {
      bool fresh = read.try_emplace(name.str(), row).second;
      (void)fresh;
      assert(fresh && "an op has two rows in OpNeeds.def");
    };
    auto addAll = [&](StringRef dialect, StringRef names) {
      for (StringRef name : llvm::split(names, ' '))
        add(dialect + "." + name, {});
    };
#define DIALECT(name, why) add(name, {});
#define OPS(dialect, names) addAll(dialect, names);
#define OP(name, instructions) add(name, {OpRow::Instructions, instructions, nullptr});
#define FORM(name, function) add(name, {OpRow::Form, "", function});
#include "tessera/lower/gate/OpNeeds.def"
    return read;
  }();
  return rows;
}

/// Whether INTRINSICS of the table has it: `fma` of llvm.fma.f32.
bool isOnEveryTarget(StringRef intrinsic) {
  static const llvm::StringSet<> names = [] {
    llvm::StringSet<> read;
#define INTRINSICS(names)                                                                          \
  for (StringRef name : llvm::split(names, ' '))                                                   \
    read.insert(name);
#include "tessera/lower/gate/OpNeeds.def"
    return read;
  }();
  return names.contains(intrinsic);
}

Result<NeededInstructions> readRegister(Operation *op) {
  StringRef name = op->getName().getStringRef();
  name.consume_front("nvvm.read.ptx.sreg.");
  return name == "warpsize" ? NeededInstructions() : one(specialRegister(name));
}

} // namespace

std::optional<OpRow> opRowOf(OperationName name) {
  StringRef text = name.getStringRef();
  if (text.starts_with("nvvm.read.ptx.sreg."))
    return OpRow{OpRow::Form, "", readRegister};
  if (name.hasInterface<TableMmaOp>())
    return OpRow{OpRow::Form, "", tableMma};
  auto found = table().find(text);
  if (found == table().end())
    found = table().find(name.getDialectNamespace());
  return found == table().end() ? std::nullopt : std::optional<OpRow>(found->second);
}

Result<NeededInstructions> neededInstructions(const OpRow &row, Operation *op) {
  if (row.kind == OpRow::Form)
    return row.form(op);
  NeededInstructions needed;
  for (StringRef mnemonic : llvm::split(row.instructions, ' '))
    needed.push_back({mnemonic.str()});
  return needed;
}

} // namespace tessera::lower
