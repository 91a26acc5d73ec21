#!/usr/bin/env python3
"""Sends a running `jimmy serve` requests that were mutated from good ones: serve.py URL [MINUTES [SEED]]

Ends with 1 if the server died, answered with a status of 500 or more, or took longer than ten seconds.
"""
import collections
import json
import random
import re
import socket
import sys
import time
import urllib.request

url = sys.argv[1].rstrip("/")
minutes = float(sys.argv[2]) if len(sys.argv) > 2 else 1
seed = int(sys.argv[3]) if len(sys.argv) > 3 else int(time.time())
host, port = re.match(r"http://([^:/]+):(\d+)", url).groups()
random.seed(seed)


def page(path):
    return urllib.request.urlopen(url + path).read().decode()


episode = (re.findall(r'data-episode="([^"]+)"', page("/search?heard=no")) or ["none-such"])[0]
podcast = episode.split("-")[0]
form = "application/x-www-form-urlencoded"
seeds = []
for path, methods in json.loads(page("/api/1/openapi.json"))["paths"].items():
    for method in methods:
        target = path.replace("{episode}", episode).replace("{podcast}", podcast)
        seeds.append([method.upper(), target + "?q=a&page=1&podcast=" + podcast, form, "seconds=5&duration=9&add=x&episode=" + episode])
for target in [
    "/", "/search?q=title:x+OR+%22y+z%22+-w&podcast=a&year=2024&length=long&heard=no&sort=date", "/podcasts?tag=a&health=fine",
    f"/podcasts/{podcast}?q=a&page=2", f"/episodes/{episode}?at=9", "/queue", "/status", "/apps", "/login?back=/x",
    f"/covers/{podcast}?size=large", f"/media/{episode}", f"/player/{episode}", "/feeds/search.rss?q=a&token=b", "/metrics",
    "/api/2/episodes/me.json?since=0&aggregated=true", "/api/2/subscriptions/me/a.json?since=0", "/subscriptions/me/a.opml",
    "/index.php/apps/gpoddersync/episode_action?since=0", "/index.php/login/v2/flow/x", "/websub/x?hub.mode=subscribe&hub.topic=y&hub.challenge=z",
]:
    seeds.append(["GET", target, form, ""])
for target, kind, body in [
    (f"/episodes/{episode}", form, "do=star&back=/"), ("/queue/move", form, f"episode={episode}&to=2"),
    (f"/podcasts/{podcast}", form, "do=settings&title=a&tags=b&transcripts=on"), ("/login", form, "password=x&back=/"),
    (f"/player/{episode}/position", form, "seconds=1.5&duration=60"),
    ("/podcasts.opml", "multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\n<opml/>\r\n--x--\r\n"),
    ("/api/2/episodes/me.json", "application/json", '[{"podcast":"http://a/","episode":"http://b/","action":"play","timestamp":"2026-01-01T00:00:00","position":1,"total":2}]'),
    ("/api/2/subscriptions/me/a.json", "application/json", '{"add":[],"remove":["http://a.example/"]}'),
    ("/index.php/login/v2", form, ""), ("/index.php/login/v2/poll", form, "token=x"),
    ("/api/2/settings/me/account.json", "application/json", '{"set":{"a":"b"},"remove":["c"]}'), ("/websub/x", form, "body"),
]:
    seeds.append(["POST", target, kind, body])

odd = [
    "%00", "%", "%zz", "..", "/", "//", "\\", "<script>", "'", '"', "-1", "0", "99999999999999999999", "1e309", "nan", "\u202e",
    "\ud7ff", "日本", "A" * 3000, "&", "=", "?", "#", "\t", ":", "*", "(", ")", " OR ", "tag:", "after:", "title:\"", "{", "[", "]", "null",
]


def mutated(text):
    for _ in range(random.choice([0, 1, 1, 2, 4])):
        at = random.randint(0, len(text))
        kind = random.random()
        if kind < .5:
            text = text[:at] + random.choice(odd) + text[at:]
        elif kind < .7:
            text = text[:at] + text[at + random.randint(1, 8):]
        elif kind < .85:
            text = text[:at] + chr(random.randint(1, 255)) + text[at + 1:]
        else:
            text = text + text[random.randint(0, len(text)):]
    return text


def send(raw):
    connection = socket.create_connection((host, int(port)), timeout=10)
    try:
        connection.sendall(raw)
        answer = b""
        while len(answer) < 1 << 22:
            piece = connection.recv(1 << 16)
            if not piece:
                break
            answer += piece
    except (BrokenPipeError, ConnectionResetError):
        return None
    finally:
        connection.close()
    found = re.match(rb"HTTP/1\.[01] (\d+)", answer)
    return int(found.group(1)) if found else None


statuses, worst, bad, end = collections.Counter(), 0, 0, time.monotonic() + minutes * 60
while time.monotonic() < end:
    method, target, kind, body = random.choice(seeds)
    if random.random() < .05:
        method = random.choice(["PUT", "DELETE", "HEAD", "OPTIONS", "TRACE", "CONNECT", "X" * 50])
    target = mutated(target).replace(" ", "%20" if random.random() < .9 else " ").replace("\n", "")
    body = mutated(body).encode("utf-8", "replace")
    length = len(body) if random.random() < .95 else random.choice([0, -1, 10**12, "x"])
    lines = [f"{method} {target} HTTP/1.1", f"Host: {host}:{port}", "Connection: close", f"Content-Type: {mutated(kind) if random.random() < .1 else kind}"]
    if method != "GET" or random.random() < .02:
        lines.append(f"Content-Length: {min(length, len(body)) if isinstance(length, int) and length >= 0 else length}")
    if random.random() < .2:
        lines.append(mutated(random.choice(["Range: bytes=0-9", "If-None-Match: \"a\"", "Cookie: jimmy_session=a", "Authorization: Basic YTpi", "Accept: application/json", "X-Hub-Signature: sha256=00"])).replace("\n", ""))
    raw = "\r\n".join(lines).encode("utf-8", "replace") + b"\r\n\r\n" + body
    start = time.monotonic()
    try:
        status = send(raw)
    except (TimeoutError, ConnectionRefusedError) as error:
        status = type(error).__name__
    worst = max(worst, time.monotonic() - start)
    statuses[status] += 1
    if not (status is None or isinstance(status, int) and (status < 500 or status in (501, 505))):
        bad += 1
        print(f"{status}: {raw[:600]!r}", flush=True)
        if status == "ConnectionRefusedError":
            break
print(f"seed {seed}: {sum(statuses.values())} requests, slowest {worst:.2f} s; {dict(statuses)}")
sys.exit(1 if bad else 0)
