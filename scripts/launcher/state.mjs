/** How far the installation is, in a file that all who wait for it read. Only the installer writes it. */
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import process from "node:process";
import { stateFile } from "./place.mjs";

/** An installer says how it stands each second; one that is silent for so long is gone, whoever has its process id now. */
const silenceMs = 30_000;

/**
 * @typedef {object} State
 * @property {number} pid of the installer
 * @property {number} startedAt in milliseconds of the epoch
 * @property {number} at when this was written
 * @property {string} doing what it does now, in words
 * @property {number} share how much of the whole is done, from 0 to 1
 * @property {{ reason: string, output: string }} [failed] why it ended
 */

/** The installation that runs, or undefined. */
export function running() {
  const state = readState();
  return state !== undefined && state.failed === undefined && isAlive(state) ? state : undefined;
}

/** @returns {State | undefined} */
export function readState() {
  try {
    return JSON.parse(readFileSync(stateFile, "utf8"));
  } catch (error) {
    // None was ever written, or its writer was killed in the middle of the first one.
    if (error.code === "ENOENT" || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/**
 * Writes the first state of an installation. Two that begin at the same moment both go on: each has a folder of its own
 * to work in, and the bundles that they make are the same.
 * @param {State} state
 * @returns false where another installation runs
 */
export function claim(state) {
  try {
    writeFileSync(stateFile, JSON.stringify(state), { flag: "wx" });
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
  }
  if (running() !== undefined) return false;
  writeState(state);
  return true;
}

/** @param {State} state */
export function writeState(state) {
  const draft = `${stateFile}.${process.pid}`;
  try {
    writeFileSync(draft, JSON.stringify(state));
    renameSync(draft, stateFile);
  } finally {
    rmSync(draft, { force: true });
  }
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

const isAlive = ({ pid, at }) => isProcess(pid) && Date.now() - at < silenceMs;
