"""Traces calls of functions that fit the patterns of trace_request.json, beside this file. Python imports it at its start."""
import importlib.util
import json
import os
import re
import reprlib
import sys
import threading
import time

_here = os.path.dirname(os.path.abspath(__file__))


def _next_customization():
    """Imports the sitecustomize that this one stands before, as it would have been."""
    for folder in sys.path:
        path = os.path.join(folder or ".", "sitecustomize.py")
        if os.path.abspath(folder or ".") == _here or not os.path.isfile(path):
            continue
        spec = importlib.util.spec_from_file_location("_next_sitecustomize", path)
        spec.loader.exec_module(importlib.util.module_from_spec(spec))
        return


class _Tracer:
    def __init__(self, request):
        self.root = request["root"]
        self.most = request["mostOfFunction"]
        self.most_of_all = request["mostCalls"]
        self.patterns = [(one["pattern"], re.compile(one["source"])) for one in request["patterns"]]
        self.watches = [
            (one["variable"], None if one.get("sources") is None else [re.compile(s) for s in one["sources"]])
            for one in request["watches"]
        ]
        self.output = os.open(request["output"], os.O_WRONLY | os.O_APPEND)
        self.pid = os.getpid()
        self.start = time.perf_counter()
        self.names = {}
        self.fits = {pattern: set() for pattern, _ in self.patterns}
        self.seen = set()
        self.calls = {}
        self.local = threading.local()
        self.count = 0
        self.text = reprlib.Repr()
        self.text.maxstring = self.text.maxother = 200
        self.text.maxlist = self.text.maxtuple = self.text.maxdict = self.text.maxset = 10
        self.text.maxlevel = 3

    def write(self, **line):
        os.write(self.output, (json.dumps(line) + "\n").encode("utf-8", "replace"))

    def name_of(self, code):
        """Qualified name of a function that is traced; "" for all others."""
        name = self.names.get(code)
        if name is not None:
            return name
        path = code.co_filename
        name = ""
        if not path.startswith("<") and os.path.dirname(os.path.abspath(path)) != _here:
            within = os.path.relpath(path, self.root) if os.path.isabs(path) else path
            is_own = ".." not in within.split(os.sep)
            if not is_own:
                within = re.split(r"(?:site|dist)-packages" + re.escape(os.sep) + r"|/lib/python[\d.]+/", path)[-1]
            module = os.path.splitext(within)[0].replace(os.sep, ".")
            if module.endswith(".__init__"):
                module = module[: -len(".__init__")]
            whole = module + "." + getattr(code, "co_qualname", code.co_name).replace(".<locals>", "")
            fitting = [pattern for pattern, source in self.patterns if source.search(whole)]
            if fitting:
                name = whole
                for pattern in fitting:
                    self.fits[pattern].add(whole)
            elif is_own and len(self.seen) < 5000:
                self.seen.add(whole)
        self.names[code] = name
        return name

    def represent(self, value):
        try:
            return self.text.repr(value)
        except Exception as error:
            return "<%s while it was printed>" % type(error).__name__

    def watched(self, name, frame):
        found = {}
        for variable, sources in self.watches:
            if sources is not None and not any(source.search(name) for source in sources):
                continue
            first, *rest = variable.split(".")
            scope = frame.f_locals if first in frame.f_locals else frame.f_globals
            if first not in scope:
                continue
            value = scope[first]
            try:
                for part in rest:
                    value = getattr(value, part)
            except Exception as error:
                value = error
            found[variable] = self.represent(value)
        return found or None

    def stack(self):
        """Calls under way by frame, outermost first; the frame of a generator that waits is not the last one."""
        stack = getattr(self.local, "stack", None)
        if stack is None:
            stack = self.local.stack = {}
        return stack

    def begin(self, code, frame):
        """False once a function was called too often."""
        name = self.name_of(code)
        calls = self.calls[name] = self.calls.get(name, 0) + 1
        if calls > self.most or self.count >= self.most_of_all:
            return False
        if getattr(self.local, "busy", False):
            return True
        self.local.busy = True
        try:
            self.count += 1
            call = "%d.%d" % (self.pid, self.count)
            stack = self.stack()
            line = {
                "kind": "call", "id": call, "function": name, "pid": self.pid,
                "thread": threading.current_thread().name, "at": (time.perf_counter() - self.start) * 1000,
                "arguments": {
                    variable: self.represent(frame.f_locals[variable])
                    for variable in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
                    if variable in frame.f_locals
                },
            }
            if stack:
                line["parent"] = next(reversed(stack.values()))
            if frame.f_back is not None:
                path = frame.f_back.f_code.co_filename
                within = os.path.relpath(path, self.root) if os.path.isabs(path) else path
                line["calledAt"] = "%s:%d" % (path if within.startswith("..") else within, frame.f_back.f_lineno or 0)
            watched = self.watched(name, frame)
            if watched is not None:
                line["watched"] = watched
            self.write(**line)
            stack[frame] = call
        finally:
            self.local.busy = False
        return True

    def end(self, code, frame, **outcome):
        call = self.stack().pop(frame, None)
        if call is None:
            return
        self.local.busy = True
        try:
            line = {"kind": "end", "id": call, "at": (time.perf_counter() - self.start) * 1000}
            line.update({key: self.represent(value) for key, value in outcome.items()})
            watched = self.watched(self.names[code], frame)
            if watched is not None:
                line["watched"] = watched
            self.write(**line)
        finally:
            self.local.busy = False

    def near(self, pattern, difflib):
        """Names whose last parts are like the pattern's."""
        last = {}
        for name in self.seen:
            last.setdefault(name.rsplit(".", 1)[-1], name)
        wanted = re.split(r"::|\.", pattern)[-1]
        return [last[name] for name in difflib.get_close_matches(wanted, list(last), 5, 0.6)]

    def summarize(self):
        import difflib

        self.stop()
        for pattern, fitting in self.fits.items():
            near = [] if fitting else self.near(pattern, difflib)
            self.write(kind="pattern", pattern=pattern, functions=len(fitting), near=near)
        for name, calls in self.calls.items():
            if calls > self.most:
                self.write(kind="omitted", function=name, calls=calls - self.most)

    def monitor(self):
        monitoring = sys.monitoring
        tool, events = monitoring.PROFILER_ID, monitoring.events
        monitoring.use_tool_id(tool, "pth")

        def begin(code, _offset):
            if not self.name_of(code):
                return monitoring.DISABLE
            self.begin(code, sys._getframe(1))

        def returned(code, _offset, value):
            if not self.name_of(code):
                return monitoring.DISABLE
            self.end(code, sys._getframe(1), returned=value)

        def unwound(code, _offset, error):
            if self.name_of(code):
                self.end(code, sys._getframe(1), raised=error)

        monitoring.register_callback(tool, events.PY_START, begin)
        monitoring.register_callback(tool, events.PY_RETURN, returned)
        monitoring.register_callback(tool, events.PY_UNWIND, unwound)
        monitoring.set_events(tool, events.PY_START | events.PY_RETURN | events.PY_UNWIND)

    def profile(self):
        """Before Python 3.12. It cannot tell an exception from a returned None."""
        def on(frame, event, value):
            if event == "call" and self.name_of(frame.f_code):
                self.begin(frame.f_code, frame)
            elif event == "return" and self.name_of(frame.f_code):
                self.end(frame.f_code, frame, returned=value)

        sys.setprofile(on)
        threading.setprofile(on)
        self.write(kind="note", text="Python %d.%d: an exception that leaves a function shows as None" % sys.version_info[:2])

    def stop(self):
        """Modules are taken apart after the last exit handler."""
        if hasattr(sys, "monitoring"):
            sys.monitoring.set_events(sys.monitoring.PROFILER_ID, 0)
        else:
            sys.setprofile(None)
            threading.setprofile(None)

    def forked(self):
        self.pid = os.getpid()
        self.calls.clear()


def _trace():
    with open(os.path.join(_here, "trace_request.json"), encoding="utf-8") as file:
        tracer = _Tracer(json.load(file))
    import atexit

    atexit.register(tracer.summarize)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=tracer.forked)
    if hasattr(sys, "monitoring"):
        tracer.monitor()
    else:
        tracer.profile()


_next_customization()
_trace()
