/** A report as annotations: an error for each failure, warnings for flaky tests and grave findings, notices for others. */
import { groupBy } from "../../../core/values.ts";
import type { Report, ReportFinding, ReportTest } from "../../report/report_schema.ts";
import { count, showValue, stripEscapes } from "../../../core/text.ts";
import { isAbsolute, relative, resolve } from "node:path";

/** GitHub shows ten of a kind for a step; the log holds these. */
const mostOfAKind = 50;
/** Characters of one annotation; GitHub takes 64 kB. */
const longest = 4000;
/** Messages named for one kind of finding. */
const mostNamed = 5;

/** @param inRepository A test's file as a path of the repository; undefined where it is none of it. */
export function annotations(
  report: Report,
  inRepository: (file: string) => string | undefined,
): string {
  const failed = report.tests.filter(({ status }) => status === "failed");
  const flaky = report.tests.filter(({ status }) => status === "flaky");
  const place = ({ file, line }: ReportTest) => {
    const path = file === undefined ? undefined : inRepository(file);
    return path === undefined ? {} : { file: path, ...(line === undefined ? {} : { line }) };
  };
  return [
    ...(report.error === undefined
      ? []
      : [workflowCommand("error", report.error.message, { title: `pth: ${report.error.code}` })]),
    ...failed.slice(0, mostOfAKind).map((test) =>
      workflowCommand("error", failureText(test), { ...place(test), title: test.name })
    ),
    ...more(failed, "error", "failed test"),
    ...flaky.slice(0, mostOfAKind).map((test) =>
      workflowCommand("warning", flakyText(test), { ...place(test), title: `flaky: ${test.name}` })
    ),
    ...more(flaky, "warning", "flaky test"),
    ...breaking(report),
    ...findings(report.findings),
  ].join("");
}

const more = (all: readonly unknown[], command: string, noun: string): string[] =>
  all.length <= mostOfAKind
    ? []
    : [workflowCommand(command, `${count(all.length - mostOfAKind, `more ${noun}`)}: see the report`)];

function failureText({ message = "failed", expected, actual }: ReportTest): string {
  const compared = Object.entries({ expected, actual }).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const text = showValue(value);
    return text === "" || message.includes(text.trim()) ? [] : [`${name}: ${text}`];
  });
  const text = [message, ...compared].join("\n");
  return text.length <= longest ? text : `${text.slice(0, longest)}…`;
}

function flakyText({ flakiness, note }: ReportTest): string {
  if (flakiness === undefined) return note ?? "passed at times and failed at times";
  const { failures, attempts, rate, runs } = flakiness;
  return `failed ${failures} of ${count(attempts, "time")}; ${Math.round(rate * 100)} % of ${
    count(runs, "known run")
  }`;
}

/** Whether a broken contract fails anything is for others to say. */
function breaking({ contract }: Report): string[] {
  const found = contract?.changes.filter(({ impact }) => impact === "breaking") ?? [];
  if (found.length === 0) return [];
  const named = found.slice(0, mostNamed).map(({ message }) => message);
  const rest = found.length > mostNamed ? [`… and ${found.length - mostNamed} more`] : [];
  const title = `${count(found.length, "breaking change")} of the contract`;
  return [workflowCommand("warning", [...named, ...rest].join("\n"), { title })];
}

/** One annotation for each kind, since a linter finds many. */
function findings(all: readonly ReportFinding[]): string[] {
  return [...groupBy(all, ({ severity, code }) => `${severity} ${code}`).values()].map((found) => {
    const { severity, code } = found[0]!;
    const named = found.slice(0, mostNamed).map(({ message }) => message);
    const rest = found.length > mostNamed ? [`… and ${found.length - mostNamed} more`] : [];
    const title = `${code} (${found.length})`;
    return workflowCommand(severity === "info" ? "notice" : "warning", [...named, ...rest].join("\n"), {
      title,
    });
  });
}

/** @param root Folder of the checkout. @param cwd What relative paths start from. */
export function repositoryPath(file: string, root: string, cwd: string): string | undefined {
  const path = relative(root, resolve(cwd, file));
  return path === "" || path.startsWith("..") || isAbsolute(path) ? undefined : path.replaceAll("\\", "/");
}

/** Place that an annotation points to; lines count from 1. */
interface CommandProperties {
  title?: string;
  file?: string;
  line?: number;
}

/** `::error file=…,line=…,title=…::message` and a line feed; nothing in the texts can end it or begin another. */
export function workflowCommand(name: string, message: string, properties: CommandProperties = {}): string {
  const given = Object.entries(properties).filter(([, value]) => value !== undefined);
  const list = given.map(([key, value]) => `${key}=${escapeProperty(String(value))}`).join(",");
  return `::${name}${list === "" ? "" : ` ${list}`}::${escapeData(message)}\n`;
}

const escapeData = (text: string): string =>
  stripEscapes(text).replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");

const escapeProperty = (text: string): string =>
  escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
