"""One pass of a Llama model over tokens of many sequences, each token attending to its own sequence only."""

from dataclasses import dataclass

import torch

from .key_value_store import KeyValueStore, SharedPrefix
from .llama_weights import LlamaLayer, LlamaWeights

# Finite, so that rows without any visible key stay finite; zero after the softmax all the same.
MASKED = -1e30


@dataclass(frozen=True)
class PrefixShare:
    """A shared prefix and which rows of a block attend to it."""

    prefix: SharedPrefix
    # [R] rows of the block, or None for all of them.
    rows: torch.Tensor | None


@dataclass(frozen=True)
class AttentionBlock:
    """B sequences with up to n new tokens each, which see the first `length` entries of their slots' rows."""

    # Slots as a range (no copying) or as [B] indices.
    slots: slice | torch.Tensor
    length: int
    queries: int
    # To be added to the scores: [B · key heads, group, length] where n = 1, else [B, 1, n · group, length].
    mask: torch.Tensor
    prefixes: list[PrefixShare]
    # The tokens of the pass that belong to this block.
    tokens: slice
    # Where the block's [B · n] queries come from, as index into the pass (anything where a sequence has fewer than n), and
    # where in [B · n] each of its tokens stands. None where the tokens are [B · n] as they are.
    gather: torch.Tensor | None
    places: torch.Tensor | None


@dataclass(frozen=True)
class Pass:
    """T tokens, those of one block adjacent."""

    tokens: torch.Tensor
    positions: torch.Tensor
    # [T · key heads] where its keys and values go: index into the store's cells.
    cells: torch.Tensor
    blocks: list[AttentionBlock]
    # [K] tokens whose logits are wanted.
    wanted: torch.Tensor


def forward(weights: LlamaWeights, store: KeyValueStore, work: Pass) -> torch.Tensor:
    """Logits in fp32, [K, vocabulary]; keys and values of all tokens are in the store afterwards."""
    hidden = weights.embedding[work.tokens]
    cosines = weights.cosines[work.positions][:, None]
    signed_sines = weights.signed_sines[work.positions][:, None]
    for index, layer in enumerate(weights.layers):
        normed = rms_norm(hidden, layer.attention_norm, weights.norm_epsilon)
        queries = _project(weights, store, index, layer, normed, cosines, signed_sines, work.cells)
        attended = torch.empty(queries.shape, dtype=queries.dtype)
        for block in work.blocks:
            padded = queries[block.tokens] if block.gather is None else queries[block.gather]
            outcome = _attend(store, index, block, padded, weights)
            attended[block.tokens] = outcome if block.places is None else outcome[block.places]
        hidden = layer.attention_output.added_to(hidden, attended.flatten(1))
        normed = rms_norm(hidden, layer.mlp_norm, weights.norm_epsilon)
        hidden = layer.down.added_to(hidden, layer.up.times(layer.gate.silu(normed), normed))
    return weights.vocabulary(rms_norm(hidden[work.wanted], weights.final_norm, weights.norm_epsilon)).float()


def rms_norm(values: torch.Tensor, weight: torch.Tensor, epsilon: float) -> torch.Tensor:
    precise = values.float()
    return weight * (precise * torch.rsqrt(precise.square().mean(-1, keepdim=True) + epsilon)).to(values.dtype)


def _project(weights, store, index, layer, normed, cosines, signed_sines, cells) -> torch.Tensor:
    """Queries [T, query heads, head width]; keys and values go to the store."""
    heads = layer.query_key_value(normed).unflatten(-1, (-1, weights.head_width))
    turning = heads[:, : weights.query_heads + weights.key_heads]
    # Rotating by half a head equals rotate_half of transformers once the sign sits in the sines.
    turned = torch.addcmul(turning * cosines, turning.roll(weights.head_width // 2, -1), signed_sines)
    store.key_cells[index].index_copy_(0, cells, turned[:, weights.query_heads :].flatten(0, 1))
    store.value_cells[index].index_copy_(0, cells, heads[:, weights.query_heads + weights.key_heads :].flatten(0, 1))
    return turned[:, : weights.query_heads]


def _attend(store, index, block, padded, weights) -> torch.Tensor:
    """[B · n, query heads, head width] → the same shape."""
    group = weights.query_heads // weights.key_heads
    # Queries of one key head are adjacent: they become more rows of one product instead of copies of the keys.
    queries = padded.unflatten(1, (weights.key_heads, group)).unflatten(0, (-1, block.queries)).transpose(1, 2).flatten(2, 3)
    keys = store.keys[index, block.slots, :, : block.length]
    values = store.values[index, block.slots, :, : block.length]
    attention = _single_query_attention if block.queries == 1 else flash_attention
    own, own_norm = attention(queries, keys, values, block.mask)
    for share in block.prefixes:
        rows = slice(None) if share.rows is None else share.rows
        _add_prefix(own, own_norm, queries, rows, share.prefix, index)
    return own.unflatten(2, (block.queries, group)).transpose(1, 2).reshape(-1, weights.query_heads, weights.head_width)


def _single_query_attention(queries, keys, values, mask) -> tuple[torch.Tensor, torch.Tensor]:
    """As flash_attention, in half the time where each sequence has one new token."""
    key_heads = keys.shape[1]
    queries, keys, values = queries.flatten(0, 1), keys.flatten(0, 1), values.flatten(0, 1)
    scores = torch.baddbmm(mask, queries, keys.transpose(1, 2), alpha=queries.shape[-1] ** -0.5).float()
    # logsumexp and softmax would each take the exponentials for themselves.
    highest = scores.amax(-1, keepdim=True)
    shares = scores.sub_(highest).exp_()
    total = shares.sum(-1, keepdim=True)
    attended = torch.bmm(shares.to(values.dtype), values).div_(total.to(values.dtype))
    normaliser = highest.add_(total.log_())[..., 0]
    return attended.unflatten(0, (-1, key_heads)), normaliser.unflatten(0, (-1, key_heads))


def _add_prefix(own, own_norm, queries, rows, prefix: SharedPrefix, index: int) -> None:
    """Attention over prefix and row together, from the two apart: each counts by its share of the joint softmax."""
    mine = queries[rows]
    # All sequences as one: the prefix is read once for all of them.
    together = mine.transpose(0, 1).flatten(1, 2)[None]
    shared, shared_norm = flash_attention(together, prefix.keys[index][None], prefix.values[index][None], None)
    count = mine.shape[0]
    shared = shared[0].unflatten(1, (count, -1)).transpose(0, 1)
    shared_norm = shared_norm[0].unflatten(1, (count, -1)).transpose(0, 1)
    weight = torch.sigmoid(shared_norm - own_norm[rows])[..., None].to(own.dtype)
    own[rows] = torch.lerp(own[rows], shared, weight)


def flash_attention(queries, keys, values, mask) -> tuple[torch.Tensor, torch.Tensor]:
    """Attention and the natural logarithm of its normaliser, which scaled_dot_product_attention does not hand out."""
    # The operator is internal to torch; trainer/tests hold it to its meaning for the pinned version.
    return torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(queries, keys, values, 0.0, False, attn_mask=mask)
