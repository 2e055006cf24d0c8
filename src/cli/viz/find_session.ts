/** Which live session is meant, and how the running ones are told to people. */
import { PthError } from "../../errors.ts";
import type { Announcement } from "../../visualizer/live/announcement.ts";
import { renderTable } from "../table.ts";

/** @throws {PthError} `INVALID_INPUT` where none runs under that name */
export function findSession(named: string, running: readonly Announcement[]): Announcement {
  const found = running.find(({ id, sessionId, owner }) =>
    [id, sessionId, String(owner.pid)].includes(named)
  );
  if (found !== undefined) return found;
  throw new PthError("INVALID_INPUT", `Cannot show session ${named}: no such session runs`, {
    next: running.length === 0
      ? [
        "Start one: pth run <target>, or ask the tools of pth mcp for one",
        "Look at a recording: pth viz <file>",
      ]
      : running.map((one) => `pth viz --session ${one.id} (pth ${one.command}${targetOf(one)})`),
  });
}

const targetOf = ({ target }: Announcement): string => target === undefined ? "" : ` ${target}`;

export const tableOf = (running: readonly Announcement[]): string =>
  renderTable(
    ["SESSION", "PROCESS", "COMMAND", "SINCE", "TARGET"],
    running.map(({ id, owner, command, startedAt, target }) => [
      id,
      String(owner.pid),
      `pth ${command}`,
      startedAt.slice(0, 19).replace("T", " "),
      target ?? "",
    ]),
  );
