"""One caller's line to the service: HTTP over the standard library, with the connection kept between calls."""

import dataclasses
import http.client
import http.cookies
import json
import urllib.parse
from collections.abc import Mapping
from typing import Any

TIMEOUT_SECONDS = 15.0


class LineDown(Exception):
    """No answer came; whether the call arrived is not known."""


@dataclasses.dataclass(frozen=True)
class Answer:
    status: int
    text: str
    retry_after: str | None = None

    @property
    def body(self) -> dict[str, Any]:
        """The answer's JSON object; empty where the answer is something else, such as a page from a proxy."""
        read = self._read()
        return read if isinstance(read, dict) else {}

    @property
    def items(self) -> list[dict[str, Any]]:
        """The objects of an answer that is a JSON array; none where it is something else."""
        read = self._read()
        return [item for item in read if isinstance(item, dict)] if isinstance(read, list) else []

    @property
    def code(self) -> str:
        return str(self.body.get("code", ""))

    def _read(self) -> object:
        try:
            return json.loads(self.text)
        except ValueError:
            return None


class Line:
    """Calls one after another; not to be shared by threads that do not take turns."""

    def __init__(self, *, url: str, token: str | None = None) -> None:
        address = urllib.parse.urlsplit(url)
        if address.scheme not in {"http", "https"} or not address.hostname:
            raise ValueError(f"The service's address must be http:// or https://, not {url!r}.")
        self._origin = f"{address.scheme}://{address.netloc}"
        self._connection = _connection(address)
        self._token = token
        self._has_answered = False
        self.cookies: dict[str, str] = {}

    def get(self, path: str) -> Answer:
        return self._call("GET", path, None, {})

    def post(self, path: str, body: object) -> Answer:
        return self._call("POST", path, json.dumps(body), {"Content-Type": "application/json"})

    def post_form(self, path: str, fields: Mapping[str, str]) -> Answer:
        return self._call("POST", path, urllib.parse.urlencode(fields), {"Content-Type": "application/x-www-form-urlencoded"})

    def close(self) -> None:
        self._connection.close()
        self._has_answered = False

    def _call(self, method: str, path: str, body: str | None, headers: dict[str, str]) -> Answer:
        # A server may drop a connection that was idle. That says nothing about the service, so a fresh one is tried
        # before the line counts as down.
        if self._has_answered:
            try:
                return self._call_once(method, path, body, headers)
            except LineDown:
                pass
        return self._call_once(method, path, body, headers)

    def _call_once(self, method: str, path: str, body: str | None, headers: dict[str, str]) -> Answer:
        try:
            self._connection.request(method, path, body=body, headers={**self._credentials(), **headers})
            response = self._connection.getresponse()
            text = response.read().decode("utf-8", "replace")
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise LineDown(f"{type(error).__name__}: {error}") from error
        self._has_answered = True
        self._keep_cookies(response)
        return Answer(status=response.status, text=text, retry_after=response.getheader("Retry-After"))

    def _credentials(self) -> dict[str, str]:
        headers = {"Accept": "application/json", "User-Agent": "linkmeter-simulator"}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        if self.cookies:
            headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
            # Django asks a browser's session where it came from, and for the token that only its own pages are given.
            headers["Referer"] = f"{self._origin}/"
            headers["X-CSRFToken"] = self.cookies.get("csrftoken", "")
        return headers

    def _keep_cookies(self, response: http.client.HTTPResponse) -> None:
        for line in response.headers.get_all("Set-Cookie", []):
            for name, morsel in http.cookies.SimpleCookie(line).items():
                self.cookies[name] = morsel.value


def _connection(address: urllib.parse.SplitResult) -> http.client.HTTPConnection:
    kind = http.client.HTTPSConnection if address.scheme == "https" else http.client.HTTPConnection
    return kind(address.hostname or "", address.port, timeout=TIMEOUT_SECONDS)
