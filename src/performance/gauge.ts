/** What a server used so far: read before and after a row of calls, cheap enough to do so for each tool. */

/** Sums since some beginning, of all processes of the server; absent where nobody can tell. */
export interface ServerUsage {
  cpuMs?: number;
  memoryBytes?: number;
  /** The most since the last `restart`. */
  peakBytes?: number;
  readBytes?: number;
  writtenBytes?: number;
}

export interface Gauge {
  /** Where the figures come from, for the report. */
  source: string;
  /** Forgets the peak of memory, where the kernel lets it. */
  restart(): Promise<void>;
  read(): Promise<ServerUsage>;
}
