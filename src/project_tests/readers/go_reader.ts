/** Reads `go test -json`, and errors of the compiler, which come as text. */
import type { ProjectTestOutcome, TestLocation } from "../../../machines/model/project_test.ts";
import type { EventReader } from "../framework.ts";
import { goFailure } from "./go_failure.ts";
import { parseObject } from "./parse_object.ts";
import { createProgramReader } from "./program_reader.ts";
import { projectPath } from "./project_path.ts";
import type { TestLedger } from "./test_ledger.ts";

interface GoEvent {
  Action?: unknown;
  Package?: unknown;
  Test?: unknown;
  Output?: unknown;
  Elapsed?: unknown;
  FailedBuild?: unknown;
}

interface GoPackage {
  hasTests: boolean;
  failed: number;
  /** The package said itself how its tests went; one that a test has ended did not. */
  hasVerdict: boolean;
  /** Go says that it is fine. */
  isFine: boolean;
  /** Versions from 1.20 on tell its begin, and know lines of Go's from those that a test prints. */
  isTold: boolean;
  /** Ends of tests that are behind what these printed, and which older versions tell as output. */
  glued: Map<string, { status: ProjectTestOutcome["status"]; elapsed: number }>;
  /** First line of a panic, or of an error of the runtime. */
  panic?: string;
}

/** In characters: for each test, and for all that run. */
const mostOutput = 64 * 1024;
const mostKept = 16 * 1024 * 1024;
const mostErrors = 50;
const statuses = { PASS: "passed", FAIL: "failed", SKIP: "skipped" } as const;
const gluedEnd = /[^\n]--- (PASS|FAIL|SKIP): (\S+) \(([\d.]+)s\)\n$/;
/** Line that the plan's command prints for each package: import path, folder. */
export const packageLine = "##pth package";

/** @param root absolute path of the project's folder */
export const createGoReader = (root: string): EventReader => {
  const errorsOf = (ledger: TestLedger) => {
    let errors = 0;
    return (line: string): void => {
      const found = /^(?:vet: )?(\S+\.(?:go|s|c|h)):(\d+)(?::(\d+))?: (.+)$/.exec(line);
      if (found === null || errors++ >= mostErrors) return;
      const [, file, row, column, message] = found;
      const place: TestLocation = {
        file: projectPath(root, file!),
        line: Number(row),
        ...column === undefined ? {} : { column: Number(column) },
      };
      ledger.notRun({ place, message: message! });
    };
  };
  return createProgramReader({
    lines: (ledger) => goLines(ledger, root, errorsOf(ledger)),
    errors: errorsOf,
  });
};

