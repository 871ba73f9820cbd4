#!/usr/bin/env python3
"""Fragments that random nests of scf.for, scf.while and scf.if make and hand on: nested.py FOLDER TESSERA FIRST COUNT [views]

Each body may make fragments, load and store all that it sees, by whichever name, and yield any of them. To Python a fragment is a list of one number.
With `views` loops and branches hand on pointers into fragments and views with run-time extents, too, and some branches are scf.index_switch.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import random
import sys

from carried import AT, G, HEAD, MASK, R, TAIL, run_all

DEEPEST = 3
P, D, LAYOUT = "!cute.ptr<i32, rmem, align<16>>", R.replace("(2)", "(?)"), '!cute.layout<"(2):(1)">'
VIEWS = "views" in sys.argv[5:]


class Nest:
    """Statements are tuples: sum FROM; make NAME FROM C; store TO FROM C; for and while NAMES INITS STEPS BODY YIELDED; if NAME (BODY, YIELDED) twice. What
    a loop NAMES x is %x within and %x_r after it."""

    def __init__(self, seed):
        self.random, self.names = random.Random(seed), 0
        self.others, self.types = random.Random(f"others {seed}"), {}  # what is not R
        self.body, values = self.statements(["m0", "m1"], 0)
        self.last = self.random.choice(values)

    def name(self):
        self.names += 1
        return f"v{self.names}"

    def handed(self):
        """A name of what a loop or a branch hands on."""
        name = self.name()
        self.types[name] = self.types[name + "_r"] = self.others.choice([R, P, D]) if VIEWS else R
        return name

    def statements(self, values, depth):
        values, out, one_of = list(values), [], self.random.choice
        for _ in range(self.random.randint(1, 4)):
            kind = one_of(["sum", "make", "store", *["for", "while", "if"] * (depth < DEEPEST)])
            if kind == "sum":
                out.append((kind, one_of(values)))
            elif kind == "store":
                out.append((kind, one_of(values), one_of(values), self.random.randint(1, 9)))
            elif kind == "make":
                out.append((kind, self.name(), one_of(values), self.random.randint(1, 9)))
                values.append(out[-1][1])
            elif kind == "if":
                ways = [(body, one_of(seen)) for body, seen in (self.statements(values, depth + 1) for _ in range(2))]
                out.append(("switch" if VIEWS and self.others.random() < 0.5 else kind, self.handed(), *ways))
                values.append(out[-1][1])
            else:
                names = [self.handed() for _ in range(self.random.randint(1, 2))]
                body, seen = self.statements(values + names, depth + 1)
                out.append((kind, names, [one_of(values) for _ in names], self.random.randint(0, 4), body, [one_of(seen) for _ in names]))
                values += [f"{n}_r" for n in names]
        return out, values

    def result(self, x):
        total, known = [0], {"m0": [x + 1], "m1": [x + 2]}

        def follow(statements):
            for kind, *o in statements:
                if kind == "sum":
                    total[0] = (total[0] * 3 + known[o[0]][0]) & MASK
                elif kind == "make":
                    known[o[0]] = [(known[o[1]][0] * 3 + o[2]) & MASK]
                elif kind == "store":
                    known[o[0]][0] = (known[o[1]][0] * 3 + o[2]) & MASK
                elif kind in ("if", "switch"):
                    body, last = o[1 if total[0] & 1 else 2]
                    follow(body)
                    known[o[0]] = known[last]
                else:
                    names, handed, steps, body, yielded = o
                    handed = [known[n] for n in handed]
                    for _ in range(steps):
                        known.update(zip(names, handed))
                        follow(body)
                        handed = [known[n] for n in yielded]
                    known.update(zip((f"{n}_r" for n in names), handed))

        follow(self.body)
        return total[0] * 3 + known[self.last][0]

    def text(self):
        out, number = [], iter(range(10**6))

        def line(text):
            out.append("      " + text)

        def new(text):
            line(f"%t{(at := next(number))} = {text}")
            return f"%t{at}"

        def constant(value):
            return new(f"arith.constant {value} : i32")

        def of(name):
            return self.types.get(name, R)

        def viewed(name, to):
            """A value as one of another type: views are made of pointers."""
            if of(name) == to:
                return "%" + name
            at = "%" + name if of(name) == P else new(f"cute.get_iter(%{name}) : {of(name)}")
            if to == P:
                return at
            layout, made = ("%static", LAYOUT) if to == R else ("%dynamic", LAYOUT.replace("(2)", "(?)"))
            return new(f"cute.make_view({at}, {layout}) : ({P}, {made}) -> {to}")

        def memory(name):
            return (viewed(name, R), R) if of(name) == P else ("%" + name, of(name))

        def load(name):
            at, type = memory(name)
            return new(f"cute.memref.load({at}, %c0) : ({type}, {AT}) -> i32")

        def store(name, value):
            at, type = memory(name)
            line(f"cute.memref.store({at}, %c0, {value}) : ({type}, {AT}, i32) -> ()")

        def mixed(a, b):
            tripled = new(f"arith.muli {a}, %three : i32")
            return new(f"arith.andi {new(f'arith.addi {tripled}, {b} : i32')}, %mask : i32")

        def as_these(values, names):
            return ", ".join([viewed(v, of(n)) for v, n in zip(values, names)])

        def body_of(body, values, names, more=""):
            write(body)
            line(f"scf.yield {as_these(values, names)}{more and ', ' + more} : {', '.join(map(of, names))}{more and ', i32'}")

        def write(statements):
            for kind, *o in statements:
                if kind == "sum":
                    store("total", mixed(load("total"), load(o[0])))
                elif kind == "make":
                    value = mixed(load(o[1]), constant(o[2]))
                    line(f"%{o[0]} = cute.memref.alloca() : {R}")
                    store(o[0], value)
                elif kind == "store":
                    store(o[0], mixed(load(o[1]), constant(o[2])))
                elif kind == "if":
                    odd = new(f"arith.trunci {load('total')} : i32 to i1")
                    line(f"%{o[0]} = scf.if {odd} -> ({of(o[0])}) {{")
                    body_of(o[1][0], [o[1][1]], [o[0]])
                    line("} else {")
                    body_of(o[2][0], [o[2][1]], [o[0]])
                    line("}")
                elif kind == "switch":
                    odd = new(f"arith.andi {load('total')}, %one : i32")
                    line(f"%{o[0]} = scf.index_switch {new(f'arith.index_cast {odd} : i32 to index')} -> {of(o[0])}")
                    for head, (body, last) in zip(("case 1 {", "default {"), o[1:]):
                        line(head)
                        body_of(body, [last], [o[0]])
                        line("}")
                else:
                    loop(kind, *o)

        def loop(kind, names, inits, steps, body, yielded):
            limit, types = constant(steps), ", ".join(map(of, names))
            inits = as_these(inits, names).split(", ")
            results = ", ".join(f"%{n}_r" for n in names)
            if kind == "for":
                line(f"{results} = scf.for %{names[0]}_i = %zero to {limit} step %one iter_args({', '.join(f'%{n} = {i}' for n, i in zip(names, inits))}) -> ({types}) : i32 {{")
                body_of(body, yielded, names)
            else:
                at = names[0]
                line(f"{results}, %{at}_e = scf.while ({', '.join(f'%{n}_b = {i}' for n, i in zip(names, inits))}, %{at}_j = %zero) : ({types}, i32) -> ({types}, i32) {{")
                line(f"scf.condition({new(f'arith.cmpi slt, %{at}_j, {limit} : i32')}) {', '.join(f'%{n}_b' for n in names)}, %{at}_j : {types}, i32")
                line("} do {")
                line(f"^bb0({', '.join(f'%{n}: {of(n)}' for n in names)}, %{at}_i: i32):")
                line(f"%{at}_n = arith.addi %{at}_i, %one : i32")
                body_of(body, yielded, names, f"%{at}_n")
            line("}")

        for name, text in (("%c0", f"cute.static : {AT}"), ("%zero", "arith.constant 0 : i32"), ("%one", "arith.constant 1 : i32"), ("%three", "arith.constant 3 : i32"),
                           ("%mask", f"arith.constant {MASK} : i32"), ("%tid", "nvvm.read.ptx.sreg.tid.x : i32"), ("%at", 'cute.make_coord(%tid) : (i32) -> !cute.coord<"?">')):
            line(f"{name} = {text}")
        if VIEWS:
            line(f"%static = cute.static : {LAYOUT}")
            shape = new('cute.make_shape(%three) : (i32) -> !cute.shape<"(?)">')
            line(f"%dynamic = cute.make_layout({shape}) : (!cute.shape<\"(?)\">) -> {LAYOUT.replace('(2)', '(?)')}")
        x = new(f'cute.memref.load(%p, %at) : ({G}, !cute.coord<"?">) -> i32')
        for name in ("m0", "m1", "total"):
            line(f"%{name} = cute.memref.alloca() : {R}")
        for j in range(2):
            store(f"m{j}", new(f"arith.addi {x}, {constant(j + 1)} : i32"))
        store("total", "%zero")
        write(self.body)
        tripled = new(f"arith.muli {load('total')}, %three : i32")
        line(f'cute.memref.store(%p, %at, {new(f"arith.addi {tripled}, {load(self.last)} : i32")}) : ({G}, !cute.coord<"?">, i32) -> ()')
        return HEAD + "\n".join(out) + TAIL


if __name__ == "__main__":
    run_all(Nest)
