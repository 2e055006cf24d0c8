/** Runs jobs at the same time. */
import type { Job } from "./plan_jobs.ts";

/**
 * Runs the jobs in their order, `workers` at a time, and never two of one group. Resolves to the ms at the end in which
 * fewer than `workers` ran.
 */
export async function runJobs(
  jobs: readonly Job[],
  workers: number,
  runJob: (job: Job) => Promise<void>,
): Promise<number> {
  const queue = [...jobs];
  let tailFrom = Infinity;
  const busy = new Set<string>();
  const work = async (): Promise<void> => {
    // Where only jobs of busy groups wait, those who run these groups go on with them.
    for (let job = takeNext(queue, busy); job !== undefined; job = takeNext(queue, busy)) {
      const { group } = job.files[0]!;
      if (group !== undefined) busy.add(group);
      try {
        await runJob(job);
      } finally {
        if (group !== undefined) busy.delete(group);
      }
    }
    tailFrom = Math.min(tailFrom, performance.now());
  };
  await Promise.all(Array.from({ length: workers }, work));
  return performance.now() - tailFrom;
}

function takeNext(queue: Job[], busy: ReadonlySet<string>): Job | undefined {
  const at = queue.findIndex(({ files }) => files[0]!.group === undefined || !busy.has(files[0]!.group));
  return at === -1 ? undefined : queue.splice(at, 1)[0];
}
