"""The pages by keyboard alone, and as screen readers read them: actions of hosts in a meeting, and the
administration."""

from __future__ import annotations

import unittest

from browser import wait_for
from client import Client
from command import run
from keyboard import Keyboard, KeyboardTest

ADMIN = "a-token-for-tests-only"


class Hosts(KeyboardTest):
    OPTIONS = ("--development",)

    def choose(self, keys: Keyboard, name: str) -> None:
        """An entry of the open menu, by the arrow down."""
        for _ in range(20):
            if keys.focus() == f"menuitem {name}":
                keys.press("Enter")
                return
            keys.press("ArrowDown")
        raise AssertionError(f"the menu has no {name!r}")

    def test_a_host_makes_a_host_spotlights_mutes_all_removes_for_good_and_ends_the_meeting(self) -> None:
        room = "hosting"
        ann, keys = self.someone("Ann")
        self.enter(ann, room, self.token(room, "organizer"))
        self.connected(ann)
        ben, guest = self.someone("Ben")
        self.enter(ben, room)
        self.connected(ben)
        cem = self.enterContext(Client(self.server.url, f"{room}?jwt={self.token(room, 'publisher')}", "Cem")).joined()
        wait_for("all", lambda: ann.names() == ["Ben", "Cem"])
        keys.press("p").at("button Close people")
        keys.go("button More for Ben")

        # Promoted and demoted. The arrow keys go around, and Escape leads back.
        keys.press("Enter").press("End").at("menuitem Pin for me")
        keys.press("ArrowDown", "ArrowUp").at("menuitem Pin for me")
        self.assertEqual(keys.nameless(), [])
        keys.press("Escape").at("button More for Ben")
        keys.press("Enter")
        self.choose(keys, "Make host")
        keys.at("button Cancel")
        keys.walk("button Make host")
        keys.press("Enter").at("button More for Ben")
        wait_for("Ben to be a host", lambda: ben.evaluate("() => window.parley.hosting.isHost"))
        guest.press("p").at("button Close people")
        wait_for("Ben to have a host's controls", lambda: ben.page.get_by_role("button", name="More for Cem").count() == 1)
        guest.press("Escape").at("button People, 3 in the meeting")
        keys.press("Enter")
        self.choose(keys, "Take host role away")
        keys.at("button More for Ben")
        wait_for("Ben to be a host no more", lambda: not ben.evaluate("() => window.parley.hosting.isHost"))

        keys.press("Enter")
        self.choose(keys, "Spotlight for everybody")
        wait_for("the spotlight", lambda: ben.evaluate("() => window.parley.hosting.spotlighted === window.parley.localParticipant"))
        # The host hears of it by a message of its own.
        wait_for("the host to know of it", lambda: ann.evaluate("() => window.parley.hosting.spotlighted !== null"))
        keys.press("Enter")
        self.choose(keys, "End spotlight")
        wait_for("the spotlight to be off", lambda: ben.evaluate("() => window.parley.hosting.spotlighted === null"))

        # A choice in the dialog with the space bar.
        keys.go("button Mute everyone")
        keys.press("Enter").at("button Cancel")
        keys.walk("checkbox Nobody may unmute until I allow it or ask them to", key="Shift+Tab")
        keys.press("Space")
        keys.go("button Mute everyone", 6)
        keys.press("Enter").at("button Mute everyone")
        wait_for("nobody to be able to unmute", lambda: ben.evaluate("() => window.parley.hosting.muteForAll?.mayUnmute === false"))
        keys.walk("button Allow unmuting")
        keys.press("Enter")
        wait_for("everybody to be able to unmute", lambda: ben.evaluate("() => window.parley.hosting.muteForAll === null"))

        # All but the one whose menu it is; who else is left out is a choice of the dialog.
        keys.go("button More for Cem")
        keys.press("Enter")
        self.choose(keys, "Mute everyone else")
        keys.at("button Cancel")
        dialog = ann.page.get_by_role("dialog", name="Mute everyone else?")
        self.assertEqual([dialog.get_by_role("checkbox", name=name).is_checked() for name in ("Ben", "Cem")], [False, True])
        self.assertEqual(keys.nameless(), [])
        keys.walk("checkbox Nobody may unmute until I allow it or ask them to", "checkbox Also people who come later", "checkbox Cem", "checkbox Ben",
                  key="Shift+Tab")
        keys.go("button Mute everyone", 8)
        keys.press("Enter").at("button More for Cem")
        ann.page.get_by_text("Everybody but Cem is muted").first.wait_for()

        # Removed permanently; the focus goes to the next person.
        keys.go("button More for Cem")
        keys.press("Enter")
        self.choose(keys, "Remove from meeting")
        keys.at("button Cancel")
        ann.page.get_by_role("dialog", name="Remove Cem?").get_by_text("may come back from another one").wait_for()
        keys.go("checkbox Do not let them come back", 5)
        keys.press("Space")
        keys.go("button Remove", 5)
        keys.press("Enter")
        self.assertEqual((cem.expect("left")["reason"], cem.end(20)), ("removed", 1))
        keys.at("button More for Ben")
        keys.press("Enter")
        self.choose(keys, "Remove from meeting")
        keys.at("button Cancel")
        keys.go("checkbox Lock the meeting, so that nobody else comes in", 5)
        keys.press("Space")
        keys.walk("button Cancel", "button Remove")
        keys.press("Enter")
        self.heading(ben, "You were removed from the meeting")
        self.assertTrue(ann.evaluate("() => window.parley.lobby.locked"))
        guest.walk("link Start page")

        # The end for everybody, from the menu of the dock.
        keys.go("button More")
        keys.press("Enter")
        self.choose(keys, "End for everyone")
        keys.at("button Cancel")
        keys.walk("button End for everyone")
        keys.press("Enter")
        self.heading(ann, "The meeting is over")
        keys.walk("link Start page")

    def test_a_hand_a_reaction_and_a_poll_by_keyboard(self) -> None:
        room = "together"
        ann, keys = self.someone("Ann")
        self.enter(ann, room, self.token(room, "organizer"))
        ben, guest = self.someone("Ben")
        self.enter(ben, room)
        self.connected(ann, ben)
        guest.press("h")
        wait_for("the hand", lambda: ann.page.locator(".tile-hand:visible").count() == 1)
        guest.go("button Lower your hand, you are number 1")
        guest.press("e").at("menuitem Thumbs up")
        guest.press("ArrowRight").at("menuitem Thumbs down")
        guest.press("Enter")
        wait_for("the reaction to be said", lambda: ann.page.get_by_text("Ben: thumbs down").count() == 1)

        keys.go("button More")
        keys.press("Enter")
        self.choose(keys, "Polls")
        keys.go("button New poll", 3)
        keys.press("Enter").at("textbox Question")
        keys.press("Enter")
        wait_for("what is missing", lambda: ann.page.get_by_text("A poll needs a question and at least two answers.").is_visible())
        keys.at("textbox Question")
        keys.type("Cake?").press("Tab").type("Yes").press("Tab").type("No").press("Enter")
        wait_for("the poll", lambda: ann.page.get_by_role("group", name="Cake?").count() == 1)
        self.assertEqual(keys.nameless(), [])
        keys.press("Escape").at("button More")
        guest.go("button More")
        guest.press("Enter")
        self.choose(guest, "Polls (1 to vote in)")
        guest.go("radio Yes 0 votes", 4)
        guest.press("ArrowDown").at("radio No 1 vote")
        wait_for("the vote", lambda: ann.evaluate("() => window.parley.hosting.polls[0].options.map((each) => each.votes).join()") == "0,1")
        self.assertEqual(guest.nameless(), [])
        guest.press("Escape").at("button More")


