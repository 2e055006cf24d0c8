// Samples the threads of a process tree: one JSON line for each line on stdin; the first line says whether it can. Runs
// where the processes run, on Node or Deno, behind `proc.mjs` in one module, reads /proc alone, and stops nothing.

/** Bound of one sample. */
const mostThreads = 1000;
const clockTicks = 100;

/** Names of system calls by number. */
const callsOf = (text) => Object.fromEntries(text.split(" ").map((entry) => entry.split(":")));
const x64 = callsOf(
  "0:read 1:write 7:poll 19:readv 20:writev 23:select 34:pause 35:nanosleep 42:connect 43:accept 44:sendto " +
    "45:recvfrom 46:sendmsg 47:recvmsg 61:wait4 72:fcntl 73:flock 128:rt_sigtimedwait 130:rt_sigsuspend 202:futex " +
    "219:restart_syscall 230:clock_nanosleep 232:epoll_wait 247:waitid 270:pselect6 271:ppoll 281:epoll_pwait " +
    "288:accept4 426:io_uring_enter 441:epoll_pwait2 449:futex_waitv",
);
const arm64 = callsOf(
  "22:epoll_pwait 25:fcntl 32:flock 63:read 64:write 65:readv 66:writev 72:pselect6 73:ppoll 95:waitid 98:futex " +
    "101:nanosleep 115:clock_nanosleep 128:restart_syscall 133:rt_sigsuspend 137:rt_sigtimedwait 202:accept " +
    "203:connect 206:sendto 207:recvfrom 211:sendmsg 212:recvmsg 242:accept4 260:wait4 426:io_uring_enter " +
    "441:epoll_pwait2 449:futex_waitv",
);
/** The machine's system calls, and its number in ELF headers. */
const machine = { x64: { calls: x64, elf: 62 }, arm64: { calls: arm64, elf: 183 } }[process.arch];

/** Bits of a set of `select`. */
function selected(pid, count, addresses) {
  const files = new Set();
  const length = Math.ceil(count / 64) * 8;
  for (const address of addresses) {
    const bytes = address === 0n ? undefined : memory(pid, address, length);
    if (bytes) { for (let at = 0; at < count; at++) if (bytes[at >> 3] & (1 << (at & 7))) files.add(at); }
  }
  return [...files];
}

