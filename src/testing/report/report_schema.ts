/**
 * Schema of the published JSON report, `pth-report/1` (docs/report.schema.json is made from it), its parts first. Durations
 * are milliseconds, sizes bytes.
 */
import * as z from "zod";
import { unmetNeeds } from "../../../machines/model/tool_exercise.ts";
import { testSources } from "../../../machines/model/test_case.ts";

const durationSchema = z.number().nonnegative();
const countSchema = z.int().nonnegative();
const shareSchema = z.number().min(0).max(1);
const line = z.int().positive();

const reportSummary = z.strictObject({
  total: countSchema,
  passed: countSchema,
  failed: countSchema,
  skipped: countSchema,
  flaky: countSchema,
  duration_ms: durationSchema,
});

const reportContract = z.strictObject({
  baseline: z.string().optional().describe("The file compared with; absent where there is none"),
  changes: z.array(
    z.strictObject({
      impact: z.enum(["breaking", "notice", "compatible"]),
      code: z.string(),
      path: z.string(),
      message: z.string(),
    }),
  ),
  breaking: countSchema,
  tools: countSchema,
  saved: z.strictObject({ path: z.string(), commit: z.string().optional() }).optional(),
});

export type ReportContract = z.infer<typeof reportContract>;

const size = z.number().nonnegative();

const percentiles = z.strictObject({
  count: countSchema,
  min: size,
  p50: size,
  p95: size,
  p99: size,
  max: size,
});

const tokens = z.strictObject({ bytes: size, tokens: size });

const reportTokenCost = z.strictObject({
  tokenizer: z.string(),
  list: tokens.describe("The whole answer to tools/list"),
  tools: z.array(z.strictObject({ tool: z.string(), bytes: size, tokens: size })),
  answers: z.array(
    z.strictObject({ tool: z.string(), calls: countSchema, median_tokens: size, max_tokens: size }),
  ),
  instructions: tokens.optional(),
});

const tool = z.strictObject({
  tool: z.string(),
  response_ms: percentiles,
  errors: countSchema,
  throughput: z.strictObject({ calls_per_second: size, response_ms: percentiles, in_flight: countSchema })
    .optional(),
  cpu_ms_per_call: size.optional(),
  memory_peak_bytes: size.optional(),
  memory_peak_growth_bytes: z.number().optional(),
  memory_growth_bytes: z.number().optional(),
  disk_read_bytes: size.optional(),
  disk_written_bytes: size.optional(),
  side_effects: z.strictObject({
    files: size,
    bytes: size,
    rewritten: size,
    rewritten_files: z.array(z.string()).optional(),
  }).optional(),
  answer_bytes: percentiles,
});

const reportPerformance = z.strictObject({
  calls: countSchema.describe("Of each tool"),
  tools: z.array(tool),
  outliers: z.array(
    z.strictObject({
      tool: z.string(),
      dimension: z.string(),
      value: z.number(),
      usual: z.number().describe("The median of the other tools, or what a plain call costs"),
      message: z.string(),
    }),
  ),
  unmeasured: z.array(z.strictObject({ tool: z.string(), reason: z.string() })),
  context_cost: reportTokenCost,
  notes: z.array(z.string()),
  started_at: z.number().describe("Milliseconds since the epoch"),
  duration_ms: durationSchema,
});

export type ReportTokenCost = z.infer<typeof reportTokenCost>;
export type ReportPerformance = z.infer<typeof reportPerformance>;

const counts = z.strictObject({ covered: countSchema, total: countSchema });

const file = z.strictObject({
  path: z.string().describe("Relative to the plugin's folder"),
  lines: z.record(z.string(), countSchema).describe("Hits by line number, of lines that hold code"),
  functions: z.array(z.strictObject({ name: z.string(), line, end_line: line, hits: countSchema })),
  branches: z.array(z.strictObject({ line, hits: z.array(countSchema) })),
  tools: z.array(z.strictObject({ tool: z.string(), line, end_line: line })).describe(
    "Tools whose handlers lie in the file",
  ),
});

const gap = z.strictObject({
  path: z.string(),
  line,
  end_line: line,
  kind: z.enum(["error branch", "branch", "function", "lines"]),
  tool: z.string().optional().describe("Whose code it is"),
});

const reportCoverage = z.strictObject({
  collector: z.string(),
  files: z.array(file),
  totals: z.strictObject({ lines: counts, functions: counts, branches: counts }),
  gaps: z.array(gap).optional().describe("What no test runs, with the tool that it belongs to"),
  notes: z.array(z.string()),
});

const reach = z.strictObject({
  path: z.string(),
  ranges: z.array(z.tuple([line, line])).optional().describe("Lines that ran; absent: the file as a whole"),
  functions: z.array(z.string()),
});