class Administration(KeyboardTest):
    OPTIONS = ("--admin-token", ADMIN)

    def test_an_operator_makes_and_revokes_tokens_and_a_tenants_secret_by_keyboard(self) -> None:
        ann, keys = self.someone("Ann")
        page = ann.page
        page.goto(f"http://127.0.0.1:{self.server.admin_port}/admin")
        keys.at("textbox Admin token")
        keys.type(ADMIN).press("Enter")
        keys.at("heading Meetings")
        keys.walk("button Sign out", "link Audit log", "link Webhooks", "link Domains", "link Tenants", "link Tokens", "link Meetings", "link Parley",
                  "link Skip to the content", key="Shift+Tab")
        keys.press("Enter").at("heading Meetings")
        keys.walk("button Sign out", "link Audit log", "link Webhooks", "link Domains", "link Tenants", "link Tokens", key="Shift+Tab")
        keys.press("Enter").at("heading Tokens")
        # The way past the menu stays on the page.
        for _ in range(9):
            keys.press("Shift+Tab")
        keys.at("link Skip to the content")
        keys.press("Enter").at("heading Tokens")
        self.assertEqual(keys.nameless(), [])

        # Made: the token is shown once, and the focus comes back to the button.
        keys.go("combobox Tenant", 8)
        keys.walk("textbox Room")
        keys.type("daily").walk("combobox Role")
        keys.press("ArrowDown").walk("textbox Name")
        keys.type("Dora").walk("textbox User")
        keys.type("dora").walk("combobox Good for", "combobox Whose people they are", "DisclosureTriangle Other permissions than the role's",
                               "button Make the token")
        keys.press("Enter")
        dialog = page.get_by_role("dialog", name="The token")
        dialog.wait_for()
        self.assertEqual(keys.nameless(), [])
        token = dialog.locator("code").inner_text()
        keys.go("button Copy", 3)
        keys.walk("button Close")
        keys.press("Escape").at("button Make the token")
        [grant] = run(self.server, "token", "inspect", token)
        self.assertEqual((grant["room"], grant["role"], grant["user"]), ("daily", "moderator", "dora"))

        # Escape and Cancel revoke nothing. Revoked, the row stays and the button goes: the focus stays in the list.
        name = page.get_by_role("button", name="Revoke ").first.get_attribute("aria-label")
        for _ in range(30):
            if keys.press("Shift+Tab").focus() == f"button {name}":
                break
        for key in ("Escape", "Enter"):
            keys.at(f"button {name}")
            keys.press("Enter").at("button Cancel")
            keys.press(key)
        keys.at(f"button {name}")
        keys.press("Enter").at("button Cancel")
        keys.walk("button Revoke")
        keys.press("Enter")
        wait_for("the token to be revoked", lambda: page.locator(".badge", has_text="revoked").count() == 1)
        keys.at("region Tokens")
        run(self.server, "token", "inspect", token, status=1)

        # A missing value is reported at its field.
        keys.go("button Revoke")
        keys.press("Enter")
        wait_for("the problem", lambda: page.get_by_role("alert").all_inner_texts() == ["“Id of the token” is missing."])
        keys.at("textbox Id of the token")

        # A tenant, with its secret.
        for _ in range(40):
            if keys.press("Shift+Tab").focus() == "link Tenants":
                break
        keys.press("Enter").at("heading Tenants")
        keys.go("link parley", 8)
        keys.press("Enter").at("heading Tenant parley")
        self.assertEqual(keys.nameless(), [])
        keys.go("button Make a further secret")
        keys.press("Enter")
        page.get_by_role("dialog", name="The new secret").wait_for()
        keys.press("Escape").at("heading Tenant parley")
        self.assertEqual(page.locator(".badge", has_text="live").count(), 2)

        for place in ("Webhooks", "Audit log"):
            page.get_by_role("link", name=place).focus()
            keys.press("Enter").at(f"heading {place}")
            self.assertEqual(keys.nameless(), [])
        self.assertEqual([line for line in ann.console if "401" not in line and "Unauthorized" not in line], [])


if __name__ == "__main__":
    unittest.main()
