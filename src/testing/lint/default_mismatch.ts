import { validatorFor } from "../../client/schema_problems.ts";
import { asSchema } from "../json_schema/schema.ts";
import { definedOnly } from "../../core/values.ts";
import { defineLintRule, type LintFinding } from "../lint_rule.ts";
import { walkSchema } from "../json_schema/walk_schema.ts";

export default defineLintRule({
  code: "default-mismatch",
  summary:
    "Defaults that their own schema forbids, and defaults of parameters that are required all the same.",
  check({ name, inputSchema }) {
    const { $defs, definitions, required } = asSchema(inputSchema);
    const places = walkSchema(inputSchema).filter(({ schema }) => schema.default !== undefined);
    const wrong = places.flatMap(({ schema, path }): LintFinding[] => {
      const breaches = validatorFor(definedOnly({ $defs, definitions, ...schema }))?.(schema.default) ?? [];
      if (breaches.length === 0) return [];
      const message =
        `the default of ${path} in ${name}, ${JSON.stringify(schema.default)}, breaks its own schema: ` +
        breaches[0]!.trim();
      return [{ severity: "warning", message }];
    });
    const idle = places.filter(({ path }) => Array.isArray(required) && required.includes(path));
    if (idle.length === 0) return wrong;
    const message = `${name} requires what it has a default for: ${idle.map(({ path }) => path).join(", ")}`;
    return [...wrong, { severity: "info", message }];
  },
});
