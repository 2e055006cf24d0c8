/** Runs a shell command as fixer: it reads a root cause on stdin and edits files or prints a patch (docs/fixers.md). */
import { join } from "node:path";
import type { Edit } from "../../machines/model/fix.ts";
import { PthError } from "../core/errors.ts";
import type { SessionBranch } from "../git/session_branch.ts";
import { allEnv } from "../platform/host.ts";
import { makeRedactor } from "../core/redact.ts";
import type { SessionRegister } from "../registry/register.ts";
import { editsOf } from "./edits_of.ts";
import type { Fixer } from "../api/fixer.ts";
import { changesIn, openCheckout } from "./fixer_checkout.ts";
import {
  fixerEnvironment,
  type FixerExit,
  fixerStdin,
  type PrintedFix,
  readPrinted,
  runFixerProcess,
} from "./fixer_process.ts";
import type { FixerInput, Proposal } from "../../machines/model/fixer.ts";

interface CommandFixerOptions {
  /** For `sh -c`, on the host, in the plugin's folder of a checkout of its own. */
  command: string;
  /** For one root cause; 10 minutes by default. */
  timeoutSeconds?: number;
}

export interface CommandFixerDeps {
  /** Must be the session's at the time of each call: a scratch session gets its branch late. */
  branch: SessionBranch;
  /** Register of the session, which records the checkout before it is made. */
  register: Pick<SessionRegister, "willCreate" | "created">;
  /** Values of the server's secrets by name; the command gets none of them. */
  secrets?: ReadonlyMap<string, string>;
  /** Receives the command's stderr while it runs. */
  onOutput?: (text: string) => void;
}

const defaultSeconds = 600;

/** Lines of stderr in the error of a command that failed. */
const stderrLines = 20;

export function commandFixer(
  { command, timeoutSeconds = defaultSeconds }: CommandFixerOptions,
  { branch, register, secrets = new Map(), onOutput }: CommandFixerDeps,
): Fixer {
  return async (input, signal) => {
    const checkout = await openCheckout(branch, register, signal);
    const cwd = join(checkout.files.root, branch.subfolder);
    const told = { ...input, plugin: { ...input.plugin, folder: cwd } };
    const done = await runFixerProcess({
      command,
      cwd,
      env: fixerEnvironment(told, { inherited: allEnv(), secrets, sessionId: branch.sessionId }),
      stdin: fixerStdin(told, secrets),
      timeoutSeconds,
      ...(onOutput === undefined ? {} : { onStderr: onOutput }),
    }, signal);
    const redact = makeRedactor(secrets.values()).text;
    checkExit({ ...done, stderr: redact(done.stderr), stdout: redact(done.stdout) }, timeoutSeconds);
    const { changes, committed } = await changesIn(checkout);
    if (committed) throw ownCommit();
    return propose(input, readPrinted(done.stdout), await editsOf(branch, changes));
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
  throw new PthError(
    "FIXER_FAILED",
    `Cannot use the fixer's work: ${how}; its changes were discarded`,
    {
      output: told,
      exitCode: code,
      ...(timedOut
        ? {
          next: [{
            terminal: "Give it more time: --fixer-timeout SECONDS",
            mcp: "Give it more time: fixerTimeoutSeconds",
          }],
        }
        : {}),
    },
  );
}

const ownCommit = (): PthError =>
  new PthError(
    "FIXER_FAILED",
    "Cannot use the fixer's work: it committed or checked out something; branch and files are as before",
    { next: ["Let the command edit files or print a patch, and leave the commit to PTH"] },
  );

/**
 * Makes a proposal. Files that the command edited come before a patch that it printed, which is then part of
 * its message.
 */
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
