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


def plan_pass(shares: list[tuple[Sequence, int]], weights: LlamaWeights, store: KeyValueStore) -> Pass:
    """Logits are wanted for the sequences whose pending tokens end in this pass, in the order of `shares`."""
    tokens, positions, cells, wanted, firsts = [], [], [], [], []
    for sequence, count in shares:
        done = len(sequence.evaluated)
        firsts.append(len(tokens))
        tokens += sequence.pending[:count]
        positions += range(done, done + count)
        cell = sequence.slot * store.window + done - sequence.start
        cells += range(cell, cell + count)
        if count == len(sequence.pending):
            wanted.append(len(tokens) - 1)
    members = list(zip(shares, firsts))
    return Pass(
        tokens=torch.tensor(tokens),
        positions=torch.tensor(positions),
        cells=torch.tensor(cells),
        blocks=[_block(group, weights, store) for group in _groups(members)],
        wanted=torch.tensor(wanted, dtype=torch.long),
    )


def _groups(members):
    """Sequences of like shape share a block: padding to the largest costs at most as much again."""
    groups = []
    for member in sorted(members, key=_shape, reverse=True):
        if groups and _fits(_shape(groups[-1][0]), _shape(member)):
            groups[-1].append(member)
        else:
            groups.append([member])
    return groups


def _shape(member) -> tuple[int, int]:
    """New tokens, entries that they see in the slot's row."""
    (sequence, count), _ = member
    return count, len(sequence.evaluated) + count - sequence.start


def _fits(largest: tuple[int, int], shape: tuple[int, int]) -> bool:
    # Below some 128 entries a block of its own costs more than the padding.
    return 2 * shape[0] >= largest[0] and (shape[0] > 1) == (largest[0] > 1) and 2 * max(shape[1], 128) >= largest[1]


def _block(group, weights: LlamaWeights, store: KeyValueStore) -> AttentionBlock:
    queries = max(_shape(member)[0] for member in group)
    length = max(_shape(member)[1] for member in group)
    highest = max(sequence.slot for (sequence, _), _ in group) + 1
    # Unused rows in between cost less than copying the used ones, while they are few.
    in_place = queries == 1 and 2 * len(group) >= highest
    rows = highest if in_place else len(group)
    gather = torch.zeros(rows, queries, dtype=torch.long)
    visible = torch.zeros(rows, queries, dtype=torch.long)
    tokens, places = [], []
    by_prefix: dict[SharedPrefix, list[int]] = {}
    for place, ((sequence, count), first) in enumerate(group):
        row = sequence.slot if in_place else place
        gather[row, :count] = torch.arange(first, first + count)
        seen = len(sequence.evaluated) - sequence.start
        visible[row, :count] = torch.arange(seen + 1, seen + count + 1)
        tokens += range(first, first + count)
        places += range(row * queries, row * queries + count)
        if sequence.prefix is not None:
            by_prefix.setdefault(sequence.prefix, []).append(row)
    mask = torch.zeros(rows, queries, length, dtype=weights.dtype)
    mask.masked_fill_(torch.arange(length) >= visible[..., None], MASKED)
    group_size = weights.query_heads // weights.key_heads
    return AttentionBlock(
        slots=slice(0, highest) if in_place else torch.tensor([sequence.slot for (sequence, _), _ in group]),
        length=length,
        gather=gather.flatten(),
        queries=queries,
        mask=mask.repeat_interleave(group_size, 1)[:, None],
        prefixes=[
            PrefixShare(prefix, None if len(members) == rows else torch.tensor(members)) for prefix, members in by_prefix.items()
        ],
        tokens=torch.tensor(tokens),
        places=torch.tensor(places),
    )
