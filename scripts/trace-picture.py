#!/usr/bin/env python3
"""Draws a trace of `jimmy refresh --trace` as SVG.

The top row shows the number of busy cores. Each row below it shows the number of feeds in one stage.
"""
import argparse
import json

STAGES = ["firstByte", "body", "parse", "compare", "commit", "index"]
COLOURS = ["#7a8ca3", "#5b8fc9", "#3f9c85", "#b3893b", "#b5604a", "#8a63b0"]
WIDTH, LEFT, RIGHT, TOP, ROW, GAP, BUCKETS = 840, 90, 20, 30, 56, 12, 360


def at_once(spans, end):
    """Returns the average number of open spans in each bucket."""
    counts = [0.0] * BUCKETS
    step = end / BUCKETS
    for start, length in spans:
        first, last = int(start / step), min(BUCKETS - 1, int((start + length) / step))
        for bucket in range(first, last + 1):
            inside = min(start + length, (bucket + 1) * step) - max(start, bucket * step)
            counts[bucket] += max(0.0, inside) / step
    return counts


def averages(samples, end):
    """Returns the counter's mean in each bucket. A bucket without samples has the value of the previous one."""
    sums = [[] for _ in range(BUCKETS)]
    for time, value in samples:
        sums[min(BUCKETS - 1, int(time / end * BUCKETS))].append(value)
    values, last = [], 0
    for bucket in sums:
        last = sum(bucket) / len(bucket) if bucket else last
        values.append(last)
    return values


def area(name, values, most, colour, row, unit):
    base, width = TOP + row * (ROW + GAP) + ROW, WIDTH - LEFT - RIGHT
    points = " ".join(
        f"{LEFT + width * index / (len(values) - 1):.1f},{base - ROW * min(value, most) / most:.1f}"
        for index, value in enumerate(values))
    return (f'<text x="{LEFT - 10}" y="{base - ROW + 12}" text-anchor="end">{name}</text>'
            f'<text x="{LEFT - 10}" y="{base - ROW + 28}" text-anchor="end" class="dim">{unit}</text>'
            f'<line x1="{LEFT}" y1="{base}" x2="{WIDTH - RIGHT}" y2="{base}" class="axis"/>'
            f'<polygon points="{LEFT},{base} {points} {WIDTH - RIGHT},{base}" fill="{colour}"/>')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.error = lambda message: parser.exit(64, f"{parser.format_usage()}{message}\n")
    parser.add_argument("trace")
    parser.add_argument("picture")
    options = parser.parse_args()
    events = json.load(open(options.trace))["traceEvents"]
    end = max(event["ts"] + event.get("dur", 0) for event in events if "ts" in event)
    cores = averages([(e["ts"], e["args"]["value"]) for e in events if e["ph"] == "C" and e["name"] == "cores busy"], end)
    most = max(2, round(max(cores)))
    rows = [area("cores busy", cores, most, "#444c56", 0, f"of {most}")]
    for row, (stage, colour) in enumerate(zip(STAGES, COLOURS), 1):
        values = at_once([(e["ts"], e["dur"]) for e in events if e["ph"] == "X" and e["name"] == stage], end)
        rows.append(area(stage, values, max(1, *values), colour, row, f"up to {max(values):.0f}"))
    height = TOP + len(rows) * (ROW + GAP) + 24
    seconds = [f'<text x="{LEFT + (WIDTH - LEFT - RIGHT) * part / 4:.0f}" y="{height - 8}" text-anchor="middle" class="dim">'
               f'{end * part / 4e6:.1f} s</text>' for part in range(5)]
    open(options.picture, "w").write(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="12">'
        '<style>svg { background: #fff; color: #24292f } text { fill: #24292f } .dim { fill: #6e7781 } '
        '.axis { stroke: #d0d7de } @media (prefers-color-scheme: dark) { svg { background: #0d1117 } text { fill: #e6edf3 } '
        '.dim { fill: #8d96a0 } .axis { stroke: #30363d } polygon { filter: brightness(1.25) } }</style>'
        + "".join(rows) + "".join(seconds) + "</svg>\n")


main()
