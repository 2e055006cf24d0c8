/** Numbers of a report: durations are milliseconds, sizes bytes. */
import { z } from "zod";

export const durationSchema = z.number().nonnegative();
export const countSchema = z.int().nonnegative();
export const shareSchema = z.number().min(0).max(1);
export const line = z.int().positive();
