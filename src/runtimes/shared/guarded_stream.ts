/** Bytes on their way out of an environment, watched: they must go on coming, and the reader must get on with them. */
import { Transform } from "node:stream";
import { copyFailed, type CopyOrder, stalled } from "./copy_limits.ts";

/** Bytes between two files of an archive: names and attributes of one file, which are kept in memory. */
const longestHeader = 4 * 1024 * 1024;

export interface GuardedStream {
  stream: Transform;
  /** To be called whenever a file begins or goes on. */
  progress(): void;
}

/** A stream that fails with `COPY_FAILED` where nothing comes for a minute, an archive is all headers, or nobody wants it any more. */
export function guardedStream(
  { action, signal }: Pick<CopyOrder, "action" | "signal">,
  quietMs = stalled,
): GuardedStream {
  let since = 0;
  const cancel = () => void stream.destroy(copyFailed(action, "it was cancelled"));
  const quiet = () => {
    stream.destroy(
      copyFailed(action, `nothing came for ${Math.round(quietMs / 1000)} s`, [
        "See whether it is a fifo, or still written to",
      ]),
    );
  };
  let timer = setTimeout(quiet, quietMs);
  const stream = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      clearTimeout(timer);
      timer = setTimeout(quiet, quietMs);
      since += chunk.byteLength;
      if (since <= longestHeader) return done(null, chunk);
      done(copyFailed(action, "its archive has headers of more than 4 MB"));
    },
    destroy(error, done) {
      clearTimeout(timer);
      signal?.removeEventListener("abort", cancel);
      done(error);
    },
    flush(done) {
      clearTimeout(timer);
      done();
    },
  });
  signal?.addEventListener("abort", cancel, { once: true });
  if (signal?.aborted) cancel();
  return { stream, progress: () => since = 0 };
}
