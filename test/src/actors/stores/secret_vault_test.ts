import t from "tap";
import { SecretVault } from "../../../../src/actors/stores/secret_vault.ts";
import { PthError } from "../../../../src/core/errors.ts";

t.test("a value stays hidden after its variable was dropped or given anew", (t) => {
  const vault = new SecretVault({ KEY: "tulip-mania-1637" });
  vault.add("DECLARED", "parrot-tulip-22");
  vault.declared.add("DECLARED");
  vault.dropDeclared();
  vault.add("KEY", "semper-augustus-9");
  t.same([...vault.values], [["KEY", "semper-augustus-9"]]);
  t.equal(
    vault.redact.text("tulip-mania-1637 parrot-tulip-22 semper-augustus-9"),
    "[REDACTED] [REDACTED] [REDACTED]",
  );
  t.end();
});

t.test("a declared variable that somebody gives is dropped no more", (t) => {
  const vault = new SecretVault();
  t.notOk(vault.hides);
  vault.declared.add("KEY");
  vault.add("KEY", "tulip-mania-1637");
  vault.dropDeclared();
  t.equal(vault.values.get("KEY"), "tulip-mania-1637");
  t.ok(vault.hides);
  t.end();
});

t.test("errors are redacted with their output", (t) => {
  const vault = new SecretVault({ KEY: "tulip-mania-1637" });
  const error = vault.redactError(
    new PthError("BUILD_FAILED", "Cannot build", { output: "key=tulip-mania-1637" }),
  );
  t.match(error, { context: { output: "key=[REDACTED]" } });
  t.end();
});
