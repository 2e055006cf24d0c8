/** Reads the events of cargo-nextest, which are like those of libtest: it captures what tests print, so no test can forge them. */
import type { ProjectTestOutcome } from "../../../machines/model/project_test.ts";
import type { EventReader } from "../framework.ts";
import { parseObject } from "./parse_object.ts";
import { createProgramReader } from "./program_reader.ts";
import { projectPath } from "./project_path.ts";
import { rustFailure } from "./rust_failure.ts";
import type { TestLedger } from "./test_ledger.ts";

const statuses: Record<string, ProjectTestOutcome["status"]> = {
  ok: "passed",
  failed: "failed",
  ignored: "skipped",
};

/** @param root absolute path of the project's folder */
export const createNextestReader = (root: string): EventReader =>
  createProgramReader({ lines: (ledger) => nextestLines(ledger, root) });

function nextestLines(ledger: TestLedger, root: string): (line: string) => void {
  /** Tests that run, by their suite and name. */
  const running = new Set<string>();

  function readTest(event: Record<string, unknown>): void {
    const test = testOf(String(event.name));
    const key = (name: string) => `${test.suite ?? ""}\0${name}`;
    if (event.event === "started") {
      running.add(key(test.name));
      return ledger.start(test);
    }
    // One that ran again ends with the number of its last attempt.
    const first = test.name.replace(/#\d+$/, "");
    const name = running.has(key(test.name)) ? test.name : first;
    const status = statuses[String(event.event)];
    if (status === undefined) return;
    running.delete(key(name));
    const output = typeof event.stdout === "string" ? event.stdout : "";
    const named = { ...test, name };
    if (output !== "") ledger.output(output, named);
    ledger.finish(named, {
      status,
      ...typeof event.exec_time === "number" ? { durationMs: event.exec_time * 1000 } : {},
      ...status === "failed" ? failureOf(name, output, event.reason) : {},
    });
  }

  function failureOf(name: string, output: string, reason: unknown) {
    const { place, ...failure } = rustFailure(name, output, typeof reason === "string" ? reason : undefined);
    return place === undefined
      ? failure
      : { ...failure, place: { ...place, file: projectPath(root, place.file) } };
  }

  return (line) => {
    const event = parseObject(line);
    if (event === undefined) {
      if (line !== "") ledger.output(`${line}\n`);
    } else if (event.type === "test" && typeof event.name === "string") {
      readTest(event);
    } else if (event.type === "suite") {
      const suite = suiteOf(event.nextest);
      // Ignored tests are counted that a filter has left out: numbers of passed and failed ones alone have to agree.
      if (event.event === "started") ledger.plan(suite);
      else ledger.endSuite(suite, { passed: Number(event.passed), failed: Number(event.failed) });
    } else {
      ledger.unreadable(line);
    }
  };
}

/** Takes `crate::binary$path::of::test` apart. */
function testOf(full: string): { name: string; suite?: string } {
  const at = full.indexOf("$");
  return at < 0 ? { name: full } : { suite: full.slice(0, at), name: full.slice(at + 1) };
}

function suiteOf(of: unknown): string | undefined {
  const { crate, test_binary: binary } = (of ?? {}) as { crate?: unknown; test_binary?: unknown };
  return typeof crate === "string" && typeof binary === "string" ? `${crate}::${binary}` : undefined;
}
