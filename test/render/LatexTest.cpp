// LaTeX: documents of this grammar only, which read back as the scene that was written.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expected: the scene, and what TeX makes of each control sequence (The TeXbook; TikZ & PGF manual,
// 14 to 17). Where pdflatex is installed, test/ir/cli-latex.test compiles a document of each kind.
#include "Brute.h"
#include "Gallery.h"

#include "tessera/atom/Registry.h"
#include "tessera/render/Scene.h"

#include <charconv>
#include <cmath>
#include <map>

using namespace tessera;
using namespace tessera::render;
using namespace tessera::render::test;

namespace {
/// How TeX sets the characters that mean something to it, and what our preamble has for others.
constexpr std::pair<std::string_view, std::string_view> meanings[] = {{"\\textbackslash{}", "\\"},
                                                                      {"\\{", "{"},
                                                                      {"\\}", "}"},
                                                                      {"\\$", "$"},
                                                                      {"\\&", "&"},
                                                                      {"\\#", "#"},
                                                                      {"\\^{}", "^"},
                                                                      {"\\_", "_"},
                                                                      {"\\~{}", "~"},
                                                                      {"\\%", "%"},
                                                                      {"\\textless{}", "<"},
                                                                      {"\\textgreater{}", ">"},
                                                                      {"$\\times$", "×"},
                                                                      {"$\\to$", "→"},
                                                                      {"\\ldots{}", "…"},
                                                                      {"$\\cdot$", "·"},
                                                                      {"--", "–"},
                                                                      {"$\\le$", "≤"}};

/// Reads a document of `latex` from its beginning; `fault` says what was expected where it stopped.
class Reader {
public:
  explicit Reader(std::string_view text) : rest(text) {}

  Scene scene;
  std::string fault;

  void document() {
    need("% Drawn by Tessera. pdflatex turns it into a page of the picture's size.\n"
         "\\documentclass[tikz,border=2pt]{standalone}\n\\usepackage[T1]{fontenc}\n"
         "\\usepackage[scaled]{helvet}\n\\renewcommand{\\familydefault}{\\sfdefault}\n");
    while (take("\\definecolor{"))
      definition();
    need("\\begin{document}\n\\begin{tikzpicture}[x=0.75bp,y=-0.75bp,inner sep=0pt,outer "
         "sep=0pt]\n");
    while (fault.empty() && take("\\fill["))
      box();
    while (fault.empty() && take("\\draw["))
      stroke();
    while (fault.empty() && take("\\node["))
      words();
    need("\\end{tikzpicture}\n\\end{document}\n");
    if (fault.empty() && !rest.empty())
      fault = "expected the end";
  }

private:
  std::string_view rest;
  std::map<std::string, Rgb, std::less<>> colours;

