import t from "tap";
import { catalogue } from "../../../../src/runtimes/images/catalogue.ts";
import { needsPlugins, planPacker, seedOf } from "../../../../src/runtimes/images/plan_packer.ts";
t.test("the seed gives root our key and the machine a host key that is known beforehand", (t) => {
  const text = seedOf("ssh-ed25519 AAAA client", {
    private: "-----BEGIN\nkey\n",
    public: "ssh-ed25519 BBBB host",
  });
  const [first, ...rest] = text.split("\n");
  t.equal(first, "#cloud-config");
  t.match(JSON.parse(rest.join("\n")), {
    disable_root: false,
    ssh_pwauth: false,
    users: [{ name: "root", ssh_authorized_keys: ["ssh-ed25519 AAAA client"] }],
    ssh_keys: { ed25519_private: "-----BEGIN\nkey\n", ed25519_public: "ssh-ed25519 BBBB host" },
  });
  t.end();
});

t.test("only Packer 1.7 and newer is told of plugins", (t) => {
  t.same(["1.6.6", "1.7.0", "1.10.3", "2.0.0"].map(needsPlugins), [false, true, true, true]);
  t.end();
});

t.test("a disk to start from that is not there is refused before anything starts", async (t) => {
  const fedora = catalogue.find(({ name }) => name === "fedora-vm")!;
  await t.rejects(planPacker(fedora, "no/such.qcow2"), {
    code: "INVALID_INPUT",
    message: /Cannot build image fedora-vm: there is no disk \/.*no\/such\.qcow2/,
  });
});
