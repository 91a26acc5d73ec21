#!/usr/bin/env python3
"""Writes the feeds that `scripts/bench parse` reads: parse-feeds.py FOLDER. They have the same bytes in every run."""
import os
import random
import sys

WORDS = ("radio night signal harbour letter winter machine garden river island copper window thread market stone "
         "travel history science music people morning story voice answer question").split()


def prose(rng, count):
    return " ".join(rng.choice(WORDS) for _ in range(count)).capitalize() + "."


def html(rng, paragraphs):
    parts = []
    for _ in range(paragraphs):
        link = f'https://example.com/notes/{rng.randrange(10**6)}'
        parts.append(f'<p>{prose(rng, 40)} <a href="{link}?a=1&amp;b=2">{prose(rng, 3)}</a> {prose(rng, 20)}</p>')
    return "\n".join(parts)


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def item(rng, n, style):
    title = prose(rng, 6)
    notes = html(rng, 4 if style == "cdata" else 2)
    body = f"<![CDATA[{notes}]]>" if style == "cdata" else escaped(notes)
    return f"""<item>
<title>{title}</title>
<itunes:title>{title}</itunes:title>
<link>https://example.com/episodes/{n}</link>
<guid isPermaLink="false">urn:example:episode:{n}</guid>
<pubDate>Tue, {1 + n % 28:02d} Mar {2005 + n % 20} {n % 24:02d}:{n % 60:02d}:00 +0000</pubDate>
<description>{body}</description>
{f'<content:encoded><![CDATA[{html(rng, 4)}]]></content:encoded>' if style == "cdata" else ''}
<itunes:summary>{prose(rng, 30)}</itunes:summary>
<itunes:author>Ann Example &amp; Bob Example</itunes:author>
<itunes:duration>{n % 3}:{n % 60:02d}:{(n * 7) % 60:02d}</itunes:duration>
<itunes:explicit>false</itunes:explicit>
<itunes:episodeType>full</itunes:episodeType>
<itunes:season>{1 + n // 100}</itunes:season>
<itunes:episode>{n % 100}</itunes:episode>
<itunes:image href="https://cdn.example.com/images/{n}.jpg"/>
<enclosure url="https://cdn.example.com/audio/{n}.mp3?source=feed" length="{10**7 + n * 1013}" type="audio/mpeg"/>
<podcast:transcript url="https://cdn.example.com/transcripts/{n}.vtt" type="text/vtt" language="en"/>
<podcast:chapters url="https://cdn.example.com/chapters/{n}.json" type="application/json+chapters"/>
<podcast:person role="host" href="https://example.com/ann">Ann Example</podcast:person>
</item>
"""


def feed(path, size, style):
    rng = random.Random(size)
    with open(path, "w", encoding="utf-8") as out:
        out.write("""<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"
 xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:podcast="https://podcastindex.org/namespace/1.0">
<channel><title>Night Radio</title><link>https://example.com/</link><description>A show.</description>
<language>en</language><itunes:category text="Arts"/>
""")
        n = 0
        while out.tell() < size:
            for _ in range(16):
                out.write(item(rng, n, style))
                n += 1
        out.write("</channel></rss>\n")


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    for name, size, style in (("1MB-cdata", 1, "cdata"), ("1MB-escaped", 1, "escaped"), ("10MB-cdata", 10, "cdata"),
                              ("10MB-escaped", 10, "escaped"), ("30MB-cdata", 30, "cdata"), ("30MB-escaped", 30, "escaped")):
        feed(os.path.join(folder, name + ".xml"), size << 20, style)
