/** Writes lines to the file that it is told, and says how many and when, until it is killed. */
import process from "node:process";
import { openBatchedFile } from "../../../src/platform/batched_file.ts";

const file = await openBatchedFile(process.argv[2]!, () => process.exit(1));
let at = 0;
setInterval(() => {
  for (let more = 0; more < 20; more++) file.write(`{"at":${at++}}\n`);
  process.stdout.write(`${at} ${performance.now()}\n`);
}, 2);
