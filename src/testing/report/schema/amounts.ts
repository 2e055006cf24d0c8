/** Numbers of a report: durations are milliseconds, sizes bytes. */
import { z } from "zod";

export const duration = z.number().nonnegative();
export const count = z.int().nonnegative();
export const share = z.number().min(0).max(1);
export const line = z.int().positive();
