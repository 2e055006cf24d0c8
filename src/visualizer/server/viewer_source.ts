/** A source in words, as the page lists it. */
import { basename } from "node:path";
import type { Announcement } from "../../registry/announcement.ts";
import type { ViewerSource } from "./api.ts";

export const recordingId = "recording";
export const liveId = ({ id }: Announcement): string => `live-${id}`;

export const recordingSource = (path: string): ViewerSource => ({
  id: recordingId,
  kind: "recording",
  title: basename(path),
  detail: path,
  state: "whole",
  maySend: false,
});

export const sessionSource = (announcement: Announcement, maySend: boolean): ViewerSource => ({
  id: liveId(announcement),
  kind: "live",
  title: announcement.target ?? `pth ${announcement.command}`,
  detail: `${whatRuns(announcement)}, since ${clock(announcement.startedAt)}`,
  state: "live",
  maySend,
});

/** `pth run`, `pth run on debian13`. */
export const whatRuns = ({ command, entry }: Announcement): string =>
  `pth ${command}${entry === undefined ? "" : ` on ${entry}`}`;

/** `14:03`, of this machine. */
const clock = (iso: string): string => {
  const time = new Date(iso);
  return [time.getHours(), time.getMinutes()].map((part) => String(part).padStart(2, "0")).join(":");
};
