"""A request, and its state while it runs in a slot."""

from dataclasses import dataclass, field

from .key_value_store import SharedPrefix
from .sampling import Sampling
from .stop_bytes import StopWatch


@dataclass(frozen=True)
class Request:
    id: int
    prompt: list[int]
    # ≥ 1
    max_tokens: int
    sampling: Sampling
    stop: list[str]


@dataclass(eq=False)
class Sequence:
    request: Request
    slot: int
    prefix: SharedPrefix | None
    watch: StopWatch
    # Tokens whose keys and values exist, the shared prefix included.
    evaluated: list[int]
    # Tokens to evaluate before the next one can be sampled; never empty.
    pending: list[int]
    sampled: list[int] = field(default_factory=list)

    @property
    def start(self) -> int:
        """Position of the first entry in the slot's row."""
        return 0 if self.prefix is None else len(self.prefix.tokens)

    @property
    def is_decoding(self) -> bool:
        return bool(self.sampled)
