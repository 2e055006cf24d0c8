/** The slots of the hook run machine: hooks as Claude Code starts them, in the environment. */
import { posix } from "node:path";
import type { HookWorkInput } from "../../../machines/hook_run_machine.ts";
import type {
  HookRunEnd,
  HookRunRequest,
  HookRunResult,
  PreparedHooks,
  ReadyHook,
} from "../../../machines/model/hook_run.ts";
import { PthError } from "../../core/errors.ts";
import { isObject } from "../../core/values.ts";
import { type GetSession, promiseActor } from "../promise_actor.ts";
import type { LiveEnvironment } from "../stores/environment_holder.ts";
import { agentFolders } from "./agent_folders.ts";
import { cleanStart } from "./clean_start.ts";
import { changedFiles, projectFiles } from "./project_files.ts";
import { pluginVariables } from "./server_for_agent.ts";
import { withHostFolder } from "./with_host_folder.ts";

/** Bytes of each output that are kept, the last ones. */
const longestOutput = 1024 * 1024;
/** Events whose hooks may write variables for later commands of the shell. */
const withEnvFile: ReadonlySet<string> = new Set(["SessionStart", "Setup", "CwdChanged", "FileChanged"]);

type Ended = Omit<HookRunResult, "changes">;

export const hookRunActors = (stage: GetSession) => ({
  prepare: promiseActor<PreparedHooks, { run: HookRunRequest }>(stage, async (live, { run }, signal) => {
    const environment = live.environment.require();
    const { runtime, info: { handle } } = environment;
    environment.touched = true;
    const folders = agentFolders(live);
    const data = posix.join(folders.home, ".claude/plugins/data", dataName(run.plugin));
    const made = [folders.project, folders.temporary, data];
    const { code, stderr } = await runtime.exec(handle, ["mkdir", "-p", ...made], { signal });
    if (code !== 0) throw new PthError("COPY_FAILED", `Cannot prepare the hooks: ${stderr.trim()}`);
    if (run.project !== undefined) await runtime.copyIn(handle, run.project, folders.project, signal);
    const { files = {} } = run;
    if (Object.keys(files).length > 0) {
      await withHostFolder(files, (host) => runtime.copyIn(handle, host, folders.project, signal));
    }
    return { ...folders, data, before: await projectFiles(environment, folders.project, signal) };
  }),

  work: promiseActor<Ended, HookWorkInput>(stage, async (live, { run, prepared }, signal) => {
    const environment = live.environment.require();
    const payload = withFolders(run.payload, prepared) as Record<string, unknown>;
    const env = {
      ...pluginVariables(live),
      ...variablesOf(run, payload, prepared),
      ...run.env,
    };
    const runs = await Promise.all(
      run.hooks.map((hook) => runHook(environment, hook, { payload, env, prepared }, signal)),
    );
    return live.secrets.redact.value<Ended>({ payload, runs });
  }),

  collect: promiseActor<HookRunResult["changes"], HookWorkInput>(
    stage,
    async (live, { prepared: { project, before } }, signal) =>
      changedFiles(before, await projectFiles(live.environment.require(), project, signal)),
  ),
});

/** Name of the folder of a plugin's data, as Claude Code makes it of a plugin that is given by its folder. */
const dataName = (plugin: string): string => `${plugin.replaceAll(/[^\w-]/g, "-")}-inline`;

/** Variables that Claude Code sets for hooks, those of its own start left out. */
const variablesOf = (
  { event }: HookRunRequest,
  payload: Readonly<Record<string, unknown>>,
  { project, plugin, home, temporary, data }: PreparedHooks,
): Record<string, string> => ({
  HOME: home,
  TMPDIR: temporary,
  LANG: "C.UTF-8",
  TERM: "dumb",
  CLAUDECODE: "1",
  CLAUDE_CODE_ENTRYPOINT: "cli",
  ...(typeof payload.session_id === "string" ? { CLAUDE_CODE_SESSION_ID: payload.session_id } : {}),
  CLAUDE_PROJECT_DIR: project,
  CLAUDE_PLUGIN_ROOT: plugin,
  CLAUDE_PLUGIN_DATA: data,
  ...(withEnvFile.has(event) ? { CLAUDE_ENV_FILE: posix.join(temporary, "hook-env.sh") } : {}),
});

