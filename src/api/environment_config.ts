/**
 * Configuration of a requested environment: one schema for MCP arguments, in camelCase, and for `--config FILE`, in
 * snake_case.
 */
import * as z from "zod";
import type { FileFixture, ServiceDefinition } from "../../machines/model/environment.ts";
import { runtimeNames } from "../core/runtime_names.ts";
import { imageReferenceProblem } from "./image_reference_problem.ts";

const text = z.string().min(1);

/** Becomes part of an engine's URL and of paths: see `image_reference.ts`. */
const image = text.superRefine((value, context) => {
  const message = imageReferenceProblem(value);
  if (message !== undefined) context.addIssue({ code: "custom", message, input: value });
});

/** Variables are text; a number or a boolean is taken as it is written. */
const variables = z.record(
  z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "expected a variable's name (letters, digits, _)"),
  z.union([z.string(), z.number(), z.boolean()], "expected text").transform(String),
);

/** Refinement of an object: exactly one of the keys is given. */
const exactlyOne = <T extends Record<string, unknown>>(...keys: (keyof T & string)[]) => ({
  check: (value: T) => keys.filter((key) => value[key] !== undefined).length === 1,
  message: `expected one of ${keys.join(", ")}`,
});

const oneContent = exactlyOne<FileFixture & Record<string, unknown>>("content", "from", "folder");

const file = z.strictObject({
  path: z.string().regex(/^\//, "expected an absolute path inside the environment"),
  content: z.string().exactOptional().describe("${env:NAME} stands for a secret or variable."),
  from: text.exactOptional().describe("File or folder of this machine to copy in."),
  folder: z.literal(true, "expected true").exactOptional().describe("An empty folder."),
  mode: z.string().regex(/^[0-7]{3,4}$/, 'expected octal permissions as text, for example "0644"')
    .exactOptional(),
  owner: z.string().regex(/^[\w.][\w.-]*(:[\w.][\w.-]*)?$/, "expected user or user:group").exactOptional(),
}).refine(oneContent.check, oneContent.message);

const script = z.union([
  text,
  z.strictObject({
    script: text.describe("File of this machine."),
    timeout: z.number().positive().exactOptional(),
  }),
], "expected a shell script, or { script: FILE }");

const port = z.int().min(1, "expected a port, 1 to 65535").max(65535, "expected a port, 1 to 65535");

const pattern = text.refine((value) => isPattern(value), "expected a regular expression");

const ready = z.union([
  text,
  z.strictObject({ command: text }),
  z.strictObject({ port: z.union([port, z.literal(true)]) }),
  z.strictObject({ log: pattern }),
  z.strictObject({ http: z.string().regex(/^\//, "expected a path that begins with /") }),
], "expected a shell command, { port: true }, { log: PATTERN } or { http: /PATH }");

const oneKind = exactlyOne<ServiceDefinition & Record<string, unknown>>("command", "image", "unit");

const service = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9][\w.-]*$/, "expected a name (letters, digits, _ . -)"),
  command: z.union([text, z.array(z.string()).min(1)], "expected a command").exactOptional()
    .describe("In the foreground; with image: in place of the image's own."),
  image: image.exactOptional().describe("A container beside the environment."),
  unit: text.exactOptional().describe("systemd unit (tier 2 and up)."),
  env: variables.exactOptional(),
  cwd: text.exactOptional(),
  port: port.exactOptional()
    .describe("Replaces {port} in other fields. Default: PTH chooses one."),
  ready: ready.exactOptional().describe(
    "Shell command that exits 0, or one of these. Default: it listens on its port.",
  ),
  timeout: z.number().positive().exactOptional().describe("Readiness timeout in seconds. Default: 30."),
  setup: text.exactOptional().describe("Shell script run once it is ready: seed data."),
  stop: text.exactOptional().describe("Shell command that ends it."),
  url: text.exactOptional().describe("Passed as PTH_SERVICE_<NAME>_URL; {host}, {port} are filled in."),
}).refine(
  ({ command, ...rest }) => oneKind.check({ ...rest, ...(rest.image ? {} : { command }) } as never),
  oneKind.message,
);

function isPattern(value: string): boolean {
  try {
    return new RegExp(value, "m") !== undefined;
  } catch (_notOne) {
    return false; // told by the check's message
  }
}

const dependency = z.strictObject({
  source: text.describe("Folder, or npm:<package>[@version]."),
  name: z.string().regex(/^[A-Za-z0-9][\w.-]*$/, "expected a name (letters, digits, _ . -)").exactOptional()
    .describe("Default: the folder's or package's own."),
  command: z.array(z.string()).min(1).exactOptional()
    .describe("Start command; {port} stands for a port that PTH chooses."),
  args: z.array(z.string()).exactOptional().describe("Appended to its command."),
  server: text.exactOptional().describe("Which of several MCP servers."),
  buildCommand: z.string().exactOptional().describe('"" for none.'),
  installCommand: z.string().exactOptional().describe('"" for none.'),
  url: text.exactOptional().describe("Of an HTTP server; {port} allowed."),
  configValues: variables.exactOptional().describe("Its environment variables."),
  expectTools: z.array(text).exactOptional().describe(
    "Tools that it has to list.",
  ),
});

export const environmentConfig = z.strictObject({
  runtime: text.exactOptional()
    .describe(
      `auto (default: the tier's strongest that is ready), ${
        runtimeNames.join(", ")
      }; host isolates nothing.`,
    ),
  tier: z.literal([1, 2, 3], "expected 1, 2 or 3").exactOptional()
    .describe(
      "1 container, 2 with systemd, 3 virtual machine. Default: what the source asks for.",
    ),
  baseImage: image.exactOptional().describe(
    "For example debian12, for any tier. Default: the runtime's own.",
  ),
  resources: z.strictObject({
    cpus: z.number().positive().exactOptional(),
    memoryMB: z.number().positive().exactOptional(),
    diskGB: z.number().positive().exactOptional(),
  }).exactOptional().describe("Limits; the answer says which are enforced."),
  network: z.enum(["none", "host", "default"], "expected none, host or default").exactOptional().describe(
    "none: a loopback only, where the runtime has it. host: this machine's. Default: the runtime's own way.",
  ),
  fixtures: z.strictObject({
    files: z.array(file).exactOptional(),
    setupScripts: z.array(script).exactOptional().describe(
      "Run in order once the files are there.",
    ),
    services: z.array(service).exactOptional()
      .describe("Databases, queues …: started in order after the scripts."),
  }).exactOptional().describe("What the plugin needs around it; all there before it starts."),
  targetPlugin: z.strictObject({
    buildCommand: z.string().exactOptional(),
    configValues: variables.exactOptional(),
  }).exactOptional(),
  dependencyPlugins: z.array(dependency).exactOptional().describe(
    "Other plugins that run beside it, started before it in this order, not tested. It finds them in PTH_DEPENDENCY_<NAME>_URL, _PORT " +
      "(HTTP servers) and _FOLDER.",
  ),
});
