/** What a server said it can do, before and after. */
import type { SurfaceChange } from "../../machines/model/contract.ts";
import { isObject } from "../core/values.ts";

type Capabilities = Record<string, unknown>;

/** Also within a capability: `resources.subscribe` is one of its own. */
export function compareCapabilities(before: Capabilities, after: Capabilities): SurfaceChange[] {
  const [old, now] = [flat(before), flat(after)];
  const change = (name: string, impact: SurfaceChange["impact"], state: string): SurfaceChange => ({
    impact: name.startsWith("experimental") ? "notice" : impact,
    code: `capability-${state}`,
    path: `server/capabilities/${name}`,
    message: `the capability ${name.replaceAll("/", ".")} was ${state}`,
  });
  return [
    ...[...old].filter((name) => !now.has(name)).map((name) => change(name, "breaking", "removed")),
    ...[...now].filter((name) => !old.has(name)).map((name) => change(name, "compatible", "added")),
  ];
}

function flat(capabilities: Capabilities): Set<string> {
  return new Set(
    Object.entries(capabilities).flatMap(([name, value]) => {
      if (value === false || value === undefined || value === null) return [];
      const parts = isObject(value) ? Object.entries(value).filter(([, part]) => part !== false) : [];
      return [name, ...parts.map(([part]) => `${name}/${part}`)];
    }),
  );
}
