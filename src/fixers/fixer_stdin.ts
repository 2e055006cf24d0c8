/** What a fixer command is told: one JSON document on its standard input, described in docs/fixers.md. */
import { Buffer } from "node:buffer";
import type { IterationRecord } from "../../machines/model/iteration.ts";
import { makeRedactor } from "../core/redact.ts";
import { foreignVariable, helperMark } from "../git/git.ts";
import type { FixerInput } from "../api/fixer.ts";

/** Iterations that are told; older ones are in the git history. */
const recordsTold = 10;

/** The document; grows by members only as long as `version` stays. */
function fixerDocument({ iteration, plugin, group, diagnoses, records, distro }: FixerInput) {
  return {
    version: 1,
    iteration,
    ...(distro === undefined ? {} : { distro }),
    plugin,
    group,
    diagnoses,
    history: records.slice(-recordsTold).map(shortened),
  };
}

function shortened({ number, before, after, mended, broken, fixes, refused }: IterationRecord) {
  return {
    iteration: number,
    passedBefore: before.passed,
    totalBefore: before.total,
    passedAfter: after.passed,
    total: after.total,
    mended,
    broken,
    fixes,
    refused,
  };
}

/** The document as text, without secrets. */
export const fixerStdin = (input: FixerInput, secrets: ReadonlyMap<string, string>): string =>
  JSON.stringify(makeRedactor(secrets.values()).value(fixerDocument(input)), undefined, 2) + "\n";

/** The same in short, for scripts that need no more. */
function facts({ iteration, plugin, group, distro }: FixerInput): Record<string, string> {
  return {
    ...(distro === undefined ? {} : { PTH_DISTRO: distro }),
    PTH_ITERATION: String(iteration),
    PTH_PLUGIN: plugin.name,
    PTH_GROUP: group.id,
    PTH_CATEGORY: group.category,
    PTH_CAUSE: group.cause,
    ...(group.place === undefined ? {} : {
      PTH_FILE: group.place.path,
      PTH_LINE: String(group.place.line),
    }),
  };
}

/** A value below this length stands in too many variables to mean the secret. */
const telling = 8;

/**
 * Variables of the command: those of PTH without the server's secrets and what leads git to another repository, and the facts.
 * @param inherited variables of PTH itself
 */
export function fixerEnvironment(
  input: FixerInput,
  { inherited, secrets, sessionId }: {
    inherited: Readonly<Record<string, string>>;
    secrets: ReadonlyMap<string, string>;
    sessionId: string;
  },
): Record<string, string> {
  const redact =
    makeRedactor([...secrets.values()].filter((value) => Buffer.byteLength(value) >= telling)).text;
  const plain = Object.entries(inherited).filter(([name, value]) =>
    !secrets.has(name) && redact(value) === value && !foreignVariable.test(name)
  );
  const told = makeRedactor(secrets.values()).value(facts(input));
  // A NUL ends a variable's value.
  const safe = Object.entries(told).map(([name, value]) => [name, value.replaceAll("\0", " ")]);
  return { ...Object.fromEntries(plain), ...Object.fromEntries(safe), [helperMark]: sessionId };
}
