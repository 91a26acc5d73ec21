"""Runs a command on a pseudo-terminal and draws the final screen as SVG.

usage: terminal-picture.py FILE COLUMNS [--replace OLD NEW] COMMAND...
"""
import fcntl, os, pty, re, struct, sys, termios, unicodedata
from xml.sax.saxutils import escape

WIDTH, HEIGHT, SIZE, MARGIN = 8.4, 20, 14, 18


def run(command, columns):
    process, terminal = pty.fork()
    if process == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
        os.execvp(command[0], command)
    output = b""
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            break
        if not piece:
            break
        output += piece
    os.waitpid(process, 0)
    return output.decode()


def cells(text):
    """Returns the final screen: rows of (column, width in columns, text, style)."""
    rows, row, column, style = [[]], 0, 0, ""
    for code, letter, char in re.findall(r"\x1b\[([0-9;]*)([A-Za-z])|(.)", text, re.S):
        if letter == "m":
            style = "" if code in ("", "0") else " ".join("s" + part for part in code.split(";"))
        elif letter == "K":
            rows[row] = [cell for cell in rows[row] if cell[0] < column]
        elif char == "\r":
            column = 0
        elif char == "\n":
            row, column = row + 1, 0
            rows.append([])
        elif char:
            if unicodedata.combining(char):
                continue
            wide = 2 if unicodedata.east_asian_width(char) in "WF" else 1
            rows[row] = [cell for cell in rows[row] if cell[0] != column] + [(column, wide, char, style)]
            column += wide
    while rows and not rows[-1]:
        rows.pop()
    return rows


def draw(rows, columns):
    def runs(row):
        """Groups adjacent cells of the same style and width, so that they stay in their columns in any font."""
        group = []
        for cell in sorted(row):
            if group and (cell[3], cell[1]) == (group[-1][3], group[-1][1]) and cell[0] == group[-1][0] + group[-1][1]:
                group.append(cell)
            else:
                if group:
                    yield group
                group = [cell]
        if group:
            yield group

    height = 2 * MARGIN + HEIGHT * len(rows)
    width = 2 * MARGIN + WIDTH * columns
    lines = []
    for number, row in enumerate(rows):
        for group in runs(row):
            text = "".join(cell[2] for cell in group)
            if not text.strip():
                continue
            length = sum(cell[1] for cell in group) * WIDTH
            style = f' class="{group[0][3]}"' if group[0][3] else ""
            lines.append(
                f'<text x="{MARGIN + group[0][0] * WIDTH:.1f}" y="{MARGIN + HEIGHT * number + SIZE:.0f}" textLength="{length:.1f}"'
                f' lengthAdjust="spacing"{style}>{escape(text)}</text>')
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}" font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, 'Noto Sans Mono CJK JP', monospace" font-size="{SIZE}" xml:space="preserve">
<style>
.ground {{ fill: #f6f5f1 }} text {{ fill: #23272e }} .s1 {{ font-weight: 700 }} .s2 {{ fill: #7c828c }} .s31 {{ fill: #b5361f }}
.s32 {{ fill: #2b7a36 }} .s33 {{ fill: #94650a }} .s36 {{ fill: #1d7288 }}
@media (prefers-color-scheme: dark) {{
.ground {{ fill: #14181f }} text {{ fill: #dfe3e8 }} .s2 {{ fill: #848d99 }} .s31 {{ fill: #f0765c }} .s32 {{ fill: #6fc47b }}
.s33 {{ fill: #e0b04c }} .s36 {{ fill: #5cc0d6 }}
}}
</style>
<rect class="ground" width="100%" height="100%" rx="8"/>
{chr(10).join(lines)}
</svg>
"""


def main():
    file, columns, *command = sys.argv[1:]
    old = new = ""
    if command[0] == "--replace":
        _, old, new, *command = command
    shown = " ".join(f"'{word}'" if re.search(r"[^\w./:-]", word) else word for word in command[1:])
    text = f"\x1b[2m$\x1b[0m jimmy {shown}\n" + run(command, int(columns)).replace("\r\n", "\n")
    if old:
        text = text.replace(old, new)
    with open(file, "w") as picture:
        picture.write(draw(cells(text), int(columns)))


main()
