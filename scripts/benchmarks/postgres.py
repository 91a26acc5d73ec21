"""A PostgreSQL server for one benchmark: on loopback, in a temporary folder, removed when the benchmark ends."""
import os
import pathlib
import shutil
import socket
import subprocess
import sys

SERVER = pathlib.Path(__file__).parent.parent / "throwaway-postgres"
# The settings of a durable server.
SETTINGS = ["fsync=on", "shared_buffers=1GB", "max_wal_size=8GB", "checkpoint_timeout=30min",
            "shared_preload_libraries=pg_stat_statements", "pg_stat_statements.track_planning=on"]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Postgres:
    def __init__(self, root, *settings):
        if not any(pathlib.Path("/usr/lib/postgresql").glob("*/bin")):
            sys.exit("bench: needs PostgreSQL (apt-get install postgresql-15)")
        self.port = free_port()
        options = " ".join(f"-c {setting}" for setting in [*SETTINGS, *settings])
        self.server = subprocess.Popen([SERVER, str(self.port), options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                       env={**os.environ, "TMPDIR": str(root)})
        self.folder = self.server.stdout.readline().strip()
        if not self.folder:
            sys.exit("bench: PostgreSQL does not start")
        self.sql("CREATE EXTENSION pg_stat_statements")

    def address(self, schema="jimmy"):
        return f"postgresql://jimmy@127.0.0.1:{self.port}/library?schema={schema}"

    def command(self):
        return ["psql", "-qAtX", "-v", "ON_ERROR_STOP=1", f"postgresql://jimmy@127.0.0.1:{self.port}/library"]

    def sql(self, text):
        return subprocess.run(self.command(), input=text, check=True, stdout=subprocess.PIPE, text=True).stdout

    def costs(self):
        """Returns the costs of the statements on jimmy's tables since the last call: calls, milliseconds, blocks."""
        row = self.sql("""SELECT coalesce(sum(calls), 0), coalesce(sum(total_exec_time + total_plan_time), 0),
            coalesce(sum(shared_blks_hit + shared_blks_read), 0) FROM pg_stat_statements WHERE query LIKE '%"jimmy".%';
            SELECT pg_stat_statements_reset()""").split("\n")[0]
        return [float(value) for value in row.split("|")]

    def stop(self):
        self.server.stdin.close()
        self.server.wait()
