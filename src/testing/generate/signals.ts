/** What tests are generated from (PTH design §5.3, "Test Generation Inputs"), in the order in which proposals are made. */
export const signals = ["schema", "source_analysis", "documentation", "config"] as const;
