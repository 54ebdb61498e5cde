/**
 * The address of this page, with the join token in `jwt` of its query, wherever it stood: in the fragment, where the links of these pages have it and
 * which is no part of the request for the page, or in the query, as Jitsi Meet has it. Joining sends it to the server, at first as a parameter of the
 * discover document.
 *
 * What the browser shows loses the token at once, so that it is in no history, bookmark or picture of the screen. It stays with this entry of the
 * history, so that the page can be loaded anew; the same address opened another time knows nothing of it.
 *
 * @returns {URL}
 */
export function takeAddress() {
  const address = new URL(location.href);
  const parts = address.hash.replace(/^#/, "").split("&");
  const given = tokenIn(address.hash) ?? address.searchParams.get("jwt");
  address.hash = parts.filter((part) => !part.startsWith("jwt=")).join("&");
  if (given !== null) {
    address.searchParams.delete("jwt");
    history.replaceState({ ...history.state, jwt: given }, "", address);
  }
  const token = given ?? history.state?.jwt;
  if (typeof token === "string") { address.searchParams.set("jwt", token); }
  return address;
}

/** The join token in a fragment, or null. @param {string} fragment @returns {string|null} */
export function tokenIn(fragment) {
  return new URLSearchParams(fragment.replace(/^#/, "").replaceAll("+", "%2B")).get("jwt");
}

/** An address with a join token in its fragment. @param {string|URL} address @param {string} token @returns {string} */
export function withToken(address, token) {
  const url = new URL(address);
  url.hash = `jwt=${encodeURIComponent(token)}`;
  return url.href;
}
