import { utf8 } from "./bytes.js";
import { expand, extract } from "./derivation.js";
import { LinkSecret } from "./link-secret.js";

/** Characters of a secret that apps of the OpenTok library share. */
export const sharedSecretLengths = Object.freeze({ least: 8, most: 256 });

/**
 * The link secret of an OpenTok session whose app has a secret of its own: HKDF-SHA-256 with the session's id as salt.
 * A short secret can be guessed by those who have the announcements, the server among them.
 *
 * @param {string} secret
 * @param {string} sessionId
 * @returns {Promise<LinkSecret>}
 */
export async function sharedSecret(secret, sessionId) {
  const key = await extract(utf8(sessionId), utf8(secret));
  return new LinkSecret(await expand(key, utf8("parley opentok link secret"), 32));
}
