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
using atom::AddressSpace;
using atom::Completion;
using atom::CopyRow;
using atom::MmaRow;
using atom::Operand;
using atom::Residency;

namespace {
std::string_view placeOf(Residency where) {
  switch (where) {
  case Residency::Rmem: return "registers";
  case Residency::Smem: return "shared memory";
  case Residency::Tmem: return "tensor memory";
  }
  return "";
}

/// In tcgen05 one thread stands for a CTA.
bool isByCtas(const MmaRow &row) { return row.recipe == atom::Recipe::Umma; }
int colourStepOf(const MmaRow &row) { return isByCtas(row) ? 4 : 1; }

/// "registers, 4 × b32".
std::string homeOf(const Operand &operand, int64_t n) {
  std::string out(placeOf(operand.where));
  if (int count = operand.registers.at(n); count > 0 && operand.where == Residency::Rmem)
    out += cat(", ", count, " × ", ptxName(operand.registers.type));
  return out;
}

struct MmaPanel {
  std::string_view name, rows, columns;
  const Operand &operand;
  const Layout &tv;
  TilePicture tile;
  int placeRow, placeColumn;
};

Result<Panel> panelOf(const MmaPanel &what, const MmaRow &row, int64_t n) {
  TilePicture tile = what.tile;
  tile.owner = isByCtas(row) ? "CTA" : "T";
  tile.colourStep = colourStepOf(row);
  tile.nobodys = what.operand.where != Residency::Rmem && row.ctas == 1;
  TESSERA_TRY(Panel panel, tilePanel(what.tv, tile));
  panel.caption = cat(what.name, " · ", what.rows, " ", tile.rows, " × ", what.columns, " ",
                      tile.columns, " · ", atom::name(what.operand.element));
  panel.detail = homeOf(what.operand, n);
  panel.placeRow = what.placeRow;
  panel.placeColumn = what.placeColumn;
  return panel;
}

std::vector<std::string> notesOf(const MmaRow &row) {
  std::vector<std::string> notes;
  if (row.sparsity.isSparse())
    notes.push_back(
        "A is sparse: half of the values of its logical tile are stored, and metadata says which.");
  if (row.scale.isScaled())
    notes.push_back(cat("Scale factors of A and B: ", atom::name(row.scale.element), ", one for ",
                        int(row.scale.vec), " elements along K."));
  if (row.ctas == 1 && row.b.where != Residency::Rmem)
    notes.push_back(
        "Grey: no thread holds it; a descriptor or an address stands for the whole tile.");
  return notes;
}

// From here on K is drawn in runs of one thread's elements, of which a register holds several.
constexpr int64_t longK = 64;

/// The largest power of 2 of neighbours along an axis of `extent` that share a thread everywhere.
template <class F> int64_t runAlong(int64_t extent, int64_t across, F &&cellAt) {
  int64_t run = 1;
  auto shared = [&](int64_t length) {
    for (int64_t i = 0; i < extent; ++i)
      for (int64_t j = 0; j < across; ++j)
        if (cellAt(i, j).text != cellAt(i / length * length, j).text)
          return false;
    return true;
  };
  while (extent % (2 * run) == 0 && run < 32 && shared(2 * run))
    run *= 2;
  return run;
}

/// Every `run` cells of a line as one: "T0" and "V0–7".
Panel joined(const Panel &panel, int64_t run, bool alongRows) {
  const Axis &old = alongRows ? panel.rows : panel.columns;
  Axis axis = Axis::plain(old.extent / run);
  for (int64_t i = 0; i < axis.extent; ++i) {
    axis.labels.push_back(old.labels[size_t(i * run)]);
    axis.lines[size_t(i)] = old.lines[size_t(i * run)];
  }
  Panel out = blank(alongRows ? axis : panel.rows, alongRows ? panel.columns : axis);
  for (int64_t r = 0; r < out.rows.extent; ++r)
    for (int64_t c = 0; c < out.columns.extent; ++c) {
      int64_t row = alongRows ? r * run : r, column = alongRows ? c : c * run;
      const Cell &last =
          panel.at(alongRows ? row + run - 1 : row, alongRows ? column : column + run - 1);
      Cell &cell = out.at(r, c) = panel.at(row, column);
      if (cell.detail.starts_with("V"))
        cell.detail += "–" + last.detail.substr(1);
    }
  out.caption = panel.caption;
  out.detail = cat(panel.detail, "; a cell is ", run, " along K");
  out.placeRow = panel.placeRow;
  out.placeColumn = panel.placeColumn;
  return out;
}

void joinAlongK(Panel &a, Panel &b) {
  int64_t run =
      std::min(runAlong(a.columns.extent, a.rows.extent,
                        [&](int64_t k, int64_t m) -> const Cell & { return a.at(m, k); }),
               runAlong(b.rows.extent, b.columns.extent,
                        [&](int64_t k, int64_t n) -> const Cell & { return b.at(k, n); }));
  if (run == 1)
    return;
  a = joined(a, run, false);
  b = joined(b, run, true);
}
} // namespace

int64_t usualN(const MmaRow &row) {
  int64_t best = row.n.first;
  for (int n : row.n.values())
    best = n <= 32 ? n : best;
  return best;
}

