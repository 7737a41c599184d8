"""The live process (streams), and the embedded set-up's single port, where the same process hands all else to WSGI threads."""

import os
from typing import Any, cast

import django
from a2wsgi import WSGIMiddleware

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "settings.base")
django.setup()

from jackpots import live  # noqa: E402  (Django must be set up before the rooms are entered)
from settings.wsgi import application as wsgi_application  # noqa: E402

doors = WSGIMiddleware(cast(Any, wsgi_application), workers=16)


async def application(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Production's live process: streams only."""
    await live.application(scope, receive, send)


async def one_port(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """The embedded set-up: streams here, everything else through WSGI threads, on one port."""
    if scope["type"] == "lifespan" or live.serves(scope):
        await live.application(scope, receive, send)
        return

    # Granian hands over builtin callables; a2wsgi schedules them as coroutines, so each is wrapped in a real one.
    async def receive_message() -> Any:
        return await receive()

    async def send_message(message: Any) -> None:
        await send(message)

    await doors(scope, receive_message, send_message)  # type: ignore[arg-type]