function goLines(
  ledger: TestLedger,
  root: string,
  readError: (line: string) => void,
): (line: string) => void {
  const folders = new Map<string, string>();
  const packages = new Map<string, GoPackage>();
  /** Output of tests that run, for the messages of those that fail. */
  const outputs = new Map<string, string>();
  let keptOutput = 0;

  const knownPackage = (suite: string): GoPackage => {
    let found = packages.get(suite);
    if (found === undefined) {
      const none = { hasTests: false, failed: 0, hasVerdict: false, isFine: false, isTold: false };
      packages.set(suite, found = { ...none, glued: new Map() });
    }
    return found;
  };
  const packageOf = (suite: string): GoPackage => {
    const found = knownPackage(suite);
    if (!found.hasTests) ledger.plan(suite);
    found.hasTests = true;
    return found;
  };

  const readEnds = (suite: string, name: string | undefined, text: string): void => {
    const state = knownPackage(suite);
    if (name === undefined && text.startsWith("ok  \t")) state.isFine = true;
    if (name === undefined ? /(?:PASS|^FAIL)\n$/.test(text) : !state.isTold && text.endsWith("PASS\n")) {
      state.hasVerdict = true;
    }
    if (name === undefined || state.isTold) return;
    const [, status, test, elapsed] = gluedEnd.exec(text) ?? [];
    if (test === name) {
      state.glued.set(name, { status: statuses[status as keyof typeof statuses], elapsed: Number(elapsed) });
    }
  };

  const readOutput = (suite: string, name: string | undefined, text: string): void => {
    readEnds(suite, name, text);
    if (name === undefined && /^FAIL\t.* \[(?:build|setup) failed\]\n?$/.test(text)) return;
    const state = packages.get(suite);
    if (state !== undefined && /^(?:panic: |fatal error: |signal: )/.test(text)) state.panic ??= text.trim();
    if (/^(?:=== (?:RUN|PAUSE|CONT|NAME) | *--- (?:PASS|FAIL|SKIP|BENCH): )/.test(text)) return;
    if (name === undefined) {
      ledger.output(text);
      return;
    }
    ledger.output(text, { name, suite });
    const key = `${suite}\0${name}`;
    const before = outputs.get(key) ?? "";
    const kept = `${before}${text}`.slice(-mostOutput);
    if (keptOutput + kept.length - before.length > mostKept) return;
    keptOutput += kept.length - before.length;
    outputs.set(key, kept);
  };

  const finish = (
    suite: string,
    name: string,
    status: ProjectTestOutcome["status"],
    elapsed: unknown,
  ): void => {
    const key = `${suite}\0${name}`;
    const output = outputs.get(key) ?? "";
    outputs.delete(key);
    keptOutput -= output.length;
    const state = packageOf(suite);
    state.glued.delete(name);
    if (status === "failed") state.failed++;
    ledger.finish({ name, suite }, {
      status,
      ...typeof elapsed === "number" ? { durationMs: elapsed * 1000 } : {},
      ...status === "passed" ? {} : goFailure(output, root, folders.get(suite)),
    });
  };

  const endPackage = (suite: string, action: string, isBuild: boolean): void => {
    const state = packages.get(suite);
    for (const [name, { status, elapsed }] of state?.glued ?? []) finish(suite, name, status, elapsed);
    if (action !== "fail") {
      if (state?.isFine === true && !state.hasVerdict) {
        ledger.breakSuite(
          suite,
          "it ended with exit code 0 and did not say how its tests went, as where TestMain ends the process before them",
        );
      } else if (state?.hasTests === true) ledger.endSuite(suite);
    } else if (isBuild) ledger.breakSuite(suite, "the package could not be built");
    else if (state?.hasVerdict === true && state.failed > 0) ledger.endSuite(suite);
    else {
      const why = state?.panic === undefined ? "the package failed, and no test of it did" : state.panic;
      ledger.breakSuite(suite, state?.hasVerdict === true ? why : `${why}; tests after it were not run`);
    }
    packages.delete(suite);
  };

  const readEvent = ({ Action: action, Package: suite, Test: name, ...event }: GoEvent): void => {
    if (action === "build-output" && typeof event.Output === "string") {
      readError(event.Output.trimEnd());
      ledger.output(event.Output);
    }
    if (typeof suite !== "string" || typeof action !== "string") return;
    const test = typeof name === "string" ? name : undefined;
    if (action === "run" && test !== undefined) {
      packageOf(suite);
      ledger.start({ name: test, suite });
    } else if (action === "start") knownPackage(suite).isTold = true;
    else if (action === "output" && typeof event.Output === "string") readOutput(suite, test, event.Output);
    else if (action === "pass" || action === "fail" || action === "skip" || action === "bench") {
      if (test === undefined) endPackage(suite, action, event.FailedBuild !== undefined);
      else {
        packageOf(suite);
        const status = action === "fail" ? "failed" : action === "skip" ? "skipped" : "passed";
        finish(suite, test, status, event.Elapsed);
      }
    }
  };

  return (line) => {
    const event = line.startsWith('{"') ? parseObject(line) : undefined;
    if (event !== undefined && typeof event.Action === "string") {
      readEvent(event);
      return;
    }
    if (line.startsWith(`${packageLine}\t`)) {
      const [, name = "", folder = ""] = line.split("\t");
      if (folders.size < 10_000) folders.set(name, folder);
      return;
    }
    const failed = /^FAIL\t(\S+) \[(build|setup) failed\]$/.exec(line);
    if (failed !== null) ledger.breakSuite(failed[1]!, "the package could not be built");
    if (line.startsWith('{"Time":')) ledger.unreadable(line);
    if (line !== "") ledger.output(`${line}\n`);
  };
}
