/** Snapshots of a session's environments. */
export class SnapshotStore {
  /** All snapshots by name; `environment` is the number of the one it belongs to. */
  readonly taken = new Map<string, { tag: string; takenAt: string; environment: number }>();
  /** Snapshots taken before risky fixes, by the fix's commit. */
  readonly beforeFixes = new Map<string, { snapshot: string; environment: number }>();
}
