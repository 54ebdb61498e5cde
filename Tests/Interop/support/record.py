"""The events of the bank's app and of the agent's page, written down as one sequence, act by act."""

from __future__ import annotations

import difflib

from woodgrove_bank import Bank
from browser import Person, wait_for

#: Writes down the events of the page's ``Meeting`` about the others and the chat. Levels, quality and who is loudest
#: come by the clock.
LISTEN = """() => {
  window.told = [];
  const track = ({ participant, publication }) => `${participant.name}'s ${publication.source}`;
  const words = {
    participantJoined: ({ participant }) => `${participant.name} came`,
    participantLeft: ({ participant, reason }) => `${participant.name} went: ${reason}`,
    published: (detail) => `${track(detail)} is there, ${detail.publication.muted ? "muted" : "open"}`,
    unpublished: (detail) => `${track(detail)} is gone`,
    muted: (detail) => `${track(detail)} is ${detail.muted ? "muted" : "open"}`,
    trackSubscribed: (detail) => `${track(detail)} comes`,
    trackUnsubscribed: (detail) => `${track(detail)} comes no more`,
    chat: ({ message }) => `${message.name}: ${message.text}`,
    lobby: ({ waiting }) => `waiting: ${waiting.map((each) => each.name).join(", ") || "nobody"}`,
  };
  for (const [type, say] of Object.entries(words)) {
    window.parley.addEventListener(type, ({ detail }) => window.told.push(say(detail)));
  }
}"""


def line(event: dict[str, str]) -> str:
    """An event of the app's journal in words: a delegate's call, or a change of a property that the app observes."""
    if event["event"] == "observed":
        return f"{event['what']} = {event['value']}"
    return f"told: {event['event']} {' '.join(value for key, value in event.items() if key != 'event')}"


class Record:
    """One sequence of an app and a page. Events of both at the same time have no order between them: of each act it has
    the app's lines, in their order, and then the page's."""

    def __init__(self, app: Bank, page: Person):
        self.app = app
        self.page = page
        self.app_read = len(app.events)
        self.page_read = 0
        self.lines: list[str] = []
        page.evaluate(LISTEN)

    def _new(self) -> tuple[list[dict[str, str]], list[str]]:
        told = self.page.page.evaluate("(from) => window.told.slice(from)", self.page_read)
        return self.app.events[self.app_read:], told

    def act(self, name: str, app: list[str], page: list[str]) -> None:
        """Waits until app and page have got exactly this, in this order, since the act before."""
        expected = [f"# {name}", *(f"app: {each}" for each in app), *(f"page: {each}" for each in page)]

        def seen() -> object:
            events, told = self._new()
            got = [f"# {name}", *(f"app: {line(each)}" for each in events if each["event"] not in ("screen", "done")),
                   *(f"page: {each}" for each in told)]
            if got != expected:
                return "no: " + "\n".join(difflib.unified_diff(expected, got, "expected", "told", n=2, lineterm=""))
            self.app_read += len(events)
            self.page_read += len(told)
            return True
        wait_for(f"what is told when {name}", seen, 30)
        self.lines += expected
