"""Runs pytest with the arguments behind, and appends what happens to the events file, one JSON value a line."""
import faulthandler
import json
import os
import signal
import sys

LIMIT = 16_000
HALF = 32_768


def open_events():
    flags = os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC
    return os.open(os.environ["PTH_TEST_EVENTS"], flags)


def write_stacks_on_signal():
    """All stacks go into a file beside the events at SIGUSR2, for tests that are stuck."""
    if hasattr(faulthandler, "register"):
        path = "%s.stacks.%d" % (os.environ["PTH_TEST_EVENTS"], os.getpid())
        faulthandler.register(signal.SIGUSR2, file=open(path, "w"), all_threads=True)


class Reporter:
    def __init__(self):
        self.events = open_events()
        # A test that forks and goes on in its child says nothing more.
        self.process = os.getpid()
        self.reports = {}
        self.frames = {}
        self.numbers = {}
        self.count = 0
        self.planned = False
        self.base = None

    def write(self, event):
        if os.getpid() == self.process:
            os.write(self.events, (json.dumps(event) + "\n").encode())

    def name_of(self, nodeid):
        """Node ids are relative to pytest's root, which may lie above the folder that it was started in."""
        if self.base in (None, "."):
            return nodeid
        path, separator, rest = nodeid.partition("::")
        return os.path.normpath(os.path.join(self.base, path)) + separator + rest

    def test_of(self, nodeid):
        name = self.name_of(nodeid)
        return {"name": name, "suite": os.path.abspath(name.partition("::")[0])}

    def pytest_configure(self, config):
        self.base = os.path.relpath(str(config.rootpath))

    def pytest_collectreport(self, report):
        if not report.failed:
            return
        text = str(report.longrepr)
        event = {"type": "not_run", "text": text[-4 * LIMIT:]}
        errors = [line[2:].strip() for line in text.splitlines() if line.startswith("E  ")]
        if errors:
            event["message"] = errors[-1][:LIMIT]
        path = self.name_of(report.nodeid).partition("::")[0]
        if path not in ("", "."):
            event["suite"] = os.path.abspath(path)
        self.write(event)

    def plan(self, tests):
        if not self.planned:
            self.planned = True
            self.write({"type": "planned", "tests": tests})

    def pytest_collection_finish(self, session):
        if session.items:
            self.plan(len(session.items))

    def pytest_runtest_logstart(self, nodeid, location):
        self.count += 1
        self.numbers[nodeid] = self.count
        self.reports[nodeid] = []
        self.write({"type": "started", "id": self.count, "test": self.test_of(nodeid)})

    def pytest_runtest_makereport(self, item, call):
        # Reports of other processes have no functions.
        if call.excinfo is not None and item.nodeid not in self.frames:
            self.frames[item.nodeid] = frames_of(call.excinfo)

    def pytest_runtest_logreport(self, report):
        if report.outcome == "rerun":
            self.reports[report.nodeid] = []
            self.frames.pop(report.nodeid, None)
        else:
            self.reports.setdefault(report.nodeid, []).append(report)

    def pytest_runtest_logfinish(self, nodeid, location):
        reports = self.reports.pop(nodeid, [])
        frames = self.frames.pop(nodeid, [])
        number = self.numbers.pop(nodeid, None)
        if not reports:
            return
        for text in printed(reports[-1]):
            self.write({"type": "output", "id": number, "text": text})
        outcome = outcome_of(reports, frames)
        outcome.setdefault("place", place_of(nodeid, location))
        self.write({"type": "finished", "id": number, "test": self.test_of(nodeid), "outcome": outcome})

    def pytest_sessionfinish(self, session):
        self.write({"type": "end"})


def place_of(nodeid, location):
    path, line, _ = location
    return {"file": os.path.abspath(path or nodeid.partition("::")[0]), "line": (line or 0) + 1}


def frames_of(excinfo):
    """Frames of the test and of what it called, innermost first."""
    texts = []
    for entry in list(excinfo.traceback)[-200:]:
        path = str(entry.path)
        if "/_pytest/" in path or "/pluggy/" in path:
            texts.clear()
        else:
            texts.append('File "%s", line %d, in %s' % (path, entry.lineno + 1, entry.name))
    return texts[::-1][:50]


def printed(report):
    for title, text in report.sections:
        if title.startswith("Captured ") and text:
            yield text if len(text) <= 2 * HALF else text[:HALF] + "\n…\n" + text[-HALF:]


def outcome_of(reports, frames):
    outcome = {"status": "passed", "durationMs": sum(report.duration for report in reports) * 1000}
    failed = next((report for report in reports if report.failed), None)
    skipped = next((report for report in reports if report.skipped), None)
    if failed is not None:
        outcome.update(status="failed", **failure_of(failed))
        if frames:
            outcome["stack"] = frames
    elif skipped is not None:
        outcome.update(status="skipped", message=reason_of(skipped)[:LIMIT])
    return outcome


def failure_of(report):
    where = "" if report.when == "call" else "in %s: " % report.when
    crash = getattr(report.longrepr, "reprcrash", None)
    if crash is None:
        return {"message": where + str(report.longrepr)[-LIMIT:]}
    failure = {"message": (where + crash.message)[:LIMIT]}
    entries = getattr(getattr(report.longrepr, "reprtraceback", None), "reprentries", [])
    places = [entry.reprfileloc for entry in entries if getattr(entry, "reprfileloc", None) is not None]
    if places:
        failure["stack"] = ['File "%s", line %d' % (os.path.abspath(one.path), one.lineno) for one in places[:-50:-1]]
    return failure


def reason_of(report):
    expected = getattr(report, "wasxfail", None)
    if expected is not None:
        return ("expected failure: " + expected.replace("reason: ", "", 1)).rstrip(": ")
    if isinstance(report.longrepr, tuple):
        return str(report.longrepr[2]).replace("Skipped: ", "", 1)
    return str(report.longrepr)


def main():
    # Modules are found as `python -m pytest` finds them.
    sys.path[0] = os.getcwd()
    try:
        import pytest
    except ImportError as error:
        message = "%s: %s. Install it: %s -m pip install pytest" % (sys.executable, error, sys.executable)
        os.write(open_events(), (json.dumps({"type": "not_run", "message": message}) + "\n").encode())
        print(message, file=sys.stderr)
        return 4
    write_stacks_on_signal()
    # With pytest-xdist, workers collect.
    planned = pytest.hookimpl(optionalhook=True)(lambda self, node, ids: self.plan(len(ids)))
    Reporter.pytest_xdist_node_collection_finished = planned
    sys.argv[0] = pytest.__file__
    return pytest.main(sys.argv[1:], plugins=[Reporter()])


if __name__ == "__main__":
    sys.exit(main())
