/**
 * The debug log: JSON lines on stderr, or in the file that `PTH_LOG_FILE` names; never on stdout.
 *
 * `PTH_DEBUG` chooses the level (error, warn, info, debug, trace; any other value means debug). Without it only
 * errors are written, or up to info where `PTH_LOG_FILE` asks for a log.
 */
import { appendFileSync } from "node:fs";
import process from "node:process";
import { readEnv } from "./host.ts";

const levels = ["error", "warn", "info", "debug", "trace"] as const;
export type LogLevel = (typeof levels)[number];

/** Facts of one log line: plain data. */
export type LogFacts = Record<string, unknown>;

export interface LogSettings {
  level: LogLevel;
  write(line: string): void;
}

/** Several where sessions run side by side. */
const redactions = new Set<(text: string) => string>();
const redact = (text: string): string =>
  [...redactions].reduce((redacted, through) => through(redacted), text);

/**
 * Every line passes through the given function from now on; it takes secrets out. The answer ends that, unless it is the only
 * one: of what ended last something may still be logged.
 */
export function redactLog(through: (text: string) => string): () => void {
  redactions.add(through);
  return () => {
    if (redactions.size > 1) redactions.delete(through);
  };
}

/** Redacts a text as the log does, for files of PTH's own that are stored next to the log. */
export const withoutSecrets = (text: string): string => redact(text);

/** The level that `PTH_DEBUG` and `PTH_LOG_FILE` ask for. */
export function chooseLevel(debug: string | undefined, logFile: string | undefined): LogLevel {
  if (debug === undefined || debug === "") return logFile ? "info" : "error";
  return levels.find((level) => level === debug) ?? "debug";
}

function toStderr(line: string): void {
  try {
    process.stderr.write(line);
  } catch {
    // A full disk behind stderr: there is no other place to tell it, and the work does not depend on it.
  }
}

/** Appends to the file; where that fails says so once and goes on with stderr. */
function toFile(path: string): (line: string) => void {
  let write = (line: string): void => {
    try {
      appendFileSync(path, line, { mode: 0o600 });
    } catch (error) {
      write = toStderr;
      write(`Cannot write PTH_LOG_FILE ${path}: ${String(error)}\n${line}`);
    }
  };
  return (line) => write(line);
}

function settingsFromHost(): LogSettings {
  const file = readEnv("PTH_LOG_FILE");
  return { level: chooseLevel(readEnv("PTH_DEBUG"), file), write: file ? toFile(file) : toStderr };
}

/** Error objects have no enumerable members, so they would be logged as `{}`. */
const plain = (_key: string, value: unknown): unknown =>
  value instanceof Error ? { name: value.name, message: value.message, stack: value.stack } : value;

export type Log = Record<LogLevel, (message: string, facts?: LogFacts) => void> & {
  enabled(level: LogLevel): boolean;
};

/** A log of its own; PTH's is `log`. */
export function createLog(settings: () => LogSettings): Log {
  let known: LogSettings | undefined;
  const current = () => known ??= settings();
  const enabled = (level: LogLevel) => levels.indexOf(level) <= levels.indexOf(current().level);
  const write = (level: LogLevel) => (message: string, facts: LogFacts = {}) => {
    if (!enabled(level)) return;
    const head = { time: new Date().toISOString(), level, message };
    // The head stands first, and a fact of the same name does not replace it.
    const line = JSON.stringify({ ...head, ...facts, ...head }, plain);
    current().write(`${redact(line)}\n`);
  };
  return {
    enabled,
    error: write("error"),
    warn: write("warn"),
    info: write("info"),
    debug: write("debug"),
    trace: write("trace"),
  };
}

export const log: Log = createLog(settingsFromHost);
