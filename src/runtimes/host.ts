/** Plain processes on the host, in a copy of the source. */
import { hostRuntime } from "./host/host_runtime.ts";
import { defineRuntime } from "./runtime.ts";

export default defineRuntime(hostRuntime({
  name: "host",
  summary: "plain processes in the copy of your plugin; nothing is isolated, and it says so",
  needs: "nothing",
  rank: 3,
}));
