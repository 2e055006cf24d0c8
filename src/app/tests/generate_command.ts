/** Adds generated tests to those of a session, without touching what a person wrote. */
import type { TestCase } from "../../../machines/model/test_case.ts";
import type { GeneratedTests, GenerateOptions, TestCommands } from "../../api/harness.ts";
import { ownSignals } from "../../testing/generator.ts";
import { generateTests, newTests } from "../../testing/generate/generate_tests.ts";
import { generatedFolder } from "../../testing/format/test_folders.ts";
import { toolsOf } from "../../testing/run/test_plan.ts";
import { pluginMaterial } from "../plugin/plugin_material.ts";
import type { SessionParts } from "../session/session_parts.ts";
import { definedOnly } from "../../core/values.ts";
import { exerciseOfSession } from "./exercise_of_session.ts";
import { learnedInputs } from "./learned_inputs.ts";
import { replaceTests } from "./replace_tests.ts";

/**
 * Proposals take the place of earlier ones from the same signals; what the suite has already is not among them.
 */
export const generateCommand = (context: SessionParts): Pick<TestCommands, "generate"> => ({
  generate: (generate, { signal } = {}) => generateInto(context, generate, signal),
});

async function generateInto(
  context: SessionParts,
  generate: GenerateOptions,
  signal: AbortSignal | undefined,
): Promise<GeneratedTests> {
  const closing = context.live.tasks.closing.signal;
  const either = signal ? AbortSignal.any([signal, closing]) : closing;
  const wanted: readonly string[] = generate.from ?? ownSignals;
  const learned = wanted.includes("learned") ? await learnedInputs(context) : [];
  const generated = await generateTests({ ...pluginMaterial(context), learned }, generate, either);
  const proposed = new Set(generated.tests.map(({ name }) => name));
  const kept = context.tests.all.filter((test) =>
    !isReplaced(test, generate) && !(isFromLastSession(test) && proposed.has(test.name))
  );
  const asked = generate.tools;
  context.tests.heldBack = [
    ...asked === undefined ? [] : context.tests.heldBack.filter(({ tool }) => !asked.includes(tool)),
    ...generated.heldBack,
  ];
  const { added, known } = newTests(generated.tests, kept);
  const tests = replaceTests(context, [...kept, ...added]).slice(kept.length);
  const others = context.results.findings.filter(({ tool }) =>
    tool && generate.tools?.includes(tool) === false
  );
  context.results.findings = [...others, ...generated.findings];
  const exercise = context.results.latest.size === 0 ? undefined : exerciseOfSession(context);
  return {
    ...generated,
    tests,
    ...definedOnly({ exercise }),
    ...(Object.keys(known).length === 0 ? {} : { known }),
  };
}

/** Whether a test is generated again: from the same signals, for the requested tools or all. Files and manual tests stay. */
function isReplaced(test: TestCase, { tools, from = [...ownSignals] }: GenerateOptions): boolean {
  const { file, generatedFrom } = test;
  if (file !== undefined || generatedFrom === "manual" || !from.includes(generatedFrom)) return false;
  return tools === undefined || toolsOf(test).some((tool) => tools.includes(tool));
}

/** Written by PTH itself, so that a new proposal takes its place. */
const isFromLastSession = ({ file }: TestCase): boolean =>
  file?.replaceAll("\\", "/").includes(`/${generatedFolder}/`) === true;