const ended = { wait: { kind: "running" } };
const waitsOf = {
  futex(t, arg) {
    const op = Number(arg(1)),
      call = op & 0x7f,
      isPrivate = (op & 0x80) !== 0,
      value = Number(arg(2) & 0xffffffffn);
    if (![0, 6, 9, 11, 13].includes(call)) return { wait: { kind: "other", call: "futex" } };
    const clock = call === 0 ? "relative" : call === 6 || (op & 0x100) !== 0 ? "realtime" : "monotonic";
    const time = arg(3) === 0n ? {} : timeAt(t, arg(3), clock);
    if (!isPrivate && value !== t.tid && t.siblings.has(value)) {
      return { wait: { kind: "join", target: value }, ...time };
    }
    const wait = {
      kind: "lock",
      address: `0x${arg(0).toString(16)}`,
      ...(isPrivate ? {} : { shared: true }),
    };
    const bytes = memory(t.pid, arg(0), 20);
    let owner;
    if (bytes && (call === 6 || call === 13)) owner = bytes.readUInt32LE(0) & 0x3fffffff;
    // pthread_mutex_t of glibc: lock, count, owner, users, kind.
    else if (
      bytes && bytes.readUInt32LE(0) === 2 && value === 2 && bytes.readUInt32LE(12) < 100_000 &&
      (bytes.readUInt32LE(16) & 0x7f) <= 3
    ) owner = bytes.readInt32LE(8);
    return { wait: t.siblings.has(owner) ? { ...wait, owner } : wait, ...time };
  },
  nanosleep: (t, arg) => ({ wait: { kind: "timer" }, ...timeAt(t, arg(0), "relative") }),
  clock_nanosleep(t, arg) {
    const clock = { 0: "realtime", 1: "monotonic" }[Number(arg(0))];
    const absolute = (Number(arg(1)) & 1) === 1;
    const time = absolute && !clock ? { wakesAt: 0 } : timeAt(t, arg(2), absolute ? clock : "relative");
    return { wait: { kind: "timer" }, ...time };
  },
  epoll_wait: (t, arg) => eventLoop(t, epolled(t.pid, Number(arg(0))), afterMs(t, arg(3))),
  epoll_pwait: (t, arg) => eventLoop(t, epolled(t.pid, Number(arg(0))), afterMs(t, arg(3))),
  epoll_pwait2: (t, arg) =>
    eventLoop(t, epolled(t.pid, Number(arg(0))), arg(3) === 0n ? {} : timeAt(t, arg(3), "relative")),
  poll: (t, arg) => eventLoop(t, polled(t.pid, arg(0), Number(arg(1))), afterMs(t, arg(2))),
  ppoll: (t, arg) =>
    eventLoop(t, polled(t.pid, arg(0), Number(arg(1))), arg(2) === 0n ? {} : timeAt(t, arg(2), "relative")),
  select: (t, arg) =>
    eventLoop(
      t,
      selected(t.pid, Math.min(1024, Number(arg(0))), [arg(1), arg(2), arg(3)]),
      arg(4) === 0n ? {} : timeAt(t, arg(4), "timeval"),
    ),
  pselect6: (t, arg) =>
    eventLoop(
      t,
      selected(t.pid, Math.min(1024, Number(arg(0))), [arg(1), arg(2), arg(3)]),
      arg(4) === 0n ? {} : timeAt(t, arg(4), "relative"),
    ),
  wait4(_t, arg) {
    const target = Number(BigInt.asIntN(32, arg(0)));
    return { wait: target > 0 ? { kind: "child", target } : { kind: "child" } };
  },
  waitid: (_t, arg) => ({
    wait: arg(0) === 1n ? { kind: "child", target: Number(arg(1)) } : { kind: "child" },
  }),
  pause: () => ({ wait: { kind: "signal" } }),
  rt_sigsuspend: () => ({ wait: { kind: "signal" } }),
  rt_sigtimedwait: (t, arg) => ({
    wait: { kind: "signal" },
    ...(arg(2) === 0n ? {} : timeAt(t, arg(2), "relative")),
  }),
};
for (const call of ["read", "readv", "recvfrom", "recvmsg", "accept", "accept4"]) {
  waitsOf[call] = (t, arg) => {
    const { watched: [from], peers } = watch(t.pid, [Number(arg(0))], "writers", t.pids, t.taken);
    return { wait: { kind: "input", from, ...(peers ? { peers } : {}) }, files: true };
  };
}
for (const call of ["write", "writev", "sendto", "sendmsg", "connect"]) {
  waitsOf[call] = (t, arg) => {
    const { watched: [to], peers } = watch(t.pid, [Number(arg(0))], "readers", t.pids, t.taken);
    return { wait: { kind: "output", to, ...(peers ? { peers } : {}) }, files: true };
  };
}
/** Earliest time at which a wait ends by itself, in ms of the monotonic clock. What cannot be read may end at once. */
function timeAt(t, address, clock) {
  const bytes = memory(t.pid, address, 16);
  if (!bytes) return { wakesAt: 0 };
  const part = Number(bytes.readBigInt64LE(8));
  const ms = Number(bytes.readBigInt64LE(0)) * 1000 + (clock === "timeval" ? part / 1e3 : part / 1e6);
  if (clock === "monotonic") return { wakesAt: ms };
  return { wakesAt: clock === "realtime" ? monotonicMs() + ms - Date.now() : t.since + ms, ms };
}
function afterMs(t, value) {
  const ms = Number(BigInt.asIntN(32, value));
  return ms < 0 ? {} : { wakesAt: t.since + ms, ms };
}
const epolled = (pid, file) =>
  [...(read(`/proc/${pid}/fdinfo/${file}`) ?? "tfd: -1").matchAll(/^tfd:\s*(-?\d+)/gm)].map(([, each]) =>
    Number(each)
  );
function polled(pid, address, count) {
  if (count === 0) return [];
  const bytes = count <= 256 ? memory(pid, address, count * 8) : undefined;
  if (!bytes) return [-1];
  return Array.from({ length: count }, (_, at) => bytes.readInt32LE(at * 8)).filter((file) => file >= 0);
}
function eventLoop(t, files, time) {
  if (files.length === 0 && time.wakesAt !== undefined) return { wait: { kind: "timer" }, ...time };
  return {
    wait: { kind: "event_loop", ...watch(t.pid, files, "any", t.pids, t.taken) },
    files: true,
    ...time,
  };
}