const reportImpact = z.strictObject({
  source: z.enum(["measured", "static"]),
  tests: z.array(z.strictObject({ id: z.string(), reaches: z.array(reach) })),
  startup: z.array(reach).optional().describe("What ran while the server started, hence before every test"),
  notes: z.array(z.string()),
});

export type ReportCoverage = z.infer<typeof reportCoverage>;
export type ReportGap = z.infer<typeof gap>;
export type ReportFileCoverage = z.infer<typeof file>;

const step = z.strictObject({
  action: z.enum(["call", "read_resource", "subscribe", "get_prompt", "wait_for"]),
  target: z.string().describe("Tool, URI, prompt or notification"),
  input: z.record(z.string(), z.unknown()).optional(),
  captures: z.array(z.string()).optional().describe("Variables that the step sets"),
  status: z.enum(["passed", "failed", "not_run"]).optional().describe("Absent where that is not known"),
  line: line.optional(),
});

const flakiness = z.strictObject({
  attempts: countSchema.describe("Of this run, the first one included"),
  failures: countSchema,
  rate: shareSchema.describe("Failures by runs over the known history, this run included"),
  runs: countSchema,
  confidence: shareSchema.describe("How sure it is that the differing outcomes are no chance"),
});

const ownTest = z.strictObject({
  framework: z.string().optional().describe("Absent where none was found"),
  suite: z.string().optional().describe("Program, file or module that it belongs to"),
  test: z.string().optional().describe("Its name; absent where the result stands for the run as a whole"),
  rerun: z.string().optional().describe("Command line that runs it alone, in the plugin's folder"),
});

const hang = z.strictObject({
  kind: z.string().describe("deadlock, infinite_loop, beyond_timeout, waiting, working, gone, not_inspected"),
  certain: z.boolean().optional().describe("Only of what does not go on by itself"),
  says: z.string(),
  threads: z.array(z.strictObject({
    pid: countSchema,
    tid: countSchema,
    waits: z.string(),
    runtime: z.string().optional().describe("Of its program: node, go, java"),
    frames: z.array(z.strictObject({
      function: z.string(),
      file: z.string().optional(),
      line: line.optional(),
      arguments: z.record(z.string(), z.string()).optional(),
    })).optional().describe("Innermost first"),
  })),
}).describe("Inspection of the server's processes before the limit of an answer that did not come");

const reportTest = z.strictObject({
  id: z.string().optional().describe("Unique in the suite"),
  entry: z.string().optional().describe("Environment of the matrix that it ran in"),
  name: z.string(),
  description: z.string().optional(),
  tier: z.union([z.literal(1), z.literal(2), z.literal(3)]),
  tool: z.string().optional(),
  tools: z.array(z.string()).optional().describe("All tools that a test of several steps calls"),
  status: z.enum(["passed", "failed", "skipped", "flaky"]),
  category: z.string().optional().describe("Kind of failure, for example runtime-exception"),
  note: z.string().optional().describe("Reason of a skip, or what else is to be known"),
  started_at: z.iso.datetime().optional(),
  duration_ms: durationSchema,
  message: z.string().optional().describe("What failed; its first line stands alone"),
  expected: z.unknown().optional(),
  actual: z.unknown().optional(),
  input: z.record(z.string(), z.unknown()).optional(),
  steps: z.array(step).optional(),
  prompt: z.string().optional().describe("Tier 3: what an agent was to do"),
  checklist: z.array(z.string()).optional(),
  hang: hang.optional(),
  own: ownTest.optional().describe("Set for a test of the plugin's own suite"),
  stderr: z.string().optional().describe(
    "Last lines of the server's stderr, or of what an own test printed, for a failure",
  ),
  flakiness: flakiness.optional(),
  tags: z.array(z.string()).optional(),
  file: z.string().optional(),
  line: line.optional(),
  generated_from: z.enum(testSources),
  origin: z.string().optional().describe("Why a generated test was proposed, and from what"),
});

export type ReportTest = z.infer<typeof reportTest>;
export type ReportStep = z.infer<typeof step>;

const fix = z.strictObject({
  commit: z.string(),
  title: z.string(),
  distro: z.string().optional().describe("Only meant for this distribution (trailer PTH-Distro)"),
});

