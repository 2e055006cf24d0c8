// test: timeout=300 alone
/** A source that guest and host see as one folder. One machine for all of it. */
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import t from "tap";
import vm from "../../../src/runtimes/vm.ts";
import { guestOf, requireDomain } from "../../../src/runtimes/vm/guests.ts";
import { detachSource, tagsIn } from "../../../src/runtimes/vm/sharing/virtiofs_device.ts";
import { unmountSource } from "../../../src/runtimes/vm/sharing/virtiofs_mount.ts";
import { endShare } from "../../../src/runtimes/vm/source.ts";
import { makeSpec, needsVm } from "./vm_subject.ts";

t.setTimeout(300_000);

/** Processes of the host that show a folder to a guest. */
async function showing(folder: string): Promise<string[]> {
  const all = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(all.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => ""))); // it ended
  return lines.filter((line) => line.includes("virtiofsd") && line.includes(folder));
}

t.test("a source shared by virtiofs", needsVm, async (t) => {
  const before = process.env.PTH_VM_SHARE;
  process.env.PTH_VM_SHARE = "virtiofs";
  t.teardown(() => {
    if (before === undefined) delete process.env.PTH_VM_SHARE;
    else process.env.PTH_VM_SHARE = before;
  });
  const runtime = vm.create();
  const spec = await makeSpec(t);
  const source = spec.sourcePath!;
  await mkdir(join(source, "node_modules/brought"), { recursive: true });
  await writeFile(join(source, "package.json"), "{}");
  await writeFile(join(source, "setup.py"), "");
  let handle = await runtime.provision(spec);
  let there = true;
  const destroy = async () => {
    if (there) await runtime.destroy(handle);
    there = false;
  };
  t.teardown(destroy);
  const sh = async (script: string) => {
    const { stdout, stderr, code } = await runtime.exec(handle, ["sh", "-c", script]);
    t.equal(code, 0, `${script}: ${stderr}`);
    return stdout.trim();
  };

  await t.test("is one and the same on both sides, at once", async (t) => {
    t.match(await runtime.mountSource(handle, source, handle.sourcePath), {
      method: "virtiofs",
      latency: /^none/,
    });
    t.not((await showing(source)).length, 0, "virtiofsd shows it");
    const waiting = await runtime.spawn(handle, [
      "sh",
      "-c",
      "until cat edited; do sleep 0.2; done 2>&-; echo ok >answer",
    ]);
    await writeFile(join(source, "edited"), "1");
    t.match(await waiting.exited, { code: 0 }, "what runs sees an edit");
    t.equal(await readFile(join(source, "answer"), "utf8"), "ok\n");
    await rm(join(source, "edited"));
    await sh("test ! -e edited; mkdir -p new/folder; echo mine >new/folder/file; chmod 750 new");
    t.equal(await readFile(join(source, "new/folder/file"), "utf8"), "mine\n");
  });

  await t.test("leaves what is installed on the machine's own disk", async (t) => {
    t.equal(await sh("ls node_modules; echo x >node_modules/installed; echo y >.venv/made"), "brought");
    t.same(await readdir(join(source, "node_modules")), ["brought"]);
    t.same(await readdir(join(source, ".venv")), []);
  });

  const state = await runtime.snapshot(handle, "state");

  await t.test("is there after a snapshot and a rollback, also of a guest where something runs in it", async (t) => {
    t.equal(await sh("cat new/folder/file; ls node_modules"), "mine\nbrought\ninstalled");
    await sh("echo later >new/folder/file; echo x >node_modules/later; touch /mark");
    const runs = await runtime.spawn(handle, ["sleep", "600"]);
    handle = await runtime.rollback(handle, state);
    await runs.exited;
    t.equal(
      await sh("cat new/folder/file; ls node_modules; ls /mark 2>&- || echo back"),
      "later\nbrought\ninstalled\nback",
    );
    t.equal(tagsIn(await (await requireDomain(handle)).xml()).length, 1);
    await sh("echo again >written");
    t.equal(await readFile(join(source, "written"), "utf8"), "again\n");
  });

  await t.test("is taken up as it is by whoever goes on with the machine", async (t) => {
    await endShare(handle.environmentId); // as if this process had never shared it
    const tags = tagsIn(await (await requireDomain(handle)).xml());
    t.match(await runtime.mountSource(handle, source, handle.sourcePath), { method: "virtiofs" });
    t.same(tagsIn(await (await requireDomain(handle)).xml()), tags);
    t.equal(await sh("cat written"), "again");
  });

  await t.test("is synchronized where the guest's kernel has no virtiofs, and says so", async (t) => {
    await endShare(handle.environmentId);
    t.notOk((await readdir(source)).includes(".venv"), "what was made to mount on goes");
    const guest = await guestOf(handle);
    await unmountSource(guest, handle.sourcePath);
    await detachSource(await requireDomain(handle));
    const hidden = "echo install virtiofs /bin/false >/etc/modprobe.d/no.conf && rmmod virtiofs";
    t.match(await guest.exec(["sh", "-c", hidden], { cwd: "/" }), { code: 0 });
    t.match(await runtime.mountSource(handle, source, handle.sourcePath), {
      method: "sync",
      latency: /Not by virtiofs: .*the guest's kernel has no virtiofs/,
    });
    await writeFile(join(source, "synchronized"), "yes");
    t.equal(await sh("cat synchronized; ls node_modules"), "yesbrought\ninstalled");
  });

  await destroy();
  t.same(await showing(source), [], "no virtiofsd outlives the machine");
});
