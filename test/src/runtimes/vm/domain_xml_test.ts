import t from "tap";
import {
  agentPortIn,
  domainLabel,
  type DomainPlan,
  domainXml,
  element,
  textOf,
} from "../../../../src/runtimes/vm/domain_xml.ts";
const plan: DomainPlan = {
  name: "pth-one",
  mark: { environmentId: "one", sessionId: "s-1", owner: { pid: 42, startTime: "77" } },
  cpus: 2,
  memoryMB: 1024,
  accelerator: "tcg",
  disk: "/state/vms/one/disk.qcow2",
  boot: { kernel: "/images/vmlinuz", initrd: "/images/initrd", arguments: "root=/dev/vda rw" },
  console: "/state/vms/one/console.log",
};

t.test("a plan becomes a description with everything in its place", (t) => {
  const xml = domainXml(plan);
  t.match(xml, /^<domain type='qemu'><name>pth-one<\/name>/);
  t.match(xml, "<memory unit='MiB'>1024</memory>");
  t.match(xml, "<vcpu>2</vcpu>");
  t.match(xml, "<type arch='x86_64' machine='pc'>hvm</type><kernel>/images/vmlinuz</kernel>");
  t.match(xml, "<cmdline>root=/dev/vda rw</cmdline>");
  t.match(xml, "<source file='/state/vms/one/disk.qcow2'/>");
  t.match(xml, "<source path='/state/vms/one/console.log' append='on'/>");
  t.match(xml, "name='org.qemu.guest_agent.0'");
  t.match(xml, "<stats period='5'/>");
  t.match(xml, "<interface type='user'>");
  t.end();
});

t.test("without a kernel the disk boots, on a machine that takes devices later", (t) => {
  const { boot: _boot, ...fromDisk } = plan;
  const xml = domainXml(fromDisk);
  t.match(xml, "machine='q35'");
  t.match(xml, "<boot dev='hd'/>");
  t.notMatch(xml, "<kernel>");
  t.match(xml, "pcie-root-port");
  t.end();
});

t.test("with KVM the guest gets the host's processor", (t) => {
  const xml = domainXml({ ...plan, accelerator: "kvm" });
  t.match(xml, /^<domain type='kvm'>/);
  t.match(xml, "mode='host-passthrough'");
  t.end();
});

t.test("root's machines run as root, everybody else's as libvirt runs them", (t) => {
  t.match(
    domainXml({ ...plan, asRoot: true }),
    "<seclabel type='static' model='dac' relabel='no'><label>+0:+0<",
  );
  t.notMatch(domainXml(plan), "seclabel");
  t.end();
});

t.test("whose machine it is can be read back, whatever the names hold", (t) => {
  const environmentId = `a'><b>&amp;"]]>`;
  const mark = { environmentId, sessionId: "</pth:session><name>x</name>", owner: { pid: 7 } };
  const xml = domainXml({ ...plan, name: "<evil/>", disk: "/a&b/<c>'\"\n", mark });
  t.same(domainLabel(xml), mark);
  t.equal(xml.match(/<name>/g)?.length, 1, "no value becomes markup");
  t.match(xml, "<name>&lt;evil/&gt;</name>");
  t.match(xml, "file='/a&amp;b/&lt;c&gt;&apos;&quot;&#10;'");
  t.same(domainLabel(domainXml(plan)), plan.mark);
  t.end();
});

t.test("an agent's port is found in what libvirt says", (t) => {
  t.notMatch(domainXml(plan), "plugin-test-harness.agent");
  const xml = domainXml({ ...plan, agentPort: true });
  t.match(xml, "<source mode='bind'/><target type='virtio' name='org.plugin-test-harness.agent'/>");
  const channel = (name: string, state: string) =>
    `<channel type='unix'><source mode='bind' path='/run/${name}'/>` +
    `<target type='virtio' name='${name}' state='${state}'/><alias name='channel1'/></channel>`;
  const [own, other] = ["org.plugin-test-harness.agent", "org.qemu.guest_agent.0"];
  const all = channel(other, "connected") + channel(own, "disconnected");
  t.same(agentPortIn(all), { path: `/run/${own}`, held: false });
  t.same(agentPortIn(channel(own, "connected")), { path: `/run/${own}`, held: true });
  t.equal(agentPortIn(channel(other, "connected")), undefined);
  t.end();
});

t.test("a machine of somebody else's carries no mark", (t) => {
  t.equal(domainLabel("<domain><name>db</name><metadata/></domain>"), undefined);
  t.end();
});

t.test("control characters are refused", (t) => {
  for (const name of ["a\u0000b", "a\u001bb", "\ud800"]) {
    t.throws(() => domainXml({ ...plan, name }), { code: "INVALID_INPUT" });
  }
  t.end();
});

t.test("elements leave out what has no value", (t) => {
  t.equal(element("a", { b: undefined, c: 0 }, undefined, false, 0, "").text, "<a c='0'>0</a>");
  t.equal(element("a").text, "<a/>");
  t.throws(() => element("a b"), TypeError);
  t.equal(textOf("<a><name x='1'>b &amp; c</name></a>", "name"), "b & c");
  t.equal(textOf("<a/>", "name"), undefined);
  t.end();
});
