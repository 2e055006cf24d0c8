/**
 * What an environment is asked to be (PTH design §5.1, `EnvConfig`): one schema for MCP arguments, in camelCase, and for
 * `--config FILE`, in snake_case.
 */
import { z } from "zod";

const text = z.string().min(1);

/** Variables are text; a number or a boolean is taken as it is written. */
const variables = z.record(
  z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "expected a variable's name (letters, digits, _)"),
  z.union([z.string(), z.number(), z.boolean()], "expected text").transform(String),
);

const file = z.strictObject({
  path: text.describe("Absolute path inside the environment."),
  content: z.string(),
  mode: z.string().regex(/^[0-7]{3,4}$/, 'expected octal permissions as text, for example "0644"')
    .exactOptional(),
});

const service = z.strictObject({
  name: text,
  command: text.describe("Runs until the environment is destroyed."),
  ready: text.exactOptional().describe("Shell command that exits 0 once the service is ready."),
});

export const environmentConfig = z.strictObject({
  runtime: text.exactOptional()
    .describe("auto (default: the strongest that is ready), docker, sandbox or host (not isolated)."),
  tier: z.literal([1, 2, 3], "expected 1, 2 or 3").exactOptional()
    .describe("1 container (default), 2 container with systemd, 3 virtual machine."),
  baseImage: text.exactOptional().describe("For example debian12. Default: the runtime's own."),
  resources: z.strictObject({
    cpus: z.number().positive().exactOptional(),
    memoryMB: z.number().positive().exactOptional(),
    diskGB: z.number().positive().exactOptional(),
  }).exactOptional().describe("Limits; the answer says which of them are enforced."),
  fixtures: z.strictObject({
    files: z.array(file).exactOptional(),
    setupScripts: z.array(text).exactOptional().describe("Shell scripts, run in order."),
    services: z.array(service).exactOptional(),
  }).exactOptional().describe("What the plugin needs around it before it starts."),
  targetPlugin: z.strictObject({
    buildCommand: z.string().exactOptional(),
    configValues: variables.exactOptional(),
  }).exactOptional(),
});
