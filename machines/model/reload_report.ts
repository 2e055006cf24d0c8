/** Changes that a reload of the plugin made. */
import type { ContractCheck } from "./contract.ts";
import type { CloseReport } from "./plugin.ts";

export interface ReloadReport {
  closed: CloseReport[];
  tools: { added: string[]; removed: string[]; changed: string[]; total: number };
  build?: { output: string; durationMs: number };
  /** Comparison with the plugin's stored contract (`.pth/contract.json`); absent if it has none. */
  contract?: ContractCheck;
}
