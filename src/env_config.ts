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

const dependency = z.strictObject({
  source: text.describe("Folder of the plugin, or npm:<package>[@version]."),
  name: z.string().regex(/^[A-Za-z0-9][\w.-]*$/, "expected a name (letters, digits, _ . -)").exactOptional()
    .describe("Default: the folder's or package's own."),
  command: z.array(z.string()).min(1).exactOptional()
    .describe("Start command, as a list; {port} stands for an HTTP port that PTH chooses."),
  args: z.array(z.string()).exactOptional().describe("Appended to its command."),
  server: text.exactOptional().describe("Which one, where it has several MCP servers."),
  buildCommand: z.string().exactOptional().describe('"" for none.'),
  installCommand: z.string().exactOptional().describe('"" for none.'),
  url: text.exactOptional().describe("Of an HTTP server; {port} stands for the port."),
  configValues: variables.exactOptional().describe("Its environment variables."),
  expectTools: z.array(text).exactOptional().describe(
    "Tools that it has to list, or it counts as not started.",
  ),
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
  dependencyPlugins: z.array(dependency).exactOptional().describe(
    "Other plugins that have to run beside it: installed, built and started in this order before the plugin under test, never " +
      "tested or changed. It finds them in PTH_DEPENDENCY_<NAME>_URL and _PORT (HTTP servers) and _FOLDER.",
  ),
});
