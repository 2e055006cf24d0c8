/** Evidence of a session: messages and output of its tests, and faults that show outside of tests. */
import type { Finding } from "../../../machines/model/verdict.ts";
import { StartLines } from "../../testing/judge/start_lines.ts";
import { CaptureStore } from "../../testing/evidence/capture_store.ts";
import { FailureEvidence } from "../../testing/evidence/failure_evidence.ts";

export class EvidenceStore {
  /** Evidence of tests whose latest run failed. */
  readonly failures = new FailureEvidence();
  /** Messages of tests that did not fail. */
  readonly captures = new CaptureStore();
  /** Faults of the server that show outside of tests. */
  readonly findings: Finding[] = [];
  /** Unhandled errors that came after the test whose call they belong to was judged, by its id. */
  readonly late = new Map<string, Finding>();

  /** Lines on stdout that starts of the server wrote. */
  readonly startLines = new StartLines();

  /** Forgets the latest run of these tests: they run again. */
  forget(testIds: readonly string[]): void {
    this.failures.forget(testIds);
    this.captures.forget(testIds);
    for (const id of testIds) this.late.delete(id);
  }
}
