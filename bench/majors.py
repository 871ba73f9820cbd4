"""hopper_dense_gemm of the corpus with A contiguous in M, B contiguous in N, or both: derived from its text.

A value that depends on the operand is followed from line to line, as the text of A and of B reads the same. What each type becomes is
written here; what it misses or changes wrongly does not verify, as every type is inferred again when the file is read.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import re
import sys

# Types of an operand with K contiguous, and those with M (N) contiguous: S<3,4,3> of 64 elements along the contiguous mode, and the
# tensor memory accelerator brings 64 x 64 at once, so a tile of 128 x 64 takes two.
TYPES = {
    "(?,?,?):(?{i64},1,?{i64})": "(?,?,?):(1,?{i64},?{i64})",
    "(?{i64},1,?{i64})": "(1,?{i64},?{i64})",
    # One swizzled block, tiles of them, M before K, and the stages.
    "(8,64):(64,1)": "(64,8):(1,64)", "(8,64)": "(64,8)", "(64,1)": "(1,64)",
    "((8,16),(64,1),(1,7)):((64,512),(1,0),(0,8192))": "((64,2),(8,8),(1,7)):((1,4096),(64,512),(0,8192))",
    "((8,16),(64,1),(1,7))": "((64,2),(8,8),(1,7))", "((64,512),(1,0),(0,8192))": "((1,4096),(64,512),(0,8192))",
    "((8,16),(64,1)):((64,512),(1,0))": "((64,2),(8,8)):((1,4096),(64,512))",
    "(((8,16),(64,1)),(1,7)):(((64,512),(1,0)),(0,8192))": "(((64,2),(8,8)),(1,7)):(((1,4096),(64,512)),(0,8192))",
    "(((8,16),(64,1)),(1,7))": "(((64,2),(8,8)),(1,7))",
    # What a copy writes.
    "((8192,1),(1,7)):((1,0),(0,8192))": "((4096,2),(1,7)):((1,4096),(0,8192))", "((8192,1),(1,7))": "((4096,2),(1,7))",
    "((8192,1)):((1,0))": "((4096,2)):((1,4096))", "((8192,1))": "((4096,2))",
    "((8192,1),1):((1,0),0)": "((4096,2),1):((1,4096),0)", "((8192,1),1)": "((4096,2),1)",
    "((8192,1),(1)):((1,0),(0))": "((4096,2),(1)):((1,4096),(0))", "((8192,1),(1))": "((4096,2),(1))",
    # What it reads: coordinates of the tensor map, the contiguous mode first.
    "(?,?,?):(1@1,1@0,1@2)": "(?,?,?):(1@0,1@1,1@2)", "(1@1,1@0,1@2)": "(1@0,1@1,1@2)",
    "(64,128,1):(1@1,1@0,1@2)": "(64,64,1):(1@0,1@1,1@2)",
    "(128,64,?):(1@1,1@0,64@0)": "(128,64,?):(1@0,1@1,64@1)", "((128,64),?):((1@1,1@0),64@0)": "((128,64),?):((1@0,1@1),64@1)",
    "(((64,128),1),?):(((1@0,1@1),0),64@0)": "(((64,64),2),?):(((1@0,1@1),64@0),64@1)",
    "(((64,128),1),?)": "(((64,64),2),?)",
    "(((64,128),1)):(((1@0,1@1),0))": "(((64,64),2)):(((1@0,1@1),64@0))", "(((64,128),1))": "(((64,64),2))",
    "(((64,128),1),1):(((1@0,1@1),0),0)": "(((64,64),2),1):(((1@0,1@1),64@0),0)", "(((64,128),1),1)": "(((64,64),2),1)",
    "(((64,128),1),(1)):(((1@0,1@1),0),(0))": "(((64,64),2),(1)):(((1@0,1@1),64@0),(0))", "(((64,128),1),(1))": "(((64,64),2),(1))",
    "(0,?{div=128},?)": "(?{div=128},0,?)", "(?{div=64},?{div=128},?)": "(?{div=128},?{div=64},?)",
    # Fragments of A and of B, and their descriptors in units of 16 bytes.
    "((64,16),2,4,(1,7)):((64,1),4096,16,(0,8192))": "((64,16),2,4,(1,7)):((1,64),4096,1024,(0,8192))",
    "((128,16),1,4,(1,7)):((64,1),0,16,(0,8192))": "(((64,2),16),1,4,(1,7)):(((1,4096),64),0,1024,(0,8192))",
    "(1,2,4,(1,7)):(0,512,2,(0,1024))": "(1,2,4,(1,7)):(0,512,128,(0,1024))",
    "(1,1,4,(1,7)):(0,0,2,(0,1024))": "(1,1,4,(1,7)):(0,0,128,(0,1024))",
}
# Lists whose first two entries change places, with the values that hold them.
SWAPPED = {old for old, new in TYPES.items() if ":(" not in old and "?" in old and re.split("[(,)]", old)[1:3] == re.split("[(,)]", new)[2:0:-1]}
NAME = re.compile(r"%[\w#]+")


def expanded(text):
    """The text without aliases of types."""
    aliases = dict(re.findall(r"^(!\w+) = (.*)$", text, re.M))
    text = re.sub(r"^!\w+ = .*\n", "", text, flags=re.M)
    return re.sub(r"!\w+\b(?![.\w])", lambda match: aliases.get(match[0], match[0]), text)


def retyped(text):
    changed = re.sub(r'"((?:S<3,4,3> o 0 o )?)([^"]*)"', lambda m: f'"{m[1]}{TYPES.get(m[2], m[2])}"', text)
    return changed.replace("copy_bits = 131072", "copy_bits = 65536")


def swap_pairs(line):
    """Exchanges the first two leaves where a list of them changed places: get_leaves' results, and what make_int_tuple takes."""
    if (match := re.match(r"(\s*)(%\w+), (%\w+)(, %\w+ = cute.get_leaves.*)$", line, re.S)):
        return f"{match[1]}{match[3]}, {match[2]}{match[4]}"
    return re.sub(r"make_int_tuple\((%\w+), (%\w+)(, .*?\) : \()(!cute.int_tuple<\S+>), (!cute.int_tuple<\S+>)(, )",
                  r"make_int_tuple(\2, \1\3\5, \4\6", line)


