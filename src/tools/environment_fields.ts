/** What an environment is asked to be, over MCP (PTH design §5.1 `EnvConfig`); provision and reprovision share it. */
import { z } from "zod";
import { tier, variables } from "./fields.ts";

const file = z.strictObject({
  path: z.string().min(1).describe("Absolute path inside the environment."),
  content: z.string(),
  mode: z.string().regex(/^[0-7]{3,4}$/, 'expected octal permissions, for example "0644"').exactOptional(),
});

const service = z.strictObject({
  name: z.string().min(1),
  command: z.string().min(1).describe("Runs until the environment is destroyed."),
  ready: z.string().min(1).exactOptional().describe("Shell command that exits 0 once the service is ready."),
});

export const environmentFields = {
  runtime: z.string().min(1).exactOptional()
    .describe("auto (default: the strongest that is ready), docker, sandbox or host (not isolated)."),
  tier: tier.exactOptional().describe("1 container (default), 2 container with systemd, 3 virtual machine."),
  baseImage: z.string().min(1).exactOptional()
    .describe("For example debian12. Default: the runtime's own."),
  resources: z.strictObject({
    cpus: z.number().positive().exactOptional(),
    memoryMB: z.number().positive().exactOptional(),
    diskGB: z.number().positive().exactOptional(),
  }).exactOptional().describe("Limits; the answer says which of them are enforced."),
  fixtures: z.strictObject({
    files: z.array(file).exactOptional(),
    setupScripts: z.array(z.string().min(1)).exactOptional().describe("Shell scripts, run in order."),
    services: z.array(service).exactOptional(),
  }).exactOptional().describe("What the plugin needs around it before it starts."),
  targetPlugin: z.strictObject({
    buildCommand: z.string().exactOptional(),
    configValues: variables.exactOptional(),
  }).exactOptional(),
  dependencyPlugins: z.array(z.strictObject({
    sourcePath: z.string().min(1),
    configValues: variables.exactOptional(),
  })).exactOptional().describe("Plugins that must run beside the one under test."),
};
