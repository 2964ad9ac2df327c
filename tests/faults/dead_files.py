# SPDX-License-Identifier: Apache-2.0
"""usage: dead_files.py FOLDER

A file system whose server is gone: it is mounted (FUSE), and whoever asks it for anything waits and cannot be killed, in
state D, as where NFS is mounted hard. When this program ends, all of them get an error.
"""

import ctypes
import os
import struct
import sys

REQUEST = struct.Struct("<IIQ")  # length, operation, number: the begin of each request of the kernel, see linux/fuse.h
ANSWER = struct.Struct("<IiQ")
INIT, INIT_ANSWER = 26, struct.pack("<IIIIHHIIHHI7I", 7, 31, 65536, 0, 12, 9, 65536, 1, 0, 0, 0, *[0] * 7)

libc = ctypes.CDLL(None, use_errno=True)
device = os.open("/dev/fuse", os.O_RDWR)
if libc.mount(b"gone:/export", os.fsencode(sys.argv[1]), b"fuse", 0,
              f"fd={device},rootmode=40000,user_id=0,group_id=0,allow_other".encode()) != 0:
    sys.exit(f"mount: {os.strerror(ctypes.get_errno())}")
while True:
    request = os.read(device, 1 << 17)
    _, operation, number = REQUEST.unpack_from(request)
    if operation == INIT:
        os.write(device, ANSWER.pack(ANSWER.size + len(INIT_ANSWER), 0, number) + INIT_ANSWER)
