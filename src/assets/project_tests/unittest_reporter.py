"""Runs unittest with the arguments behind, and appends what happens to the events file, one JSON value a line."""
import faulthandler
import inspect
import json
import os
import signal
import sys
import traceback
import unittest

LIMIT = 16_000


def write_stacks_on_signal():
    """All stacks go into a file beside the events at SIGUSR2, for tests that are stuck."""
    if hasattr(faulthandler, "register"):
        path = "%s.stacks.%d" % (os.environ["PTH_TEST_EVENTS"], os.getpid())
        faulthandler.register(signal.SIGUSR2, file=open(path, "w"), all_threads=True)


class Events:
    def __init__(self):
        self.file = os.open(os.environ["PTH_TEST_EVENTS"], os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
        # A test that forks and goes on in its child says nothing more.
        self.process = os.getpid()

    def write(self, event):
        if os.getpid() == self.process:
            os.write(self.file, (json.dumps(event) + "\n").encode())


write_stacks_on_signal()
EVENTS = Events()


def file_of(test):
    module = sys.modules.get(type(test).__module__)
    return getattr(module, "__file__", None)


def place_of(test):
    try:
        method = getattr(test, getattr(test, "_testMethodName", ""))
        code = inspect.unwrap(method).__code__
        return {"file": os.path.abspath(code.co_filename), "line": code.co_firstlineno}
    except AttributeError:
        # A test of another kind, such as one of doctest.
        return None


def failure_of(error):
    kind, value, trace = error
    frames = [
        'File "%s", line %d, in %s' % (os.path.abspath(frame.filename), frame.lineno, frame.name)
        for frame in reversed(traceback.extract_tb(trace))
        if os.path.dirname(unittest.__file__) not in frame.filename
    ]
    message = "".join(traceback.format_exception_only(kind, value)).strip()
    return {"status": "failed", "message": message[:LIMIT], "stack": frames[:50]}


class Result(unittest.TextTestResult):
    """The usual result, which also writes events. A test has one outcome; the worst that is reported is it."""

    def __init__(self, *words, **named):
        super().__init__(*words, **named)
        self.count = 0
        self.number = None
        self.outcome = None

    def startTest(self, test):
        if isinstance(test, unittest.loader._FailedTest):
            super().startTest(test)
            return
        self.count += 1
        self.number = self.count
        self.outcome = None
        EVENTS.write({"type": "started", "id": self.number, "test": {"name": test.id(), "suite": file_of(test)}})
        super().startTest(test)

    def note(self, outcome):
        if self.outcome is None or outcome["status"] == "failed" and self.outcome["status"] != "failed":
            self.outcome = outcome

    def stopTest(self, test):
        super().stopTest(test)
        if self.number is None:
            return
        outcome = dict(self.outcome or {"status": "failed", "message": "It ended without a result"})
        outcome.setdefault("place", place_of(test))
        EVENTS.write({"type": "finished", "id": self.number, "outcome": outcome})
        self.number = None

    def fail(self, test, error):
        if self.number is not None:
            self.note(failure_of(error))
            return
        # setUpClass, tearDownModule and so on are no tests.
        failure = failure_of(error)
        text = failure["message"] + "\n" + "\n".join(failure["stack"])
        EVENTS.write({"type": "not_run", "message": "%s: %s" % (test.id(), failure["message"]), "text": text})

    def addSuccess(self, test):
        super().addSuccess(test)
        self.note({"status": "passed"})

    def addError(self, test, error):
        super().addError(test, error)
        if isinstance(test, unittest.loader._FailedTest):
            text = str(error[1])[:LIMIT]
            lines = [line for line in text.splitlines() if line and not line[0].isspace()]
            EVENTS.write({"type": "not_run", "message": lines[-1] if lines else text, "text": text})
        else:
            self.fail(test, error)

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self.fail(test, error)

    def addSubTest(self, test, subtest, error):
        super().addSubTest(test, subtest, error)
        if error is not None:
            self.fail(test, error)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        if self.number is not None:
            self.note({"status": "skipped", "message": reason[:LIMIT]})

    def addExpectedFailure(self, test, error):
        super().addExpectedFailure(test, error)
        self.note({"status": "skipped", "message": "expected failure"})

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self.note({"status": "failed", "message": "unexpected success"})


class Runner(unittest.TextTestRunner):
    resultclass = Result

    def run(self, test):
        EVENTS.write({"type": "planned", "tests": test.countTestCases()})
        result = super().run(test)
        EVENTS.write({"type": "end"})
        return result


if __name__ == "__main__":
    # Modules are found as `python -m unittest` finds them.
    sys.path[0] = os.getcwd()
    sys.argv[0] = "python -m unittest"
    unittest.main(module=None, testRunner=Runner)
