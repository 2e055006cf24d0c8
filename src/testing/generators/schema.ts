/**
 * Tests from the schemas that `tools/list` gives.
 *
 * They expect only what holds for every honest server (docs/test-format.md, "Generated tests"): never an output, never
 * that a valid input succeeds.
 */
import type { ToolDefinition } from "../../../machines/model/plugin.ts";
import type { TestCase } from "../../../machines/model/test_case.ts";
import { createBreather } from "../../core/waiting.ts";
import { schemaProblems, validatorFor } from "../../client/schema_problems.ts";
import type { GeneratedTests } from "../../api/harness.ts";
import { registry as checks } from "../checks/_registry.ts";
import { defineGenerator } from "../generator.ts";
import {
  callableTools,
  decidingPlace,
  excludedTools,
  type GenerateRequest,
  readableTools,
} from "../generate/excluded_tools.ts";
import { assignIds } from "../format/ids.ts";
import { escapeInput } from "../format/interpolate.ts";
import { withOwnFiles } from "../example_files/example_paths.ts";
import { boundaryInputs } from "../json_schema/boundary_inputs.ts";
import { inputsInTime } from "../json_schema/inputs_in_time.ts";
import { invalidInputs } from "../json_schema/invalid_inputs.ts";
import { filesMade, type InputHints } from "../json_schema/path_values.ts";
import type { Schema } from "../json_schema/schema.ts";
import type { GeneratedInput, ProposedInput } from "../json_schema/schema_properties.ts";
import { quickInput, validInputs } from "../json_schema/valid_inputs.ts";
import { lintTools } from "../lint_tools.ts";
import contradictingDefault from "../lint/contradicting_default.ts";
import missingDescription from "../lint/missing_description.ts";
import missingParameterDescription from "../lint/missing_parameter_description.ts";
import { definedOnly } from "../../core/values.ts";
import { count, visibleName } from "../../core/text.ts";
import type { Finding } from "../../../machines/model/verdict.ts";

/**
 * Rules without which a generated test cannot be completed, and one about what calls rely on; all other rules are reported by
 * `session.lint()`.
 */
const describing = [contradictingDefault, missingDescription, missingParameterDescription];

/** Most tests for one tool, and how many of each kind come before any kind gets more. */
const mostPerTool = 12;
const share = { valid: 4, boundary: 3, invalid: 5 };

/** Tests of one server unless more are asked for. */
export const defaultMostTests = 2500;
/** Tools whose schemas may run out of time before the others are left alone: each holds everything up. */
const mostSlow = 3;

/**
 * Tests for all tools, checks of the server first. The same tools give the same tests, byte for byte once written.
 * @throws the signal's reason
 */
export async function generateFromSchema(
  tools: readonly ToolDefinition[],
  options: GenerateRequest = {},
  signal?: AbortSignal,
): Promise<GeneratedTests> {
  const unique = readableTools(tools, options);
  const tests: TestCase[] = options.tools === undefined ? serverTests(unique, options) : [];
  const heldBack = excludedTools(tools, options);
  const callable = callableTools(tools, options);
  const most = options.maxTests ?? defaultMostTests;
  const perTool = Math.min(mostPerTool, Math.max(1, Math.floor(most / Math.max(1, callable.length))));
  const findings: Finding[] = [];
  const breathe = createBreather();
  const slow: string[] = [];
  const files = new Map<string, string>();
  let [looked, made, cut] = [0, 0, 0];
  for (const tool of callable) {
    if (made >= most || slow.length >= mostSlow) break;
    await breathe();
    signal?.throwIfAborted();
    const { tests: all, findings: found, ranOut } = await toolTests(tool, {
      ...options.hints,
      made: files,
    });
    const first = all.valid[0]?.input ?? {};
    for (const [name, path] of filesMade(tool.name, first)) files.set(name, path);
    const kept = Object.values(bounded(all, Math.min(perTool, most - made))).flat();
    tests.push(...kept);
    findings.push(...found);
    looked++;
    made += kept.length;
    if (kept.length < Object.values(bounded(all, mostPerTool)).flat().length) cut++;
    if (ranOut) slow.push(tool.name);
  }
  const left = callable.length - looked;
  if (slow.length >= mostSlow && left > 0) findings.push(leftAlone(slow, left));
  else if (left + cut > 0) findings.push(leftOut(most, made, left, cut));
  return {
    tests: assignIds(tests),
    findings: [...await lintTools(unique, describing), ...findings],
    heldBack,
  };
}

const leftAlone = (slow: readonly string[], left: number): Finding => ({
  severity: "error",
  code: "schema-out-of-time",
  message: `${count(left, "tool")} got no input tests: the schemas of ${
    slow.join(", ")
  } ran out of time before`,
});

const leftOut = (most: number, made: number, left: number, cut: number): Finding => ({
  severity: "warning",
  code: "tests-left-out",
  message: `only ${made} input tests were generated, at most ${most}: ` +
    [
      ...(left > 0 ? [`${count(left, "tool")} got none`] : []),
      ...(cut > 0 ? [`${count(cut, "tool")} got fewer than ${mostPerTool}`] : []),
    ].join(", ") + "; a higher limit can be asked for",
});

export default defineGenerator({
  name: "schema",
  summary:
    "Valid, boundary and invalid inputs from each tool's JSON Schema, and checks of the server as a whole",
  generate: async ({ tools, exampleFolder }, options, signal) =>
    await generateFromSchema(
      tools,
      { ...options, hints: definedOnly({ files: await exampleFolder?.() }) },
      signal,
    ),
});

/** Fields that all generated tests have in common. */
const common = {
  id: "",
  tier: 1,
  verify: [],
  setup: [],
  teardown: [],
  generatedFrom: "schema",
} satisfies Partial<TestCase>;

