"""Measures which lines run, for PTH; says nothing, and leaves the server alone when it fails.

Runs inside the plugin's Python processes as `sitecustomize`, found through PYTHONPATH before their own code. Each cue ends
a context of coverage.py; context n is what ran before cue n. What was counted is written at each cue, so that a process
which is killed loses nothing but its last stretch.
"""
import os
import sys

_folder = os.environ.get("PTH_COVERAGE")


def _tell(error):
    try:
        with open(os.path.join(_folder, "problems", "python-%d" % os.getpid()), "w") as file:
            file.write(repr(error))
    except OSError:
        pass


def _start():
    import atexit
    import json
    import threading
    import time

    with open(os.path.join(_folder, "python.json")) as file:
        settings = json.load(file)
    sys.path.append(settings["library"])
    try:
        import coverage
    finally:
        sys.path.remove(settings["library"])

    name = "python-%d" % os.getpid()

    def current():
        return max([0] + [int(one) for one in os.listdir(os.path.join(_folder, "cue")) if one.isdigit()])

    measuring = coverage.Coverage(
        data_file=os.path.join(_folder, "python-data", name),
        config_file=False,
        branch=True,
        source=[settings["root"]],
        omit=settings["omit"],
        messages=False,
    )
    # What is told on stderr would be the server's words.
    measuring._warn_no_data = False
    measuring._warn_unimported_source = False
    last = current()
    measuring.start()
    measuring.switch_context(str(last + 1))

    def say(cue, ending):
        hidden = os.path.join(_folder, "data", ".%s-%s" % (name, cue))
        with open(hidden, "w") as file:
            json.dump({"kind": "coverage.py", "ending": ending}, file)
        os.rename(hidden, os.path.join(_folder, "data", "%s-%s.json" % (name, cue)))

    def follow():
        nonlocal last
        while True:
            time.sleep(0.004)
            try:
                cue = current()
                if cue > last:
                    last = cue
                    measuring.switch_context(str(cue + 1))
                    say(cue, False)
            except Exception as error:
                _tell(error)
                return

    def end():
        try:
            measuring.stop()
            measuring.save()
            say("end", True)
            os.unlink(os.path.join(_folder, "live", name))
        except Exception as error:
            _tell(error)

    atexit.register(end)
    with open(os.path.join(_folder, "live", name), "w"):
        pass
    threading.Thread(target=follow, daemon=True, name="pth-coverage").start()


def _next():
    """The environment's own sitecustomize, which this one stands before."""
    import importlib.machinery
    import importlib.util

    here = os.path.dirname(os.path.abspath(__file__))
    paths = [one for one in sys.path if os.path.abspath(one or ".") != here]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", paths)
    if spec is not None:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


if _folder:
    try:
        _start()
    except Exception as error:
        _tell(error)
_next()
