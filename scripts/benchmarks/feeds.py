"""Feeds of realistic size and shape: notes of 1 to 6 kB with links, and a footer that each item repeats. A fifth of the
feeds are in other scripts than Latin. Most feeds contain the notes twice, as real ones do (see `STYLES`).
"""
import datetime
import email.utils
import gzip
import html
import itertools
import os
import random
import re

# The letters of each language, and the shortest and longest length of its words.
SCRIPTS = {
    "en": ("abcdefghiklmnoprstuvwy", 2, 11), "de": ("abcdefghiklmnoprstuvwzäöü", 3, 14), "es": ("abcdefgilmnoprstuvzáéíóñ", 2, 10),
    "ru": ("абвгдежзийклмнопрстуфхчшыья", 2, 11), "ja": ("".join(map(chr, range(0x4E00, 0x5200))), 1, 4),
    "ar": ("ابتثجحخدذرزسشصضطظعغفقكلمنهوي", 2, 8),
}
LATIN, OTHERS = ["en", "en", "en", "de", "es"], ["ru", "ja", "ar"]
PARAGRAPHS = 2_000

# How items contain their notes. Of 31 real feeds, 27 have them in two elements: 14 have the same text twice, the others
# the text without its markup, its beginning, or a summary of its own. Half of all feeds escape HTML instead of putting it
# into CDATA sections. Each style is about as frequent here as there, in eighths.
STYLES = [
    lambda html, summary: cdata("description", html),
    lambda html, summary: cdata("description", html) + cdata("content:encoded", html),
    lambda html, summary: cdata("description", html) + cdata("content:encoded", html),
    lambda html, summary: escaped("description", plain(html)) + cdata("content:encoded", html),
    lambda html, summary: escaped("description", summary) + cdata("content:encoded", html),
    lambda html, summary: escaped("description", html) + escaped("itunes:summary", html),
    lambda html, summary: escaped("description", html) + escaped("itunes:summary", html),
    lambda html, summary: escaped("description", html) + escaped("itunes:summary", plain(html)[:255] + "…"),
]


def cdata(element, text):
    return f"<{element}><![CDATA[{text}]]></{element}>"


def escaped(element, text):
    return f"<{element}>{html.escape(text, quote=False)}</{element}>"


def plain(text):
    """The text of notes without their markup."""
    return html.unescape(re.sub("<[^>]+>", " ", text)).strip()


class Language:
    """Invented words with realistic frequencies (Zipf), in recurring phrases, in paragraphs to choose from."""

    def __init__(self, name):
        rng = random.Random(name)
        letters, shortest, longest = SCRIPTS[name]
        words = ["".join(rng.choices(letters, k=rng.randint(shortest, longest))) for _ in range(20_000)]
        weights = list(itertools.accumulate(1 / (rank + 5) for rank in range(len(words))))
        gap = "" if name == "ja" else " "
        phrases = [gap.join(rng.choices(words, cum_weights=weights, k=rng.randint(2, 6))) for _ in range(len(words))]
        self.name = name
        self.titles = [" ".join(rng.choices(words, k=4)) for _ in range(PARAGRAPHS)]
        self.paragraphs = [
            gap.join(rng.choices(phrases, cum_weights=weights, k=rng.randint(8, 30))) for _ in range(PARAGRAPHS)]


def notes(rng, language, feed, number):
    links = "".join(
        f'<li><a href="https://www.example.com/podcast-{feed}/show-notes/{number}/{link}">{rng.choice(language.titles)}</a></li>'
        for link in range(rng.randint(0, 6)))
    goal, text = rng.randint(100, 1_600), []
    while (goal := goal - len(text[-1].encode()) if text else goal) > 0:
        text.append(f"<p>{rng.choice(language.paragraphs)}</p>")
    return "".join(text) + f"<ul>{links}</ul>" + footer(feed)


def footer(feed):
    lines = "".join(
        f'<p><a href="https://www.example.com/podcast-{feed}/{place}?utm_source=feed&amp;utm_medium=podcast">{words}</a></p>'
        for place, words in (
            ("support", "Support the show, and hear each episode a week early and without advertising"),
            ("contact", "Write to us, or leave a message that we may play in an episode")))
    return f"<hr/>{lines}<p>Hosted by Example. See https://www.example.com/privacy for more information.</p>"


def item(rng, language, feed, number, date):
    when = email.utils.format_datetime(datetime.datetime.fromtimestamp(date, datetime.timezone.utc))
    # Feeds of each language and host have each style.
    style = STYLES[feed // 50 % len(STYLES)]
    text = style(notes(rng, language, feed, number), rng.choice(language.paragraphs))
    return (f"<item><title>{number}: {rng.choice(language.titles)}</title>"
            f"<guid isPermaLink=\"false\">feed-{feed}-{number}</guid><link>https://www.example.com/podcast-{feed}/{number}</link>"
            f"<pubDate>{when}</pubDate>{text}"
            f"<itunes:duration>00:42:{number % 60:02d}</itunes:duration><itunes:explicit>false</itunes:explicit>"
            f"<enclosure url=\"https://media.example.com/podcast-{feed}/{number}.mp3\" length=\"{10_000_000 + number}\" "
            f"type=\"audio/mpeg\"/></item>\n")


def feed_text(languages, feed, episodes, now, new=0):
    """Existing episodes are the same on every day, because each has a seed of its own."""
    language = languages[(OTHERS[feed // 5 % 3]) if feed % 5 == 4 else LATIN[feed // 5 % 5]]
    rng = random.Random(feed)
    channel = (f"<title>{rng.choice(language.titles)} {feed}</title><link>https://www.example.com/podcast-{feed}</link>"
               f"<language>{language.name}</language><description>{rng.choice(language.paragraphs)}</description>"
               f"<itunes:author>Author {feed}</itunes:author>\n")
    items = [item(random.Random(f"{feed} {number}"), language, feed, number, now + (number - episodes) * 86_400 * 3)
             for number in range(episodes + new)]
    return ('<?xml version="1.0" encoding="UTF-8"?>\n'
            '<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"'
            ' xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel>'
            + channel + "".join(reversed(items)) + "</channel></rss>\n").encode()


def write(path, data, now):
    path.write_bytes(data)
    packed = path.with_name(path.name + ".gz")
    packed.write_bytes(gzip.compress(data, 6, mtime=0))
    os.utime(path, (now, now))
    os.utime(packed, (now, now))


def make_days(root, feeds, episodes, now):
    """Writes two days of all feeds. On the second day every tenth feed has a new episode."""
    languages = {name: Language(name) for name in SCRIPTS}
    for day in ("day1", "day2"):
        (root / day).mkdir()
    for feed in range(feeds):
        name = f"{feed}.xml"
        write(root / "day1" / name, feed_text(languages, feed, episodes, now), now)
        if feed % 10 == 0:
            write(root / "day2" / name, feed_text(languages, feed, episodes, now, new=1), now)
        else:
            for part in (name, name + ".gz"):
                os.link(root / "day1" / part, root / "day2" / part)
