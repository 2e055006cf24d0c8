/** The plugin under test as its latest load left it: plan, tools, variables, dependencies. */
import type { PluginPlan, ToolDefinition } from "../../../machines/model/plugin.ts";
import type { SessionContext } from "../../../machines/session/session_model.ts";
import type { Era } from "../../client/initialize_connection.ts";
import { PthError } from "../../core/errors.ts";
import type { LiveDependency } from "../plugin/live_dependency.ts";

/** Reads what the session has decided from its machine; undefined while there is none. */
export type ReadSession = () => SessionContext | undefined;

export class PluginRuntime {
  /** Plan that the running server was started from. */
  plan: PluginPlan | undefined;
  /** Plan that a load or a reload prepares; the running server does not use it. */
  draft: PluginPlan | undefined;
  tools: ToolDefinition[] = [];
  /** Tools that the server lists only to clients with more features (elicitation, roots, sampling); latest listing. */
  moreTools: ToolDefinition[] = [];
  /** Protocol era of the server, once one instance has answered. */
  era: Era = "auto";
  /** Variables of the server that are no secret. */
  variables: Record<string, string> = {};
  /** Origin of each variable; values of secrets are "[REDACTED]". */
  config: { name: string; value: string; source: string }[] = [];
  lastBuildOutput = "";
  /** Dependency plugins of this one, by name. */
  readonly dependencies = new Map<string, LiveDependency>();

  readonly #decided: ReadSession;

  constructor(decided: ReadSession) {
    this.#decided = decided;
  }

  /** Error of the latest load or reload, if it failed. */
  get loadFailure(): PthError | undefined {
    const failure = this.#decided()?.loaded.failure;
    return failure instanceof PthError ? failure : undefined;
  }

  /** Folder inside the environment, once it is known. */
  get folder(): string | undefined {
    return (this.plan ?? this.draft)?.folder;
  }

  /** @throws {PthError} `NOT_NOW` */
  requirePlan(): PluginPlan {
    if (this.plan) return this.plan;
    throw new PthError("NOT_NOW", "Cannot start server: the plugin is not loaded", {
      next: [{ mcp: "Load it first: pth_load_plugin" }],
    });
  }
}
