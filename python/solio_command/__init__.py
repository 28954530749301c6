"""The command ``solio`` of the Python package.

It loads the native module alone: importing the package ``solio`` would bring NumPy, which takes
longer than most commands do.
"""

from __future__ import annotations

import os
import signal
import sys
from importlib.machinery import PathFinder
from importlib.util import module_from_spec


def main() -> int:
    """Runs the command with ``sys.argv`` and returns its exit code."""
    beside = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    found = PathFinder.find_spec("_solio", [os.path.join(beside, "solio")])
    if found is None or found.loader is None:
        raise ImportError("the package solio is not installed beside solio_command")
    native = module_from_spec(found)
    found.loader.exec_module(native)
    # The command hears Ctrl-C itself; Python's own way would end in a traceback.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    code: int = native.command([os.path.abspath(sys.argv[0]), *sys.argv[1:]])
    return code
