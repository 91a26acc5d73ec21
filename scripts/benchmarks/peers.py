"""Runs other podcast and feed programs on the same feeds, if they are installed: newsboat, gPodder's gpo, reader (PyPI).

Each stores its data in its own folder below the benchmark's, and is configured to be as parallel as it can.
"""
import os
import shutil
import subprocess
import sys
import xml.sax.saxutils


class Newsboat:
    name = "newsboat"
    is_here = staticmethod(lambda: shutil.which("newsboat") is not None)

    def __init__(self, home, urls):
        (home / "urls").write_text("".join(f"{url}\n" for url in urls))
        (home / "config").write_text("reload-threads 32\ndownload-timeout 30\n")
        self.environment = None
        self.first = self.again = ["newsboat", "-q", "-u", str(home / "urls"), "-c", str(home / "cache.db"),
                                   "-C", str(home / "config"), "-x", "reload"]


class GPodder:
    name = "gpo"
    is_here = staticmethod(lambda: shutil.which("gpo") is not None)

    def __init__(self, home, urls):
        outlines = "".join(f"<outline type=\"rss\" text={xml.sax.saxutils.quoteattr(url)} "
                           f"xmlUrl={xml.sax.saxutils.quoteattr(url)}/>" for url in urls)
        (home / "feeds.opml").write_text(f"<opml version=\"2.0\"><body>{outlines}</body></opml>")
        self.environment = dict(os.environ, GPODDER_HOME=str(home), HOME=str(home))
        # The import fetches each feed.
        self.first = ["gpo", "import", str(home / "feeds.opml")]
        self.again = ["gpo", "update"]


class Reader:
    name = "reader"
    python = os.environ.get("READER_PYTHON", sys.executable)

    @classmethod
    def is_here(cls):
        return subprocess.run([cls.python, "-c", "import reader"], capture_output=True).returncode == 0

    def __init__(self, home, urls):
        self.environment = None
        database = str(home / "reader.sqlite")
        add = ("import sys, reader; r = reader.make_reader(sys.argv[1]);"
               "[r.add_feed(line.strip()) for line in sys.stdin]")
        subprocess.run([self.python, "-c", add, database], input="\n".join(urls), text=True, check=True, capture_output=True)
        update = "import sys, reader; reader.make_reader(sys.argv[1]).update_feeds(workers=32)"
        self.first = self.again = [self.python, "-c", update, database]


ALL = [Newsboat, GPodder, Reader]
