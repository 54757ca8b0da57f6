# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""first_fault.py: with IBW_FIRST_FAULT in the environment a long test ends with the first fault it finds.

tests/tree/tests_fail.py sets it: where there is nothing to be tested, one fault says as much as a thousand.
"""
import os


def only():
    return "IBW_FIRST_FAULT" in os.environ


def ends(faults):
    """Whether a test that has found these need not go on."""
    return only() and bool(faults)
