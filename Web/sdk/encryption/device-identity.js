import { generateIdentity, sign, verifies } from "./announcement.js";
import { areEqual, utf8 } from "./bytes.js";
import { IdentityStore } from "./identity-store.js";

const name = "device";
const store = new IdentityStore();

/**
 * The lasting identity of this browser for this server: a key of Ed25519 that no script can read. It is made at its
 * first use, and is gone with the browser's data of the site.
 *
 * @returns {Promise<import("./announcement.js").Identity>}
 * @throws {Error} where the browser keeps no keys
 */
export async function deviceIdentity() {
  const kept = await store.run("own", "readonly", (each) => each.get(name));
  if (kept !== undefined && await works(kept)) { return kept; }
  const made = await generateIdentity();
  // Another tab may have made one in the same moment: the first one stays, in the place of none or of this broken one.
  await store.update("own", name, (present) => (isSame(present, kept) ? made : present));
  const stored = await store.run("own", "readonly", (each) => each.get(name));
  if (!await works(stored)) { throw new Error("The key was not kept."); }
  return stored;
}

/** Whether two are the same key, or both none. */
function isSame(a, b) {
  const [one, other] = [a?.publicKey, b?.publicKey];
  return one instanceof Uint8Array && other instanceof Uint8Array ? areEqual(one, other) : one === undefined && other === undefined;
}

/** Some browsers store a key that they can't use after that. */
async function works(identity) {
  try {
    const probe = utf8("Parley identity probe 1");
    return await verifies(identity.publicKey, await sign(identity, probe), probe);
  } catch {
    return false;
  }
}
