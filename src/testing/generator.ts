/** Defines generators of tests: one file each in `generators/`. */
import type { ToolDefinition } from "../../machines/model/plugin.ts";
import type { LearnedInput } from "../../machines/model/learned.ts";
import { type GeneratedFrom, testSources } from "../../machines/model/test_case.ts";
import type { PluginSources } from "../plugin/plugin_sources.ts";
import type { GeneratedTests } from "../api/harness.ts";
import type { CallPlace, GenerateRequest } from "./generate/excluded_tools.ts";
import type { DeclaredVariable } from "../plugin/declared_variables.ts";

/** A text for people that lies in the plugin's folder. */
export interface DocumentText {
  /** Relative to the plugin's folder. */
  path: string;
  text: string;
}

/** Every signal there is about a plugin; what only some generators need is read when it is asked for. */
export interface PluginMaterial {
  tools: readonly ToolDefinition[];
  sources: PluginSources;
  documents(): Promise<DocumentText[]>;
  /** Place where the tools' calls land; a real one unless given. */
  place?: CallPlace;
  /** Folder of example files that inputs may name; none unless given. */
  exampleFolder?(): Promise<string | undefined>;
  /** Inputs that are known to work. */
  learned?: readonly LearnedInput[];
  /** Options that the plugin's files declare. */
  options(): Promise<DeclaredVariable[]>;
}

interface GeneratorDefinition {
  /** Name in a test's `generated_from`. */
  name: Exclude<GeneratedFrom, "manual">;
  summary: string;
  /** The same material and options give the same tests, byte for byte once written. */
  generate(
    material: PluginMaterial,
    options: GenerateRequest,
    signal?: AbortSignal,
  ): Promise<GeneratedTests> | GeneratedTests;
}

/** Identity with types: the default export of a file in `generators/`. */
export const defineGenerator = (definition: GeneratorDefinition): GeneratorDefinition => definition;

/** Sources of the tests that a run makes by itself: their tests expect nothing that an honest server need not keep. */
export const ownSignals = ["schema", "learned"] as const satisfies readonly GeneratedFrom[];

/** Sources of generated tests, in the order in which proposals are made. */
export const signals = testSources.filter((source) => source !== "manual");
