#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How good the code of every kernel is, beside the last accepted values: registers, spills, notes of ptxas, instructions.

  utils/quality.py build/dev/bin/tessera                    compares with test/codegen/quality.tsv; exit code 1: something got worse
  utils/quality.py build/dev/bin/tessera --write            accepts what is
  utils/quality.py build/dev/bin/tessera --only hopper      only the inputs with that word in their name

The inputs are those of utils/code-hashes.py: the corpus in all its spellings, the examples, every form of `tessera generate`; and the
kernels that tessera-dsl-test and tessera-cute_cxx-test write, if they are beside tessera, and whose numbers they check under the sanitizer
(GeneratedTest.cpp of test/dsl and test/cute_cxx). Worse is:
more bytes of spills or stack, more accesses of local memory, a note of ptxas that was not there (C7520: products of a warpgroup are
serialised), a kernel that does not compile any more, over 4 registers or 1 % of instructions more. Better is said, and fails nothing.
A kernel without a row fails, and so does a row without its kernel, unless its kind of input is not here (no TESSERA_CORPUS, no such test).

Where the corpus has NVIDIA's own lowering of a kernel, `vendor/KERNEL` is what the same back end and ptxas make of that (utils/vendor_llvm.py);
the last lines set our `input.mlir` beside it. What the sanitizer finds in kernels of the corpus is in test/sim/corpus.py and kernels.py.

Needs ptxas 13.0 (another version makes other code, and is refused) and, for the corpus, TESSERA_CORPUS.
"""
import argparse
import collections
import concurrent.futures
import importlib.util
import lzma
import os
import pathlib
import re
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parent.parent
table = root / 'test/codegen/quality.tsv'
sys.path.append(str(root / 'utils'))
import turn
import vendor_llvm
spec = importlib.util.spec_from_file_location('code_hashes', root / 'utils/code-hashes.py')
hashes = importlib.util.module_from_spec(spec)
spec.loader.exec_module(hashes)

# Instructions of PTX that say most of a kernel: how it moves data, what it multiplies with, how it waits.
classes = {
    'global': r'(ld|st|ldu|red|atom)(\.\w+)*\.global', 'shared': r'(ld|st|red|atom)(\.\w+)*\.shared',
    'local': r'(ld|st)(\.\w+)*\.local', 'matrix': r'(ld|st)matrix\.', 'mma': r'mma\.', 'wgmma': r'wgmma\.mma_async',
    'async': r'cp\.(async|reduce)', 'barrier': r'(bar|barrier|mbarrier|fence|membar)\b',
}
columns = ['registers', 'stack', 'spills', 'notes', 'instructions', *classes]


def classified(ptx):
    """Kernel -> how many instructions of each class its PTX has."""
    found, kernel = collections.defaultdict(collections.Counter), None
    for line in ptx.splitlines():
        if entry := re.search(r'\.entry (\w+)', line):
            kernel = entry[1]
        text = re.sub(r'^\s*(@!?%?\w+\s+)?', '', line)
        for name, pattern in classes.items():
            if kernel and re.match(pattern, text):
                found[kernel][name] += 1
    return found


def assembled(ptxas, path, target, level):
    """(what ptxas said, the cubin); as tessera does it."""
    cubin = path.with_name(f'{path.stem}{level}.cubin')
    done = subprocess.run([ptxas, '-v', f'-arch={target}', level, '-o', cubin, path], capture_output=True, text=True)
    return done.stderr + done.stdout, cubin


def spills(said):
    return {name: int(stores) + int(loads) for name, stores, loads in
            re.findall(r'Function properties for (\S+)\n.*?(\d+) bytes spill stores, (\d+) bytes spill loads', said)}


def measure(ptxas, tessera, name, path, target, folder):
    """The rows of an input: (input, target, kernel number) and the columns."""
    ptx = pathlib.Path(folder) / (re.sub(r'\W+', '-', f'{name} {target}') + '.ptx')
    done = subprocess.run([tessera, 'compile', path, '--arch', target, '--emit', 'ptx', '--no-cache', '--no-line-info', '-o', ptx],
                          capture_output=True, text=True)
    if done.returncode or not ptx.exists():
        return {(name, target, '-'): ['refused'] + ['-'] * (len(columns) - 1)}
    said, cubin = assembled(ptxas, ptx, target, '-O3')
    if sum(spills(said).values()):
        calmer, other = assembled(ptxas, ptx, target, '-O2')
        if sum(spills(calmer).values()) < sum(spills(said).values()):
            said, cubin = calmer, other
    if not cubin.exists():
        return {(name, target, '-'): ['unassembled'] + ['-'] * (len(columns) - 1)}
    notes = ' '.join(sorted(set(re.findall(r'\((C\d+)\)', said)))) or '-'
    counts, spilled = classified(ptx.read_text()), spills(said)
    return {(name, target, str(i)): [str(v) for v in (registers, stack, spilled.get(kernel, 0), notes, len(code) // 16,
                                                      *(counts[kernel][c] for c in classes))]
            for i, (kernel, code, registers, stack) in enumerate(hashes.kernels(cubin.read_bytes()))}


def generated(tessera, folder):
    """Yields the inputs of the seeded generators; ends the program if one of them gives wrong numbers."""
    kernels = folder / 'generated'
    kernels.mkdir()
    for name in ('tessera-dsl-test', 'tessera-cute_cxx-test'):
        program = pathlib.Path(tessera).resolve().with_name(name)
        if not program.exists():
            print(f'no {program.name} beside {tessera}: its generated kernels are left out', file=sys.stderr)
            continue
        done = subprocess.run([program, '--gtest_filter=*Generated*'], env={**os.environ, 'TESSERA_GENERATED': str(kernels)},
                              capture_output=True, text=True)
        if done.returncode:
            sys.exit(f'generated kernels are wrong:\n{done.stdout}')
    for path in sorted(kernels.glob('*.mlir')):
        yield f'generated/{path.stem}', path, (re.findall(r'-(sm_\w+)$', path.stem) or ['sm_90a'])[0]


def lowered_by_vendor(tessera, folder):
    """Yields the corpus' kernels as NVIDIA's compiler lowered them; of some there is the host part only."""
    corpus = os.environ.get('TESSERA_CORPUS')
    for path in sorted(pathlib.Path(corpus).glob('*/vendor_llvm.mlir.xz')) if corpus else []:
        text, kernel = lzma.open(path, 'rt').read(), path.parent.name
        if '"gpu.module"()' in text:
            file = folder / f'vendor-{kernel}.mlir'
            file.write_text(vendor_llvm.convert(text))
            yield f'vendor/{kernel}', file, hashes.targets(kernel)[0]


def beside_vendor(rows):
    """Lines: our kernels of the corpus beside NVIDIA's lowering of them, in what ours has more of."""
    said, compared = [], 0
    for (name, target, number), theirs in rows.items():
        ours = rows.get((f'corpus/{name.removeprefix("vendor/")}/input.mlir', target, number))
        if not name.startswith('vendor/') or not ours or '-' in (ours[0], theirs[0]) or not (ours[0] + theirs[0]).isdigit():
            continue
        compared += 1
        mine, other = dict(zip(columns, ours)), dict(zip(columns, theirs))
        more = [f'{c} {mine[c]}, theirs {other[c]}' for c in ('registers', 'stack', 'spills', 'instructions', 'local')
                if int(mine[c]) > int(other[c])]
        if more:
            said.append(f'  {name.removeprefix("vendor/")} {target}: {"; ".join(more)}')
    return [f'beside NVIDIA\'s lowering, {compared} kernels, of which {compared - len(said)} have no more of anything:', *said] if compared else []


