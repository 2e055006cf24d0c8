/** State of the installation, in a file that all who wait for it read. Only the installer writes it. */
import { readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import process from "node:process";
import { stateFile } from "./place.mjs";

/** An installer says how it stands each second; one that is silent for so long is gone, whoever has its process id now. */
const silenceMs = 30_000;

/**
 * @typedef {object} State
 * @property {number} pid of the installer
 * @property {number} startedAt in milliseconds of the epoch
 * @property {number} at when the installer last said that it lives: the time of the file, which a full disk allows
 * @property {string} doing what it does now, in words
 * @property {number} share how much of the whole is done, from 0 to 1
 * @property {{ reason: string, output: string }} [failed] why it ended
 */

/** The installation that runs, or undefined. */
export function running() {
  const state = readState();
  return isRunning(state) ? state : undefined;
}

const isRunning = (state) =>
  state !== undefined && state.failed === undefined && isProcess(state.pid) &&
  Date.now() - state.at < silenceMs;

/** @returns {State | undefined} */
export function readState(file = stateFile) {
  try {
    return { ...JSON.parse(readFileSync(file, "utf8")), at: statSync(file).mtimeMs };
  } catch (error) {
    // None was ever written, or its writer was killed in the middle of the first one.
    if (error.code === "ENOENT" || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/**
 * Writes the first state of an installation. Should more than one succeed nevertheless, nothing is lost: each has a folder of
 * its own to work in, and the bundles that they make are the same.
 * @param {Omit<State, "at">} state
 * @returns false where another installation runs
 */
export function claim(state) {
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      writeFileSync(stateFile, JSON.stringify(state), { flag: "wx" });
      return true;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    if (isBeingWritten()) return false;
    const found = readState();
    if (isRunning(found) || !removeEnded(found)) return false;
  }
  return false;
}

/** True while its writer has made it, and not yet filled it. */
function isBeingWritten() {
  const info = statSync(stateFile, { throwIfNoEntry: false });
  return info?.size === 0 && Date.now() - info.mtimeMs < 2000;
}

/** Removes the state of an installation that has ended. @returns false where another one has begun in the meantime */
function removeEnded(ended) {
  const taken = `${stateFile}.${process.pid}`;
  try {
    renameSync(stateFile, taken);
  } catch (error) {
    if (error.code === "ENOENT") return true; // another was sooner
    throw error;
  }
  if (readState(taken)?.pid !== ended?.pid) {
    renameSync(taken, stateFile);
    return false;
  }
  rmSync(taken);
  return true;
}

/** @param {Omit<State, "at">} state */
export function writeState(state) {
  const draft = `${stateFile}.${process.pid}`;
  try {
    writeFileSync(draft, JSON.stringify(state));
    renameSync(draft, stateFile);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** The installer lives. */
export function touchState() {
  const now = new Date();
  utimesSync(stateFile, now, now);
}

export const removeState = () => rmSync(stateFile, { force: true });

export function isProcess(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}
