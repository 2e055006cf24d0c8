import { defineLintRule } from "../lint_rule.ts";
import { walkSchema } from "../json_schema/walk_schema.ts";

/** JSON Schema 2020-12, "Defined Formats", and OpenAPI's for numbers. */
const known = new Set(
  ("date-time date time duration email idn-email hostname idn-hostname ipv4 ipv6 uri uri-reference iri iri-reference uuid " +
    "uri-template json-pointer relative-json-pointer regex int32 int64 float double byte binary password")
    .split(" "),
);

export default defineLintRule({
  code: "unknown-format",
  summary: "Formats that JSON Schema does not define: no validator checks them, and some hosts refuse them.",
  check({ name, inputSchema }) {
    const places = walkSchema(inputSchema).filter(({ schema }) =>
      typeof schema.format === "string" && !known.has(schema.format)
    );
    if (places.length === 0) return [];
    const formats = [...new Set(places.map(({ schema, path }) => `${schema.format} (${path})`))].join(", ");
    return [{
      severity: "info",
      message: `formats in the input of ${name} that JSON Schema does not define: ${formats}`,
    }];
  },
});
