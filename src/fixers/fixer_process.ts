/** A fixer command at work: a shell in a process group of its own, with a limit of time. */
import { collectOutputs, type ExitStatus, type HostProcess, spawnProcess } from "../platform/process.ts";
import { Buffer } from "node:buffer";
import type { IterationRecord } from "../../machines/model/iteration.ts";
import { makeRedactor } from "../core/redact.ts";
import { foreignVariable, helperMark } from "../git/git.ts";
import type { FixerInput } from "../../machines/model/fixer.ts";
import { withDeadline } from "../core/waiting.ts";

interface FixerProcess {
  command: string;
  cwd: string;
  env: Record<string, string>;
  stdin: string;
  timeoutSeconds: number;
  onStderr?: (text: string) => void;
}

export interface FixerExit extends ExitStatus {
  stdout: string;
  stderr: string;
  timedOut: boolean;
}

/** Time in ms for a process to end when asked, and for its pipes to close after it ended. */
const graceMs = 1000;

/**
 * Runs the command to its end; nothing of its process group is left then.
 * @throws the signal's reason when it was cancelled; {PthError} `EXEC_FAILED` when there is no shell
 */
export async function runFixerProcess(
  { command, cwd, env, stdin, timeoutSeconds, onStderr }: FixerProcess,
  signal: AbortSignal,
): Promise<FixerExit> {
  signal.throwIfAborted();
  const child = await spawnProcess(["sh", "-c", command], { cwd, env, clearEnv: true, ownGroup: true });
  const onOutput = (text: string, stream: string) => stream === "stderr" && onStderr?.(text);
  const gathered = collectOutputs(child, { onOutput });
  child.stdin.end(stdin);
  let timedOut = false;
  const cancel = () => void endGroup(child);
  const timer = setTimeout(() => {
    timedOut = true;
    cancel();
  }, timeoutSeconds * 1000);
  signal.addEventListener("abort", cancel, { once: true });
  if (signal.aborted) cancel();
  const status = await child.ended;
  clearTimeout(timer);
  signal.removeEventListener("abort", cancel);
  await endGroup(child);
  signal.throwIfAborted();
  return { ...status, ...gathered(), timedOut };
}

/** Ends the group: asked first, then at once. What left the group may still hold the pipes; they are let go. */
async function endGroup(child: HostProcess): Promise<void> {
  child.kill("SIGTERM");
  await withDeadline(child.exited, graceMs);
  child.kill("SIGKILL");
  if (!await withDeadline(child.exited, graceMs)) {
    for (const pipe of [child.stdout, child.stderr]) {
      pipe.destroy();
    }
  }
}

/** Limit on iterations in the input; older ones are in the git history. */
const recordsTold = 10;

/** The document; grows by members only as long as `version` stays. */
function fixerDocument({ iteration, plugin, group, diagnoses, records, distro }: FixerInput) {
  return {
    version: 1,
    iteration,
    ...(distro === undefined ? {} : { distro }),
    plugin,
    group,
    diagnoses,
    history: records.slice(-recordsTold).map(shortened),
  };
}

function shortened({ number, before, after, mended, broken, fixes, refused }: IterationRecord) {
  return {
    iteration: number,
    passedBefore: before.passed,
    totalBefore: before.total,
    passedAfter: after.passed,
    total: after.total,
    mended,
    broken,
    fixes,
    refused,
  };
}

/** The document as text, without secrets. */
export const fixerStdin = (input: FixerInput, secrets: ReadonlyMap<string, string>): string =>
  JSON.stringify(makeRedactor(secrets.values()).value(fixerDocument(input)), undefined, 2) + "\n";

/** The same in short, for scripts that need no more. */
function facts({ iteration, plugin, group, distro }: FixerInput): Record<string, string> {
  return {
    ...(distro === undefined ? {} : { PTH_DISTRO: distro }),
    PTH_ITERATION: String(iteration),
    PTH_PLUGIN: plugin.name,
    PTH_GROUP: group.id,
    PTH_CATEGORY: group.category,
    PTH_CAUSE: group.cause,
    ...(group.place === undefined ? {} : {
      PTH_FILE: group.place.path,
      PTH_LINE: String(group.place.line),
    }),
  };
}

/** A value below this length stands in too many variables to mean the secret. */
const telling = 8;

/**
 * Variables of the command: those of PTH without the server's secrets and what leads git to another repository, and the facts.
 * @param inherited variables of PTH itself
 */
export function fixerEnvironment(
  input: FixerInput,
  { inherited, secrets, sessionId }: {
    inherited: Readonly<Record<string, string>>;
    secrets: ReadonlyMap<string, string>;
    sessionId: string;
  },
): Record<string, string> {
  const redact =
    makeRedactor([...secrets.values()].filter((value) => Buffer.byteLength(value) >= telling)).text;
  const plain = Object.entries(inherited).filter(([name, value]) =>
    !secrets.has(name) && redact(value) === value && !foreignVariable.test(name)
  );
  const told = makeRedactor(secrets.values()).value(facts(input));
  // A NUL ends a variable's value.
  const safe = Object.entries(told).map(([name, value]) => [name, value.replaceAll("\0", " ")]);
  return { ...Object.fromEntries(plain), ...Object.fromEntries(safe), [helperMark]: sessionId };
}

/** Message and patch that a fixer printed, either or both; agents often fence the patch. */

export interface PrintedFix {
  title?: string;
  body?: string;
  patch?: string;
}

const longestTitle = 100;

/** The message is what stands before the patch; text after a fenced patch belongs to it, too. */
export function readPrinted(stdout: string): PrintedFix {
  const lines = stdout.split("\n");
  const start = lines.findIndex((line, index) => startsPatch(lines, line, index));
  if (start === -1) return message(stdout);
  const fence = /^\s*(`{3,}|~{3,})[\w-]*\s*$/.exec(lines[start - 1] ?? "")?.[1];
  const end = fence === undefined
    ? -1
    : lines.findIndex((line, index) => index > start && line.trim() === fence);
  const before = lines.slice(0, fence === undefined ? start : start - 1);
  const after = end === -1 ? [] : lines.slice(end + 1);
  const patch = lines.slice(start, end === -1 ? undefined : end).join("\n").trimEnd() + "\n";
  return { ...message([...before, ...after].join("\n")), patch };
}

function startsPatch(lines: readonly string[], line: string, index: number): boolean {
  return line.startsWith("diff --git ") ||
    (line.startsWith("--- ") && lines[index + 1]?.startsWith("+++ ") === true);
}

function message(text: string): Pick<PrintedFix, "title" | "body"> {
  const trimmed = text.replaceAll("\r\n", "\n").trim();
  if (trimmed === "") return {};
  const [first = "", ...more] = trimmed.split("\n");
  const title = first.replace(/^#+\s+/, "").trim();
  const body = more.join("\n").trim();
  if (title.length <= longestTitle) return { title, ...(body === "" ? {} : { body }) };
  return { title: `${title.slice(0, longestTitle - 1).trimEnd()}…`, body: trimmed };
}
