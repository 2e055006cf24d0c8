/** A process for `watchdog_test.ts`: its argument says what it does once it is up. */
import process from "node:process";
import { exitProcess, offSignal, onSignal } from "../../../src/platform/host.ts";
import { armWatchdog } from "../../../src/platform/watchdog.ts";

const [what] = process.argv.slice(2);
const heard = () => {
  console.log("heard");
  if (what === "slow end") setTimeout(() => exitProcess(130), 3_000);
};
for (const signal of ["SIGINT", "SIGTERM"] as const) onSignal(signal, heard);
armWatchdog();
if (what === "no listener") { for (const signal of ["SIGINT", "SIGTERM"] as const) offSignal(signal, heard); }
setTimeout(() => {
  console.log("up");
  // Left running for so long that the test would fail.
  if (what === "held up") { while (performance.now() < 60_000); }
}, 700);
setTimeout(() => exitProcess(0), 60_000);
