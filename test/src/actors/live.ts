/** A living session without anything alive in it, and a machine that hears what a channel's actor sends back. */
import { type AnyActorLogic, type AnyEventObject, createActor, createMachine } from "xstate";
import { makeResources, type SessionResources } from "../../../src/actors/session_resources.ts";
import type { EnvironmentRuntime } from "../../../src/runtimes/runtime.ts";
import type { PublishedEvent } from "../../../src/api/published_event.ts";
import type { SessionRegister } from "../../../src/registry/register.ts";

export function liveSession(
  secrets: Record<string, string> = {},
  publish: (event: PublishedEvent) => void = () => {},
): {
  live: SessionResources;
  /** What was told to the register, as "removed environment name". */
  registered: string[];
} {
  const registered: string[] = [];
  const note = (event: string) => ({ kind, name }: { kind: string; name: string }) => {
    registered.push(`${event} ${kind} ${name}`);
    return Promise.resolve();
  };
  const register: SessionRegister = {
    sessionId: "s1",
    path: "",
    willCreate: note("will create"),
    created: note("created"),
    removed: note("removed"),
    close: () => Promise.resolve(),
  };
  return {
    live: makeResources({
      sessionId: "s1",
      target: { target: "/plugin", secrets },
      register,
      publish,
    }),
    registered,
  };
}

/** Gives the session an environment whose runtime has these members only. */
export function giveEnvironment(live: SessionResources, runtime: Partial<EnvironmentRuntime>): void {
  const info = { handle: { environmentId: "e1", runtime: "docker", sourcePath: "/work/plugin" } };
  live.environment.current = {
    runtime: runtime as EnvironmentRuntime,
    info: info as never,
    baseline: undefined,
  };
}

/** Runs a callback actor below a parent; resolves to its first event of one of the types. */
export function firstEvent(
  logic: AnyActorLogic,
  input: unknown,
  ...types: string[]
): Promise<AnyEventObject> {
  return new Promise((resolve) => {
    const heard = { actions: ({ event }: { event: AnyEventObject }) => resolve(event) };
    const machine = createMachine({
      invoke: { src: logic, input: () => input },
      on: Object.fromEntries(types.map((type) => [type, heard])),
    });
    createActor(machine).start();
  });
}
