// test: timeout=240
import t from "tap";
import systemd from "../../../src/runtimes/systemd.ts";
import { runtimeContract } from "../../contracts/runtime_contract.ts";
import { needsSystemd, systemdSpec } from "./systemd_subject.ts";

t.setTimeout(180_000);

t.test("systemd", needsSystemd, async (t) => {
  await runtimeContract(t, "systemd", () => ({
    runtime: systemd.create(),
    spec: systemdSpec(),
    leftovers: systemd.leftovers,
    networks: systemd.networks,
  }));
});
