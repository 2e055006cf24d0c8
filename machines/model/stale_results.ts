/** Number of changes that results are behind the plugin's code, as plain values. */

/** Some results are of older code than the session branch holds, or the branch's code does not load at all. */
export interface StaleResults {
  /** Results that were looked at, and those of them that are older than the newest fix or revert. */
  results: number;
  stale: number;
  /** Commit that the oldest of the stale ones are of; absent where the source is under no git. */
  commit?: string;
  /** Fixes and reverts on the branch since that commit. */
  behind: number;
  /** Reason why the branch's code does not load; then nothing is known of that code. */
  loadError?: string;
}
