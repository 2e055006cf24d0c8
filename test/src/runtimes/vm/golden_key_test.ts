import t from "tap";
import { type GoldenInputs, goldenKey } from "../../../../src/runtimes/vm/golden_key.ts";

const inputs: GoldenInputs = {
  recipe: "1",
  image: { name: "debian12-vm", inputs: "sha256:a", builtAt: "2026-01-01T00:00:00.000Z" },
  size: { cpus: 2, memoryMB: 1024, diskGB: 8 },
  accelerator: "tcg",
  hypervisor: "libvirt 9.0.0, QEMU 7.2.22",
};

t.test("the same inputs give the same key, fit for names of files and machines", (t) => {
  t.equal(goldenKey(inputs), goldenKey(structuredClone(inputs)));
  t.match(goldenKey(inputs), /^[0-9a-f]{16}$/);
  t.end();
});

t.test("each input changes the key", (t) => {
  const others: Partial<GoldenInputs>[] = [
    { recipe: "2" },
    { image: { ...inputs.image, name: "debian13-vm" } },
    { image: { ...inputs.image, inputs: "sha256:b" } },
    { image: { ...inputs.image, builtAt: "2026-01-02T00:00:00.000Z" } },
    { size: { ...inputs.size, cpus: 1 } },
    { size: { ...inputs.size, memoryMB: 2048 } },
    { size: { ...inputs.size, diskGB: 9 } },
    { accelerator: "kvm" },
    { hypervisor: "libvirt 9.0.0, QEMU 8.0.0" },
  ];
  const keys = others.map((other) => goldenKey({ ...inputs, ...other }));
  t.equal(new Set([goldenKey(inputs), ...keys]).size, others.length + 1);
  t.end();
});
