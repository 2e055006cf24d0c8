import t from "tap";
import { deviceXml, tagsIn } from "../../../../../src/runtimes/vm/sharing/virtiofs_device.ts";

t.test("the device is described whole, and no path becomes markup", (t) => {
  const xml = deviceXml("pth-source-1", "/a'/><b>&");
  t.match(xml, /^<filesystem type='mount' accessmode='passthrough'><driver type='virtiofs' queue='1024'\/>/);
  t.match(xml, "<binary xattr='on'><cache mode='none'/></binary>");
  t.match(xml, "<source dir='/a&apos;/&gt;&lt;b&gt;&amp;'/><target dir='pth-source-1'/>");
  t.match(xml, "<alias name='ua-pth-source-1'/>", "QEMU's monitor finds it by its alias");
  t.notMatch(xml, "<lock", "locks that wait are the guest's own");
  t.throws(() => deviceXml("pth-source-1", "/a\u0000b"), { code: "INVALID_INPUT" });
  t.end();
});

t.test("a machine's own devices are told from other people's", (t) => {
  const others = "<filesystem type='mount'><source dir='/srv'/><target dir='data'/></filesystem>";
  // As libvirt writes it, each element on a line of its own.
  const mine = deviceXml("pth-source-7", "/src").replaceAll("><", ">\n<");
  t.same(tagsIn(`<domain><devices>${others}${mine}${others}</devices></domain>`), ["pth-source-7"]);
  t.same(tagsIn(`<devices>${others}</devices>`), []);
  t.same(tagsIn("<devices><disk><target dev='vda'/></disk></devices>"), []);
  t.end();
});
