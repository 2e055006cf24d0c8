import { asSchema } from "../json_schema/schema.ts";
import { schemaProperties } from "../json_schema/schema_properties.ts";
import { statedDefault } from "../json_schema/stated_default.ts";
import { defineLintRule } from "../lint_rule.ts";

export default defineLintRule({
  code: "contradicting-default",
  summary: "Parameters whose description states another default than their schema.",
  check({ name, inputSchema }) {
    const schema = asSchema(inputSchema);
    return schemaProperties(schema).flatMap(({ name: parameter, part }) => {
      const told = statedDefault(part, schema);
      const { default: given } = part;
      if (told === undefined || typeof given !== typeof told || given === told) return [];
      const message = `${parameter} in ${name} has the default ${JSON.stringify(given)} in its schema, and ` +
        `${JSON.stringify(told)} in its description`;
      return [{ severity: "warning" as const, message }];
    });
  },
});
