/** A session in a few lines. */
import { tierNames, type TierRecommendation } from "../../../machines/model/environment.ts";
import type { SessionInfo } from "../../../machines/model/session.ts";
import type { ServiceProposals } from "../../../machines/model/service_proposal.ts";
import { nextStepsFor } from "../../core/next_step.ts";
import { joinLines } from "./join_lines.ts";
import type { ToolAnswer } from "../tool.ts";

/** Reasons that are shown; the data holds all of them. */
const reasonsShown = 4;

/** The tier that the source asks for, and why; nothing to say of a plain container without a word of reason. */
function tierText({ tier, reasons }: TierRecommendation): string | false {
  if (reasons.length === 0) return false;
  const places = reasons.slice(0, reasonsShown).map(({ what, file, line, text }) =>
    `  ${what} (${file}:${line}): ${text}`
  );
  const more = reasons.length > reasonsShown && `  … and ${reasons.length - reasonsShown} more`;
  return joinLines(`Tier ${tier} (${tierNames[tier]}) is what its source needs:`, ...places, more);
}

/** Proposes services: nothing of the kind starts unasked. */
const servicesText = ({ proposals, config }: ServiceProposals): string =>
  joinLines(
    "It seems to need companion services; PTH starts none by default:",
    ...proposals.map(({ title, reasons }) =>
      `  ${title}: ${reasons.map(({ what, file, line }) => `${what} (${file}:${line})`).join("; ")}`
    ),
    `To start them with the environment: pth_provision_environment(${JSON.stringify(config)})`,
  );

const provisionText = (recommendation: TierRecommendation | undefined): string =>
  recommendation === undefined || recommendation.tier === 1
    ? "Next: pth_provision_environment({}), then pth_load_plugin({})."
    : `Next: pth_provision_environment({}), which uses tier ${recommendation.tier} if available ` +
      "({ tier: 1 } for a plain container), then pth_load_plugin({}).";

export function sessionText(
  { sessionId, source, superpowers, recommendation, services }: SessionInfo,
): string {
  return joinLines(
    `Session ${sessionId} started: ${source.name}${source.version ? ` ${source.version}` : ""}`,
    `Source: ${source.source}, copied to ${source.worktree}`,
    source.branch ? `Branch: ${source.branch}` : "Branch: none (a scratch folder)",
    ...nextStepsFor("mcp", source.notes).map((note) => `Note: ${note}`),
    recommendation && tierText(recommendation),
    services && servicesText(services),
    superpowers &&
      `Superpowers${
        superpowers.version ? ` ${superpowers.version}` : ""
      } is installed; for complex changes there are: ${superpowers.skills.join(", ")}`,
    "All session tools are available now.",
    provisionText(recommendation),
  );
}

/** The session as plain data, with notes in words for MCP. */
export const sessionData = ({ source, ...session }: SessionInfo) => ({
  ...session,
  source: { ...source, notes: nextStepsFor("mcp", source.notes) },
});

/** The answer with the address, where there is one. */
export const withWatchAddress = <Data extends object>(
  { text, data }: ToolAnswer<Data>,
  address: string | undefined,
): ToolAnswer<Data & { watch?: string }> =>
  address === undefined ? { text, data } : {
    text: `${text.trimEnd()}\nWatch it: ${address} (for a person: a page on this machine, which opens once)`,
    data: { ...data, watch: address },
  };
