/** Requests about what the server offers: its surface, what changed in it, what it lacks, what it costs. */
import { join } from "node:path";
import type { ContractCheck, ServerSurface } from "../../../machines/model/contract.ts";
import type { McpMessage } from "../../../machines/model/detail.ts";
import { countChanges } from "../../contract/changes_summary.ts";
import { compareSurfaces } from "../../contract/compare_surfaces.ts";
import { defaultContractPath, parseContractFile } from "../../contract/contract_file.ts";
import { lintInstructions, lintTools } from "../../testing/lint_tools.ts";
import { readInside, sourcePathInside } from "../../contract/source_path_inside.ts";
import { measureTokenCost, seenAnswers } from "../../contract/measure_token_cost.ts";
import { bounded, OutOfTime } from "../../platform/bounded.ts";
import { errorMessage, PthError } from "../../core/errors.ts";
import type { ContractCommands, PluginCommands, PluginStatus, RequestOptions } from "../../api/harness.ts";
import { sendOperation } from "../send_request.ts";
import { loadedPlugin, type SessionParts, withProgress } from "../session/session_parts.ts";
import { workOnBranch } from "../fixes/work_on_branch.ts";

export function contractCommands(
  context: SessionParts,
  plugin: Pick<PluginCommands, "status">,
): ContractCommands {
  const surface = (options: RequestOptions = {}) => readSurface(context, plugin.status(), options);
  return {
    surface: (options) => surface(options),
    check: ({ baseline, save = false }, options = {}) =>
      withProgress(context, options, async () => {
        const path = sourcePathInside(baseline ?? defaultContractPath);
        const now = await surface(options);
        const kept = await readKept(context, path);
        if (kept === undefined && baseline !== undefined && !save) throw noSuchFile(path);
        const check = checkOf(kept, now, path);
        if (!save) return check;
        const saved = await workOnBranch(context, "save_contract", {
          surface: now,
          path,
        }, options);
        return { ...check, saved };
      }),
    lint: () => Promise.resolve().then(() => lint(context)),
    tokenCost: () => tokenCost(context),
  };
}

function loaded(context: SessionParts) {
  const plugin = loadedPlugin(context);
  if (plugin) return plugin;
  throw new PthError("NOT_NOW", "Cannot look at the server: the plugin is not loaded", {
    next: [{ mcp: "Load it first: pth_load_plugin" }],
  });
}

async function readSurface(
  context: SessionParts,
  { connections }: PluginStatus,
  { signal }: RequestOptions = {},
): Promise<ServerSurface> {
  loaded(context);
  const { actor } = context;
  const args = { connections: connections.map(({ id }) => id) };
  return await sendOperation(actor, "surface", args, { signal });
}

async function readKept({ live }: SessionParts, path: string): Promise<ServerSurface | undefined> {
  const text = await readInside(join(live.code.source!.worktree, live.code.source!.subfolder), path);
  return text === undefined ? undefined : parseContractFile(path, text);
}

function checkOf(kept: ServerSurface | undefined, now: ServerSurface, path: string): ContractCheck {
  const changes = kept === undefined ? [] : compareInTime(kept, now);
  return {
    changes,
    breaking: countChanges(changes).breaking,
    tools: now.tools.length,
    ...(kept === undefined ? {} : { baseline: path }),
  };
}

/** For all schemas of both surfaces, in ms. */
const compareLimitMs = 2_000;

/** @throws {PthError} `PROTOCOL_VIOLATION` where the schemas of the server, or those kept, do not end */
function compareInTime(kept: ServerSurface, now: ServerSurface): ContractCheck["changes"] {
  try {
    return bounded(() => compareSurfaces(kept, now), compareLimitMs);
  } catch (error) {
    if (!(error instanceof OutOfTime)) throw error;
    throw new PthError(
      "PROTOCOL_VIOLATION",
      `Cannot compare the server's surface with the kept one: it is ${error.message}; schemas name each other too often`,
    );
  }
}

const noSuchFile = (path: string): PthError =>
  new PthError("INVALID_INPUT", `Cannot compare with ${path}: there is no such file in the plugin`, {
    next: [
      {
        mcp: `Keep the surface as it is: pth_check_contract({ baseline: ${
          JSON.stringify(path)
        }, save: true })`,
      },
    ],
  });

/** After a load or a reload of a session whose plugin keeps a contract; what goes wrong here stops neither. */
export async function compareWithStored(
  context: SessionParts,
  status: PluginStatus,
): Promise<ContractCheck | undefined> {
  try {
    const kept = await readKept(context, defaultContractPath);
    return kept && checkOf(kept, await readSurface(context, status), defaultContractPath);
  } catch (error) {
    context.live.progress.note(`The server was not compared with its contract: ${errorMessage(error)}`);
    return undefined;
  }
}

async function lint(context: SessionParts) {
  const { tools, server } = loaded(context);
  const found = [...await lintTools(tools), ...lintInstructions(server.instructions)];
  const known = new Set(found.map((finding) => JSON.stringify(finding)));
  context.results.findings = [
    ...context.results.findings.filter((finding) => !known.has(JSON.stringify(finding))),
    ...found,
  ];
  return found;
}

async function tokenCost(context: SessionParts) {
  const { tools, server } = loaded(context);
  const { live, tests } = context;
  const messages = tests.all.flatMap(({ id }) =>
    (live.evidence.captures.of(id) ?? live.evidence.failures.of(id))?.exchange ?? []
  );
  const cost = await measureTokenCost(tools, server.instructions, seenAnswers(messages as McpMessage[]));
  context.measurements.reports = { ...context.measurements.reports, tokenCost: cost };
  return cost;
}
