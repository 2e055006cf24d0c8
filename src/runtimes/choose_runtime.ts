/** Chooses the runtime and tier of an environment; every automatic choice is stated with its reason. */
import type {
  EnvironmentConfig,
  NetworkMode,
  Tier,
  TierReason,
  TierRecommendation,
} from "../../machines/model/environment.ts";
import { PthError } from "../core/errors.ts";
import { groupBy } from "../core/values.ts";
import { imageFolder, type ImageKind, imageKind } from "./images/catalogue.ts";
import type { RuntimeDefinition } from "./runtime.ts";
import { lackingNetwork, requireNetwork } from "./network/networks.ts";
import type { NextStep } from "../core/next_step.ts";

export interface RuntimeChoice {
  definition: RuntimeDefinition;
  tier: Tier;
  /** True if the tier was not requested: another time it may be another. */
  automatic: boolean;
  /** One sentence for people. */
  reason: string;
}

type Asked = Partial<Pick<EnvironmentConfig, "runtime" | "tier" | "baseImage" | "network">>;

/**
 * The asked runtime, or with "auto" the strongest one of the tier that is ready. A tier that was asked for, by its number or by
 * an image that only it has, is kept to. Without one it is what the plugin's source asks for, or the highest below it for which
 * a runtime is ready.
 * @param recommend what the source asks for; only called where that counts
 * @throws {PthError} `INVALID_INPUT` for a name that does not exist and a runtime that does not have the tier,
 * `UNSUPPORTED` for a runtime that does not have the network, `RUNTIME_UNAVAILABLE`, `IMAGE_MISSING`
 */
export async function chooseRuntime(
  definitions: readonly RuntimeDefinition[],
  { runtime = "auto", tier, baseImage, network }: Asked,
  recommend: () => Promise<TierRecommendation | undefined>,
): Promise<RuntimeChoice> {
  if (runtime !== "auto") return await chooseNamed(definitions, runtime, tier, { baseImage, network });
  const ofImage = tierOfImage(baseImage);
  if (tier !== undefined && ofImage !== undefined && tier !== ofImage) {
    throw new PthError(
      "INVALID_INPUT",
      `Cannot provision environment: image ${baseImage} is for tier ${ofImage}, not ${tier}`,
      { next: [`For tier ${tier}: image ${imageFolder(baseImage!)}`, "Or give the image alone"] },
    );
  }
  const asked = tier ?? ofImage;
  const recommended = asked === undefined ? await recommend() : undefined;
  const wanted = asked ?? recommended?.tier ?? 1;
  const lowest = asked ?? 1;
  const refusals: Refusal[] = [];
  for (let tier = wanted; tier >= lowest; tier--) {
    const found = await firstReady(definitions, tier as Tier, { baseImage, network }, refusals);
    if (!found) continue;
    const reason = reasonOf(found, tier as Tier, refusals, recommended);
    return { definition: found.definition, tier: tier as Tier, automatic: asked === undefined, reason };
  }
  throw nothingReady(wanted, asked !== undefined, refusals, baseImage);
}

/** Reason why a runtime is not ready, and what would help. */
interface Refusal {
  runtime: string;
  reason: string;
  next: readonly NextStep[];
}

async function firstReady(
  definitions: readonly RuntimeDefinition[],
  tier: Tier,
  { baseImage, network }: Wanted,
  refusals: Refusal[],
): Promise<{ definition: RuntimeDefinition; ready: string } | undefined> {
  const candidates = definitions.filter(({ tiers }) => tiers.includes(tier)).toSorted((a, b) =>
    a.rank - b.rank
  );
  for (const definition of candidates) {
    const { ready, reason, next = [] } = lackingNetwork(definition, network, definitions) ??
      await definition.probe(baseImage);
    if (ready) return { definition, ready: reason };
    refusals.push({ runtime: definition.name, reason, next });
  }
  return undefined;
}

/** Further wishes for a runtime. */
interface Wanted {
  baseImage: string | undefined;
  network: NetworkMode | "default" | undefined;
}

/** Merges refusals of one reason into one sentence, as for runtimes that use the same engine. */
function passedOver(refusals: readonly Refusal[]): string[] {
  return [...groupBy(refusals, ({ reason }) => reason)].flatMap(([reason, alike]) => {
    const names = alike.map(({ runtime }) => runtime).join(", ");
    const way = alike[0]!.next.find((way) => typeof way === "string");
    return [`not ${names}: ${reason}`, ...(way === undefined ? [] : [`to have it: ${way}`])];
  });
}

