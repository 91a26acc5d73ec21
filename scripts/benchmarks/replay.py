#!/usr/bin/env python3
"""Records random refreshes against an odd server, and replays each under two settings: the libraries must be equal.

replay.py JIMMY [RUNS] [SEED]
"""
import filecmp
import gzip
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRETS = ["s3cr3tPass9", "usr0name7", "tok3n4you2", "q9x8w7v6u5", "pathT0ken77x", "selfT0ken42z"]


class Odd(BaseHTTPRequestHandler):
    """Each path misbehaves in its own way, and differently in each round."""

    protocol_version = "HTTP/1.1"
    round = 0
    seed = 0
    base = ""

    def log_message(self, *_):
        pass

    def feed(self, number, chance):
        count = chance.randrange(1, 30) + Odd.round
        guid = "new" if Odd.round > 1 and number % 17 == 3 else "g"
        items = "".join(
            f"<item><guid>{guid}{number}-{k}</guid><title>Episode {k} of {number}</title>"
            f"<description>{'Words of the day. ' * (k % 60)}</description>"
            f'<enclosure url="http://media.example/{number}/{k}.mp3" type="audio/mpeg" length="1"/></item>'
            for k in range(count))
        extra = ""
        if number % 11 == 5 and Odd.round > 0:
            extra = f"<itunes:new-feed-url>{Odd.base}/f/{number + 1000}</itunes:new-feed-url>"
        if number % 7 == 2:
            extra += f'<atom:link rel="self" href="{Odd.base}/f/{number}?token=selfT0ken42z"/>'
        if "token" in self.path:
            extra += f"<link>{Odd.base}{self.path.replace('&', '&amp;')}</link>"
        return (f'<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" '
                f'xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>Feed {number}</title>{extra}{items}'
                f"</channel></rss>").encode()

    def do_GET(self):
        number = int(self.path.split("?")[0].split("/")[2]) if self.path.startswith("/f/") else 0
        chance = random.Random(f"{Odd.seed} {Odd.round} {number}")
        kind = chance.randrange(20)
        time.sleep(chance.random() ** 3 * 0.5)
        headers, status, body, cut = {"Set-Cookie": "session=c00kieSecret99"}, 200, self.feed(number, chance), None
        if number < 1000:
            if kind == 0: status, body, headers["Retry-After"] = 503, b"later", "3600"
            if kind == 1: status, body = 410, b"gone"
            if kind == 2: status, body = 404, b"no"
            if kind == 3: status, headers["Location"], body = 301, f"/f/{number + 2000}?token=tok3n4you2", b""
            if kind == 4: status, headers["Location"], body = 302, f"/f/{number // 4 * 4 + 3000}", b""
            if kind == 5: status, headers["Location"], body = 302, self.path, b""
            if kind == 6: body = b"<!doctype html><html><body>Not here any more</body></html>"
            if kind == 7: cut = len(body) // 2
        if kind in (8, 9, 10, 11):
            body, headers["Content-Encoding"] = gzip.compress(body), "gzip"
            if kind == 11: body = body[:len(body) // 2] + b"\0\1\2\3" + body[len(body) // 2 + 4:]
        if kind in (12, 13, 10):
            headers["ETag"] = f'"{hash(body) & 0xffff}"'
            if self.headers.get("If-None-Match") == headers["ETag"] or (kind == 13 and "If-None-Match" in self.headers):
                status, body = 304, b""
        if kind == 14: headers["Cache-Control"] = "max-age=7200"
        try:
            self.send_response(status)
            for name, value in headers.items(): self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if cut is None:
                self.wfile.write(body)
            else:
                self.wfile.write(body[:cut])
                self.close_connection = True
        except OSError:
            self.close_connection = True


def differences(a, b, ignored=()):
    found = []
    names = set(os.listdir(a)) | set(os.listdir(b))
    for name in sorted(names - set(ignored)):
        left, right = os.path.join(a, name), os.path.join(b, name)
        if os.path.isdir(left) and os.path.isdir(right):
            found += differences(left, right)
        elif not (os.path.isfile(left) and os.path.isfile(right) and filecmp.cmp(left, right, shallow=False)):
            found.append(left)
    return found


def main():
    jimmy, runs = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 100
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    Odd.seed = seed
    servers = [ThreadingHTTPServer((f"127.0.0.{n}", 0), Odd) for n in (1, 2, 3)]
    for server in servers: threading.Thread(target=server.serve_forever, daemon=True).start()
    bases = [f"http://{s.server_address[0]}:{s.server_address[1]}" for s in servers]
    Odd.base = bases[0]
    chance = random.Random(seed)
    folder = tempfile.mkdtemp(prefix="jimmy-replay-")
    environment = {"HOME": folder, "PATH": os.environ["PATH"]}
    equal, kills, kept = 0, 0, 0

    def run(*arguments, zone="UTC", library=None):
        return subprocess.Popen(
            [jimmy, *arguments, "--library", library or f"{folder}/library"],
            env=environment | {"TZ": zone}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    for number in range(runs):
        if number % 10 == 0:
            shutil.rmtree(f"{folder}/library", ignore_errors=True)
            shutil.rmtree(f"{folder}/.cache", ignore_errors=True)
            urls = []
            for n in range(1, 80):
                base = chance.choice(bases)
                kind = n % 9
                if kind == 0: base = base.replace("http://", "http://usr0name7:s3cr3tPass9@")
                path = f"/f/{n}" + ("?token=tok3n4you2&format=rss" if kind == 1 else "?id=7" if kind == 2 else "")
                if kind == 3: path = f"/f/{n}/pathT0ken77x/feed.xml"
                urls.append(base + path)
            urls += ["http://127.0.0.1:1/nobody", "http://nowhere.invalid/feed", f"{bases[0]}/f/1?x=1"]
            run("subscribe", "--no-fetch", "--quiet", *urls).communicate()
        Odd.round = number % 10
        copies = [f"{folder}/copy-{n}" for n in range(2)]
        for copy in copies:
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(f"{folder}/library", copy)
        recording = f"{folder}/run.rec"
        process = run("refresh", chance.choice(["--all", "--force", "--all"]), "--concurrency", str(chance.randrange(1, 65)),
                      "--per-host", str(chance.randrange(1, 9)), "--record", recording)
        end = chance.choice([None, None, None, None, signal.SIGKILL, signal.SIGTERM])
        if end:
            time.sleep(0.02 + chance.random() * 0.8)
            process.send_signal(end)
        output, errors = process.communicate()
        was_killed = process.returncode == -signal.SIGKILL
        kills += was_killed
        if was_killed and not os.path.exists(recording): continue
        problems = []
        for copy, concurrency, zone in ((copies[0], "1", "Asia/Tokyo"), (copies[1], "64", "America/New_York")):
            replay = run("refresh", "--replay", recording, "--set", f"concurrency={concurrency}", zone=zone, library=copy)
            told, complaint = replay.communicate()
            if replay.returncode not in (0, 65) or (replay.returncode and not was_killed): problems.append(complaint)
            problems += differences(f"{folder}/library", copy, ("lock", "refresh.lock", "new") if was_killed else ())
        plain = subprocess.run(["zstd", "-dcf", recording], capture_output=True).stdout
        for secret in SECRETS:
            if secret.encode() in plain and not (secret == "q9x8w7v6u5"): problems.append(f"the recording tells {secret}")
        if not problems:
            equal += 1
        elif was_killed and not differences(*copies):
            # Killed while a batch was being written: the recording does not know how far it came.
            kept += 1
            print(f"run {number}: killed in a batch: {problems[:3]}")
        else:
            print(f"run {number}: {problems[:6]} {errors[-200:]}")
            shutil.copy(recording, f"{folder}/bad-{number}.rec")
        if was_killed: run("verify", "--repair").communicate()
    print(f"{equal} of {runs} equal; {kills} killed, {kept} of those in the middle of a batch; {folder}")


main()
