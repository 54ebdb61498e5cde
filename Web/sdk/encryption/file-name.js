import { characters } from "../text.js";
import { utf8 } from "./bytes.js";

/** Bytes of UTF-8. */
const longest = 180;
/** Control and format characters, separators and what has no character: they turn the direction of writing, or hide. */
const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}]/gu;

/**
 * A text as the name of one file, as the server has it elsewhere: the last part of a path, without what hides its
 * ending or has a meaning for systems; `file` where nothing is left.
 *
 * @param {string} text
 * @returns {string}
 */
export function cleanFileName(text) {
  const last = text.slice(0, 4_096).split(/[/\\]/).filter(Boolean).at(-1) ?? "";
  const visible = characters(last).map((each) => (isEmoji(each) ? each : each.replace(hidden, ""))).join("");
  const name = shortened(visible.replace(/\s+/gu, " ").replace(/[<>:"|?*]/g, "_").replace(/^[. ]+|[. ]+$/g, ""));
  if (name === "") { return "file"; }
  return /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(name) ? `_${name}` : name;
}

/** Joiners and tags are parts of an emoji. */
const isEmoji = (character) => /^\p{Extended_Pictographic}/u.test(character) && !/[\u202a-\u202e\u2066-\u2069\u200e\u200f]/.test(character);

/** Cuts the middle out: people know a file by its beginning, programs by its end. */
function shortened(name) {
  if (utf8(name).length <= longest) { return name; }
  const dot = name.lastIndexOf(".");
  const ending = dot >= 0 && utf8(name.slice(dot)).length <= 20 ? name.slice(dot) : "";
  let [stem, bytes] = ["", utf8(ending).length];
  for (const each of characters(name)) {
    bytes += utf8(each).length;
    if (bytes > longest) { break; }
    stem += each;
  }
  return (stem.replace(/[. ]+$/, "") || "file") + ending;
}
