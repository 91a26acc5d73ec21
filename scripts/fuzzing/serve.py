#!/usr/bin/env python3
"""Sends a server requests made from its own OpenAPI document, and good requests that were mutated: serve.py PROGRAM [SECONDS [SEED]]

Starts the program, a jimmy-serve, over $JIMMY_LIBRARY, and prints its memory early, at half time and at the end. Ends with 1 if it died,
answered with a status of 500 or more, with one that the document does not name, or took longer than two seconds.
"""
import collections
import json
import random
import re
import pathlib
import socket
import subprocess
import sys
import time
import urllib.parse
import urllib.request

seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 60
seed = int(sys.argv[3]) if len(sys.argv) > 3 else int(time.time())
random.seed(seed)
server = subprocess.Popen([sys.argv[1], "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE, text=True)
url, host, port = re.search(r"(http://([^:/]+):(\d+))", server.stdout.readline()).groups()


def page(path):
    return urllib.request.urlopen(url + path).read().decode()


episode = (re.findall(r'data-episode="([^"]+)"', page("/search?heard=no")) or ["none-such"])[0]
podcast = episode.split("-")[0]
form = "application/x-www-form-urlencoded"
seeds = []
document = json.loads(page("/api/1/openapi.json"))
operations = [(method, path, operation) for path, methods in document["paths"].items() for method, operation in methods.items()]
for path, methods in document["paths"].items():
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


def value(schema):
    """Mostly as the schema says."""
    if "enum" in schema and random.random() < .8:
        return random.choice(schema["enum"])
    if schema["type"] == "array":
        return [value(schema["items"]) for _ in range(random.choice([0, 1, 1, 2, 30]))]
    good = {
        "integer": lambda: random.choice([0, 1, 2, 7, 100_000, -1, 2**63, random.randint(-9, 999)]),
        "number": lambda: random.choice([0, 1.5, 1e5, -3, random.random() * 1e4]), "boolean": lambda: random.choice(["true", "false"]),
        "string": lambda: random.choice([podcast, episode, "radio", "title:a*", "is:new OR tag:x", "date", "later", mutated("radio")]),
    }[schema["type"]]
    return mutated("9") if random.random() < .1 else good()


def by_schema():
    """A request of an operation, and the statuses that it may have."""
    method, path, operation = random.choice(operations)
    names = {"episode": random.choice([episode, episode, "none-such", mutated(episode)]), "podcast": random.choice([podcast, podcast, "none"])}
    target = re.sub(r"{(\w+)}", lambda found: urllib.parse.quote(names[found[1]], safe=""), path)
    parameters = [p for p in operation.get("parameters", []) if p["in"] == "query" and (p["required"] or random.random() < .6)]
    target += "?" + urllib.parse.urlencode([(p["name"], value(p["schema"])) for p in parameters], errors="replace")
    body = ""
    for content in operation.get("requestBody", {}).get("content", {}).values():
        fields = {name: value(schema) for name, schema in content["schema"]["properties"].items() if random.random() < .8}
        body = urllib.parse.urlencode(fields, doseq=True, errors="replace")
    head = f"{method.upper()} {target} HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\nContent-Type: {form}\r\n"
    if body or method != "get":
        head += f"Content-Length: {len(body)}\r\n"
    return (head + "\r\n" + body).encode(), {int(status) for status in operation["responses"]}


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


def by_mutation():
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
    return "\r\n".join(lines).encode("utf-8", "replace") + b"\r\n\r\n" + body, None


def memory():
    """Megabytes, and open files."""
    process = pathlib.Path(f"/proc/{server.pid}")
    return int(re.search(r"VmRSS:\s+(\d+)", (process / "status").read_text())[1]) / 1024, len(list((process / "fd").iterdir()))


statuses, worst, bad, end, sizes = collections.Counter(), (0, b""), 0, time.monotonic() + seconds, []
while time.monotonic() < end and server.poll() is None:
    raw, expected = random.choice([by_schema, by_mutation])()
    start = time.monotonic()
    try:
        status = send(raw)
    except (TimeoutError, ConnectionRefusedError) as error:
        status = type(error).__name__
    took = time.monotonic() - start
    worst = max(worst, (took, raw[:300]))
    statuses[status] += 1
    known = expected or {*range(500), 501, 505}
    if status is not None and status not in known or status is None and expected or took > 2:
        bad += 1
        print(f"{status} after {took:.2f} s: {raw[:600]!r}", flush=True)
    # What is made at first is no leak; what grows as much in the second half may be one.
    if sum(statuses.values()) == 1_000 or len(sizes) == 1 and end - time.monotonic() < seconds / 2:
        sizes.append(memory())
died = server.poll()
if died is None:
    sizes.append(memory())
server.terminate()
ended = server.wait(timeout=30)
text = ", then ".join(f"{megabytes:.1f} MB and {files} open files" for megabytes, files in sizes)
print(f"seed {seed}: {sum(statuses.values())} requests, {dict(statuses)}; slowest {worst[0]:.2f} s: {worst[1]!r}")
print(f"memory after 1,000 requests {text}; ended with {ended}")
sys.exit(1 if bad or died is not None or ended else 0)
