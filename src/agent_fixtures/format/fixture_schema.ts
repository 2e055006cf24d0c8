/** Schemas of `fixture.yaml` and `test_*.yaml`, docs/fixture.schema.json and docs/agent-test.schema.json. */
import * as z from "zod";
import { agents as knownAgents } from "../../agents/adapters/agents.ts";
import { playbookSchema } from "../../agents/playbook/playbook_schema.ts";
import { suggestion } from "../../core/did_you_mean.ts";
import { expectationTypes } from "../judge_expectations.ts";

const text = z.string().min(1);
const texts = z.array(text);

/** Path below a folder, without a way out of it. */
const relativePath = text.regex(
  /^(?!\/)(?!(?:.*\/)?\.\.(?:\/|$))/,
  "expected a relative path that does not climb out with ..",
);

const fileSchema = z.strictObject({
  src: relativePath.describe(
    "File or folder: below the fixture's folder, else below the nearest folder above it that has it.",
  ),
  dest: relativePath.describe("Path in the project."),
});

const setupSchema = z.strictObject({
  plugins: texts.optional().describe(
    "The plugin that is loaded: its name (`name@marketplace`), or its folder (`../..`).",
  ),
  branch: text.optional().describe(
    "Branch whose files the project begins with: `test/<fixture>/<scenario>`, or the scenario alone.",
  ),
  files: z.array(fileSchema).optional().describe("Files that are laid into the project."),
  git: z.boolean().optional().describe(
    "Whether the project is a git repository whose first commit holds these files; with a branch it is.",
  ),
  commands: texts.optional().describe("Shell commands that are run in the project, in the environment."),
});

const teardownSchema = z.strictObject({
  commands: texts.optional().describe("Shell commands that are run in the project after the test."),
});

const agentNames = knownAgents.map(({ name }) => name);

const agentName = text.refine((name) => agentNames.includes(name), {
  error: ({ input }) => `unknown agent "${input}"${suggestion(String(input), agentNames)}`,
});

/** Agents on each of which a test runs. */
export const agentsSchema = z.array(agentName).min(1).refine(
  (names) => new Set(names).size === names.length,
  "expected each agent once",
);

const executionKeys = {
  agent: agentName.optional().describe(`Agent: ${agentNames.join(", ")} (default: claude).`),
  agents: agentsSchema.optional().describe(
    "Agents on each of which the test runs, as `test [agent]`; `${matrix.agent}` in its texts.",
  ),
  model: text.optional().describe("Model that the agent asks for."),
  tools: texts.optional().describe("The agent's own tools that it is given; absent: all. For claude."),
  timeout_ms: z.number().int().min(1).max(3_600_000).optional().describe(
    "Limit of the agent's session, in ms (default: 120000).",
  ),
  playbook: z.union([text, playbookSchema], {
    error: "expected the path of a playbook, or a playbook (a map with turns or lanes)",
  }).optional().describe("Turns in the model's place: a file, or the playbook itself. Absent: a real model."),
  permissions: z.enum(["all", "ask"]).optional().describe(
    "all: every tool is allowed (default); ask: the agent asks, and is not granted any. For claude.",
  ),
};

const matrixSchema = z.record(
  z.string().regex(/^[a-z]\w*$/i, "expected a name of letters, digits and _"),
  z.array(z.union([z.string(), z.number(), z.boolean()])).min(1).max(50),
).describe("Values by names: the test runs with each of them, as `${matrix.name}` in its texts.");

/** The keys of `execution`, which names agents once. */
const execution = <Keys extends z.ZodRawShape>(keys: Keys) =>
  z.strictObject(keys).refine(
    (given: { agent?: unknown; agents?: unknown }) => given.agent === undefined || given.agents === undefined,
    { path: ["agents"], error: "expected agent or agents, not both" },
  );

export const fixtureSchema = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9][\w.-]*$/, "expected a name of letters, digits, - and _").describe(
    "Name of the fixture, unique among those that run together.",
  ),
  description: z.string().optional().describe("For people."),
  package: text.optional().describe("The plugin under test, as in `setup.plugins`."),
  setup: setupSchema.optional().describe("Starting state of every test."),
  teardown: teardownSchema.optional().describe("Runs after every test."),
  execution: execution(executionKeys).optional().describe("Values for tests that give none."),
  matrix: matrixSchema.optional(),
  branches: z.record(
    text,
    z.strictObject({
      commit: z.string().regex(/^[0-9a-f]{40}$/, "expected the 40 digits of a commit").describe(
        "Commit at which the branch is frozen: one that has moved is an error.",
      ),
      description: z.string().optional().describe("What it holds."),
    }),
  ).optional().describe("Branches that tests begin with, by their names."),
});

const expectationHead = {
  id: text.optional().describe("Unique in the test; exp-001, exp-002 … unless given."),
  description: z.string().optional().describe("What is checked, for people."),
};

const expectationSchema = z.discriminatedUnion(
  "type",
  [...expectationTypes.values()].map(({ type, schema, summary }) =>
    z.strictObject({ ...expectationHead, type: z.literal(type), expected: schema }).describe(summary)
  ) as unknown as [z.ZodObject<{ type: z.ZodLiteral<string> }>],
);

export const agentTestSchema = z.strictObject({
  test_id: z.string().regex(/^[A-Za-z0-9][\w.-]*$/, "expected a name of letters, digits, - and _").describe(
    "Unique in the fixture.",
  ),
  test_name: text.optional().describe("Name for people; the id unless given."),
  description: z.string().optional().describe("For people."),
  tags: texts.optional().describe("Words to choose tests by: `--tag`."),
  skip: text.optional().describe("Reason not to run it."),
  execution: execution({ prompt: text.describe("What the agent is asked."), ...executionKeys }),
  setup: setupSchema.omit({ plugins: true }).optional().describe("Added to the fixture's."),
  teardown: teardownSchema.optional().describe("Runs before the fixture's."),
  matrix: matrixSchema.optional(),
  expectations: z.array(expectationSchema).optional().describe("What must have happened."),
});

export type FixtureText = z.infer<typeof fixtureSchema>;
export type AgentTestText = Omit<z.infer<typeof agentTestSchema>, "expectations"> & {
  expectations?: { id?: string; description?: string; type: string; expected: unknown }[] | undefined;
};

const jsonSchemaOf = (schema: z.ZodType, title: string): string => {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any", reused: "ref" });
  return `${JSON.stringify({ $schema, title, ...rest }, undefined, 2)}\n`;
};

/** JSON Schema 2020-12 of `fixture.yaml`. */
export const fixtureJsonSchema = (): string =>
  jsonSchemaOf(fixtureSchema, "Fixture of agent tests of the Plugin Test Harness");

/** JSON Schema 2020-12 of `test_*.yaml`. */
export const agentTestJsonSchema = (): string =>
  jsonSchemaOf(agentTestSchema, "Agent test of the Plugin Test Harness");
