/** Reads lines that say in the usual words how a test went: of TAP, automake, and most runners' output for people. */
import type { ProjectTestOutcome } from "../../../machines/model/project_test.ts";
import { createLineCutter } from "./line_cutter.ts";
import { printedFailure } from "./printed_failure.ts";
import { createTestLedger } from "./test_ledger.ts";
import type { EventReader } from "../framework.ts";

interface Result {
  name: string;
  status: ProjectTestOutcome["status"];
  message?: string;
  durationMs?: number;
}

/** A failed test, whose message may be in the lines that follow. */
interface OpenFailure extends Result {
  lines: string[];
}

const mostFollowing = 40;
const mostNames = 100_000;
const longestLineRead = 500;
const mostTail = 30;
/** Words and marks that every line of a result or of a failure has: most lines of a flood have none of them. */
const mayTell = /ok|pass|fail|err|skip|ignored|bail|[✓✔√✗✘✖×]/iu;

const statuses: Record<string, Result["status"]> = {
  ok: "passed",
  pass: "passed",
  passed: "passed",
  "✓": "passed",
  "✔": "passed",
  "√": "passed",
  xfail: "passed",
  fail: "failed",
  failed: "failed",
  error: "failed",
  xpass: "failed",
  "not ok": "failed",
  "✗": "failed",
  "✘": "failed",
  "✖": "failed",
  "×": "failed",
  skip: "skipped",
  skipped: "skipped",
  ignored: "skipped",
  disabled: "skipped",
};