const entry = z.strictObject({
  name: z.string().describe("Unique; tests of it have it in `entry`"),
  distro: z.string(),
  runtime: z.string().optional().describe("As asked for"),
  image: z.string().optional().describe("As asked for"),
  state: z.enum(["passed", "failed", "broken", "cancelled"])
    .describe("broken: it could not be provisioned, or the plugin does not load there"),
  environment: z.strictObject({
    id: z.string().describe("Of the environment that the tests really ran in"),
    runtime: z.string(),
    image: z.string(),
    os: z.string(),
  }).optional(),
  summary: reportSummary.optional(),
  duration_ms: durationSchema,
  error: z.strictObject({ code: z.string(), message: z.string(), next: z.array(z.string()) }).optional(),
  failed_first: z.array(z.string()).optional().describe(
    "Where fixes are made: ids of tests that failed at first",
  ),
  fixes: z.array(fix).optional().describe("Made there"),
  untested_fixes: countSchema.optional().describe("Made elsewhere since it passed"),
});

const difference = z.strictObject({
  id: z.string(),
  name: z.string(),
  statuses: z.array(
    z.strictObject({ entry: z.string(), status: z.enum(["passed", "failed", "skipped", "flaky"]) }),
  ),
  fails_on: z.array(z.string()),
  everywhere: z.boolean().describe("It fails wherever it ran: the fault is no distribution's own"),
  cause: z.strictObject({
    category: z.string().optional(),
    message: z.string(),
    place: z.string().optional().describe("file:line in the plugin"),
  }).optional(),
});

const reportMatrix = z.strictObject({ entries: z.array(entry), differences: z.array(difference) })
  .describe("Absent where the tests ran in one environment");

export type ReportMatrix = z.infer<typeof reportMatrix>;

const reportFinding = z.strictObject({
  severity: z.enum(["error", "warning", "info"]),
  code: z.string(),
  tool: z.string().optional(),
  message: z.string(),
});

const reportExercise = z.array(z.strictObject({
  tool: z.string(),
  state: z.enum(["exercised", "failing", "refused", "excluded", "not_reached"]).describe(
    "exercised: a call that its schema allows was accepted, and its test passed",
  ),
  needs: z.enum(unmetNeeds).optional().describe("What a tool lacks that refused each such call"),
  reason: z.string().optional().describe("Absent where it was exercised"),
})).describe("What the tests show of each tool that the server lists");

export const reportSchema = z.strictObject({
  schema: z.literal("pth-report/1"),
  plugin: z.strictObject({
    name: z.string(),
    version: z.string().optional(),
    source: z.string().describe("As the user gave it: a folder, npm:<package>, a command or a URL"),
  }),
  server: z.strictObject({
    name: z.string(),
    version: z.string(),
    protocol_version: z.string(),
    tools: countSchema,
  }).optional().describe("Absent when the server never started"),
  environment: z.strictObject({
    runtime: z.string(),
    tier: z.union([z.literal(1), z.literal(2), z.literal(3)]),
    image: z.string(),
    reason: z.string().describe("Why this runtime and image"),
    network: z.string().optional().describe("Which network it had"),
  }).optional().describe("Absent when no environment came up"),
  started_at: z.iso.datetime().optional(),
  duration_ms: durationSchema.optional().describe("Of the whole run"),
  strict: z.boolean().optional().describe("Findings of one kind were failures"),
  seed: z.number().optional().describe("What everything drawn was drawn from"),
  shard: z.strictObject({ index: z.int().positive(), of: z.int().positive() }).optional()
    .describe("This report is of one part of the suite"),
  summary: reportSummary,
  exercise: reportExercise.optional(),
  tests: z.array(reportTest),
  findings: z.array(reportFinding),
  coverage: reportCoverage.optional(),
  impact: reportImpact.optional(),
  performance: reportPerformance.optional(),
  token_cost: reportTokenCost.optional(),
  contract: reportContract.optional(),
  matrix: reportMatrix.optional(),
  timings: z.strictObject({
    provision_ms: durationSchema.optional(),
    install_ms: durationSchema.optional(),
    build_ms: durationSchema.optional(),
    start_ms: durationSchema.optional(),
    suite_ms: durationSchema.optional(),
    learn_ms: durationSchema.optional(),
  }),
  notes: z.array(z.string()),
  exit_code: z.int().describe(
    "0 passed, 1 tests failed, 2 wrong use, 3 could not start, 130/143 interrupted",
  ),
  error: z.strictObject({ code: z.string(), message: z.string(), output: z.string().optional() }).optional()
    .describe("Why the run ended before its tests did"),
}).meta({ id: "pth-report/1", title: "Report of one `pth run`" });

export type Report = z.infer<typeof reportSchema>;
export type ReportFinding = Report["findings"][number];

/** The schema as JSON Schema text, the content of docs/report.schema.json. */
export const reportJsonSchema = (): string => JSON.stringify(z.toJSONSchema(reportSchema), null, 2) + "\n";
