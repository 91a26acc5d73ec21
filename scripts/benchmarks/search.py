"""Times the queries of `scripts/bench search` and prints ratios. Called by scripts/benchmarks/search."""
import csv
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

tool, folder, words = sys.argv[1], Path(sys.argv[2]), sys.argv[3]


def best(command, runs=3):
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        out = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
        times.append(time.perf_counter() - start)
    return min(times) * 1000, out.count(b"\n")


def peak_memory(command):
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    return os.wait4(child.pid, 0)[2].ru_maxrss / 1024


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def median_ratio(kind, pairs):
    a, b = (statistics.median(column) for column in zip(*pairs))
    print(f"{kind:16}{a:7.1f} ms{b:9.1f} ms{a / b:8.3f}")


index, plain, lines = folder / "index", folder / "plain.sqlite", folder / "text.jsonl"
built = dict(line.split() for line in (folder / "built").read_text().splitlines())
size = sum(path.stat().st_size for path in index.rglob("*"))
text = int(built["bytes"])
print(f"{built['episodes']} episodes, {text / 1e6:.0f} MB of text")
print(f"indexing: {int(built['episodes']) / float(built['cpuSeconds']):.0f} episodes a CPU second")
print(f"index size: {size / text:.2f} of the text (plain FTS5 table: {plain.stat().st_size / text:.2f})")

start = min(best(["/bin/true"], 5)[0] for _ in range(2))
ours, floor, kinds, patterns, peak = [], [], {}, [], 0
for line in (folder / "queries").read_text().splitlines():
    kind, query, match = line.split("\t")
    mine, hits = best([tool, "search", str(index), query])
    sql = f"SELECT rowid FROM e WHERE e MATCH '{match}' ORDER BY rank LIMIT 20"
    theirs, _ = best(["sqlite3", str(plain), sql])
    peak = max(peak, peak_memory([tool, "search", str(index), query]))
    ours.append(mine)
    floor.append(theirs)
    kinds.setdefault(kind, []).append((mine, theirs))
    patterns.append((mine, [query.strip('"')] if '"' in query else query.replace("*", "").split()))
    if os.environ.get("VERBOSE"):
        print(f"  {kind:14}{query:28}{mine:9.1f} ms {theirs:9.1f} ms {hits} hits")

print(f"{'':16}{'jimmy':>10}{'sqlite3':>12}{'ratio':>8}")
for kind, pairs in kinds.items():
    median_ratio(kind, pairs)
for name, share in [("median", 0.5), ("p95", 0.95), ("worst", 1.0)]:
    a, b = percentile(ours, share), percentile(floor, share)
    print(f"{name:16}{a:7.1f} ms{b:9.1f} ms{a / b:8.3f}")
print(f"peak memory of a search: {peak:.0f} MB; /bin/true: {start:.1f} ms")

day = folder / "day"
shutil.copytree(index, day)
before = {path.name for path in day.iterdir()}
new, milliseconds = subprocess.check_output([tool, "refresh", built["episodes"], words, str(day)], text=True).split()
written = sum(path.stat().st_size for path in day.iterdir() if path.name not in before or path.name == "manifest")
print(f"a refresh with {new} new episodes: {float(milliseconds):.1f} ms of CPU more, {written / 1e3:.0f} kB written")
shutil.rmtree(day)

with open(folder / "text.csv", encoding="utf-8") as rows, open(lines, "w", encoding="utf-8") as out:
    for title, description in csv.reader(rows):
        out.write(json.dumps({"title": title, "description": description}, ensure_ascii=False) + "\n")
for name, command in [("grep", "grep -iF"), ("rg", "rg -iFN")]:
    if not shutil.which(name):
        continue
    pairs = []
    for mine, words in patterns[::6]:
        search = [f"{command} '{words[0]}' {lines}"] + [f"{command} '{word}'" for word in words[1:]]
        # Without `cat` grep sees that nobody reads, and stops at the first line.
        pairs.append((mine, best(["sh", "-c", " | ".join(search + ["cat"])], 1)[0]))
    median_ratio(f"jimmy / {name}", pairs)
