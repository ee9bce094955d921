"""Stop strings, found in the bytes that sampled tokens stand for."""

import re
from pathlib import Path

from ..base_model import _PlainArrayReader
from ..failure import TrainerFailure


def token_bytes(gguf_file: Path) -> list[bytes]:
    """What each token shows; a control token shows its spelling. Fails with `unsupported-model` for an unknown kind of tokeniser."""
    reader = _PlainArrayReader(gguf_file)
    kind = reader.fields["tokenizer.ggml.model"].contents()
    texts = reader.fields["tokenizer.ggml.tokens"].contents()
    if kind == "gpt2":
        byte_of = _byte_of_character()
        return [_byte_level(text, byte_of) for text in texts]
    if kind == "llama":
        return [_sentence_piece(text) for text in texts]
    raise TrainerFailure("unsupported-model", f"{gguf_file} has a tokeniser of kind {kind}; gpt2 and llama are known. Use the llama.cpp engine.")


def _byte_of_character() -> dict[str, int]:
    """The printable stand-ins of byte-level BPE: printable Latin-1 stands for itself, the other bytes follow from 256 on."""
    own = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    others = [byte for byte in range(256) if byte not in own]
    return {**{chr(byte): byte for byte in own}, **{chr(256 + place): byte for place, byte in enumerate(others)}}


def _byte_level(text: str, byte_of: dict[str, int]) -> bytes:
    if all(character in byte_of for character in text):
        return bytes(byte_of[character] for character in text)
    return text.encode()


def _sentence_piece(text: str) -> bytes:
    byte = re.fullmatch(r"<0x([0-9A-Fa-f]{2})>", text)
    return bytes([int(byte[1], 16)]) if byte else text.replace("▁", " ").encode()


class StopWatch:
    """Watches one growing text. A stop string may span tokens and bytes of one character."""

    def __init__(self, stops: list[str]):
        self.stops = [stop.encode() for stop in stops if stop]
        self.longest = max(map(len, self.stops), default=0)
        self.tail = b""

    def completes(self, shown: bytes) -> bool:
        """True once the text, grown by `shown`, holds a stop string."""
        if not self.stops:
            return False
        text = self.tail + shown
        self.tail = text[-self.longest + 1 :] if self.longest > 1 else b""
        return any(stop in text for stop in self.stops)
