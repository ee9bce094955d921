"""Continuous batching: every pass advances all running sequences, and whatever ends makes room for what waits."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable

import torch

from .choose_prefix import LEAST_SPARED, choose_prefix, common_length
from .key_value_store import KeyValueStore, ParkedSequence, SharedPrefix
from .llama_forward import forward
from .llama_weights import LlamaWeights
from .plan_pass import plan_pass, share_out
from .sampling import sample
from .sequence import Request, Sequence
from .stop_bytes import StopWatch

# Different harnesses that can run in one batch without evaluating their prompts again and again.
MOST_PREFIXES = 8
# Shorter overlaps than this are evaluated rather than looked for.
LEAST_REUSE = 8

# id, sampled tokens, why it ended: end | stop-text | length | window
Finish = Callable[[int, list[int], str], None]


class Engine:
    """
    `submit`, `cancel` and `step` belong to one thread. Results depend on a request and the weights alone, but for the last bits
    of the logits: those vary with what else is in the batch.
    """

    def __init__(
        self,
        weights: LlamaWeights,
        slots: int,
        end_tokens: list[int],
        token_bytes: Callable[[int], bytes],
        finish: Finish,
        least_spared: int = LEAST_SPARED,
    ):
        self.weights = weights
        # One row more, in which prefixes are evaluated.
        self.store = KeyValueStore(weights, slots + 1)
        self.end_tokens = frozenset(end_tokens)
        self.token_bytes = token_bytes
        self.finish = finish
        self.least_spared = least_spared
        self.scratch = slots
        self.free = set(range(slots))
        self.waiting: deque[Request] = deque()
        self.running: dict[int, Sequence] = {}
        self.prefixes: list[SharedPrefix] = []
        self.parked: OrderedDict[int, ParkedSequence] = OrderedDict()
        # A next turn comes at once, but waits until a slot is free; meanwhile others end.
        self.most_parked = max(2, slots // 2)
        # Engines over the same weights whose prefixes can be used here.
        self.peers: list[Engine] = []
        self.counts = {"passes": 0, "evaluated": 0, "reused": 0, "sampled": 0}

    def submit(self, request: Request) -> None:
        if len(request.prompt) >= self.weights.window:
            self.finish(request.id, [], "window")
        else:
            self.waiting.append(request)

    def cancel(self, request_id: int) -> None:
        """Unknown ids are those that ended meanwhile."""
        self.waiting = deque(request for request in self.waiting if request.id != request_id)
        for sequence in self.running.values():
            if sequence.request.id == request_id:
                self._release(sequence)
                return

    @property
    def is_idle(self) -> bool:
        return not self.waiting and not self.running

    @torch.inference_mode()
    def step(self) -> None:
        """One pass over all running sequences, after free slots were filled."""
        self._admit()
        if self.running:
            self._advance(list(self.running.values()))

    def _advance(self, sequences: list[Sequence]) -> None:
        ready, logits = self._evaluate(sequences)
        if not ready:
            return
        self.counts["sampled"] += len(ready)
        tokens = sample(logits, [one.request.sampling for one in ready], [len(one.sampled) for one in ready])
        for sequence, token in zip(ready, tokens):
            self._accept(sequence, token)

    def _evaluate(self, sequences: list[Sequence]) -> tuple[list[Sequence], torch.Tensor]:
        """One pass; the sequences that have nothing pending any more, and their logits."""
        shares = share_out(sequences)
        work, ready = plan_pass(shares, self.weights, self.store)
        logits = forward(self.weights, self.store, work)
        self.counts["passes"] += 1
        self.counts["evaluated"] += sum(count for _, count in shares)
        for sequence, count in shares:
            sequence.evaluated += sequence.pending[:count]
            sequence.pending = sequence.pending[count:]
        return ready, logits

    def _accept(self, sequence: Sequence, token: int) -> None:
        sequence.sampled.append(token)
        sequence.pending = [token]
        reason = self._reason_to_end(sequence, token)
        if reason is not None:
            self._park(sequence)
            self._release(sequence)
            self.finish(sequence.request.id, sequence.sampled, reason)

    def _reason_to_end(self, sequence: Sequence, token: int) -> str | None:
        if token in self.end_tokens:
            return "end"
        if sequence.watch.stops and sequence.watch.completes(self.token_bytes(token)):
            return "stop-text"
        room = self.weights.window - len(sequence.request.prompt)
        if len(sequence.sampled) < min(sequence.request.max_tokens, room):
            return None
        return "length" if sequence.request.max_tokens <= room else "window"

    def _release(self, sequence: Sequence) -> None:
        del self.running[sequence.slot]
        if sequence.prefix is not None:
            sequence.prefix.users -= 1
        self.free.add(sequence.slot)

    # ── admission ──

    def _admit(self) -> None:
        if not self.free or not self.waiting:
            return
        self._share_prefixes()
        postponed = []
        while self.free and self.waiting:
            request = self.waiting.popleft()
            if not self._start(request):
                postponed.append(request)
        self.waiting.extendleft(reversed(postponed))

    def _start(self, request: Request) -> bool:
        """False where another sequence is about to evaluate what this one could then copy."""
        prompt, prefix = request.prompt, self._prefix_of(request.prompt)
        start = 0 if prefix is None else len(prefix.tokens)
        source, reusable = self._longest_evaluated(prompt, start)
        if self._is_coming(prompt, max(start, reusable)):
            return False
        # The lowest slot keeps the used rows together, which attention reads as one range.
        slot = min(self.free)
        self.free.remove(slot)
        if source is not None and reusable - start >= LEAST_REUSE:
            self.store.write(slot, 0, *self._row_of(source, start, reusable))
            if isinstance(source, ParkedSequence) and reusable == len(source.tokens):
                # The slot holds all of it now.
                del self.parked[source.id]
        else:
            reusable = start
        if prefix is not None:
            prefix.users += 1
            self._touch(prefix)
        self.counts["reused"] += reusable
        watch = StopWatch(request.stop)
        self.running[slot] = Sequence(request, slot, prefix, watch, prompt[:reusable], prompt[reusable:])
        return True

    def _prefix_of(self, prompt: list[int]) -> SharedPrefix | None:
        fitting = [
            prefix for prefix in self.prefixes if len(prefix.tokens) < len(prompt) and prompt[: len(prefix.tokens)] == prefix.tokens
        ]
        return max(fitting, key=lambda prefix: len(prefix.tokens), default=None)

    def _longest_evaluated(self, prompt: list[int], start: int) -> tuple[Sequence | ParkedSequence | None, int]:
        """What holds the most leading tokens of the prompt from position `start` on, and how many that are (≥ 0, < all)."""
        best, most = None, 0
        for source in (*self.running.values(), *self.parked.values()):
            tokens = source.evaluated if isinstance(source, Sequence) else source.tokens
            if source.start <= start < len(tokens) and tokens[start] == prompt[start]:
                length = min(common_length(tokens, prompt), len(prompt) - 1)
                if length > max(most, start):
                    best, most = source, length
        return best, most

    def _is_coming(self, prompt: list[int], known: int) -> bool:
        for sequence in self.running.values():
            if sequence.is_decoding:
                continue
            length = min(common_length(sequence.request.prompt, prompt), len(prompt) - 1)
            if length - max(known, len(sequence.evaluated)) >= 2 * LEAST_REUSE and length > known:
                return True
        return False

    def _row_of(self, source: Sequence | ParkedSequence, start: int, end: int) -> tuple[torch.Tensor, torch.Tensor]:
        first, last = start - source.start, end - source.start
        if isinstance(source, Sequence):
            return self.store.read(source.slot, first, last)
        return source.keys[:, :, first:last], source.values[:, :, first:last]

    def _park(self, sequence: Sequence) -> None:
        keys, values = self.store.read(sequence.slot, 0, len(sequence.evaluated) - sequence.start)
        request_id = sequence.request.id
        self.parked[request_id] = ParkedSequence(request_id, sequence.evaluated, sequence.prefix, keys.clone(), values.clone())
        while len(self.parked) > self.most_parked:
            self.parked.popitem(last=False)

    # ── shared prefixes ──

    def _share_prefixes(self) -> None:
        while True:
            candidates = [request.prompt for request in self.waiting]
            best = [self._prefix_of(prompt) for prompt in candidates]
            covered = [0 if prefix is None else len(prefix.tokens) for prefix in best]
            running = [one.request.prompt for one in self.running.values()]
            tokens = choose_prefix(candidates, covered, running, self.least_spared)
            if tokens is None or not self._make_room(best):
                return
            self.prefixes.append(self._prefix_of_peers(tokens) or self._evaluate_prefix(tokens))

    def _make_room(self, wanted: list[SharedPrefix | None]) -> bool:
        if len(self.prefixes) < MOST_PREFIXES:
            return True
        for prefix in self.prefixes:
            if prefix.users == 0 and prefix not in wanted:
                self.prefixes.remove(prefix)
                self.parked = OrderedDict((key, one) for key, one in self.parked.items() if one.prefix is not prefix)
                return True
        return False

    def _touch(self, prefix: SharedPrefix) -> None:
        """Least recently used first."""
        self.prefixes.remove(prefix)
        self.prefixes.append(prefix)

    def _prefix_of_peers(self, tokens: list[int]) -> SharedPrefix | None:
        # Tensors of a prefix never change, and reading a list is one step: no lock is needed.
        for prefix in (prefix for peer in self.peers for prefix in tuple(peer.prefixes)):
            if prefix.tokens[: len(tokens)] == tokens:
                return SharedPrefix(tokens, prefix.keys[:, :, : len(tokens)], prefix.values[:, :, : len(tokens)])
        return None

    def _evaluate_prefix(self, tokens: list[int]) -> SharedPrefix:
        parent = self._prefix_of(tokens)
        start = 0 if parent is None else len(parent.tokens)
        source, known = self._longest_evaluated(tokens, start)
        known = max(known, start)
        if source is not None:
            self.store.write(self.scratch, 0, *self._row_of(source, start, known))
        request = Request(-1, tokens, 1, None, [])
        sequence = Sequence(request, self.scratch, parent, StopWatch([]), tokens[:known], tokens[known:])
        while sequence.pending:
            self._evaluate([sequence])
        keys, values = (part.clone() for part in self.store.read(self.scratch, 0, len(tokens) - start))
        if parent is not None:
            keys, values = torch.cat([parent.keys, keys], 2), torch.cat([parent.values, values], 2)
        return SharedPrefix(tokens, keys, values)
