/** Planned changes as text: a diff of each file, for people to look at before anything is written. */
import { createTwoFilesPatch } from "diff";
import pc from "picocolors";
import { stripEscapes, truncate } from "../../core/text.ts";
import { settingsPath } from "../../platform/settings_file.ts";
import type { AgentPlan, SettingsChange } from "./settings_change.ts";

const longestLine = 160;

/** @param seen Texts that were shown before: the skill is the same for each agent. */
export function renderPlans(plans: readonly AgentPlan[], colour: boolean, seen = new Set<string>()): string {
  const { bold, dim } = pc.createColors(colour);
  return plans.map(({ agent, changes, notes }) => {
    const state = changes.length === 0 ? dim(" nothing to change") : "";
    return [
      `${bold(agent.title)}${state}\n`,
      ...changes.map((change) => renderChange(change, colour, seen)),
      ...notes.map((note) => dim(`  note: ${stripEscapes(note)}`) + "\n"),
    ].join("");
  }).join("\n");
}

function renderChange({ place, before, after }: SettingsChange, colour: boolean, seen: Set<string>): string {
  const { red, green, dim } = pc.createColors(colour);
  const verb = before === undefined ? "new" : after === undefined ? "remove" : "change";
  const head = `  ${verb} ${stripEscapes(settingsPath(place))}`;
  const patch = createTwoFilesPatch("", "", before ?? "", after ?? "", "", "", { context: 1 });
  const lines = patch.trimEnd().split("\n").slice(3).map((line) => {
    const shown = `    ${truncate(withoutSecrets(stripEscapes(line)), longestLine)}`;
    if (line.startsWith("+")) return green(shown);
    return line.startsWith("-") ? red(shown) : dim(shown);
  });
  const text = lines.join("\n");
  if (seen.has(text)) return `${head}\n${dim("    as above")}\n`;
  seen.add(text);
  return `${head}\n${text}\n`;
}

const secretValue =
  /((?:key|token|secret|passw|auth|credential)[\w.-]*["']?\s*[:=]\s*)(?:"(?:[^"\\]|\\.)*"|'[^']*')/gi;

/** Other servers stand next to PTH's, with keys of their own. */
const withoutSecrets = (line: string): string => line.replace(secretValue, '$1"[REDACTED]"');
