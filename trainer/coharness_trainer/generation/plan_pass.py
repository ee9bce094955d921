"""Turns what each running sequence has to evaluate into the tensors of one pass."""

import torch

from .key_value_store import KeyValueStore, SharedPrefix
from .llama_forward import MASKED, AttentionBlock, Pass, PrefixShare
from .llama_weights import LlamaWeights
from .sequence import Sequence

# Tokens of one pass: enough for full speed of the matrix products, little enough to stay in the caches.
MOST_TOKENS = 512


def share_out(sequences: list[Sequence]) -> list[tuple[Sequence, int]]:
    """How many of its pending tokens each sequence evaluates in this pass; those that decode go first and always."""
    room = MOST_TOKENS
    shares = []
    for sequence in sorted(sequences, key=lambda sequence: not sequence.is_decoding):
        count = min(len(sequence.pending), room)
        if count > 0:
            shares.append((sequence, count))
            room -= count
    return shares


def plan_pass(shares: list[tuple[Sequence, int]], weights: LlamaWeights, store: KeyValueStore) -> tuple[Pass, list[Sequence]]:
    """The pass, and the sequences whose logits it gives, in this order: those whose pending tokens end in it."""
    tokens, positions, slots, wanted, ready, blocks = [], [], [], [], [], []
    for group in _groups(shares):
        first = len(tokens)
        for sequence, count in group:
            done = len(sequence.evaluated)
            tokens += sequence.pending[:count]
            positions += range(done, done + count)
            slots += [(sequence.slot, sequence.start)] * count
            if count == len(sequence.pending):
                wanted.append(len(tokens) - 1)
                ready.append(sequence)
        blocks.append(_block(group, first, weights))
    places = torch.tensor(positions)
    rows, starts = torch.tensor(slots).unbind(1)
    return Pass(
        tokens=torch.tensor(tokens),
        positions=places,
        cells=store.cells(rows, places - starts),
        blocks=blocks,
        wanted=torch.tensor(wanted, dtype=torch.long),
    ), ready


def _shape(member: tuple[Sequence, int]) -> tuple[int, int]:
    """New tokens, entries that they see in the slot's row."""
    sequence, count = member
    return count, len(sequence.evaluated) + count - sequence.start


def _groups(shares: list[tuple[Sequence, int]]) -> list[list[tuple[Sequence, int]]]:
    """Sequences of like shape share a block, by slot: padding to the largest costs at most as much again."""
    groups: list[list[tuple[Sequence, int]]] = []
    for member in sorted(shares, key=_shape, reverse=True):
        if groups and _fits(_shape(groups[-1][0]), _shape(member)):
            groups[-1].append(member)
        else:
            groups.append([member])
    return [sorted(group, key=lambda member: member[0].slot) for group in groups]


def _fits(largest: tuple[int, int], shape: tuple[int, int]) -> bool:
    # Below some 128 entries a block of its own costs more than the padding.
    return 2 * shape[0] >= largest[0] and (shape[0] > 1) == (largest[0] > 1) and 2 * max(shape[1], 128) >= largest[1]


def _block(group: list[tuple[Sequence, int]], first: int, weights: LlamaWeights) -> AttentionBlock:
    queries = max(_shape(member)[0] for member in group)
    length = max(_shape(member)[1] for member in group)
    highest = group[-1][0].slot + 1
    # Unused rows in between cost less than copying the used ones, while they are few.
    in_place = queries == 1 and 2 * len(group) >= highest
    rows = highest if in_place else len(group)
    gather = torch.zeros(rows, queries, dtype=torch.long)
    visible = torch.zeros(rows, queries, dtype=torch.long)
    places: list[int] = []
    by_prefix: dict[SharedPrefix, list[int]] = {}
    for place, (sequence, count) in enumerate(group):
        row = sequence.slot if in_place else place
        start, seen = first + len(places), len(sequence.evaluated) - sequence.start
        gather[row, :count] = torch.arange(start, start + count)
        visible[row, :count] = torch.arange(seen + 1, seen + count + 1)
        places += range(row * queries, row * queries + count)
        if sequence.prefix is not None:
            by_prefix.setdefault(sequence.prefix, []).append(row)
    is_full = len(places) == rows * queries
    return AttentionBlock(
        slots=slice(0, highest) if in_place else torch.tensor([sequence.slot for sequence, _ in group]),
        length=length,
        queries=queries,
        mask=_mask(visible, length, weights),
        prefixes=[
            PrefixShare(prefix, None if len(members) == rows else torch.tensor(members)) for prefix, members in by_prefix.items()
        ],
        tokens=slice(first, first + len(places)),
        gather=None if is_full else gather.flatten(),
        places=None if is_full else torch.tensor(places),
    )


def _mask(visible: torch.Tensor, length: int, weights: LlamaWeights) -> torch.Tensor:
    """From how many entries each query sees, [B, n]."""
    mask = torch.zeros(*visible.shape, length, dtype=weights.dtype)
    mask.masked_fill_(torch.arange(length) >= visible[..., None], MASKED)
    group = weights.query_heads // weights.key_heads
    if visible.shape[1] > 1:
        return mask.repeat_interleave(group, 1)[:, None]
    return mask.repeat_interleave(weights.key_heads, 0).expand(-1, group, -1)
