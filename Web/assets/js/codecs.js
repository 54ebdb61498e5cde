/** How people write the names of codecs. */
const names = { H264: "H.264" };

/**
 * A codec as people know it.
 *
 * @param {{name: string}|null} codec
 * @returns {string}
 */
export function codecName(codec) { return names[codec?.name] ?? codec?.name ?? "an unknown format"; }

/**
 * The words to a publisher about those who can't play a track.
 *
 * @param {{source: string}} publication an own one
 * @param {{codec: {name: string}, participants: {displayName: string}[], count: number}} receivers
 * @returns {string}
 */
export function unableToPlay({ source }, { codec, participants, count }) {
  const known = participants.slice(0, count > 2 ? 1 : 2).map((each) => each.displayName);
  const rest = count - known.length;
  const others = rest > 0 ? [rest === 1 ? "1 other" : `${rest} others`] : [];
  const who = known.length === 0 ? (count === 1 ? "Somebody" : `${count} people`) : [...known, ...others].join(" and ");
  const what = { camera: "see your camera", screen: "see your screen" }[source] ?? "hear you";
  return `${who} cannot ${what}: ${count === 1 ? "their device" : "their devices"} cannot play ${codecName(codec)}`;
}
