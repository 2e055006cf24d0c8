/** Fuzzes the tools of a plugin, one after the other, and reports each fault once. */
import type { FuzzFind, FuzzReport, FuzzRequest } from "../../../machines/model/fuzz.ts";
import { count, firstLine } from "../../core/text.ts";
import type { ToolDefinition } from "../../../machines/model/plugin.ts";
import { PthError } from "../../core/errors.ts";
import { definedOnly } from "../../core/values.ts";
import { type CallPlace, decidingPlace, exclusionReason, realPlace } from "../generate/excluded_tools.ts";
import type { InputOptions } from "./arbitraries/inputs.ts";
import { faultId } from "./found_test.ts";
import { fuzzSequences } from "./fuzz_sequences.ts";
import { type FuzzHost, FuzzServer } from "./fuzz_server.ts";
import { fuzzTool } from "./fuzz_tool.ts";
import { freshSeed } from "./seeds.ts";

export interface FuzzPluginOptions extends InputOptions {
  signal: AbortSignal;
  /** Place where the tools' calls land; a real one unless given. */
  place?: CallPlace;
  /** One line of what happens now. */
  say?: (message: string) => void;
}

/** Between two lines of progress, in ms. */
const sayEveryMs = 500;

/**
 * The same tools, seed and runs draw the same inputs and shrink them the same way.
 * @throws {PthError} `NO_SUCH_TOOL`; when the server does not start any more; the signal's reason
 */
export async function fuzzPlugin(
  tools: readonly ToolDefinition[],
  host: FuzzHost,
  request: FuzzRequest,
  { signal, say, reaching, place = realPlace }: FuzzPluginOptions,
): Promise<FuzzReport> {
  const { runs = 100, seed = freshSeed(), timeoutSeconds = 5, timeSeconds = Infinity } = request;
  const started = performance.now();
  const deadline = started + timeSeconds * 1000;
  const { chosen, heldBack } = choose(tools, request, place);
  const report: FuzzReport = { seed, runs, tools: [], finds: [], heldBack, restarts: 0, durationMs: 0 };
  const server = new FuzzServer(host, signal);
  try {
    for (const [number, tool] of chosen.entries()) {
      if (performance.now() > deadline) {
        report.cutShort = `out of time: ${chosen.length - number} of ${chosen.length} tools were not fuzzed`;
        break;
      }
      const tell = teller(`${tool.name} (${number + 1} of ${chosen.length})`, runs, say);
      const { finds, ...fuzzed } = await fuzzTool(tool, server, {
        ...{ runs, seed, deadline, reaching },
        limitMs: timeoutSeconds * 1000,
        onCall: tell,
      });
      report.tools.push(fuzzed);
      report.finds.push(...finds);
      for (const { oracle, message } of finds) say?.(`${tool.name}: ${oracle}: ${firstLine(message)}`);
    }
    if (request.sequences === true) {
      const rows = { runs, seed, deadline, reaching, limitMs: timeoutSeconds * 1000 };
      const onCall = (done: number) => say?.(`fuzzing rows of calls: ${count(done, "row")}`);
      report.finds = withSequences(
        report.finds,
        await fuzzSequences(chosen, server, report.finds, { ...rows, onCall }),
      );
    }
  } finally {
    report.restarts = server.restarts;
    await server.close();
  }
  return { ...report, durationMs: Math.round(performance.now() - started) };
}

/** Removes faults that a sequence of calls explains: they are reported once, with those calls. */
function withSequences(single: readonly FuzzFind[], rows: readonly FuzzFind[]): FuzzFind[] {
  const explained = (find: FuzzFind) =>
    !find.confirmed && rows.some((row) => row.confirmed && faultId(row) === faultId(find));
  return [...single.filter((find) => !explained(find)), ...rows];
}

function choose(
  tools: readonly ToolDefinition[],
  { tools: wanted, includeHeldBack }: FuzzRequest,
  place: CallPlace,
) {
  const unknown = wanted?.find((name) => !tools.some((tool) => tool.name === name));
  if (unknown !== undefined) {
    throw new PthError("NO_SUCH_TOOL", `Cannot fuzz ${unknown}: the plugin lists no such tool`, {
      next: [`Choose among: ${tools.map(({ name }) => name).join(", ")}`],
    });
  }
  const chosen: ToolDefinition[] = [];
  const heldBack: FuzzReport["heldBack"] = [];
  for (const tool of tools.filter(({ name }) => wanted?.includes(name) ?? true)) {
    const reason = includeHeldBack === true
      ? undefined
      : exclusionReason(tool, decidingPlace({ ...definedOnly({ includeHeldBack }), place }));
    if (reason === undefined) chosen.push(tool);
    else heldBack.push({ tool: tool.name, reason });
  }
  return { chosen, heldBack };
}

/** Reports progress at intervals. */
function teller(what: string, runs: number, say: ((message: string) => void) | undefined) {
  let last = -Infinity;
  return (done: number) => {
    if (performance.now() - last < sayEveryMs && done < runs) return;
    last = performance.now();
    say?.(`fuzzing ${what}: ${done} of ${runs} inputs`);
  };
}
