/** The plugin under test as programs get it. */
import * as z from "zod";

/** `planData`: how the plugin is built and started; variables by name. */
export const pluginPlan = z.object({
  name: z.string(),
  version: z.string().optional(),
  source: z.string().describe("As it was given."),
  folder: z.string().describe("Inside the environment."),
  build: z.object({
    system: z.string(),
    evidence: z.string().describe("The file that decided."),
    install: z.string().optional(),
    build: z.string().optional(),
    toolchains: z.array(z.string()),
  }).optional(),
  server: z.object({
    type: z.enum(["stdio", "http"]),
    command: z.array(z.string()).optional(),
    cwd: z.string(),
    url: z.string().optional(),
    port: z.number().optional(),
    headers: z.array(z.string()).optional().describe("Names."),
    variables: z.array(z.string()).describe("Names."),
  }),
  serverName: z.string().optional(),
  notes: z.array(z.string()).optional(),
});

export const pluginServer = z.object({
  name: z.string(),
  version: z.string(),
  protocolVersion: z.string(),
  capabilities: z.record(z.string(), z.unknown()),
  instructions: z.string().optional(),
});

/** Tools as `tools/list` gave them in full, else name and first line. */
export const pluginTools = z.array(z.object({
  name: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  inputSchema: z.unknown().optional(),
  outputSchema: z.unknown().optional(),
})).readonly();

export const dependenciesSchema = z.array(z.object({
  name: z.string(),
  source: z.string(),
  state: z.string(),
  tools: z.array(z.string()),
  variables: z.record(z.string(), z.string()).describe("By which the plugin finds it."),
  pid: z.number().optional(),
}));

/** Tells what servers did when they were asked to end. */
export const closedServers = z.array(z.object({
  how: z.string(),
  waitedMs: z.number(),
  exitCode: z.number().nullable(),
  orphans: z.array(z.string()).describe("Command lines of processes left behind, and ended since."),
}));
