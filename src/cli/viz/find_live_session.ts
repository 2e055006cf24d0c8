/** Which live session is meant, and how the running ones are told to people. */
import { PthError } from "../../core/errors.ts";
import type { Announcement } from "../../registry/announcement.ts";
import { whatRuns } from "../../visualizer/server/viewer_source.ts";
import { renderTable } from "../render_table.ts";

/** @throws {PthError} `INVALID_INPUT` where none runs under that name, or several do in that process */
export function findLiveSession(named: string, running: readonly Announcement[]): Announcement {
  const found = running.filter(({ id, sessionId, owner }) =>
    [id, sessionId, String(owner.pid)].includes(named)
  );
  if (found.length === 1) return found[0]!;
  const choice = (of: readonly Announcement[]) =>
    of.map((one) => `pth viz --session ${one.id} (${whatRuns(one)}${targetOf(one)})`);
  if (found.length > 1) {
    const state = `${found.length} sessions run in that process`;
    throw new PthError("INVALID_INPUT", `Cannot show session ${named}: ${state}`, { next: choice(found) });
  }
  throw new PthError("INVALID_INPUT", `Cannot show session ${named}: no such session runs`, {
    next: running.length === 0
      ? [
        "Start one: pth run <target>, or ask the tools of pth mcp for one",
        "Look at a recording: pth viz <file>",
      ]
      : choice(running),
  });
}

const targetOf = ({ target }: Announcement): string => target === undefined ? "" : ` ${target}`;

export const tableOf = (running: readonly Announcement[]): string =>
  renderTable(
    ["SESSION", "PROCESS", "COMMAND", "SINCE (LOCAL TIME)", "TARGET"],
    running.map((one) => [
      one.id,
      String(one.owner.pid),
      whatRuns(one),
      localTime(new Date(one.startedAt)),
      one.target ?? "",
    ]),
  );

/** As the page tells times of day: `2026-01-15 11:30:00`. */
function localTime(at: Date): string {
  const two = (number: number) => String(number).padStart(2, "0");
  const day = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join("-");
  return `${day} ${[at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(":")}`;
}