/** True where a program is of this machine's own kind, so that its system calls have the numbers known here. */
const nativeByPid = new Map();
function isNative(pid) {
  const link = linkOf(`/proc/${pid}/exe`);
  const known = nativeByPid.get(pid);
  if (known?.link === link && link !== undefined) return known.native;
  const header = read(`/proc/${pid}/exe`) ?? "";
  const native = header.charCodeAt(4) === 2 && header.charCodeAt(18) === machine?.elf;
  nativeByPid.set(pid, { link, native });
  return native;
}

/** True where a wait goes on that a stop, as by a debugger, has interrupted: its arguments and its place are the same. */
function isRestart(call, before) {
  const [number] = call?.split(" ", 1) ?? [];
  return before !== undefined && machine?.calls[number] === "restart_syscall" &&
    before.slice(before.indexOf(" ")) === call.slice(number.length);
}

/** Reason why one thread waits, once it is known that it does not run. */
function classify(t) {
  if (t.state === "T" || t.state === "t") return { wait: { kind: "stopped" } };
  if (t.state === "D") return { wait: { kind: "disk" } };
  if (t.call === undefined || t.call === "") {
    const place = read(`/proc/${t.pid}/task/${t.tid}/wchan`);
    const call = place && place !== "0" ? place : "a system call that may not be read";
    return { wait: { kind: "other", call }, unreadable: true };
  }
  const words = t.call.split(" ");
  if (!isNative(t.pid)) {
    return { wait: { kind: "other", call: `system call ${words[0]} of another processor's numbers` } };
  }
  const name = machine.calls[words[0]];
  const wait = waitsOf[name]?.(t, (at) => BigInt(words[at + 1] ?? 0));
  return wait ?? { wait: { kind: "other", call: name ?? `system call ${words[0]}` } };
}

/** Signals of timers and of input that is told by a signal: SIGALRM, SIGVTALRM, SIGPROF, SIGIO. */
const alarms = (1n << 13n) | (1n << 25n) | (1n << 26n) | (1n << 28n);
/** Real-time signals that programs do not catch one by one: who catches them all is Go's runtime, alarms among them. */
const everySignal = 0xfffffff8_00000000n;
function processOf({ pid, parent }) {
  const caught = BigInt(`0x${/^SigCgt:\s+(\w+)/m.exec(read(`/proc/${pid}/status`) ?? "")?.[1] ?? "0"}`);
  const timers = /^ID:/m.test(read(`/proc/${pid}/timers`) ?? "");
  const go = (caught & everySignal) === everySignal;
  const program = linkOf(`/proc/${pid}/exe`)?.split("/").at(-1);
  const runtime = go ? "go" : program === "node" || program === "java" ? program : undefined;
  return {
    pid,
    parent,
    alarm: timers || (!go && (caught & alarms) !== 0n),
    ...(runtime ? { runtime } : {}),
    ...(program ? { program } : {}),
  };
}

