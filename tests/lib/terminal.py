# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""terminal.py: a program that writes to a terminal, and what the terminal got."""
import fcntl
import os
import pty
import struct
import subprocess
import termios


def shown(words, *, stdout=False, stderr=False, columns=0, **options):
    """What @words wrote to a terminal of so many columns (0: it does not say), as the outputs that are True."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with subprocess.Popen(words, stdout=slave if stdout else subprocess.DEVNULL,
                          stderr=slave if stderr else subprocess.DEVNULL, **options):
        os.close(slave)
        text = b""
        while True:
            try:
                part = os.read(master, 65536)
            except OSError:
                break
            if not part:
                break
            text += part
        os.close(master)
    return text.decode()
