#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What machine code ptxas makes of the corpus, the examples and every form of `tessera generate`, as hashes.

A change of the compiler's inside must not change code. This script compiles a fixed list of inputs to cubins and
writes one row a kernel: a hash of its code section, its registers, its bytes of stack and its instructions.

  utils/code-hashes.py build/release/bin/tessera                    compares with test/codegen/hashes.tsv; exit code 1: differs
  utils/code-hashes.py build/release/bin/tessera --write            writes that file
  utils/code-hashes.py build/release/bin/tessera --only hopper      only the inputs with that word in their name

Needs ptxas 13.0 (another version makes other code, and is refused) and, for the rows of the corpus, TESSERA_CORPUS;
without it these rows are left out, and the last line says how many.
"""
import argparse
import concurrent.futures
import hashlib
import lzma
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parent.parent
table = root / 'test/codegen/hashes.tsv'
version = '13.0'

gemm_types = ['', '--ab f16', '--d f32', '--ab f8E4M3FN', '--ab f8E5M2 --d f16', '--a f8E4M3FN --b f8E5M2',
              '--ab f8E5M2 --b f8E4M3FN', '--ab tf32 --d f32 --tile-n 64', '--ab i8 --d i32 --tile-n 128',
              '--ab u8 --d i32', '--a i8 --b u8 --d i32']
gemm_shapes = ['--tile-n 64', '--tile-n 128', '--tile-n 192 --c', '--cluster 2', '--major km', '--major mk',
               '--major mm --cluster 2', '--group 3', '--sms 5', '--stages 3', '--shape 512x512x8192',
               '--shape 8192x8192x8192', '--shape 64x4096x4096']
gemm_tiles = ['--tile-n 144 --stages 5', '--tile-n 48 --d f32 --bias f32', '--schedule pingpong --tile-m 64', '--schedule pingpong --tile-n 160 --stages 5',
              '--schedule pingpong --tile-n 128 --stages 6 --c --bias f32 --activation gelu', '--schedule pingpong --tile-n 128 --major mm --cluster 2 --stages 6',
              '--schedule pingpong --tile-m 64 --tile-n 192 --ab f8E4M3FN --d f32 --groups masked',
              '--schedule pingpong --tile-n 112 --stages 6 --groups contiguous --bias f32']
gemm_epilogues = ['--alpha --c', '--bias f32 --activation relu', '--bias bf16', '--activation silu',
                  '--activation gelu', '--ab f8E4M3FN --scales --alpha', '--split-k 3', '--split-k 2 --c',
                  '--groups batches', '--groups masked --c', '--groups contiguous', '--groups contiguous --cluster 2 --bias f32',
                  '--split-k 2 --ab i8 --d i32', '--split-k 3 --d f32 --sms 5']
gemm_factors = [f'--ab f8E4M3FN --block-scales {form}' for form in (
    '--tile-n 128', '--tile-n 64 --cluster 2 --alpha --c', '--tile-n 128 --groups contiguous', '--tile-n 128 --groups masked', '--swap --tile-m 16 --tile-n 128 --split-k 4',
    '--swap --tile-m 128 --tile-n 128')]
gemm_weights = [f'{form} --group-scales {group}' for form, group in (
    ('--a bf16 --b i4 --tile-m 16 --tile-n 128 --stages 8', 128), ('--a f16 --b i4 --tile-m 8 --tile-n 64 --stages 8 --split-k 2', 128),
    ('--a bf16 --b i4 --tile-m 64 --tile-n 128 --stages 4', 32), ('--a f16 --b f8E4M3FN --tile-m 16 --tile-n 128 --stages 4', 128),
    ('--a bf16 --b f8E5M2 --tile-m 128 --tile-n 128 --stages 2', 64))]
blackwell = [f'--arch sm_100a {form}'.strip() for form in (
    '', '--ab f16', '--d f32', '--ab f8E4M3FN', '--ab tf32 --d f32 --tile-n 64', '--ab i8 --d i32 --tile-n 128', '--tile-n 192 --c',
    '--major mm --tile-n 128', '--alpha --c --bias f32 --activation gelu --tile-n 64', '--pair --stages 6', '--dynamic', '--pair --dynamic --tile-n 128',
    '--ab f8E4M3FN --block-scales --tile-n 128', '--ab f8E4M3FN --block-scales --tile-n 128 --pair',
    '--ab f4E2M1FN --block-scales --tile-n 128', '--ab f4E2M1FN --block-scales --factor f8E4M3FN --tile-n 128',
    '--ab f4E2M1FN --block-scales --factor f8E4M3FN --tile-n 128 --pair', '--groups batches --tile-n 128', '--groups masked --pair --tile-n 128',
    '--groups contiguous --tile-n 128')]
warps = [f'--arch {target} {form}'.strip() for target, of in (
    ('sm_75', ('--a f16 --b i4 --group-scales 32', '--ab f16 --d f16 --split-k 2', '--ab f16 --groups masked', '--ab f16 --groups contiguous', '--ab f16 --d f16', '--ab f16 --d f16 --tile-m 128 --tile-n 128 --stages 2', '--ab i8 --d i32', '--ab f16 --d f32 --major mm --alpha --c --bias f32 --activation gelu')),
    ('sm_80', ('--ab f16 --d f16', '', '--d f32 --alpha --c', '--ab tf32 --d f32', '--ab i8 --d i32', '--major mm', '--major mk --bias f32 --activation gelu',
               '--groups batches', '--groups masked', '--groups contiguous', '--ab f16 --split-k 4', '--a f16 --b i4 --group-scales 64', '--split-k 2 --d f32 --alpha --c',
               '--ab f16 --tile-m 128 --tile-n 256 --stages 3', '--ab f16 --tile-m 64 --tile-n 64', '--ab f16 --tile-m 32 --tile-n 64')),
    ('sm_86', ('', '--split-k 2', '--groups contiguous')), ('sm_87', ('',)), ('sm_89', ('', '--ab f8E4M3FN --scales', '--b f8E4M3FN --group-scales 128', '--ab f8E4M3FN --block-scales', '--ab f8E4M3FN --block-scales --tile-m 128 --tile-n 128 --groups contiguous')),
    ('sm_120a', ('', '--ab f8E4M3FN', '--ab f8E4M3FN --block-scales --split-k 2')), ('sm_121a', ('',)), ('sm_100a', ('--b i4 --group-scales 128', '--ab f8E4M3FN --block-scales --factor f32'))) for form in of]
attention = [' '.join(filter(None, (f'--head-dim {head}', f'--element {element}', causal)))
             for head in (64, 128) for element in ('f16', 'bf16') for causal in ('', '--causal')]
attention += [f'--head-dim {head}{causal}' for head in (96, 192, 256) for causal in ('', ' --causal')]
attention += ['--causal --window', '--softcap', '--alibi', '--causal --window --softcap --alibi', '--head-dim 256 --causal --window', '--varlen', '--varlen --causal',
              '--head-dim 64 --varlen --causal --window --softcap --alibi']
attention += [f'--arch sm_100a {form}'.strip() for form in (
    '', '--causal', '--element f16', '--head-dim 64 --element f16', '--head-dim 64 --causal', '--head-dim 96', '--head-dim 192 --causal', '--head-dim 256', '--consumers 1',
    '--causal --window', '--softcap', '--alibi', '--causal --window --softcap --alibi', '--varlen', '--head-dim 64 --varlen --causal --window --softcap --alibi')]
attention += ['--lse --causal', '--lse --head-dim 64 --varlen', '--element f8E4M3FN', '--element f8E4M3FN --causal --head-dim 64', '--element f8E4M3FN --head-dim 256',
              '--element f8E4M3FN --varlen --lse --causal --window --softcap --alibi']
attention += [f'--arch {form}' for form in (
    'sm_80', 'sm_80 --causal', 'sm_80 --element f16', 'sm_80 --element f16 --causal', 'sm_80 --head-dim 64', 'sm_80 --head-dim 64 --causal', 'sm_80 --head-dim 96',
    'sm_80 --head-dim 96 --causal', 'sm_80 --head-dim 192', 'sm_80 --head-dim 192 --causal', 'sm_80 --head-dim 256', 'sm_80 --head-dim 256 --causal',
    'sm_80 --causal --window', 'sm_80 --softcap', 'sm_80 --alibi', 'sm_80 --causal --window --softcap --alibi', 'sm_80 --varlen --causal', 'sm_80 --lse --causal',
    'sm_80 --head-dim 64 --varlen --causal --window --softcap --alibi --lse', 'sm_80 --stages 2', 'sm_86', 'sm_86 --causal', 'sm_87 --causal', 'sm_89', 'sm_89 --causal',
    'sm_89 --element f8E4M3FN', 'sm_89 --element f8E4M3FN --head-dim 64 --causal', 'sm_120a --element f8E4M3FN --head-dim 256 --varlen', 'sm_89 --head-dim 64', 'sm_89 --head-dim 96 --causal', 'sm_89 --head-dim 192', 'sm_89 --head-dim 256', 'sm_120a', 'sm_120a --causal', 'sm_120a --head-dim 64 --causal',
    'sm_75 --element f16', 'sm_75 --element f16 --causal', 'sm_75 --element f16 --head-dim 64', 'sm_75 --element f16 --head-dim 256')]
gradients = ['', '--causal', '--head-dim 64', '--head-dim 64 --causal --element f16', '--head-dim 96 --causal']
gradients += ['--causal --window', '--softcap --alibi --head-dim 64', '--varlen --causal', '--head-dim 192 --causal', '--head-dim 256', '--arch sm_89 --head-dim 256']
gradients += [f'--arch {form}' for form in ('sm_80 --causal --window --softcap --alibi', 'sm_80 --varlen --head-dim 64',
                                            'sm_75 --element f16 --causal', 'sm_75 --element f16 --head-dim 64', 'sm_80', 'sm_80 --causal', 'sm_80 --head-dim 64', 'sm_80 --head-dim 96 --causal',
                                            'sm_89 --head-dim 64 --causal', 'sm_100a --causal', 'sm_120a')]
decode = ['', '--head-dim 192', '--head-dim 256 --teams 4 --page 16', '--causal', '--head-dim 64', '--splits 1 --element f16', '--head-dim 96', '--causal --window --softcap --alibi']
decode += [f'--arch {form}' for form in (
    'sm_75 --element f16', 'sm_75 --element f16 --head-dim 64 --causal --teams 8', 'sm_80', 'sm_80 --head-dim 64', 'sm_80 --head-dim 96 --lengths', 'sm_80 --teams 8 --page 16',
    'sm_80 --causal --window --softcap --alibi', 'sm_86', 'sm_89 --page 64 --causal', 'sm_120a', 'sm_120a --splits 1 --teams 8', 'sm_100a', 'sm_103a --teams 4 --page 16')]
rows = [('rmsnorm', ''), ('rmsnorm', '--columns 128 --element f16'), ('layernorm', '--columns 1024'), ('layernorm', '--columns 40000'),
        ('rmsnorm-backward', ''), ('rmsnorm-weights-backward', ''), ('layernorm-backward', '--columns 8192'), ('layernorm-weights-backward', '--element f32'),
        ('softmax', '--columns 8192'), ('softmax', '--columns 65536 --result f32'), ('softmax-backward', ''), ('cross-entropy', '--columns 128256'),
        ('cross-entropy-backward', '--columns 32000'), ('rope', '--columns 128'), ('rope-backward', '--columns 64'),
        ('act-mul', '--columns 14336'), ('act-mul', '--activation gelu --element f32'), ('quantize', ''), ('quantize', '--segment 128 --result i8'),
        ('transpose', ''), ('transpose', '--element f32')]
forms = ([('gemm', f) for f in gemm_types + gemm_shapes + gemm_tiles + [f'{e} --tile-n 64' for e in gemm_epilogues] + gemm_factors + gemm_weights + blackwell + warps] +
         [('attention', f) for f in attention + ['--tile-n 128', '--consumers 1']] +
         [('attention-backward', f) for f in gradients] + [('decode', f) for f in decode] + rows)


def targets(name):
    """The architectures that a kernel of this name is for."""
    if 'geforce' in name:
        return ['sm_120a']
    if name.startswith('hopper'):
        return ['sm_90a']
    if name.startswith('blackwell'):
        return ['sm_100a']
    return ['sm_80', 'sm_90a']


def inputs(tessera, folder):
    """Yields (name, file, target) of every input; files that have to be made go to `folder`."""
    for path in sorted((root / 'examples').glob('*.mlir')):
        for target in targets(path.stem):
            yield f'examples/{path.name}', path, target
    for command, form in forms:
        path = folder / re.sub(r'\W+', '-', f'{command} {form}.mlir')
        done = subprocess.run([tessera, 'generate', command, *form.split(), '-o', path], capture_output=True, text=True)
        if done.returncode:
            path.write_text('')
        yield f'generate {command} {form}'.strip(), path, (re.findall(r'--arch (\S+)', form) or ['sm_90a'])[0]
    corpus = os.environ.get('TESSERA_CORPUS')
    for path in sorted(pathlib.Path(corpus).glob('*/input*.mlir*')) if corpus else []:
        name = f'corpus/{path.parent.name}/{path.name.removesuffix(".xz")}'
        if path.suffix == '.xz':
            plain = folder / name.replace('/', '-')
            plain.write_bytes(lzma.decompress(path.read_bytes()))
            path = plain
        for target in targets(name.split('/')[1]):
            yield name, path, target


def kernels(cubin):
    """Yields (kernel, code bytes, registers, stack bytes) of an ELF file of NVIDIA's; ELF64 little-endian."""
    offset, = struct.unpack_from('<Q', cubin, 40)
    size, count, names = struct.unpack_from('<HHH', cubin, 58)
    sections = [struct.unpack_from('<IIQQQQIIQQ', cubin, offset + i * size) for i in range(count)]

    def text(section, at):
        start = sections[section][4] + at
        return cubin[start:cubin.index(0, start)].decode()

    symbols = next(i for i, s in enumerate(sections) if s[1] == 2)
    strings = sections[symbols][6]
    told = {0x2f: {}, 0x11: {}}  # EIATTR_REGCOUNT and EIATTR_FRAME_SIZE, each: symbol, number
    for s in sections:
        if text(names, s[0]) == '.nv.info':
            at, end = s[4], s[4] + s[5]
            while at < end:
                form, attribute, length = struct.unpack_from('<BBH', cubin, at)
                if form == 4 and attribute in told:
                    symbol, amount = struct.unpack_from('<II', cubin, at + 4)
                    name, = struct.unpack_from('<I', cubin, sections[symbols][4] + 24 * symbol)
                    told[attribute][text(strings, name)] = amount
                at += 4 + (length if form == 4 else 0)
    for s in sections:
        name = text(names, s[0])
        if name.startswith('.text.'):
            kernel = name.removeprefix('.text.')
            yield kernel, cubin[s[4]:s[4] + s[5]], told[0x2f][kernel], told[0x11].get(kernel, 0)


