import type { SessionResources } from "../session_resources.ts";

/** Lists the variables that announce services and dependencies: all of them, or those that start before the one named. */
export function announcedBefore(
  { environment: { current }, plugin: { dependencies } }: SessionResources,
  name?: string,
): Record<string, string> {
  const wanted = current?.info.config.dependencyPlugins?.map((one) => one.name) ?? [];
  const before = name === undefined ? wanted : wanted.slice(0, Math.max(0, wanted.indexOf(name)));
  const services = current?.services?.announced;
  return Object.assign({}, services, ...before.map((one) => dependencies.get(one!)?.announced));
}
