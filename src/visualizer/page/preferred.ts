/** What is shown before anything is chosen. */
import type { ViewerSource } from "../server/api.ts";
import type { ActorRow } from "../timeline/timeline.ts";
import { machinesSource } from "./address.ts";

/** A recording that was named; else the only session; the machines where there is none; nothing where one has to choose. */
export function preferredSource(sources: readonly ViewerSource[]): string | undefined {
  const recording = sources.find(({ kind }) => kind === "recording");
  if (recording !== undefined) return recording.id;
  if (sources.length === 0) return machinesSource;
  const living = sources.filter(({ state }) => state === "live");
  if (living.length === 1) return living[0]?.id;
  return sources.length === 1 ? sources[0]?.id : undefined;
}

/** The session, which all work goes through; before there is one, the first machine. */
export function preferredActor(rows: readonly ActorRow[]): string | undefined {
  const row = rows.find(({ machine }) => machine === "session") ??
    rows.find(({ machine }) => machine !== undefined);
  return row?.actor;
}
