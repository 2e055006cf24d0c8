/** Collection of garbage while little of it is there, instead of when the heap has grown to several times its size. */
import v8 from "node:v8";
import { isDeno } from "./deno.ts";

/** Percent that the heap grows by, at most, between two collections of its old part. */
const mostGrowth = 30;

/**
 * Limits the resident memory of runs. What a test leaves behind lives long enough to reach the old part of the heap, where
 * it would stay until that has grown several times. V8 reads the limit at each collection; Deno is left as it is.
 */
export function limitHeapGrowth(): void {
  if (!isDeno) v8.setFlagsFromString(`--heap-growing-percent=${mostGrowth}`);
}
