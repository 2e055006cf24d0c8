/** Branch work `save_contract`: the server's surface as it is becomes the one that is compared with. */
import { join, posix } from "node:path";
import type { ContractCheck } from "../../../machines/model/contract.ts";
import { writeContract } from "../../contract/contract_file.ts";
import { commitExport } from "../../export/commit_export.ts";
import { writeInside } from "../../platform/write_inside.ts";
import type { SessionResources } from "../session_resources.ts";
import type { SaveContractArgs } from "../../../machines/model/branch_work.ts";

/** @throws {PthError} `INVALID_INPUT` where a link leads out of the folder, `GIT_FAILED` */
export async function saveContract(
  live: SessionResources,
  { surface, path }: SaveContractArgs,
): Promise<NonNullable<ContractCheck["saved"]>> {
  const source = live.code.source!;
  await writeInside(join(source.worktree, source.subfolder), [{ path, text: writeContract(surface) }]);
  const commit = await commitExport(source, [posix.join(source.subfolder, path)], {
    type: "tests",
    title: "keep the server's contract",
  });
  return { path, ...(commit === undefined ? {} : { commit }) };
}