  bool take(std::string_view literal) {
    bool found = rest.starts_with(literal);
    rest.remove_prefix(found ? literal.size() : 0);
    return found;
  }
  void need(std::string_view literal) {
    if (fault.empty() && !take(literal))
      fault = cat("expected ", literal, " before ", rest.substr(0, 60));
  }
  std::string_view upTo(char end) {
    std::string_view part = rest.substr(0, std::min(rest.find(end), rest.find('\n')));
    rest.remove_prefix(part.size());
    return part;
  }
  /// Digits with at most one point: TeX has no exponents, and no dimension beyond 16383 points.
  double number() {
    size_t length = std::min(rest.find_first_not_of("-.0123456789"), rest.size());
    double value = NAN;
    std::from_chars_result read = std::from_chars(rest.data(), rest.data() + length, value);
    if (fault.empty() &&
        (length == 0 || read.ptr != rest.data() + length || std::abs(value) > 16000))
      fault = cat("expected a length before ", rest.substr(0, 60));
    rest.remove_prefix(length);
    return value;
  }
  void pair(double &x, double &y) {
    need("(");
    x = number();
    need(",");
    y = number();
    need(")");
  }
  Rgb colour() {
    std::string_view name = upTo(',').substr(0, 7);
    auto found = colours.find(name);
    if (fault.empty() && found == colours.end())
      fault = cat("no colour ", name);
    return found == colours.end() ? Rgb() : found->second;
  }
  void definition() {
    std::string name(upTo('}'));
    need("}{HTML}{");
    std::string_view digits = upTo('}');
    uint32_t value = 0;
    auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    bool capitals = digits.find_first_not_of("0123456789ABCDEF") == digits.npos;
    if (fault.empty() &&
        (digits.size() != 6 || read.ec != std::errc() || !capitals || colours.contains(name)))
      fault = cat("not a new colour: ", name, " ", digits);
    colours[name] = {uint8_t(value >> 16), uint8_t(value >> 8), uint8_t(value)};
    need("}\n");
  }
  void box() {
    Box box{};
    std::string_view name = upTo(']');
    box.colour = colours.contains(name) ? colours.find(name)->second : Rgb{1, 2, 3};
    need("] ");
    pair(box.x, box.y);
    need(" rectangle ");
    pair(box.width, box.height);
    need(";\n");
    box.width -= box.x;
    box.height -= box.y;
    scene.boxes.push_back(box);
  }
  void stroke() {
    Stroke stroke{};
    stroke.colour = colour();
    need(",line width=");
    stroke.width = number();
    need("*0.75bp,line cap=rect] ");
    pair(stroke.x1, stroke.y1);
    need(" -- ");
    pair(stroke.x2, stroke.y2);
    need(";\n");
    scene.strokes.push_back(stroke);
  }
  void words() {
    Words words{};
    need("anchor=");
    words.anchor = take("base west")   ? Words::Start
                   : take("base east") ? Words::End
                                       : Words::Middle;
    if (words.anchor == Words::Middle)
      need("base");
    need(",text=");
    words.colour = colour();
    need(",font=\\fontsize{");
    words.size = number() / 0.75;
    need("bp}{");
    number();
    need("bp}\\selectfont");
    words.bold = take("\\bfseries");
    need("] at ");
    pair(words.x, words.y);
    need(" {");
    words.text = text();
    need("};\n");
    scene.words.push_back(words);
  }
  /// Characters that TeX sets as they are, and those of `meanings`, up to the brace that closes the
  /// node.
  std::string text() {
    std::string out;
    while (fault.empty() && !rest.empty() && rest[0] != '}') {
      std::string_view from, to;
      for (auto [spelling, meaning] : meanings)
        if (rest.starts_with(spelling))
          from = spelling, to = meaning;
      bool plain = rest[0] >= ' ' && rest[0] <= 'z' &&
                   std::string_view("\\{$&#^_%<>\"'`").find(rest[0]) == std::string_view::npos;
      if (from.empty() && plain)
        from = to = rest.substr(0, 1);
      if (from.empty())
        fault = cat("a character that TeX does not set: ", rest.substr(0, 60));
      out += to;
      rest.remove_prefix(from.size());
    }
    return out;
  }
};

/// What differs between two scenes, lengths to a tenth of a pixel; "" if nothing.
std::string difference(const Scene &is, const Scene &should) {
  auto apart = [](double a, double b) { return std::abs(a - b) > 0.11; };
  if (is.boxes.size() != should.boxes.size() || is.strokes.size() != should.strokes.size() ||
      is.words.size() != should.words.size())
    return "other numbers of things";
  for (size_t i = 0; i < is.boxes.size(); ++i) {
    const Box &a = is.boxes[i], &b = should.boxes[i];
    if (apart(a.x, b.x) || apart(a.y, b.y) || apart(a.width, b.width) ||
        apart(a.height, b.height) || a.colour != b.colour)
      return cat("box ", i);
  }
  for (size_t i = 0; i < is.strokes.size(); ++i) {
    const Stroke &a = is.strokes[i], &b = should.strokes[i];
    if (apart(a.x1, b.x1) || apart(a.y1, b.y1) || apart(a.x2, b.x2) || apart(a.y2, b.y2) ||
        apart(a.width, b.width) || a.colour != b.colour)
      return cat("stroke ", i);
  }
  for (size_t i = 0; i < is.words.size(); ++i) {
    const Words &a = is.words[i], &b = should.words[i];
    if (apart(a.x, b.x) || apart(a.y, b.y) || apart(a.size, b.size) || a.anchor != b.anchor ||
        a.bold != b.bold || a.colour != b.colour || a.text != b.text)
      return cat("words ", i, ": ", a.text, " for ", b.text);
  }
  return "";
}

std::string faultOf(const Picture &picture) {
  std::string text = latex(picture);
  Reader reader(text);
  reader.document();
  return reader.fault.empty() ? difference(reader.scene, arrange(picture)) : reader.fault;
}
} // namespace

TEST(Latex, ReadsBackAsTheScene) {
  Result<std::vector<Exhibit>> exhibits = gallery();
  ASSERT_TRUE(exhibits) << exhibits.reason().text;
  for (const Exhibit &exhibit : *exhibits)
    EXPECT_EQ(faultOf(exhibit.picture), "") << exhibit.file;
  for (const char *text : {"S<3,3,3> o 0 o (8,64):(64,1)", "(128,128):(128,1)", "():()",
                           "(2,3):(1@0,1@1)", "(4,4):(-1,3)"})
    EXPECT_EQ(faultOf(*drawLayout(parsed(text))), "") << text;
  EXPECT_EQ(faultOf(*drawThreadValues(*parsed("((4,8),2):((16,1),8)").affine(), 8, 8)), "");
  for (const atom::MmaRow &row : atom::mmaRows())
    if (row.n.isFixed())
      EXPECT_EQ(faultOf(*drawMma(row)), "") << row.name;
  for (const atom::CopyRow &row : atom::copyRows())
    EXPECT_EQ(faultOf(*drawCopy(row)), "") << row.name;
}

TEST(Latex, EscapesWhatTexWouldTake) {
  Picture picture = *drawLayout(parsed("4:1"));
  picture.title = "a_b {50%} \\ #1 & $x^2 ~ <1>";
  EXPECT_EQ(faultOf(picture), "");
  EXPECT_NE(latex(picture).find("{a\\_b \\{50\\%\\} \\textbackslash{} \\#1 \\& \\$x\\^{}2 \\~{} "
                                "\\textless{}1\\textgreater{}}"),
            std::string::npos);
}

TEST(Latex, TheReaderFindsFaults) {
  std::string good = latex(*drawLayout(parsed("(2,2):(2,1)")));
  auto faulty = [&](std::string_view part, std::string_view instead) {
    std::string bad = good;
    EXPECT_NE(bad.find(part), bad.npos) << part;
    bad.replace(bad.find(part), part.size(), instead);
    Reader reader(bad);
    reader.document();
    return !reader.fault.empty() ||
           !difference(reader.scene, arrange(*drawLayout(parsed("(2,2):(2,1)")))).empty();
  };
  EXPECT_TRUE(faulty("};\n", ";\n"));
  EXPECT_TRUE(faulty("rectangle", "rectangel"));
  EXPECT_TRUE(faulty("$\\times$", "\\times"));
  EXPECT_TRUE(faulty("\\definecolor{c1", "\\definecolor{d1"));
  EXPECT_TRUE(faulty("\\end{tikzpicture}", ""));
  EXPECT_TRUE(faulty("{0};", "{_};"));
  EXPECT_TRUE(faulty("{0};", "{1};"));
}
