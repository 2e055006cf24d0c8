/** Request to look for faults of the plugin's tools with drawn inputs. */
import { join } from "node:path";
import type { FuzzFind, FuzzReport, FuzzRequest } from "../../../machines/model/fuzz.ts";
import type { TestCase } from "../../../machines/model/test_case.ts";
import { PthError } from "../../core/errors.ts";
import type { RequestOptions, TestCommands } from "../../api/harness.ts";
import { openConfined } from "../../platform/confined/open_confined.ts";
import { mkdir } from "../../platform/files.ts";
import { faultId, foundText } from "../../testing/fuzz/found_test.ts";
import { freshSeed } from "../../testing/fuzz/seeds.ts";
import { assignIds } from "../../testing/format/ids.ts";
import { sendOperation } from "../send_request.ts";
import { knownInputs } from "./known_inputs.ts";
import { folderForTests } from "./discover_tests.ts";
import { loadedPlugin, type SessionParts, withProgress } from "../session/session_parts.ts";
import { count } from "../../core/text.ts";

export function fuzzCommand(context: SessionParts): Pick<TestCommands, "fuzz"> {
  return {
    async fuzz({ output, ...asked }, options = {}) {
      if (loadedPlugin(context) === undefined) {
        throw new PthError("NOT_NOW", "Cannot fuzz: the plugin is not loaded", {
          next: [{ mcp: "Load it first: pth_load_plugin" }],
        });
      }
      const startingInputs = asked.startingInputs ?? await knownInputs(context);
      const request = { ...asked, seed: asked.seed ?? freshSeed(), startingInputs };
      const report = await withProgress(context, options, () => search(context, request, options));
      return { ...report, finds: await keep(context, report.finds, output) };
    },
  };
}

function search(
  { actor, live }: SessionParts,
  request: FuzzRequest & { seed: number },
  { signal }: RequestOptions,
): Promise<FuzzReport> {
  const told = `fuzzing with seed ${request.seed}`;
  const work = () => sendOperation(actor, "fuzz", request, { signal });
  return live.progress.step(
    "fuzz",
    told,
    work,
    ({ finds, tools }) => `${foundText(finds)} in ${count(tools.length, "tool")}`,
  );
}

/**
 * Writes each test to a file of its own, named after the fault: another run that finds it writes the same file. Without a
 * folder that is asked for, a session keeps them with its tests, and a scripted run, whose copy goes away, writes nothing.
 */
async function keep(
  context: SessionParts,
  finds: readonly FuzzFind[],
  output: string | undefined,
): Promise<FuzzFind[]> {
  const inSession = output === undefined && context.live.mode === "session";
  const folder = output ?? (inSession ? await folderForTests(context, "fuzz") : undefined);
  const kept: FuzzFind[] = [];
  const tests: TestCase[] = [];
  for (const find of finds) {
    if (find.test === undefined || find.yaml === undefined || folder === undefined) {
      kept.push(find);
      continue;
    }
    const file = join(folder, fileName(find));
    await mkdir(folder, { recursive: true });
    await openConfined(folder).write(fileName(find), find.yaml);
    kept.push({ ...find, file });
    tests.push({ ...find.test, file });
  }
  if (inSession && tests.length > 0) {
    const files = new Set(tests.map(({ file }) => file));
    const others = context.tests.all.filter(({ file }) => file === undefined || !files.has(file));
    context.tests.all = assignIds([...others, ...tests]);
  }
  return kept;
}

/** A tool's name may hold what no file name should. */
const fileName = (find: FuzzFind): string =>
  `${find.tool.replace(/[^\w.-]+/g, "_").slice(0, 60)}-${find.oracle}-${faultId(find)}.yaml`;
