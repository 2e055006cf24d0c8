/** Part of a session's request that is committed for a later resume: no values of secrets, no paths of the host. */
import { basename } from "node:path";
import type { DependencyPlugin, EnvironmentConfig } from "../../machines/model/environment.ts";
import type { SessionTarget } from "../../machines/model/session.ts";
import { isSecretName } from "../plugin/declared_variables.ts";
import { definedOnly } from "../core/values.ts";
import type { SessionState } from "../../machines/model/session_state.ts";

type Kept = Pick<SessionState, "target" | "environment" | "withheld" | "leftOut">;

/** Larger fixtures belong into files of the plugin. */
const largestFixtures = 50_000;

/**
 * Values given as configuration count as secrets, whatever their names: none of them is kept.
 * @param known names of further variables that the session was given as secrets
 */
export function persistableRequest(
  { target, secrets, copies, variables = {}, ...start }: SessionTarget,
  config: Partial<EnvironmentConfig> | undefined,
  known: Iterable<string> = [],
): Kept {
  const plain = Object.entries(variables).filter(([name]) => !isSecretName(name));
  const hidden = Object.keys(variables).filter(isSecretName);
  const { fixtures, targetPlugin, dependencyPlugins = [], ...environment } = config ?? {};
  const packages = dependencyPlugins.filter(({ source }) => source.startsWith("npm:"));
  const folders = dependencyPlugins.filter(({ source }) => !source.startsWith("npm:"));
  const { configValues = {}, ...plugin } = targetPlugin ?? {};
  const { kept: keptFixtures, leftOut: fixturesLeftOut } = withoutHost(fixtures ?? {});
  const largeFixtures = JSON.stringify(keptFixtures).length > largestFixtures;
  const withheld = [
    ...Object.keys(secrets ?? {}),
    ...hidden,
    ...Object.keys(configValues),
    ...known,
  ];
  return {
    target: {
      ...startOptions(start),
      ...(target === undefined || isFolder(target) ? {} : { target }),
      ...(plain.length === 0 ? {} : { variables: Object.fromEntries(plain) }),
    },
    ...(config === undefined ? {} : {
      environment: {
        ...environment,
        ...(fixtures === undefined || largeFixtures ? {} : { fixtures: keptFixtures }),
        ...(targetPlugin === undefined ? {} : { targetPlugin: plugin }),
        ...(packages.length === 0 ? {} : { dependencyPlugins: packages.map(withoutValues) }),
      },
    }),
    withheld: [...new Set(withheld)].sort(),
    leftOut: [
      ...(copies ?? []).map(({ envPath }) => `the host's files that were copied to ${envPath}`),
      ...folders.map(({ name, source }) =>
        `the dependency ${name ?? basename(source)}, a folder of the host`
      ),
      ...packages.filter(({ configValues }) => configValues !== undefined)
        .map(({ name, source }) => `the configuration of the dependency ${name ?? source}`),
      ...fixturesLeftOut,
      ...(largeFixtures ? ["the fixtures of the environment, which were too large"] : []),
    ],
  };
}

type Fixtures = NonNullable<EnvironmentConfig["fixtures"]>;

/** Fixtures without what only this machine has, and without values that look secret and are not given by name. */
function withoutHost({ files, setupScripts, services }: Fixtures): { kept: Fixtures; leftOut: string[] } {
  const leftOut = [
    ...(files ?? []).filter(({ from }) => from !== undefined).map(({ path }) =>
      `the host's files that were copied to ${path}`
    ),
    ...(setupScripts ?? []).flatMap((one) =>
      typeof one === "string" ? [] : [`the setup script ${basename(one.script)}, a file of the host`]
    ),
    ...(services ?? []).flatMap(({ name, env }) =>
      Object.entries(env ?? {}).filter(isWithheld).map(([variable]) => `${variable} of the service ${name}`)
    ),
  ];
  const kept = definedOnly({
    files: files?.filter(({ from }) => from === undefined),
    setupScripts: setupScripts?.filter((one) => typeof one === "string"),
    services: services?.map(({ env, ...service }) => ({
      ...service,
      ...(env && { env: Object.fromEntries(Object.entries(env).filter((entry) => !isWithheld(entry))) }),
    })),
  });
  return { kept, leftOut };
}

const isWithheld = ([name, value]: [string, string]): boolean =>
  isSecretName(name) && !/^\$\{env:[^}]*\}$/.test(value);

/** Whether a target is a folder: its path on the host is not saved, since the branch has its files. */
const isFolder = (target: string): boolean => !target.startsWith("npm:");

/** By name: whatever else a request may come to hold is not for git. */
const startOptions = (
  { command, args, server, build, install, url }: SessionTarget,
): Partial<SessionTarget> => definedOnly({ command, args, server, build, install, url });

const withoutValues = ({ configValues: _values, ...rest }: DependencyPlugin): DependencyPlugin => rest;
