/** What a reload of the plugin changed. */
import type { ContractCheck } from "./contract.ts";
import type { CloseReport } from "./plugin.ts";

export interface ReloadReport {
  closed: CloseReport[];
  tools: { added: string[]; removed: string[]; changed: string[]; total: number };
  build?: { output: string; durationMs: number };
  /** Beside the contract that the plugin keeps (`.pth/contract.json`); absent where it keeps none. */
  contract?: ContractCheck;
}
