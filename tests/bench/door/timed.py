"""Calls the WSGI application with the requests it reads, over a database connection that notes how long everything took.

Run as a program with the service's environment: requests as JSON on its input, medians per request on its output. The first
tenth is not counted: it fills caches.
"""

import io
import json
import re
import statistics
import sys
import time
from collections import defaultdict
from typing import Any

import psycopg2.extensions

Spent = dict[str, float]
# What the request under way has spent so far: statements by their text, and the commit under its own name.
spent: Spent = defaultdict(float)
calls: dict[str, int] = defaultdict(int)
COMMIT = "COMMIT"


class TimedCursor(psycopg2.extensions.cursor):  # type: ignore[misc]
    def execute(self, query: Any, vars: Any = None) -> Any:
        began_at = time.perf_counter()
        try:
            return super().execute(query, vars)
        finally:
            _note(_name(query), began_at)


class TimedConnection(psycopg2.extensions.connection):  # type: ignore[misc]
    def cursor(self, *args: Any, **kwargs: Any) -> Any:
        return super().cursor(*args, **{"cursor_factory": TimedCursor, **kwargs})

    def commit(self) -> None:
        began_at = time.perf_counter()
        super().commit()
        _note(COMMIT, began_at)


def main() -> None:
    from django.db import connection

    from settings.wsgi import application

    connection.settings_dict["OPTIONS"]["connection_factory"] = TimedConnection
    told = json.load(sys.stdin)
    taken = [_taken(application, content) for content in told]
    json.dump(_summed(taken[len(taken) // 10 :]), sys.stdout)


def _taken(application: Any, content: str) -> tuple[float, Spent, dict[str, int]]:
    spent.clear()
    calls.clear()
    environ = _environ(content)
    began_at = time.perf_counter()
    statuses: list[str] = []
    answer = application(environ, lambda status, headers: statuses.append(status))
    body = b"".join(answer)
    answer.close()
    whole = time.perf_counter() - began_at
    if not statuses[0].startswith("20") or b'"refused"' in body:
        raise SystemExit(f"{statuses[0]}: {body[:500]!r}")
    return whole, dict(spent), dict(calls)


def _environ(content: str) -> dict[str, Any]:
    head, _, body = content.partition("\r\n\r\n")
    first, *lines = head.split("\r\n")
    headers = {name.upper().replace("-", "_"): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    return {
        "REQUEST_METHOD": "POST",
        "SCRIPT_NAME": "",
        "PATH_INFO": first.split()[1],
        "QUERY_STRING": "",
        "SERVER_NAME": "127.0.0.1",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": "127.0.0.1",
        "CONTENT_TYPE": headers["CONTENT_TYPE"],
        "CONTENT_LENGTH": headers["CONTENT_LENGTH"],
        "HTTP_HOST": headers["HOST"],
        "HTTP_AUTHORIZATION": headers["AUTHORIZATION"],
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(body.encode()),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }


def _summed(taken: list[tuple[float, Spent, dict[str, int]]]) -> dict[str, Any]:
    listed = [
        (
            name,
            statistics.mean(made.get(name, 0) for _, _, made in taken),
            statistics.mean(own.get(name, 0.0) for _, own, _ in taken) * 1000,
        )
        for name in {name for _, own, _ in taken for name in own if name != COMMIT}
    ]
    return {
        "whole_ms": statistics.median(whole for whole, _, _ in taken) * 1000,
        "statements_ms": statistics.median(sum(own.values()) - own.get(COMMIT, 0.0) for _, own, _ in taken) * 1000,
        "commit_ms": statistics.median(own.get(COMMIT, 0.0) for _, own, _ in taken) * 1000,
        "calls": statistics.mean(sum(made.values()) - made.get(COMMIT, 0) for _, _, made in taken),
        "statements": sorted(listed, key=lambda one: -one[2]),
    }


def _name(query: Any) -> str:
    """Statements that differ only in their values, or in the name of a savepoint, are one."""
    text = query.decode() if isinstance(query, bytes) else str(query)
    words = " ".join(text.split()).replace('"', "")
    return words.split(" ", 1)[0] if words.startswith(("SAVEPOINT", "RELEASE")) else re.sub(r"\b\d+\b", "N", words)[:100]


def _note(name: str, began_at: float) -> None:
    spent[name] += time.perf_counter() - began_at
    calls[name] += 1


if __name__ == "__main__":
    main()
