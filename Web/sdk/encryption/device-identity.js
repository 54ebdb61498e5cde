import { generateIdentity, sign, verifies } from "./announcement.js";
import { utf8 } from "./bytes.js";
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
  if (kept === undefined) {
    // Another tab may have made one in the same moment: the first one stays.
    await store.run("own", "readwrite", (each) => each.add(made, name)).catch(() => {});
  } else {
    await store.run("own", "readwrite", (each) => each.put(made, name));
  }
  const stored = await store.run("own", "readonly", (each) => each.get(name));
  if (!await works(stored)) { throw new Error("The key was not kept."); }
  return stored;
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
