/** An environment made of plain processes of the host. */
import { runCommand } from "../../../src/platform/process.ts";
import type { EnvironmentAccess } from "../../../src/plugin/environment_access.ts";

export interface RecordedAccess extends EnvironmentAccess {
  /** Commands that were run, as text. */
  readonly ran: string[];
}

export function hostAccess(sourcePath: string, facts: Partial<EnvironmentAccess> = {}): RecordedAccess {
  const ran: string[] = [];
  return {
    sourcePath,
    isolated: false,
    image: "host",
    ran,
    exec: (command, options) => {
      ran.push(command.join(" "));
      return runCommand(command, { ...options, cwd: options?.cwd ?? sourcePath });
    },
    ...facts,
  };
}

/** An environment that answers each command from a table of patterns; exit code 0 and no output otherwise. */
export function scriptedAccess(
  answers: [RegExp, { code?: number; stdout?: string }][],
  facts: Partial<EnvironmentAccess> = {},
): RecordedAccess {
  const ran: string[] = [];
  return {
    sourcePath: "/work/plugin",
    isolated: true,
    image: "debian12",
    ran,
    exec: (command) => {
      const text = command.join(" ");
      ran.push(text);
      const answer = answers.find(([pattern]) => pattern.test(text))?.[1] ?? {};
      const { code = 0, stdout = "" } = answer;
      return Promise.resolve({ code, stdout, signal: null, stderr: "", truncated: false, durationMs: 1 });
    },
    ...facts,
  };
}
