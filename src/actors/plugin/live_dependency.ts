/** What is known of a dependency plugin while its session lives. */
import type { PluginPlan, ToolDefinition } from "../../../machines/model/plugin.ts";
import type { SessionSource } from "../../../machines/model/session.ts";
import type { Era } from "../../client/initialize_connection.ts";
import { type NamedDependency, variableName } from "../../plugin/dependency_names.ts";

export class LiveDependency {
  readonly wanted: NamedDependency;
  /** Its place in the order; HTTP ports follow from it. */
  readonly index: number;
  source: SessionSource | undefined;
  /** Inside the environment. */
  folder: string | undefined;
  plan: PluginPlan | undefined;
  tools: ToolDefinition[] = [];
  era: Era = "auto";
  /** For its server, its install and its build; secrets are among them. */
  variables: Record<string, string> = {};
  /** Values that a person was asked for. */
  readonly given: Record<string, string> = {};
  buildOutput = "";
  /** Of its HTTP server inside the environment: the same as long as the session lasts, others are told it. */
  port: number | undefined;
  /** It has worked once as it is: nothing has to be copied or built again where its files are still there. */
  proven = false;

  constructor(wanted: NamedDependency, index: number) {
    this.wanted = wanted;
    this.index = index;
  }

  get name(): string {
    return this.wanted.name;
  }

  /** What the plugin under test, and dependencies that start later, are told of it. */
  get announced(): Record<string, string> {
    if (this.plan === undefined) return {};
    const { folder, server } = this.plan;
    const prefix = variableName(this.name);
    const http = server.type === "http"
      ? { [`${prefix}_URL`]: server.url, ...(server.port && { [`${prefix}_PORT`]: String(server.port) }) }
      : {};
    return { [`${prefix}_FOLDER`]: folder, ...http };
  }
}
