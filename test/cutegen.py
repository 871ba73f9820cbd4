#!/usr/bin/env python3
"""Holds the ops of the dialect to the answers of cutegen, the library under NVIDIA's public dialect: cutegen.py BIN [FOLDER]

BIN has tessera-opt. FOLDER (default: $TESSERA_ORACLE) has layout_algebra.tsv and layout_dynamic.tsv, whose columns `cutegen` and
`cutegen_result` have these answers. Without it nothing is run, and the exit status is 77. Each row becomes a function with an op
whose result type is that answer; the op must accept the type. A row may differ for a reason of the list `reasons` only. Every
eighth row is run, all with TESSERA_LONG.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import collections
import csv
import os
import re
import subprocess
import sys
import tempfile

csv.field_size_limit(1 << 30)


def kind(text):
    if " o " in text:
        return "composed_layout"
    if text.startswith("["):
        return "tile"
    return "layout" if ":" in text else "shape"


def typed(text, name=None):
    return f'!cute.{name or kind(text)}<"{text}">'


def form(text):
    """A text of the tables as types have it: a dynamic leaf is there with its number, `?{4}`."""
    return re.sub(r"\?\{[^}]*\}", "?", text)


# What the operands and the result of an operation of the tables are, where their texts do not say it; and the op, if its name is
# another one.
DIVIDES = "logical_divide zipped_divide tiled_divide flat_divide".split()
PRODUCTS = "logical_product zipped_product tiled_product flat_product blocked_product raked_product".split()
OPS = {name: (name, None, None, None) for name in DIVIDES + PRODUCTS}
OPS.update({
    "coalesce": ("coalesce", None, None, None),
    "coalesce_profile": ("coalesce", None, "coord", None),
    "complement": ("complement", None, None, None),
    "composition": ("composition", None, None, None),
    "composition_tile": ("composition", None, None, None),
    "composition_shape": ("composition", None, None, None),
    "composition_composed": ("composition", None, None, None),
    "flatten": ("flatten", None, None, None),
    "right_inverse": ("right_inverse", None, None, None),
    "left_inverse": ("left_inverse", None, None, None),
    "size": ("size", None, None, "int_tuple"),
    "cosize": ("cosize", None, None, "int_tuple"),
    "crd2idx": ("layout_eval", "coord", None, "int_tuple"),
    "crd2idx_shape": ("crd2idx", "coord", "shape", "int_tuple"),
    "idx2crd": ("idx2crd", "int_tuple", "shape", "coord"),
    "shape_div": ("shape_div", "shape", "shape", "shape"),
    "ceil_div": ("ceil_div", "shape", "shape", "shape"),
    "product": ("tuple_product", "shape", None, "shape"),
    "product_each": ("tuple_product_each", "shape", None, "shape"),
    "make_layout_like": ("make_layout_like", None, None, None),
    "make_identity_layout": ("make_identity_layout", "shape", None, None),
    "tile_to_shape": ("tile_to_shape", None, "shape", None),
    "get_mode": ("get", None, None, None),
    "select": ("select", None, None, None),
    "group_modes": ("group_modes", None, None, None),
    "recast_layout": ("recast_layout", None, None, None),
    "slice": ("slice", "coord", None, None),
    "dice": ("dice", "coord", None, None),
    "append_to_rank": ("append_to_rank", None, None, None),
    "prepend_to_rank": ("prepend_to_rank", None, None, None),
})


def op_of(operation, arguments, result):
    """The op in the generic form, with its operand and result types; nothing for what the dialect has no operands for."""
    if operation not in OPS or any(text.startswith("S<0,") for text in [*arguments, result]):
        return None
    name, first, second, of_result = OPS[operation]
    properties = ""
    if operation in ("get_mode", "select", "group_modes"):
        numbers = arguments.pop().strip("<>")
        properties = f" <{{mode = array<i32: {numbers.replace(',', ', ')}>}}>"
        if operation == "group_modes":
            begin, end = numbers.split(",")
            properties = f" <{{begin = {begin} : i32, end = {end} : i32}}>"
    if operation == "recast_layout":
        old, new = re.match(r"(\d+)->(\d+) bits", arguments.pop()).groups()
        properties = f" <{{new_type_bits = {new} : i32, old_type_bits = {old} : i32}}>"
    if operation in ("append_to_rank", "prepend_to_rank"):  # 1:0 where no element is named
        rank = arguments.pop(1).strip("<>")
        properties = f" <{{rank = {rank} : i32}}>"
        arguments += ["1:0"] if len(arguments) < 2 else []
    types = [typed(text, place) for text, place in zip(arguments, (first, second, "int_tuple"))]
    if operation in ("slice", "dice"):
        types.reverse()
    if operation in PRODUCTS and not types[1].startswith("!cute.layout"):
        return None
    return name, properties, types, typed(result, of_result)


def function(index, op):
    name, properties, types, result = op
    parameters = ", ".join(f"%{i}: {t}" for i, t in enumerate(types))
    operands = ", ".join(f"%{i}" for i in range(len(types)))
    return (f'func.func @f{index}({parameters}) {{\n'
            f'  %r = "cute.{name}"({operands}){properties} : ({", ".join(types)}) -> {result}\n  return\n}}\n// -----\n')


def refused(opt, ops):
    """The first message for each of the ops that is not accepted."""
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as f:
        for i, op in enumerate(ops):
            f.write(function(i, op))
        f.flush()
        done = subprocess.run([opt, "--split-input-file", f.name, "-o", os.devnull], capture_output=True, text=True)
    messages = {}
    for line, text in re.findall(r"^[^\n]*\.mlir:(\d+):\d+: error: (.*)$", done.stderr, flags=re.M):
        messages.setdefault((int(line) - 1) // 5, text)
    return messages


# Why an answer is not ours: a text of the message, or a check of the row; docs/decisions.md and docs/layout.md say more.
reasons = [
    ("an operand that the public dialect's op refuses, in its words", lambda row, message: re.search(
        r"expects (lhs to be static|integer or dynamic strides|\$order to be a permutation|a static-shape input)", message)),
    ("no layout is that function", lambda row, message: re.search(r"composition: (mode|extent|modes) |add up beyond", message)),
    ("a tile that the documents' tiled_divide refuses", lambda row, message: "expects same size in rank" in message),
    ("an inverse that fails even beyond the domain", lambda row, message: "is not injective in the order" in message),
    ("cutegen divides by tiles of the layout's modes before they are coalesced; ours is CuTe C++'s answer",
     lambda row, message: row["operation"] in DIVIDES and row["cutegen"] == "!" and row["isCxx"]),
    ("the same, where a mode is dynamic and the static ones after it are joined", lambda row, message:
     row["operation"] in DIVIDES and re.search(r"\?(?:\{\d+\})?,\d+[,)]", row["arguments"].split(":")[0]) and "inferred type" in message),
    ("cutegen does not walk a dynamic mode after static ones", lambda row, message:
     row["operation"] == "composition" and row["cutegen"] == "!" and row["isCxx"]),
    ("an element that is not where it was: CuTe cuts modes of extent 1, too", lambda row, message:
     row["operation"] == "recast_layout" and "recast" in message),
]


def main():
    folder = sys.argv[2] if len(sys.argv) > 2 else os.environ.get("TESSERA_ORACLE")
    if not folder:
        print("TESSERA_ORACLE is not set: the ops were not compared with cutegen")
        return 77
    opt = os.path.join(sys.argv[1], "tessera-opt")
    step = 1 if os.environ.get("TESSERA_LONG") else 8
    rows = []
    for table in ("layout_algebra.tsv", "layout_dynamic.tsv"):
        with open(os.path.join(folder, table)) as file:
            for number, row in enumerate(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)):
                if row["cutegen"] not in ("=", "~", "!") or number % step:
                    continue
                arguments = [form(text.strip()) for text in row["args"].split(" | ")]
                cxx = row.get("result_type_form") or form(row["result"])
                answer = cxx if row["cutegen"] == "=" else row["cutegen_result"]
                op = op_of(row["op"], list(arguments), answer)
                if op:
                    cxx = re.sub(r"\((\d+)\)", r"\1", cxx) if row["op"] == "flat_divide" else cxx  # the public form of one mode
                    rows.append({"operation": row["op"], "arguments": row["args"], "answer": answer, "cutegen": row["cutegen"],
                                 "op": op, "cxx": op_of(row["op"], list(arguments), cxx)})
    messages = refused(opt, [row["op"] for row in rows])
    differing = [rows[i] | {"message": message} for i, message in sorted(messages.items())]
    others = refused(opt, [row["cxx"] or row["op"] for row in differing])
    classes, problems = collections.Counter(), 0
    for i, row in enumerate(differing):
        row["isCxx"] = i not in others
        reason = next((name for name, holds in reasons if holds(row, row["message"])), None)
        if reason:
            classes[reason] += 1
        else:
            problems += 1
            print(f'{row["operation"]}: {row["arguments"]} is {row["answer"]} in cutegen: {row["message"]}')
    print(f"{len(rows)} rows, {len(rows) - len(differing)} of them as cutegen has them")
    for name, count in sorted(classes.items()):
        print(f"{count}: {name}")
    return bool(problems) or not rows


if __name__ == "__main__":
    sys.exit(main())
