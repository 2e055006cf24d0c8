/** Faults that were met, and whether another call shows the same one. */
import type { FuzzInput } from "./arbitraries/inputs.ts";
import type { OracleDefinition, OracleViolation, PastCall, SeenCall } from "./oracle.ts";
import { registry as oracles } from "./oracles/_registry.ts";

/** A fault as it was met. */
export interface Fault {
  oracle: OracleDefinition;
  complaint: OracleViolation;
  /** Input, as it was sent, and its place among those of the tool. */
  drawn: FuzzInput & { template?: Record<string, unknown> };
  path: string;
  /** Calls of the same server before it; undefined if they were too many to remember. */
  earlier: PastCall[] | undefined;
}

export const complaints = (call: SeenCall): { oracle: OracleDefinition; complaint: OracleViolation }[] =>
  oracles.flatMap((oracle) => {
    const complaint = oracle.judge?.(call);
    return complaint === undefined ? [] : [{ oracle, complaint }];
  });

/** Answer of the oracle to the call, where it is the same fault. */
export function sameFault(
  { oracle, complaint }: Pick<Fault, "oracle" | "complaint">,
  call: SeenCall,
): OracleViolation | undefined {
  const again = oracle.judge?.(call);
  return again?.signature === complaint.signature ? again : undefined;
}