Result<Picture> drawMma(const MmaRow &row, int64_t m, int64_t n) {
  m = m ? m : row.m.first;
  n = n ? n : usualN(row);
  TESSERA_TRY(MmaAtomLayouts atom, layouts(row, m, n));
  // D has the fragment of C, and its registers where the table gives it none of its own.
  const Operand &product = row.d.registers.count ? row.d : row.c;
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
      {"C, D",
       "M",
       "N",
       product,
       atom.c,
       {.rows = m, .columns = n, .threads = &atom.threads},
       1,
       1}};
  Picture picture;
  picture.title = nameFor(row, n);
  for (const MmaPanel &what : panels) {
    TESSERA_TRY(Panel panel, panelOf(what, row, n));
    picture.panels.push_back(std::move(panel));
  }
  if (atom.k >= longK)
    joinAlongK(picture.panels[0], picture.panels[1]);
  TESSERA_TRY(std::vector<int64_t> lanes, valuesOf(atom.threads, str(atom.threads)));
  int64_t threads = int64_t(lanes.size());
  bool ctas = isByCtas(row);
  picture.subtitle = cat(m, " × ", n, " × ", atom.k, " (M × N × K) by ", threads,
                         ctas           ? (threads == 1 ? " CTA" : " CTAs")
                         : threads == 1 ? " thread"
                                        : " threads");
  if (!ctas)
    picture.subtitle += "; T: thread, V: its value";
  picture.legends.push_back(groupLegend(ctas ? "CTA" : "thread", lanes, colourStepOf(row)));
  picture.notes = notesOf(row);
  addThreadNotes(picture, threads);
  return picture;
}

namespace {
std::string_view placeOf(AddressSpace space) {
  switch (space) {
  case AddressSpace::Generic: return "memory";
  case AddressSpace::Gmem: return "global memory";
  case AddressSpace::Smem: return "shared memory";
  case AddressSpace::Dsmem: return "shared memory of the cluster";
  case AddressSpace::Rmem: return "registers";
  case AddressSpace::Tmem: return "tensor memory";
  }
  return "";
}

/// Whether the instruction moves matrices of shared memory, as ldmatrix does.
bool movesMatrices(const CopyRow &row) { return row.key.matrices != 0; }
/// Whether it moves between tensor memory and registers.
bool loadsOrStoresTmem(const CopyRow &row) {
  return (row.from == AddressSpace::Tmem && row.to == AddressSpace::Rmem) ||
         (row.from == AddressSpace::Rmem && row.to == AddressSpace::Tmem);
}

/// The bits in a row of the picture: those of a row of a matrix for ldmatrix, of a data path for
/// tensor memory, else all that one thread moves.
int64_t rowBitsOf(const CopyRow &row, int64_t amount, int64_t perThread) {
  if (movesMatrices(row))
    return 128;
  return loadsOrStoresTmem(row) ? row.key.columns * amount : perThread;
}

/// The bits of an element as the instruction sees it.
int64_t valueBitsOf(const CopyRow &row, int64_t amount) {
  if (movesMatrices(row))
    return row.key.rows == 8 && row.key.columns == 8 ? 16 : 8;
  return loadsOrStoresTmem(row) ? 32 : std::min<int64_t>(amount ? amount : 128, 32);
}

/// Whether one thread starts a copy of whole blocks, which belong to no thread.
bool isBlockCopy(const CopyRow &row) {
  if (row.from == AddressSpace::Rmem)
    return false;
  return row.completion == Completion::Mbarrier || row.completion == Completion::BulkGroup ||
         row.completion == Completion::TcgenCommit;
}

/// What such a copy moves. Which bytes of a tensor these are, the tensor map says.
Picture boxes(const CopyRow &row) {
  std::string what = row.to == AddressSpace::Tmem
                         ? cat(row.key.rows, " × ", row.key.columns, " bits")
                     : row.rank.last ? "box of the tensor map"
                                     : "bytes in a row";
  Picture picture;
  picture.subtitle = "one thread starts the copy; no thread holds what it moves";
  for (AddressSpace space : {row.from, row.to}) {
    Panel panel = blank(Axis::plain(1), Axis::plain(1));
    panel.caption = placeOf(space);
    panel.cells[0] = {what, "", {Colour::Neutral, 0}};
    panel.placeColumn = int(picture.panels.size());
    picture.panels.push_back(std::move(panel));
  }
  return picture;
}
} // namespace

int64_t usualAmount(const CopyRow &row) {
  int64_t last = std::min<int64_t>(row.amounts.last, 128);
  return row.amounts.unit == atom::Amounts::Bits ? std::max<int64_t>(last, row.amounts.first)
                                                 : row.amounts.first;
}

Result<Picture> drawCopy(const CopyRow &row, int64_t amount, int64_t valueBits) {
  std::string_view from = placeOf(row.from), to = placeOf(row.to);
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
  picture.legends.push_back(groupLegend("thread", numbers(threads)));
  if (movesMatrices(row))
    picture.notes.push_back("In shared memory a thread gives the address of its row of 16 bytes.");
  addThreadNotes(picture, threads);
  return picture;
}

} // namespace tessera::render
