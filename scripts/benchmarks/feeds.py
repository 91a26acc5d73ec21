"""Feeds of realistic size and shape: notes of 1 to 6 kB with links, and a footer that each item repeats. A fifth of the
feeds are in other scripts than Latin. Most feeds contain the notes twice, as real ones do (see `STYLES`). The vocabulary
has no end (see `Language`).
"""
import datetime
import email.utils
import gzip
import html
import itertools
import os
import random
import re

# What the words of each language are made of: syllables, each a letter of the first and one of the second group, and an end.
SCRIPTS = {
    "en": ("bcdfghklmnprstvw", "aeiouy", "d l n r t m nd st ng".split()),
    "de": ("bdfghklmnprstwz", "aeiouäöü", "n r t l n st ch cht nd ng".split()),
    "es": ("bcdfgjlmnprstvz", "aeiouáéíóú", "n r l s z ns".split()),
    "ru": ("бвгджзклмнпрстфхчш", "аеиоуыюя", "в л й т к м х ть ст".split()),
    "ja": ("".join(map(chr, range(0x4E00, 0x55D0))), "".join(map(chr, range(0x3042, 0x3093))), [""]),
    "ar": ("بتثجحخدذرزسشصضطظعغفقكلمنه", "اوي", "ن ر ت ل م ب د".split()),
}
LATIN, OTHERS = ["en", "en", "en", "de", "es"], ["ru", "ja", "ar"]
# Words of higher ranks are rarer than Zipf's law alone makes them.
KNEE = 11_000

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
    """Invented words without end, with the frequencies of real text. The rank of a word is the integer part of a number
    x >= 0, drawn with a density proportional to 1 / ((x + 1) (x + KNEE)): frequent words follow the law of Zipf and
    Mandelbrot, and the tail brings new words by Heaps' law. `scripts/bench words` counts them.
    """

    def __init__(self, name):
        onsets, vowels, self.ends = SCRIPTS[name]
        self.name = name
        self.gap = "" if name == "ja" else " "
        self.syllables = [onset + vowel for onset in onsets for vowel in vowels]
        random.Random(name).shuffle(self.syllables)
        self.frequent = [self.word(rank) for rank in range(50_000)]

    def word(self, rank):
        """Syllables are the digits of the rank, in a numeral system without a zero, so no two ranks have the same word."""
        text = self.ends[rank % len(self.ends)]
        while rank >= 0:
            rank, digit = divmod(rank, len(self.syllables))
            text = self.syllables[digit] + text
            rank -= 1
        return text

    def text(self, rng, count):
        # The inverse of the distribution; a power of 1 would be an infinite rank.
        powers = [KNEE ** (1 - rng.random()) for _ in range(count)]
        ranks = [int((KNEE - power) / (power - 1)) for power in powers]
        return self.gap.join([self.frequent[rank] if rank < len(self.frequent) else self.word(rank) for rank in ranks])

    def title(self, rng):
        return self.text(rng, rng.randint(3, 8))

    def paragraph(self, rng):
        return self.text(rng, rng.randint(30, 160))


def notes(rng, language, feed, number):
    links = "".join(
        f'<li><a href="https://www.example.com/podcast-{feed}/show-notes/{number}/{link}">{language.title(rng)}</a></li>'
        for link in range(rng.randint(0, 6)))
    goal, text = rng.randint(100, 1_600), []
    while (goal := goal - len(text[-1].encode()) if text else goal) > 0:
        text.append(f"<p>{language.paragraph(rng)}</p>")
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
    text = style(notes(rng, language, feed, number), language.paragraph(rng))
    return (f"<item><title>{number}: {language.title(rng)}</title>"
            f"<guid isPermaLink=\"false\">feed-{feed}-{number}</guid><link>https://www.example.com/podcast-{feed}/{number}</link>"
            f"<pubDate>{when}</pubDate>{text}"
            f"<itunes:duration>00:42:{number % 60:02d}</itunes:duration><itunes:explicit>false</itunes:explicit>"
            f"<enclosure url=\"https://media.example.com/podcast-{feed}/{number}.mp3\" length=\"{10_000_000 + number}\" "
            f"type=\"audio/mpeg\"/></item>\n")


def feed_text(languages, feed, episodes, now, new=0):
    """Existing episodes are the same on every day, because each has a seed of its own."""
    language = languages[(OTHERS[feed // 5 % 3]) if feed % 5 == 4 else LATIN[feed // 5 % 5]]
    rng = random.Random(feed)
    channel = (f"<title>{language.title(rng)} {feed}</title><link>https://www.example.com/podcast-{feed}</link>"
               f"<language>{language.name}</language><description>{language.paragraph(rng)}</description>"
               f"<itunes:author>Author {feed}</itunes:author>\n")
    items = [item(random.Random(f"{feed} {number}"), language, feed, number, now + (number - episodes) * 86_400 * 3)
             for number in range(episodes + new)]
    return ('<?xml version="1.0" encoding="UTF-8"?>\n'
            '<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"'
            ' xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel>'
            + channel + "".join(reversed(items)) + "</channel></rss>\n").encode()


def texts(name):
    """Titles and notes without markup of episodes in a language, without end."""
    language = Language(name)
    for feed in itertools.count():
        for number in range(100):
            rng = random.Random(f"{feed} {number}")
            yield language.title(rng) + " " + plain(notes(rng, language, feed, number))


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
