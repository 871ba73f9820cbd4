// Pictures of MMA and copy atoms.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/layout/Algebra.h"
#include "tessera/layout/Domains.h"
#include "tessera/layout/Text.h"
#include "tessera/render/Draw.h"
#include "tessera/render/Grid.h"

#include <algorithm>

namespace tessera::render {

using namespace layout;
using atom::CopyFamily;
using atom::CopyRow;
using atom::MmaRow;
using atom::Operand;
using atom::Residency;
using atom::Space;

namespace {
constexpr std::string_view residencies[] = {"registers", "shared memory", "tensor memory"};

/// One thread stands for a CTA in tcgen05.
std::string_view ownerOf(const MmaRow &row) {
  return row.recipe == atom::Recipe::Umma ? "CTA" : "T";
}

/// "registers, 4 × b32".
std::string homeOf(const Operand &operand, int64_t n) {
  std::string out(residencies[size_t(operand.where)]);
  if (int count = operand.registers.at(n); count > 0 && operand.where == Residency::Rmem)
    out += cat(", ", count, " × ", ptxName(operand.registers.type));
  return out;
}

struct MmaPanel {
  std::string_view name, rows, columns;
  const Operand &operand;
  const Layout &tv;
  Tile tile;
  int placeRow, placeColumn;
};

Result<Panel> panelOf(const MmaPanel &what, const MmaRow &row, int64_t n) {
  Tile tile = what.tile;
  tile.owner = ownerOf(row);
  tile.nobodys = what.operand.where != Residency::Rmem && row.ctas == 1;
  TESSERA_TRY(Panel panel, tilePanel(what.tv, tile));
  panel.caption = cat(what.name, " · ", what.rows, " ", tile.rows, " × ", what.columns, " ",
                      tile.columns, " · ", name(what.operand.element));
  panel.detail = homeOf(what.operand, n);
  panel.placeRow = what.placeRow;
  panel.placeColumn = what.placeColumn;
  return panel;
}

/// The N that shows a parametric row well: the largest of up to 32.
int64_t usualN(const MmaRow &row) {
  int64_t best = row.n.first;
  for (int n : row.n.values())
    best = n <= 32 ? n : best;
  return best;
}

std::vector<std::string> notesOf(const MmaRow &row) {
  std::vector<std::string> notes;
  if (row.sparsity.isSparse())
    notes.push_back(
        "A is sparse: half of the values of its logical tile are stored, and metadata says which.");
  if (row.scale.isScaled())
    notes.push_back(cat("Scale factors of A and B: ", name(row.scale.element), ", one for ",
                        int(row.scale.vec), " elements along K."));
  if (row.a.where != Residency::Rmem || row.b.where != Residency::Rmem)
    notes.push_back(
        "Grey: no thread holds it; a descriptor or an address stands for the whole tile.");
  return notes;
}

int64_t threadCount(const Layout &threads) {
  int64_t count = 1;
  threads.shape.forEachLeaf([&](const Leaf &leaf) { count *= leaf.value.value; });
  return count;
}
} // namespace

Result<Picture> drawMma(const MmaRow &row, int64_t m, int64_t n) {
  m = m ? m : row.m.first;
  n = n ? n : usualN(row);
  TESSERA_TRY(MmaAtomLayouts atom, layouts(row, m, n));
  // D overwrites C, or has its fragment.
  const MmaPanel panels[] = {
      {"A",
       "M",
       "K",
       row.a,
       atom.a,
       {.rows = m, .columns = atom.k, .threads = &atom.threads},
       1,
       0},
      {"B",
       "K",
       "N",
       row.b,
       atom.b,
       {.rows = atom.k, .columns = n, .transposed = true, .threads = &atom.threads},
       0,
       1},
      {"C, D", "M", "N", row.d, atom.c, {.rows = m, .columns = n, .threads = &atom.threads}, 1, 1}};
  Picture picture;
  picture.title = nameFor(row, n);
  for (const MmaPanel &what : panels) {
    TESSERA_TRY(Panel panel, panelOf(what, row, n));
    picture.panels.push_back(std::move(panel));
  }
  int64_t threads = threadCount(atom.threads);
  bool ctas = row.recipe == atom::Recipe::Umma;
  picture.subtitle = cat(m, " × ", n, " × ", atom.k, " (M × N × K) by ", threads,
                         ctas           ? (threads == 1 ? " CTA" : " CTAs")
                         : threads == 1 ? " thread"
                                        : " threads");
  if (!ctas)
    picture.subtitle += "; T: thread, V: its value";
  picture.legends.push_back(groupLegend(ctas ? "CTA" : "thread", threads));
  picture.notes = notesOf(row);
  if (threads > Colour::groups)
    picture.notes.push_back(cat("Colours repeat every ", Colour::groups, " threads."));
  return picture;
}

namespace {
constexpr std::string_view spaces[] = {"memory",        "global memory",
                                       "shared memory", "shared memory of the cluster",
                                       "registers",     "tensor memory"};

/// Bits that stand in a row of the picture: of a matrix for ldmatrix, of a data path for tensor
/// memory, else all of what one thread moves.
int64_t rowBitsOf(const CopyRow &row, int64_t amount, int64_t perThread) {
  switch (row.key.family) {
  case CopyFamily::Ldsm:
  case CopyFamily::Stsm: return 128;
  case CopyFamily::TmemLoad:
  case CopyFamily::TmemLoadRed:
  case CopyFamily::TmemStore: return row.key.columns * amount;
  default: return perThread;
  }
}

/// The bits of what the instruction thinks of as an element.
int64_t valueBitsOf(const CopyRow &row, int64_t amount) {
  switch (row.key.family) {
  case CopyFamily::Ldsm:
  case CopyFamily::Stsm: return row.key.rows == 8 && row.key.columns == 8 ? 16 : 8;
  case CopyFamily::TmemLoad:
  case CopyFamily::TmemLoadRed:
  case CopyFamily::TmemStore: return 32;
  default: return std::min<int64_t>(amount ? amount : 128, 32);
  }
}

/// 16 bytes, or one repetition.
int64_t usualAmount(const CopyRow &row) {
  int64_t last = std::min<int64_t>(row.amounts.last, 128);
  return row.amounts.unit == atom::Amounts::Bits ? std::max<int64_t>(last, row.amounts.first)
                                                 : row.amounts.first;
}

/// Whether one thread starts a copy of whole blocks, which belong to no thread.
bool isBlockCopy(const CopyRow &row) { return row.key.family >= CopyFamily::S2TCopy; }

/// What such a copy moves: which bytes of a tensor, its map says.
Picture boxes(const CopyRow &row) {
  std::string what = row.key.family == CopyFamily::S2TCopy
                         ? cat(row.key.rows, " × ", row.key.columns, " bits")
                     : row.rank.last ? "box of the tensor map"
                                     : "bytes in a row";
  Picture picture;
  picture.subtitle = "one thread starts the copy; no thread holds what it moves";
  for (Space space : {row.from, row.to}) {
    Panel panel = blank(Axis::plain(1), Axis::plain(1));
    panel.caption = spaces[size_t(space)];
    panel.cells[0] = {what, "", {Colour::Neutral, 0}};
    panel.placeColumn = int(picture.panels.size());
    picture.panels.push_back(std::move(panel));
  }
  return picture;
}
} // namespace

Result<Picture> drawCopy(const CopyRow &row, int64_t amount, int64_t valueBits) {
  std::string_view from = spaces[size_t(row.from)], to = spaces[size_t(row.to)];
  if (amount == 0 && isBlockCopy(row)) {
    Picture picture = boxes(row);
    picture.title = row.name;
    return picture;
  }
  amount = amount ? amount : usualAmount(row);
  valueBits = valueBits ? valueBits : valueBitsOf(row, amount);
  TESSERA_TRY(CopyAtomLayouts atom, layouts(row, amount, valueBits));
  TESSERA_TRY(int64_t threads, sizeOf(atom.src.shape[0], str(atom.src)));
  int64_t total = 1;
  for (const Layout *side : {&atom.src, &atom.dst}) {
    Const none;
    TESSERA_TRY(Int cosize, layout::cosize(none, *side));
    total = std::max(total, cosize.value);
  }
  int64_t columns =
      std::max<int64_t>(1, rowBitsOf(row, amount, total / threads * valueBits) / valueBits);
  Picture picture;
  picture.title = row.name;
  picture.subtitle = cat(from, " → ", to, ": ", total, " values of ", valueBits,
                         " bits, by the thread that reads and the thread that writes them");
  bool reading = true;
  for (const Layout *side : {&atom.src, &atom.dst}) {
    TESSERA_TRY(Panel panel, tilePanel(*side, {.rows = (total + columns - 1) / columns,
                                               .columns = columns,
                                               .transposed = true}));
    panel.caption = cat(reading ? "source · " : "destination · ", reading ? from : to);
    panel.placeColumn = reading ? 0 : 1;
    picture.panels.push_back(std::move(panel));
    reading = false;
  }
  picture.legends.push_back(groupLegend("thread", threads));
  if (row.key.family == CopyFamily::Ldsm || row.key.family == CopyFamily::Stsm)
    picture.notes.push_back("In shared memory a thread gives the address of its row of 16 bytes.");
  return picture;
}

} // namespace tessera::render
