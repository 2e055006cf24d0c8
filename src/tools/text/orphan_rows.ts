/** Processes that servers left behind, one row each. */
import type { CloseReport } from "../../../machines/model/plugin.ts";

export const orphanRows = (closed: readonly CloseReport[]): string[] =>
  closed.flatMap(({ orphans }) => orphans).map((orphan) =>
    `The old server left a process behind: ${orphan} (PTH ended it; orphaned-process is a fault of the plugin)`
  );
