"""Draws a part of a Perfetto trace: picture.py TRACE PROCESS FROM_US TO_US OUT.svg TRACK... (docs/timeline.svg)

A track is a name, or one that ends in * for several in one band.
"""
import sys
from html import escape

import perfetto

WIDTH, LEFT, BAND, GAP = 1100, 235, 22, 6
COLOURS = ["#4477aa", "#ccbb44", "#228833", "#aa3377", "#66ccee", "#ee6677"]


def shapes_of_slices(track, y, height, x_of, start, end, colour):
    for name, begin, stop in sorted(track.slices, key=lambda s: s[1]):
        if stop < start or begin > end:
            continue
        x, to = x_of(max(begin, start)), x_of(min(stop, end))
        yield (f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(to - x, 0.4):.1f}" height="{height:.1f}" fill="{colour}" '
               f'stroke="white" stroke-width="0.4"/>')
        if to - x > 7 * len(name) and height > 11:
            yield f'<text x="{(x + to) / 2:.1f}" y="{y + height / 2 + 4:.1f}" text-anchor="middle" fill="white">{escape(name)}</text>'


def shapes_of_counter(track, y, height, x_of, start, end, colour):
    points = [(at, value) for at, value in track.counters if start <= at <= end]
    most = max((value for _, value in points), default=0) or 1
    path, last = "", None
    for at, value in points:
        to = y + height * (1 - value / most)
        path += f"M{x_of(at):.1f},{to:.1f}" if last is None else f"H{x_of(at):.1f}V{to:.1f}"
        last = to
    yield f'<path d="{path}" fill="none" stroke="{colour}"/>'
    yield f'<text x="{WIDTH + 4}" y="{y + 9}" fill="{colour}">{most:.3g} {escape(track.unit or "")}</text>'


def draw(tracks, process, start, end, patterns):
    def x_of(at):
        return LEFT + (at - start) / (end - start) * (WIDTH - LEFT)

    out, y = [], 10
    for number, pattern in enumerate(patterns):
        found = [t for t in tracks if t.process == process and
                 (t.name.split(" (")[0] == pattern or pattern.endswith("*") and t.name.startswith(pattern[:-1]))]
        if not found:
            sys.exit(f"no track {pattern}")
        colour, rows = COLOURS[number % len(COLOURS)], 1 if found[0].counters else len(found)
        row = max(BAND if rows <= 2 else 8, 4)
        out.append(f'<text x="4" y="{y + rows * row / 2 + 4:.1f}">{escape(pattern)}</text>')
        for lane, track in enumerate(found):
            shapes = shapes_of_counter if track.counters else shapes_of_slices
            out += shapes(track, y + (lane if rows > 1 else 0) * row, row - 1, x_of, start, end, colour)
        y += rows * row + GAP
    for tick in range(6):
        at = start + (end - start) * tick // 5
        out.append(f'<text x="{x_of(at):.1f}" y="{y + 12}" text-anchor="middle">{at / 1000:.0f} us</text>')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH + 110}" height="{y + 20}" '
            f'font-family="sans-serif" font-size="11"><rect width="100%" height="100%" fill="white"/>\n'
            + "\n".join(out) + "\n</svg>\n")


def main():
    path, process, start, end, out, *patterns = sys.argv[1:]
    svg = draw(perfetto.read(path), process, int(float(start) * 1000), int(float(end) * 1000), patterns)
    with open(out, "w", encoding="utf-8") as file:
        file.write(svg)


if __name__ == "__main__":
    main()
