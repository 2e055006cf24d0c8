/** What the server says of a source, for tests. */
import type { Overview } from "../../../../src/visualizer/server/api.ts";

export const overviewOf = (more: Partial<Overview> = {}): Overview => ({
  source: { id: "recording", kind: "recording", title: "", detail: "", state: "whole", maySend: false },
  header: { format: "", startedAt: "2026-01-01T00:00:00.000Z", pth: "" },
  length: 0,
  duration: 0,
  problems: [],
  growing: false,
  events: 0,
  density: [],
  ...more,
});
