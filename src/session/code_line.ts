/** The states of the plugin's code in a session, one for each fix and revert, and which of them runs. */
import type { StaleResults } from "../../machines/model/stale_results.ts";
import type { TestResult } from "../../machines/model/test_result.ts";
import { definedOnly } from "../core/values.ts";

export class CodeLine {
  /** Fixes and reverts of the branch, oldest first. */
  #commits: string[] = [];
  /** Number of commits that the latest load read, and number that the running server has. */
  #read = 0;
  #running = 0;

  /** @param commits what a resumed branch holds, oldest first */
  begin(commits: readonly string[]): void {
    this.#commits = [...commits];
    this.#read = this.#running = 0;
  }

  add(commit: string): void {
    this.#commits.push(commit);
  }

  /** A load reads the files from here on: what is committed meanwhile it may have missed. */
  noteRead(): void {
    this.#read = this.#commits.length;
  }

  /** From now on servers start from what was read. */
  noteLoaded(): void {
    this.#running = this.#read;
  }

  /** The branch holds a fix or a revert that the latest load did not read. */
  get isBehind(): boolean {
    return this.#read < this.#commits.length;
  }

  /** Commit that the server which runs is of. @param base where the branch began */
  running(base: string | undefined): string | undefined {
    return this.#commits[this.#running - 1] ?? base;
  }

  /** Fixes and reverts since a commit; one that is none of them stands for the branch's beginning. */
  since(commit: string | undefined): number {
    return this.#commits.length - 1 - (commit === undefined ? -1 : this.#commits.lastIndexOf(commit));
  }

  /** Undefined where all results are of the code as the branch has it, and that loads. */
  stale(
    results: readonly Pick<TestResult, "commit">[],
    loadError: string | undefined,
  ): StaleResults | undefined {
    const stale = results.map(({ commit }) => ({ commit, behind: this.since(commit) }))
      .filter(({ behind }) => behind > 0)
      .sort((a, b) => b.behind - a.behind);
    if (stale.length === 0 && loadError === undefined) return undefined;
    return definedOnly({
      results: results.length,
      stale: stale.length,
      commit: stale[0]?.commit,
      behind: stale[0]?.behind ?? 0,
      loadError,
    }) as StaleResults;
  }
}