function reasonOf(
  { definition: { name }, ready }: { definition: RuntimeDefinition; ready: string },
  tier: Tier,
  refusals: readonly Refusal[],
  recommended: TierRecommendation | undefined,
): string {
  const others = passedOver(refusals).map((told) => `; ${told}`).join("");
  if (recommended === undefined || recommended.tier === 1) {
    return `${name}: ${ready}${others}; asking for a runtime overrides this`;
  }
  const source = `tier ${recommended.tier} is what the plugin asks for: ${shownReasons(recommended)}`;
  const below = tier === recommended.tier
    ? ""
    : `; none of it is ready, so this is tier ${tier}, and tests that require more are skipped`;
  return `${name}: ${ready}; ${source}${below}${others}; asking for a runtime or a tier overrides this`;
}

/** The first reason, and how many more there are. */
function shownReasons({ tier, reasons }: TierRecommendation): string {
  const [first, ...more] = reasons.filter((reason) => reason.tier === tier);
  const others = more.length === 0
    ? ""
    : ` and ${more.length} more ${more.length === 1 ? "place" : "places"}`;
  return first === undefined ? "it says so" : `${tierReasonText(first)}${others}`;
}

/** "uses systemd (server.mjs:12)". */
export const tierReasonText = ({ what, file, line }: TierReason): string => `${what} (${file}:${line})`;

function nothingReady(tier: Tier, asked: boolean, refusals: readonly Refusal[], image?: string): PthError {
  const next = refusals.flatMap((refusal) => refusal.next);
  const lower = asked && tier > 1
    ? [{
      terminal: "Or take a lower tier: --env-tier 1",
      mcp: "Or take a lower tier: pth_provision_environment({ tier: 1 })",
    }]
    : [];
  return new PthError(
    "RUNTIME_UNAVAILABLE",
    `Cannot provision environment: no runtime for tier ${tier} is ready${
      image === undefined ? "" : ` with image ${image}`
    }`,
    {
      tried: passedOver(refusals),
      next: next.length > 0 ? [...next, ...lower] : ["Choose another tier: 1 needs no engine"],
    },
  );
}

async function chooseNamed(
  definitions: readonly RuntimeDefinition[],
  name: string,
  tier: Tier | undefined,
  { baseImage, network }: Wanted,
): Promise<RuntimeChoice> {
  const definition = definitions.find((candidate) => candidate.name === name);
  if (!definition) {
    throw new PthError("INVALID_INPUT", `Cannot provision environment: unknown runtime "${name}"`, {
      next: [`Choose one of: auto, ${definitions.map((known) => known.name).join(", ")}`],
    });
  }
  if (tier !== undefined && !definition.tiers.includes(tier)) throw otherTier(definitions, definition, tier);
  const ofImage = tierOfImage(baseImage);
  if (ofImage !== undefined && !definition.tiers.includes(ofImage)) {
    throw otherTier(definitions, definition, ofImage, baseImage);
  }
  requireNetwork(definition, network, definitions);
  const readiness = await definition.probe(baseImage);
  if (readiness.ready) {
    const reason = `${name}: as asked; ${readiness.reason}`;
    return { definition, tier: tier ?? definition.tiers[0]!, automatic: tier === undefined, reason };
  }
  const state = readiness.reason.replace(/^Cannot [^:]*: /, "");
  throw new PthError(readiness.code ?? "RUNTIME_UNAVAILABLE", `Cannot use ${name}: ${state}`, {
    ...readiness.facts,
    next: readiness.next ?? [],
  });
}

function otherTier(
  definitions: readonly RuntimeDefinition[],
  { name, tiers }: RuntimeDefinition,
  tier: Tier,
  image?: string,
): PthError {
  const fitting = definitions.filter((one) => one.tiers.includes(tier)).map((one) => one.name);
  return new PthError(
    "INVALID_INPUT",
    `Cannot provision environment: ${name} makes environments of tier ${tiers.join(", ")}, ${
      image === undefined ? `not ${tier}` : `and image ${image} is for tier ${tier}`
    }`,
    {
      next: [`For tier ${tier}: ${fitting.join(", ") || "there is no runtime"}`, "Or give the runtime alone"],
    },
  );
}

const tiersOfKinds: Record<ImageKind, Tier | undefined> = { container: undefined, systemd: 2, vm: 3 };

/** `debian12-vm` is of use in a virtual machine only; `debian12` stands for any of its kinds. */
function tierOfImage(image: string | undefined): Tier | undefined {
  const kind = image === undefined ? undefined : imageKind(image);
  return kind && tiersOfKinds[kind];
}
