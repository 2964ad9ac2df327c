# SPDX-License-Identifier: Apache-2.0
"""Evidence bundles without assay."""

import ctypes
import io
import tarfile


class Buffer(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_void_p), ("size", ctypes.c_size_t), ("at", ctypes.c_size_t)]


def unpacked(data):
    """By libzstd."""
    library = ctypes.CDLL("libzstd.so.1")
    library.ZSTD_createDCtx.restype = ctypes.c_void_p
    library.ZSTD_decompressStream.restype = ctypes.c_size_t
    context, out = ctypes.c_void_p(library.ZSTD_createDCtx()), b""
    room = ctypes.create_string_buffer(1 << 20)
    source = Buffer(ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p), len(data), 0)
    while True:
        target = Buffer(ctypes.cast(room, ctypes.c_void_p), 1 << 20, 0)
        left = library.ZSTD_decompressStream(context, ctypes.byref(target), ctypes.byref(source))
        out += room.raw[:target.at]
        if left == 0 or left > 1 << 62:
            break
    return out


def unpacked_bytes(data):
    """{name: bytes} of a bundle, by libzstd and Python's own tar reader."""
    with tarfile.open(fileobj=io.BytesIO(unpacked(data))) as tar:
        return {member.name: tar.extractfile(member).read() for member in tar.getmembers()}
