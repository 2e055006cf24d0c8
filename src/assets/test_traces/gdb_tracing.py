"""What the tracers of native languages share: the request, the lines that they write, and how many calls are followed."""
import json
import os
import re
import time

import gdb

MOST_ARGUMENTS = 12
LEFT = "left by an exception or a jump"
HERE = os.path.dirname(os.path.abspath(__file__))

with open(os.path.join(HERE, "trace_request.json"), encoding="utf-8") as file:
    request = json.load(file)
output = os.open(request["output"], os.O_WRONLY | os.O_APPEND)
started = time.perf_counter()
watches = [
    (one["variable"], None if one.get("sources") is None else [re.compile(s) for s in one["sources"]])
    for one in request["watches"]
]
calls = {}
written = 0


def write(**line):
    os.write(output, (json.dumps(line) + "\n").encode("utf-8", "replace"))


def now():
    return (time.perf_counter() - started) * 1000


def quiet(command):
    try:
        return gdb.execute(command, to_string=True)
    except gdb.error:
        return ""  # a setting that this gdb does not know


def watched(name, text_of):
    """Texts of the variables that are watched in that function, where they are to be seen."""
    found = {}
    for variable, sources in watches:
        if sources is not None and not any(source.search(name) for source in sources):
            continue
        try:
            found[variable] = text_of(gdb.parse_and_eval(variable))
        except gdb.error:
            pass  # it is not to be seen from there
    return {"watched": found} if found else {}


def is_followed(name):
    """Counts a call; False where more of that function, or of all, are not followed."""
    calls[name] = calls.get(name, 0) + 1
    return calls[name] <= request["mostOfFunction"] and written < request["mostCalls"]


def symbols_of(frame):
    """Arguments and variables of a function's outermost block: the place may already be within another one."""
    block = frame.block()
    while block.function is None and block.superblock is not None:
        block = block.superblock
    return block


def write_call(name, frame, thread, parent, **line):
    """Writes that a call began, and answers its id."""
    global written
    written += 1
    pid = gdb.selected_inferior().pid
    call = "%d.%d" % (pid, written)
    if parent is not None:
        line["parent"] = parent
    try:
        place = frame.older().find_sal()
        path = place.symtab.fullname()
        if path.startswith(request["root"] + "/"):
            path = path[len(request["root"]) + 1:]
        line["calledAt"] = "%s:%d" % (path, place.line)
    except (AttributeError, gdb.error):
        pass  # the caller has no debug information
    write(kind="call", id=call, function=name, pid=pid, thread=thread, at=now(), **line)
    return call


class Leaving(gdb.Breakpoint):
    """Meets the call that ends all threads, and keeps its exit code: gdb may lose it where it stops another thread just then."""
    codes = []

    def __init__(self, function, code):
        quiet("set breakpoint pending on")
        super().__init__(function=function, internal=True)
        quiet("set breakpoint pending off")
        self.silent = True
        self.code = code

    def stop(self):
        try:
            self.codes.append(int(gdb.parse_and_eval(self.code)) & 255)
        except gdb.error:
            pass  # gdb may still see how it ends
        return False


def write_end(call, **line):
    write(kind="end", id=call, at=now(), **line)