/** Checks that call tools come behind those that need the server as it started, and go on while one ends its server. */
function serverTests(tools: readonly ToolDefinition[], options: GenerateRequest): TestCase[] {
  const place = decidingPlace(options);
  const fitting = checks.filter(({ appliesTo }) => appliesTo?.(tools, place) ?? true);
  const ordered = [
    ...fitting.filter(({ callsTools }) => !callsTools),
    ...fitting.filter(({ callsTools, onlyAsks }) => callsTools && !onlyAsks),
    ...fitting.filter(({ callsTools, onlyAsks }) => callsTools && onlyAsks),
  ];
  return ordered.map((check) => ({
    ...common,
    name: `server - ${check.summary}`,
    check: check.name,
    expect: {},
    tags: ["generated", "server"],
  }));
}

type Kinds = Record<keyof typeof share, TestCase[]>;
const none: Kinds = { valid: [], boundary: [], invalid: [] };

interface ToolTests {
  tests: Kinds;
  findings: Finding[];
  ranOut: boolean;
}

async function toolTests(tool: ToolDefinition, hints: InputHints): Promise<ToolTests> {
  const broken = (code: string, severity: Finding["severity"], message: string, ranOut = false) => ({
    tests: none,
    findings: [{ code, severity, tool: tool.name, message: `${tool.name} gets no input tests: ${message}` }],
    ranOut,
  });
  if (validatorFor(tool.inputSchema) === undefined) {
    const reason = (await schemaProblems([tool]))[0]?.message ?? "it is no object";
    return broken("schema-does-not-compile", "error", `its inputSchema is invalid: ${reason}`);
  }
  const { result: tests, problem } = inputsInTime("tests", tool.inputSchema, () => inputTests(tool, hints));
  if (problem !== undefined) {
    return broken("schema-out-of-time", "error", `its inputSchema does not end: ${problem}`, true);
  }
  if (tests === undefined) {
    return broken("no-example-input", "info", "no input was found that its schema allows");
  }
  return { tests, findings: [], ranOut: false };
}

/** Undefined where no valid input was found. */
function inputTests(tool: ToolDefinition, hints: InputHints): Kinds | undefined {
  const validate = validatorFor(tool.inputSchema)!;
  const schema = tool.inputSchema as Schema;
  const isValid = (input: unknown): boolean => validate(input).length === 0;
  const valid = validInputs(schema, isValid, { ...hints, tool });
  if (valid[0] === undefined) return undefined;
  const base = quickInput(schema, valid[0].input, isValid);
  const known = new Set(valid.map(({ input }) => key(input)));
  const boundary = boundaryInputs(schema, base, isValid, { ...hints, tool }).filter(({ input }) =>
    isNew(known, input)
  );
  const invalid = invalidInputs(schema, base, isValid).filter(({ input }) => isNew(known, input));
  const wellBehaved = (kind: string) => ({ what, input }: ProposedInput): TestCase =>
    inputTest(tool.name, `${kind}, ${what}`, kind, input, { well_behaved: true });
  const isFirst = key(base) === key(valid[0].input);
  return apart(tool.name, {
    valid: valid.map(wellBehaved("valid")),
    boundary: boundary.map(wellBehaved("boundary")),
    invalid: invalid.map(({ what, breach, input }) => ({
      ...inputTest(tool.name, `refuses ${what}`, "invalid", input, { refuses: breach }),
      control: { input: escapeInput(base) },
    })),
  }, isFirst);
}

/**
 * Gives each test files of its own where its tool may change them. A control that is the first test's call is not made again, and
 * keeps that one's files.
 */
function apart(tool: string, kinds: Kinds, isControlFirst: boolean): Kinds {
  let count = 0;
  const own = (tests: TestCase[]) =>
    tests.map(({ input, control, ...test }) => {
      const part = String(++count);
      const controlPart = isControlFirst ? "1" : `${part}-control`;
      return {
        ...test,
        input: withOwnFiles(input ?? {}, tool, part),
        ...control === undefined ? {} : { control: withOwnFiles(control, tool, controlPart) },
      };
    });
  return { valid: own(kinds.valid), boundary: own(kinds.boundary), invalid: own(kinds.invalid) };
}

const key = (input: unknown): string => JSON.stringify(input);

/** True the first time an input is seen. */
function isNew(known: Set<string>, input: GeneratedInput): boolean {
  const text = key(input);
  return !known.has(text) && known.add(text) !== undefined;
}

function inputTest(
  tool: string,
  what: string,
  tag: string,
  input: GeneratedInput,
  expect: Record<string, unknown>,
): TestCase {
  return {
    ...common,
    name: `${visibleName(tool)} - ${what.slice(0, 200)}`,
    tool,
    input: escapeInput(input),
    expect,
    tags: ["generated", tag],
  };
}

/** Each kind's share, and what one kind leaves free goes to the others, valid inputs first; `most` in all. */
function bounded(kinds: Kinds, most: number): Kinds {
  const names = Object.keys(share) as (keyof typeof share)[];
  const counts = { ...share };
  for (const name of names) counts[name] = Math.min(share[name], kinds[name].length);
  let free = mostPerTool - names.reduce((sum, name) => sum + counts[name], 0);
  for (const name of names) {
    const more = Math.min(free, kinds[name].length - counts[name]);
    counts[name] += more;
    free -= more;
  }
  // Where few are wanted, valid inputs are worth the most.
  let left = most;
  const kept: Kinds = { ...none };
  for (const name of names) {
    kept[name] = kinds[name].slice(0, Math.min(counts[name], left));
    left -= kept[name].length;
  }
  return kept;
}
