/** Fixtures of the session's environment: prepared before it is made, put in once it lives. */
import { resolve } from "node:path";
import type { EnvironmentConfig, EnvironmentHandle } from "../../../machines/model/environment.ts";
import { readEnv } from "../../platform/host.ts";
import { CompanionServices } from "../../runtimes/fixtures/companion_services.ts";
import type { FixtureTarget } from "../../runtimes/fixtures/fixture_target.ts";
import {
  type Fixtures,
  type PreparedFixtures,
  prepareFixtures,
} from "../../runtimes/fixtures/prepare_fixtures.ts";
import { seedFixtures } from "../../runtimes/fixtures/seed_fixtures.ts";
import type { EnvironmentRuntime } from "../../runtimes/runtime.ts";
import type { SessionResources } from "../session_resources.ts";

const phase = "fixture";

/** Files that are put into an environment, and the services that it starts. */
export interface EnvironmentFixtures {
  readonly services: CompanionServices;
  /** @throws {PthError} as `seedFixtures` */
  seed(signal: AbortSignal): Promise<void>;
}

/** @throws {PthError} as `prepareFixtures` */
export const preparedFixtures = (
  live: SessionResources,
  { fixtures = {}, targetPlugin, network }: Partial<EnvironmentConfig>,
  runtime: EnvironmentRuntime,
): Promise<PreparedFixtures> => {
  const valueOf = (name: string) => {
    const plain = live.secrets.values.get(name) ?? live.target.variables?.[name] ??
      targetPlugin?.configValues?.[name];
    if (plain !== undefined) return plain;
    // Whoever writes a variable's name instead of its value does not want it told.
    const value = readEnv(name);
    if (value) live.secrets.hide(value);
    return value;
  };
  return prepareFixtures(besidePlugin(fixtures, live.code.source?.folder), valueOf, runtime, network);
};

/** Paths of the host that are left relative are the plugin's. */
function besidePlugin(fixtures: Fixtures, folder: string | undefined): Fixtures {
  const { files, setupScripts } = fixtures;
  const at = (path: string) => resolve(folder ?? ".", path);
  return {
    ...fixtures,
    ...(files &&
      { files: files.map((file) => file.from === undefined ? file : { ...file, from: at(file.from) }) }),
    ...(setupScripts && {
      setupScripts: setupScripts.map((one) =>
        typeof one === "string" ? one : { ...one, script: at(one.script) }
      ),
    }),
  };
}

export function fixturesOf(
  live: SessionResources,
  runtime: EnvironmentRuntime,
  handle: EnvironmentHandle,
  fixtures: PreparedFixtures,
): EnvironmentFixtures {
  const willCreate: FixtureTarget["willCreate"] = (thing) =>
    live.register.willCreate({ ...thing, runtime: "docker" });
  const place: FixtureTarget = { runtime, handle, willCreate };
  const step = <T>(message: string, work: () => Promise<T>) => live.progress.step(phase, message, work);
  const onOutput = live.progress.output(phase);
  const services = new CompanionServices(place, {
    step,
    onOutput,
    note: (message) => live.progress.note(message),
  });
  return {
    services,
    seed: (signal) => seedFixtures(place, fixtures, services, { signal, step, onOutput }),
  };
}
