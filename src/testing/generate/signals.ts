import { testSources } from "../../../machines/model/test_case.ts";

/** What tests are generated from, in the order in which proposals are made. */
export const signals = testSources.filter((source) => source !== "manual");
