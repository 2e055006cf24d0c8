/**
 * `deno task bench [part …]`: what PTH costs, beside the plain tool measured in the same run.
 *
 * Absolute times tell about the machine; the ratios tell about PTH. Nothing here passes or fails. Several parts run in
 * a process each: what one leaves in memory is none of the next one's.
 */
import { registry } from "./bench/registry.ts";
import { printTable } from "./bench/table.ts";

const wanted = Deno.args.length > 0 ? Deno.args : Object.keys(registry);
for (const name of wanted) {
  if (name in registry) continue;
  console.error(`There is no part "${name}"; choose among: ${Object.keys(registry).join(", ")}`);
  Deno.exit(2);
}
const [only, ...more] = wanted;
if (more.length > 0) {
  for (const name of wanted) {
    const args = ["run", "-A", import.meta.filename!, name];
    const { success } = await new Deno.Command(Deno.execPath(), { args }).spawn().status;
    if (!success) Deno.exit(1);
  }
  Deno.exit(0);
}
const name = only as keyof typeof registry;
// What the bench runs is no run of the user's plugins.
const history = await Deno.makeTempDir({ prefix: "pth-bench-history-" });
Deno.env.set("PTH_HISTORY_DIR", history);
console.error(`measuring ${name} …`);
printTable(name, await registry[name]());
await Deno.remove(history, { recursive: true });
// Connections of the engine's client are kept open; nothing is left to wait for.
Deno.exit(0);
