/** A kind of companion service that plugins speak to: how it shows in their files, and how it is run. */
import type { ServiceDefinition } from "../../machines/model/environment.ts";

export interface ServiceKind {
  /** For people. */
  title: string;
  /** Names of client libraries in manifests. */
  libraries: {
    npm?: readonly string[];
    python?: readonly string[];
    /** Beginnings of module paths. */
    go?: readonly string[];
    rust?: readonly string[];
  };
  /** Variables that only this kind is configured by. */
  variables: RegExp;
  /** Variables that several kinds use: they count where a library or the value shows which one is meant. */
  sharedVariables?: RegExp;
  /** Schemes of its URLs, without ":". */
  schemes: readonly string[];
  /** The last part of an image's name, without its tag. */
  images: RegExp;
  /** Usual port. */
  port: number;
  /** Definition of the service for an environment based on Debian. */
  definition: ServiceDefinition;
  /** Run before it: installs it. */
  setupScripts?: readonly string[];
  /** Variable that the plugin most likely reads, where its files name none; its value is the service's URL. */
  variable: string;
}

/** Identity with types: the default export of a file in `service_kinds/`. */
export const defineServiceKind = (kind: ServiceKind): ServiceKind => kind;

/** Packages of Debian, without what they merely recommend. */
export const aptInstall = (...packages: string[]): string =>
  `apt-get update -qq && apt-get install -y -qq --no-install-recommends ${packages.join(" ")}`;
