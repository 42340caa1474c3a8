#!/usr/bin/env python3
"""Writes the Accel-Sim trace (tracer version 5) of a tiled FP16 GEMM, as Volta's HMMA.884 would run it.

C (M x N) = A (M x K) B (K x N), all row-major, 128 x 128 x 32 tiles, 8 warps a block, two buffers in shared memory; or a slice of
one, the first steps along K of matrices with longer rows. For the shapes of tests/trace/data/accelsim it writes the same bytes as are there. The text is made a thread block at a time.
"""

import argparse
import dataclasses
import functools
import gzip
import pathlib
import sys

TILE, STEP, WARPS, ELEMENT = 128, 32, 8, 2
A, B, C = 0x7F0000000000, 0x7F0010000000, 0x7F0020000000
SHARED, BUFFER = 0x7FFF00000000, 0x4000  # window of shared memory; from one buffer to the other
LANE = 16  # bytes of a lane's access
LDS_BYTES = 32 * LANE  # of a warp's access to shared memory
HEAD = """-kernel name = synth_hgemm_128x128x32
-kernel id = 1
-grid dim = ({columns},{rows},1)
-block dim = (256,1,1)
-shmem = 32768
-nregs = 128
-binary version = 70
-cuda stream id = 0
-shmem base_addr = 0x00007fff00000000
-local mem base_addr = 0x00007ffe00000000
-nvbit version = 1.5.5
-accelsim tracer version = 5
-enable lineinfo = 0

#traces format = [line_num] PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width [adrrescompress?] [mem_addresses] immediate


"""


def rectangle(address, row_bytes, pitch):
    """Addresses of 32 lanes over rows of `row_bytes`, `pitch` apart, as the tracer packs them."""
    lanes = row_bytes // LANE
    deltas = [pitch - row_bytes + LANE if lane % lanes == 0 else LANE for lane in range(1, 32)]
    if len(set(deltas)) == 1:
        return f"1 {address:#014x} {deltas[0]}"
    return f"2 {address:#014x} " + " ".join(map(str, deltas))


class Program:
    """Lines of a warp, from a program counter on."""

    def __init__(self, pc):
        self.pc = pc
        self.lines = []

    def op(self, text, access=None):
        self.lines.append(f"{self.pc:04x} ffffffff {text} " + (f"{LANE} {access} 0 " if access else "0 0 "))
        self.pc += 16


@functools.cache
def setup():
    program = Program(0)
    for text in ["1 R0 S2R 0", "1 R1 S2R 0", "1 R2 IMAD.MOV.U32 1 R255"]:
        program.op(text)
    for r in range(4, 12):
        program.op(f"1 R{r} IMAD.WIDE 3 R0 R1 R2")
    return program


def loads(shape, block, w, step):
    """The warp's part of a step's tiles of A and B, into registers."""
    column, row = block
    program = Program(setup().pc)
    pitch = ELEMENT * shape.lda
    a = A + (row * TILE + 16 * w) * pitch + step * STEP * ELEMENT
    for i in range(2):  # 8 rows of 64 B
        program.op(f"1 R{120 + 4 * i} LDG.E.128.SYS 1 R4", rectangle(a + i * 8 * pitch, 64, pitch))
    pitch = ELEMENT * shape.ldn
    b = B + (step * STEP + 4 * w) * pitch + column * TILE * ELEMENT
    for i in range(2):  # 2 rows of 256 B
        program.op(f"1 R{128 + 4 * i} LDG.E.128.SYS 1 R6", rectangle(b + i * 2 * pitch, 256, pitch))
    return program


@functools.cache
def multiply(pc, w, full):
    """Multiplies the tiles in shared memory's buffer `full`, then puts the loaded ones into the other."""
    program = Program(pc)
    for part in range(8):  # from three fragments, in two sets of registers by turns
        base = 96 + part % 2 * 12
        for i in range(3):
            access = f"1 {SHARED + full * BUFFER + (3 * part + i) * LDS_BYTES:#014x} {LANE}"
            program.op(f"1 R{base + 4 * i} LDS.U.128 1 R8", access)
        for i in range(32):
            sums = 32 + 2 * i
            operands = f"R{base + i // 16 * 2} R{base + 8 + i // 4 % 4} R{sums}"
            program.op(f"1 R{sums} HMMA.884.F32.F32.STEP{i % 4} 3 {operands}")
        program.op("1 R8 IADD3 3 R8 R2 R255")
    for r in (4, 6):
        program.op(f"1 R{r} IADD3 3 R{r} R2 R255")
    for i in range(4):
        address = SHARED + (1 - full) * BUFFER + (4 * w + i) * LDS_BYTES
        program.op(f"0 STS.128 2 R9 R{120 + 4 * i}", f"1 {address:#014x} {LANE}")
    for text in ("0 BAR.SYNC 0", "0 ISETP.GE.AND 2 R10 R255", "0 BRA 0"):
        program.op(text)
    return program