def follow(lines, roots):
    """Gives the operand that starts in `roots` its new types, up to the end of the function."""
    held = set(roots)
    for number, line in enumerate(lines):
        results, equal, rest = line.partition(" = ") if re.match(r"\s*%", line) else ("", "", line)
        # A value keeps its name only as long as its region: a new one of the same name starts clean.
        names = [name.split(":")[0].split("#")[0] for name in NAME.findall(results)]
        used = {name.split("#")[0] for name in NAME.findall(rest)} & held
        held -= set(names) - set(roots)
        # A launch and what a tiled MMA makes of both operands mention both.
        if not used or "cuda.launch_ex" in line or "tiled_mma" in line and "partition" not in line and "make_fragment" not in line:
            continue
        lists = {match for match in re.findall(r'"([^"]*)"', line)} & SWAPPED
        lines[number] = retyped(line)
        if lines[number] != line:
            held |= set(names)
            if lists:
                lines[number] = swap_pairs(lines[number])


def nth(lines, pattern, which, start):
    """The line that matches for the `which`-th time (from 0)."""
    found = [number for number in range(start, len(lines)) if re.search(pattern, lines[number])]
    return found[which]


def operand(lines, which):
    """Operand 0 (A) or 1 (B): the kernel's parameters, then the host function."""
    kernel = nth(lines, r"cuda\.kernel @", 0, 0)
    host = nth(lines, r"func\.func @", 0, 0)
    roots = [2 * which, 2 * which + 1, 8 + which]
    parameters = re.split(r"(?=%arg\d+: )", lines[kernel])
    lines[kernel] = "".join(retyped(part) if index - 1 in roots else part for index, part in enumerate(parameters))
    body = lines[kernel + 1:host]
    follow(body, [f"%arg{root}" for root in roots])
    lines[kernel + 1:host] = body
    # The host function: the tensor, and the layout of shared memory that it makes of literals.
    parameters = re.split(r"(?=%arg\d+: )", lines[host])
    lines[host] = "".join(retyped(part) if index - 1 == which else part for index, part in enumerate(parameters))
    roots = [f"%arg{which}"]
    order = nth(lines, r'make_shape\(\) .*"\(128,64,7\)"', which, host) + 1
    lines[order] = lines[order].replace("(0,1,2)", "(1,0,2)")
    roots.append(NAME.search(lines[order])[0])
    for pattern in (r'make_shape\(\) .*"\((8,64|64,8)\)"', r'make_stride\(\) .*"\((64,1|1,64)\)"'):
        at = nth(lines, pattern, which, host)
        lines[at] = retyped(lines[at])
        roots.append(NAME.search(lines[at])[0])
    body = lines[host + 1:]
    body = [line.replace("(0,1,2)", "(1,0,2)") if roots[1] in NAME.findall(line) else line for line in body]
    follow(body, roots)
    lines[host + 1:] = body
    positional(lines, which)


def positional(lines, which):
    """The launch lists the operands by place: its types follow."""
    at = nth(lines, r"cuda\.launch_ex", 0, 0)
    head, arrow, types = lines[at].partition(" : ")
    parts = re.split(r"(?<=>), (?=!)", types)
    # The kernel's parameters in order; the launch's configuration stands before the first.
    parts = [retyped(part) if index in (2 * which, 2 * which + 1, 8 + which) else part for index, part in enumerate(parts)]
    lines[at] = head + arrow + ", ".join(parts)


def hopper_dense_gemm(text, majors):
    """majors: `km`, `mk` or `mm`: the contiguous mode of A and of B, as `tessera generate gemm --major` has it."""
    lines = expanded(text).splitlines(keepends=True)
    for which, major in enumerate(majors):
        if major == "m":
            operand(lines, which)
    modes = ", ".join("mn" if major == "m" else "k" for major in majors)
    return "".join(lines).replace("ab_major = (k, k)", f"ab_major = ({modes})")


if __name__ == "__main__":
    sys.stdout.write(hopper_dense_gemm(sys.stdin.read(), sys.argv[1]))
