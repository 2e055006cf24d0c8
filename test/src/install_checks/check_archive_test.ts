import { Buffer } from "node:buffer";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import tar, { type Headers } from "tar-stream";
import t, { type Test } from "tap";
import { checkArchive } from "../../../src/install_checks/check_archive.ts";
import { writeFile } from "../../../src/platform/files.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";
import { type ZipEntry, zipOf } from "../../support/zip_of.ts";

const limits = { maxBytes: 1024 * 1024, maxEntries: 20 };

/** Reason why an archive is refused; undefined for one that is taken. */
async function refusal(t: Test, name: string, bytes: Uint8Array): Promise<string | undefined> {
  const file = join(await temporaryFolder(t), name);
  await writeFile(file, bytes);
  return await checkArchive(file, name, limits).then(() => undefined, (error) => {
    t.match(error, { code: "INVALID_INPUT", context: { next: [/./] } });
    return error.message;
  });
}

const zip = (t: Test, ...entries: ZipEntry[]) => refusal(t, "a.mcpb", zipOf(entries));

async function tgz(t: Test, entries: (Partial<Headers> & { content?: string })[]) {
  const pack = tar.pack();
  for (const { content = "", ...header } of entries) {
    pack.entry({ name: "package/a.js", ...header }, header.linkname === undefined ? content : "");
  }
  pack.finalize();
  const chunks: Uint8Array[] = [];
  for await (const chunk of pack) chunks.push(chunk as Uint8Array);
  return await refusal(t, "a.tgz", gzipSync(Buffer.concat(chunks)));
}

t.test("an archive of files and folders is taken", async (t) => {
  const files = [{ path: "lib/", mode: 0o040755 }, { path: "lib/a..b.js", content: "x".repeat(5000) }];
  t.equal(await zip(t, ...files), undefined);
  t.equal(await tgz(t, [{ name: "package", type: "directory" }, { content: "x" }]), undefined);
});

t.test("names that lead out of it are told", async (t) => {
  for (const path of ["../x", "a/../../x", "a\\..\\..\\x"]) {
    t.match(
      await zip(t, { path: "first" }, { path }),
      /^Cannot unpack a\.mcpb: it names .*, which leads out of it$/,
    );
  }
  for (const path of ["/etc/x", "C:\\x", "\\\\host\\x"]) {
    t.match(await zip(t, { path }), /it names .*, a place of the machine$/);
  }
  t.match(
    await tgz(t, [{ name: "package/../../x" }]),
    /it names package\/\.\.\/\.\.\/x, which leads out of it$/,
  );
  t.match(await tgz(t, [{ name: "/etc/x" }]), /it names \/etc\/x, a place of the machine$/);
});

t.test("links and devices are refused", async (t) => {
  t.match(
    await zip(t, { path: "lib/x", content: "/etc/passwd", mode: 0o120777 }),
    /lib\/x is a link, and a package holds files and folders alone$/,
  );
  t.match(await tgz(t, [{ type: "symlink", linkname: "/etc" }]), /package\/a\.js is a link/);
  t.match(await tgz(t, [{ type: "link", linkname: "package/b" }]), /package\/a\.js is a link/);
  t.match(await tgz(t, [{ type: "character-device" }]), /package\/a\.js is a device/);
});

t.test("what unpacks to too much is refused, whatever it tells of itself", async (t) => {
  const large = "0".repeat(limits.maxBytes + 1);
  t.match(await zip(t, { path: "large", content: large }), /it unpacks to more than 1 MiB$/);
  t.match(await zip(t, { path: "large", content: large, told: 10 }), /damaged.*too many bytes/);
  const halves = ["a", "b", "c"].map((path) => ({ path, content: large.slice(0, limits.maxBytes / 2) }));
  t.match(await zip(t, ...halves), /it unpacks to more than 1 MiB$/);
  t.match(await tgz(t, [{ content: large }]), /it unpacks to more than 1 MiB$/);
});

t.test("what holds too many files is refused", async (t) => {
  const paths = Array.from({ length: limits.maxEntries + 1 }, (_, index) => `f${index}`);
  t.match(await zip(t, ...paths.map((path) => ({ path }))), /it holds more than 20 files and folders$/);
  t.match(await tgz(t, paths.map((name) => ({ name }))), /it holds more than 20 files and folders$/);
});

t.test("what is damaged, encrypted or another thing is told", async (t) => {
  t.match(await zip(t, { path: "a", encrypted: true }), /a is encrypted$/);
  t.match(
    await refusal(t, "a.whl", Buffer.from("no zip")),
    /it is damaged, or not what its name says: End of central/,
  );
  t.match(await refusal(t, "a.crate", Buffer.from("no tar")), /it is damaged, or not what its name says/);
  const whole = zipOf([{ path: "a", content: "hello" }]);
  t.match(await refusal(t, "a.dxt", whole.subarray(0, whole.length - 8)), /it is damaged/);
});
