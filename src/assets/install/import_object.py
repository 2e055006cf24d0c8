# Imports a module, or an object of it ("module:object"); ends with 70 where that fails.
import functools
import importlib
import sys
import traceback

module, _, name = sys.argv[1].partition(":")
try:
    found = importlib.import_module(module)
    if name:
        functools.reduce(getattr, name.split("."), found)
except BaseException:
    traceback.print_exc()
    sys.exit(70)
