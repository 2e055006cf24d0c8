/** The tracers, by the language that a framework is for. */
import type { Tracer } from "./tracer.ts";
import java from "./tracers/java.ts";
import native from "./tracers/native.ts";
import node from "./tracers/node.ts";
import python from "./tracers/python.ts";

export const tracers: readonly Tracer[] = [native, node, python, java];

/** Undefined for a language whose calls cannot be traced. */
export const tracerFor = (language: string): Tracer | undefined =>
  tracers.find(({ languages }) => languages.includes(language));
