"""A PostgreSQL server of a benchmark's own: on loopback, in a temporary folder, gone with the benchmark."""
import os
import pathlib
import shutil
import socket
import subprocess
import sys


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Postgres:
    def __init__(self, root, *settings):
        binaries = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parent.name))
        if not binaries:
            sys.exit("bench: needs PostgreSQL (apt-get install postgresql-15)")
        self.bin, self.data, self.port = binaries[-1], root / "postgres", free_port()
        self.data.mkdir(parents=True)
        self.user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.getuid() == 0 else []
        if self.user:
            shutil.chown(self.data, "postgres")
        self.run("initdb", "-U", "jimmy", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
        options = ["shared_buffers=1GB", "max_wal_size=8GB", "checkpoint_timeout=30min", "max_connections=200",
                   "shared_preload_libraries=pg_stat_statements", "pg_stat_statements.track_planning=on", *settings]
        self.run("pg_ctl", "-w", "-l", str(self.data / "log"), "start", "-o",
                 f"-p {self.port} -k {self.data} -c listen_addresses=127.0.0.1 " + " ".join(f"-c {option}" for option in options))
        self.sql("CREATE DATABASE library", database="postgres")
        self.sql("CREATE EXTENSION pg_stat_statements")

    def run(self, program, *words):
        done = subprocess.run([*self.user, self.bin / program, "-D", self.data, *words], cwd="/", stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode:
            sys.exit(f"bench: {program}: {done.stderr}")

    def address(self, schema="jimmy"):
        return f"postgresql://jimmy@127.0.0.1:{self.port}/library?schema={schema}"

    def command(self, database="library"):
        return ["psql", "-qAtX", "-v", "ON_ERROR_STOP=1", f"postgresql://jimmy@127.0.0.1:{self.port}/{database}"]

    def sql(self, text, database="library"):
        return subprocess.run(self.command(database), input=text, check=True, stdout=subprocess.PIPE, text=True).stdout

    def costs(self):
        """What the statements of jimmy's tables cost since the last call: calls, milliseconds, blocks."""
        row = self.sql("""SELECT coalesce(sum(calls), 0), coalesce(sum(total_exec_time + total_plan_time), 0),
            coalesce(sum(shared_blks_hit + shared_blks_read), 0) FROM pg_stat_statements WHERE query LIKE '%"jimmy".%';
            SELECT pg_stat_statements_reset()""").split("\n")[0]
        return [float(value) for value in row.split("|")]

    def stop(self):
        self.run("pg_ctl", "-m", "immediate", "stop")
