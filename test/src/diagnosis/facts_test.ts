import t from "tap";
import { diskLines } from "../../../src/diagnosis/disk_state.ts";
import { networkWords } from "../../../src/plugin/known_failure.ts";
import { hostsIn } from "../../../src/plugin/run_step.ts";
import { resourcesText } from "../../../src/diagnosis/server_state.ts";

t.test("the hosts that an installer could not reach are found in its output, without credentials", (t) => {
  const npm =
    "npm error code ENOTFOUND\nnpm error request to https://me:secret@registry.example:4873/left-pad failed, " +
    "reason: getaddrinfo ENOTFOUND registry.example";
  t.same(hostsIn(npm), ["registry.example:4873"]);
  t.same(hostsIn("connect ECONNREFUSED 10.0.0.1:8080"), ["10.0.0.1:8080"]);
  t.same(hostsIn("getaddrinfo EAI_AGAIN pypi.example"), ["pypi.example:443"]);
  t.same(hostsIn("http://plain.example/simple"), ["plain.example:80"]);
  t.same(hostsIn("no host here"), []);
  t.end();
});

t.test("network failures are told from others", (t) => {
  for (
    const text of ["npm error code EAI_AGAIN", "Temporary failure in name resolution", "NewConnectionError("]
  ) {
    t.match(text, networkWords);
  }
  for (const text of ["npm error code ERESOLVE", "error TS2304: Cannot find name", "exited with 1"]) {
    t.notMatch(text, networkWords);
  }
  t.end();
});

t.test("each file system is told once, with what is free", (t) => {
  const df = [
    "Filesystem 1024-blocks Used Available Capacity Mounted on",
    "tmpfs 32768 32768 0 100% /tmp/a disk",
    "/dev/vda 1048576 524288 524288 50% /",
    "/dev/vda 1048576 524288 524288 50% /",
  ].join("\n");
  t.same(diskLines(df), [
    "/tmp/a disk: 100% used (32 of 32 MiB), 0 MiB free",
    "/: 50% used (512 of 1024 MiB), 512 MiB free",
  ]);
  t.end();
});

t.test("resources are one line, problems behind them", (t) => {
  const health = {
    healthy: false,
    problems: ["The disk is 99 % full"],
    diskUsedPercent: 99,
    memoryUsedPercent: 12.5,
    processes: 4,
    zombies: 0,
    oomKills: 1,
    failedUnits: [],
  };
  const numbers = "disk 99 % used, memory 12.5 % used, 4 processes, 1 killed for lack of memory";
  t.equal(resourcesText(health), `${numbers}; The disk is 99 % full`);
  t.end();
});
