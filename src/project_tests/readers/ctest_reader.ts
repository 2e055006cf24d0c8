/** Reads `ctest --verbose`, which puts the number of a test before each line that it prints. */
import type { ProjectTestOutcome } from "../../../machines/model/project_test.ts";
import type { EventReader } from "../framework.ts";
import { printedFailure } from "./printed_failure.ts";
import { createProgramReader } from "./program_reader.ts";
import { projectPath } from "./project_path.ts";
import type { TestLedger } from "./test_ledger.ts";

interface RunningTest {
  name: string;
  output: string;
}

const mostOutput = 64 * 1024;
const mostRunning = 1000;
/** Output of CTest about how a test is started. */
const aboutStart =
  /^(?:Test command: |Working Directory: |Test timeout computed to be: |Environment variables: )/;

/** @param root absolute path of the project's folder */
export const createCtestReader = (root: string): EventReader =>
  createProgramReader({ lines: (ledger) => ctestLines(ledger, root), repeats: true });

function ctestLines(ledger: TestLedger, root: string): (line: string) => void {
  const running = new Map<string, RunningTest>();
  /** Folder of the build, relative to the project's. */
  let suite: string | undefined;
  let isOpen = false;
  let isPlanned = false;
  const testOf = (name: string) => suite === undefined ? { name } : { name, suite };

  const finish = (number: string, rest: string): boolean => {
    const test = running.get(number);
    if (test === undefined || !rest.startsWith(test.name)) return false;
    const found = /^ ?\.*\s*(.*?)(?:\s+([\d.]+) sec)?\s*$/.exec(rest.slice(test.name.length));
    const told = found?.[1] ?? "";
    running.delete(number);
    const outcome = outcomeOf(told.replace(/^\*{3}|(?<=\w)\*{3}/, " ").trim(), told, test.output, root);
    ledger.finish(testOf(test.name), {
      ...outcome,
      ...found?.[2] === undefined ? {} : { durationMs: Number(found[2]) * 1000 },
    });
    return true;
  };

  return (line) => {
    const folder = /^Test project (.+)$/.exec(line)?.[1];
    if (folder !== undefined && !isOpen) {
      suite = projectPath(root, folder);
      isOpen = true;
      ledger.plan(suite);
      return;
    }
    const started = /^ *Start +(\d+): (.+)$/.exec(line);
    if (started !== null && isOpen && running.size < mostRunning) {
      running.set(started[1]!, { name: started[2]!, output: "" });
      ledger.start(testOf(started[2]!));
      return;
    }
    const printed = /^(\d+): (.*)$/.exec(line);
    const test = printed === null ? undefined : running.get(printed[1]!);
    if (test !== undefined) {
      if (test.output === "" && aboutStart.test(printed![2]!)) return;
      test.output = `${test.output}${printed![2]}\n`.slice(-mostOutput);
      ledger.output(`${printed![2]}\n`, testOf(test.name));
      return;
    }
    const ended = /^ *\d+\/(\d+) +Test +#(\d+): (.*)$/.exec(line);
    if (ended !== null && isOpen) {
      if (!isPlanned) ledger.plan(suite, Number(ended[1]));
      isPlanned = true;
      if (finish(ended[2]!, ended[3]!)) return;
    }
    const summary = /^\d+% tests passed, (\d+) tests? failed out of \d+$/.exec(line);
    if (isOpen && (summary !== null || line === "No tests were found!!!")) {
      isOpen = false;
      ledger.endSuite(suite, { failed: Number(summary?.[1] ?? 0) });
      return;
    }
    if (line !== "") ledger.output(`${line}\n`);
  };
}

function outcomeOf(status: string, told: string, output: string, root: string): ProjectTestOutcome {
  if (status === "Passed") return { status: "passed" };
  if (/^Skipped|^Not Run \(Disabled\)/.test(status)) {
    return { status: "skipped", message: status.startsWith("Not") ? "disabled" : "skipped" };
  }
  const { message, place } = printedFailure(output, root);
  const crash = /Exception: *(.*)$/.exec(told)?.[1];
  const why = crash === undefined
    ? status === "Failed" ? undefined : status
    : `crashed: ${crash === "" ? "aborted" : crash}`;
  return {
    status: "failed",
    message: (place === undefined ? [why, message] : [message, why])
      .filter((text) => text !== undefined).join("\n") || "failed",
    ...place === undefined ? {} : { place },
  };
}