def measure(tessera, name, path, target, folder):
    """The rows of an input: (input, target, kernel number, hash, registers, stack bytes, instructions)."""
    cubin = pathlib.Path(folder) / (hashlib.sha256(f'{name} {target}'.encode()).hexdigest() + '.cubin')
    done = subprocess.run([tessera, 'compile', path, '--arch', target, '--emit', 'cubin', '--no-cache', '-o', cubin],
                          capture_output=True, text=True)
    if done.returncode or not cubin.exists():
        return [(name, target, '-', 'refused', '-', '-', '-')]
    rows = [(hashlib.sha256(code).hexdigest()[:16], str(registers), str(stack), str(len(code) // 16))
            for _, code, registers, stack in kernels(cubin.read_bytes())]
    return [(name, target, str(i), *row) for i, row in enumerate(rows)]


def among(known, rows):
    """The rows of a table, with new ones in the place of the old ones of the same inputs and targets; others come last."""
    new = {}
    for row in rows:
        new.setdefault(tuple(row[:2]), []).append(tuple(row))
    merged, done = [], set()
    for row in map(tuple, known):
        if row[:2] not in new:
            merged.append(row)
        elif row[:2] not in done:
            merged += new[row[:2]]
            done.add(row[:2])
    return merged + [row for key, some in new.items() if key not in done for row in some]


def ptxas_or_exit(code=1):
    """ptxas of the version that the tables are for; without it the program ends with this code."""
    ptxas = os.environ.get('TESSERA_PTXAS') or shutil.which('ptxas') or '/usr/local/cuda/bin/ptxas'
    try:
        said = subprocess.run([ptxas, '--version'], capture_output=True, text=True).stdout
    except FileNotFoundError:
        said = f'no {ptxas} here'
    if f'release {version},' not in said:
        print(f'error: expects ptxas {version}, as other versions make other code, but got: {said.strip()}', file=sys.stderr)
        sys.exit(code)
    return ptxas


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('tessera')
    parser.add_argument('--write', action='store_true', help='write the table instead of comparing with it')
    parser.add_argument('--only', default='', help='only the inputs with this word in their name')
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    options = parser.parse_args()

    ptxas_or_exit()

    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        work = [w for w in inputs(options.tessera, pathlib.Path(folder)) if options.only in w[0]]
        rows = []
        for i, made in enumerate(pool.map(lambda w: measure(options.tessera, *w, folder), work)):
            rows += made
            if sys.stderr.isatty() or i % 20 == 19:
                print(f'  {i + 1}/{len(work)} {work[i][0]}', file=sys.stderr)
    header = ('input', 'target', 'kernel', 'code', 'registers', 'stack', 'instructions')
    if options.write:
        if options.only:
            rows = among([line.split('\t') for line in table.read_text().splitlines()[1:]], rows)
        table.parent.mkdir(exist_ok=True)
        table.write_text(''.join('\t'.join(row) + '\n' for row in [header, *rows]))
        print(f'{len(rows)} rows of {len(work)} inputs written to {table.relative_to(root)}')
        return 0
    known = {tuple(r[:3]): tuple(r[3:]) for r in (line.split('\t') for line in table.read_text().splitlines()[1:])
             if options.only in r[0]}
    different = [(k, known.get(k), new.get(k)) for new in [{tuple(r[:3]): tuple(r[3:]) for r in rows}]
                 for k in sorted(known.keys() | new.keys()) if known.get(k) != new.get(k)
                 and (k in new or not k[0].startswith('corpus/') or os.environ.get('TESSERA_CORPUS'))]
    for key, before, after in different:
        print(f'{" ".join(key)}: {" ".join(before or ["none"])} -> {" ".join(after or ["none"])}')
    left_out = 0 if os.environ.get('TESSERA_CORPUS') else sum(k[0].startswith('corpus/') for k in known)
    print(f'{len(rows)} kernels: {len(different)} differ (code, registers, stack bytes, instructions)'
          f'{f"; {left_out} of the corpus left out, as TESSERA_CORPUS is not set" if left_out else ""}')
    return 1 if different else 0


if __name__ == '__main__':
    sys.exit(main())
