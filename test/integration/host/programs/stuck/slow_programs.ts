/** Programs that are slow, and not stuck: what each does, and its command. */
const python = (code: string) => ["python3", "-c", code];
const node = (code: string) => ["node", "--input-type=module", "-e", code];
export const slowPrograms: Record<string, string[]> = {
  "sleeps": ["sleep", "30"],
  "polls": ["sh", "-c", "while :; do sleep 0.05; done"],
  "hashes": python("import hashlib\nwhile True: hashlib.sha256(bytes(1 << 20)).digest()"),
  "computes": python("x = 1\nwhile True: x = (x * 3 + 1) % 1000003"),
  "waits for a child": ["sh", "-c", "sleep 30; true"],
  "waits for children of a child": ["sh", "-c", "sh -c 'sleep 30; true'; true"],
  "reads its stdin": ["cat"],
  "reads a pipe from a living process": ["sh", "-c", "(sleep 30; echo) | cat"],
  "writes to a slow reader": ["sh", "-c", "yes | (sleep 30; cat)"],
  "serves a socket": node("(await import('node:net')).createServer(() => {}).listen(0)"),
  "accepts a connection": python("import socket\ns = socket.create_server(('127.0.0.1', 0))\ns.accept()"),
  "waits for a condition with a time limit": python(
    "import threading\nc = threading.Condition()\nwith c:\n while True: c.wait(0.2)",
  ),
  "waits for a lock that a sleeper holds": python(
    "import threading, time\nl = threading.Lock()\ndef f():\n with l: time.sleep(30)\n" +
      "threading.Thread(target=f).start()\ntime.sleep(0.1)\nl.acquire()",
  ),
  "joins a thread that computes": python(
    "import threading\ndef f():\n n = 0\n while True: n += 1\nt = threading.Thread(target=f)\nt.start()\nt.join()",
  ),
  "waits for an alarm": python(
    "import signal, threading\nsignal.signal(signal.SIGALRM, lambda *a: None)\nsignal.alarm(30)\n" +
      "threading.Lock().acquire()\nthreading.Event().wait()",
  ),
  "waits for a signal": python("import signal\nsignal.pause()"),
  "collects garbage": node(
    "let k = []; for (;;) { k.push({ a: new Array(50) }); if (k.length > 1e5) k = []; }",
  ),
  "has timers": node("setInterval(() => {}, 40)"),
  "waits for a worker's timer": node(
    "const { Worker } = await import('node:worker_threads'); const c = new Int32Array(new SharedArrayBuffer(4));" +
      "new Worker('setInterval(() => {}, 30000)', { eval: true });" +
      "await new Promise((r) => setTimeout(r, 300)); Atomics.wait(c, 0, 0)",
  ),
  "spins until a time": python(
    "import time\nend = time.monotonic() + 30\nwhile time.monotonic() < end: pass",
  ),
};
