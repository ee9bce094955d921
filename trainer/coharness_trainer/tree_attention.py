"""
Attention over a token tree, branch by branch: the nodes that a row added attend to that row's path from the root.

A mask over all pairs of nodes would do the same, but most pairs are strangers on different branches: with 16 rows behind one
prefix only a fifth of them are related.
"""

import torch
from transformers import AttentionInterface, PreTrainedModel

from .failure import TrainerFailure

TREE_ATTENTION = "coharness_tree"


class Branch:
    """Nodes [start, end) that one row added, and `path`, [n], all nodes of that row in order, these last."""

    def __init__(self, start: int, end: int, path: torch.Tensor):
        self.start, self.end, self.path = start, end, path


def _weights(query, key, scaling: float, branch: Branch) -> tuple[torch.Tensor, torch.Tensor]:
    """Attention weights [key heads, query heads per key head × own nodes, path nodes]; and the query, grouped alike."""
    key_heads, added = key.shape[0], branch.end - branch.start
    grouped = query[:, branch.start : branch.end].reshape(key_heads, -1, query.shape[-1])
    scores = (grouped @ key[:, branch.path].transpose(1, 2)).mul_(scaling)
    # Of the path, only the own nodes can lie ahead of a query.
    ahead = torch.ones(added, added, dtype=torch.bool, device=query.device).triu(1)
    own = scores.view(key_heads, -1, added, len(branch.path))[..., -added:]
    own.masked_fill_(ahead, float("-inf"))
    return torch.softmax(scores, dim=-1, dtype=torch.float32).to(query.dtype), grouped


class _BranchAttention(torch.autograd.Function):
    # By hand, because autograd through slices would fill a gradient of the whole tree with zeros once per branch.

    @staticmethod
    def forward(ctx, query, key, value, scaling, branches):
        ctx.save_for_backward(query, key, value)
        ctx.scaling, ctx.branches = scaling, branches
        output = torch.empty_like(query)
        for branch in branches:
            weights, _ = _weights(query, key, scaling, branch)
            mixed = weights @ value[:, branch.path]
            output[:, branch.start : branch.end] = mixed.view(query.shape[0], -1, query.shape[-1])
        return output

    @staticmethod
    def backward(ctx, output_gradient):
        query, key, value = ctx.saved_tensors
        query_gradient, key_gradient, value_gradient = (torch.empty_like(query), torch.zeros_like(key), torch.zeros_like(value))
        for branch in ctx.branches:
            weights, grouped = _weights(query, key, ctx.scaling, branch)
            outer = output_gradient[:, branch.start : branch.end].reshape(grouped.shape)
            value_gradient.index_add_(1, branch.path, weights.transpose(1, 2) @ outer)
            pull = outer @ value[:, branch.path].transpose(1, 2)
            # Derivative of softmax.
            scores_gradient = (pull - (pull * weights).sum(-1, keepdim=True)).mul_(weights).mul_(ctx.scaling)
            query_gradient[:, branch.start : branch.end] = (scores_gradient @ key[:, branch.path]).view(
                query.shape[0], -1, query.shape[-1]
            )
            key_gradient.index_add_(1, branch.path, scores_gradient.transpose(1, 2) @ grouped)
        return query_gradient, key_gradient, value_gradient, None, None


def tree_attention(module, query, key, value, attention_mask, scaling, dropout=0.0, branches=None, **kwargs):
    """The signature that transformers calls; [1, heads, N, width] each, returns [1, N, heads, width]."""
    longest = max(len(branch.path) for branch in branches)
    window = kwargs.get("sliding_window")
    if kwargs.get("softcap") is not None or dropout > 0 or (window is not None and window < longest):
        raise TrainerFailure(
            "unsupported-model",
            f"{type(module).__name__} uses attention that is not plain causal over {longest} tokens (window {window}); "
            "training by prefix tree would not be exact. Train it with another trainer, or shorten the rows.",
        )
    mixed = _BranchAttention.apply(query[0], key[0], value[0], scaling, branches)
    return mixed.transpose(0, 1)[None], None


AttentionInterface.register(TREE_ATTENTION, tree_attention)


def use_tree_attention(model: PreTrainedModel) -> None:
    """From now on the model takes `branches` and no mask. Positions still come from `position_ids`."""
    model.set_attn_implementation(TREE_ATTENTION)
