/** References to what dependencies and services announce, in values that the user gives: `${PTH_DEPENDENCY_<NAME>_URL}`. */
import { PthError } from "../core/errors.ts";

const reference = /\$\{(PTH_(?:DEPENDENCY|SERVICE)_\w+)\}/g;

/** Other references are left alone: they are the plugin's own. @throws {PthError} `INVALID_INPUT` for an unknown name */
export function expandDependencies(
  values: Readonly<Record<string, string>>,
  announced: Readonly<Record<string, string>>,
): Record<string, string> {
  const lookUp = (variable: string) => (_: string, name: string): string => {
    const value = announced[name];
    if (value !== undefined) return value;
    throw new PthError(
      "INVALID_INPUT",
      `Cannot set ${variable}: no dependency or service announces ${name}`,
      {
        announced: Object.keys(announced),
        next: [`Use one of: ${Object.keys(announced).join(", ") || "(none is started before)"}`],
      },
    );
  };
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, value.replace(reference, lookUp(name))]),
  );
}
