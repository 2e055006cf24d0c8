import { commandFixer, type CommandFixerDeps } from "../../../src/fixers/command_fixer.ts";
import type { SessionBranch } from "../../../src/git/session_branch.ts";
import { pluginFolder } from "../../../src/git/session_branch.ts";
import type { FixerInput } from "../../../machines/model/fixer.ts";

export { rejection, session, textOf, userGit, writeFiles } from "../fixes/helpers.ts";

export const input = (branch: SessionBranch, more: Partial<FixerInput> = {}): FixerInput => ({
  iteration: 2,
  plugin: { name: "demo", folder: pluginFolder(branch) },
  group: {
    id: "runtime-exception:src/a.ts:3",
    category: "runtime-exception",
    cause: "count throws a TypeError at src/a.ts:3.",
    place: { path: "src/a.ts", line: 3 },
    testIds: ["count_valid"],
  },
  diagnoses: [{
    testId: "count_valid",
    testName: "count: valid input",
    tool: "count",
    category: "runtime-exception",
    evidence: ["stderr shows a TypeError"],
    error: "TypeError: three is not a number",
    exchange: [],
    stderr: "TypeError: three is not a number\n",
    places: [{ path: "src/a.ts", line: 3 }],
    excerpts: [],
    previousFixes: [],
    environment: { problems: [], processes: 1 },
  }],
  records: [],
  ...more,
});

interface Asked extends Partial<CommandFixerDeps> {
  timeoutSeconds?: number;
  signal?: AbortSignal;
  input?: Partial<FixerInput>;
}

const noRegister = { willCreate: () => Promise.resolve(), created: () => Promise.resolve() };

/** Asks a command for a fix. */
export const ask = (branch: SessionBranch, command: string, asked: Asked = {}) => {
  const { timeoutSeconds, signal = new AbortController().signal, input: more, ...deps } = asked;
  const options = { command, ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }) };
  return commandFixer(options, { branch, register: noRegister, ...deps })(input(branch, more), signal);
};
