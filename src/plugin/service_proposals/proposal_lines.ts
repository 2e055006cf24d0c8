/** Proposed services in words, and as a configuration to paste. */
import { stringify } from "yaml";
import type { ServiceProposals } from "../../../machines/model/service_proposal.ts";

/** "Redis (depends on ioredis, package.json:7)", one for each. */
export const proposalLines = ({ proposals }: ServiceProposals): string[] =>
  proposals.map(({ title, reasons }) =>
    `${title} (${reasons.map(({ what, file, line }) => `${what}, ${file}:${line}`).join("; ")})`
  );

/** For `--config FILE`, with the keys of files. */
export function proposalYaml({ config: { fixtures, targetPlugin } }: ServiceProposals): string {
  const { setupScripts, services } = fixtures;
  return stringify({
    fixtures: { ...(setupScripts ? { setup_scripts: setupScripts } : {}), services },
    ...(targetPlugin ? { target_plugin: { config_values: targetPlugin.configValues } } : {}),
  }, { lineWidth: 0 });
}
