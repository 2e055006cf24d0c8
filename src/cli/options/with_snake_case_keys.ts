/** Schemas as files write them: snake_case instead of camelCase. */
import { z } from "zod";

const snake = (key: string): string =>
  key.replaceAll(/([a-z0-9])([A-Z]+)/g, (_, before, word) => `${before}_${word.toLowerCase()}`);

/** The same schema with keys in snake_case; a valid value comes out in camelCase. Keys of records are data and stay. */
export function withSnakeCaseKeys(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodExactOptional) {
    return withSnakeCaseKeys(schema.unwrap() as z.ZodType).exactOptional();
  }
  if (schema instanceof z.ZodArray) return z.array(withSnakeCaseKeys(schema.element as z.ZodType));
  if (!(schema instanceof z.ZodObject)) return schema;
  const keys = Object.keys(schema.shape);
  const shape = Object.fromEntries(
    keys.map((key) => [snake(key), withSnakeCaseKeys(schema.shape[key] as z.ZodType)]),
  );
  const names = new Map(keys.map((key) => [snake(key), key]));
  // Checks of the whole object, such as "one of these", hold for files, too.
  const checks = (schema._zod.def.checks ?? []) as z.core.$ZodCheck<Record<string, unknown>>[];
  return z.strictObject(shape).check(...checks).transform((value) =>
    Object.fromEntries(Object.entries(value).map(([key, item]) => [names.get(key) ?? key, item]))
  );
}

/** Keys that a file may have at a path of the schema, for "did you mean". */
export function fileKeys(whole: z.ZodType, path: readonly (string | number)[]): string[] {
  let schema: z.ZodType = whole;
  const open = () => {
    while (schema instanceof z.ZodExactOptional) schema = schema.unwrap() as z.ZodType;
  };
  for (const segment of path) {
    open();
    if (schema instanceof z.ZodArray) schema = schema.element as z.ZodType;
    else if (schema instanceof z.ZodObject) {
      const { shape } = schema;
      const key = Object.keys(shape).find((name) => snake(name) === segment);
      if (key === undefined) return [];
      schema = shape[key] as z.ZodType;
    }
  }
  open();
  return schema instanceof z.ZodObject ? Object.keys(schema.shape).map(snake) : [];
}
