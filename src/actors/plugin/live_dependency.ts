/** State of a dependency plugin during its session. */
import type { PluginPlan, ToolDefinition } from "../../../machines/model/plugin.ts";
import type { SessionSource } from "../../../machines/model/session.ts";
import type { Era } from "../../client/initialize_connection.ts";
import { type NamedDependency, variableName } from "../../plugin/dependency_names.ts";

export class LiveDependency {
  readonly wanted: NamedDependency;
  /** Place in the order of dependencies; HTTP ports follow from it. */
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
  /** Port of its HTTP server inside the environment; it stays the same during the session, since other plugins know it. */
  port: number | undefined;
  /** True once it has worked unchanged: nothing is copied or built again while its files are still there. */
  proven = false;

  constructor(wanted: NamedDependency, index: number) {
    this.wanted = wanted;
    this.index = index;
  }

  get name(): string {
    return this.wanted.name;
  }

  /** Variables about it for the plugin under test and for dependencies that start later. */
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