def worse(before, after):
    """In what a kernel got worse, in words."""
    if before[0] in ('refused', 'unassembled') or after[0] in ('refused', 'unassembled'):
        return [f'{after[0]}, but compiled before'] if before[0] not in ('refused', 'unassembled') else []
    old, new = dict(zip(columns, before)), dict(zip(columns, after))
    said = [f'{c} {old[c]} to {new[c]}' for c in ('stack', 'spills', 'local') if int(new[c]) > int(old[c])]
    if int(new['registers']) > int(old['registers']) + 4:
        said.append(f'registers {old["registers"]} to {new["registers"]}')
    if int(new['instructions']) > int(old['instructions']) * 1.01:
        said.append(f'instructions {old["instructions"]} to {new["instructions"]}')
    if more := set(new['notes'].split()) - set(old['notes'].split()) - {'-'}:
        said.append(f'ptxas notes {" ".join(sorted(more))}')
    return said


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('tessera')
    parser.add_argument('--write', action='store_true', help='accept what is')
    parser.add_argument('--only', default='', help='only the inputs with this word in their name')
    parser.add_argument('--test', action='store_true', help='a third of the inputs, another each day; exit code 77, skipped, if there is no such ptxas')
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    options = parser.parse_args()
    ptxas = hashes.ptxas_or_exit(77 if options.test else 1)

    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        every = [w for some in (hashes.inputs, generated, lowered_by_vendor) for w in some(options.tessera, pathlib.Path(folder)) if options.only in w[0]]
        work = turn.share(every, 3) if options.test else every
        rows = {}
        for i, made in enumerate(pool.map(lambda w: measure(ptxas, options.tessera, *w, folder), work)):
            rows |= made
            if sys.stderr.isatty() or i % 20 == 19:
                print(f'  {i + 1}/{len(work)} {work[i][0]}', file=sys.stderr)
    known = {tuple(r[:3]): r[3:] for r in (line.split('\t') for line in table.read_text().splitlines()[1:])}
    if options.write:
        if options.only:
            rows = {r[:3]: r[3:] for r in hashes.among([(*k, *v) for k, v in known.items()], [(*k, *v) for k, v in rows.items()])}
        table.write_text('\n'.join('\t'.join(r) for r in [('input', 'target', 'kernel', *columns), *((*k, *v) for k, v in rows.items())]) + '\n')
        print(f'{len(rows)} rows of {len(work)} inputs written to {table.relative_to(root)}')
        return 0
    bad = 0
    for key, now in rows.items():
        before = known.get(key)
        numbers = ', '.join(f'{c} {v}' for c, v in zip(columns, now))
        if before is None:
            bad += 1
            print(f'NEW     {" ".join(key)}: {numbers}; accept it with --write')
        elif said := worse(before, now):
            bad += 1
            print(f'WORSE   {" ".join(key)}: {", ".join(said)}')
        elif before != now:
            print(f'changed {" ".join(key)}: {", ".join(f"{c} {a} to {b}" for c, a, b in zip(columns, before, now) if a != b)}')
    # A kind of input that is not here at all, as the corpus without its variable, has no rows to miss; nor has one whose turn it is not.
    kinds = {name.split('/')[0].split()[0] for name, *_ in every}
    others = {(name, target) for name, _, target in every} - {(name, target) for name, _, target in work}
    for key in known.keys() - rows.keys():
        if key[0].split('/')[0].split()[0] in kinds and options.only in key[0] and key[:2] not in others:
            bad += 1
            print(f'MISSING {" ".join(key)}: nothing makes it any more; --write takes its row away')
    print(*beside_vendor(known | rows), sep='\n')
    refused = sum(v[0] == 'refused' for v in rows.values())
    print(f'{len(rows) - refused} kernels, {refused} inputs refused: {bad} got worse, are new or are missing')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
