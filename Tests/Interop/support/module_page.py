"""A page of Chromium, under the server's policy, in which tests run modules of ``Web/``."""

from __future__ import annotations

import functools
import http.server
import threading
import unittest

from browser import HEADLESS, shared_driver
from server import ROOT

WEB = ROOT / "Web"
POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; media-src 'self' blob:"


class Files(http.server.SimpleHTTPRequestHandler):
    """Serves ``Web/`` under a strict policy."""

    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", POLICY)
        super().end_headers()

    def log_message(self, *_: object) -> None:
        pass


class ModulePage(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Files, directory=str(WEB)))
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()
        cls.url = f"http://127.0.0.1:{cls.server.server_port}"
        cls.browser = shared_driver().chromium.launch(executable_path=HEADLESS, args=["--no-sandbox"])
        cls.page = cls.browser.new_page()
        cls.page.goto(cls.url + "/index.html")

    @classmethod
    def tearDownClass(cls) -> None:
        cls.browser.close()
        cls.server.shutdown()
        cls.server.server_close()

    def run_js(self, body: str, argument: object = None) -> object:
        return self.page.evaluate(f"async (argument) => {{ {body} }}", argument)