def output(shape, block, w, pc):
    """Sums to FP16, and 64 x 32 of them to memory."""
    (column, row), pitch = block, ELEMENT * shape.ldn
    program = Program(pc)
    for i in range(32):
        program.op(f"1 R{32 + i} F2F.F16.F32 1 R{32 + 2 * i}")
    c = C + (row * TILE + w // 4 * 64) * pitch + (column * TILE + w % 4 * 32) * ELEMENT
    for i in range(8):  # 8 rows of 64 B
        access = rectangle(c + i * 8 * pitch, 64, pitch)
        program.op(f"0 STG.E.128.SYS 2 R12 R{32 + 4 * i}", access)
    program.op("0 EXIT 0")
    return program


def warp_lines(shape, block, w):
    lines = list(setup().lines)
    for step in range(shape.steps):
        loading = loads(shape, block, w, step)
        computing = multiply(loading.pc, w, step % 2)
        lines += loading.lines + computing.lines
    return lines + output(shape, block, w, computing.pc).lines


@dataclasses.dataclass(frozen=True)
class Shape:
    """What the kernel multiplies, and how far apart rows are (elements): of A, of B and C."""

    m: int
    n: int
    steps: int
    lda: int
    ldn: int


def shape_of(m, n, k, steps=0, lda=0, ldn=0):
    """`steps` along K of 32 (0: all, the last a whole one); `lda`, `ldn`: 0: K, N."""
    if m <= 0 or n <= 0 or k <= 0 or m % TILE or n % TILE or k % 16:
        sys.exit(f"gemm_trace.py: M {m}, N {n}, K {k}: M and N must be multiples of {TILE}, K of 16 (whole sectors)")
    return Shape(m, n, steps or -(-k // STEP), lda or k, ldn or n)


def blocks(m, n):
    """(x, y) of the thread blocks, in order of dispatch."""
    return [(column, row) for row in range(m // TILE) for column in range(n // TILE)]


def kernel_text(*arguments):
    """The parts of the kernel's file, in order; arguments as of shape_of()."""
    shape = shape_of(*arguments)
    m, n = shape.m, shape.n
    yield HEAD.format(columns=n // TILE, rows=m // TILE)
    for i, block in enumerate(blocks(m, n)):
        text = ("\n" if i else "") + f"#BEGIN_TB\n\nthread block = {block[0]},{block[1]},0\n"
        for w in range(WARPS):
            lines = warp_lines(shape, block, w)
            text += f"\nwarp = {w}\ninsts = {len(lines)}\n" + "\n".join(lines) + "\n"
        yield text + "\n#END_TB\n"


def sectors(*arguments):
    """32 B sectors before any cache: loaded, stored, and the different ones among those loaded."""
    shape = shape_of(*arguments)
    depth = shape.steps * STEP
    # Where a row of A is shorter than the steps, the last step's loads run on into the next rows.
    a = shape.m * min(depth, shape.lda) + max(depth - shape.lda, 0)
    loaded = len(blocks(shape.m, shape.n)) * depth * 2 * TILE
    return tuple(elements * ELEMENT // 32 for elements in (loaded, shape.m * shape.n, a + depth * shape.n))


def write_kernel(path, *arguments):
    with open(path, "wb") as file:
        packed = gzip.GzipFile(filename="", mode="wb", fileobj=file, compresslevel=1, mtime=0)
        with packed:
            for text in kernel_text(*arguments):
                packed.write(text.encode())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in "mnk":
        parser.add_argument(name, type=int)
    parser.add_argument("folder", type=pathlib.Path, help="gets kernelslist.g and kernel-1.traceg.gz")
    parser.add_argument("--steps", type=int, default=0, help="along K, of 32 each; 0: all")
    parser.add_argument("--lda", type=int, default=0, help="from a row of A to the next, in elements; 0: K")
    parser.add_argument("--ldn", type=int, default=0, help="the same of B and C; 0: N")
    arguments = parser.parse_args()
    m, n, k = arguments.m, arguments.n, arguments.k
    arguments.folder.mkdir(parents=True, exist_ok=True)
    write_kernel(
        arguments.folder / "kernel-1.traceg.gz", m, n, k, arguments.steps, arguments.lda, arguments.ldn
    )
    copies = f"MemcpyHtoD,{A:#018x},{m * k * ELEMENT}\nMemcpyHtoD,{B:#018x},{k * n * ELEMENT}\n"
    (arguments.folder / "kernelslist.g").write_text(copies + "kernel-1.traceg\n")


if __name__ == "__main__":
    main()
