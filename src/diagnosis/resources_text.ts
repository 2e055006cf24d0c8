/** What an environment uses, in one line. */
import type { HealthReport } from "../../machines/model/environment.ts";

export function resourcesText(health: HealthReport): string {
  const { diskUsedPercent, memoryUsedPercent, processes, oomKills, problems } = health;
  const numbers = [
    `disk ${diskUsedPercent} % used`,
    `memory ${memoryUsedPercent} % used`,
    `${processes} processes`,
    `${oomKills} killed for lack of memory`,
  ];
  return [numbers.join(", "), ...problems].join("; ");
}
