import { testSources } from "../../../machines/model/test_case.ts";

/** What tests are generated from (PTH design §5.3, "Test Generation Inputs"), in the order in which proposals are made. */
export const signals = testSources.filter((source) => source !== "manual");
