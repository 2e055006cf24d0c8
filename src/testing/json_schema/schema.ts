/** JSON Schema as it is read here: loosely, since real servers use every draft at once. */
import { isObject } from "../../core/values.ts";

export interface Schema {
  $ref?: string;
  $defs?: Record<string, SchemaNode>;
  definitions?: Record<string, SchemaNode>;
  type?: string | string[];
  nullable?: boolean;
  const?: unknown;
  enum?: unknown[];
  default?: unknown;
  example?: unknown;
  examples?: unknown;
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number | boolean;
  exclusiveMaximum?: number | boolean;
  multipleOf?: number;
  items?: SchemaNode | SchemaNode[];
  prefixItems?: SchemaNode[];
  contains?: SchemaNode;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  properties?: Record<string, SchemaNode>;
  required?: string[];
  additionalProperties?: SchemaNode;
  propertyNames?: SchemaNode;
  minProperties?: number;
  dependentRequired?: Record<string, string[]>;
  allOf?: SchemaNode[];
  anyOf?: SchemaNode[];
  oneOf?: SchemaNode[];
  description?: string;
  [keyword: string]: unknown;
}

export type SchemaNode = Schema | boolean;

/** Reads a node as a schema; `true` and anything unreadable allows everything. */
export const asSchema = (node: unknown): Schema => isObject(node) ? node as Schema : {};

/** Types that a schema allows; inferred from its keywords where it names none. Empty: any. */
export function typesOf(schema: Schema): string[] {
  const named = schema.type === undefined ? [] : [schema.type].flat();
  if (named.length > 0) return schema.nullable === true ? [...new Set([...named, "null"])] : named;
  if (schema.properties !== undefined || schema.required !== undefined) return ["object"];
  if (schema.items !== undefined || schema.prefixItems !== undefined) return ["array"];
  if (schema.pattern !== undefined || schema.format !== undefined || schema.maxLength !== undefined) {
    return ["string"];
  }
  if (schema.minimum !== undefined || schema.maximum !== undefined) return ["number"];
  return [];
}
