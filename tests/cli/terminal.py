# SPDX-License-Identifier: Apache-2.0
"""A program under a real pseudo-terminal, and what stands on its screen: a terminal that knows just what the board may send.

Whatever else comes is kept in `strange`, so that a test can say that there was none.
"""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
import unicodedata

import cluster

WRAPPED = "a line that is wrapped"  # the board never comes so far
CONTROL = re.compile(r"\x1b\[(\?*)([\d;]*)([A-Za-z])")


class Screen:
    """Lines of cells; the cursor; colours of cells as the numbers of SGR."""

    def __init__(self, width, height):
        self.width, self.height = width, height
        self.cells = [[(" ", "")] * width for _ in range(height)]
        self.row = self.column = 0
        self.colour, self.rest, self.strange = "", "", []
        self.gone = []  # lines that left the screen at its top, where a person scrolls back to

    def resize(self, width, height):
        """As terminals that cut do; what is wrapped anew stands elsewhere, which the board has to bear too."""
        self.cells = [(line + [(" ", "")] * width)[:width] for line in self.cells]
        while len(self.cells) > height:
            self.cells.pop(0)
            self.row -= 1
        self.cells += [[(" ", "")] * width for _ in range(height - len(self.cells))]
        self.width, self.height = width, height
        self.row, self.column = max(self.row, 0), min(self.column, width - 1)

    def lines(self):
        return ["".join(cell for cell, _ in line).rstrip() for line in self.cells]

    def colours_of(self, text):
        """Of the first place where the text stands; None: nowhere."""
        for line in self.cells:
            at = "".join(cell for cell, _ in line).find(text)
            if at >= 0:
                return {colour for _, colour in line[at:at + len(text)]}
        return None

    def line_feed(self):
        self.row += 1
        if self.row == self.height:
            self.row -= 1
            self.cells.append([(" ", "")] * self.width)
            self.gone.append("".join(cell for cell, _ in self.cells.pop(0)).rstrip())

    def put(self, character):
        if self.column >= self.width:
            self.strange.append(WRAPPED)
            self.column = 0
            self.line_feed()
        self.cells[self.row][self.column] = (character, self.colour)
        self.column += 1
        if unicodedata.east_asian_width(character) in "WF" and self.column < self.width:
            self.cells[self.row][self.column] = ("", self.colour)
            self.column += 1

    def clear(self, row, column):
        self.cells[row][column:] = [(" ", "")] * (self.width - column)

    def obey(self, private, numbers, letter):
        number = int(numbers or 1) if numbers.isdigit() or not numbers else None
        if private or number is None or letter not in "AHJKm":
            self.strange.append(f"{private}{numbers}{letter}")
        elif letter == "A":
            self.row = max(0, self.row - number)
        elif letter == "H" and not numbers:
            self.row = self.column = 0
        elif letter in "JK" and not numbers:
            self.clear(self.row, self.column)
            for row in range(self.row + 1, self.height if letter == "J" else 0):
                self.clear(row, 0)
        elif letter == "m":
            self.colour = "" if numbers in ("", "0") else numbers
        else:
            self.strange.append(numbers + letter)

    def feed(self, text):
        self.rest += text
        while self.rest:
            found = CONTROL.match(self.rest)
            if found:
                self.obey(*found.groups())
                self.rest = self.rest[found.end():]
                continue
            if self.rest[0] == "\x1b" and len(self.rest) < 12:
                return  # more of it may come
            character, self.rest = self.rest[0], self.rest[1:]
            if character == "\n":
                self.line_feed()
            elif character == "\r":
                self.column = 0
            elif character < " " or "\x7f" <= character <= "\x9f":
                self.strange.append(repr(character))
            else:
                self.put(character)


class Terminal:
    """The program, in a session of its own, with stdin, stdout and stderr on a terminal of that size."""

    def __init__(self, *words, width=80, height=24, **environment):
        self.screen = Screen(width, height)
        self.bytes = b""
        self.master, end = pty.openpty()
        self.resize(width, height)
        self.child = subprocess.Popen(
            [cluster.ASSAY, *map(str, words)], cwd=cluster.FOLDER, stdin=end, stdout=end, stderr=end, start_new_session=True,
            env=cluster.environment(**{"TERM": "xterm-256color", "LC_ALL": "C.UTF-8", **environment}),
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        cluster._children.append(self.child)
        os.close(end)

    def resize(self, width, height):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
        self.screen.resize(width, height)

    def read(self):
        """What has come; False at the end."""
        if not select.select([self.master], [], [], 0.1)[0]:
            return True
        try:
            new = os.read(self.master, 65536)
        except OSError:
            return False
        self.bytes += new
        whole = self.bytes.decode(errors="ignore")
        self.screen.feed(whole[len(self.bytes[:-len(new)].decode(errors="ignore")):] if new else "")
        return bool(new)

    def until(self, condition, seconds=300):
        """Reads until the condition holds for the lines of the screen, and no half of a drawing is left to come. Whether it
        does."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            before = len(self.bytes)
            if not self.read():
                break
            if len(self.bytes) == before and condition(self.screen.lines()):
                return True
        return condition(self.screen.lines())

    def type(self, text):
        os.write(self.master, text.encode())

    def end(self):
        """Its exit status."""
        while self.read():
            pass
        os.close(self.master)
        return self.child.wait(timeout=cluster.PATIENCE_S)
