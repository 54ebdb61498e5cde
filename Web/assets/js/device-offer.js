import { h, setText } from "./dom.js";
import { icon } from "./icons.js";

/** The permission that publishing a source takes. */
const permissionFor = { microphone: "publishAudio", camera: "publishVideo" };

/**
 * The offer to turn on the devices that a link has left off. It goes when one of them is on, or when the person wants
 * none.
 *
 * @param {string[]} withheld
 * @param {(sources: string[]) => void} onAccept
 * @param {() => void} onFocusLost the offer goes while it has the focus
 * @returns {{element: HTMLElement, text: string, isShown: boolean, show: (own:
 *   import("/sdk/parley.js").LocalParticipant) => void}}
 */
export function deviceOffer(withheld, onAccept, onFocusLost) {
  const line = h("p", {});
  const caption = h("span", {});
  let isOver = withheld.length === 0;
  let offered = [];
  const hide = (isHidden) => {
    const hadFocus = isHidden && element.contains(document.activeElement);
    element.hidden = isHidden;
    if (hadFocus) { onFocusLost(); }
  };
  const close = (act) => () => {
    isOver = true;
    hide(true);
    act();
  };
  const element = h("section", { class: "device-offer", "aria-label": "Your microphone and camera", hidden: true },
    line,
    h("button", { class: "button primary", type: "button", on: { click: close(() => onAccept(offered)) } }, icon(withheld.includes("microphone") ? "microphone" : "camera"), caption),
    h("button", { class: "icon-button", type: "button", "aria-label": "Leave them off", title: "Leave them off", on: { click: close(() => {}) } }, icon("close")));
  const offer = {
    element,
    get text() { return line.textContent; },
    get isShown() { return !element.hidden; },
    show(own) {
      if (isOver) { return; }
      isOver = own.microphoneOn || own.cameraOn;
      offered = withheld.filter((source) => own.permissions.length === 0 || own.permissions.includes(permissionFor[source]));
      hide(isOver || offered.length === 0);
      const words = offered.join(" and ");
      setText(line, `${words.charAt(0).toUpperCase()}${words.slice(1)} ${offered.length === 1 ? "is" : "are"} off.`);
      setText(caption, `Turn on ${words}`);
    },
  };
  return offer;
}
