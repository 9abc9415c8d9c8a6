# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium that looks at pages, through the WebDriver protocol of Debian's chromium-driver."""

import base64
import contextlib
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import urllib.error
import urllib.request

WIDTH, HEIGHT = 1280, 800
START_S = 60
COMMAND_S = 180


def is_installed():
    return shutil.which("chromium") is not None and shutil.which("chromedriver") is not None


class Failed(Exception):
    """What the driver says of a command that failed."""


class Browser:
    """One window of WIDTH by HEIGHT; use as a context."""

    def __init__(self):
        self._ends = contextlib.ExitStack()

    def __enter__(self):
        with contextlib.ExitStack() as ends:
            profile = ends.enter_context(tempfile.TemporaryDirectory())
            driver = ends.enter_context(subprocess.Popen(
                ["chromedriver", "--port=0", "--log-level=SEVERE"], stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, text=True))
            ends.callback(driver.terminate)
            self._url = f"http://127.0.0.1:{self._port(driver)}"
            self._session = self._call("POST", "/session", {"capabilities": {"alwaysMatch": {
                "browserName": "chrome",
                "goog:loggingPrefs": {"browser": "ALL"},
                "goog:chromeOptions": {"binary": shutil.which("chromium"), "args": [
                    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                    "--hide-scrollbars", f"--user-data-dir={profile}",
                    f"--window-size={WIDTH},{HEIGHT + 200}"]}}}})["sessionId"]
            ends.callback(self._call, "DELETE", f"/session/{self._session}")
            self._command("POST", "/goog/cdp/execute", {
                "cmd": "Emulation.setDeviceMetricsOverride",
                "params": {"width": WIDTH, "height": HEIGHT, "deviceScaleFactor": 1,
                           "mobile": False}})
            self._command("POST", "/timeouts", {"script": COMMAND_S * 1000})
            self._ends = ends.pop_all()
        return self

    def __exit__(self, *exception):
        return self._ends.__exit__(*exception)

    @staticmethod
    def _port(driver):
        for line in driver.stdout:
            found = re.search(r"started successfully on port (\d+)", line)
            if found:
                return int(found.group(1))
        raise Failed("chromedriver does not start")

    def _call(self, method, path, body=None):
        request = urllib.request.Request(self._url + path, method=method)
        data = None if body is None else json.dumps(body).encode()
        try:
            with urllib.request.urlopen(request, data, timeout=COMMAND_S) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise Failed(json.load(error)["value"]["message"]) from error

    def _command(self, method, path, body=None):
        return self._call(method, f"/session/{self._session}{path}", body)

    def open(self, path):
        """Loads a page of ours from a file; returns once its script has run."""
        self._command("POST", "/url", {"url": pathlib.Path(path).resolve().as_uri()})

    def run(self, script, *arguments):
        """What the body of a function returns, given `arguments`; promises are awaited."""
        return self._command("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def messages(self):
        """What was written to the console, and errors of scripts, since the last call."""
        return [entry["message"] for entry in self._command("POST", "/se/log", {"type": "browser"})]

    def press(self, keys):
        """Types keys into the page."""
        steps = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self._command("POST", "/actions", {"actions": [
            {"type": "key", "id": "keyboard", "actions": steps}]})

    def click(self, x, y, times=1):
        presses = [{"type": kind, "button": 0}
                   for _ in range(times) for kind in ("pointerDown", "pointerUp")]
        self._command("POST", "/actions", {"actions": [
            {"type": "pointer", "id": "mouse", "actions": [
                {"type": "pointerMove", "x": int(x), "y": int(y), "duration": 0}, *presses]}]})

    def screenshot(self, path):
        pathlib.Path(path).write_bytes(base64.b64decode(self._command("GET", "/screenshot")))
