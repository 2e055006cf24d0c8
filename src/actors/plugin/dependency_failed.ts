/** Error that reports a dependency plugin that does not start. */
import { asPthError, type ErrorCode, PthError } from "../../core/errors.ts";
import type { LiveDependency } from "./live_dependency.ts";
import type { NextStep } from "../../core/next_step.ts";

export type DependencyStep = "copy" | "plan" | "install" | "build" | "start" | "tools/list";

const doing: Record<DependencyStep, string> = {
  "copy": "copy",
  "plan": "prepare",
  "install": "install",
  "build": "build",
  "start": "start",
  "tools/list": "list the tools of",
};

/** Errors with a recovery of their own. */
const notItsFault: readonly ErrorCode[] = [
  "CONFIG_MISSING",
  "DISK_FULL",
  "ENVIRONMENT_LOST",
  "INTERNAL",
  "INVALID_INPUT",
  "NETWORK_UNAVAILABLE",
  "RUNTIME_UNAVAILABLE",
  "TARGET_NOT_FOUND",
];

/** With everything that was seen of it, and the ways on. What was cut short stays what it is. */
export function dependencyFailed(dependency: LiveDependency, step: DependencyStep, thrown: unknown): unknown {
  const error = asPthError(thrown);
  if (error.code === "INTERRUPTED") return thrown;
  const { name, wanted, buildOutput } = dependency;
  const said = error.context.output;
  const output = [
    buildOutput !== "" && step !== "build" && step !== "install" && `Build output:\n${buildOutput}`,
    said && (step === "start" || step === "tools/list" ? `Server's stderr:\n${said}` : said),
  ].filter((part) => part !== undefined && part !== "" && part !== false).join("\n");
  const missing = error.code === "CONFIG_MISSING";
  return new PthError(
    notItsFault.includes(error.code) ? error.code : "DEPENDENCY_FAILED",
    `Cannot ${doing[step]} dependency ${name}: ${stateOf(error.message)}`,
    {
      ...error.context,
      ...(output === "" ? {} : { output }),
      dependency: name,
      source: wanted.source,
      step,
      cause: error.code,
      next: missing
        ? [{
          terminal: `Give it under config_values of dependency ${name}`,
          mcp: `Give it under configValues of dependency ${name}`,
        }]
        : ownHints(error),
    },
    { cause: thrown },
  );
}

/** "Cannot start plugin: exited with 1" is told by its second half. */
const stateOf = (message: string): string => message.replace(/^Cannot [^:]+: /, "");

/** Options and arguments of PTH are the target's: of a dependency they would lead astray. */
const ownHints = ({ context }: PthError): NextStep[] =>
  (context.next ?? []).filter((hint) => typeof hint === "string");
