// Reporter of Vitest: appends what happens to the events file, one JSON value a line, and prints nothing.
import { openSync, writeSync } from "node:fs";

const events = openSync(process.env.PTH_TEST_EVENTS, "a");
const write = (event) => writeSync(events, JSON.stringify(event) + "\n");
const limit = 16_000;
const cut = (text) => text.length > limit ? `${text.slice(0, limit)} …` : text;
// deno-lint-ignore no-control-regex
const plain = (text) => cut(String(text ?? "").replace(/\u001b\[[\d;]*m/g, ""));

const framesOf = (error) =>
  (error.stacks ?? []).slice(0, 50).map(({ method, file, line, column }) =>
    method ? `at ${method} (${file}:${line}:${column})` : `at ${file}:${line}:${column}`
  );
const messageOf = (error) =>
  plain(error.name && error.name !== "AssertionError" ? `${error.name}: ${error.message}` : error.message);
const failureOf = ([error]) =>
  error === undefined ? {} : { message: messageOf(error), stack: framesOf(error) };

const textOf = (error) => `${messageOf(error)}\n${framesOf(error).join("\n") || plain(error.stack)}`;

export default class {
  live = false;
  begun = new Set();

  onTestRunStart() {
    this.live = true;
  }

  onTestModuleCollected(module) {
    write({ type: "planned", suite: module.moduleId, tests: [...module.children.allTests()].length });
  }

  onTestCaseReady(test) {
    this.begun.add(test.id);
    write({ type: "started", id: test.id, test: { name: test.fullName, suite: test.module.moduleId } });
  }

  onUserConsoleLog({ taskId, content }) {
    if (this.begun.has(taskId)) write({ type: "output", id: taskId, text: cut(content) });
  }

  onTestCaseResult(test) {
    const { state, errors = [], note } = test.result();
    const file = test.module.moduleId;
    const { line, column } = test.location ?? {};
    this.begun.delete(test.id);
    write({
      type: "finished",
      id: test.id,
      test: { name: test.fullName, suite: file },
      outcome: {
        status: state === "passed" || state === "failed" ? state : "skipped",
        durationMs: test.diagnostic()?.duration,
        place: { file, line, column },
        ...(state === "failed" ? failureOf(errors) : note === undefined ? {} : { message: plain(note) }),
      },
    });
  }

  onTestSuiteResult(suite) {
    for (const error of suite.errors()) {
      write({
        type: "not_run",
        suite: suite.module.moduleId,
        message: messageOf(error),
        text: textOf(error),
      });
    }
  }

  onTestModuleEnd(module) {
    for (const error of module.errors()) {
      write({ type: "not_run", suite: module.moduleId, message: messageOf(error), text: textOf(error) });
    }
  }

  onTestRunEnd(_modules, errors, reason) {
    for (const error of errors) {
      write({
        type: "suite_ended",
        complete: false,
        reason: `Unhandled ${plain(error.type ?? "error")}: ${messageOf(error)}`,
      });
    }
    if (reason === "interrupted") {
      write({ type: "suite_ended", complete: false, reason: "It was interrupted" });
    }
    write({ type: "end" });
  }

  /** Versions before 3 tell all at the end. */
  onFinished(files = [], errors = []) {
    if (this.live) return;
    const walk = (task, names) => {
      if (task.type === "suite") {
        for (const error of task.result?.errors ?? []) {
          write({
            type: "not_run",
            suite: task.file.filepath,
            message: messageOf(error),
            text: textOf(error),
          });
        }
        for (const child of task.tasks) {
          walk(child, task.filepath === undefined ? [...names, task.name] : names);
        }
        return;
      }
      const { state, duration: durationMs, errors = [] } = task.result ?? {};
      const file = task.file.filepath;
      const status = state === "pass" ? "passed" : state === "fail" ? "failed" : "skipped";
      write({
        type: "finished",
        id: task.id,
        test: { name: [...names, task.name].join(" > "), suite: file },
        outcome: {
          status,
          durationMs,
          place: { file, ...task.location },
          ...(status === "failed" ? failureOf(errors) : {}),
        },
      });
    };
    for (const file of files) walk(file, []);
    for (const error of errors) {
      write({
        type: "suite_ended",
        complete: false,
        reason: `Unhandled ${plain(error.type ?? "error")}: ${messageOf(error)}`,
      });
    }
    write({ type: "end" });
  }
}
