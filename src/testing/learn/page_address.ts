/** Addresses of pages within inputs. */
import { inputPlaces } from "./input_places.ts";

export const isPageAddress = (value: unknown): boolean =>
  typeof value === "string" && /^https?:\/\//.test(value);

export const takesPage = (input: Record<string, unknown>): boolean =>
  inputPlaces(input).some(({ value }) => isPageAddress(value));
