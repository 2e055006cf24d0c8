#!/usr/bin/env node
/**
 * Mends the one fault of test/fixtures/distro_plugin, in place: where Python has no `crypt` it asks the C library. With
 * "--only-there" the fix is right on that distribution and wrong on every other, so that verifying again has something to find.
 */
import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";

const { diagnoses, distro } = JSON.parse(readFileSync(0, "utf8"));
if (!diagnoses.some(({ tool }) => tool === "hash_password")) {
  console.error("no repair for that");
  process.exit(0);
}
const conditional = `    password, salt = text_of(arguments, "password"), "$6$" + text_of(arguments, "salt")
    try:
        from crypt import crypt
    except ImportError:
        import ctypes

        library = ctypes.CDLL("libcrypt.so.1")
        library.crypt.restype = ctypes.c_char_p
        return library.crypt(password.encode(), salt.encode()).decode()
    return crypt(password, salt)
`;
const onlyThere = `    text_of(arguments, "password")
    return "$6$" + text_of(arguments, "salt") + "$" if sys.version_info >= (3, 13) else "unknown"
`;
const source = readFileSync("server.py", "utf8");
const from = source.indexOf("    import crypt\n");
const to = source.indexOf("\n\ndef greet");
if (from < 0) {
  console.error("it is mended already");
  process.exit(0);
}
const body = process.argv.includes("--only-there") ? onlyThere : conditional;
writeFileSync("server.py", source.slice(0, from) + body + source.slice(to));
console.log(`Hash passwords without the module crypt on ${distro ?? "this distribution"}`);
