/** What all generators propose together. */
import type { GeneratedTests, GenerateOptions } from "../../api/harness.ts";
import type { PluginMaterial } from "../generator.ts";
import { registry as generators } from "../generators/_registry.ts";
import { excludedTools } from "./excluded_tools.ts";
import { newTests, withoutRepeats } from "./new_tests.ts";
import { signals } from "./signals.ts";

/** Tests from the signals asked for, none of them twice. The same material and options give the same tests. @throws the signal's reason */
export async function generateTests(
  material: PluginMaterial,
  options: GenerateOptions,
  signal?: AbortSignal,
): Promise<GeneratedTests> {
  const from = options.from ?? ["schema"];
  const chosen = signals.flatMap((name) =>
    from.includes(name) ? generators.find((generator) => generator.name === name) ?? [] : []
  );
  const all: GeneratedTests = { tests: [], findings: [], heldBack: excludedTools(material.tools, options) };
  for (const generator of chosen) {
    const { tests, findings } = await generator.generate(material, options, signal);
    // An example of the README may be what the schema proposes, too: the first signal is the one that is told.
    all.tests.push(...newTests(withoutRepeats(tests), all.tests).added);
    all.findings.push(...findings);
  }
  return all;
}
