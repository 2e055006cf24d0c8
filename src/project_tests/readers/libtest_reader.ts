/** Reads what Rust's test programs say: libtest's JSON, and its lines for people, which doc tests and others print. */
import type { ProjectTestOutcome } from "../../../machines/model/project_test.ts";
import { createCargoArtifacts } from "./cargo_artifacts.ts";
import { finishFailures, type LibtestProgram, outcomeDetails, readLibtestLine } from "./libtest_lines.ts";
import { createLineCutter } from "./line_cutter.ts";
import { parseObject } from "./parse_object.ts";
import { createTestLedger, type TestLedger } from "./test_ledger.ts";
import type { EventReader } from "../framework.ts";

export interface LibtestOptions {
  /** Absolute path of the project's folder. */
  root: string;
  /** Suite of tests whose program no runner tells: doc tests. */
  suite?: string;
}

const marker = /^##pth (libtest|lines|program|ended)\t([^\t]*)(?:\t(.*))?$/;
const eventStart = '{ "type": "';
const statuses: Record<string, ProjectTestOutcome["status"]> = {
  ok: "passed",
  failed: "failed",
  ignored: "skipped",
};
const lastWords =
  /^(?:fatal runtime error|thread '.*' (?:\(\d+\) )?(?:has overflowed its stack|panicked at)|error: the option|memory allocation of )/;

export function createLibtestReader({ root, suite }: LibtestOptions): EventReader {
  const ledger = createTestLedger();
  const artifacts = createCargoArtifacts(root);
  const cutters = { stdout: createLineCutter(), stderr: createLineCutter(), events: createLineCutter() };
  const programIn = (folder: string, rest: Partial<LibtestProgram>): LibtestProgram => ({
    kind: "lines",
    suite,
    folder,
    root,
    open: false,
    blocks: 0,
    failures: new Map(),
    ...rest,
  });
  let program = programIn(root, {});

  const readMarker = (kind: string, first: string, second: string | undefined): void => {
    if (kind === "ended") {
      endProgram(ledger, program, Number(first));
      program = programIn(root, {});
      return;
    }
    if (program.open) ledger.breakSuite(program.suite, "another program was started before it ended");
    const named = artifacts.named(second ?? "");
    program = programIn(first, {
      kind: kind as LibtestProgram["kind"],
      open: kind === "libtest",
      ...named,
    });
    if (kind !== "program") return;
    ledger.plan(program.suite, 1);
    ledger.start(testOf(program, program.test ?? "program"));
  };

  const readLine = (line: string): void => {
    if (artifacts.read(line)) return;
    const found = marker.exec(line);
    if (found !== null) readMarker(found[1]!, found[2]!, found[3]);
    else if (program.kind === "libtest") readJsonLine(ledger, program, line);
    else if (program.kind === "lines") readLibtestLine(ledger, program, line);
    else ledger.output(`${line}\n`, testOf(program, program.test ?? "program"));
  };

  const readError = (line: string): void => {
    if (lastWords.test(line)) program.lastWords = line;
    ledger.output(`${line}\n`);
  };

  return {
    push(stream, text) {
      for (const line of cutters[stream].push(text)) {
        if (stream === "stdout") readLine(line);
        else if (stream === "stderr") readError(line);
      }
      return ledger.take();
    },
    end({ code, signal }) {
      for (const line of cutters.stdout.end()) readLine(line);
      for (const line of cutters.stderr.end()) readError(line);
      finishFailures(ledger, program);
      const how = signal === null ? `with exit code ${code}` : `by ${signal}`;
      ledger.end(`the run ended ${how} before the tests did${because(program)}`);
      return ledger.take();
    },
  };
}

const testOf = ({ suite }: LibtestProgram, name: string) => suite === undefined ? { name } : { name, suite };

const because = ({ lastWords }: LibtestProgram): string => lastWords === undefined ? "" : `: ${lastWords}`;

function endProgram(ledger: TestLedger, program: LibtestProgram, code: number): void {
  finishFailures(ledger, program);
  // The shell answers 128 and the number of a signal.
  const how = code > 128 ? `by signal ${code - 128}` : `with exit code ${code}`;
  if (program.kind === "libtest" || program.blocks > 0) {
    if (program.open) {
      ledger.breakSuite(program.suite, `the program ended ${how} before its tests did${because(program)}`);
    } else if (code !== 0 && program.failed === 0) {
      ledger.breakSuite(
        program.suite,
        `the program ended ${how}, though no test of it failed${because(program)}`,
      );
    }
    return;
  }
  const test = testOf(program, program.test ?? "program");
  ledger.start(test);
  if (code > 128) {
    ledger.breakSuite(program.suite, `the program was ended ${how}${because(program)}`);
    return;
  }
  ledger.finish(
    test,
    code === 0 ? { status: "passed" } : { status: "failed", message: `the program ended ${how}` },
  );
  ledger.endSuite(program.suite);
}

function readJsonLine(ledger: TestLedger, program: LibtestProgram, line: string): void {
  // What a test prints past libtest may stand before an event, and may itself look like the begin of one.
  const at = [line.indexOf(eventStart), line.lastIndexOf(eventStart)]
    .find((at) => at >= 0 && parseObject(line.slice(at)) !== undefined) ?? -1;
  const event = at < 0 ? undefined : parseObject(line.slice(at));
  if (event === undefined) {
    if (line.includes(eventStart)) ledger.unreadable(line);
    if (line !== "") ledger.output(`${line}\n`);
    return;
  }
  if (at > 0) ledger.output(`${line.slice(0, at)}\n`);
  const { type, event: what, name } = event as { type: string; event?: string; name?: unknown };
  if (type === "suite" && what === "started") {
    program.open = true;
    ledger.plan(program.suite, Number(event.test_count) || 0);
  } else if (type === "suite" && (what === "ok" || what === "failed")) {
    if (!program.open) return;
    program.open = false;
    program.failed = Number(event.failed);
    ledger.endSuite(program.suite, {
      passed: Number(event.passed) + (Number(event.measured) || 0),
      failed: program.failed,
      skipped: Number(event.ignored),
    });
  } else if (type === "bench" && typeof name === "string") {
    ledger.finish(testOf(program, name), { status: "passed" });
  } else if (type === "test" && typeof name === "string") {
    readTest(ledger, program, name, event);
  } else if (type !== "report") {
    ledger.output(`${line.slice(at)}\n`);
  }
}

function readTest(
  ledger: TestLedger,
  program: LibtestProgram,
  name: string,
  event: Record<string, unknown>,
): void {
  const test = testOf(program, name);
  if (event.event === "started") {
    ledger.start(test);
    return;
  }
  const status = statuses[String(event.event)];
  if (status === undefined) return;
  const output = typeof event.stdout === "string" ? event.stdout : "";
  const told = typeof event.message === "string" ? event.message : undefined;
  if (output !== "") ledger.output(output, test);
  ledger.finish(test, {
    status,
    ...typeof event.exec_time === "number" ? { durationMs: event.exec_time * 1000 } : {},
    ...outcomeDetails(program, { status, name, output, told }),
  });
}
