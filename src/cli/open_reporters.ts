/** The reporters of one run, and the outputs that they write to. */
import { asPthError, errorMessage, PthError } from "../core/errors.ts";
import type { PublishedEvent } from "../api/harness.ts";
import type { TextOutput } from "../platform/terminal.ts";
import { type FileOutput, openFileOutput } from "../platform/file_output.ts";
import {
  dispatch,
  type FinishedRun,
  type ReporterDefinition,
  type ReporterHooks,
} from "../testing/reporter.ts";
import markdown from "../testing/reporters/markdown.ts";
import { createProgress } from "../testing/reporters/spec/spec_progress.ts";
import { definedOnly } from "../core/values.ts";
import type { CommandContext } from "./command.ts";
import type { ChosenReporter } from "./options/choose_reporters.ts";
import { withOutputFolder } from "./options/output_folder.ts";
import type { SuiteRequest } from "./options/suite_options.ts";

export interface Reporters {
  follow(fact: PublishedEvent): void;
  /** Tells all that the run is over and writes what is to be written. @throws {PthError} what a reporter threw first */
  finish(run: Partial<FinishedRun> & { exitCode: number }, otherFiles: string[]): Promise<void>;
}

type Outputs = Pick<CommandContext, "stdout" | "stderr" | "env">;

interface Chosen extends ChosenReporter {
  /** True: existing content of the file stays. */
  appended?: boolean;
}

interface Follower {
  hooks: ReporterHooks;
  file?: FileOutput;
}

/** Opens the outputs and starts the reporters. */
export async function openReporters(
  request: SuiteRequest,
  target: string,
  context: Outputs,
): Promise<Reporters> {
  const followers: Follower[] = [];
  const all = [...withOutputFolder(request.reporters, request.outputFolder), ...jobSummary(request, context)];
  for (const chosen of all) followers.push(await open(chosen, context.stdout));
  if (needsProgress(request, context)) followers.push({ hooks: createProgress(context.stderr).hooks });

  const notes: string[] = [];
  const startedAt = Date.now();
  const failures: unknown[] = [];
  const tell = (follow: (hooks: ReporterHooks) => void) => {
    for (const follower of followers) {
      try {
        follow(follower.hooks);
      } catch (error) {
        failures.push(error);
        // It still closes what it has begun: half a document is none.
        follower.hooks = definedOnly({ end: follower.hooks.end });
      }
    }
  };
  return {
    follow(fact) {
      if (fact.type === "session.noted") notes.push(fact.message);
      tell((hooks) => dispatch(hooks, fact));
    },
    async finish(run, otherFiles) {
      const files = [...followers.flatMap(({ file }) => file?.path ?? []), ...otherFiles];
      const durationMs = Date.now() - startedAt;
      tell((hooks) => hooks.end?.({ target, notes, startedAt, durationMs, strict: false, files, ...run }));
      for (const { file } of followers) {
        try {
          await file?.close();
        } catch (error) {
          failures.push(cannotWrite(file!.path, error));
        }
      }
      if (failures.length > 0) throw asPthError(failures[0], "Cannot write a report");
    },
  };
}

const cannotWrite = (path: string, cause: unknown): PthError =>
  new PthError("REPORT_FAILED", `Cannot write a report: ${path}: ${errorMessage(cause)}`, {
    next: ["Free disk space, or choose another file"],
  }, { cause });

/** GitHub names a file that becomes part of the job's page; steps before may have written to it. */
function jobSummary({ reporters }: SuiteRequest, { env }: Outputs): Chosen[] {
  const file = env("GITHUB_STEP_SUMMARY");
  const wanted = reporters.some(({ definition }) => definition.name === "github");
  return wanted && file ? [{ definition: markdown, file, appended: true }] : [];
}

async function open({ definition, file, appended }: Chosen, stdout: TextOutput): Promise<Follower> {
  await definition.prepare?.();
  if (file === undefined) return { hooks: definition.create(stdout) };
  const output = await openFileOutput(file, appended ? "append" : definition.writes)
    .catch((error) => Promise.reject(cannotWrite(file, error)));
  return { hooks: definition.create({ ...plainOutput, write: (text) => output.write(text) }), file: output };
}

const plainOutput = { isTerminal: false, colour: false, columns: () => 80 };

/** A person who sends a machine's report down a pipe still sees the steps, on stderr. */
function needsProgress({ reporters }: SuiteRequest, { stderr }: Outputs): boolean {
  const onStdout: ReporterDefinition | undefined = reporters.find(({ file }) => file === undefined)
    ?.definition;
  return stderr.isTerminal && onStdout?.name !== "spec";
}
