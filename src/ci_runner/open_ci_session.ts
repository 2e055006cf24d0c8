/** A session in the plugin's own folder: loaded, with its tests, ready to run them. */
import { platform as osName } from "node:os";
import { createActor } from "xstate";
import type { PluginInfo } from "../../machines/model/session.ts";
import { makeResources, type SessionResources } from "../actors/session_resources.ts";
import { sendRequest } from "../app/send_request.ts";
import type { SessionContext } from "../app/session/session_context.ts";
import { testCommands } from "../app/tests/test_commands.ts";
import type { PublishedEvent } from "../api/harness.ts";
import type { SessionRegister } from "../registry/register.ts";
import type { CiSettings } from "../export/ci/runner_settings.ts";
import { openRunnerSession } from "./open_runner_session.ts";

export interface CiSession {
  tests: ReturnType<typeof testCommands>;
  /** Installs, builds and starts the plugin. @throws {PthError} `INSTALL_FAILED`, `BUILD_FAILED`, `START_FAILED` … */
  load(signal: AbortSignal): Promise<void>;
  /** Reads the tests of a file or folder. @throws {PthError} `INVALID_TEST_FILE`, `TARGET_NOT_FOUND` */
  useTests(path: string): Promise<void>;
  /** Stops what runs; safe at every moment. */
  end(): Promise<void>;
}

/** Opens it; `settings` are those of this machine (`fillSettings`). */
export async function openCiSession(
  settings: CiSettings,
  secrets: ReadonlyMap<string, string>,
  follow: (fact: PublishedEvent) => unknown,
): Promise<CiSession> {
  const live = liveSession(settings, secrets, follow);
  const actor = createActor(openRunnerSession(() => live), {
    input: { sessionId: live.sessionId, target: {}, mode: "run", force: false },
  });
  const opened = new Promise<void>((resolve) => void actor.on("session.opened", () => resolve()));
  const ended = new Promise<void>((resolve) => void actor.on("session.ended", () => resolve()));
  actor.start();
  await opened;
  const context: SessionContext = {
    live,
    actor,
    on: () => () => {},
    plugin: undefined,
    callers: new Map(),
    tests: [],
    results: new Map(),
    findings: [],
    examples: new Map(),
    workflows: new Map(),
  };
  const tests = testCommands(context);
  return {
    tests,
    async load(signal) {
      await sendRequest(actor, { type: "session.provision", config: {} }, {
        signal,
        onAbort: () => actor.send({ type: "session.cancel_provision" }),
      });
      context.plugin = await sendRequest<PluginInfo>(actor, { type: "session.load", load: {} }, {
        signal,
        onAbort: () => actor.send({ type: "session.cancel_load" }),
      });
      live.progress.publish({ type: "plugin.loaded", plugin: context.plugin });
    },
    async useTests(path) {
      await tests.use(path);
      if (osName() !== "linux") leaveOutWhatNeedsLinux(context);
    },
    async end() {
      actor.send({ type: "session.end", keep: false });
      await ended;
    },
  };
}

function liveSession(
  { plan, args, variables }: CiSettings,
  secrets: ReadonlyMap<string, string>,
  follow: (fact: PublishedEvent) => unknown,
): SessionResources {
  const sessionId = `ci-${crypto.randomUUID().slice(0, 8)}`;
  const live = makeResources({
    sessionId,
    target: { args, secrets: Object.fromEntries(secrets) },
    register: noRegister,
    publish: follow,
  });
  live.code.source = {
    sessionId,
    name: plan.name,
    ...(plan.version === undefined ? {} : { version: plan.version }),
    source: plan.source,
    worktree: plan.folder,
    subfolder: "",
    notes: [],
  };
  live.plugin.plan = plan;
  live.plugin.variables = variables;
  return live;
}

/** Which processes a server leaves behind can be seen on Linux only. */
function leaveOutWhatNeedsLinux(context: SessionContext): void {
  const left = context.tests.filter((test) => test.check !== "leaves_no_process");
  if (left.length === context.tests.length) return;
  context.tests = left;
  context.live.progress.note(`The check leaves_no_process is left out: it needs Linux, this is ${osName()}.`);
}

/** A CI job is thrown away whole: nothing has to be found again after a kill. */
const noRegister: SessionRegister = {
  sessionId: "ci",
  path: "",
  willCreate: () => Promise.resolve(),
  created: () => Promise.resolve(),
  removed: () => Promise.resolve(),
  close: () => Promise.resolve(),
};
