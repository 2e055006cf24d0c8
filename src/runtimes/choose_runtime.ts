/** Which runtime and image an environment gets, and why; every automatic choice is stated with its reason. */
import type { EnvironmentConfig } from "../../machines/model/environment.ts";
import { PthError } from "../errors.ts";
import type { RuntimeDefinition } from "./runtime.ts";

export interface RuntimeChoice {
  definition: RuntimeDefinition;
  /** One sentence for people. */
  reason: string;
}

/**
 * The asked runtime, or with "auto" the strongest one of the tier that is ready.
 * @throws {PthError} `INVALID_INPUT` for a name that does not exist, `RUNTIME_UNAVAILABLE`, `IMAGE_MISSING`
 */
export async function chooseRuntime(
  definitions: readonly RuntimeDefinition[],
  { runtime, tier, baseImage }: Pick<EnvironmentConfig, "runtime" | "tier" | "baseImage">,
): Promise<RuntimeChoice> {
  if (runtime !== "auto") return await chooseNamed(definitions, runtime, baseImage);
  const candidates = definitions.filter(({ tiers }) => tiers.includes(tier))
    .toSorted((a, b) => a.rank - b.rank);
  const refusals: string[] = [];
  const next: string[] = [];
  for (const definition of candidates) {
    const readiness = await definition.probe(baseImage);
    if (readiness.ready) {
      const passedOver = refusals.length > 0 ? `; ${refusals.join("; ")}` : "";
      return {
        definition,
        reason: `${definition.name}: ${readiness.reason}${passedOver}; --env overrides this`,
      };
    }
    refusals.push(`not ${definition.name}: ${readiness.reason}`);
    if (readiness.next?.[0]) {
      refusals.push(`to have it: ${readiness.next[0]}`);
      next.push(...readiness.next);
    }
  }
  throw new PthError(
    "RUNTIME_UNAVAILABLE",
    `Cannot provision environment: no runtime for tier ${tier} is ready`,
    {
      tried: refusals,
      next: next.length > 0 ? next : ["Choose another tier: 1 needs no engine"],
    },
  );
}

async function chooseNamed(
  definitions: readonly RuntimeDefinition[],
  name: string,
  baseImage: string | undefined,
): Promise<RuntimeChoice> {
  const definition = definitions.find((candidate) => candidate.name === name);
  if (!definition) {
    throw new PthError("INVALID_INPUT", `Cannot provision environment: there is no runtime "${name}"`, {
      next: [`Choose one of: auto, ${definitions.map((known) => known.name).join(", ")}`],
    });
  }
  const readiness = await definition.probe(baseImage);
  if (readiness.ready) return { definition, reason: `${name}: as asked; ${readiness.reason}` };
  throw new PthError("RUNTIME_UNAVAILABLE", `Cannot use ${name}: ${readiness.reason}`, {
    ...readiness.facts,
    next: readiness.next ?? [],
  });
}
