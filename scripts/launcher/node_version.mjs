/** Whether this Node can run PTH. */
import process from "node:process";

export const oldestNode = "20.3";

/** Reason why this Node cannot run PTH; undefined where it can. */
export const nodeProblem = isOldNode()
  ? `Node.js ${process.versions.node} is too old; PTH needs ${oldestNode} or newer`
  : undefined;

function isOldNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  const [oldestMajor, oldestMinor] = oldestNode.split(".").map(Number);
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
}
