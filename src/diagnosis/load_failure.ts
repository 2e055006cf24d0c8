import type { ErrorCode, PthError } from "../core/errors.ts";
import { firstLine } from "../core/text.ts";
import type { Symptoms } from "./symptoms.ts";
import type { FailureCategory } from "../../machines/model/verdict.ts";

/** Stands for a test's id where the plugin did not load. */
export const loadId = "load";
export const loadName = "loading the plugin";

/** More than is shown: frames of stacks are left out there. */
const outputLines = 24;

const categories: Partial<Record<ErrorCode, FailureCategory>> = {
  INSTALL_FAILED: "build-failure",
  BUILD_FAILED: "build-failure",
  BUILD_SYSTEM_UNKNOWN: "build-failure",
  START_FAILED: "runtime-exception",
  SERVER_LOST: "runtime-exception",
  PROTOCOL_VIOLATION: "protocol-error",
  SERVER_SILENT: "timeout",
};

/**
 * Codes of errors in the plugin: its files, or what its commands and its server did. Whatever is not named here is the
 * environment's affair, the user's or PTH's, and nothing was found out about the plugin.
 */
const thePlugins: ReadonlySet<ErrorCode> = new Set([
  "BUILD_SYSTEM_UNKNOWN",
  "INVALID_CONFIG",
  "TOOLCHAIN_MISSING",
  "INSTALL_FAILED",
  "BUILD_FAILED",
  "CONFIG_MISSING",
  "START_FAILED",
  "SERVER_LOST",
  "SERVER_SILENT",
  "PROTOCOL_VIOLATION",
]);

/** Whether an error that loading ended in says something about the plugin. */
export const isLoadFailure = ({ code }: PthError): boolean => thePlugins.has(code);

/** Codes of a load that did not begin, or that say nothing of why the plugin does not run. */
const unexplained: ReadonlySet<ErrorCode> = new Set([
  "NOT_NOW",
  "INTERRUPTED",
  "INTERNAL",
  "INVALID_INPUT",
  "NO_SESSION",
]);

/** Whether a load error gets a diagnosis: a plugin that does not run is never reported as "no failure". */
export const isDiagnosed = ({ code }: PthError): boolean => !unexplained.has(code);

/**
 * Whether a load error cannot be fixed in the plugin: values are missing that the user has to give. Fixes of
 * the session may still have caused it.
 */
export const isOutOfReach = ({ code }: PthError, withFixes: boolean): boolean =>
  code === "CONFIG_MISSING" && !withFixes;

/** Describes why the plugin does not load, with the end of the output. */
export function loadErrorText({ message, context: { output = "" } }: PthError): string {
  const said = output.split("\n").filter((line) => line.trim() !== "").slice(-outputLines);
  return [message.replaceAll(/\s*\n\s*/g, " "), ...said.map((line) => line.slice(0, 300))].join("\n");
}

export function loadSymptoms(error: PthError, isOwnModule: Symptoms["isOwnModule"]): Symptoms {
  const { code, message, context: { output = "", strayOutput } } = error;
  return {
    verdict: categories[code] ?? "dependency-error",
    verdictSays: `${firstLine(message, 300)}.`,
    message,
    output,
    strayOutput: Array.isArray(strayOutput) ? strayOutput.map(String) : [],
    commands: [],
    loading: true,
    isOwnModule,
  };
}
