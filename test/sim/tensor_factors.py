"""Scale factors of products that tensor_programs.py writes: where they lie, and the CuTe IR that copies them to tensor memory by tcgen05.cp.

PTX ISA 9.7.16.10.7.2: factor f of row r is byte f % 4 of lane r % 32 of each quarter, in column r // 32, each four factors of 128 rows (of
256, where there are more) after the ones before. Of B of a pair of M = 128 each half of the lanes has the factors of its half of N
(CUTLASS's ScaleFactorDuplicated2by2).
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

CODES = {"f8E8M0FNU": lambda powers: 127 + powers, "f8E4M3FN": lambda powers: 7 + powers << 3}  # of powers of two
COLUMNS = (464, 480)  # of A and of B, which has twice as many


class Factors:
    """Those of an operand, of `rows` rows that have `count` each; `halves`: lanes have one half of the rows or the other."""

    def __init__(self, rows, count, halves, column):
        self.rows, self.count, self.halves, self.column = rows, count, halves, column
        self.most = rows // 2 if halves else rows  # of a lane's quarter
        self.step = (self.most + 127) // 128  # units of four columns that four factors of all rows take
        self.units = (count + 3) // 4 * self.step
        self.unit_bytes = 1024 if halves else 512
        self.bytes = self.units * self.unit_bytes

    def at(self, factor):
        """Where it begins, in elements from the first."""
        return factor // 4 * 16 * self.step + factor % 4

    def placed(self, codes):
        """Shared memory, for codes [row][factor]: a row of 16 bytes for each lane of a quarter, or of two."""
        out = np.zeros((self.units, 2 if self.halves else 1, 32, 16), np.uint8)
        row, factor = np.indices(codes.shape)
        half, row = row // self.most, row % self.most
        out[factor // 4 * self.step + row // 128, half, row % 32, row % 128 // 32 * 4 + factor % 4] = codes
        return out.reshape(-1)

    def steps(self, blocks):
        """The layout of where those of each instruction begin, if there is one: extents and strides."""
        per = self.count // blocks
        if per == 4 or blocks == 1:
            return str(blocks), str(16 * self.step if blocks > 1 else 0)
        if 4 % per == 0 and self.count <= 4:
            return str(blocks), str(per)
        return (f"({4 // per},{self.count // 4})", f"({per},{16 * self.step})") if 4 % per == 0 and self.count % 4 == 0 else None


def of(case):
    """Factors of A (of a block of a pair) and of B (all columns of it)."""
    count = case.k // case.vector * case.blocks
    return (Factors(case.m // case.ctas, count, False, COLUMNS[0]), Factors(case.n, count, case.ctas == 2 and case.m == 128, COLUMNS[1]))


def copies(case, tools, add, offset, first):
    """Lines before the products, and those that copy; factors begin `first` bytes after %base, and their pointers are %sfa and %sfb."""
    sf, copied = f"!cute.ptr<{case.factor}, tmem, align<1>>", []
    add(f"%sf_t = cute.recast_iter(%t) : !cute.ptr<f32, tmem, align<1>> to {sf}")
    add('%zero = cute.static : !cute.coord<"0">')
    for x, f in zip("ab", of(case)):
        made = offset("%sf_t", sf, 4 * f.column)
        add(f"%no_{x} = cute.static : !cute.int_tuple<\"0\">")
        add(f'%sf{x} = cute.add_offset({made}, %no_{x}) : ({sf}, !cute.int_tuple<"0">) -> {sf}')
        form, rows = ("64 DP, 128 bit, {} cta, lw_0123", 64) if f.halves else ("32 DP, 128 bit, {} cta, x4", 32)
        cp = f"!cute_nvgpu.atom.s2t_copy<{case.factor}, {form.format(case.ctas)}>"
        lanes = lambda n: f'!cute.memref<{case.factor}, tmem, align<1>, "((((32,4),4),4),1,{n}):((((262144,4),8388608),1),0,{16 if n > 1 else 0})">'
        part = lambda n: f'!cute.memref<{case.factor}, smem, align<512>, "((({rows},16),1),1,1,{n}):(((16,1),0),0,0,{f.unit_bytes if n > 1 else 0})">'
        base, pointer = "!cute.ptr<i8, smem, align<512>>", f"!cute.ptr<{case.factor}, smem, align<512>>"
        add(f"%cp_{x} = cute.make_atom() : () -> {cp}")
        # All by one copy, or each unit by its own.
        many = f.units if case.whole_copy else 1
        tiled = tools.infer(f'cute_nvgpu.atom.make_s2t_copy(%0, %1) : ({cp}, {lanes(many)}) -> !cute.tiled_copy<{cp}, layout_copy_tv = <"(1,1):(0,0)">, tiler_mn = <"[1:0]">>', [cp, lanes(many)])
        view = tools.infer(f"cute_nvgpu.atom.get_copy_s2t_smem_desc_view(%0, %1) : ({cp}, {part(many)}) -> !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, \"1:0\">", [cp, part(many)])
        coord = '!cute.coord<"0">'
        dst = tools.infer(f"cute.tiled.copy.partition_D(%0, %1, %2) : ({tiled}, {lanes(many)}, {coord}) -> {lanes(many)}", [tiled, lanes(many), coord])
        layout = lambda type_: type_.split('"')[1]
        for i in range(0, f.units, many):
            y = f"%{x}{i}"
            at = offset("%base", "!cute.ptr<i8, smem, align<1024>>", first + i * f.unit_bytes, base)
            add(f"{y}s = cute.recast_iter({at}) : {base} to {pointer}")
            add(f'{y}sl = cute.static : !cute.layout<"{layout(part(many))}">')
            add(f"{y}sv = cute.make_view({y}s, {y}sl) : {part(many)}")
            add(f'{y}tl = cute.static : !cute.layout<"{layout(lanes(many))}">')
            add(f"{y}tv = cute.make_view({offset(f'%sf{x}', sf, 16 * i)}, {y}tl) : {lanes(many)}")
            add(f"{y}c = cute_nvgpu.atom.make_s2t_copy(%cp_{x}, {y}tv) : ({cp}, {lanes(many)}) -> {tiled}")
            add(f"{y}v = cute_nvgpu.atom.get_copy_s2t_smem_desc_view(%cp_{x}, {y}sv) : ({cp}, {part(many)}) -> {view}")
            add(f"{y}d = cute.tiled.copy.partition_D({y}c, {y}tv, %zero) : ({tiled}, {lanes(many)}, {coord}) -> {dst}")
            copied.append(f"  cute.copy({y}c, {y}v, {y}d) : ({tiled}, {view}, {dst})")
        first += f.bytes
    return copied


def gemm(case, tools, whole, tiled, fragments, e_step):
    """Lines of a product of all blocks along K. Fragments are names and types of A, B and, of a sparse A, metadata."""
    a, b = of(case)
    (name_a, fa), (name_b, fb), *e = fragments
    steps = a.steps(case.blocks)
    sf, lines = f"!cute.ptr<{case.factor}, tmem, align<1>>", []
    if case.lists and steps:
        views = []
        for x, f in zip("ab", (a, b)):
            shape, stride = f.steps(case.blocks)
            view = f'!cute.memref<{case.factor}, tmem, align<1>, "((((32,4),4),{a.count // case.blocks}),1,{shape}):((((262144,4),8388608),1),0,{stride})">'
            lines += [f'%lay_f{x} = cute.static : !cute.layout<"{view.split(chr(34))[1]}">', f"%ff{x} = cute.make_view(%sf{x}, %lay_f{x}) : {view}"]
            views.append(view)
        more, types = ("".join(f", {name}" for name, _ in e), "".join(f", {type_}" for _, type_ in e))
        return lines + [f"cute.gemm(%tiled, %whole, [{name_a}, %ffa{more}], [{name_b}, %ffb], %whole) : ({tiled}, {whole}, {fa}, {views[0]}{types}, {fb}, {views[1]}, {whole})"]
    kind = "sm100_block_scaled" + "_sparse" * case.sparse
    for k in range(case.blocks):
        per, last = a.count // case.blocks, "%tiled"
        for field, base, of_, by in (("sf_a", "%sfa", sf, a.at(per * k)), ("sf_b", "%sfb", sf, b.at(per * k))) + ((("e", "%e", "!cute.ptr<i8, tmem, align<1>>", e_step * k),) if case.sparse else ()):
            x = f"%{field}{k}"
            lines += [f'{x}_by = cute.static : !cute.int_tuple<"{by}">', f'{x}_at = cute.add_offset({base}, {x}_by) : ({of_}, !cute.int_tuple<"{by}">) -> {of_}',
                      f"{x}_tiled = cute_nvgpu.atom.set_value({last}, {x}_at : {of_}) {{field = #cute_nvgpu.atom_mma_field_{kind}<{field}>}} : {tiled}"]
            last = f"{x}_tiled"
        at = f'!cute.coord<"(_,_,{k})">'
        lines.append(f"%at_k{k} = cute.static : {at}")
        parts = []
        for name, type_ in ((name_a, fa), (name_b, fb)):
            part = tools.infer(f"cute.slice(%0, %1) : {type_}, {at}", [type_, at], generic=True)
            lines.append(f"{name}_{k} = cute.slice({name}, %at_k{k}) : {type_}, {at}")
            parts.append(part)
        lines.append(f"cute.gemm({last}, %whole, {name_a}_{k}, {name_b}_{k}, %whole) : ({tiled}, {whole}, {parts[0]}, {parts[1]}, {whole})")
    return lines


def drawn(case, random):
    """Codes of factors of A [row][factor] and of B, and the powers of two that they are."""
    powers = [random.integers(-2, 3, (rows, case.k // case.vector * case.blocks)) for rows in (case.m, case.n)]
    return [CODES[case.factor](p).astype(np.uint8) for p in powers], [np.repeat(2.0 ** p, case.vector, axis=1) for p in powers]
