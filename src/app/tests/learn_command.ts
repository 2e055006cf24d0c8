/** Request for inputs that the plugin's tools accept; they become tests of the session. */
import { join } from "node:path";
import type { LearnReport } from "../../../machines/model/learned.ts";
import type { SessionNote } from "../../../machines/model/session.ts";
import type { LearnOptions, RequestOptions, TestCommands } from "../../api/harness.ts";
import { PthError } from "../../core/errors.ts";
import { count } from "../../core/text.ts";
import { definedOnly } from "../../core/values.ts";
import { newTests } from "../../testing/generate/generate_tests.ts";
import learnedGenerator from "../../testing/generators/learned.ts";
import { callPlace } from "../../actors/session/call_place.ts";
import { exampleFolderOf, workingFolder } from "../../actors/tests/example_folder.ts";
import { pluginMaterial } from "../plugin/plugin_material.ts";
import { sendOperation } from "../send_request.ts";
import { loadedPlugin, type SessionParts, withProgress } from "../session/session_parts.ts";
import { learnedFile, readLearned, writeLearned } from "../../testing/learn/learned_file.ts";
import { refuseSecrets } from "./test_commands.ts";
import { shownFolder } from "./discover_tests.ts";
import { keepLearned, learnedInputs } from "./learned_inputs.ts";
import { replaceTests } from "./replace_tests.ts";

export const learnCommand = (context: SessionParts): Pick<TestCommands, "learn"> => ({
  async learn({ output, ...asked }, options = {}) {
    if (loadedPlugin(context) === undefined) {
      throw new PthError("NOT_NOW", "Cannot learn inputs: the plugin is not loaded", {
        next: [{ mcp: "Load it first: pth_load_plugin" }],
      });
    }
    if (asked.inputs !== undefined) checkInputs(context, asked.inputs);
    const report = await withProgress(context, options, () => search(context, asked, options));
    const file = report.learned.length === 0 ? undefined : await keepLearned(context, report.learned, output);
    // A session has its own file, which its answer names.
    const isTold = report.learned.length > 0 && (file === undefined || output !== undefined);
    if (isTold) context.live.progress.note(keptNote(context, file));
    return { ...report, ...definedOnly({ file }), tests: await addTests(context, asked) };
  },
});

/** A plugin that is a folder has a place from which later runs read it. */
function keptNote(context: SessionParts, kept: string | undefined): SessionNote {
  if (kept !== undefined) return `What was learned is kept in ${kept}`;
  const mcp = "What was learned is not kept";
  if (context.live.code.source!.folder === undefined) {
    return { terminal: `${mcp}: --learned FILE writes it`, mcp };
  }
  const file = join(shownFolder(context), learnedFile);
  return { terminal: `${mcp}: --learned ${file} writes it, and later runs read it`, mcp };
}

/** @throws {PthError} `INVALID_INPUT` for what could not be kept */
function checkInputs(context: SessionParts, inputs: NonNullable<LearnOptions["inputs"]>): void {
  const text = writeLearned(inputs);
  refuseSecrets(context, text);
  const { problems } = readLearned(learnedFile, text);
  if (problems.length === 0) return;
  throw new PthError(
    "INVALID_INPUT",
    `Cannot try inputs: ${problems.map(({ message }) => message).join("; ")}`,
    { next: ["A value of an earlier call is named $name, once its setup captures it; $$ is a dollar"] },
  );
}

async function search(
  context: SessionParts,
  asked: Omit<LearnOptions, "output">,
  { signal }: RequestOptions,
): Promise<LearnReport> {
  const { actor, live } = context;
  const request = { ...asked, known: await learnedInputs(context), place: await placeOfPaths(live) };
  const work = () => sendOperation(actor, "learn", request, { signal });
  const about = asked.inputs === undefined
    ? "looking for inputs that work"
    : `trying ${count(asked.inputs.length, "input")}`;
  return await live.progress.step("learn", about, work, reportText);
}

/** Paths for inputs; no input names a folder of the user's machine. */
const placeOfPaths = async (live: SessionParts["live"]) =>
  definedOnly({
    files: await exampleFolderOf(live),
    folder: callPlace(live).isolated ? workingFolder(live) : undefined,
  });

/** "inputs for 3 tools and none for 2 in 40 calls". */
function reportText({ learned, refused, calls, cutShort }: LearnReport): string {
  const tools = new Set(learned.map(({ tool }) => tool)).size;
  const end = `in ${count(calls, "call")}${cutShort === undefined ? "" : `; ended early: ${cutShort}`}`;
  if (tools === 0) return `no input found for ${count(refused.length, "tool")} ${end}`;
  const none = refused.length === 0 ? "" : ` and none for ${refused.length}`;
  return `inputs for ${count(tools, "tool")}${none} ${end}`;
}

/** Tests of all that is known to work; those that the session has already keep their results. */
async function addTests(context: SessionParts, { includeHeldBack }: Pick<LearnOptions, "includeHeldBack">) {
  const material = { ...pluginMaterial(context), learned: await learnedInputs(context) };
  const { tests } = await learnedGenerator.generate(
    material,
    definedOnly({ place: material.place, includeHeldBack }),
  );
  const { all } = context.tests;
  const { added } = newTests(tests, all);
  return replaceTests(context, [...all, ...added]).slice(all.length);
}
