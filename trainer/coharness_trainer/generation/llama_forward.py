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
    # [B · n] index into the tokens of the pass; anything where a sequence has fewer than n.
    gather: torch.Tensor
    queries: int
    # [B, 1, n · group, length] to be added to the scores.
    mask: torch.Tensor
    prefixes: list[PrefixShare]
    # Tokens of the pass that belong to this block, and where each stands in [B · n].
    tokens: torch.Tensor
    places: torch.Tensor


@dataclass(frozen=True)
class Pass:
    """T tokens. Every token belongs to exactly one block."""

    tokens: torch.Tensor
    positions: torch.Tensor
    # [T] where its key and value go: slot · window + offset.
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
        attended = torch.empty_like(queries)
        for block in work.blocks:
            padded = queries[block.gather]
            outcome = _attend(store, index, block, padded, weights)
            attended[block.tokens] = outcome[block.places]
        hidden = hidden + layer.attention_output(attended.flatten(1))
        hidden = hidden + _mlp(layer, rms_norm(hidden, layer.mlp_norm, weights.norm_epsilon))
    return weights.vocabulary(rms_norm(hidden[work.wanted], weights.final_norm, weights.norm_epsilon)).float()


def rms_norm(values: torch.Tensor, weight: torch.Tensor, epsilon: float) -> torch.Tensor:
    precise = values.float()
    return weight * (precise * torch.rsqrt(precise.square().mean(-1, keepdim=True) + epsilon)).to(values.dtype)


def _mlp(layer: LlamaLayer, values: torch.Tensor) -> torch.Tensor:
    gate, up = layer.gate_up(values).chunk(2, -1)
    return layer.down(torch.nn.functional.silu(gate) * up)


def _project(weights, store, index, layer, normed, cosines, signed_sines, cells) -> torch.Tensor:
    """Queries [T, query heads, head width]; keys and values go to the store."""
    heads = layer.query_key_value(normed).unflatten(-1, (-1, weights.head_width))
    turning = heads[:, : weights.query_heads + weights.key_heads]
    # Rotating by half a head equals rotate_half of transformers once the sign sits in the sines.
    turned = torch.addcmul(turning * cosines, turning.roll(weights.head_width // 2, -1), signed_sines)
    store.key_rows[index].index_copy_(0, cells, turned[:, weights.query_heads :])
    store.value_rows[index].index_copy_(0, cells, heads[:, weights.query_heads + weights.key_heads :])
    return turned[:, : weights.query_heads]


def _attend(store, index, block, padded, weights) -> torch.Tensor:
    """[B · n, query heads, head width] → the same shape."""
    group = weights.query_heads // weights.key_heads
    # Queries of one key head are adjacent: they become more rows of one product instead of copies of the keys.
    queries = padded.view(-1, block.queries, weights.key_heads, group, weights.head_width).transpose(1, 2).flatten(2, 3)
    keys = store.keys[index, block.slots, : block.length].transpose(1, 2)
    values = store.values[index, block.slots, : block.length].transpose(1, 2)
    own, own_norm = flash_attention(queries, keys, values, block.mask)
    for share in block.prefixes:
        rows = slice(None) if share.rows is None else share.rows
        _add_prefix(own, own_norm, queries, rows, share.prefix, index)
    shape = (-1, weights.key_heads, block.queries, group, weights.head_width)
    return own.view(shape).transpose(1, 2).reshape(padded.shape)


def _add_prefix(own, own_norm, queries, rows, prefix: SharedPrefix, index: int) -> None:
    """Attention over prefix and row together, from the two apart: each counts by its share of the joint softmax."""
    mine = queries[rows]
    # All sequences as one: the prefix is read once for all of them.
    together = mine.transpose(0, 1).flatten(1, 2)[None]
    keys, values = prefix.keys[index].transpose(0, 1)[None], prefix.values[index].transpose(0, 1)[None]
    shared, shared_norm = flash_attention(together, keys, values, None)
    count = mine.shape[0]
    shared = shared[0].unflatten(1, (count, -1)).transpose(0, 1)
    shared_norm = shared_norm[0].unflatten(1, (count, -1)).transpose(0, 1)
    weight = torch.sigmoid(shared_norm - own_norm[rows])[..., None].to(own.dtype)
    own[rows] = torch.lerp(own[rows], shared, weight)


def flash_attention(queries, keys, values, mask) -> tuple[torch.Tensor, torch.Tensor]:
    """Attention and the natural logarithm of its normaliser, which scaled_dot_product_attention does not hand out."""
    # The operator is internal to torch; trainer/tests hold it to its meaning for the pinned version.
    return torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(queries, keys, values, 0.0, False, attn_mask=mask)
