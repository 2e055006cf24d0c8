/** Services of a compose file that are images: services that the plugin's developers run with it. */
import type { ServiceDefinition } from "../../../machines/model/environment.ts";
import { readSource } from "../../core/read_source.ts";
import { isObject } from "../../core/values.ts";

export const composeNames = ["compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml"];

export interface ComposeService {
  definition: ServiceDefinition & { image: string };
  line: number;
}

/** Reads the services of a compose file, except those that are built from the plugin itself. */
export function readCompose(file: string, text: string): { services: ComposeService[]; problems: string[] } {
  const { documents: [document], problems } = readSource(file, text);
  const told = problems.map(({ line, column, message }) => `${file}:${line}:${column} ${message}`);
  const all = isObject(document?.value) && isObject(document.value.services) ? document.value.services : {};
  const services = Object.entries(all).flatMap(([name, service]): ComposeService[] => {
    if (!isObject(service) || typeof service.image !== "string" || service.build !== undefined) return [];
    const { line } = document!.place(["services", name, "image"]);
    return [{ definition: definitionOf(name, service.image, service), line }];
  });
  return { services, problems: told };
}

function definitionOf(
  name: string,
  image: string,
  service: Record<string, unknown>,
): ServiceDefinition & { image: string } {
  const env = environmentOf(service.environment);
  const port = portOf(service.ports) ?? portOf(service.expose);
  const ready = readyOf(service.healthcheck);
  const command = commandOf(service.command);
  return {
    name: name.replaceAll(/[^\w.-]+/g, "-"),
    image: filledIn(image),
    ...(command === undefined ? {} : { command }),
    ...(port === undefined ? {} : { port }),
    ...(Object.keys(env).length === 0 ? {} : { env }),
    ...(ready === undefined ? {} : { ready }),
  };
}

/** Compose's own references: a default is taken, the others are PTH's to fill in. */
const filledIn = (value: string): string =>
  value.replaceAll(
    /\$\{(\w+)(?::?-([^}]*))?(?::?\?[^}]*)?\}|\$(\w+)/g,
    (_, name, fallback, bare) => fallback ?? `\${env:${name ?? bare}}`,
  );

function environmentOf(value: unknown): Record<string, string> {
  const pairs: [string, unknown][] = Array.isArray(value)
    ? value.map(String).filter((one) => one.includes("=")).map((
      one,
    ) => [one.slice(0, one.indexOf("=")), one.slice(one.indexOf("=") + 1)])
    : Object.entries(isObject(value) ? value : {});
  return Object.fromEntries(
    pairs.filter(([, text]) => text !== null && text !== undefined).map((
      [name, text],
    ) => [name, filledIn(String(text))]),
  );
}

/** The container's side of the first one: "127.0.0.1:5433:5432/tcp", 5432, { target: 5432 }. */
function portOf(value: unknown): number | undefined {
  const first = Array.isArray(value) ? value[0] : undefined;
  const target = isObject(first) ? first.target : String(first ?? "").split("/")[0]!.split(":").at(-1);
  const port = Number(String(target ?? "").split("-")[0]);
  return Number.isInteger(port) && port > 0 && port < 65536 ? port : undefined;
}

/** `$$` is compose's plain `$`. */
function readyOf(value: unknown): string | undefined {
  const test = isObject(value) ? value.test : undefined;
  if (typeof test === "string") return test.replaceAll("$$", "$");
  if (!Array.isArray(test)) return undefined;
  const [how, ...words] = test.map((word) => String(word).replaceAll("$$", "$"));
  if (how === "CMD-SHELL") return words.join(" ");
  return how === "CMD" ? words.map(quoted).join(" ") : undefined;
}

const quoted = (word: string): string =>
  /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** Words as they are; a text is split where nothing in it is quoted, and else left to a shell. */
function commandOf(value: unknown): string | string[] | undefined {
  if (Array.isArray(value)) return value.map((word) => filledIn(String(word)));
  if (typeof value !== "string" || value.trim() === "") return undefined;
  const text = filledIn(value.trim());
  return /["'\\|&;<>]/.test(text) ? text : text.split(/\s+/);
}
