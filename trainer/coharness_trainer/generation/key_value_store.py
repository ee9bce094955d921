"""Keys and values of what has been evaluated: shared prefixes stored once, and one row of the rest for each slot."""

import math
import mmap
from dataclasses import dataclass

import torch

from .llama_weights import LlamaWeights


@dataclass(eq=False)
class SharedPrefix:
    """Evaluated tokens that many sequences begin with."""

    tokens: list[int]
    # [layers, key heads, tokens, head width]
    keys: torch.Tensor
    values: torch.Tensor
    # Running slots that attend to it; it must not be dropped before they end.
    users: int = 0


@dataclass(eq=False)
class ParkedSequence:
    """What a finished sequence evaluated beyond its shared prefix, kept for the next turn of the same conversation."""

    id: int
    tokens: list[int]
    prefix: SharedPrefix | None
    keys: torch.Tensor
    values: torch.Tensor

    @property
    def start(self) -> int:
        return 0 if self.prefix is None else len(self.prefix.tokens)


class KeyValueStore:
    """`slots` rows of at most `window` tokens. Memory is taken page by page as rows fill, not at once."""

    def __init__(self, weights: LlamaWeights, slots: int):
        shape = (len(weights.layers), slots, weights.key_heads, weights.window, weights.head_width)
        self.key_heads = weights.key_heads
        self.window = weights.window
        # Masked keys and values are multiplied by zero, which only works while they are finite: hence zeros.
        self.keys = lazy_zeros(shape, weights.dtype)
        self.values = lazy_zeros(shape, weights.dtype)
        # Per layer [slots · key heads · window, head width], for writing by one index.
        self.key_cells = [layer.flatten(0, 2) for layer in self.keys]
        self.value_cells = [layer.flatten(0, 2) for layer in self.values]

    def cells(self, slots: torch.Tensor, offsets: torch.Tensor) -> torch.Tensor:
        """Index of each entry in the cells, head after head: [entries · key heads]."""
        heads = torch.arange(self.key_heads)
        return ((slots[:, None] * self.key_heads + heads) * self.window + offsets[:, None]).flatten()

    def read(self, slot: int, start: int, end: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Views of a stretch of a slot's row, [layers, key heads, end - start, head width]."""
        return self.keys[:, slot, :, start:end], self.values[:, slot, :, start:end]

    def write(self, slot: int, start: int, keys: torch.Tensor, values: torch.Tensor) -> None:
        self.keys[:, slot, :, start : start + keys.shape[2]] = keys
        self.values[:, slot, :, start : start + values.shape[2]] = values


def lazy_zeros(shape: tuple[int, ...], dtype: torch.dtype) -> torch.Tensor:
    # torch.zeros writes every byte, and numpy asks for huge pages: rows would take their memory whether they fill or not. 7 GB instead of 1.
    return torch.frombuffer(mmap.mmap(-1, math.prod(shape) * dtype.itemsize), dtype=dtype).view(shape)
