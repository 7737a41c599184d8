"""Many displays in one program: each keeps a stream open and notes when each frame was read by the service and when it arrived.

Says `ready` once every display has had a frame, and prints everything noted when its input ends.
"""

import asyncio
import datetime
import json
import re
import sys
import time

AS_OF = re.compile(rb'"as_of":"([^"]+)"')
# Longer than the piece that is looked for, so that one cut in two by the network is still found.
TAIL = 60
READY_SECONDS = 60
REQUEST = b"GET /api/v1/meters/stream/ HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n"


class Display(asyncio.Protocol):
    """One stream."""

    def __init__(self) -> None:
        self.frames: list[tuple[bytes, float]] = []
        self.rest = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        transport.write(REQUEST)

    def data_received(self, arrived: bytes) -> None:
        now = time.time()
        content = self.rest + arrived
        end = 0
        for found in AS_OF.finditer(content):
            self.frames.append((found[1], now))
            end = found.end()
        self.rest = content[max(end, len(content) - TAIL) :]


async def watch(port: int, displays: int) -> list[Display]:
    """Open the streams, and keep them until the input ends."""
    loop = asyncio.get_running_loop()
    opened = []
    for _ in range(displays):
        _, display = await loop.create_connection(Display, "127.0.0.1", port)
        opened.append(display)
    async with asyncio.timeout(READY_SECONDS):
        while not all(display.frames for display in opened):
            await asyncio.sleep(0.1)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    await loop.run_in_executor(None, sys.stdin.read)
    return opened


def main() -> None:
    opened = asyncio.run(watch(int(sys.argv[1]), int(sys.argv[2])))
    noted = [[(_moment(read_at), arrived_at) for read_at, arrived_at in display.frames] for display in opened]
    json.dump(noted, sys.stdout)


def _moment(text: bytes) -> float:
    return datetime.datetime.fromisoformat(text.decode()).timestamp()


if __name__ == "__main__":
    main()
