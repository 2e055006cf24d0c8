/** A test of each tier to begin with: `pth new-test` writes them. */
import type { Tier } from "../../../machines/model/environment.ts";

/** Editors complete keys where the schema lies there (`pth new-test schema --output .pth/test.schema.json`). */
const schemaLine = "# yaml-language-server: $schema=../test.schema.json\n";

const common = `# setup:                        # before the test
#   - exec: "mkdir -p out"
#   - file: { path: "out/config.yaml", content: "key: value" }
# teardown:                     # after it, whatever came of it
#   - exec: "rm -rf out"
# tags: [smoke]                 # to choose by: pth run --tag smoke
`;

/** The text of a file with one test; every key is in docs/test-reference.md. */
export const templates: Readonly<Record<Tier, string>> = {
  1: `${schemaLine}name: "my_tool - does what it should"
tool: my_tool
input:
  name: "value"
expect:
  output_contains: "value"      # or output_equals, output_matches, output_json, error_contains …
verify:                         # commands in the environment, after the call
  - exec: "echo done"
    expect_stdout: "done"
${common}`,
  2: `${schemaLine}name: "what is created can be read"
steps:
  - tool: create_thing
    input: { name: "value" }
    capture:
      id: "$.output.id"         # JSONPath over { output, text, content, structuredContent, isError }
  - tool: get_thing
    input: { id: "$id" }        # a plain dollar is written $$
    expect:
      output_contains: "value"
  # - read_resource: "thing://$id"
  # - get_prompt: review_thing
  #   arguments: { id: "$id" }
  # - wait_for: { notification: notifications/resources/updated }
  # - tool: ask_person
  #   replies: { elicitation: [{ action: accept, content: { name: "value" } }] }
${common}`,
  3: `${schemaLine}name: "an agent gets the work done"
description: What this test is about.
prompt: |
  Create a thing named value, and tell its id.
# In place of a prompt, calls that are made as they stand:
# tool_sequence:
#   - tool: create_thing
#     input: { name: "value" }
checklist:                      # judged by the driver of the prompt, each with evidence
  - "There is a thing named value"
verify:
  - exec: "echo done"
    expect_stdout: "done"
${common}`,
};
