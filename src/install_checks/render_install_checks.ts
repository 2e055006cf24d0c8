/** Results of install checks, for people and as JSON. */
import type { InstallCheckResult, InstallFault, PackageParts } from "../../machines/model/install_check.ts";
import { count, indentLines, visibleName } from "../core/text.ts";

const partNames = ["tools", "skills", "commands", "agents", "hooks", "programs"] as const;

/** One object for all checks, documented in docs/install-checks.md. */
export const installJson = (checks: readonly InstallCheckResult[]): string =>
  `${JSON.stringify({ format: "pth-install-check/1", faults: faultCount(checks), checks }, undefined, 2)}\n`;

const faultCount = (checks: readonly InstallCheckResult[]): number =>
  checks.reduce((sum, { faults }) => sum + faults.length, 0);

export function renderInstallChecks(checks: readonly InstallCheckResult[]): string {
  const texts = checks.map((check) => {
    const { kind, name, version, faults, installed, source, notes, suite, failedTests = [] } = check;
    const verdict = faults.length === 0 ? "installs as it should" : count(faults.length, "fault");
    return [
      `${kind}  ${name}${version === undefined ? "" : ` ${version}`}: ${verdict}`,
      ...faults.map(faultText),
      ...(installed === undefined || source === undefined ? [] : partsText(installed, source)),
      ...(suite === undefined
        ? []
        : [`  tests      ${suite.passed} passed, ${suite.failed} failed, of ${suite.total}`]),
      ...failedTests.map((test) => `  ✗ test ${visibleName(test)} fails on what was installed`),
      ...notes.map((note) => `  note: ${note}`),
    ].join("\n");
  });
  return `${texts.join("\n\n")}\n`;
}

function faultText({ code, place, message, next, output }: InstallFault): string {
  const lines = [`  ✗ ${place}  ${message}  [${code}]`, `      ${next}`];
  return [...lines, ...(output === undefined ? [] : [indentLines(output, "      │ ")])].join("\n");
}

/** Names of what was installed; a number that the source has more of is told. */
function partsText(installed: PackageParts, source: PackageParts): string[] {
  return partNames.filter((part) => installed[part].length > 0 || source[part].length > 0).map((part) => {
    const [here, there] = [installed[part], source[part]];
    const most = 12;
    const names = here.length > most ? [...here.slice(0, most), `… ${here.length - most} more`] : here;
    const lacking = there.filter((name) => !here.includes(name)).length;
    const rest = lacking === 0 ? "" : ` (the source has ${lacking} more)`;
    return `  ${part.padEnd(9)}  ${names.length === 0 ? "none" : names.join(", ")}${rest}`;
  });
}
