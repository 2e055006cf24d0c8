/** Plans which test files share a process, and in which order the processes run. */
import { createHash } from "node:crypto";
import type { Platform } from "./run_batch.ts";
import type { TestFile } from "./test_file.ts";

/** One process. */
export interface Job {
  files: TestFile[];
  platform: Platform;
}

/** Limits of one process: with more, a processor would be idle at the end. */
const most = { files: 30, seconds: 12 };

/** Neighbours share a process, for they import the same; the job that takes longest comes first. */
export function planJobs(
  files: readonly TestFile[],
  platform: Platform,
  seconds: (file: TestFile, platform: Platform) => number,
): Job[] {
  const jobs: Job[] = [];
  let open: Job | undefined;
  for (const file of files) {
    if (!file.shared) {
      jobs.push({ files: [file], platform });
      continue;
    }
    const full = open === undefined || open.files.length === most.files ||
      sum(open, seconds) + seconds(file, platform) > most.seconds;
    if (full) jobs.push(open = { files: [], platform });
    open!.files.push(file);
  }
  return jobs;
}

/** Longest first, so that none of them runs on alone at the end. */
export const longestFirst = (
  jobs: readonly Job[],
  seconds: (file: TestFile, platform: Platform) => number,
): Job[] => jobs.toSorted((a, b) => sum(b, seconds) - sum(a, seconds));

/** The files in an order that the seed decides: files that disturb each other show in one order or another. */
export const drawnOrder = (files: readonly TestFile[], seed: string): TestFile[] =>
  files.map((file) => ({ file, drawn: createHash("sha1").update(`${seed} ${file.path}`).digest("hex") }))
    .sort((a, b) => a.drawn.localeCompare(b.drawn)).map(({ file }) => file);

const sum = ({ files, platform }: Job, seconds: (file: TestFile, platform: Platform) => number): number =>
  files.reduce((total, file) => total + seconds(file, platform), 0);