let threadsBefore = new Map();
let before;
let generation = 0;
/** Number of the sample: within one, pipes are looked at once. */
let taken = 0;
/** Time of the last sample in which pipes were looked at although something ran. Such looks cost most, and say least. */
let looked = -Infinity;
const shortestLook = 1000;
/** Something ran in the last sample: what has left the tree is then looked for no more often than pipes. */
let ranBefore = false;
let sought = -Infinity;
function sample() {
  const began = monotonicMs(), spentBefore = spentMs();
  taken++;
  const seeks = !ranBefore || began - sought >= shortestLook;
  if (seeks) sought = began;
  const { found, complete } = tree(seeks);
  const pids = found.map(({ pid }) => pid);
  inherited ??= new Set([0, 1, 2].map((file) => linkOf(`/proc/${root}/fd/${file}`)));
  const now = new Map();
  const uptime = Number((read("/proc/uptime") ?? "0").split(" ")[0]) * 1000;
  let truncated = !complete, somethingRan = before === undefined;
  for (const { pid, threads } of found) {
    const siblings = new Set(threads.map(Number));
    for (const tid of siblings) {
      if (now.size >= mostThreads) {
        truncated = true;
        break;
      }
      const at = monotonicMs(), stat = read(`/proc/${pid}/task/${tid}/stat`);
      if (stat === undefined) continue;
      const { name, state, ticks, start, faults } = statOf(stat);
      if (state === "Z" || state === "X") continue;
      const [ns, delayed, turns] = (read(`/proc/${pid}/task/${tid}/schedstat`) ?? "0 0 0").trim().split(" ");
      const counted = turns !== "0"
        ? turns
        : read(`/proc/${pid}/task/${tid}/status`)?.match(/ctxt_switches:\s+\d+/g)?.join();
      const last = threadsBefore.get(tid);
      const told = read(`/proc/${pid}/task/${tid}/syscall`)?.trim();
      const restarts = isRestart(told, last?.call);
      const call = restarts ? last.call : told;
      const runs = state === "R" || call === "running";
      const key = `${start} ${state} ${ns} ${ticks} ${counted} ${call}`;
      const frozen = !runs && last?.key === key;
      const since = frozen || restarts
        ? last.since
        : before === undefined
        ? at - Math.max(0, uptime - start * 1000 / clockTicks)
        : before;
      const cpuMs = ns === "0" && turns === "0" ? ticks * 1000 / clockTicks : Number(ns) / 1e6;
      const elapsed = Math.max(1, at - (last?.at ?? at));
      const cpu = last === undefined ? 0 : Math.max(0, (cpuMs - last.cpuMs) / elapsed);
      // Where others take the processors, a thread that computes waits for its turn.
      const delayedMs = Number(delayed) / 1e6;
      const wanted = last === undefined ? 0 : cpu + Math.max(0, delayedMs - last.delayedMs) / elapsed;
      if (!frozen) somethingRan = true;
      now.set(tid, {
        pid,
        tid,
        name,
        state,
        call,
        runs,
        key,
        frozen,
        since,
        cpuMs,
        cpu,
        delayedMs,
        wanted,
        at,
        faults,
        siblings,
      });
    }
  }
  if (somethingRan) generation++;
  ranBefore = somethingRan;
  const looks = !somethingRan || began - looked >= shortestLook;
  if (somethingRan && looks) looked = began;
  const threads = [...now.values()].map((t) => {
    const last = threadsBefore.get(t.tid);
    // Who holds a pipe may have changed as soon as anything ran, and what led outside is looked at again.
    const keeps = t.frozen && last.found &&
      (!last.found.files || (last.generation === generation && last.found.wait.peers !== undefined));
    t.generation = generation;
    t.taken = looks ? taken : undefined;
    t.pids = pids;
    t.found = t.runs ? ended : keeps ? last.found : classify(t);
    t.busy = t.runs && last?.runs && t.wanted > 0.05 && voluntary(t) === last.voluntary &&
      t.faults === last.faults;
    const { wait, wakesAt, ms } = t.found;
    return {
      pid: t.pid,
      tid: t.tid,
      name: t.name,
      wait,
      frozen: t.frozen,
      cpu: Math.round(t.cpu * 1000) / 1000,
      ...(wakesAt === undefined ? {} : { leftMs: Math.max(0, Math.round(wakesAt - t.at)) }),
      ...(ms === undefined ? {} : { waitMs: Math.round(ms) }),
      ...(t.busy ? { busy: true } : {}),
    };
  });
  const processes = found.map(processOf);
  for (const pid of nativeByPid.keys()) if (!pids.includes(pid)) nativeByPid.delete(pid);
  threadsBefore = now;
  before = began;
  return {
    processes,
    threads,
    ...(truncated ? { truncated } : {}),
    ...([...now.values()].some(({ found }) => found.unreadable) ? { unreadable: true } : {}),
    costMs: Math.round((spentMs() - spentBefore) * 100) / 100,
    spentMs: Math.round(spentMs()),
    aliveMs: Math.round(process.uptime() * 1000),
  };
}
/** Time of a processor that the sampler has taken, in ms. */
function spentMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
/** Turns that a thread gave up by itself: each is a system call that waited. Read for those alone that run. */
const voluntary = (t) =>
  t.voluntary = /^voluntary_ctxt_switches:\s+(\d+)/m.exec(read(`/proc/${t.pid}/task/${t.tid}/status`) ?? "")
    ?.[1];

function tell(value) {
  const bytes = Buffer.from(`${JSON.stringify(value)}\n`);
  for (let at = 0; at < bytes.length;) at += fs.writeSync(1, bytes, at);
}
const missing = !fs.existsSync("/proc/self/stat")
  ? "there is no /proc here"
  : machine === undefined
  ? `system calls of ${process.arch} are not known`
  : undefined;
tell(missing === undefined ? { ready: true } : { unavailable: missing });
if (missing === undefined) {
  let rest = "";
  process.stdin.setEncoding("latin1");
  process.stdin.on("data", (text) => {
    rest += text;
    const lines = rest.split("\n");
    rest = lines.pop().slice(0, 1000);
    for (let at = 0; at < lines.length; at++) tell(sample());
  });
}
