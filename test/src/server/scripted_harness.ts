/** A harness that answers what a test tells it to, for tests of the MCP face. */
import { PthError } from "../../../src/core/errors.ts";
import type {
  EndReport,
  Harness,
  PublishedEvent,
  RequestOptions,
  Session,
} from "../../../src/api/harness.ts";
import type { SessionInfo } from "../../../machines/model/session.ts";

export const session: SessionInfo = {
  sessionId: "a1b2c3",
  status: "started",
  source: {
    sessionId: "a1b2c3",
    name: "sample",
    version: "1.0.0",
    source: "/plugins/sample",
    worktree: "/tmp/pth-worktree-a1b2c3",
    subfolder: "",
    branch: "pth/sample-2026-01-01-a1b2c3",
    notes: ["uncommitted changes are not included"],
  },
};

export interface ScriptedHarness extends Harness {
  /** Options of the latest `startSession`, and how often the session was ended. */
  started: unknown[];
  ended: number;
}

export interface Script {
  commands?: ScriptedSession;
  /** Runs before the harness is there. */
  create?(): Promise<void>;
  start?(options?: RequestOptions): Promise<void>;
  preflight?: Harness["preflight"];
  runProjectTests?: Harness["runProjectTests"];
  resumeSession?: Harness["resumeSession"];
  rebuildImages?: Harness["rebuildImages"];
}

const unscripted = (name: string) => (): never => {
  throw new PthError("NOT_NOW", `Cannot ${name}: the test has not scripted it`);
};

/** The requests that a test answers, by group; any other is an error. */
export type ScriptedSession = {
  [Group in keyof Session]?: Session[Group] extends (...args: never[]) => unknown ? Session[Group]
    : Partial<Session[Group]>;
};

const groups = [
  "environment",
  "snapshots",
  "plugin",
  "contract",
  "tests",
  "agentRuns",
  "agents",
  "fixes",
  "loop",
  "coverage",
  "export",
] satisfies (keyof Session)[];

function scriptedCommands(commands: ScriptedSession): Session {
  const strict = <T extends object>(requests: T): T =>
    new Proxy(requests, {
      get: (target, name: string) => Reflect.get(target, name) ?? unscripted(name),
    });
  const grouped = Object.fromEntries(groups.map((group) => [group, strict(commands[group] ?? {})]));
  return strict({ ...commands, ...grouped } as Session);
}

export function scriptedHarness(script: Script = {}): ScriptedHarness {
  const listeners = new Set<(fact: PublishedEvent) => void>();
  const emit = (fact: PublishedEvent) => listeners.forEach((listener) => listener(fact));
  const harness = {
    state: "dormant" as Harness["state"],
    started: [] as unknown[],
    ended: 0,
    on(listener: (fact: PublishedEvent) => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async startSession(target: unknown, options?: RequestOptions) {
      if (harness.state === "active") {
        throw new PthError("SESSION_ACTIVE", "Cannot start a session: one is active already");
      }
      harness.started.push({ target, options });
      await script.start?.(options);
      harness.state = "active";
      emit({ type: "harness.activated", session });
      return session;
    },
    endSession(): Promise<EndReport> {
      harness.ended++;
      const branch = session.source.branch!;
      if (harness.state === "active") emit({ type: "harness.deactivated" });
      harness.state = "dormant";
      return Promise.resolve({ branch, branchKept: true, commits: 2, leftBehind: [], kept: [] });
    },
    close: () => Promise.resolve(),
    session: () => scriptedCommands(script.commands ?? {}),
    resumeSession: script.resumeSession ?? unscripted("resume a session"),
    preflight: script.preflight ?? unscripted("preflight"),
    rebuildImages: script.rebuildImages ?? unscripted("rebuild images"),
    runProjectTests: script.runProjectTests ?? unscripted("run a project's tests"),
  };
  return harness;
}
