/** A session to be watched, without a harness: what it writes and who acts in it is up to the test. */
import { appendFile, chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Test } from "tap";
import type { AnyActorRef } from "xstate";
import { PthError } from "../../../../src/core/errors.ts";
import type { RecordingWriter } from "../../../../src/visualizer/recording/recording_writer.ts";
import {
  type AnnouncementHandle,
  announceSession,
} from "../../../../src/visualizer/live/announce_session.ts";

export interface Scripted {
  folder: string;
  announcing: AnnouncementHandle;
  actors: Map<string, AnyActorRef>;
  /** Files that it writes to now. */
  writings: Set<string>;
  /** Nothing can be written any more: the disk is full. */
  fillDisk(): void;
  /** What happens next in the session. */
  happen(line: string): Promise<void>;
}

export async function emptyFolder(t: Test, length?: number): Promise<string> {
  const top = await mkdtemp(join(tmpdir(), "pth-"));
  t.teardown(async () => {
    await chmod(top, 0o700);
    await rm(top, { recursive: true, force: true });
  });
  return length === undefined ? join(top, "live") : join(top, "x".repeat(length), "live");
}

export function scriptedSession(
  t: Test,
  folder: string,
  { recording, target }: { recording?: RecordingWriter; target?: string } = {},
): Scripted {
  const writings = new Set<string>();
  let fillDisk = () => {};
  const actors = new Map<string, AnyActorRef>();
  const announcing = announceSession({ command: "run", ...(target === undefined ? {} : { target }) }, {
    folder,
    redact: (text) => text.replaceAll("s3cret", "[REDACTED]"),
    ...(recording === undefined ? {} : { recording }),
    recorder: {
      actor: (id) => actors.get(id),
      async writeTo(path) {
        await writeFile(path, "header\n");
        writings.add(path);
        const ended = new Promise<{ error?: PthError }>((resolve) =>
          fillDisk = () =>
            resolve({ error: new PthError("DISK_FULL", `Cannot write ${path}: the disk is full`) })
        );
        return {
          path,
          ended,
          close: () => {
            writings.delete(path);
            return Promise.resolve();
          },
        };
      },
    },
  });
  t.teardown(() => announcing.close());
  return {
    folder,
    announcing,
    actors,
    writings,
    fillDisk: () => fillDisk(),
    happen: async (line) => {
      for (const path of writings) await appendFile(path, `${line}\n`);
    },
  };
}

/** The one announcement that a folder should hold. */
export async function theOnly<T>(values: Promise<readonly T[]>): Promise<T> {
  const [first, ...others] = await values;
  if (first === undefined || others.length > 0) throw new Error(`expected one, found ${others.length + 1}`);
  return first;
}

/** Resolves once it holds; fails after 5 s. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 250; tries > 0; tries--) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`does not come true: ${holds}`);
}
