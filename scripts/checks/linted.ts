import { defineCheck } from "./check.ts";
import { denoComplaints } from "./deno_complaints.ts";

export default defineCheck({
  name: "lint",
  async run({ root }) {
    const output = await denoComplaints(root, ["lint", "--quiet"]);
    return output === undefined ? [] : [output];
  },
});
