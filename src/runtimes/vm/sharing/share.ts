/** A host folder that a guest sees, by whichever way works there (PTH design §5.1, `mountSource`). */
import type { MountInfo } from "../../../../machines/model/environment.ts";
import type { EnvironmentProcess } from "../../runtime.ts";
import type { Guest } from "../guest.ts";

export interface Share {
  /** Which way, and its latency. */
  readonly mount: MountInfo;
  /** What was edited on the host is in the guest once it resolves. */
  bringIn(): Promise<void>;
  /** What the guest wrote is on the host once it resolves. */
  bringOut(): Promise<void>;
  /** While something runs on in the guest, both are done now and then, until the function given back is called. */
  keepUp(): () => void;
  /** Lets go of what stands in a snapshot's way. @throws {PthError} `SNAPSHOT_FAILED` where something in use holds it */
  release(): Promise<void>;
  /** Before the machine goes back in time, whose guest may be broken: what it still does can be left undone. */
  abandon(): Promise<void>;
  /** After a snapshot or a rollback: the guest sees the folder again, as it is on the host. */
  regain(): Promise<void>;
  close(): Promise<void>;
}

/** What a way of sharing has to work with. */
export interface Sharing {
  guest: Guest;
  hostPath: string;
  /** Absolute; made where it is missing. */
  envPath: string;
}

/** The guest with its commands between `bringIn` and `bringOut`. */
export function withShare(guest: Guest, share: Share): Guest {
  const around = async <T>(act: () => Promise<T>): Promise<T> => {
    await share.bringIn();
    const stop = share.keepUp();
    try {
      const result = await act();
      await share.bringOut();
      return result;
    } catch (error) {
      await share.bringOut().catch(() => {}); // why the command failed is told, and counts
      throw error;
    } finally {
      stop();
    }
  };
  return {
    ...guest,
    get how() {
      return guest.how;
    },
    exec: (command, options) => around(() => guest.exec(command, options)),
    copyIn: (hostPath, envPath) => around(() => guest.copyIn(hostPath, envPath)),
    copyOut: (envPath, hostPath) => around(() => guest.copyOut(envPath, hostPath)),
    async spawn(command, options): Promise<EnvironmentProcess> {
      await share.bringIn();
      const stop = share.keepUp();
      try {
        const process = await guest.spawn(command, options);
        const exited = process.exited.then(async (status) => {
          stop();
          await share.bringOut().catch(() => {}); // a guest that is gone has nothing more to bring; the next command tells
          return status;
        });
        return { ...process, exited };
      } catch (error) {
        stop();
        throw error;
      }
    },
  };
}
