import type { TestFact } from "../test/test_setup.ts";

/** End of a test that is not reported yet. */
export type PendingTest = Extract<TestFact, { type: "test.finished" }>;
