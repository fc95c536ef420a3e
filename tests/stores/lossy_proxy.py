"""A loopback proxy that loses replies: the request arrives, the answer does not."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

_CHUNK_BYTES = 65_536


class LossyProxy:
    """Swallows `lose` more replies and closes their connections, or leaves them open (`silent`)."""

    def __init__(self, target_port: int) -> None:
        self._target_port = target_port
        self.port = 0
        self.lose = 0
        self.lost = 0
        self.silent = False

    @asynccontextmanager
    async def listening(self) -> AsyncIterator["LossyProxy"]:
        """Until the end of the block, on `port`."""
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        async with server:
            yield self

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        up_reader, up_writer = await asyncio.open_connection("127.0.0.1", self._target_port)
        try:
            while request := await reader.read(_CHUNK_BYTES):
                up_writer.write(request)
                reply = await up_reader.read(_CHUNK_BYTES)
                if self.lose:
                    self.lose -= 1
                    self.lost += 1
                    if self.silent:
                        await reader.read()
                    return
                writer.write(reply)
                await writer.drain()
        finally:
            for end in (writer, up_writer):
                end.close()
