/** Changes its /etc and its packages beside a living box, then the box itself. Run by host_changes_test.ts where these are its own. */
import { runCommand } from "../../../src/platform/process.ts";
import { createSandbox } from "../../../src/runtimes/sandbox.ts";

const onHost = `
set -e
echo changed >>/etc/hosts; echo new >/etc/pth-host.conf; chmod 600 /etc/group; ln -sfn /usr/share/zoneinfo/Etc/GMT /etc/localtime
echo 'hostuser:x:4322:4322::/:/bin/sh' >>/etc/passwd; echo 'hostgroup:x:4322:' >>/etc/group
if [ -f /var/lib/dpkg/status ]; then
  printf 'Package: pth-host\\nStatus: install ok installed\\nArchitecture: all\\nMaintainer: x <x@y>\\nVersion: 1\\nDescription: x\\n\\n' \
    >>/var/lib/dpkg/status
fi
`;
const inBox = `
set -e
echo 'boxuser:x:4321:4321::/:/bin/sh' >>/etc/passwd; echo x >/etc/pth-box.conf; chmod 600 /etc/pth-host.conf
ln -sfn /usr/share/zoneinfo/Etc/UTC /etc/localtime
`;

const runtime = createSandbox();
const id = crypto.randomUUID();
const spec = {
  environmentId: `drift-${id}`,
  sessionId: `drift-${id}`,
  tier: 1,
  env: {},
  resources: {},
} as const;
await runCommand(["ln", "-sfn", "/usr/share/zoneinfo/Etc/UTC", "/etc/localtime"]);
const handle = await runtime.provision({ ...spec });
try {
  const baseline = await runtime.fingerprint(handle);
  const changed = await runCommand(["sh", "-c", onHost]);
  if (changed.code !== 0) throw new Error(changed.stderr);
  const host = await runtime.detectDrift(handle, baseline);
  const inside = await runtime.exec(handle, ["sh", "-c", inBox], { cwd: "/" });
  if (inside.code !== 0) throw new Error(inside.stderr);
  const both = await runtime.detectDrift(handle, baseline);
  console.log(JSON.stringify({ host, both }));
} finally {
  await runtime.destroy(handle);
}
