/** Names of the dependencies of an environment, and what they are called in variables. */
import type { DependencyPlugin } from "../../machines/model/environment.ts";
import { PthError } from "../core/errors.ts";

export type NamedDependency = DependencyPlugin & { name: string };

/** Fills in the names that were left open. @throws {PthError} `INVALID_INPUT` for two of one name */
export function nameDependencies(dependencies: readonly DependencyPlugin[]): NamedDependency[] {
  const named = dependencies.map((dependency) => ({
    ...dependency,
    name: dependency.name ?? ownName(dependency),
  }));
  const variables = named.map(({ name }) => variableName(name));
  const twice = named.find((_, index) => variables.indexOf(variables[index]!) !== index);
  if (twice === undefined) return named;
  throw new PthError("INVALID_INPUT", `Cannot tell dependencies apart: two are called ${twice.name}`, {
    names: named.map(({ name }) => name),
    next: ["Give each a name of its own: name"],
  });
}

/** `PTH_DEPENDENCY_<NAME>`: what its variables begin with. */
export const variableName = (name: string): string =>
  `PTH_DEPENDENCY_${name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, "_")}`;

/** Last part of the folder or the package, without its version. */
function ownName({ source }: DependencyPlugin): string {
  const path = source.startsWith("npm:")
    ? source.slice("npm:".length).replace(/(?<=.)@[^/]*$/, "")
    : source.replace(/[/\\]+$/, "");
  const last = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
  return last.replaceAll(/[^\w.-]+/g, "-").replace(/^[^A-Za-z0-9]+/, "") || "dependency";
}

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
