/** Every difference between two surfaces of a server, and whether a client that worked may fail by it. */
import type { ServerSurface, SurfaceChange } from "../../machines/model/contract.ts";
import { compareCapabilities } from "./compare_capabilities.ts";
import { comparePrompts } from "./compare_prompts.ts";
import { compareResources } from "./compare_resources.ts";
import { compareTools } from "./compare_tools.ts";

const ranks = { breaking: 0, notice: 1, compatible: 2 } satisfies Record<SurfaceChange["impact"], number>;

/** Breaking ones first, then by place. */
export function compareSurfaces(before: ServerSurface, after: ServerSurface): SurfaceChange[] {
  const changes = [
    ...compareServer(before.server, after.server),
    ...compareCapabilities(before.server.capabilities, after.server.capabilities),
    ...compareTools(before.tools, after.tools),
    ...compareResources(before, after),
    ...comparePrompts(before.prompts, after.prompts),
  ];
  return changes.map((change, at) => ({ change, at })).sort((a, b) =>
    ranks[a.change.impact] - ranks[b.change.impact] || a.at - b.at
  ).map(({ change }) => change);
}

/** The version says that something changed; what did is told by the rest. */
function compareServer(before: ServerSurface["server"], after: ServerSurface["server"]): SurfaceChange[] {
  const notices: [keyof ServerSurface["server"], string][] = [
    ["name", "the server's name"],
    ["protocolVersion", "the version of the protocol"],
    ["instructions", "the instructions to models"],
  ];
  return notices.filter(([key]) => before[key] !== after[key]).map(([key, what]) => ({
    impact: "notice" as const,
    code: `${key === "protocolVersion" ? "protocol-version" : key}-changed`,
    path: `server/${key}`,
    message: key === "instructions"
      ? `${what} read differently`
      : `${what} was ${JSON.stringify(before[key])}, now it is ${JSON.stringify(after[key])}`,
  }));
}
