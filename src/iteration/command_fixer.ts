/** A shell command as fixer: told of a root cause on its standard input, it edits files or prints a patch (docs/fixers.md). */
import type { Edit } from "../../machines/model/fix.ts";
import { PthError } from "../errors.ts";
import { pluginFolder, type SessionBranch } from "../fixes/session_branch.ts";
import { allEnv } from "../platform/host.ts";
import { makeRedactor } from "../session/redact.ts";
import { editsOf } from "./edits_of.ts";
import type { Fixer, FixerInput, Proposal } from "./fixer.ts";
import { type FixerExit, runFixerProcess } from "./fixer_process.ts";
import { fixerEnvironment, fixerStdin } from "./fixer_request.ts";
import { type PrintedFix, readPrinted } from "./printed_fix.ts";
import { photograph, takeBack, type TakenBack } from "./worktree_photo.ts";

export interface CommandFixerOptions {
  /** For `sh -c`, on the host, in the plugin's folder of the worktree. */
  command: string;
  /** For one root cause; 10 minutes by default. */
  timeoutSeconds?: number;
}

export interface CommandFixerDeps {
  /** Must be the session's at the time of each call: a scratch session gets its branch late. */
  branch: SessionBranch;
  /** Values of the server's secrets by name; the command gets none of them. */
  secrets?: ReadonlyMap<string, string>;
  /** Told what the command says on stderr, as it comes. */
  onOutput?: (text: string) => void;
}

const defaultSeconds = 600;

/** Lines of its stderr that an answer tells of a command that failed. */
const stderrLines = 20;

export function commandFixer(
  { command, timeoutSeconds = defaultSeconds }: CommandFixerOptions,
  { branch, secrets = new Map(), onOutput }: CommandFixerDeps,
): Fixer {
  return async (input, signal) => {
    const photo = await photograph(branch);
    let done: FixerExit | undefined;
    let taken: TakenBack;
    try {
      done = await runFixerProcess({
        command,
        cwd: pluginFolder(branch),
        env: fixerEnvironment(input, { inherited: allEnv(), secrets, sessionId: branch.sessionId }),
        stdin: fixerStdin(input, secrets),
        timeoutSeconds,
        ...(onOutput === undefined ? {} : { onStderr: onOutput }),
      }, signal);
    } finally {
      taken = await takeBack(branch, photo);
    }
    const redact = makeRedactor(secrets.values()).text;
    checkExit({ ...done, stderr: redact(done.stderr), stdout: redact(done.stdout) }, timeoutSeconds);
    if (taken.committed) throw ownCommit();
    return propose(input, readPrinted(done.stdout), await editsOf(branch, taken.changes));
  };
}

/** @throws {PthError} `FIXER_FAILED` */
function checkExit({ code, signal, timedOut, stderr, stdout }: FixerExit, timeoutSeconds: number): void {
  if (code === 0 && !timedOut) return;
  const how = timedOut
    ? `it took longer than ${timeoutSeconds} s`
    : code === null
    ? `it was ended by ${signal}`
    : `it exited with ${code}`;
  const told = (stderr.trim() || stdout.trim()).split("\n").slice(-stderrLines).join("\n").slice(-4000);
  throw new PthError("FIXER_FAILED", `Cannot use the fixer's work: ${how}; what it changed was taken back`, {
    output: told,
    exitCode: code,
    ...(timedOut ? { next: ["Give it more time: --fixer-timeout SECONDS (fixerTimeoutSeconds)"] } : {}),
  });
}

const ownCommit = (): PthError =>
  new PthError(
    "FIXER_FAILED",
    "Cannot use the fixer's work: it committed or checked out something in the worktree; branch and files are as before",
    { next: ["Let the command edit files or print a patch, and leave the commit to PTH"] },
  );

/** What it edited in place goes before a patch that it printed: that is then part of what it says. */
function propose(input: FixerInput, printed: PrintedFix, edited: Edit[]): Proposal | undefined {
  const { title = titleOf(input), body, patch } = printed;
  const edits = edited.length > 0 || patch === undefined ? edited : [{ patch }];
  if (edits.length > 0) return { title, ...(body === undefined ? {} : { body }), edits };
  if (printed.title === undefined) return undefined;
  throw new PthError("FIXER_FAILED", `Cannot use the fixer's work: no file changed, no patch printed`, {
    output: [printed.title, printed.body].join("\n").trim(),
  });
}

/** A title for a fixer that says nothing. */
function titleOf({ group }: FixerInput): string {
  const cause = group.cause.split("\n", 1)[0]!.trim().replace(/\.$/, "");
  return cause.length <= 90 ? cause : `${cause.slice(0, 89).trimEnd()}…`;
}
