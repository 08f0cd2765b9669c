"""Reads pairs of versions, separated by a tab, and prints the order that a class of Python gives to each.

The argument is the class: `packaging.version.Version`, or a class of `univers.versions`.
"""

import importlib
import sys

module, _, name = sys.argv[1].rpartition(".")
version = getattr(importlib.import_module(module), name)
for line in sys.stdin:
    one, other = map(version, line.rstrip("\n").split("\t"))
    print(-1 if one < other else 1 if one > other else 0)
