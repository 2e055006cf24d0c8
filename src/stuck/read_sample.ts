import type { ProcessSample, SampledProcess, SampledThread, ThreadWait } from "../../machines/model/stuck.ts";
import { isObject } from "../core/values.ts";

/** Most entries of a sample; the sampler itself stops at fewer. */
const mostEntries = 2000;

const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);
const isOptional = (test: (value: unknown) => boolean, value: unknown) => value === undefined || test(value);
const isNumbers = (value: unknown) =>
  Array.isArray(value) && value.length <= mostEntries && value.every(isNumber);
const isText = (value: unknown) => typeof value === "string";
const isTexts = (value: unknown) =>
  Array.isArray(value) && value.length <= mostEntries && value.every(isText);

/** Checks of the fields of each kind of wait. */
const waits: Record<ThreadWait["kind"], (wait: Record<string, unknown>) => boolean> = {
  running: () => true,
  lock: ({ address, owner }) => isText(address) && isOptional(isNumber, owner),
  join: ({ target }) => isNumber(target),
  child: ({ target }) => isOptional(isNumber, target),
  timer: () => true,
  input: ({ from, peers }) => isText(from) && isOptional(isNumbers, peers),
  output: ({ to, peers }) => isText(to) && isOptional(isNumbers, peers),
  event_loop: ({ watched, peers }) => isTexts(watched) && isOptional(isNumbers, peers),
  signal: () => true,
  stopped: () => true,
  disk: () => true,
  other: ({ call }) => isText(call),
};

function isThread(value: unknown): value is SampledThread {
  if (!isObject(value) || !isObject(value["wait"])) return false;
  const { pid, tid, name, wait, frozen, cpu, leftMs, waitMs } = value;
  const check = Object.hasOwn(waits, String(wait["kind"]))
    ? waits[wait["kind"] as ThreadWait["kind"]]
    : undefined;
  return [pid, tid, cpu].every(isNumber) && isText(name) && typeof frozen === "boolean" &&
    isOptional(isNumber, leftMs) && isOptional(isNumber, waitMs) && check?.(wait) === true;
}

const isProcess = (value: unknown): value is SampledProcess =>
  isObject(value) && isNumber(value["pid"]) && isNumber(value["parent"]) &&
  typeof value["alarm"] === "boolean" && isOptional(isText, value["program"]);

/** Reads an answer of the sampler, which runs with what it watches; undefined where it is none. */
export function readSample(value: unknown): ProcessSample | undefined {
  if (!isObject(value)) return undefined;
  const { processes, threads, costMs, spentMs, aliveMs } = value;
  const isSample = Array.isArray(processes) && processes.length <= mostEntries &&
    processes.every(isProcess) &&
    Array.isArray(threads) && threads.length <= mostEntries && threads.every(isThread) &&
    [costMs, spentMs, aliveMs].every(isNumber);
  return isSample ? value as unknown as ProcessSample : undefined;
}
