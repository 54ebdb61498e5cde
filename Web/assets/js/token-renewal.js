import { discover } from "/sdk/parley.js";
import { h, setText } from "./dom.js";
import { signInAddress } from "./sign-in.js";

/** How often another token is asked for, while there is time. */
const pause = 4_000;

/**
 * Keeps one's place in a meeting whose server lets nobody stay when the join token ends: asks for another one, and
 * where that takes a new sign-in, or an invitation, says so until it is done.
 *
 * @param {import("/sdk/parley.js").Meeting} meeting
 * @param {URL} address of the meeting
 * @param {HTMLElement} parent where the notice goes
 */
export function keepPlace(meeting, address, parent) {
  const text = h("span");
  const link = h("a", { href: signInAddress(), target: "_blank", rel: "noopener", text: "Sign in again", hidden: true });
  const notice = h("div", { class: "banner token-notice", role: "alert", hidden: true }, text, link);
  parent.append(notice);
  let end = null;
  let asking = 0;

  meeting.addEventListener("tokenExpiring", ({ detail }) => {
    if (!detail.leaves) { return; }
    end = performance.now() + detail.seconds * 1_000;
    asking += 1;
    ask(asking);
  });
  meeting.addEventListener("ended", () => { asking += 1; });

  async function ask(round) {
    if (round !== asking) { return; }
    try {
      if (address.searchParams.has("jwt")) { throw new Error("only who has given the invitation can make another one"); }
      const { token } = await discover({ url: address });
      await meeting.renewToken(token);
      if (round === asking) { notice.hidden = true; }
    } catch (error) {
      if (round !== asking || performance.now() > end) { return; }
      tell(error);
      setTimeout(() => ask(round), pause);
    }
  }

  function tell(error) {
    const seconds = (end - performance.now()) / 1_000;
    const time = seconds >= 90 ? `in ${Math.round(seconds / 60)} minutes` : seconds >= 45 ? "in about a minute" : "in less than a minute";
    link.hidden = error.code !== "signInRequired";
    if (error.code === "signInRequired") {
      setText(text, `Your sign-in has ended. You leave the meeting ${time} unless you sign in again.`);
    } else if (error.code === "notAllowed") {
      setText(text, `Somebody else is signed in now. You leave the meeting ${time} unless you sign in as before.`);
      link.hidden = false;
    } else {
      setText(text, `Your invitation ends, and you leave the meeting ${time}. Ask for another one to come back.`);
    }
    notice.hidden = false;
  }
}
