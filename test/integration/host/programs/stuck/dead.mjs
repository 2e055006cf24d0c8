import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

function take(mine, other) {
  Atomics.store(mine, 0, 1);
  Atomics.wait(other, 0, 0, 100);
  Atomics.wait(other, 1, 0);
}

if (process.argv[2] === "endless") { for (let x = 1; x !== 0;) x = x === 1 ? 2 : 1; }
if (isMainThread) {
  const cells = [0, 1].map(() => new Int32Array(new SharedArrayBuffer(8)));
  const worker = new Worker(new URL(import.meta.url), { workerData: cells });
  await new Promise((resolve) => worker.once("message", resolve));
  take(cells[0], cells[1]);
} else {
  parentPort.postMessage("ready");
  take(workerData[1], workerData[0]);
}
