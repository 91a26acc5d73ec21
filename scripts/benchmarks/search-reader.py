"""Times reader's search against jimmy's on the same 10,000 episodes. Called by scripts/benchmarks/search."""
import csv
import statistics
import subprocess
import sys
import time
from pathlib import Path

from reader import make_reader

tool, folder = sys.argv[1], Path(sys.argv[2])
database = str(folder / "reader.sqlite")
reader = make_reader(database)
reader.add_feed("https://example.com/feed", allow_invalid_url=True)
with open(folder / "some.csv", encoding="utf-8") as rows:
    for number, (title, description) in enumerate(csv.reader(rows)):
        entry = dict(feed_url="https://example.com/feed", id=str(number), title=title, summary=description)
        reader.add_entry(entry)
reader.enable_search()
reader.update_search()
reader.close()
search = (
    "import sys, itertools; from reader import make_reader\n"
    "for e in itertools.islice(make_reader(sys.argv[1]).search_entries(sys.argv[2]), 20): print(e.id)")


def best(command, runs=3):
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        times.append(time.perf_counter() - start)
    return min(times) * 1000


pairs = []
for line in (folder / "queries").read_text().splitlines()[::6]:
    _, query, match = line.split("\t")
    mine = best([tool, "search", str(folder / "some-index"), query])
    pairs.append((mine, best([sys.executable, "-c", search, database, match])))
start = best([sys.executable, "-c", "import reader"])
a, b = (statistics.median(column) for column in zip(*pairs))
print(f"jimmy / reader  {a:7.1f} ms{b:9.1f} ms{a / b:8.3f} (10,000 episodes; of reader's time {start:.0f} ms are its start)")