/** Forms of a result: groups `status` and `name`, and `rest` with a reason or a duration. */
const forms: readonly RegExp[] = [
  /^(?<status>(?:not )?ok)\b(?: +\d+)?(?: *-)? *(?<name>[^#]*?)\s*(?:# *(?<rest>.*))?$/,
  /^\s*--- (?<status>PASS|FAIL|SKIP): (?<name>\S+)(?: \((?<rest>[\d.]+s)\))?$/,
  /^(?<status>PASS|FAIL|XFAIL|XPASS|SKIP|ERROR):? +(?<name>\S.*)$/,
  /^\s*\[ *(?<status>PASS|PASSED|OK|FAIL|FAILED|ERROR|SKIP|SKIPPED) *\]:? *(?<name>\S.*?)(?: \((?<rest>[\d.]+ ?m?s)\))?$/,
  /^\s*(?<status>[✓✔√✗✘✖×]) +(?<name>\S.*?)(?: \(?(?<rest>[\d.]+ ?m?s)\)?)?$/u,
  /^(?:test )?(?<name>\S.*?)(?: \.\.\.+|\.{3,}) *(?<status>ok|pass(?:ed)?|FAIL(?:ED)?|ERROR|skipped|ignored)(?:[ ,]+(?<rest>.*))?$/i,
  /^(?<name>\S+::\S+) (?<status>PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)\b(?<rest>.*)$/,
];

/** Summaries that name failures, but for those that are expected. */
const saysFailed =
  /\b(?:[1-9]\d* (?:tests? |specs? |examples? |checks? |assertions? )?(?:failed|failures?|failing|errors)\b)|^(?:FAILED|FAIL|not ok)$|^FAILED \(|test result: FAILED|\bTESTS? FAILED\b|^BUILD FAILED|^Bail out!/;

export interface GenericOptions {
  /** Absolute path of the project's folder. */
  root: string;
  /** Command line that is run, which is the only test where no line tells another. */
  command: string;
}

export function createGenericReader({ root, command }: GenericOptions): EventReader {
  const ledger = createTestLedger({ repeats: true });
  const cutters = { stdout: createLineCutter(), stderr: createLineCutter() };
  let failure: OpenFailure | undefined;
  const last = new Map<string, Result["status"]>();
  /** Last lines of the run, for the message where no test is reported. */
  const tail: string[] = [];
  let told = 0;
  let results = 0;
  let failures = 0;
  let planned: number | undefined;
  let tapPoints = 0;
  let words: string | undefined;

  const settle = (): void => {
    if (failure === undefined) return;
    const { lines, name, status, message, durationMs } = failure;
    failure = undefined;
    const found = printedFailure(lines.join("\n"), root);
    const all = [message, found.message].filter((text) => text !== undefined).join("\n");
    ledger.finish({ name }, {
      status,
      ...durationMs === undefined ? {} : { durationMs },
      ...all === "" ? {} : { message: all },
      ...found.place === undefined ? {} : { place: found.place },
    });
  };

  const readResult = ({ name, status, ...details }: Result): void => {
    settle();
    // Runners list failures again at the end.
    if (last.get(name) === status && status === "failed") return;
    if (last.size < mostNames) last.set(name, status);
    results++;
    if (results === 1) ledger.plan(undefined);
    ledger.start({ name });
    if (status !== "failed") {
      ledger.finish({ name }, { status, ...details });
      return;
    }
    failures++;
    failure = { name, status, ...details, lines: [] };
  };

  const readLine = (line: string): void => {
    const short = line.slice(0, longestLineRead).trimEnd();
    if (short !== "") tail[told++ % mostTail] = short;
    ledger.output(`${line}\n`);
    const plan = /^1\.\.(\d{1,6})\b/.exec(short)?.[1];
    // Several producers of TAP may run one after the other.
    if (plan !== undefined) planned = (planned ?? 0) + Number(plan);
    const tells = mayTell.test(short);
    const result = tells ? resultIn(short) : undefined;
    if (tells && /^(?:not )?ok\b/.test(short)) tapPoints++;
    if (result !== undefined) readResult(result);
    else if (
      tells && saysFailed.test(short) && !/\b(?:expected|known) failures?\b|\bxfailed\b/i.test(short)
    ) {
      words ??= short;
    } else if (failure !== undefined) {
      // The block of TAP about a failure has marks around it.
      if (failure.lines.length < mostFollowing && !/^\s*(?:---|\.\.\.)?$/.test(short)) {
        failure.lines.push(short);
      }
    }
  };

  /** The command as the only test. */
  const readAsOne = (code: number | null, signal: string | null): void => {
    ledger.plan(undefined, 1);
    ledger.start({ name: command });
    if (signal !== null || code === null) {
      ledger.breakSuite(undefined, `the command was ended by ${signal ?? "a signal"}`);
      return;
    }
    const contradiction = code === 0 ? words : undefined;
    const at = told % mostTail;
    const latest = told > mostTail ? [...tail.slice(at), ...tail.slice(0, at)] : tail;
    const found = printedFailure(latest.join("\n"), root);
    ledger.finish(
      { name: command },
      code === 0 && contradiction === undefined ? { status: "passed" } : {
        status: "failed",
        ...found,
        message: `exit code ${code}: ${contradiction ?? found.message ?? "no output"}`,
      },
    );
    ledger.endSuite(undefined);
  };

  const readEnd = (code: number | null, signal: string | null): void => {
    if (results === 0) {
      readAsOne(code, signal);
      return;
    }
    const isShort = planned !== undefined && tapPoints < planned;
    if (signal !== null || code === null) {
      ledger.breakSuite(undefined, `the command was ended by ${signal ?? "a signal"}`);
    } else if (isShort) ledger.breakSuite(undefined, `${tapPoints} of ${planned} tests were run`);
    else if (code !== 0 && failures === 0) {
      ledger.breakSuite(undefined, `exit code ${code}, though no line says that a test failed`);
    } else if (code === 0 && failures === 0 && words !== undefined) {
      ledger.breakSuite(undefined, `exit code 0, though the output says: ${words}`);
    } else ledger.endSuite(undefined);
  };

  return {
    push(stream, text) {
      if (stream === "events") return [];
      for (const line of cutters[stream].push(text)) readLine(line);
      return ledger.take();
    },
    end({ code, signal }) {
      for (const cutter of Object.values(cutters)) for (const line of cutter.end()) readLine(line);
      settle();
      readEnd(code, signal);
      return ledger.take();
    },
  };
}

function resultIn(line: string): Result | undefined {
  for (const form of forms) {
    const groups = form.exec(line)?.groups;
    if (groups === undefined) continue;
    const { name = "", rest = "" } = groups;
    const status = statuses[groups.status!.toLowerCase()]!;
    const directive = /^(skip\w*|todo)\b:? *(.*)$/i.exec(rest);
    const duration = /^(?:time=)?([\d.]+) ?(m?s)$/.exec(rest);
    const shown = name === "" ? line : name;
    if (directive !== null) return { name: shown, status: "skipped", message: directive[2] || directive[1]! };
    return {
      name: shown,
      status,
      ...duration === null ? {} : { durationMs: Number(duration[1]) * (duration[2] === "s" ? 1000 : 1) },
      ...status === "skipped" && rest !== "" && duration === null
        ? { message: rest.replace(/^['"]|['"]$/g, "") }
        : {},
    };
  }
  return undefined;
}
