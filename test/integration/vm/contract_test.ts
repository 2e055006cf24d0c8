// test: timeout=900 group=vm
import t from "tap";
import vm from "../../../src/runtimes/vm.ts";
import { runtimeContract } from "../../contracts/runtime_contract.ts";
import { makeSpec, needsVm } from "./vm_subject.ts";

t.setTimeout(880_000);

t.test("vm", needsVm, async (t) => {
  await runtimeContract(t, "vm", () => ({
    runtime: vm.create(),
    spec: makeSpec({ resources: { cpus: 2, memoryMB: 1024, diskGB: 8 } }),
    leftovers: vm.leftovers,
    networks: vm.networks,
    outputMB: 4, // through a cipher, on a processor that is emulated
  }));
});
