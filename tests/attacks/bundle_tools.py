# SPDX-License-Identifier: Apache-2.0
"""Bundles as an attacker makes them: taken apart, changed, and put together again with every hash and seal that anybody can
compute. Nothing of assay is used for it."""

import contextlib
import ctypes
import hashlib
import os
import sqlite3
import struct
import subprocess
import sys

from cluster import FOLDER, environment

WRITE_DATABASE = os.path.abspath(sys.argv[3])
SEAL = bytes((0x50, 0x2a, 0x4d, 0x18)) + struct.pack("<I", 64)
BLOCK = 512


def path(name):
    return os.path.join(FOLDER, name)


def zstd():
    library = ctypes.CDLL("libzstd.so.1")
    for name in ("ZSTD_compress", "ZSTD_compressBound", "ZSTD_decompress", "ZSTD_getFrameContentSize", "ZSTD_decompressStream"):
        getattr(library, name).restype = ctypes.c_size_t
    library.ZSTD_createDCtx.restype = ctypes.c_void_p
    return library


class Buffer(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_void_p), ("size", ctypes.c_size_t), ("at", ctypes.c_size_t)]


def unpacked(data):
    library, out = zstd(), b""
    context, room = ctypes.c_void_p(library.ZSTD_createDCtx()), ctypes.create_string_buffer(1 << 20)
    source = Buffer(ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p), len(data), 0)
    while True:
        target = Buffer(ctypes.cast(room, ctypes.c_void_p), 1 << 20, 0)
        left = library.ZSTD_decompressStream(context, ctypes.byref(target), ctypes.byref(source))
        assert left < 1 << 62, "zstd cannot unpack it"
        out += room.raw[:target.at]
        if left == 0:
            return out


def packed(*chunks):
    """One frame of all bytes, as RFC 8878 describes it, in blocks as they are; zeros are told by their number only."""
    most = 1 << 17
    blocks = [(1, min(most, len(chunk) - at), b"\0") if zeros else (0, len(chunk[at:at + most]), chunk[at:at + most])
              for chunk in chunks for zeros in [chunk.count(0) == len(chunk)] for at in range(0, len(chunk), most)]
    told = [(kind << 1 | length << 3).to_bytes(3, "little") + content for kind, length, content in blocks]
    return b"".join([b"\x28\xb5\x2f\xfd\0\x70", *told, b"\1\0\0"])  # of a window of 16 MiB; an empty block is the last


def header(name, length, size=None):
    """As assay writes it: owners and times are nobody's."""
    made = bytearray(BLOCK)
    made[:len(name)] = name.encode()
    for at, text in ((100, b"0000644\0"), (108, b"0000000\0"), (116, b"0000000\0"), (124, b"%011o\0" % (length if size is None else size)),
                     (136, b"00000000000\0"), (148, b" " * 8), (156, b"0"), (257, b"ustar\00000")):
        made[at:at + len(text)] = text
    made[148:156] = b"%06o\0 " % sum(made)
    return bytes(made)


class Bundle:
    """pieces: [name, bytes] in their order."""

    def __init__(self, file):
        with open(file, "rb") as opened:
            tar, at, self.pieces = unpacked(opened.read()), 0, []
        while tar[at] != 0:
            name, size = tar[at:at + 100].rstrip(b"\0").decode(), int(tar[at + 124:at + 135], 8)
            self.pieces.append([name, tar[at + BLOCK:at + BLOCK + size]])
            at += BLOCK + (size + BLOCK - 1) // BLOCK * BLOCK

    def __getitem__(self, name):
        return next(data for known, data in self.pieces if known == name)

    def __setitem__(self, name, data):
        next(piece for piece in self.pieces if piece[0] == name)[1] = data

    def names(self):
        return [name for name, _ in self.pieces]

    def say(self, key, value):
        """In the head of the manifest."""
        head, entries = self["manifest"].decode().split("\n\n", 1)
        lines = [line for line in head.split("\n") if not line.startswith(f"{key}: ")]
        self["manifest"] = ("\n".join([*lines, f"{key}: {value}"]) + "\n\n" + entries).encode()

    def rehash(self, name):
        """What the manifest says of a piece."""
        digest = hashlib.sha256(self[name]).hexdigest()
        if name == "run.db":
            self.say("run.db", digest)
            self.say("run.db bytes", len(self[name]))
            return
        head, entries = self["manifest"].decode().split("\n\n", 1)
        wanted = "report/report.json" if name == "report.json" else name
        lines = [f"{digest}  " + line.split("  ", 1)[1] if len(line.split("  ")) > 1 and line.split("  ")[1] == wanted else line
                 for line in entries.split("\n")]
        self["manifest"] = (head + "\n\n" + "\n".join(lines)).encode()

    @contextlib.contextmanager
    def database(self):
        """run.db, to be changed: what stands behind is put back with its hash."""
        file = path("forged.db")
        with contextlib.suppress(FileNotFoundError):
            os.remove(file)
        with open(file, "wb") as opened:
            opened.write(self["run.db"])
        connection = sqlite3.connect(file, isolation_level=None)
        connection.execute("PRAGMA foreign_keys=OFF")
        connection.execute("PRAGMA ignore_check_constraints=ON")
        yield connection
        connection.close()
        with open(file, "rb") as opened:
            self["run.db"] = opened.read()
        self.rehash("run.db")

    def change_schema(self, table, old, new):
        """The text of a table's schema, without a row being looked at."""
        with self.database() as database:
            database.execute("PRAGMA writable_schema=ON")
            changed = database.execute("UPDATE sqlite_schema SET sql=replace(sql,?,?) WHERE name=? AND instr(sql,?)>0",
                                       (old, new, table, old)).rowcount
            assert changed == 1, f"{table} has no {old!r}"
            database.execute("PRAGMA writable_schema=RESET")

    def tar(self):
        return [chunk for name, data in self.pieces for chunk in (header(name, len(data)), data, bytes(-len(data) % BLOCK))] + [bytes(2 * BLOCK)]

    def write(self, file, tar=None, behind=b"", frames=b""):
        """behind: in the frame, after its end; frames: between the frame and the seal."""
        data = packed(*(self.tar() if tar is None else tar), behind) + frames
        with open(path(file), "wb") as opened:
            opened.write(data + SEAL + hashlib.sha256(data).hexdigest().encode())
        return file


def made_up(database, hosts=b"node[1-8] slots=8 platform=hgx-h100\n", output=b"what it said\n"):
    """A run in a database of that name, by the tests' own program."""
    for name, data in (("hosts.in", hosts), ("output.in", output)):
        with open(path(name), "wb") as file:
            file.write(data)
    subprocess.run([WRITE_DATABASE, path(database), path("hosts.in"), path("output.in")], env=environment(), check=True)


def rows(database, where=lambda table: True):
    """Every row of every table, as text, by table."""
    with contextlib.closing(sqlite3.connect(path(database))) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type='table' AND name NOT LIKE 'sqlite_%'")]
        return {table: sorted(map(repr, connection.execute(f'SELECT * FROM "{table}"'))) for table in tables if where(table)}


def renamed(database):
    """The run of a database under other UUIDs: another run, of the same hosts and plan."""
    with contextlib.closing(sqlite3.connect(path(database))) as connection:
        connection.execute("UPDATE run SET uuid='7c0e0000-0000-4a11-9d00-0000000000ff'")
        connection.execute("UPDATE attempt SET uuid='8'||substr(uuid,2)")
        connection.execute("UPDATE judgement SET uuid='8'||substr(uuid,2)")
        connection.execute("UPDATE step SET key=key||'x'")
        connection.commit()
