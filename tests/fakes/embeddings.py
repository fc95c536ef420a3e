"""Embeddings without a model: the pairs of characters of a text, hashed into a few numbers."""

import math
import zlib

from langchain_core.embeddings import Embeddings

SIZE = 256


class PairEmbeddings(Embeddings):
    """The same vector for the same text in every process; texts that share pairs lie close."""

    def embed_query(self, text: str) -> list[float]:
        counts = [0.0] * SIZE
        folded = " ".join(text.lower().split())
        for at in range(len(folded) - 1):
            counts[zlib.crc32(folded[at : at + 2].encode()) % SIZE] += 1
        length = math.sqrt(sum(count * count for count in counts)) or 1.0
        return [count / length for count in counts]

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]
