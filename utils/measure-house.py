#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What keeping this house costs: files that an edit of a header compiles, includes of each room, the longest classes.

  utils/measure-house.py build/dev [SOURCES]    SOURCES: the tree that was built there, if it is not this one
  utils/measure-house.py --check [SOURCES]      holds the limits below, without a build; exits 1 if one is broken

Compiled files are counted by Ninja's own record of dependences, precompiled headers included; build everything first. Seconds are
those that the same compilations took in that build, two at once, so build from empty with CCACHE_DISABLE=1 on an idle machine.
The table "Measured" of docs/architecture.md is made of this.
"""
import collections
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HEADERS = """base/Result.h layout/Algebra.h atom/MmaRow.h atom/Registry.h number/Format.h ptx_text/Parser.h sim/Instruction.h sim/Machine.h
sanitize/Sanitizer.h sanitize/Report.h cute/Cute.h cute_nvgpu/CuteNvgpu.h lower/Passes.h lower/expand/Expander.h
run/Device.h dsl/Values.h tile_lower/Kernel.h import/Row.h""".split()

# Limits. Who watches the simulator is not what most of the tree is made of, so an edit of its headers compiles few files.
MOST_COMPILED = {"sanitize/Sanitizer.h": 15, "sanitize/Report.h": 15}
# Of a class, without what it inherits, constructors, destructors and operators.
MOST_PUBLIC_FUNCTIONS = 30
# All member functions, and all lines (those of functions that are defined elsewhere too), of a class of a header or a source. A class that
# has more is several. Of the 1,754 classes of 29 November 2026 two have 40 functions or more and four 500 lines or more; Warp of `sim`, with 46 in
# 634 lines, comes nearest, and has little room left. Watch of `sanitize` had 82 in 1,418 before it became thirteen classes.
MOST_FUNCTIONS = 48
MOST_CLASS_LINES = 650
# Classes that have more lines than that, and how many: they may shrink, not grow.
LONGER_CLASSES = {"tessera/tile_lower/Plan.h: Plan": 911}  # four files; each decision about a kernel could be a class
MOST_ANY_TYPE = 20  # lines of .td that say AnyType or Cute_Anything, of which a verifier or a reader learns nothing
MOST_LINES = 600  # of a file that does not say "more than 600 lines" and why in its first 12
ROOT = set(""".ci .clang-format .clang-tidy .editorconfig .github .gitignore CHANGELOG.md CMakeLists.txt CMakePresets.json CODE_OF_CONDUCT.md CONTRIBUTING.md
LICENSE Makefile NOTICE README.md SECURITY.md bench cmake docs examples fuzz python tessera tessera-c test tools utils""".split())
WRITTEN = (".h", ".cpp", ".c", ".def", ".td", ".py", ".sh", ".mlir", ".test", ".cmake")


def compiled(build):
    """Object or precompiled header -> the headers of tessera/ and the precompiled headers that it reads."""
    said = subprocess.run(["ninja", "-C", build, "-t", "deps"], capture_output=True, text=True, check=True).stdout
    reads = {}
    for block in said.split("\n\n"):
        first, *rest = block.strip().split("\n")
        if "#deps" not in first:
            continue
        target = first.split(":")[0]
        if target.endswith((".o", ".pch")):
            reads[target] = {m[1] for line in rest if (m := re.search(r"(tessera/[\w./]+\.(?:h|def|inc))$", line))} | {
                m[1] for line in rest if (m := re.search(r"([\w./]+\.pch)$", line))}
    return reads


def durations(build):
    """Output -> the seconds that its last making took (.ninja_log: start and end in milliseconds)."""
    took = {}
    for line in (Path(build) / ".ninja_log").read_text().split("\n")[1:]:
        if len(fields := line.split("\t")) == 5:
            took[fields[3]] = (int(fields[1]) - int(fields[0])) / 1000
    return took


def rebuilt(reads, header):
    """The objects and precompiled headers that an edit of the header compiles."""
    hit = {t for t, files in reads.items() if header in files}
    precompiled = {t for t in hit if t.endswith(".pch")}
    hit |= {t for t, files in reads.items() if any(f.endswith(p) for f in files for p in precompiled)}
    return hit


class Class:
    """A class of the tree, as clang-format lays it out."""

    def __init__(self, name, path, lines, functions, public):
        self.name, self.path, self.lines, self.functions, self.public = name, path, lines, functions, public


# How members begin that are not functions.
NO_FUNCTION = re.compile(r"(?:return|if|for|while|switch|case|using|friend|static_assert|typedef|enum|class|struct|union|namespace|else|do|throw)\b|[A-Z_\d]+\(")
CLASS = re.compile(r"( *)(?:template <.*> )?(class|struct) (?:\w+\(\w+\) |\[\[\w+\]\] )?(?:\w+::)*(\w+)(?:<[^;(){}]*>)?(?: final)?(?: ?:(?!:).*)?(?: ?\{)?$")
OUTSIDE = re.compile(r"(?![\s/#}]|namespace|using|return)[^(=]*?\b(\w+)(?:<[^()]*?>)?::(?:~?\w+|operator *\S+?)\(")


def is_function(line, name):
    """Whether a member of the class `name` that begins in this line is a function. Constructors, destructors and operators say what
    values of the class are, and do not count."""
    if not re.match(r"[\w~:\[]", line) or NO_FUNCTION.match(line) or re.search(r"\boperator\b", line):
        return False
    before = ""
    while before != line:  # functions among template arguments are types
        before, line = line, re.sub(r"<[^<>()]*(?:\([^()]*\))?[^<>()]*>", "", line)
    called = re.match(r"[^=({;]*?(~?\w+) ?\(", line)
    return bool(called) and called[1].lstrip("~") != name


def classes(root):
    """Every class that headers and sources of the tree define. Its lines are those between its braces, and those of its functions that are
    defined outside of them, in any file of its folder."""
    texts = {path: path.read_text().split("\n") for path in sorted(root.rglob("*")) if path.suffix in (".h", ".cpp")}
    outside = collections.defaultdict(list)  # folder and class -> (file, lines) of each function
    for path, lines in texts.items():
        for i, line in enumerate(lines):
            if (found := OUTSIDE.match(line)) and not line.endswith(";"):
                ends = (k for k in range(i, len(lines)) if lines[k].startswith("}") or (k == i and line.endswith("}")))
                outside[path.parent, found[1]].append((path, next(ends, i) - i + 1))
    for path, lines in texts.items():
        for i, line in enumerate(lines):
            if not (found := CLASS.match(line)):
                continue
            indent, name = found[1], found[3]
            begin = next((k for k in range(i, min(i + 6, len(lines))) if lines[k].endswith(("{", ";"))), None)
            if begin is None or not lines[begin].endswith("{"):
                continue
            end = next((k for k in range(begin + 1, len(lines)) if lines[k].startswith(indent + "}")), begin)
            functions = shown = 0
            public = found[2] == "struct"
            for inside in lines[begin + 1:end]:
                if access := re.match(rf"{indent}(public|private|protected):", inside):
                    public = access[1] == "public"
                elif inside.startswith(indent + "  ") and is_function(inside[len(indent) + 2:], name):
                    functions += 1
                    shown += public
            elsewhere = sum(count for file, count in outside[path.parent, name] if path.suffix == ".h" or file == path)
            yield Class(name, path.relative_to(root.parent), end - i + 1 + elsewhere, functions, shown)


# Counted by hand: file -> text, and (class, lines, functions, public ones).
SAMPLE = {
    "room/Wall.h": """class Wall : public Part {
public:
  explicit Wall(int height);
  ~Wall() override { fall(); }
  bool operator==(const Wall &) const = default;
  int height() const { return stones.size(); }
  template <class Stone>
  std::vector<Stone> stonesOf(const std::function<bool(int)> &which,
                              int row);
  std::function<void(int)> onFall = [](int) {};

private:
  struct Stone {
    int size() const;
  };
  using Row = std::vector<Stone>;
  void fall();
  static_assert(sizeof(int) == 4);
  int count = int(4);
};
template <class Stone>
std::vector<Stone> Wall::stonesOf(const std::function<bool(int)> &which,
                                  int row) {
  return {};
}
""",
    "room/Wall.cpp": """namespace {
struct Mason final {
  void work() {
    if (true)
      rest();
  }

private:
  void rest() {}
};
} // namespace
void Wall::fall() {
  onFall(1);
}
""",
}
SAMPLE_COUNTS = {("Mason", 9, 2, 1), ("Stone", 3, 1, 1), ("Wall", 20 + 4 + 3, 3, 2)}


def miscounted():
    """What `classes` and `includers` say of their samples, if that is wrong."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in SAMPLE.items():
            path = Path(folder) / "tree" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        found = {(each.name, each.lines, each.functions, each.public) for each in classes(Path(folder) / "tree")}
    if found != SAMPLE_COUNTS:
        yield f"utils/measure-house.py: counts {sorted(found - SAMPLE_COUNTS)} in its sample, expected {sorted(SAMPLE_COUNTS - found)}"
    with tempfile.TemporaryDirectory() as folder:
        for name, included in {"+a/Beside.h": "*a/A.h", "+a/B.cpp": "Beside.h", "*a/C.cpp": "*a/D.h", "*a/D.h": "*a/A.h", "*a/A.h": "", "*a/E.cpp": "A.cpp"}.items():
            path = Path(folder) / name.replace("*", "tessera/").replace("+", "test/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text('#include "' + included.replace("*", "tessera/") + '"\n')
        files = {name.rsplit("/", 1)[1] for name in includers(Path(folder))["/".join(("tessera", "a", "A.h"))]}
    if files != {"B.cpp", "C.cpp"}:
        yield f"utils/measure-house.py: finds {sorted(files)} to include a header of its sample, expected B.cpp and C.cpp"
    if (found := len(list(strangers(["README.md", "-1/.cache/a", "-1/b", "test/a"])))) != 1:
        yield f"utils/measure-house.py: finds {found} strangers in the root of its sample, expected 1, the folder -1"


def any_types(root):
    """Lines of .td that take any type, by either name."""
    return sum(len(re.findall(r"^(?!def).*\b(?:AnyType|Cute_Anything)\b", path.read_text(), re.M)) for path in root.rglob("*.td"))


def includers(sources):
    """Header of tessera/ -> the .cpp files of the tree that include it, directly or not."""
    files = {path.relative_to(sources).as_posix(): path for folder in ("tessera", "tools", "test", "fuzz", "bench")
             for path in (sources / folder).rglob("*") if path.suffix in (".h", ".def", ".cpp")}
    includes = {}
    for name, path in files.items():
        beside = name.rsplit("/", 1)[0]  # where tests look for their harness
        texts = re.findall(r'#\s*include "([^"]+)"', path.read_text(errors="replace"))
        includes[name] = {f"{beside}/{text}" if f"{beside}/{text}" in files else text for text in texts}
    found = collections.defaultdict(set)
    for name in includes:
        reached, work = set(), [name] if name.endswith(".cpp") else []
        while work:
            new = includes.get(work.pop(), set()) - reached
            reached |= new
            work += new
        for header in reached:
            found[header].add(name)
    return found


def broken(sources):
    """What breaks a limit or leaves out a room, a sentence each."""
    root = sources / "tessera"
    for header in HEADERS:
        if not (root / header).exists():
            yield f"utils/measure-house.py: HEADERS names tessera/{header}, which is gone"
    yield from miscounted()
    longer = dict(LONGER_CLASSES)
    for each in classes(root):
        for count, most, what in ((each.public, MOST_PUBLIC_FUNCTIONS, "public functions"), (each.functions, MOST_FUNCTIONS, "functions"),
                                  (each.lines, longer.pop(f"{each.path}: {each.name}", MOST_CLASS_LINES), "lines")):
            if count > most:
                yield f"{each.path}: {each.name} has {count} {what}, expected at most {most}: split it by responsibility"
    for name in longer:
        yield f"utils/measure-house.py: LONGER_CLASSES names {name}, which is gone"
    for header, most in MOST_COMPILED.items():
        if len(files := includers(sources)["tessera/" + header]) > most:
            yield f"tessera/{header}: {len(files)} files include it, directly or not, expected at most {most}: forward-declare in headers; {' '.join(sorted(files))}"
    if (lines := any_types(root)) > MOST_ANY_TYPE:
        yield f"tessera: {lines} lines of .td take any type, expected at most {MOST_ANY_TYPE}: name the types that an operand has"
    page = (sources / "docs/architecture.md").read_text()
    knows = page[page.index("## Who knows whom"):page.index("## One kernel")]
    owners = (sources / ".github/CODEOWNERS").read_text()
    for room in sorted(path.name for path in root.iterdir() if path.is_dir()):
        if f"| `{room}` |" not in page:
            yield f"docs/architecture.md: the table of rooms does not have `{room}`"
        if not re.search(rf"(?<![\w/]){room}(?![\w/])", knows):
            yield f'docs/architecture.md: "Who knows whom" does not have {room}'
        if not re.search(rf"^/tessera/{room}/ ", owners, re.M):
            yield f".github/CODEOWNERS: nobody owns /tessera/{room}/"
    for folder in sorted(path.name for path in (sources / "test").iterdir() if path.is_dir() and not path.name.startswith("__")):
        tests = re.search(rf"^/test/{folder}/ +(.+)$", owners, re.M)
        room = re.search(rf"^/tessera/{folder}/ +(.+)$", owners, re.M)
        if not tests:
            yield f".github/CODEOWNERS: nobody owns /test/{folder}/" + (f"; {room[1]} owns the room" if room else "")
        elif room and not set(room[1].split()) <= set(tests[1].split()):
            yield f".github/CODEOWNERS: /test/{folder}/ is owned by {tests[1]}, expected those of the room, {room[1]}"


def tracked(sources):
    """Paths that git has; none where the sources came without it."""
    listed = subprocess.run(["git", "-C", sources, "ls-files", "-z"], capture_output=True, text=True, errors="replace")
    return [path for path in listed.stdout.split("\0") if path]


def strangers(paths):
    """What lies in the root that no one put there on purpose, such as the cache of a program that ran here."""
    for entry in sorted({path.split("/")[0] for path in paths} - ROOT):
        yield f"{entry!r}: git has it in the root; expected are the entries that ROOT of utils/measure-house.py names"


def long_files(sources):
    """Files that are longer than they may be."""
    for folder in ("bench", "cmake", "examples", "fuzz", "python", "tessera", "tessera-c", "test", "tools", "utils"):
        for path in sorted((sources / folder).rglob("*")):
            if path.suffix not in WRITTEN or not path.is_file():
                continue
            lines = path.read_text(errors="replace").split("\n")
            if len(lines) - 1 > MOST_LINES and not re.search(f"more than {MOST_LINES} lines", "\n".join(lines[:12]), re.I):
                yield (f"{path.relative_to(sources)}: {len(lines) - 1} lines, expected at most {MOST_LINES}: split it where its responsibilities part, or say in "
                       f'its first comment "more than {MOST_LINES} lines" and why')


def check(sources):
    problems = [*broken(sources), *long_files(sources), *strangers(tracked(sources))]
    for problem in problems:
        print(problem)
    print(f"measure-house: {len(problems)} limits are broken" if problems else "measure-house: all limits are held")
    sys.exit(bool(problems))


def main():
    arguments = sys.argv[1:]
    if not arguments or arguments[0] in ("-h", "--help"):
        print(__doc__.strip())
        sys.exit(0 if arguments else 2)
    if len(arguments) > 2 or (arguments[0].startswith("-") and arguments[0] != "--check"):
        sys.exit(f"utils/measure-house.py: expected a build or --check, and at most one folder of sources; came: {' '.join(arguments)}")
    sources = Path(arguments[1] if len(arguments) > 1 else Path(__file__).resolve().parent.parent)
    if not (sources / "tessera").is_dir():
        sys.exit(f"utils/measure-house.py: {sources} has no folder tessera")
    if arguments[0] == "--check":
        check(sources)
    if not (Path(arguments[0]) / ".ninja_log").is_file():
        sys.exit(f"utils/measure-house.py: nothing was built by Ninja in {arguments[0]}; see --help")
    root = sources / "tessera"
    reads = compiled(arguments[0])
    took = durations(arguments[0])
    print(f"| header | of {sum(t.endswith('.o') for t in reads)} files, an edit compiles | seconds, two at once |\n|---|---|---|")
    for header in HEADERS:
        if not (root / header).exists():
            sys.exit(f"utils/measure-house.py: HEADERS names tessera/{header}, which is gone")
        files = rebuilt(reads, "tessera/" + header)
        print(f"| `{header}` | {len(files)} | {sum(took.get(f, 0) for f in files) / 2:.0f} |")

    rooms = collections.defaultdict(lambda: [0, 0, set()])
    for path in root.rglob("*"):
        if path.suffix not in (".h", ".cpp", ".td") or path.parent == root:
            continue
        room = rooms[path.relative_to(root).parts[0]]
        text = path.read_text()
        room[0] += text.count("\n")
        for other in re.findall(r'include "tessera/(\w+)/', text):
            room[1] += 1
            room[2].add(other)
    print("\n| room | lines | includes of tessera | rooms that it includes |\n|---|---|---|---|")
    for name, (lines, includes, others) in sorted(rooms.items()):
        print(f"| {name} | {lines} | {includes} | {len(others - {name})} |")

    print(f"\nincludes: {sum(includes for _, includes, _ in rooms.values())}; pairs of rooms that know each other: "
          f"{sum(len(others - {name}) for name, (_, _, others) in rooms.items())}; lines of .td that take any type: {any_types(root)}")

    found = list(classes(root))
    shown = []
    for of in (lambda c: c.lines, lambda c: c.functions, lambda c: c.public):
        shown += [each for each in sorted(found, key=of, reverse=True)[:5] if each not in shown]
    print(f"\n| of {len(found)} classes | lines | functions | public ones |\n|---|---|---|---|")
    for each in shown:
        print(f"| `{each.name}` ({each.path}) | {each.lines} | {each.functions} | {each.public} |")


if __name__ == "__main__":
    main()