/** Resolves `${project}`, `${plugin}`, `${home}` and `${temporary}` in all texts of a value. */
function withFolders(value: unknown, folders: PreparedHooks): unknown {
  if (typeof value === "string") {
    return value.replace(
      /\$\{(project|plugin|home|temporary)\}/g,
      (_, name: "project" | "plugin" | "home" | "temporary") => folders[name],
    );
  }
  if (Array.isArray(value)) return value.map((each) => withFolders(each, folders));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withFolders(each, folders)]));
}

interface HookSurroundings {
  payload: Record<string, unknown>;
  env: Record<string, string>;
  prepared: PreparedHooks;
}

async function runHook(
  { runtime, info: { handle } }: LiveEnvironment,
  hook: ReadyHook,
  { payload, env, prepared }: HookSurroundings,
  signal: AbortSignal,
): Promise<HookRunEnd> {
  const limit = AbortSignal.timeout(hook.limitMs);
  const words = hook.type === "http" ? requestWords(hook) : [
    ...cleanStart,
    ...Object.entries(env).map(([name, value]) => `${name}=${value}`),
    ...commandWords(hook, prepared),
  ];
  const text = JSON.stringify(payload);
  try {
    const { code, stdout, stderr, durationMs } = await runtime.exec(handle, words, {
      cwd: prepared.project,
      stdin: hook.type === "http" ? text : `${text}\n`,
      signal: AbortSignal.any([signal, limit]),
      maxBytes: longestOutput,
    });
    const ended = { id: hook.id, durationMs, timedOut: false, stderr };
    if (hook.type === "http") return { ...ended, ...answerOf(code, stdout, stderr) };
    return { ...ended, stdout, ...(code === null ? {} : { exitCode: code }) };
  } catch (error) {
    if (!limit.aborted || signal.aborted) throw error;
    return { id: hook.id, durationMs: hook.limitMs, timedOut: true, stdout: "", stderr: "" };
  }
}

/** With `args` the folders are put into the words, and no shell reads them. */
function commandWords(
  { command, args }: ReadyHook & { type: "command" },
  { project, plugin, data }: PreparedHooks,
): string[] {
  if (args === undefined) return ["sh", "-c", command];
  const folders: Record<string, string> = {
    CLAUDE_PROJECT_DIR: project,
    CLAUDE_PLUGIN_ROOT: plugin,
    CLAUDE_PLUGIN_DATA: data,
  };
  return [command, ...args].map((word) =>
    word.replace(
      /\$\{(CLAUDE_(?:PROJECT_DIR|PLUGIN_ROOT|PLUGIN_DATA))\}/g,
      (_, name: string) => folders[name]!,
    )
  );
}

/** The request goes out from the environment: on the host it would reach what the plugin must not. */
const requestWords = ({ url, headers }: ReadyHook & { type: "http" }): string[] => [
  "sh",
  "-c",
  'exec curl "$@"',
  "sh",
  "-q",
  "-sS",
  "-g",
  "--proto",
  "=http,https",
  "--max-redirs",
  "0",
  "-X",
  "POST",
  "-H",
  "Content-Type: application/json",
  ...Object.entries(headers).flatMap((
    [name, value],
  ) => ["-H", `${name}: ${value}`.replaceAll(/[\r\n]/g, " ")]),
  "--data-binary",
  "@-",
  "-w",
  "\n%{http_code}",
  "--url",
  url,
];

/** Output of curl taken apart: the body, and the status in the last line. */
function answerOf(
  code: number | null,
  stdout: string,
  stderr: string,
): Pick<HookRunEnd, "stdout" | "status" | "failure"> {
  if (code === 127) {
    return { stdout: "", failure: "there is no curl in the environment, which sends the request" };
  }
  if (code !== 0) return { stdout: "", failure: stderr.trim() || `curl ended with ${code}` };
  const end = stdout.lastIndexOf("\n");
  return { stdout: stdout.slice(0, end), status: Number(stdout.slice(end + 1)) };
}
