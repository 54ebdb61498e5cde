"""Pages of which a script did not load say so, and load again."""

from __future__ import annotations

import unittest

from browser import Person, shared_driver, wait_for
from server import SUPPORT, Server

FOLDER = SUPPORT.parent / "output"


class LoadFailure(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.server = cls.enterClassContext(Server())

    def test_a_page_without_one_of_its_modules_says_so_and_loads_again(self) -> None:
        ann = self.enterContext(Person(shared_driver(), "Ann", devices=False))
        page = ann.page
        administration = f"http://127.0.0.1:{self.server.admin_port}/admin"
        # The last of each is there once the page's scripts have run.
        for name, address, module, whole in (
            ("start", f"{self.server.url}/", "**/assets/js/dom.js", "#appearance svg"),
            ("meeting", f"{self.server.url}/broken", "**/sdk/meeting.js", ".prejoin"),
            ("administration", administration, "**/admin/widgets.js", "main h1"),
        ):
            with self.subTest(page=name):
                page.route(module, lambda route: route.abort("failed"))
                page.goto(address)
                notice = page.get_by_role("alert").filter(has_text="A part of this page did not load")
                wait_for("the words", lambda: notice.count() == 1 and notice.is_visible() or "no")
                self.assertEqual(page.locator(whole).count(), 0)
                for width in (960, 320):
                    page.set_viewport_size({"width": width, "height": 640})
                    page.screenshot(path=FOLDER / f"load-failure-{name}-{width}.png")
                    self.assertFalse(page.evaluate("() => document.documentElement.scrollWidth > innerWidth"))
                page.unroute(module)
                notice.get_by_role("button", name="Load it again").click()
                wait_for("the whole page", lambda: notice.count() == 0 and page.locator(whole).count() == 1 or "no")


if __name__ == "__main__":
    unittest.main()
