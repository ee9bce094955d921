"""
Prefix-tree packing: the rows of a batch share a long harness prefix, so each shared prefix is computed once.

The rows become one token tree. Flattened depth first, with position = depth and attention only to ancestors, every node
sees exactly what its row would have shown it, so hidden states, loss and gradients are those of the padded batch. The
loss is over transitions (node → next token), each counted as often as a row supervises it.
"""

from dataclasses import dataclass

import torch

from .rows import Row
from .tree_attention import Branch


@dataclass(frozen=True)
class PrefixTree:
    """N nodes in depth-first order, P of them with at least one supervised next token, T distinct transitions."""

    # [N] token, and depth = position in its row.
    input_ids: torch.Tensor
    position_ids: torch.Tensor
    # [B, 3] one line per row that added nodes: first and one past the last added node, and the length of its path.
    branch_bounds: torch.Tensor
    # Concatenated paths from the root, as node indices, in the order of `branch_bounds`.
    branch_paths: torch.Tensor
    # [P] nodes whose logits are needed, ascending.
    predictors: torch.Tensor
    # [T] index into `predictors`, the token to predict there, and how many rows supervise it.
    transition_predictor: torch.Tensor
    transition_target: torch.Tensor
    transition_count: torch.Tensor

    def branches(self) -> list[Branch]:
        bounds = self.branch_bounds.tolist()
        paths = self.branch_paths.split([length for _, _, length in bounds])
        return [Branch(start, end, path) for (start, end, _), path in zip(bounds, paths)]


def _needed(row: Row) -> tuple[int, ...]:
    # Nothing after the last target's predecessor influences the loss.
    return row.input_ids[: row.supervised[-1][1] - 1]


def _shared_length(left: tuple[int, ...], right: tuple[int, ...]) -> int:
    length = 0
    for a, b in zip(left, right):
        if a != b:
            break
        length += 1
    return length


def partition_rows(rows: list[Row], node_limit: int) -> list[list[Row]]:
    """
    Rows grouped so that each group's tree has at most `node_limit` nodes (a longer single row stands alone), in
    lexicographic order, which is where neighbours share most.
    """
    groups: list[list[Row]] = []
    nodes = 0
    previous: tuple[int, ...] = ()
    for row in sorted(rows, key=lambda row: row.input_ids):
        tokens = _needed(row)
        added = len(tokens) - _shared_length(previous, tokens)
        if groups and nodes + added <= node_limit:
            groups[-1].append(row)
            nodes += added
        else:
            groups.append([row])
            nodes = len(tokens)
        previous = tokens
    return groups


def prefix_tree(rows: list[Row]) -> PrefixTree:
    """The tree of all rows; their order does not matter."""
    tokens: list[int] = []
    depths: list[int] = []
    bounds: list[tuple[int, int, int]] = []
    paths: list[int] = []
    # In lexicographic order of what is inserted, a row leaves the previous row's path once and never meets an older one
    # again: creation order is depth-first order.
    transitions: dict[tuple[int, int], int] = {}
    path: list[int] = []
    previous: tuple[int, ...] = ()
    for row in sorted(rows, key=_needed):
        needed = _needed(row)
        shared = _shared_length(previous, needed)
        del path[shared:]
        for depth in range(shared, len(needed)):
            tokens.append(needed[depth])
            depths.append(depth)
            path.append(len(tokens) - 1)
        if shared < len(needed):
            bounds.append((path[shared], len(tokens), len(path)))
            paths.extend(path)
        for start, end in row.supervised:
            for position in range(start, end):
                transition = (path[position - 1], row.input_ids[position])
                transitions[transition] = transitions.get(transition, 0) + 1
        previous = needed

    predictors = sorted({node for node, _ in transitions})
    index_of = {node: index for index, node in enumerate(predictors)}
    return PrefixTree(
        input_ids=torch.tensor(tokens),
        position_ids=torch.tensor(depths),
        branch_bounds=torch.tensor(bounds),
        branch_paths=torch.tensor(paths),
        predictors=torch.tensor(predictors),
        transition_predictor=torch.tensor([index_of[node] for node, _ in transitions]),
        transition_target=torch.tensor([target for _, target in transitions]),
        transition_count=torch.tensor(list(transitions.values())),
    )
