/** Which states of a chart are active. */
import type { StateValue } from "../../recording/format.ts";

/** Ids of the states that a value stands for, outer ones first; the machine's root among them. */
export function highlightedStates(machine: string, value: StateValue | undefined): string[] {
  if (value === undefined) return [];
  if (typeof value === "string") return [machine, `${machine}.${value}`];
  const below = Object.entries(value).flatMap(([key, part]) => {
    const id = `${machine}.${key}`;
    return isLeaf(part) ? [id] : highlightedStates(id, part);
  });
  return [machine, ...below];
}

/** A region or state without children has `{}` (or, as its parent's part, its own name) for a value. */
const isLeaf = (part: StateValue): boolean => typeof part !== "string" && Object.keys(part).length === 0;

/** Those without an active child: where a machine really is. */
export function innermostStates(ids: readonly string[]): string[] {
  return ids.filter((id) => !ids.some((other) => other.startsWith(`${id}.`)));
}

/** `session.open.environment.ready` is `open.environment.ready` to people who know which machine they look at. */
export const withoutMachine = (id: string): string => {
  const dot = id.indexOf(".");
  return dot < 0 ? id : id.slice(dot + 1);
};
