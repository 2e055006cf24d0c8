/**
 * `deno task bench [part …]`: what PTH costs, beside the plain tool measured in the same run.
 *
 * Absolute times tell about the machine; the ratios tell about PTH. Nothing here passes or fails.
 */
import { registry } from "./bench/registry.ts";
import { printTable } from "./bench/table.ts";

const wanted = Deno.args.length > 0 ? Deno.args : Object.keys(registry);
// What the bench runs is no run of the user's plugins.
const history = await Deno.makeTempDir({ prefix: "pth-bench-history-" });
Deno.env.set("PTH_HISTORY_DIR", history);
for (const name of wanted) {
  const part = registry[name as keyof typeof registry];
  if (!part) {
    console.error(`There is no part "${name}"; choose among: ${Object.keys(registry).join(", ")}`);
    Deno.exit(2);
  }
  console.error(`measuring ${name} …`);
  printTable(name, await part());
}
await Deno.remove(history, { recursive: true });
// Connections of the engine's client are kept open; nothing is left to wait for.
Deno.exit(0);
