"""Traces calls of a native program that fit the patterns of trace_request.json, beside this file.

gdb -q -nx -batch -iex "python exit_file = PATH" -x trace_gdb.py --args PROGRAM ARGUMENTS…, with the program's own stdout and stderr as
3 and 4. The exit code of the program is written to that file: gdb ends with 0 also where its script failed.
"""
import difflib
import os
import re
import sys
import time

import gdb

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import gdb_hot
from gdb_tracing import Leaving, calls, quiet, request, write

MOST_FUNCTIONS = 200
WAIT_FOR_THREADS = 0x40000000

for setting in (
    "set pagination off", "set confirm off", "set width 0", "set print thread-events off", "set print frame-arguments all",
    "set debuginfod enabled off", "set breakpoint pending off", "set max-value-size 65536", "set print object off",
    "handle all nostop noprint pass", "handle SIGTRAP stop noprint nopass", "handle SIGINT nostop noprint pass",
):
    quiet(setting)
if "runtime.goexit" in quiet("info line runtime.goexit"):
    import gdb_go as language
else:
    import gdb_native as language


def names_near(pattern, known):
    wanted = re.split(r"::|\.", pattern)[-1]
    last = {}
    for name in known.values():
        last.setdefault(re.split(r"::|\.", name)[-1], []).append(name)
    likeness = lambda name: difflib.SequenceMatcher(None, pattern, name).ratio()
    return [max(last[name], key=likeness) for name in difflib.get_close_matches(wanted, list(last), 5, 0.6)]


def begin_all():
    """Breakpoints by the full names of their functions."""
    placed, known = {}, {}
    for one in request["patterns"]:
        source = re.compile(one["source"])
        fitting = {full: name for full, name in language.listed(one["pattern"]).items() if language.fits(source, name)}
        near = []
        if not fitting:
            known = known or language.names_in(quiet("info functions -n ."))
            near = names_near(one["pattern"], known)
        write(kind="pattern", pattern=one["pattern"][:500], functions=len(set(fitting.values())), near=near)
        if not fitting and not known:
            program = os.path.basename(gdb.current_progspace().filename or "The program")
            write(kind="note", text="%s has no debug information: build it with -g" % program[:100])
        for full, name in fitting.items():
            if full in placed:
                continue
            if len(placed) >= MOST_FUNCTIONS:
                write(kind="note", text="More than %d functions fit: the others are not traced" % MOST_FUNCTIONS)
                return placed
            try:
                placed[full] = language.Begin(full, name)
            except (gdb.error, RuntimeError, ValueError) as error:
                write(kind="note", text="Cannot trace %s: %s" % (name, error))
    return placed


def drop_hot(placed):
    """Removes the breakpoints of functions that were called too often."""
    for name in {one.function_name for one in placed.values() if one.is_hot}:
        if calls.get(name, 0) > request["mostOfFunction"]:
            write(kind="omitted", function=name)
        own = [placed.pop(full) for full, one in list(placed.items()) if one.function_name == name]
        places = gdb_hot.places_of(own)
        for one in own:
            one.remove()
        gdb_hot.count(name, places)


def run_untraced(program, arguments):
    """Where gdb may not trace it: the tests are more than their trace. Answers the exit code."""
    line = 'exec "$0" %s 1>&3 2>&4 3>&- 4>&-' % arguments
    ended = os.spawnl(os.P_WAIT, "/bin/sh", "sh", "-c", line, program)
    return ended if ended >= 0 else 128 - ended


def follow(placed):
    gdb.execute("run", to_string=True)
    while gdb.selected_inferior().pid != 0:
        language.clear()
        drop_hot(placed)
        gdb.execute("continue", to_string=True)


def told(work):
    """Its result; None where it failed, which is told. The tests run on: gdb would end here as if they had passed."""
    try:
        return work()
    except Exception as error:
        write(kind="note", text="Tracing ended early: %s" % (str(error) or type(error).__name__))
        return None


def has_ended(pid):
    """True where the first thread is a zombie, or gone: what ends all threads at once takes a moment."""
    for _ in range(20):
        try:
            with open("/proc/%d/stat" % pid, encoding="utf-8", errors="replace") as file:
                if file.read().rpartition(")")[2].split()[0] in "ZX":
                    return True
        except OSError:
            return True
        time.sleep(0.01)
    return False


def end_of(pid, placed):
    """Exit code of a program that gdb cannot follow any more: one thread has ended all while gdb stopped another."""
    if not has_ended(pid):
        for one in placed.values():
            one.remove()
        gdb.execute("detach", to_string=True)
    while True:
        try:
            found, status = os.waitpid(-1, WAIT_FOR_THREADS)
        except ChildProcessError:
            return code_of_gdb()
        if found == pid and not os.WIFSTOPPED(status):
            return os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)


def code_of_gdb():
    """Exit code as gdb has seen it; None where it has not, also after it was asked to look."""
    for _ in range(4):
        code, ended_by = gdb.convenience_variable("_exitcode"), gdb.convenience_variable("_exitsignal")
        if code is not None or ended_by is not None:
            return int(code) if ended_by is None else 128 + int(ended_by)
        if gdb.selected_inferior().pid == 0:
            return None
        quiet("continue")
    return None


def write_counts():
    for name, number, median, is_cut in gdb_hot.results():
        write(kind="omitted", function=name, calls=number, isLeast=is_cut, **({} if median is None else {"medianUs": median}))


found = re.search(r'is "(.*)"\.$', quiet("show args").strip(), re.S)
arguments = found.group(1) if found else ""
quiet("set args %s 1>&3 2>&4 3>&- 4>&-" % arguments)
placed = told(begin_all) or {}
told(lambda: follow(placed))
told(write_counts)
if gdb.selected_inferior().pid != 0:
    code = told(lambda: end_of(gdb.selected_inferior().pid, placed))
else:
    code = code_of_gdb()
    if code is None and not calls and not Leaving.codes:
        code = told(lambda: run_untraced(gdb.current_progspace().filename, arguments))
if code is None and Leaving.codes:
    code = Leaving.codes[-1]
if code is not None:
    with open(exit_file, "w", encoding="ascii") as file:
        file.write(str(int(code)))
gdb.execute("quit")
