"""Times commands on the library in $JIMMY_LIBRARY: the median of eleven runs, after a first run that makes derived files."""

import os
import statistics
import sys
import time

ROUNDS = 11
COMMANDS = [["--version"], ["refresh"], ["search", "qzxjkvw"], [], ["queue"], ["show", "no such title"]]


def run(command):
    start = time.monotonic()
    child = os.posix_spawn(
        command[0],
        command,
        os.environ,
        file_actions=[(os.POSIX_SPAWN_OPEN, fd, "/dev/null", os.O_WRONLY, 0) for fd in (1, 2)],
    )
    _, _, usage = os.wait4(child, 0)
    return time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss


jimmy = sys.argv[1]
print(f"{'command':34} {'first ms':>9} {'wall ms':>9} {'CPU ms':>8} {'MB':>6}")
for arguments in COMMANDS:
    first = run([jimmy, *arguments])[0]
    runs = [run([jimmy, *arguments]) for _ in range(ROUNDS)]
    wall, cpu, memory = (statistics.median(values) for values in zip(*runs))
    name = " ".join(["jimmy", *arguments])
    print(f"{name:34} {first * 1000:9.1f} {wall * 1000:9.1f} {cpu * 1000:8.1f} {memory / 1024:6.1f}")
